"""The command line: one command a file. Everything heavy is imported by the command that needs it, so that --help
answers at once."""

from detent.cli.entry import main

__all__ = ["main"]
