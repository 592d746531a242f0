"""The kernel of :class:`detent.solves.mass_solve.MassSolve`."""

from __future__ import annotations

from typing import Final

from detent.algebra.factorisation_kernel import factorise, solve_factorised
from detent.jit.abi import OK, SINGULAR, WORD
from detent.jit.intrinsics import ADDRESSES, as_doubles, call_cell, kernel, record_reader
from detent.solves.mass_frame import UNCONSTRAINED

_as_unconstrained: Final = record_reader(UNCONSTRAINED)


@kernel(ADDRESSES)
def mass_solve(context, time, state, values, out):
    """out = (q', u', s', power), from a program whose outputs ``MassSolve`` describes."""
    head = _as_unconstrained(context)
    n_q, n, n_s = head.coordinates, head.speeds, head.signals
    given, result = as_doubles(head.given), as_doubles(out)
    status = call_cell(head.program, time, state, values, head.given)
    if status != OK:
        return status
    f, power = n_q, n_q + n + n_s
    drive, triangle = power + 1, as_doubles(head.given + WORD * (power + 1 + n))
    if not factorise(triangle, n):
        return SINGULAR
    solve_factorised(triangle, n, as_doubles(head.given + WORD * f))
    total = given[power]
    for i in range(n):
        total += given[drive + i] * given[f + i]
    for i in range(n_q + n + n_s):
        result[i] = given[i]
    result[n_q + n + n_s] = total
    return OK
