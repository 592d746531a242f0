"""What contacts do after an instant: impacts first, then the statuses of all that touch, together."""

from __future__ import annotations

import math
from typing import Final

from detent.contact_solves.aligning_kernel import align
from detent.contact_solves.box_choice_kernel import choose_features, name_struck, tell_features
from detent.contact_solves.cone_frame import NONE
from detent.contact_solves.cone_frame import NOT_CONVERGED as CONE_NOT_CONVERGED
from detent.contact_solves.cone_kernel import look_for_others
from detent.contact_solves.contact_rows_kernel import (
    KINETIC,
    RESTITUTION,
    STATIC,
    as_posed,
    as_settled,
    as_trigger,
    coefficient,
    read_programs,
    resistance,
    small,
    status_place,
)
from detent.contact_solves.enumeration_kernel import is_quickly_counted
from detent.contact_solves.flat_end_kernel import face_at, falls, forget_tips, name_end
from detent.contact_solves.jamming_kernel import seize_together
from detent.contact_solves.judging_kernel import NONE_STOPPED, count_still, judge
from detent.contact_solves.laying_kernel import lay_flat
from detent.contact_solves.members_kernel import (
    gather,
    is_slow,
    leave_those_that_separate,
    place_of_member,
)
from detent.contact_solves.seizing_kernel import seize_at_the_boundary, slide_without_collision
from detent.contact_solves.settle_frame import REMAINING, SEVERAL, STRUCK, TELLING, UNSTEADY, Reason, Seizing, Unsettled
from detent.contact_solves.settle_impact_kernel import (
    bring_to_rest,
    fastest_member,
    remaining_time,
    strike_members,
    tell,
    telling,
    yields_apart,
)
from detent.contact_solves.status_choice_kernel import choose_statuses, give_way, solve_members
from detent.contact_solves.tipping_kernel import lean_on_rims, tip_over
from detent.contact_solves.turn_kernel import contact_of
from detent.contact_solves.write_statuses_kernel import write_statuses
from detent.jit.abi import OK, WORD
from detent.jit.intrinsics import ADDRESSES, as_doubles, as_words, called, inlined, kernel

_MOST_STRIKES: Final = 60
"""So often points of a rim strike at one instant until none of it falls."""


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
def _tell(head, cone, count, outcome, trigger):
    """Keep what is worth telling of a cone problem; a slip that only turns asks for nothing new."""
    if count == 0:
        return
    head.residual = cone.residual
    head.culprit = contact_of(head, count, cone.culprit) if cone.culprit >= 0 else -1
    alone = as_words(head.members)[0] if cone.contacts == 1 else -1
    asks = outcome == OK and trigger.reason != Reason.TURNS and trigger.reason != Reason.TIPS
    if asks and cone.unsteady != 0:
        tell(head, SEVERAL)
        tell(head, UNSTEADY)
    elif asks and is_quickly_counted(cone) and not (alone >= 0 and yields_apart(head, alone)):
        look_for_others(cone)
        if cone.several != 0:
            tell(head, SEVERAL)


@called
def _seize_at_the_boundary(head, cone, trigger, time, values, out, count):
    """A contact seizes that slides to where its friction will leave it no acceleration, or all that touch do.

    How many touch afterwards, and what the cone solver says.
    """
    asked, head.seizing = head.seizing, Seizing.NOTHING
    if asked == Seizing.TOGETHER:
        seizes = seize_together(head, cone, count, True, time, values, out)
    else:
        seizes = seize_at_the_boundary(head, cone, count, trigger.contact, asked == Seizing.NEAR, time, out)
    if not seizes or read_programs(head, time, out, values) != OK:
        return count, CONE_NOT_CONVERGED
    count = leave_those_that_separate(head, count, time)
    judge(head, count, trigger, time, values, True, NONE_STOPPED)
    return count, solve_members(head, cone, count, trigger, values)


@called
def _tell_strike(head, trigger):
    """Where something else has happened to a contact, and others strike at that instant, it is told that they do."""
    asked = trigger.asked
    if asked not in (Reason.CLOSES, Reason.LIES, Reason.STARTS, Reason.CHANGES):
        tell(head, STRUCK)


@called
def _strike(head, time, values, out, count, plastic):
    """The impact of the members, and all that follows from the speeds after it; OK, or why not."""
    status, again = strike_members(head, count, plastic, out), True
    for _ in range(_MOST_STRIKES):
        if status == OK:
            status = read_programs(head, time, out, values)
        again = False
        for place in range(count if status == OK else 0):
            end = face_at(head, as_words(head.members)[place])
            again = again or (end >= 0 and falls(head, end, time))
        if not again:
            break
        status = strike_members(head, count, plastic, out)
    return Unsettled.IMPACT_FAILED if again and status == OK else status


@called
def _bring_to_rest(head, count, trigger, time, values, out, stopped):
    """Members that have accumulated come to rest, and what they slip no more by that; OK, or why not.

    What is taken from some may leave others so slow that they count as still: then it is taken from them too.
    """
    before, status = -1, OK
    for _ in range(count + 2):
        judge(head, count, trigger, time, values, True, stopped)
        now = count_still(head, count)
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


@inlined
def _has_ended(trigger):
    """Whether a slip or a turning may have ended: in space it may be left aside of its last, straight way."""
    return trigger.reason == Reason.ENDS or trigger.reason == Reason.HALTS


