"""Impacts of the contacts that touch at an instant.

Here are only the hand-over and the speeds that change; the laws are in the kernels of single and of several impacts.
"""

from __future__ import annotations

import math
from typing import Final

from detent.algebra.factorisation_kernel import solve_upper
from detent.algebra.rank_kernel import basic_solution, reduce_by_rank
from detent.contact_solves.contact_rows_kernel import (
    KINETIC,
    LAW,
    RESTITUTION,
    STATIC,
    as_posed,
    coefficient,
    end_at,
    resistance,
)
from detent.contact_solves.flat_end_frame import RIM_POINTS
from detent.contact_solves.flat_end_kernel import end_that_tilts, face_at, tilting, way_down
from detent.contact_solves.impact_kernel import single_impact
from detent.contact_solves.members_kernel import place_of_member
from detent.contact_solves.settle_frame import (
    BY_POISSON,
    CAPPED,
    ENDED,
    FACTOR,
    LOCKED,
    TOLD,
    Unsettled,
)
from detent.contact_solves.several_impacts_frame import SEVERAL_IMPACTS, SIMULTANEOUS, SeveralOutcome
from detent.contact_solves.several_impacts_kernel import strike_several
from detent.contact_solves.single_impact_frame import SINGLE_IMPACT, ImpactEnd, Law
from detent.jit.abi import EPSILON, OK, WORD
from detent.jit.intrinsics import as_doubles, as_words, called, inlined, record_reader

_MOST_CORRECTIONS: Final = 4
_AT_REST: Final = 1e-14
"""A velocity, m/s, after which nothing more is taken away."""
_NOTHING: Final = 1e-12
"""A pivot this small is none, where rows have length one."""
_DRIVEN: Final = 1e-7
"""Contacts that seize together are taken to approach by this part of the slowest slip, until it is known how."""
_SURELY: Final = 1e3
"""And by so many times what of velocities may be rounding, at least."""
_SPEED_ROUNDING: Final = 8.0 * EPSILON
"""What a velocity is known to, as a part of the terms it is the sum of."""

_DIAGONAL: Final = math.sqrt(0.5)

_as_several: Final = record_reader(SEVERAL_IMPACTS)
as_impact: Final = record_reader(SINGLE_IMPACT)


@called
def telling(head):
    """Where it is told what is worth telling."""
    return as_doubles(head.impulses + WORD * head.count * head.dimension)


@called
def tell(head, flag):
    """Something happened that is worth telling."""
    numbers = telling(head)
    numbers[TOLD] = float(int(numbers[TOLD]) | flag)


@inlined
def row_of(head, number):
    """A row of a contact; those after all of them are of turning."""
    beyond = number - head.count * head.dimension
    at = head.rows + WORD * number * head.speeds
    return as_doubles(at if beyond < 0 else head.turn_rows + WORD * beyond * head.speeds)


@called
def answer(head, one, other):
    """How the motion of one row answers to a push on another."""
    first, second, total = row_of(head, one), row_of(head, other), 0.0
    for j in range(head.speeds):
        total += first[j] * second[j]
    return total


@called
def yields_apart(head, contact):
    """Whether a contact yields outwards to a normal force, whatever friction comes with it: then it has one motion."""
    row, square = contact * head.dimension, 0.0
    for i in range(1, head.dimension):
        square += answer(head, row, row + i) * answer(head, row, row + i)
    return coefficient(head, STATIC, contact) * math.sqrt(square) < answer(head, row, row)


@called
def push(head, row, impulse):
    """An impulse on a row, into the change of the speeds."""
    given, change = row_of(head, row), as_doubles(head.change)
    for j in range(head.speeds):
        change[j] += given[j] * impulse
    if row < head.count * head.dimension:
        as_doubles(head.impulse)[row] += impulse


@called
def begin_pushing(head):
    """Nothing has been pushed yet."""
    change, impulse = as_doubles(head.change), as_doubles(head.impulse)
    for j in range(head.speeds):
        change[j] = 0.0
    for i in range(head.count * head.dimension):
        impulse[i] = 0.0


@called
def _note_terms(head):
    """What impulses have changed the velocity of a row by is among the terms that it is the sum of."""
    impulse, terms, m = as_doubles(head.impulse), as_doubles(head.terms), head.count * head.dimension
    for i in range(m):
        size = 0.0
        for k in range(m):
            if impulse[k] != 0.0:
                size += abs(answer(head, i, k) * impulse[k])
        terms[i] = max(terms[i], size)


