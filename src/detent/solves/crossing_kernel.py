"""A step across a change point: where all rows together lose rank, and several branches of the motion meet.

A linkage that can fold flat passes such places. Close to one the equations are nearly 0/0, and farther on positions
alone do not tell which branch is the one that it came on. That one is smooth: so the step is taken as a polynomial, by
collocation at Gauss's nodes (Hairer, Norsett and Wanner, section II.7), none of which lies near the change point, each
brought onto the constraints. Sweeps converge, for on a branch the motion is as smooth as elsewhere. What then shows
that all nodes lie on one branch is that the dependent positions, which come from the constraints, are the integrals of
the dependent speeds: on two branches, or on two sheets of a linkage that only comes close, they are not.
"""

from __future__ import annotations

from typing import Final

from detent.jit.abi import EPSILON, OK, WORD
from detent.jit.intrinsics import (
    ADDRESSES,
    as_doubles,
    call_cell,
    called,
    kernel,
    record_reader,
)
from detent.solves import constraint_frame as frame
from detent.solves.constraint_solve_kernel import (
    as_constrained,
    bring_onto,
    constrained,
    growth_and_distance,
    rank_distance,
)
from detent.stepping import crossing_frame as at

_as_crossing: Final = record_reader(at.CROSSING)
_as_step: Final = record_reader(at.STEP)

_LOOKS = 7
_CROSSED = 0.1
_FAR_FROM_CROSSED = 0.5
"""How far from losing rank the rows may seem where a prediction says that they do, at last and after the first look."""
_SWEEPS = 40
_SURELY = 4
_CONVERGED = 1e-15
"""Sweeps end when nothing changes by more than this part of the state, or, after the first ones, when changes no longer
become smaller."""
_CLOSURE = 1e-9
"""How well the integrals of the speeds must meet the positions, relative to 1 + their size: far above the rounding of
1e-16 over the distance from the change point, far below what another branch would leave, which is that distance."""

_ROUNDING = 0.5 * EPSILON
"""Positions come from the constraints to this over the distance from the change point, speeds to that over its square,
their rates over its third power."""
_SETTLED = 1e-7
"""What rounding may still change from sweep to sweep, in the same units."""


@called
def _width(head):
    return head.coordinates + head.speeds + head.signals + 1


@called
def _predict(head, block, time, state, values, ahead, near, out):
    """The state after a time ``ahead``: one step of Heun's method for positions and signals, of Euler's for speeds.

    Speeds stay what they are from a place that is ``near`` a change point, where their rates are rounding.
    """
    n_q, n, count = head.coordinates, head.speeds, _width(head)
    start, rate, result = as_doubles(state), as_doubles(block.rates), as_doubles(out)
    for i in range(count):
        kept = near and n_q <= i < n_q + n
        result[i] = start[i] if kept else start[i] + ahead * rate[i]
    status = call_cell(head.unsolved, time + ahead, out, values, head.given)
    given = as_doubles(head.given)
    for i in range(count - 1):
        if i < n_q or i >= n_q + n:
            result[i] = start[i] + 0.5 * ahead * (rate[i] + given[i])
    return status


@called
def _distance(head, time, state, values):
    """How far a state is from losing rank, with a sign; 0 where that cannot be said."""
    status = call_cell(head.constraints, time, state, values, head.B)
    _, distance = growth_and_distance(head)
    return distance if status == OK else 0.0


@called
def _part(head, block, time, state, values, span, near):
    """The part of a time span after which the prediction loses rank, by regula falsi (Illinois); -1 if it does not."""
    spare = block.space + 2 * WORD * at.MOST * block.width
    left, right, part = 0.0, 1.0, 1.0
    before, after = _distance(head, time, state, values), 0.0
    for number in range(_LOOKS):
        if _predict(head, block, time, state, values, part * span, near, spare) != OK:
            return -1.0
        now = _distance(head, time + part * span, spare, values)
        if number == 1 and rank_distance(head) > _FAR_FROM_CROSSED:
            return -1.0
        if number == 0:
            after = now
        elif now * before > 0.0:
            left, before, after = part, now, 0.5 * after
        else:
            right, after, before = part, now, 0.5 * before
        if not before * after < 0.0:
            return -1.0
        part = left + (right - left) * before / (before - after)
    # Where only the choice of dependent speeds becomes singular, another choice is what is needed.
    return part if rank_distance(head) < _CROSSED else -1.0


@called
def _table(block, count):
    """The address of the table for so many nodes."""
    address = block.tables
    for number in range(at.FEWEST, count):
        address += WORD * number * (number + 2 + block.rows)
    return address


