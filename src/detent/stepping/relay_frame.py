"""The words that the relay kernel shares with whoever takes its pieces of trajectory."""

from __future__ import annotations

from typing import Final, NamedTuple

FILLED: Final = 0
"""How many blocks the kernel has filled since the beginning."""
TAKEN: Final = 1
"""How many of them have been taken."""
WANTED: Final = 2
"""How many steps the next block is to hold: twice as many as the last, unless whoever takes them wants it sooner."""
ROWS_OF_BLOCKS: Final = 3
"""From here on the number of steps in each block."""


class RelayFrame(NamedTuple):
    """A record of several blocks, each with room for the same number of steps, filled one after the other in turn."""

    words: int
    """The address of the words above."""
    blocks: int
    advance: int
    """The address of the kernel that takes the steps."""
    capacity: int
    """The steps of a block, at most; then the arrays, which hold all blocks."""
    record_time: int
    record_state: int
    record_rate: int
    record_dense: int
