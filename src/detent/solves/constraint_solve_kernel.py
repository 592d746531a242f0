"""The kernels of :class:`detent.solves.constraint_solve.ConstraintSolve`: rates, reactions and correction.

Matrices lie row by row; n speeds, m of them dependent (one per row of constraints), p independent.
"""

from __future__ import annotations

import math
from typing import Final

from detent.algebra.decomposition_frame import RANK_TOLERANCE
from detent.algebra.elimination_kernel import last_pivot, solve, subtract_row
from detent.algebra.factorisation_kernel import in_triangle
from detent.jit.abi import OK, SINGULAR, WORD
from detent.jit.intrinsics import (
    ADDRESSES,
    as_doubles,
    as_words,
    call_cell,
    called,
    kernel,
    record_reader,
)
from detent.solves import constraint_frame as at
from detent.solves.quaternion_kernel import unit_quaternions
from detent.solves.state_kernel import copy_state, is_settled, largest_of, write_plain_rates
from detent.stepping.crossing_frame import IS_AT, IS_FAR, IS_NEAR
from detent.stepping.step_kernel import as_asking

as_constrained: Final = record_reader(at.CONSTRAINED)


_BEYOND_ALL: Final = 16.0
"""What is so many times as large as all that steps have led to does not count before a step leads there."""


@called
def _eliminate(head, rows, factors):
    """Solve rows u + C = 0 for the dependent speeds: the factors D, and E as their last column; the sign of det B_d."""
    n, m = head.speeds, head.rows
    p = n - m
    dependent, independent = as_words(head.dependent), as_words(head.independent)
    square, constant = as_doubles(head.square), as_doubles(head.C)
    for i in range(m):
        for j in range(m):
            square[i * m + j] = rows[i * n + dependent[j]]
        for j in range(p):
            factors[i * (p + 1) + j] = -rows[i * n + independent[j]]
        factors[i * (p + 1) + p] = -constant[i]
    return solve(square, m, factors, p + 1)


@called
def _depend(head, u):
    """Set the dependent speeds, u_d = D u_i + E; the largest entry of D, and whether any bit of them is another now."""
    m, p = head.rows, head.speeds - head.rows
    dependent, independent, factors = as_words(head.dependent), as_words(head.independent), as_doubles(head.D)
    largest, moved = 0.0, False
    for i in range(m):
        total = factors[i * (p + 1) + p]
        for j in range(p):
            total += factors[i * (p + 1) + j] * u[independent[j]]
            largest = max(largest, abs(factors[i * (p + 1) + j]))
        before = u[dependent[i]]
        moved = moved or before != total or math.copysign(1.0, before) != math.copysign(1.0, total)
        u[dependent[i]] = total
    return largest, moved


@called
def _column_size(sizes, m, j):
    """The size of a column, as a part of those of the rows, behind which it stands.

    Speeds have units: where a block turns, by the entries of mm all rows of one corner are nearly the same, and by
    those of km they are not. Columns of equal size make the rows differ about as much as any units can (van der Sluis,
    Numerische Mathematik 14, 1969, 14-23). A column that is nothing by the rows is rounding, and stays small.
    """
    return max(sizes[m + j], RANK_TOLERANCE)


@called
def growth_and_distance(head):
    """The largest factor of an elimination in the order in which the speeds were chosen, and how far from losing rank.

    The embedded equations eliminate in that order, whatever the numbers have become since: a pivot may vanish in it
    while the dependent speeds as a whole are still well chosen. The second is the smallest pivot as a part of the
    sizes of its row and column, with the sign of det B_d: it passes zero at a change point.
    """
    n, m = head.speeds, head.rows
    rows, square, sizes = as_doubles(head.B), as_doubles(head.square), as_doubles(head.scale)
    dependent, order = as_words(head.dependent), as_words(head.order)
    for i in range(m):
        for j in range(m):
            square[i * m + j] = rows[order[i] * n + dependent[j]]
    largest, smallest, sign = 0.0, math.inf, 1.0
    for column in range(m):
        size = sizes[order[column]] * _column_size(sizes, m, dependent[column])
        pivot = square[column * m + column]
        smallest = min(smallest, abs(pivot) / size if size > 0.0 else 0.0)
        if pivot < 0.0:
            sign = -sign
        for i in range(column + 1, m):
            factor = square[i * m + column] / pivot
            if not abs(factor) < 1e300:
                return 1e300, 0.0
            largest = max(largest, abs(factor))
            subtract_row(square, m, i, factor, column, column + 1)
    return largest, sign * smallest


