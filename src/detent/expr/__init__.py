"""The expression graph: SymPy in, straight-line instructions out. Knows nothing of mechanics."""
