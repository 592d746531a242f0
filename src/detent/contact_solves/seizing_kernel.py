"""Contacts that friction leaves no acceleration (Painleve's paradox) seize: an impact without collision.

A normal force N of a contact that slides, with its friction, moves it apart by (W_nn - mu W_nt) N, W_nt along the slip.
Where that is negative, sliding on may be no motion, and lifting off neither. Contacts that touch beside it are held by
what the impact asks of them: W is that of the contact with all others as they rest. They must be able to: an impulse
may not draw, nor leave its cone, nor be felt where something slides against friction.
"""

from __future__ import annotations

import math
from typing import Final

from detent.contact_solves.contact_rows_kernel import KINETIC, STATIC, coefficient, slip_of
from detent.contact_solves.settle_frame import ANGLE, COEFFICIENT, PLACE, SEIZED
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
from detent.jit.abi import EPSILON, OK
from detent.jit.intrinsics import as_doubles, as_words, called

_BEYOND: Final = 1e-9
"""A contact seizes by a coefficient that is larger by this part than the one at which it could just go on."""
_LEAST_NEAR: Final = 1e-6
_MOST_NEAR: Final = 0.05
"""Parts of friction that count as near, at least and at most: below some 1e-10 m/s any would."""
_TURNED: Final = 4.0
"""How many times as far from there as the shortest step leads steps may end."""
_INSTANT: Final = 16.0 * EPSILON
"""The shortest step, of the time."""
_FELT: Final = 1e-9
"""An impulse elsewhere of this part of that of the contact which seizes is none."""
_MOST_CORRECTIONS: Final = 2
_STOPPED: Final = 1e-3
"""The impulses of what seizes change some slip by more than this part."""


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
def slip_changes(head, count):
    """Whether what was pushed changes how something slips that slid: no small answer to a small question."""
    members, still, d, changes = as_words(head.members), as_words(head.still), head.dimension, False
    for place in range(count):
        k = members[place]
        slip, _ = slip_of(head, k)
        for i in range(k * d + 1, (k + 1) * d):
            changes = changes or (still[k] == 0 and abs(_moved(head, i)) > _STOPPED * slip)
    return changes


@called
def tell_seizing(head, contact):
    """That a contact seizes whose impact is posed, with how it yields: its angle and coefficient."""
    impact, told = as_impact(head.strike), telling(head)
    tell(head, SEIZED)
    head.culprit = contact
    told[PLACE], told[COEFFICIENT] = float(contact), coefficient(head, KINETIC, contact)
    told[ANGLE] = math.atan2(math.sqrt(impact.W_n1 * impact.W_n1 + impact.W_n2 * impact.W_n2), impact.W_nn)


@called
def _seize(head, cone, count, contact, least, state):
    """An impact without collision of a contact that slides, with no less friction than ``least``; whether it was."""
    pose_impact(head, contact, False, least)
    total = _yield_among(head, cone, count, contact)
    tell_seizing(head, contact)
    if push_impact(head, contact) != OK:
        return False
    _hold_others(head, cone, total)
    if not slip_changes(head, count) or not _others_follow(head, count, contact):
        return False
    finish_pushing(head, state)
    return True


@called
def driven_in(head, cone, count, contact):
    """By how much friction drives a contact inwards that slides, as a part of how it yields outwards."""
    pose_impact(head, contact, False, 0.0)
    _yield_among(head, cone, count, contact)
    return coefficient(head, KINETIC, contact) * _across(head)


@called
def most_driven(head, cone, count):
    """Of the contacts that slide the one that friction drives inwards most, or -1."""
    members, still, found, most = as_words(head.members), as_words(head.still), -1, 0.0
    for place in range(count):
        slides = still[members[place]] == 0 and coefficient(head, KINETIC, members[place]) > 0.0
        driven = driven_in(head, cone, count, members[place]) if slides else 0.0
        if slides and (found < 0 or driven > most):
            found, most = members[place], driven
    return found


@called
def slide_without_collision(head, cone, count, state):
    """Where friction leaves no acceleration to a contact that slides, let it seize: an impact without collision.

    Of several the one that friction drives inwards most. Whether there is such a contact.
    """
    found = most_driven(head, cone, count)
    return found >= 0 and _seize(head, cone, count, found, 0.0, state)


@called
def nearness(head, slip, time):
    """By what part friction may be smaller than that which leaves no acceleration, for steps to end there.

    At a distance x from there accelerations are a/x, a where no contact acts. They turn a slip s by a/(x s) in a
    second: where that is x in the shortest step h, no step can come nearer. So x^2 = h a/s.
    """
    near = _TURNED * math.sqrt(_INSTANT * abs(time) * head.acceleration / slip) if slip > 0.0 else 0.0
    return min(_MOST_NEAR, max(_LEAST_NEAR, near))


@called
def seize_at_the_boundary(head, cone, count, contact, near, time, state):
    """Let a contact seize that slides to where friction will leave it no acceleration; whether it was there.

    A normal force N with its friction moves it by (W_nn - mu W_nt) N, W_nt along the slip: where that is to vanish, N
    grows without bound, and in a time below rounding the slip is over. With ``near`` it must be as near as that.
    """
    pose_impact(head, contact, False, 0.0)
    _yield_among(head, cone, count, contact)
    across, (slip, _) = _across(head), slip_of(head, contact)
    allowed = nearness(head, slip, time)
    if not across > 0.0 or (near and 1.0 / across > (1.0 + allowed) * coefficient(head, KINETIC, contact)):
        return False
    return _seize(head, cone, count, contact, (1.0 + _BEYOND) / across, state)
