"""What the kernel finds that chooses other independent speeds between two steps."""

from __future__ import annotations

from typing import Final

# Words of the context.
USED: Final = 0
"""How many choices have been made so far: rows of the table."""
READY: Final = 1
"""How many rows there are; those past the used ones take a choice that is new."""
PRESENT: Final = 2
"""The row that runs now."""
ASKS: Final = 3
"""Why the kernel asks its caller: ROOM, where a choice is new and no row is free for it, or the log is full; LOST,
where the rows say less than they did, so that none can be made."""
LOGGED: Final = 4
"""How often another choice was made; then how many of these have been read."""
READ: Final = 5
TABLE: Final = 6
LOG: Final = 7
LOG_TIMES: Final = 8
COUNTERS: Final = 9
"""The addresses of the table, of the log and its times, and of the stepper's counters."""
WORDS: Final = 10

ROOM: Final = 1
LOST: Final = 2

# Words of a row of the table.
ROW_CONTEXT: Final = 0
"""What its rates and its correction read (:mod:`detent.solves.constraint_frame`)."""
ROW_RATES: Final = 1
ROW_CORRECTION: Final = 2
"""The addresses of their cells."""
ROW_WORDS: Final = 3

LOG_ROOM: Final = 256
"""Entries of the log, each the number of steps before it and the row."""
