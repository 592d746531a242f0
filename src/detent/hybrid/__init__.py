"""Hybrid automata: modes with their own constraints and loads, and the transitions between them."""
