"""What the handover kernel shares with whoever takes its pieces of trajectory."""

from __future__ import annotations

from typing import Final

import numpy as np

RELAY_WORDS: Final = np.dtype(
    [
        (name, np.int64)
        for name in (
            "filled",  # how many blocks the kernel has filled since the beginning
            "taken",  # how many of them have been taken
            "wanted",  # how many steps the next block is to hold: twice as many as the last, unless whoever takes them
            # wants it sooner
        )
    ]
)

HANDOVER_FRAME: Final = np.dtype(
    [
        (name, np.int64)
        for name in (
            "words",  # the address of the words above
            "rows",  # that of the number of steps in each block
            "blocks",
            "advance",  # the address of the kernel that takes the steps
            "capacity",  # the steps of a block, at most
            "record_time", "record_state", "record_rate", "record_dense",  # arrays that hold all blocks
        )
    ]
)  # fmt: skip
"""A record of several blocks, each with room for the same number of steps, filled one after the other in turn."""