@called
def rank_distance(head):
    """How far the rows are from losing rank, whatever the choice of speeds: the last pivot of complete pivoting.

    As a part of the sizes that rows and columns have had. Where it is not small another choice mends what is wrong.
    """
    n, m = head.speeds, head.rows
    rows, sizes, work = as_doubles(head.B), as_doubles(head.scale), as_doubles(head.choice)
    for i in range(m):
        for j in range(n):
            size = sizes[i] * _column_size(sizes, m, j)
            work[i * n + j] = rows[i * n + j] / size if size > 0.0 else 0.0
    return last_pivot(work, m, n)


@called
def _rest_of_rates(head):
    """e of u_d' = D u_i' + e: B_d e = gamma."""
    n, m = head.speeds, head.rows
    rows, square, rest, gamma = (
        as_doubles(head.B),
        as_doubles(head.square),
        as_doubles(head.rest),
        as_doubles(head.gamma),
    )
    dependent = as_words(head.dependent)
    for i in range(m):
        for j in range(m):
            square[i * m + j] = rows[i * n + dependent[j]]
        rest[i] = gamma[i]
    return solve(square, m, rest, 1)


@called
def _reduce(head, push):
    """T'^T M T and T'^T (f - M c), from M and f as the program gave them."""
    n, m = head.speeds, head.rows
    p = n - m
    dependent, independent = as_words(head.dependent), as_words(head.independent)
    given, mass, moved = as_doubles(head.given), as_doubles(head.M), as_doubles(head.moved)
    factors, rest, reduced = as_doubles(head.D), as_doubles(head.rest), as_doubles(head.reduced)
    free, rates = as_doubles(head.free), as_doubles(head.rate)
    lower = head.coordinates + 2 * n + head.signals + 1
    for i in range(n):
        for j in range(i + 1):
            mass[i * n + j] = mass[j * n + i] = given[lower + in_triangle(i, j)]
    for r in range(n):
        for k in range(p):
            total = mass[r * n + independent[k]]
            for d in range(m):
                total += mass[r * n + dependent[d]] * factors[d * (p + 1) + k]
            moved[r * p + k] = total
        total = given[head.coordinates + r]
        for d in range(m):
            total -= mass[r * n + dependent[d]] * rest[d]
        rates[r] = total  # f - M c, for the moment
    for a in range(p):
        for b in range(p):
            total = moved[independent[a] * p + b]
            for d in range(m):
                total += push[d * (p + 1) + a] * moved[dependent[d] * p + b]
            reduced[a * p + b] = total
        total = rates[independent[a]]
        for d in range(m):
            total += push[d * (p + 1) + a] * rates[dependent[d]]
        free[a] = total


@called
def _all_rates(head):
    """u' of all speeds from those of the independent ones."""
    m, p = head.rows, head.speeds - head.rows
    dependent, independent = as_words(head.dependent), as_words(head.independent)
    factors, rest, free, rates = (
        as_doubles(head.D),
        as_doubles(head.rest),
        as_doubles(head.free),
        as_doubles(head.rate),
    )
    for a in range(p):
        rates[independent[a]] = free[a]
    for i in range(m):
        total = rest[i]
        for j in range(p):
            total += factors[i * (p + 1) + j] * free[j]
        rates[dependent[i]] = total


@called
def _reactions(head, rows):
    """lambda, left in REST: B'_d^T lambda = (M u' - f)_d."""
    n, m, f = head.speeds, head.rows, head.coordinates
    dependent, square, reactions = as_words(head.dependent), as_doubles(head.square), as_doubles(head.rest)
    given, mass, rates = as_doubles(head.given), as_doubles(head.M), as_doubles(head.rate)
    for i in range(m):
        d = dependent[i]
        total = -given[f + d]
        for j in range(n):
            total += mass[d * n + j] * rates[j]
        reactions[i] = total
        for j in range(m):
            square[i * m + j] = rows[j * n + d]
    return solve(square, m, reactions, 1)


