"""Contacts that friction leaves no acceleration (Painleve's paradox) seize: an impact without collision.

A normal force N of a contact that slides, with its friction, moves it apart by (W_nn - mu W_nt) N, W_nt along the slip.
Where that is negative, sliding on may be no motion, and lifting off neither. Contacts that touch beside it are held by
what the impact asks of them: W is that of the contact with all others as they rest. They must be able to: an impulse
may not draw, nor leave its cone, nor be felt where something slides against friction.
"""

from __future__ import annotations

import math
from typing import Final

from detent.contact_solves.cone_frame import SLIP
from detent.contact_solves.contact_rows_kernel import KINETIC, STATIC, coefficient
from detent.contact_solves.members_kernel import place_of_member, remove_member
from detent.contact_solves.settle_frame import ANGLE, COEFFICIENT, PARTS, PLACE, SEIZED, SEVERAL, Reason
from detent.contact_solves.settle_impact_kernel import (
    as_impact,
    begin_pushing,
    finish_pushing,
    list_resting,
    pose_impact,
    push,
    push_impact,
    push_rows,
    row_of,
    tell,
    telling,
)
from detent.contact_solves.status_choice_kernel import pressing, solve_members
from detent.jit.abi import OK
from detent.jit.intrinsics import as_doubles, as_words, called

_BEYOND: Final = 1e-9
"""A contact seizes by a coefficient that is larger by this part than the one at which it could just go on."""
_NEARLY: Final = 1e-4
"""Its own coefficient must not be smaller than that by more than this part. Steps may end as far from there: where the
slip is slow its direction turns by 1e11 rad/s, and by 1e-5 in what the time is known to."""
_PARTS: Final = 1e-9
"""A contact without a force parts where its acceleration is more than this part of the largest."""
_FELT: Final = 1e-9
"""An impulse elsewhere of this part of that of the contact which seizes is none."""
_MOST_CORRECTIONS: Final = 2


# -- how a contact yields among others ------------------------------------------------------------------------


@called
def _moved(head, row):
    """How far all that was pushed moves a row."""
    given, change, total = row_of(head, row), as_doubles(head.change), 0.0
    for j in range(head.speeds):
        total += given[j] * change[j]
    return total


@called
def _hold_others(head, cone, total):
    """Push along the rows that were listed, so that they do not move by what was pushed."""
    right, owner, scale = as_doubles(cone.right), as_words(cone.owner), as_doubles(cone.step)
    for _ in range(_MOST_CORRECTIONS if total > 0 else 0):
        for i in range(total):
            right[i] = -scale[i] * _moved(head, owner[i])
        push_rows(head, cone, total)


@called
def _yield_among(head, cone, count, contact):
    """How a contact yields to impulses where the others are held, into its impact; how many rows hold them."""
    impact, row, total = as_impact(head.strike), contact * head.dimension, list_resting(head, cone, count, contact)
    impact.W_n2 = impact.W_12 = impact.W_22 = 0.0
    for j in range(head.dimension):
        begin_pushing(head)
        push(head, row + j, 1.0)
        _hold_others(head, cone, total)
        if j == 0:
            impact.W_nn, impact.W_n1 = _moved(head, row), _moved(head, row + 1)
            impact.W_n2 = _moved(head, row + 2) if head.dimension == 3 else 0.0
        elif j == 1:
            impact.W_11 = _moved(head, row + 1)
            impact.W_12 = _moved(head, row + 2) if head.dimension == 3 else 0.0
        else:
            impact.W_22 = _moved(head, row + 2)
    return total


@called
def _across(head):
    """How a normal impulse moves a contact along the slip that its impact tells, by how it yields along the normal."""
    impact = as_impact(head.strike)
    slip = math.sqrt(impact.before_1 * impact.before_1 + impact.before_2 * impact.before_2)
    along = impact.W_n1 * impact.before_1 + impact.W_n2 * impact.before_2
    return along / (slip * impact.W_nn) if slip > 0.0 and impact.W_nn > 0.0 else 0.0


# -- what seizes ------------------------------------------------------------------------------------------------


@called
def _others_follow(head, count, contact):
    """Whether all others can give the impulses by which they are held."""
    members, still, d = as_words(head.members), as_words(head.still), head.dimension
    impulse, felt = as_doubles(head.impulse), 0.0
    for i in range(contact * d, (contact + 1) * d):
        felt += _FELT * abs(impulse[i])
    for place in range(count):
        k = members[place]
        if k == contact:
            continue
        normal, square = impulse[k * d], 0.0
        for i in range(k * d + 1, (k + 1) * d):
            square += impulse[i] * impulse[i]
        slides = still[k] == 0 and coefficient(head, KINETIC, k) > 0.0
        limit = coefficient(head, STATIC, k) * max(0.0, normal)
        if normal < -felt or math.sqrt(square) > limit + felt or (slides and normal > felt):
            return False
    return True


