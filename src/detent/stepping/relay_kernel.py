"""The relay: a stepper goes on from one block of the record to the next without returning to its caller.

Its caller needs Python's lock to take a piece of trajectory, and another thread may hold that for milliseconds. So
another thread takes the pieces, and the one that steps waits for nothing.
"""

from __future__ import annotations

from typing import Final

from numba import types

from detent.jit.abi import WORD
from detent.jit.intrinsics import ADDRESSES, as_words, call, inlined, kernel, read_word, tuple_reader, write_word
from detent.stepping.frame import ROWS, Frame
from detent.stepping.relay_frame import FILLED, ROWS_OF_BLOCKS, TAKEN, WANTED, RelayFrame
from detent.stepping.status import Status

_TIME: Final = Frame._fields.index("record_time")
_STATE: Final = Frame._fields.index("record_state")
_RATE: Final = Frame._fields.index("record_rate")
_DENSE: Final = Frame._fields.index("record_dense")
_WIDTH: Final = Frame._fields.index("width")
_DENSE_ROWS: Final = Frame._fields.index("dense_rows")
_CAPACITY: Final = Frame._fields.index("capacity")
_COUNTERS: Final = Frame._fields.index("counters")

_read_relay = tuple_reader(types.int64, len(RelayFrame._fields))


@inlined
def _write_into(relay: RelayFrame, addresses: int, block: int) -> None:
    """Have the stepper write its next rows into a block."""
    frame, first = as_words(addresses), block * relay.capacity * WORD
    row = first * frame[_WIDTH]
    frame[_CAPACITY] = min(read_word(relay.words + WANTED * WORD), relay.capacity)
    frame[_TIME] = relay.record_time + first
    frame[_STATE] = relay.record_state + row
    frame[_RATE] = relay.record_rate + row
    frame[_DENSE] = relay.record_dense + row * frame[_DENSE_ROWS]


@kernel(ADDRESSES)
def advance_relay(context: int, t_end: float, addresses: int, numbers: int, out: int) -> int:
    """Take steps until something other than a full block ends it; BUFFER_FULL when no block is free.

    ``context`` is a RelayFrame by address, ``addresses`` the Frame whose record it leads from block to block.
    """
    relay = RelayFrame(*_read_relay(context))
    counters = as_words(as_words(addresses)[_COUNTERS])
    status = Status.BUFFER_FULL
    while status == Status.BUFFER_FULL:
        filled = as_words(relay.words)[FILLED]
        if filled - read_word(relay.words + TAKEN * WORD) >= relay.blocks:
            return Status.BUFFER_FULL
        block = filled % relay.blocks
        _write_into(relay, addresses, block)
        counters[ROWS] = 0
        status = call(relay.advance, addresses, t_end, numbers, 0, 0)
        as_words(relay.words)[ROWS_OF_BLOCKS + block] = counters[ROWS]
        counters[ROWS] = 0
        as_words(relay.words)[WANTED] = min(2 * as_words(relay.words)[WANTED], relay.capacity)
        write_word(relay.words + FILLED * WORD, filled + 1)
    return status
