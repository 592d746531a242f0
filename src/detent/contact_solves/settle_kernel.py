"""What contacts do after an instant: impacts first, then the statuses of all that touch, together."""

from __future__ import annotations

import math
from typing import Final

from detent.contact_solves.box_choice_kernel import choose_features, name_struck, tell_features
from detent.contact_solves.cone_frame import NONE, SLIP, STICK
from detent.contact_solves.cone_frame import NOT_CONVERGED as CONE_NOT_CONVERGED
from detent.contact_solves.cone_kernel import look_for_others, solve_cone
from detent.contact_solves.contact_rows_kernel import (
    KINETIC,
    NEAR,
    RESTITUTION,
    ROUNDING,
    STATIC,
    as_posed,
    as_settled,
    as_trigger,
    coefficient,
    read_programs,
    resistance,
    slip_of,
    slip_place,
    small,
    status_place,
)
from detent.contact_solves.enumeration_kernel import is_quickly_counted
from detent.contact_solves.members_kernel import (
    gather,
    is_slow,
    leave_those_that_separate,
    place_of_member,
)
from detent.contact_solves.settle_frame import REMAINING, SEVERAL, TELLING, Reason, Unsettled
from detent.contact_solves.settle_impact_kernel import (
    bring_to_rest,
    fastest_member,
    leaves_a_paradox,
    remaining_time,
    seize_at_the_boundary,
    slide_without_collision,
    slip_stopped,
    strike_members,
    tell,
    telling,
    yields_apart,
)
from detent.contact_solves.share_kernel import find_edges, go_ahead, guess_from_edges, hold_all, holds_by_sharing
from detent.contact_solves.turn_kernel import contact_of, judge_turns, pose_all, turns_changed
from detent.contact_solves.write_statuses_kernel import write_statuses
from detent.jit.abi import OK, WORD
from detent.jit.intrinsics import ADDRESSES, as_doubles, as_words, called, kernel

_STOPS: Final = 1e-10
"""Where one slip ends, or impacts have accumulated, others end too that are no faster than what they gain in this part
of the time."""
_NONE_STOPPED: Final = -1.0
"""No contacts have accumulated together."""
_ASIDE: Final = 2.5
"""A slip in space has ended where what is left of it lies aside of its last, straight way: it is no faster then than
twice what was near its end, for there it would not be straight any more."""
_AHEAD: Final = 1e-9
_FARTHEST: Final = 1e-4
"""Where contacts that share their forces give way, what they do shows so much later, s: at first, and at most."""
_BEFORE: Final = 1e-6
"""So long before that, s, it shows which of their forces are at the edges of their cones."""
_LATER: Final = 16.0
"""Where something of them has begun to move, all that does shows so many times later."""
_NO_START: Final = 1e-12
"""An acceleration of slip is none where it is no more than this part of the largest without contacts."""
_PRESSED: Final = 1e-9
"""A contact whose force has become zero is left where its acceleration is not negative by this part of its terms."""


@called
def _check_laws(head, count):
    """That all coefficients of members are what they may be; those of others may be laws of where they would touch."""
    members = as_words(head.members)
    for place in range(count):
        k = members[place]
        kinetic, static = coefficient(head, KINETIC, k), coefficient(head, STATIC, k)
        restitution = coefficient(head, RESTITUTION, k)
        good = 0.0 <= kinetic <= static < math.inf and 0.0 <= restitution <= 1.0
        if not good:
            head.culprit = k
            return Unsettled.BAD_LAW
    for i in range(head.turns):
        contact = as_words(head.turn_contacts)[i]
        if place_of_member(head, count, contact) >= 0 and not 0.0 <= resistance(head, i) < math.inf:
            head.culprit = contact
            return Unsettled.BAD_LAW
    return OK


@called
def _judge(head, count, trigger, time, values, struck, stopped):
    """What the velocities say: which members do not slip, and which of them turn.

    ``stopped`` is how fast members were that have accumulated together; negative where none have.
    """
    _judge_slip(head, count, trigger, time, values, struck, stopped)
    judge_turns(head, trigger, time, values, struck)


@called
def _judge_slip(head, count, trigger, time, values, struck, stopped):
    """For each member whether its slip is zero: because it was, because it has just ended, or by its size."""
    statuses = as_doubles(values + WORD * head.first_discrete)
    members, still = as_words(head.members), as_words(head.still)
    for place in range(count):
        k = members[place]
        slip, terms = slip_of(head, k)
        before = statuses[status_place(head, k)]
        ends = k == trigger.contact and trigger.reason == Reason.ENDS and head.seizing == 0
        slowly = _STOPS if trigger.reason == Reason.ENDS or stopped >= 0.0 else ROUNDING
        least = slip_stopped(head, k, stopped) if stopped > 0.0 else 0.0
        still[k] = 1 if slip <= max(least, slowly * (terms + abs(time) * head.acceleration)) else 0
        if not struck and before == STICK:
            still[k] = 1
        elif not struck and before == SLIP and ends:
            still[k] = 1 if head.dimension == 2 or slip <= _ASIDE * statuses[slip_place(head, k, NEAR)] else still[k]
        elif not struck and before == SLIP and trigger.reason != Reason.ENDS:
            still[k] = 0
        if coefficient(head, STATIC, k) == 0.0:
            still[k] = 0