@called
def finish_pushing(head, state):
    """The speeds after what was pushed, and the impulses where they are told from."""
    n, change = head.speeds, as_doubles(head.change)
    solve_upper(as_doubles(head.triangle), n, change)
    u = as_doubles(state + WORD * head.coordinates)
    for j in range(n):
        u[j] += change[j]
    impulse, told = as_doubles(head.impulse), as_doubles(head.impulses)
    for i in range(head.count * head.dimension):
        told[i] += impulse[i]
    _note_terms(head)


@called
def pose_impact(head, contact, plastic, least):
    """The impact of one contact by its law, with no less friction than ``least``, but for how it yields."""
    impact, d, row, speed = as_impact(head.strike), head.dimension, contact * head.dimension, as_doubles(head.speed)
    impact.law = int(coefficient(head, LAW, contact))
    if plastic:
        impact.law = Law.PLASTIC
    impact.friction = max(least, coefficient(head, KINETIC, contact))
    impact.static_friction = max(least, coefficient(head, STATIC, contact))
    impact.restitution = 0.0 if plastic else coefficient(head, RESTITUTION, contact)
    impact.before_n, impact.before_1 = min(0.0, speed[row]), speed[row + 1]  # one that seizes may part by rounding
    impact.before_2 = speed[row + 2] if d == 3 else 0.0


@called
def _yield_alone(head, contact):
    """How a contact yields to impulses where no other does."""
    impact, row = as_impact(head.strike), contact * head.dimension
    impact.W_nn, impact.W_n1, impact.W_11 = (
        answer(head, row, row), answer(head, row, row + 1), answer(head, row + 1, row + 1),
    )  # fmt: skip
    impact.W_n2 = impact.W_12 = impact.W_22 = 0.0
    if head.dimension == 3:
        impact.W_n2, impact.W_12 = answer(head, row, row + 2), answer(head, row + 1, row + 2)
        impact.W_22 = answer(head, row + 2, row + 2)


@called
def push_impact(head, contact):
    """Work out an impact that is posed, and push by its impulse; OK, or why not."""
    impact, row = as_impact(head.strike), contact * head.dimension
    outcome = single_impact(head.strike)
    if outcome == ImpactEnd.GAIN or outcome > ImpactEnd.LOCKED:
        head.culprit = contact
        if outcome == ImpactEnd.ENDLESS:
            return Unsettled.BLOCKED
        return Unsettled.IMPACT_GAINS if outcome == ImpactEnd.GAIN else Unsettled.IMPACT_FAILED
    if outcome == ImpactEnd.LOCKED:
        tell(head, LOCKED)
    begin_pushing(head)
    push(head, row, impact.P_n)
    push(head, row + 1, impact.P_1)
    if head.dimension == 3:
        push(head, row + 2, impact.P_2)
    return OK


@called
def _strike_one(head, contact, plastic, state):
    """The impact of one contact by its law; OK, or why not."""
    pose_impact(head, contact, plastic, 0.0)
    _yield_alone(head, contact)
    status = push_impact(head, contact)
    if status == OK:
        finish_pushing(head, state)
    return status


@called
def _why_failed(head, count):
    """Why members could not be struck together: one of them approaches and cannot be moved, or something else."""
    members, speed = as_words(head.members), as_doubles(head.speed)
    for place in range(count):
        row = members[place] * head.dimension
        if speed[row] < 0.0 and answer(head, row, row) == 0.0:
            head.culprit = members[place]
            return Unsettled.BLOCKED
    return Unsettled.IMPACT_FAILED


@called
def _rim_point(head, end, number):
    """The direction of one of the points of a rim that strike for a face: the one that falls fastest, and others."""
    first, second = way_down(head, end)
    for _ in range(number):
        first, second = _DIAGONAL * (first - second), _DIAGONAL * (first + second)
    return first, second


@called
def _pose_struck(head, several, contact, end, point, plastic):
    """One contact more that strikes, or of a face a point of its rim; whether it is elastic."""
    d, n, at = head.dimension, head.speeds, several.contacts
    rows, speed, posed = as_doubles(head.rows), as_doubles(head.speed), as_doubles(several.rows)
    before = as_doubles(several.before)
    as_doubles(several.friction)[at] = coefficient(head, KINETIC, contact)
    as_words(several.laws)[at] = int(coefficient(head, LAW, contact))
    restitution = 0.0 if plastic else coefficient(head, RESTITUTION, contact)
    as_doubles(several.restitution)[at] = restitution
    for i in range(d):
        before[at * d + i] = speed[contact * d + i]
        several.known = max(several.known, _SPEED_ROUNDING * as_doubles(head.terms)[contact * d + i])
        for j in range(n):
            posed[(at * d + i) * n + j] = rows[(contact * d + i) * n + j]
    if end >= 0:
        turn = end_at(head.ends, end).turn
        first, second = _rim_point(head, end, point)
        radius, row = resistance(head, turn), as_words(head.turn_first)[turn]
        one, other = tilting(head, end)
        tilts = as_doubles(head.turn_rows + WORD * row * n)
        before[at * d] += radius * (second * one - first * other)
        for i in range(row, row + 2):
            several.known = max(several.known, _SPEED_ROUNDING * radius * as_doubles(head.turn_terms)[i])
        for j in range(n):
            posed[at * d * n + j] += radius * (second * tilts[j] - first * tilts[n + j])
    several.contacts += 1
    return restitution > 0.0