@called
def _write_rates(head, rows, out):
    """out = (q', u', s', power); reactions that slide or are driven do work."""
    n_q, n, n_s, m = head.coordinates, head.speeds, head.signals, head.rows
    reactions, x, power = as_doubles(head.rest), as_doubles(head.state), n_q + n + n_s
    write_plain_rates(head, out)
    total = out[power]
    for i in range(m):
        along = 0.0
        for j in range(n):
            along += rows[i * n + j] * x[n_q + j]
        total += reactions[i] * along
    out[power] = total


@called
def constrained(head, time, values, out):
    """The rates, or the reactions, at the state that stands in STATE."""
    slides, rows, push = head.slides != 0, as_doubles(head.B), as_doubles(head.D)
    status = call_cell(head.constraints, time, head.state, values, head.B)
    if status != OK:
        return status
    first_sign = _eliminate(head, rows, push)
    if first_sign == 0:
        return at.SINGULAR_CONSTRAINT
    _, moved = _depend(head, as_doubles(head.state + WORD * head.coordinates))
    if moved:  # again, now with the dependent speeds in place: gamma and the direction of friction depend on them
        status = call_cell(head.constraints, time, head.state, values, head.B)
        if status != OK:
            return status
    status = call_cell(head.unsolved, time, head.state, values, head.given)
    if status != OK:
        return status
    second_sign = first_sign
    if slides:
        rows, push = as_doubles(head.reaction), as_doubles(head.push)
        second_sign = _eliminate(head, rows, push)
        if second_sign == 0:
            return at.PARADOX
    _rest_of_rates(head)
    _reduce(head, push)
    sign = solve(as_doubles(head.reduced), head.speeds - head.rows, as_doubles(head.free), 1)
    if sign == 0:
        return at.PARADOX if slides else SINGULAR
    if slides and sign * first_sign * second_sign < 0:
        return at.PARADOX
    _all_rates(head)
    if _reactions(head, rows) == 0:
        return at.SINGULAR_CONSTRAINT
    if head.wanted == at.REACTIONS:
        reactions = as_doubles(head.rest)
        for i in range(head.rows):
            out[i] = reactions[i]
    else:
        _write_rates(head, rows, out)
    return OK


@called
def _follow(head, time, address, values):
    """Nearest points to where they belong; OK, or why not."""
    return OK if head.newton == 0 else call_cell(head.newton, time, address, values, address)


@called
def _newton_step(head, x):
    """Move along the dependent speeds so that Phi vanishes to first order; 0 where that cannot be."""
    n_q, n, n_s, m = head.coordinates, head.speeds, head.signals, head.rows
    dependent, rows, square = as_words(head.dependent), as_doubles(head.B), as_doubles(head.square)
    phi, step, turn = as_doubles(head.phi), as_doubles(head.rest), as_doubles(head.turn)
    for i in range(m):
        for j in range(m):
            square[i * m + j] = rows[i * n + dependent[j]]
        step[i] = -phi[i]
    if solve(square, m, step, 1) == 0:
        return 0
    for i in range(n_q + n_s):
        total = 0.0
        for j in range(m):
            total += turn[i * n + dependent[j]] * step[j]
        x[i if i < n_q else n + i] += total
    unit_quaternions(head, x)
    return 1


@called
def _watch_growth(head, growth):
    """Ask for another choice where the factors exceed their bound; lower a raised bound as they become smaller."""
    bound = as_doubles(head.bound)
    bound[1] = growth
    if growth > bound[0]:
        as_words(head.flag)[0] = 1
        as_asking(head.asking).asked = 1
    elif bound[0] > at.RESELECT_ABOVE and growth < bound[0] / 2:
        bound[0] = max(1.2 * growth, at.RESELECT_ABOVE)


@called
def _count_size(sizes, place, seen, count):
    """A size that was seen counts, unless it is beyond all that steps have led to: a trial may lead to where rows have
    no bound."""
    reached = sizes[2 * count + place]
    sizes[count + place] = seen
    if seen <= _BEYOND_ALL * reached or reached == 0.0:
        sizes[place] = max(sizes[place], seen)


