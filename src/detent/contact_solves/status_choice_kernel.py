"""The statuses of the contacts that touch, after impacts: which stick, slip, turn or open, all together."""

from __future__ import annotations

import math
from typing import Final

from detent.contact_solves.beginning_kernel import begin_together
from detent.contact_solves.cone_frame import OPEN, SLIP, STICK
from detent.contact_solves.cone_kernel import solve_cone
from detent.contact_solves.contact_rows_kernel import KINETIC, STATIC, coefficient, read_programs, status_place
from detent.contact_solves.members_kernel import place_of_member
from detent.contact_solves.rates_kernel import accelerate, go_on
from detent.contact_solves.settle_frame import Reason
from detent.contact_solves.share_kernel import find_edges, go_ahead, guess_from_edges, hold_all, holds_by_sharing
from detent.contact_solves.turn_kernel import pose_all, turns_changed
from detent.jit.abi import OK, WORD
from detent.jit.intrinsics import as_doubles, as_words, called

_AHEAD: Final = 1e-9
_FARTHEST: Final = 1e-4
"""Where contacts that share their forces give way, what they do shows so much later, s: at first, and at most."""
_BEFORE: Final = 1e-6
"""So long before that, s, it shows which of their forces are at the edges of their cones."""
_LATER: Final = 16.0
"""Where something of them has begun to move, all that does shows so many times later."""
_SOON: Final = 1e-13
_LOOKS: Final = 6
"""It is looked so soon, s, whether what presses a contact is gone a little later, and so often."""
_NO_START: Final = 1e-12
"""An acceleration of slip is none where it is no more than this part of the largest without contacts."""
_WEAKER: Final = 1e-6
"""What no longer holds has less friction by this part where it is asked what holds beyond: by more than the rounding of
the instant makes of its forces. A slip goes back by more than this part of the largest acceleration."""
_PRESSED: Final = 1e-9
"""A contact whose force has become zero is left where its acceleration is not negative by this part of its terms."""


@called
def _let_slide(cone, place, friction):
    """From now on a contact slides, or what stands for turning turns: against what does not hold it as it is."""
    d = cone.dimension
    forces, directions = as_doubles(cone.forces), as_doubles(cone.directions)
    total = 0.0
    for i in range(1, d):
        total += forces[place * d + i] * forces[place * d + i]
    if total == 0.0:
        return False
    for i in range(d - 1):
        directions[place * (d - 1) + i] = -forces[place * d + 1 + i] / math.sqrt(total)
    as_words(cone.given)[place] = 1
    as_words(cone.statuses)[place] = SLIP
    as_doubles(cone.friction)[place] = friction
    return True


@called
def _hold_what_rests(head, cone, count):
    """Members at the edge of their cones that would begin to slip with no acceleration hold.

    Their friction just suffices, or it is one of many that would do: where forces are not unique, others are inside.
    """
    d, given, statuses, motions = (
        head.dimension,
        as_words(cone.given),
        as_words(cone.statuses),
        as_doubles(cone.motions),
    )
    for place in range(count):
        square = 0.0
        for i in range(place * d + 1, place * d + d):
            square += motions[i] * motions[i]
        if given[place] == 0 and statuses[place] == SLIP and math.sqrt(square) <= _NO_START * head.acceleration:
            statuses[place] = STICK


@called
def _weaken(head, cone, count):
    """Members that begin to slip have their kinetic friction; whether there are any for which that is less."""
    members, given, statuses = as_words(head.members), as_words(cone.given), as_words(cone.statuses)
    changed = False
    for place in range(count):
        k = members[place]
        less = coefficient(head, KINETIC, k) < coefficient(head, STATIC, k)
        if given[place] == 0 and statuses[place] == SLIP and less:
            changed = _let_slide(cone, place, coefficient(head, KINETIC, k)) or changed
    return changed


@called
def pressing(head, cone, count, contact):
    """How a contact that was left out would be accelerated by the others, and the size of the terms of that."""
    n, d, wide = head.speeds, head.dimension, cone.speeds
    rows, forces, bias = as_doubles(head.rows), as_doubles(cone.forces), as_doubles(head.bias)
    row, free, others = contact * d, as_doubles(head.free), as_doubles(cone.rows)
    gamma = as_doubles(head.geometry + WORD * head.count * d * (n + 1))
    total, across, along = bias[row], 0.0, 0.0
    for j in range(n):
        across += rows[row * n + j] * rows[row * n + j]
        along += free[j] * free[j]
    # What all that is free could come to; without loads that is nothing, and what is left is the size of accelerations.
    size = head.acceleration + abs(gamma[row]) + math.sqrt(across * along)
    for other in range(cone.contacts * d if count > 0 else 0):
        answer = 0.0
        for j in range(n):
            answer += rows[row * n + j] * others[other * wide + j]
        total += answer * forces[other]
        size += abs(answer * forces[other])
    return total, size