@called
def _best_count(block, part):
    """How many nodes, so that none lies near the part of the step that is the change point."""
    best, found = -1.0, at.FEWEST
    for count in range(at.FEWEST, at.MOST + 1):
        nodes, nearest = as_doubles(_table(block, count)), 1.0
        for k in range(count):
            nearest = min(nearest, abs(nodes[k] - part))
        if nearest > best:
            best, found = nearest, count
    return found


@called
def _combine(head, block, state, step, weights, count, out):
    """out = the start + step * (weights applied to the rates at the nodes)."""
    start, rates, result = as_doubles(state), as_doubles(block.space), as_doubles(out)
    for i in range(_width(head)):
        total = 0.0
        for j in range(count):
            total += weights[j] * rates[j * block.width + i]
        result[i] = start[i] + step * total


@called
def _sweep(head, block, time, state, values, step, count):
    """Rates at the nodes, then the states there: a status, how far they miss, how much they change, and rounding."""
    table, width, n_q = _table(block, count), block.width, head.coordinates
    nodes = as_doubles(table)
    first, spare = block.space + WORD * at.MOST * width, block.space + 2 * WORD * at.MOST * width
    own, missed, changed, rounding = as_doubles(head.state), 0.0, 0.0, 0.0
    for k in range(count):
        at_node, now = as_doubles(first + WORD * k * width), time + nodes[k] * step
        for i in range(_width(head)):
            own[i] = at_node[i]
        distance, fastest = abs(_distance(head, now, head.state, values)), 0.0
        for i in range(n_q, n_q + head.speeds):
            fastest = max(fastest, abs(own[i]))
        rounding = max(rounding, _ROUNDING * step * fastest * fastest / distance**3)
        status = bring_onto(head, now, head.state, values)
        if status == OK:
            status = constrained(head, now, values, as_doubles(block.space + WORD * k * width))
        if status != OK:
            return status, missed, changed, rounding
        for i in range(n_q):
            missed = max(missed, abs(own[i] - at_node[i]) / (1.0 + abs(own[i])))
    for k in range(count):
        _combine(head, block, state, step, as_doubles(table + WORD * (1 + k) * count), count, spare)
        at_node, better = as_doubles(first + WORD * k * width), as_doubles(spare)
        for i in range(_width(head)):
            changed = max(changed, abs(better[i] - at_node[i]) / (1.0 + abs(better[i])))
            at_node[i] = better[i]
    return OK, missed, changed, rounding


@called
def _write(head, block, state, step, count, near):
    """The state at the end, and the rates that the method's stages would have found on the way.

    That at the start too, where it is rounding.
    """
    table, rates = _table(block, count), as_doubles(block.space)
    _combine(head, block, state, step, as_doubles(table + WORD * count * (count + 1)), count, block.trial)
    weights = as_doubles(table + WORD * count * (count + 2))
    for row in range(0 if near else 1, block.rows):
        out = as_doubles(block.rates + WORD * row * block.width)
        for i in range(_width(head)):
            total = 0.0
            for j in range(count):
                total += weights[row * count + j] * rates[j * block.width + i]
            out[i] = total


@called
def _follow(head, block, time, state, values, step, count, near):
    """Sweeps from the prediction on until they converge; OK, or at.NO_CROSSING."""
    nodes, first = as_doubles(_table(block, count)), block.space + WORD * at.MOST * block.width
    for k in range(count):
        place = first + WORD * k * block.width
        if _predict(head, block, time, state, values, nodes[k] * step, near, place) != OK:
            return at.NO_CROSSING
    before, changed, missed, rounding = 1e300, 1e300, 1e300, 0.0
    for number in range(_SWEEPS):
        status, missed, changed, rounding = _sweep(head, block, time, state, values, step, count)
        if status != OK or not changed < 1e300:
            return at.NO_CROSSING
        if changed <= _CONVERGED or (number > _SURELY and changed > 0.9 * before):
            break
        before = changed
    _as_step(block.step).rounding = max(changed, rounding)
    return OK if missed <= _CLOSURE and changed <= _SETTLED else at.NO_CROSSING


@kernel(ADDRESSES)
def cross_change_point(context, time, state, values, out):
    """Take the step that the block ``out`` describes, near a change point or across it; or say that it cannot be.

    Where the size is negative, only look whether there is a change point within so much time, and when.
    """
    head, block = as_constrained(context), _as_crossing(out)
    asked = _as_step(block.step)
    step = asked.size
    _distance(head, time, state, values)
    asked.distance = rank_distance(head)
    near = asked.distance < frame.NEAR_CHANGE_POINT
    part = _part(head, block, time, state, values, abs(step), near)
    asked.ahead = part * abs(step)
    if step < 0.0:
        return OK if part >= 0.0 else at.NO_CROSSING
    count = _best_count(block, part if part >= 0.0 else 0.0)
    if _follow(head, block, time, state, values, step, count, near) != OK:
        return at.NO_CROSSING
    _write(head, block, state, step, count, near)
    return OK
