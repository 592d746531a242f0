"""Impacts of the contacts that touch at an instant, and the impact without collision where friction allows no motion.

Here are only the hand-over and the speeds that change; the laws are in the kernels of single and of several impacts.
"""

from __future__ import annotations

import math
from typing import Final

from detent.algebra.factorisation_kernel import solve_upper
from detent.algebra.rank_kernel import basic_solution, reduce_by_rank
from detent.contact_solves.cone_frame import SLIP
from detent.contact_solves.contact_rows_kernel import KINETIC, LAW, RESTITUTION, STATIC, as_posed, coefficient
from detent.contact_solves.impact_kernel import single_impact
from detent.contact_solves.settle_frame import (
    ANGLE,
    BY_POISSON,
    CAPPED,
    COEFFICIENT,
    ENDED,
    FACTOR,
    LOCKED,
    PARTS,
    PLACE,
    SEIZED,
    SEVERAL,
    TOLD,
    Unsettled,
)
from detent.contact_solves.several_impacts_frame import SEVERAL_IMPACTS, SIMULTANEOUS, SeveralOutcome
from detent.contact_solves.several_impacts_kernel import strike_several
from detent.contact_solves.single_impact_frame import SINGLE_IMPACT, ImpactEnd, Law
from detent.jit.abi import EPSILON, OK, WORD
from detent.jit.intrinsics import as_doubles, as_words, called, record_reader

_MOST_CORRECTIONS: Final = 4
_AT_REST: Final = 1e-14
"""A velocity, m/s, after which nothing more is taken away."""
_NOTHING: Final = 1e-12
"""A pivot this small is none, where rows have length one."""
_SPEED_ROUNDING: Final = 8.0 * EPSILON
"""What a velocity is known to, as a part of the terms it is the sum of."""

_BEYOND: Final = 1e-9
"""A contact seizes by a coefficient that is larger by this part than the one at which it could just go on."""
_NEARLY: Final = 1e-6
"""Its own coefficient must not be smaller than that by more than this part."""

_PARTS: Final = 1e-9
"""A contact without a force parts where its acceleration is more than this part of the largest."""

_as_several: Final = record_reader(SEVERAL_IMPACTS)
_as_impact: Final = record_reader(SINGLE_IMPACT)


@called
def telling(head):
    """Where it is told what is worth telling."""
    return as_doubles(head.impulses + WORD * head.count * head.dimension)


@called
def tell(head, flag):
    """Something happened that is worth telling."""
    numbers = telling(head)
    numbers[TOLD] = float(int(numbers[TOLD]) | flag)


@called
def _answer(head, one, other):
    """How the motion of one row answers to a push on another."""
    rows, n, total = as_doubles(head.rows), head.speeds, 0.0
    for j in range(n):
        total += rows[one * n + j] * rows[other * n + j]
    return total


@called
def yields_apart(head, contact):
    """Whether a contact yields outwards to a normal force, whatever friction comes with it: then it has one motion."""
    row, square = contact * head.dimension, 0.0
    for i in range(1, head.dimension):
        square += _answer(head, row, row + i) * _answer(head, row, row + i)
    return coefficient(head, STATIC, contact) * math.sqrt(square) < _answer(head, row, row)


@called
def _push(head, row, impulse):
    """An impulse on a row, into the change of the speeds."""
    rows, change = as_doubles(head.rows), as_doubles(head.change)
    for j in range(head.speeds):
        change[j] += rows[row * head.speeds + j] * impulse
    as_doubles(head.impulse)[row] += impulse


@called
def _begin(head):
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
                size += abs(_answer(head, i, k) * impulse[k])
        terms[i] = max(terms[i], size)


