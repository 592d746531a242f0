"""What the user writes: a system of frames, points, bodies and loads, in SymPy."""