@called
def _push_rim(head, end, point, impulse):
    """What a normal impulse on a point of a rim does besides that on the middle of its face.

    What points opposite to one another do to the tilting cancels but for rounding: it is among its terms all the same.
    """
    n, change, turn = head.speeds, as_doubles(head.change), end_at(head.ends, end).turn
    row, moment, beyond = as_words(head.turn_first)[turn], resistance(head, turn) * impulse, head.count * head.dimension
    tilts = as_doubles(head.turn_rows + WORD * row * n)
    first, second = _rim_point(head, end, point)
    for j in range(n):
        change[j] += moment * (second * tilts[j] - first * tilts[n + j])
    for i in range(row, row + 2):
        one, other = answer(head, beyond + i, beyond + row), answer(head, beyond + i, beyond + row + 1)
        as_doubles(head.turn_terms)[i] += abs(moment * second * one) + abs(moment * first * other)


@called
def _pose_together(head, count, plastic):
    """The impact of several contacts at one instant, by their laws."""
    several, members = _as_several(head.several_impacts), as_words(head.members)
    several.contacts, several.known, several.driven, elastic = 0, 0.0, 0.0, False
    for place in range(count):
        end = face_at(head, members[place])
        for point in range(1 if end < 0 else RIM_POINTS):
            elastic = _pose_struck(head, several, members[place], end, point, plastic) or elastic
    several.order = head.impact_order if elastic else SIMULTANEOUS


@called
def _push_together(head, count):
    """Work out an impact that is posed, and push by its impulses; OK, or why not."""
    several, members, d = _as_several(head.several_impacts), as_words(head.members), head.dimension
    outcome = strike_several(head.several_impacts)
    if outcome == SeveralOutcome.GAINS or outcome == SeveralOutcome.FAILED:
        head.residual = as_posed(head.cone).residual
        head.culprit = members[several.culprit] if 0 <= several.culprit < count and several.contacts == count else -1
        return Unsettled.IMPACT_GAINS if outcome == SeveralOutcome.GAINS else _why_failed(head, count)
    if several.factor < 1.0:
        tell(head, CAPPED)
        telling(head)[FACTOR] = several.factor
    if outcome == SeveralOutcome.ENDED:
        tell(head, ENDED)
    if several.by_poisson != 0:
        tell(head, BY_POISSON)
    if several.locked != 0:
        tell(head, LOCKED)
    begin_pushing(head)
    impulses, at = as_doubles(several.impulses), 0
    for place in range(count):
        end = face_at(head, members[place])
        for point in range(1 if end < 0 else RIM_POINTS):
            for i in range(d):
                push(head, members[place] * d + i, impulses[at * d + i])
            if end >= 0:
                _push_rim(head, end, point, impulses[at * d])
            at += 1
    return OK


@called
def _strike_together(head, count, plastic, state):
    """The impact of several contacts at one instant; OK, or why not."""
    _pose_together(head, count, plastic)
    status = _push_together(head, count)
    if status == OK:
        finish_pushing(head, state)
    return status


@called
def push_driven(head, count, factor, slowest):
    """Push by an impact without collision of all members, with friction larger by a factor; OK, or why not."""
    several = _as_several(head.several_impacts)
    _pose_together(head, count, False)
    before, friction = as_doubles(several.before), as_doubles(several.friction)
    for at in range(several.contacts):
        friction[at] *= factor
        before[at * head.dimension] = 0.0
    several.order, several.driven = SIMULTANEOUS, max(_DRIVEN * slowest, _SURELY * several.known)
    return _push_together(head, count)


@called
def remaining_time(head, contact, alone):
    """The time that bounces of a contact would still take, by the sum of their series; negative where others take part.

    It falls with the speed v and rises with e v, again and again: 2 e v/a + 2 e^2 v/a + ..., a being its acceleration.
    """
    row, e = contact * head.dimension, coefficient(head, RESTITUTION, contact)
    fall, pull = max(0.0, -as_doubles(head.speed)[row]), -as_doubles(head.bias)[row]
    total = 2.0 * e * fall / (pull * (1.0 - e)) if e < 1.0 and pull > 0.0 else math.inf
    return total if alone else -total