@called
def _finish(head, state):
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
def _strike_one(head, contact, plastic, least, state):
    """The impact of one contact by its law, with no less friction than ``least``; OK, or why not."""
    impact, d, row = _as_impact(head.strike), head.dimension, contact * head.dimension
    speed = as_doubles(head.speed)
    impact.law = int(coefficient(head, LAW, contact))
    if plastic:
        impact.law = Law.PLASTIC
    impact.friction = max(least, coefficient(head, KINETIC, contact))
    impact.static_friction = max(least, coefficient(head, STATIC, contact))
    impact.restitution = 0.0 if plastic else coefficient(head, RESTITUTION, contact)
    impact.W_nn, impact.W_n1, impact.W_11 = (
        _answer(head, row, row), _answer(head, row, row + 1), _answer(head, row + 1, row + 1),
    )  # fmt: skip
    impact.before_n, impact.before_1 = min(0.0, speed[row]), speed[row + 1]  # one that seizes may part by rounding
    impact.W_n2 = impact.W_12 = impact.W_22 = impact.before_2 = 0.0
    if d == 3:
        impact.W_n2, impact.W_12 = _answer(head, row, row + 2), _answer(head, row + 1, row + 2)
        impact.W_22, impact.before_2 = _answer(head, row + 2, row + 2), speed[row + 2]
    outcome = single_impact(head.strike)
    if outcome == ImpactEnd.GAIN or outcome > ImpactEnd.LOCKED:
        head.culprit = contact
        if outcome == ImpactEnd.ENDLESS:
            return Unsettled.BLOCKED
        return Unsettled.IMPACT_GAINS if outcome == ImpactEnd.GAIN else Unsettled.IMPACT_FAILED
    if outcome == ImpactEnd.LOCKED:
        tell(head, LOCKED)
    _begin(head)
    _push(head, row, impact.P_n)
    _push(head, row + 1, impact.P_1)
    if d == 3:
        _push(head, row + 2, impact.P_2)
    _finish(head, state)
    return OK


@called
def _why_failed(head, count):
    """Why members could not be struck together: one of them approaches and cannot be moved, or something else."""
    members, speed = as_words(head.members), as_doubles(head.speed)
    for place in range(count):
        row = members[place] * head.dimension
        if speed[row] < 0.0 and _answer(head, row, row) == 0.0:
            head.culprit = members[place]
            return Unsettled.BLOCKED
    return Unsettled.IMPACT_FAILED


@called
def _strike_together(head, count, plastic, state):
    """The impact of several contacts at one instant; OK, or why not."""
    several, members, d, n = _as_several(head.several_impacts), as_words(head.members), head.dimension, head.speeds
    rows, speed, posed = as_doubles(head.rows), as_doubles(head.speed), as_doubles(several.rows)
    before, friction = as_doubles(several.before), as_doubles(several.friction)
    restitution, laws, elastic = as_doubles(several.restitution), as_words(several.laws), False
    several.contacts, several.known = count, 0.0
    for place in range(count):
        k = members[place]
        friction[place], laws[place] = coefficient(head, KINETIC, k), int(coefficient(head, LAW, k))
        restitution[place] = 0.0 if plastic else coefficient(head, RESTITUTION, k)
        elastic = elastic or restitution[place] > 0.0
        for i in range(d):
            before[place * d + i] = speed[k * d + i]
            several.known = max(several.known, _SPEED_ROUNDING * as_doubles(head.terms)[k * d + i])
            for j in range(n):
                posed[(place * d + i) * n + j] = rows[(k * d + i) * n + j]
    several.order = head.impact_order if elastic else SIMULTANEOUS
    outcome = strike_several(head.several_impacts)
    if outcome == SeveralOutcome.GAINS or outcome == SeveralOutcome.FAILED:
        head.residual = as_posed(head.cone).residual
        head.culprit = members[several.culprit] if 0 <= several.culprit < count else -1
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
    _begin(head)
    impulses = as_doubles(several.impulses)
    for place in range(count):
        for i in range(d):
            _push(head, members[place] * d + i, impulses[place * d + i])
    _finish(head, state)
    return OK


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
    d, row, answer = head.dimension, contact * head.dimension, 0.0
    for i in range(row + 1, row + d):
        answer = max(answer, _answer(head, i, i))
    e, normal = coefficient(head, RESTITUTION, contact), _answer(head, row, row)
    if e == 1.0 or normal == 0.0:
        return 0.0
    return coefficient(head, KINETIC, contact) * (1.0 + e) / (1.0 - e) * speed * answer / normal


@called
def _list_resting(head, cone, count):
    """The rows along which members are to rest, into ``owner``, with the inverse of their lengths; how many."""
    members, still, total = as_words(head.members), as_words(head.still), 0
    owner, scale = as_words(cone.owner), as_doubles(cone.step)
    for place in range(count):
        first = members[place] * head.dimension
        for row in range(first, first + (head.dimension if still[members[place]] == 1 else 1)):
            square = _answer(head, row, row)
            owner[total], scale[total] = row, 1.0 / math.sqrt(square) if square > 0.0 else 0.0
            total += 1
    return total


