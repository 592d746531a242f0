"""Dense algebra inside kernels: elimination and factorisation. Numbers only."""