@called
def _is_pressed(head, cone, count, contact):
    """Whether a contact that was left out would be pressed together by the others."""
    total, size = pressing(head, cone, count, contact)
    return total < -_PRESSED * size


@called
def _broken(head, cone, count, trigger):
    """The contact of the cone problem that has just asked for more than there is, or -1, and its coefficient then."""
    if trigger.reason == Reason.BREAKS:
        return place_of_member(head, count, trigger.contact), coefficient(head, KINETIC, trigger.contact)
    if trigger.reason == Reason.GIVES and as_words(head.turn_at)[trigger.turn] >= 0:
        at = as_words(head.turn_at)[trigger.turn]
        return at, as_doubles(cone.friction)[at]
    return -1, 0.0


@called
def _goes_back(head, cone, place):
    """Whether a slip that is to begin is accelerated against its own direction."""
    d, directions, motions, along = cone.dimension, as_doubles(cone.directions), as_doubles(cone.motions), 0.0
    for i in range(d - 1):
        along += directions[place * (d - 1) + i] * motions[place * d + 1 + i]
    return along < -_WEAKER * head.acceleration


@called
def _solve_beyond(cone, place, static, kinetic):
    """What all do where a contact holds no more, and does not slide against what held it; what the cone solver says.

    The motion that held has come to its end then, and what follows is not near it. With a little less friction it is no
    solution any more, as it is none a little later: what is one there is taken, with the friction that there is.
    """
    as_words(cone.given)[place] = 0
    as_doubles(cone.friction)[place] = (1.0 - _WEAKER) * static
    outcome = solve_cone(cone)
    unsteady = cone.unsteady
    as_doubles(cone.friction)[place] = static
    if outcome == OK:
        if as_words(cone.statuses)[place] == SLIP:
            _let_slide(cone, place, kinetic)
        outcome = solve_cone(cone)
        cone.unsteady = max(cone.unsteady, unsteady)
    return outcome


@called
def _let_go(head, cone, place, kinetic):
    """A contact that no longer holds slides against what held it, unless it would go back at once; what is said."""
    static = as_doubles(cone.friction)[place]
    if not _let_slide(cone, place, kinetic):
        return OK
    outcome = solve_cone(cone)
    if outcome == OK and _goes_back(head, cone, place):
        outcome = _solve_beyond(cone, place, static, kinetic)
    return outcome


@called
def _list_those_that_begin(head, cone, count):
    """The members that are still, in space; how many begin to slide, and none where turning is resisted too."""
    begins, statuses, still, many = as_words(cone.begins), as_words(cone.statuses), as_words(head.still), 0
    for place in range(count if cone.dimension == 3 and cone.contacts == count else 0):
        rubs, rested = as_doubles(cone.friction)[place] > 0.0, still[as_words(head.members)[place]] == 1
        begins[place] = 1 if rubs and rested and statuses[place] != OPEN else 0
        many += 1 if begins[place] == 1 and statuses[place] == SLIP else 0
    return many


@called
def solve_members(head, cone, count, trigger, values):
    """The statuses of the members, and which of them turn; what the cone solver says."""
    pose_all(head, cone, count, values, True)
    if count == 0:
        return OK
    goes_on = trigger.reason == Reason.ENDS or trigger.reason == Reason.TURNS
    if goes_on and holds_by_sharing(head, cone, values):
        return OK
    guess_from_edges(head, cone)
    outcome = solve_cone(cone)
    _hold_what_rests(head, cone, count)
    own, friction = _broken(head, cone, count, trigger)
    if own >= 0 and outcome == OK:
        outcome = _let_go(head, cone, own, friction)
    for _ in range(count):
        if outcome != OK or not _weaken(head, cone, count):
            break
        outcome = solve_cone(cone)
        _hold_what_rests(head, cone, count)
    if outcome == OK and _list_those_that_begin(head, cone, count) > 0:
        begin_together(cone)
    return outcome


@called
def _pressing_later(head, cone, count, contact, trigger, time, values, out, ahead):
    """How a contact that was left out would be accelerated a little later, and whether that is known.

    Forces are those of the motion there: where a slip is slow its direction turns at once, and its friction with it.
    """
    pushing = head.dimension * cone.contacts if count > 0 else 0
    accelerate(head, as_doubles(cone.rows), cone.speeds, as_doubles(cone.forces), pushing)
    go_on(head, out, ahead)
    known, then = read_programs(head, time + ahead, head.later, values) == OK, 0.0
    if known:
        known = solve_members(head, cone, count, trigger, values) == OK
        then, _ = pressing(head, cone, count, contact)
    read_programs(head, time, out, values)
    solve_members(head, cone, count, trigger, values)
    return then, known


