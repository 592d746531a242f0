"""Cone problems and impacts in numbers: which contacts open, slip or stick, with what forces."""
