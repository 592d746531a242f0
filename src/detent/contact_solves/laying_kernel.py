"""Ends that come to lie flat: they are laid down, before they strike.

An end that leans by as little as counts as flat touches with one side of its rim, and strikes with all of it. Where it
goes on over another side, what it leaned before would be left beneath the plane there.
"""

from __future__ import annotations

from detent.algebra.factorisation_kernel import solve_upper
from detent.contact_solves.contact_rows_kernel import GAP, as_posed, coefficient, end_at, leaning, read_programs
from detent.contact_solves.settle_impact_kernel import begin_pushing, list_row, push_rows
from detent.jit.abi import OK
from detent.jit.intrinsics import as_doubles, as_words, call_cell, called


@called
def _way_to_lie(head, e):
    """The speeds with which, in a unit of time, an end comes into its plane by the least motion; into ``change``."""
    end, cone = end_at(head.ends, e), as_posed(head.cone)
    owner, scale, right = as_words(cone.owner), as_doubles(cone.step), as_doubles(cone.right)
    tilts = as_words(head.turn_first)[end.turn]
    total = list_row(head, owner, scale, 0, end.face * head.dimension)
    right[0] = -scale[0] * coefficient(head, GAP, end.face)
    for i in range(2):
        total = list_row(head, owner, scale, total, head.count * head.dimension + tilts + i)
        right[total - 1] = -scale[total - 1] * leaning(head, tilts + i)
    begin_pushing(head)
    push_rows(head, cone, total)
    solve_upper(as_doubles(head.triangle), head.speeds, as_doubles(head.change))


@called
def lay_flat(head, e, time, values, state):
    """Bring an end into the plane on which it lies, in place, and read the programs anew; OK, or why not.

    The way of coordinates, and of quaternions among the signals, is what their rates are more than those of no motion.
    """
    n, n_q, x = head.speeds, head.coordinates, as_doubles(state)
    later, change, given = as_doubles(head.later), as_doubles(head.change), as_doubles(head.given)
    _way_to_lie(head, e)
    for i in range(n_q + n + head.signals + 1):
        later[i] = x[i]
    for sign in (1.0, -1.0):
        for j in range(n):
            later[n_q + j] = change[j] if sign > 0.0 else 0.0
        status = call_cell(head.unsolved, time, head.later, values, head.given)
        if status != OK:
            return status
        for i in range(n_q):
            x[i] += sign * given[i]
        for i in range(n_q + n, n_q + n + head.signals):
            x[i] += sign * given[i]
    return read_programs(head, time, state, values)
