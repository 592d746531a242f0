"""The relay: a stepper goes on from one block of the record to the next without returning to its caller.

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
from detent.stepping.frame import Frame
from detent.stepping.relay_frame import RELAY_FRAME, RELAY_WORDS
from detent.stepping.status import Status
from detent.stepping.step_kernel import as_counters

_as_frame = record_reader(np.dtype([(name, np.int64) for name in Frame._fields]))
"""The stepper's frame as something to write into; steppers read it at once, and keep it in registers."""
_as_relay = record_reader(RELAY_FRAME)
_as_words = record_reader(RELAY_WORDS)
_taken, _wanted = field_reader(RELAY_WORDS, "taken"), field_reader(RELAY_WORDS, "wanted")
_tell_filled = field_writer(RELAY_WORDS, "filled")


@inlined
def _write_into(relay: Any, frame: Any, block: int) -> None:
    """Have the stepper write its next rows into a block."""
    first = block * relay.capacity * WORD
    row = first * frame.width
    frame.capacity = min(_wanted(_as_words(relay.words)), relay.capacity)
    frame.record_time = relay.record_time + first
    frame.record_state = relay.record_state + row
    frame.record_rate = relay.record_rate + row
    frame.record_dense = relay.record_dense + row * frame.dense_rows


@kernel(ADDRESSES)
def advance_relay(context: int, t_end: float, addresses: int, numbers: int, out: int) -> int:
    """Take steps until something other than a full block ends it; BUFFER_FULL when no block is free.

    ``context`` is a relay's frame by address, ``addresses`` the Frame whose record it leads from block to block.
    """
    relay, frame = _as_relay(context), _as_frame(addresses)
    words, counters = _as_words(relay.words), as_counters(frame.counters)
    status = Status.BUFFER_FULL
    while status == Status.BUFFER_FULL:
        filled = words.filled
        if filled - _taken(words) >= relay.blocks:
            return Status.BUFFER_FULL
        block = filled % relay.blocks
        _write_into(relay, frame, block)
        counters.rows = 0
        status = call(relay.advance, addresses, t_end, numbers, 0, 0)
        as_words(relay.rows)[block] = counters.rows
        counters.rows = 0
        words.wanted = min(2 * words.wanted, relay.capacity)
        _tell_filled(words, filled + 1)
    return status