@called
def bring_to_rest(head, count, state):
    """Take what is left of the normal velocities of the members, as if they were held: it is too small to tell.

    Those that are still do not begin to slip by that: their friction is as if it were held, too. Rows may nearly follow
    from others, those of corners side by side, so that relaxation would not end.
    """
    n, rows, speed, change = head.speeds, as_doubles(head.rows), as_doubles(head.speed), as_doubles(head.change)
    cone = as_posed(head.cone)
    matrix, right, order, x = (
        as_doubles(cone.matrix), as_doubles(cone.right), as_words(cone.order), as_doubles(cone.unknowns),
    )  # fmt: skip
    owner, scale = as_words(cone.owner), as_doubles(cone.step)
    total = _list_resting(head, cone, count)
    _begin(head)
    for _ in range(_MOST_CORRECTIONS):
        largest = 0.0
        for i in range(total):
            left = speed[owner[i]]
            for j in range(n):
                left += rows[owner[i] * n + j] * change[j]
            right[i], largest = -scale[i] * left, max(largest, abs(left))
            for j in range(total):
                matrix[i * total + j] = scale[i] * scale[j] * _answer(head, owner[i], owner[j])
        if largest <= _AT_REST:
            break
        rank = reduce_by_rank(matrix, total, total, right, order, _NOTHING)
        basic_solution(matrix, total, rank, right, order, x)
        for i in range(total):
            _push(head, owner[i], scale[i] * x[i])
    _finish(head, state)


@called
def strike_members(head, count, plastic, state):
    """The impact of the contacts that touch; the speeds in ``state`` change. OK, or why not."""
    if count == 1:
        return _strike_one(head, as_words(head.members)[0], plastic, 0.0, state)
    return _strike_together(head, count, plastic, state)


@called
def slide_without_collision(head, cone, count, state):
    """Where friction leaves no acceleration to a contact that slides, let it seize: an impact without collision.

    Whether there is such a contact.
    """
    members, given, found = as_words(head.members), as_words(cone.given), -1
    for place in range(count):
        if given[place] == 1 and found < 0:
            found = members[place]
    if 0 <= cone.culprit < count and given[cone.culprit] == 1:
        found = members[cone.culprit]
    if found < 0:
        return False
    return _seize(head, found, 0.0, state)


@called
def leaves_a_paradox(head, cone, count, outcome):
    """Whether the only contact may slide on or lift off, by a force that would draw it in: then it lifts off.

    Without a force it parts, and with one it yields inwards (W_nn < mu W_nt). So it could slide, but the least change
    of that force grows without bound; nothing follows such a motion.
    """
    if outcome != OK or count != 1 or cone.contacts != 1 or as_words(cone.statuses)[0] != SLIP:
        return False
    parts = as_doubles(head.bias)[as_words(head.members)[0] * head.dimension]
    leaves = as_words(cone.given)[0] == 1 and parts > _PARTS * head.acceleration and as_doubles(cone.forces)[0] > 0.0
    if leaves:
        tell(head, SEVERAL)
        tell(head, PARTS)
    return leaves


@called
def _seize(head, contact, least, state):
    """An impact without collision of a contact that slides, with no less friction than ``least``; whether it was."""
    tell(head, SEIZED)
    head.culprit = contact
    row, told, square = contact * head.dimension, telling(head), 0.0
    for i in range(1, head.dimension):
        square += _answer(head, row, row + i) * _answer(head, row, row + i)
    told[PLACE], told[COEFFICIENT] = float(contact), coefficient(head, KINETIC, contact)
    told[ANGLE] = math.atan2(math.sqrt(square), _answer(head, row, row))
    return _strike_one(head, contact, False, least, state) == OK


@called
def seize_at_the_boundary(head, contact, near, state):
    """Let a contact seize that slides to where friction will leave it no acceleration; whether it was there.

    A normal force N with its friction moves it by (W_nn - mu W_nt) N, W_nt along the slip: where that is to vanish, N
    grows without bound, and in a time below rounding the slip is over. With ``near`` it must be as near as that.
    """
    row, speed, slip, across = contact * head.dimension, as_doubles(head.speed), 0.0, 0.0
    for i in range(row + 1, row + head.dimension):
        slip += speed[i] * speed[i]
        across += speed[i] * _answer(head, row, i)
    if not across > 0.0:
        return False
    bound = _answer(head, row, row) * math.sqrt(slip) / across
    if near and bound > (1.0 + _NEARLY) * coefficient(head, KINETIC, contact):
        return False
    return _seize(head, contact, (1.0 + _BEYOND) * bound, state)
