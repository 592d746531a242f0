"""The handover: a stepper goes on from one block of the record to the next without returning to its caller.

Its caller needs Python's lock to take a piece of trajectory, and another thread may hold that for milliseconds. So
another thread takes the pieces, and the one that steps waits for nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from detent.jit.abi import WORD
from detent.jit.intrinsics import (
    ADDRESSES,
    as_words,
    call,
    field_reader,
    field_writer,
    inlined,
    kernel,
    record_reader,
)
from detent.stepping.frame import StepFrame
from detent.stepping.handover_frame import HANDOVER_FRAME, RELAY_WORDS
from detent.stepping.status import Status
from detent.stepping.step_kernel import as_counters

_as_frame = record_reader(np.dtype([(name, np.int64) for name in StepFrame._fields]))
"""The stepper's frame as something to write into; steppers read it at once, and keep it in registers."""
_as_handover = record_reader(HANDOVER_FRAME)
_as_words = record_reader(RELAY_WORDS)
_taken, _wanted = field_reader(RELAY_WORDS, "taken"), field_reader(RELAY_WORDS, "wanted")
_tell_filled = field_writer(RELAY_WORDS, "filled")


@inlined
def _write_into(handover: Any, frame: Any, block: int) -> None:
    """Have the stepper write its next rows into a block."""
    first = block * handover.capacity * WORD
    row = first * frame.width
    frame.capacity = min(_wanted(_as_words(handover.words)), handover.capacity)
    frame.record_time = handover.record_time + first
    frame.record_state = handover.record_state + row
    frame.record_rate = handover.record_rate + row
    frame.record_dense = handover.record_dense + row * frame.dense_rows


@kernel(ADDRESSES)
def advance_handing_over(context: int, t_end: float, addresses: int, numbers: int, out: int) -> int:
    """Take steps until something other than a full block ends it; BUFFER_FULL when no block is free.

    ``context`` is a handover's frame by address, ``addresses`` the Frame whose record it leads from block to block.
    """
    handover, frame = _as_handover(context), _as_frame(addresses)
    words, counters = _as_words(handover.words), as_counters(frame.counters)
    status = Status.BUFFER_FULL
    while status == Status.BUFFER_FULL:
        filled = words.filled
        if filled - _taken(words) >= handover.blocks:
            return Status.BUFFER_FULL
        block = filled % handover.blocks
        _write_into(handover, frame, block)
        counters.rows = 0
        status = call(handover.advance, addresses, t_end, numbers, 0, 0)
        as_words(handover.rows)[block] = counters.rows
        counters.rows = 0
        words.wanted = min(2 * words.wanted, handover.capacity)
        _tell_filled(words, filled + 1)
    return status