@called
def _count_still(head, count):
    members, still, total = as_words(head.members), as_words(head.still), 0
    for place in range(count):
        total += still[members[place]]
    return total


# -- statuses -------------------------------------------------------------------------------------------


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
def _is_pressed(head, cone, count, contact):
    """Whether a contact that was left out would be pressed together by the others."""
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
def _solve(head, cone, count, trigger, values):
    """The statuses of the members, and which of them turn; what the cone solver says."""
    pose_all(head, cone, count, values, True)
    if count == 0:
        return OK
    if trigger.reason == Reason.ENDS and holds_by_sharing(head, cone, values):
        return OK
    guess_from_edges(head, cone)
    outcome = solve_cone(cone)
    _hold_what_rests(head, cone, count)
    own, friction = _broken(head, cone, count, trigger)
    if own >= 0 and outcome == OK and _let_slide(cone, own, friction):
        outcome = solve_cone(cone)
    for _ in range(count):
        if outcome != OK or not _weaken(head, cone, count):
            break
        outcome = solve_cone(cone)
        _hold_what_rests(head, cone, count)
    return outcome


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
def _choose(head, cone, count, trigger, values):
    """The statuses of all that touch; how many do, and what the cone solver says.

    What was open, or lifts off, is left out until the others press it: no status changes without need.
    """
    if trigger.reason == Reason.STARTS:
        return count, _solve(head, cone, count, trigger, values)
    members = as_words(head.members)
    closed = _set_apart(head, count, trigger, values)
    outcome = _solve(head, cone, closed, trigger, values)
    while outcome == OK and closed < count:
        before = closed
        for place in range(before, count):
            contact = members[place]
            if _is_pressed(head, cone, before, contact):
                members[place], members[closed] = members[closed], contact
                closed += 1
        if closed == before:
            break
        outcome = _solve(head, cone, closed, trigger, values)
    if outcome != OK and closed < count:
        closed = count
        outcome = _solve(head, cone, count, trigger, values)
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
def _give_way(head, cone, trigger, time, values, out):
    """Contacts that share their forces no longer hold: what they do instead shows a little later.

    What moves at first sight may not be all: others show a little later still. How many touch, and what the cone solver
    says.
    """
    ahead, count, outcome, changed = _AHEAD * max(1.0, abs(time)), 0, OK, False
    find_edges(head, cone, time, values, out, _BEFORE * max(1.0, abs(time)))
    while ahead < _FARTHEST:
        go_ahead(head, cone, time, values, out, ahead)
        if read_programs(head, time + ahead, head.later, values) != OK:
            break
        count = hold_all(head, values)
        outcome = _solve(head, cone, count, trigger, values)
        if outcome != OK or changed:
            break
        changed = _changed(cone, count, values, head)
        ahead *= _LATER if changed else 4.0
    head.edge_count = 0
    return count, outcome


@called
def _tell(head, cone, count, outcome, trigger):
    """Keep what is worth telling of a cone problem; a slip that only turns asks for nothing new."""
    if count == 0:
        return
    head.residual = cone.residual
    head.culprit = contact_of(head, count, cone.culprit) if cone.culprit >= 0 else -1
    alone = as_words(head.members)[0] if cone.contacts == 1 else -1
    looks = outcome == OK and is_quickly_counted(cone) and trigger.reason != Reason.TURNS
    if looks and not (alone >= 0 and yields_apart(head, alone)):
        look_for_others(cone)
        if cone.several != 0:
            tell(head, SEVERAL)


@called
def _seize_at_the_boundary(head, cone, trigger, time, values, out, count):
    """A contact seizes that slides to where its friction will leave it no acceleration.

    How many touch afterwards, and what the cone solver says.
    """
    near, head.seizing = head.seizing < 0, 0
    if not seize_at_the_boundary(head, trigger.contact, near, out) or read_programs(head, time, out, values) != OK:
        return count, CONE_NOT_CONVERGED
    count = leave_those_that_separate(head, count, time)
    _judge(head, count, trigger, time, values, True, _NONE_STOPPED)
    return count, _solve(head, cone, count, trigger, values)


@called
def _strike(head, time, values, out, count, plastic):
    """The impact of the members, and all that follows from the speeds after it; OK, or why not."""
    status = strike_members(head, count, plastic, out)
    return read_programs(head, time, out, values) if status == OK else status


