"""Steppers: programs called by address in, trajectories out. Numbers only; nothing here knows mechanics."""
