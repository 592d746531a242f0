"""How active constraints become something that runs: the seam, and one file for each way."""
