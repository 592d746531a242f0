"""The kernel of :class:`detent.solves.mass_solve.MassSolve`."""

from __future__ import annotations

from detent.algebra.factorisation_kernel import factorise, solve_factorised
from detent.jit.abi import OK, SINGULAR
from detent.jit.intrinsics import ADDRESSES, as_doubles, as_words, call, kernel, read_word


@kernel(ADDRESSES)
def mass_solve(context, time, state, values, out):
    """out = (q', u', s', power), from a program whose outputs ``MassSolve`` describes."""
    head = as_words(context)
    n_q, n, n_s = head[1], head[2], head[3]
    cell, given, result = as_words(head[0]), as_doubles(head[4]), as_doubles(out)
    status = call(read_word(head[0]), cell[1], time, state, values, head[4])
    if status != OK:
        return status
    f, power = n_q, n_q + n + n_s
    drive, triangle, force = power + 1, as_doubles(head[4] + 8 * (power + 1 + n)), as_doubles(head[4] + 8 * n_q)
    if not factorise(triangle, n):
        return SINGULAR
    solve_factorised(triangle, n, force)
    total = given[power]
    for i in range(n):
        total += given[drive + i] * given[f + i]
    for i in range(n_q + n + n_s):
        result[i] = given[i]
    result[n_q + n + n_s] = total
    return OK
