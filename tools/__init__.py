"""What the project's own people run: nothing here is part of detent."""
