"""The loop that turns a system into a run."""