@called
def _measure_rows(head):
    """The largest entry that each row has had, then the largest part of them that each column has had.

    After these sizes stand those that were seen last, and the largest that steps have led to.
    """
    n, m, rows, sizes = head.speeds, head.rows, as_doubles(head.B), as_doubles(head.scale)
    asking, count = as_asking(head.asking), head.rows + head.speeds
    for i in range(count if asking.accepted != 0 else 0):
        sizes[2 * count + i] = max(sizes[2 * count + i], sizes[count + i])
        sizes[i] = max(sizes[i], sizes[2 * count + i])
    asking.accepted = 0
    for i in range(m):
        seen = 0.0
        for j in range(n):
            seen = max(seen, abs(rows[i * n + j]))
        _count_size(sizes, i, seen, count)
    for j in range(n):
        seen = 0.0
        for i in range(m):
            seen = max(seen, abs(rows[i * n + j]) / sizes[i] if sizes[i] > 0.0 else 0.0)
        _count_size(sizes, m + j, seen, count)


@called
def _tell_place(head, distance):
    """Say how near a change point is (FAR, NEAR or AT), and what takes a step across it."""
    asking, flag = as_asking(head.asking), as_words(head.flag)
    sign, place = 1 if distance > 0.0 else -1, IS_FAR
    turned = sign * flag[1] < 0
    if turned or abs(distance) < at.NEAR_CHANGE_POINT:
        distance = rank_distance(head)
        near = turned or distance < at.NEAR_CHANGE_POINT
        place = IS_AT if distance < at.AT_CHANGE_POINT else IS_NEAR if near else IS_FAR
    asking.crossed_by, asking.place = head.crossing, place
    flag[1] = sign
    return place


@called
def bring_onto(head, time, address, values):
    """Positions onto the constraints, by Newton's method; B and Phi there are known already. OK, or why not."""
    phi, result = as_doubles(head.phi), as_doubles(address)
    before = math.inf
    for _ in range(8):
        worst = largest_of(phi, head.rows)
        if is_settled(worst, before):
            break
        before = worst
        if _newton_step(head, result) == 0:
            return at.SINGULAR_CONSTRAINT
        status = _follow(head, time, address, values)
        if status != OK:
            return status
        status = call_cell(head.constraints, time, address, values, head.B)
        if status != OK:
            return status
    return OK


@called
def _keeps_others(head, time, address, values):
    """Whether other rows are kept from here on, because those that were are near to losing their rank."""
    if head.keeping == 0 or rank_distance(head) >= at.NEAR_CHANGE_POINT:
        return False
    if call_cell(head.keeping, time, address, values, address) != OK:
        call_cell(head.constraints, time, address, values, head.B)
        return False
    call_cell(head.constraints, time, address, values, head.B)
    _measure_rows(head)
    return True


@kernel(ADDRESSES)
def constrained_rates(context, time, state, values, out):
    """out = (q', u', s', power), or the reactions of the rows, under the constraints that ``context`` describes."""
    head = as_constrained(context)
    copy_state(head, state, head.state)
    return constrained(head, time, values, as_doubles(out))


@kernel(ADDRESSES)
def constrained_state(context, time, state, values, out):
    """out = the state, brought back onto the constraints: positions by Newton's method, then dependent speeds."""
    head = as_constrained(context)
    copy_state(head, state, out)
    unit_quaternions(head, as_doubles(out))
    status = _follow(head, time, out, values)
    if status != OK:
        return status
    status = call_cell(head.constraints, time, out, values, head.B)
    if status != OK:
        return status
    _measure_rows(head)
    growth, distance = growth_and_distance(head)
    if abs(distance) < at.NEAR_CHANGE_POINT and _keeps_others(head, time, out, values):
        growth, distance = growth_and_distance(head)
    if _tell_place(head, distance) == IS_AT:
        return OK  # the rows cannot tell one speed from another here: those that the motion came with are better
    status = bring_onto(head, time, out, values)
    if status == OK and head.looking != 0:
        status = call_cell(head.looking, time, out, values, out)
    if status != OK:
        return status
    if _eliminate(head, as_doubles(head.B), as_doubles(head.D)) == 0:
        return at.SINGULAR_CONSTRAINT
    largest, _ = _depend(head, as_doubles(out + WORD * head.coordinates))
    _watch_growth(head, max(largest, growth))
    if head.slides != 0:  # the embedded equations would step over a paradox: look for it here, once a step
        copy_state(head, out, head.state)
        return constrained(head, time, values, as_doubles(head.unused))
    return OK