@called
def _seize(head, cone, count, contact, least, state):
    """An impact without collision of a contact that slides, with no less friction than ``least``; whether it was."""
    pose_impact(head, contact, False, least)
    total, impact, told = _yield_among(head, cone, count, contact), as_impact(head.strike), telling(head)
    tell(head, SEIZED)
    head.culprit = contact
    told[PLACE], told[COEFFICIENT] = float(contact), coefficient(head, KINETIC, contact)
    told[ANGLE] = math.atan2(math.sqrt(impact.W_n1 * impact.W_n1 + impact.W_n2 * impact.W_n2), impact.W_nn)
    if push_impact(head, contact) != OK:
        return False
    _hold_others(head, cone, total)
    if not _others_follow(head, count, contact):
        return False
    finish_pushing(head, state)
    return True


@called
def _driven_in(head, cone, count, contact):
    """By how much friction drives a contact inwards that slides, as a part of how it yields outwards."""
    pose_impact(head, contact, False, 0.0)
    _yield_among(head, cone, count, contact)
    return coefficient(head, KINETIC, contact) * _across(head)


@called
def slide_without_collision(head, cone, count, state):
    """Where friction leaves no acceleration to a contact that slides, let it seize: an impact without collision.

    Of several the one that friction drives inwards most. Whether there is such a contact.
    """
    members, given, found, most = as_words(head.members), as_words(cone.given), -1, 0.0
    for place in range(count):
        slides = given[place] == 1 and coefficient(head, KINETIC, members[place]) > 0.0
        driven = _driven_in(head, cone, count, members[place]) if slides else 0.0
        if slides and (found < 0 or driven > most):
            found, most = members[place], driven
    return found >= 0 and _seize(head, cone, count, found, 0.0, state)


@called
def _yields_inwards(head, cone, count, place):
    """Whether a force on a contact that slides, or begins to, with its friction, draws it in: W_nn < mu W_nt."""
    contact, d = as_words(head.members)[place], head.dimension
    impact, directions = as_impact(head.strike), as_doubles(cone.directions)
    first, second = directions[place * (d - 1)], directions[place * (d - 1) + 1] if d == 3 else 0.0
    _yield_among(head, cone, count, contact)
    impact.before_1, impact.before_2 = first, second
    return coefficient(head, KINETIC, contact) * _across(head) > 1.0


@called
def _may_lift_off(head, cone, count, trigger):
    """The place of a contact that presses, and slides or has just begun to, while a force would draw it in; or -1.

    Among others only one that friction has just let go of: it held until then, by a force that it cannot keep.
    """
    place = 0 if count == 1 else place_of_member(head, count, trigger.contact)
    if count > 1 and trigger.reason != Reason.BREAKS:
        return -1
    if place < 0 or as_words(cone.given)[place] != 1 or as_words(cone.statuses)[place] != SLIP:
        return -1
    presses = as_doubles(cone.forces)[place * head.dimension] > 0.0
    return place if presses and _yields_inwards(head, cone, count, place) else -1


@called
def leave_a_paradox(head, cone, count, trigger, values):
    """Let a contact lift off that may as well slide, by a force that would draw it in; how many touch then.

    Without a force it parts, and with one it yields inwards (W_nn < mu W_nt). So it could slide, but the least change
    of that force grows without bound; nothing follows such a motion.
    """
    place, members = _may_lift_off(head, cone, count, trigger), as_words(head.members)
    if place < 0:
        return count
    contact = members[place]
    left = remove_member(head, count, contact)
    outcome = solve_members(head, cone, left, trigger, values)
    parts, _ = pressing(head, cone, left, contact)
    if outcome == OK and parts > _PARTS * head.acceleration:
        tell(head, SEVERAL)
        tell(head, PARTS)
        return left
    for back in range(left, place, -1):
        members[back] = members[back - 1]
    members[place] = contact
    solve_members(head, cone, count, trigger, values)
    return count


@called
def seize_at_the_boundary(head, cone, count, contact, near, state):
    """Let a contact seize that slides to where friction will leave it no acceleration; whether it was there.

    A normal force N with its friction moves it by (W_nn - mu W_nt) N, W_nt along the slip: where that is to vanish, N
    grows without bound, and in a time below rounding the slip is over. With ``near`` it must be as near as that.
    """
    pose_impact(head, contact, False, 0.0)
    _yield_among(head, cone, count, contact)
    across = _across(head)
    if not across > 0.0 or (near and 1.0 / across > (1.0 + _NEARLY) * coefficient(head, KINETIC, contact)):
        return False
    return _seize(head, cone, count, contact, (1.0 + _BEYOND) / across, state)
