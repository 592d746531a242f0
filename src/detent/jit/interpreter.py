"""Tier 0: a tape runs the moment it exists, walked by one compiled function (:mod:`detent.jit.interpreter_kernel`)."""

from __future__ import annotations

import numpy as np

from detent.expr.tape import Tape
from detent.jit.address import address_of_some, raw_address, raw_addresses


def pack(tape: Tape) -> tuple[int, list[np.ndarray]]:
    """The interpreter's context of a tape: its address, and the arrays that must stay alive with it."""
    loads, code = np.ascontiguousarray(tape.loads), np.ascontiguousarray(tape.code)
    outputs = np.ascontiguousarray(tape.outputs)
    work = np.zeros(max(1, tape.slots))
    work[tape.first_constant : tape.first_constant + len(tape.constants)] = tape.constants
    tables = [np.ascontiguousarray(table) for table in tape.tables]
    table_addresses = np.array(raw_addresses(tables) or [0], dtype=np.int64)
    drawn = np.ascontiguousarray(tape.drawn)
    head = np.array(
        [
            raw_address(loads), len(loads), raw_address(code), len(code), raw_address(work),
            raw_address(outputs), len(outputs), raw_address(table_addresses), address_of_some(drawn), len(drawn),
        ],
        dtype=np.int64,
    )  # fmt: skip
    return raw_address(head), [head, loads, code, work, outputs, table_addresses, drawn, *tables]