@called
def _bring_to_rest(head, count, trigger, time, values, out, stopped):
    """Members that have accumulated come to rest, and what they slip no more by that; OK, or why not.

    What is taken from some may leave others so slow that they count as still: then it is taken from them too.
    """
    before, status = -1, OK
    for _ in range(count + 2):
        _judge(head, count, trigger, time, values, True, stopped)
        now = _count_still(head, count)
        if now == before:
            break
        bring_to_rest(head, count, out)
        status = read_programs(head, time, out, values)
        if status != OK:
            break
        before = now
    return status


@called
def _drifts(head, count, time, values):
    """Whether a contact that held moves by more than rounding: not all formulations hold it as well."""
    statuses, members = as_doubles(values + WORD * head.first_discrete), as_words(head.members)
    speed, drifts = as_doubles(head.speed), False
    for place in range(count):
        row = members[place] * head.dimension
        held = statuses[status_place(head, members[place])] > 0.0
        drifts = drifts or (held and abs(speed[row]) > small(head, row, time))
    return drifts


@called
def _settle(head, trigger, time, values, out, discrete):
    """Settle all contacts at the state ``out``, in place; OK, or why that cannot be."""
    terms = as_doubles(head.terms)
    for i in range(head.count * head.dimension):
        terms[i] = 0.0
    for i in range(head.turns):
        as_doubles(head.turn_terms)[i] = 0.0
    status = read_programs(head, time, out, values)
    if status != OK:
        return status
    name_struck(head, trigger, values)
    slow = trigger.reason == Reason.CLOSES and is_slow(head, trigger.contact, time)
    count, collides = gather(head, trigger, time, out, values, slow)
    if slow and place_of_member(head, count, trigger.contact) < 0:  # another one holds what it would be held by
        slow = False
        count, collides = gather(head, trigger, time, out, values, slow)
    if count < 0:
        return Unsettled.OVERLAPS
    status = _check_laws(head, count)
    if status != OK:
        return status
    stopped = _NONE_STOPPED
    if slow:
        telling(head)[REMAINING] = remaining_time(head, trigger.contact, count == 1)
        stopped = fastest_member(head, count) if count > 1 else 0.0
    if collides:
        status = _strike(head, time, values, out, count, slow)
        if status != OK:
            return status
    if slow:
        status = _bring_to_rest(head, count, trigger, time, values, out, stopped)
        if status != OK:
            return status
    else:
        if collides:
            count = leave_those_that_separate(head, count, time)
        _judge(head, count, trigger, time, values, collides, stopped)
        if not collides and _drifts(head, count, time, values):
            bring_to_rest(head, count, out)
            status = read_programs(head, time, out, values)
            if status != OK:
                return status
    cone = as_posed(head.cone)
    if head.seizing != 0:
        count, outcome = _seize_at_the_boundary(head, cone, trigger, time, values, out, count)
    elif trigger.reason == Reason.YIELDS:
        count, outcome = _give_way(head, cone, trigger, time, values, out)
    else:
        if not collides and not slow:
            count, outcome = _choose(head, cone, count, trigger, values)
        else:
            outcome = _solve(head, cone, count, trigger, values)
    for _ in range(head.count):
        if outcome != NONE:
            break
        if not slide_without_collision(head, cone, count, out):
            break
        status = read_programs(head, time, out, values)
        if status != OK:
            return status
        count = leave_those_that_separate(head, count, time)
        _judge(head, count, trigger, time, values, True, _NONE_STOPPED)
        outcome = _solve(head, cone, count, trigger, values)
    if leaves_a_paradox(head, cone, count, outcome):
        count = 0
    _tell(head, cone, count, outcome, trigger)
    if outcome != OK:
        return Unsettled.NOT_CONVERGED if outcome == CONE_NOT_CONVERGED else Unsettled.NO_STATUS
    as_doubles(discrete)[head.discrete_count] = 1.0 if slow else 0.0
    write_statuses(head, cone, count, values, discrete)
    tell_features(head, discrete)
    return OK


@called
def _switch_loads(head, values):
    """Loads act as they will after the instant: which do decides what contacts do."""
    acts, given = as_doubles(values + WORD * (head.first_discrete + head.discrete_count)), as_doubles(head.switches)
    for i in range(head.switch_count):
        acts[i] = given[i]


@kernel(ADDRESSES)
def settle(context, time, state, values, out):
    """out = the state after all that happens to contacts at an instant, then the discrete states."""
    trigger = as_trigger(context)
    head = as_settled(trigger.settled)
    width = head.coordinates + head.speeds + head.signals + 1
    given, result = as_doubles(state), as_doubles(out)
    before = as_doubles(values + WORD * head.first_discrete)
    for i in range(width):
        result[i] = given[i]
    status = choose_features(head, trigger, time, state, values)
    if status != OK:
        return status
    for i in range(head.discrete_count):
        result[width + i] = before[i]
    impulses = as_doubles(head.impulses)
    for i in range(head.count * head.dimension + len(TELLING)):
        impulses[i] = 0.0
    _switch_loads(head, values)
    return _settle(head, trigger, time, values, out, out + WORD * width)
