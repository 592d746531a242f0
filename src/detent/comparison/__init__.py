"""One model in several formulations, side by side."""
