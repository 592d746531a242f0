"""The impact of one contact with friction against two rows of constraints: the normal, and along the slip.

With B the two rows, v- = B u- + C and W = B M^-1 B^T a law of single impacts gives the impulse P, and

    u+ = u- + M^-1 B^T P.
"""

from __future__ import annotations

from typing import Final

from detent.algebra.elimination_kernel import solve
from detent.algebra.factorisation_kernel import in_triangle
from detent.contact_solves.friction_impact_frame import FRICTION_STRUCK, NO_FRICTION_IMPACT, WITHOUT_INERTIA
from detent.contact_solves.impact_kernel import single_impact
from detent.contact_solves.single_impact_frame import SINGLE_IMPACT, ImpactEnd
from detent.jit.abi import OK, WORD
from detent.jit.intrinsics import ADDRESSES, as_doubles, call_cell, called, kernel, record_reader

_as_struck: Final = record_reader(FRICTION_STRUCK)
_as_single: Final = record_reader(SINGLE_IMPACT)


@called
def _work_out(head, time, state, values):
    """M, the rows and the coefficients; OK or a status."""
    status = call_cell(head.unsolved, time, state, values, head.given)
    if status == OK:
        status = call_cell(head.constraints, time, state, values, head.rows_given)
    if status == OK:
        status = call_cell(head.coefficients, time, state, values, head.numbers)
    return status


@called
def _yield(head):
    """M^-1 B^T, a row of two for each speed; whether every speed moves a mass."""
    n, rows = head.speeds, as_doubles(head.rows_given)
    given, first = as_doubles(head.given), head.coordinates + n + head.signals + 1 + n
    matrix, yields = as_doubles(head.matrix), as_doubles(head.yields)
    for i in range(n):
        for j in range(n):
            matrix[i * n + j] = given[first + in_triangle(i, j)]
        yields[2 * i] = rows[head.normal * n + i]
        yields[2 * i + 1] = rows[head.along * n + i]
    return solve(matrix, n, yields, 2) != 0


@called
def _describe(head, single, u):
    """How the contact yields and how fast it meets, for the law."""
    n, m, rows = head.speeds, head.rows, as_doubles(head.rows_given)
    yields, numbers = as_doubles(head.yields), as_doubles(head.numbers)
    single.W_nn, single.W_n1, single.W_11 = 0.0, 0.0, 0.0
    single.before_n, single.before_1 = rows[m * n + head.normal], rows[m * n + head.along]
    for j in range(n):
        normal, along = rows[head.normal * n + j], rows[head.along * n + j]
        single.W_nn += normal * yields[2 * j]
        single.W_n1 += normal * yields[2 * j + 1]
        single.W_11 += along * yields[2 * j + 1]
        single.before_n += normal * u[j]
        single.before_1 += along * u[j]
    single.restitution, single.friction, single.static_friction = numbers[0], numbers[1], numbers[2]


@kernel(ADDRESSES)
def strike_with_friction(context, time, state, values, out):
    """out = the state after the impact that ``context`` describes, then the discrete states."""
    head = _as_struck(context)
    single, given, result = _as_single(head.single), as_doubles(state), as_doubles(out)
    width, n = head.coordinates + head.speeds + head.signals + 1, head.speeds
    for i in range(width):
        result[i] = given[i]
    discrete = as_doubles(values + WORD * head.discrete)
    for i in range(head.discrete_count):
        result[width + i] = discrete[i]
    status = _work_out(head, time, state, values)
    if status != OK:
        return status
    if not _yield(head):
        return WITHOUT_INERTIA
    _describe(head, single, as_doubles(state + WORD * head.coordinates))
    if single.before_n >= 0.0:  # where bounces pile up, rounding may leave no approach: nothing strikes
        single.P_n, single.P_1, single.v_1 = 0.0, 0.0, single.before_1
    elif single_impact(head.single) > ImpactEnd.LOCKED:
        return NO_FRICTION_IMPACT
    yields, impulses = as_doubles(head.yields), as_doubles(head.impulses)
    impulses[0], impulses[1] = single.P_n, single.P_1
    for j in range(n):
        result[head.coordinates + j] += yields[2 * j] * single.P_n + yields[2 * j + 1] * single.P_1
    if head.direction >= 0:
        result[width + head.direction] = 1.0 if single.v_1 > 0.0 else -1.0 if single.v_1 < 0.0 else 0.0
    return OK
