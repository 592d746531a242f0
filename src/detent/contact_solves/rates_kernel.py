"""Rates of the state with the forces of contacts."""

from __future__ import annotations

from detent.algebra.factorisation_kernel import in_triangle, solve_upper
from detent.contact_solves.contact_rows_kernel import ROUNDING
from detent.jit.intrinsics import as_doubles, called


@called
def accelerate(head, rows, width, forces, count):
    """u' with the forces of so many rows, each of a width, into ``change``."""
    n, change, free = head.speeds, as_doubles(head.change), as_doubles(head.free)
    for j in range(n):
        total, size = free[j], abs(free[j])
        for i in range(count):
            term = rows[i * width + j] * forces[i]
            total, size = total + term, size + abs(term)
        change[j] = total if abs(total) > ROUNDING * size else 0.0  # what rests is to rest for ever, not to creep
    solve_upper(as_doubles(head.triangle), n, change)


@called
def go_on(head, state, ahead):
    """The state a little later, with the u' of ``change``, into ``later``."""
    n_q, n = head.coordinates, head.speeds
    later, x, given, change = as_doubles(head.later), as_doubles(state), as_doubles(head.given), as_doubles(head.change)
    for i in range(n_q + n + head.signals):
        later[i] = x[i] + ahead * (change[i - n_q] if n_q <= i < n_q + n else given[i])
    later[n_q + n + head.signals] = x[n_q + n + head.signals]


@called
def write_rates(head, state, out):
    """out = (q', u', s', power), with the u' of ``change``."""
    n_q, n = head.coordinates, head.speeds
    result, given, change, x = as_doubles(out), as_doubles(head.given), as_doubles(head.change), as_doubles(state)
    power = n_q + n + head.signals
    for i in range(power):
        result[i] = given[i]
    total = given[power]
    for j in range(n):
        result[n_q + j] = change[j]
        total += given[power + 1 + j] * change[j]
        excess = -given[n_q + j]  # M u' - f: all reactions, of constraints too
        for i in range(n):
            excess += given[power + 1 + n + in_triangle(j, i)] * change[i]
        total += excess * x[n_q + j]
    result[power] = total