@called
def _read(head, trigger, time, values, out, discrete):
    """Where everything is, after an end that has come down is laid flat; OK, or why not."""
    terms = as_doubles(head.terms)
    for i in range(head.count * head.dimension):
        terms[i] = 0.0
    for i in range(head.turns):
        as_doubles(head.turn_terms)[i] = 0.0
    status = read_programs(head, time, out, values)
    if status == OK:
        name_struck(head, trigger, values)
        if name_end(head, trigger, values, discrete):
            status = read_programs(head, time, out, values)
    if status != OK:
        return status
    lies = face_at(head, trigger.contact) if trigger.reason == Reason.CLOSES else -1
    return lay_flat(head, lies, time, values, out) if lies >= 0 else OK


@called
def _gather(head, trigger, time, values, out):
    """How many contacts take part, whether any collide, and whether what has struck is slow: its impacts end here."""
    slow = trigger.reason == Reason.CLOSES and is_slow(head, trigger.contact, time)
    count, collides = gather(head, trigger, time, out, values, slow)
    if slow and place_of_member(head, count, trigger.contact) < 0:  # another one holds what it would be held by
        slow = False
        count, collides = gather(head, trigger, time, out, values, slow)
    return count, collides, slow


@called
def _end_impacts(head, trigger, time, values, out, count, collides):
    """Impacts that have accumulated are over: what remains of them is one, and all that it left comes to rest."""
    telling(head)[REMAINING] = remaining_time(head, trigger.contact, count == 1)
    fastest, status = fastest_member(head, count) if count > 1 else 0.0, OK
    if collides:
        _tell_strike(head, trigger)
        status = _strike(head, time, values, out, count, True)
    return _bring_to_rest(head, count, trigger, time, values, out, fastest) if status == OK else status


@called
def _find_speeds(head, trigger, time, values, out, discrete, count, collides):
    """The speeds after impacts, without what is left of slips that end; how many touch then, and OK or why not."""
    if collides:
        _tell_strike(head, trigger)
        status = _strike(head, time, values, out, count, False)
        if status != OK:
            return count, status
        count = leave_those_that_separate(head, count, time)
    leans = lean_on_rims(head, count, collides, time, values, discrete)
    status = read_programs(head, time, out, values) if leans else OK
    if status != OK:
        return count, status
    judge(head, count, trigger, time, values, collides, NONE_STOPPED)
    moved = leans or (not collides and (_has_ended(trigger) or _drifts(head, count, time, values)))
    if moved:
        bring_to_rest(head, count, out)
    elif not collides:
        moved = align(head, as_posed(head.cone), count, trigger, values, out)
    return count, read_programs(head, time, out, values) if moved else OK


@called
def _find_statuses(head, cone, trigger, time, values, out, count, chooses):
    """The statuses that hold from now on; how many touch, and what the cone solver says.

    Where it ``chooses``, what was open stays so unless the others press it.
    """
    if head.seizing != Seizing.NOTHING:
        return _seize_at_the_boundary(head, cone, trigger, time, values, out, count)
    if trigger.reason == Reason.YIELDS:
        return give_way(head, cone, trigger, time, values, out)
    if chooses:
        return choose_statuses(head, cone, count, trigger, time, values, out)
    return count, solve_members(head, cone, count, trigger, values)


@called
def _seize(head, cone, trigger, time, values, out, count):
    """No statuses are consistent: contacts seize without a collision until some are.

    How many touch then, what the cone solver says, and OK or why programs could not be read.
    """
    outcome = NONE
    for _ in range(head.count):
        if outcome != NONE:
            break
        seizes = slide_without_collision(head, cone, count, out)
        if not seizes and not seize_together(head, cone, count, False, time, values, out):
            break
        status = read_programs(head, time, out, values)
        if status != OK:
            return count, outcome, status
        count = leave_those_that_separate(head, count, time)
        judge(head, count, trigger, time, values, True, NONE_STOPPED)
        outcome = solve_members(head, cone, count, trigger, values)
    return count, outcome, OK


@called
def _settle(head, trigger, time, values, out, discrete):
    """Settle all contacts at the state ``out``, in place; OK, or why that cannot be."""
    status = _read(head, trigger, time, values, out, discrete)
    if status != OK:
        return status
    count, collides, slow = _gather(head, trigger, time, values, out)
    if count < 0:
        return Unsettled.OVERLAPS
    status = _check_laws(head, count)
    if status == OK and slow:
        status = _end_impacts(head, trigger, time, values, out, count, collides)
    elif status == OK:
        count, status = _find_speeds(head, trigger, time, values, out, discrete, count, collides)
    if status != OK:
        return status
    cone, chooses = as_posed(head.cone), not slow and (not collides or trigger.reason == Reason.LIFTS)
    count, outcome = _find_statuses(head, cone, trigger, time, values, out, count, chooses)
    outcome = tip_over(head, cone, count, outcome, trigger, time, values, out, discrete)
    if outcome == Unsettled.NO_TIP:
        return outcome
    if outcome == NONE:
        count, outcome, status = _seize(head, cone, trigger, time, values, out, count)
        if status != OK:
            return status
    _tell(head, cone, count, outcome, trigger)
    if outcome != OK:
        return Unsettled.NOT_CONVERGED if outcome == CONE_NOT_CONVERGED else Unsettled.NO_STATUS
    as_doubles(discrete)[head.discrete_count] = 1.0 if slow else 0.0
    write_statuses(head, cone, count, values, discrete)
    forget_tips(head, values, discrete)
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