@called
def _is_drawn_off(head, cone, count, contact, trigger, time, values, out):
    """Whether what seems to press a contact whose force has become zero is what is left where loads cancel.

    Then it is gone a little later, as the force went on to fall: whatever was the size of the loads, and however fast
    it fell, for the instant is known to the rounding of the time.
    """
    total, _ = pressing(head, cone, count, contact)
    ahead = _SOON * max(1.0, abs(time))
    for _ in range(_LOOKS):
        then, known = _pressing_later(head, cone, count, contact, trigger, time, values, out, ahead)
        if not known or abs(then - total) > 0.5 * abs(total):
            return known and then > total
        ahead *= _LATER
    return False


@called
def _may_be_open(head, contact, trigger, values):
    """Whether a member may be left out if nothing presses it: it lifts off, or it only touches."""
    if contact == trigger.contact:
        return trigger.reason == Reason.LIFTS
    return as_doubles(values + WORD * head.first_discrete)[status_place(head, contact)] == 0.0


@called
def _set_apart(head, count, trigger, values):
    """The members that must be, first, then those that may be open; how many of the first."""
    members, firm = as_words(head.members), 0
    for place in range(count):
        contact = members[place]
        if not _may_be_open(head, contact, trigger, values):
            for back in range(place, firm, -1):
                members[back] = members[back - 1]
            members[firm] = contact
            firm += 1
    return firm


@called
def choose_statuses(head, cone, count, trigger, time, values, out):
    """The statuses of all that touch; how many do, and what the cone solver says.

    What was open, or lifts off, is left out until the others press it: no status changes without need.
    """
    if trigger.reason == Reason.STARTS:
        return count, solve_members(head, cone, count, trigger, values)
    members = as_words(head.members)
    closed = _set_apart(head, count, trigger, values)
    outcome = solve_members(head, cone, closed, trigger, values)
    while outcome == OK and closed < count:
        before = closed
        for place in range(before, count):
            contact = members[place]
            pressed = _is_pressed(head, cone, before, contact)
            if pressed and contact == trigger.contact and trigger.reason == Reason.LIFTS:
                pressed = not _is_drawn_off(head, cone, before, contact, trigger, time, values, out)
            if pressed:
                members[place], members[closed] = members[closed], contact
                closed += 1
        if closed == before:
            break
        outcome = solve_members(head, cone, closed, trigger, values)
    if outcome != OK and closed < count:
        closed = count
        outcome = solve_members(head, cone, count, trigger, values)
    return closed, outcome


@called
def _changed(cone, count, values, head):
    """Whether statuses have come out that are not those which held."""
    discrete = as_doubles(values + WORD * head.first_discrete)
    members, statuses, other = as_words(head.members), as_words(cone.statuses), False
    for place in range(count):
        other = other or discrete[status_place(head, members[place])] != statuses[place]
    return other or turns_changed(head, cone, values)


@called
def _hold_later(head, cone, trigger, values):
    """The statuses of all that is not open, where programs were read for later; how many, and what the solver says."""
    count = hold_all(head, values)
    return count, solve_members(head, cone, count, trigger, values)


@called
def _read_later(head, cone, time, values, out, ahead):
    """Whether what contacts are like a little later is known, if they go on to hold."""
    go_ahead(head, cone, time, values, out, ahead)
    return read_programs(head, time + ahead, head.later, values) == OK


@called
def give_way(head, cone, trigger, time, values, out):
    """Contacts that share their forces no longer hold: what they do instead shows a little later.

    What moves at first sight may not be all: others show a little later still. Where all holds again by then, for the
    slip of something else has ended, what was seen first counts. How many touch, and what the cone solver says.
    """
    ahead, seen, count, outcome = _AHEAD * max(1.0, abs(time)), 0.0, 0, OK
    find_edges(head, cone, time, values, out, _BEFORE * max(1.0, abs(time)))
    while ahead < _FARTHEST and _read_later(head, cone, time, values, out, ahead):
        count, outcome = _hold_later(head, cone, trigger, values)
        changed = outcome != OK or _changed(cone, count, values, head)
        if seen > 0.0 and not changed and _read_later(head, cone, time, values, out, seen):
            count, outcome = _hold_later(head, cone, trigger, values)
        if seen > 0.0 or outcome != OK:
            break
        seen = ahead if changed else 0.0
        ahead *= _LATER if changed else 4.0
    head.edge_count = 0
    return count, outcome