@called
def fastest_member(head, count):
    """How fast the fastest of the members closes, or opens."""
    members, speed, most = as_words(head.members), as_doubles(head.speed), 0.0
    for place in range(count):
        most = max(most, abs(speed[members[place] * head.dimension]))
    return most


@called
def slip_stopped(head, contact, speed):
    """The slip that friction would have stopped in the impacts of a cluster that are left out, the first at a speed.

    They fall as 1, e, e^2, ...: normal impulses (1 + e) v/W_nn (1 + e + e^2 + ...), with friction mu as large and an
    answer of W_tt. What slips no faster did not slip before, or does so because others of the cluster were struck.
    """
    d, row, most = head.dimension, contact * head.dimension, 0.0
    for i in range(row + 1, row + d):
        most = max(most, answer(head, i, i))
    e, normal = coefficient(head, RESTITUTION, contact), answer(head, row, row)
    if e == 1.0 or normal == 0.0:
        return 0.0
    return coefficient(head, KINETIC, contact) * (1.0 + e) / (1.0 - e) * speed * most / normal


@called
def list_row(head, owner, scale, total, row):
    square = answer(head, row, row)
    owner[total], scale[total] = row, 1.0 / math.sqrt(square) if square > 0.0 else 0.0
    return total + 1


@called
def list_resting(head, cone, count, without):
    """The rows along which members are to rest, into ``owner``, with the inverse of their lengths; how many.

    None of those of a contact ``without`` which they do.
    """
    members, still, total = as_words(head.members), as_words(head.still), 0
    owner, scale = as_words(cone.owner), as_doubles(cone.step)
    for place in range(count):
        first = members[place] * head.dimension
        if members[place] == without:
            continue
        for row in range(first, first + (head.dimension if still[members[place]] == 1 else 1)):
            total = list_row(head, owner, scale, total, row)
        end = face_at(head, members[place])
        for i in range(2 if end >= 0 else 0):  # a face that rests does not tilt
            tilting_row = as_words(head.turn_first)[end_at(head.ends, end).turn] + i
            total = list_row(head, owner, scale, total, head.count * head.dimension + tilting_row)
    for turn in range(head.turns):
        contact = as_words(head.turn_contacts)[turn]
        rests = as_doubles(head.turned)[turn] == 0.0 and place_of_member(head, count, contact) >= 0
        rests = rests and contact != without
        for row in range(as_words(head.turn_first)[turn], as_words(head.turn_first)[turn + 1]):
            if rests and end_that_tilts(head, turn) < 0:
                total = list_row(head, owner, scale, total, head.count * head.dimension + row)
    return total


@called
def push_rows(head, cone, total):
    """Push along the rows that were listed so that they change by what is asked of each, on the right."""
    matrix, right, order, x = (
        as_doubles(cone.matrix), as_doubles(cone.right), as_words(cone.order), as_doubles(cone.unknowns),
    )  # fmt: skip
    owner, scale = as_words(cone.owner), as_doubles(cone.step)
    for i in range(total):
        for j in range(total):
            matrix[i * total + j] = scale[i] * scale[j] * answer(head, owner[i], owner[j])
    rank = reduce_by_rank(matrix, total, total, right, order, _NOTHING)
    basic_solution(matrix, total, rank, right, order, x)
    for i in range(total):
        push(head, owner[i], scale[i] * x[i])


@called
def bring_to_rest(head, count, state):
    """Take what is left of the normal velocities of the members, as if they were held: it is too small to tell.

    Those that are still do not begin to slip by that: their friction is as if it were held, too. Rows may nearly follow
    from others, those of corners side by side, so that relaxation would not end.
    """
    n, m, change = head.speeds, head.count * head.dimension, as_doubles(head.change)
    cone = as_posed(head.cone)
    right, owner, scale = as_doubles(cone.right), as_words(cone.owner), as_doubles(cone.step)
    total = list_resting(head, cone, count, -1)
    begin_pushing(head)
    for _ in range(_MOST_CORRECTIONS):
        largest = 0.0
        for i in range(total):
            given = row_of(head, owner[i])
            left = as_doubles(head.speed)[owner[i]] if owner[i] < m else as_doubles(head.turn_speed)[owner[i] - m]
            for j in range(n):
                left += given[j] * change[j]
            right[i], largest = -scale[i] * left, max(largest, abs(left))
        if largest <= _AT_REST:
            break
        push_rows(head, cone, total)
    finish_pushing(head, state)


@called
def strike_members(head, count, plastic, state):
    """The impact of the contacts that touch; the speeds in ``state`` change. OK, or why not."""
    if count == 1 and face_at(head, as_words(head.members)[0]) < 0:
        return _strike_one(head, as_words(head.members)[0], plastic, state)
    return _strike_together(head, count, plastic, state)
