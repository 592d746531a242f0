"""What the kernel finds that chooses other independent speeds between two steps."""

from __future__ import annotations

from typing import Final

import numpy as np

ALTERNATIVES: Final = np.dtype(
    [
        (name, np.int64)
        for name in (
            "used",  # how many choices have been made so far: rows of the table
            "ready",  # how many rows there are; those past the used ones take a choice that is new
            "present",  # the row that runs now
            "asks",  # why the kernel asks its caller: ROOM or LOST
            "logged", "read",  # how often another choice was made; how many of these have been read
            "table", "log", "counters",  # addresses; the last are the counters of the stepper
        )
    ]
)  # fmt: skip
"""All choices of one mode, and which runs."""

ROOM: Final = 1
"""A choice is new and no row is free for it, or the log is full."""
LOST: Final = 2
"""The rows say less than they did, so that none can be made."""

ALTERNATIVE: Final = np.dtype([("context", np.int64), ("rates", np.int64), ("correction", np.int64)])
"""A row of the table: what its rates and its correction read (:mod:`detent.solves.constraint_frame`), then their cells,
by address."""

CHOICE: Final = np.dtype([("steps", np.int64), ("number", np.int64), ("time", np.float64)])
"""An entry of the log: the steps before it, the row, the time."""
LOG_ROOM: Final = 256
