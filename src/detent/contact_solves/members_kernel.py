"""Which contacts take part in what happens at an instant: its members."""

from __future__ import annotations

from typing import Final

from detent.contact_solves.contact_rows_kernel import (
    DOMAIN,
    GAP,
    INWARDS,
    RESTITUTION,
    ROUND,
    ROUNDING,
    SIZE,
    THIN,
    coefficient,
    small,
    status_place,
)
from detent.contact_solves.flat_end_kernel import face_at, falls, gives_way, stays_down
from detent.contact_solves.settle_frame import AT_START, Reason
from detent.jit.abi import EPSILON, WORD
from detent.jit.intrinsics import as_doubles, as_words, called

_HEIGHT: Final = 64.0 * EPSILON
"""A flight that rises no more than rounding leaves in the gap, this part of the terms it is the sum of, is none."""
_CLUSTER: Final = 16.0
"""Contacts that are all slower than what rises by so much of that, and nearer, accumulate together."""
_LITTLE: Final = 0.25
"""Restitutions below this are not told apart where impacts accumulate."""
_SAME: Final = 1e-5
"""Rows that differ by no more than this part are those of one normal: a curve is seen turned by so much where it is all
but straight, by the corners of a face and by its side."""
_SUNK: Final = 1e-8
"""What overlaps by no more than this part of its size where another place is left, or is missed, touches: faces sink in
by less."""
_PRESSED: Final = 1e-6
"""What comes nearer without contacts by more than this part of the largest acceleration is pressed on."""
_BEYOND: Final = 1e-9
"""What is farther beyond the end of its feature, in its domain, is not on it, however near its gap is to zero by terms
that mean nothing there."""


@called
def _is_beyond(head, trigger, at_end):
    """Whether what happens is beyond the end of a feature: its place leaves it, or closes where it would miss it."""
    misses = trigger.reason == Reason.CLOSES and coefficient(head, DOMAIN, trigger.contact) < -at_end
    return trigger.reason == Reason.LEAVES or (misses and face_at(head, trigger.contact) < 0)


@called
def _touches(head, contact, trigger, time, near, together, at_end, way, apart):
    """Whether a contact that is open touches, and does not separate; of those that accumulate whether it is slow.

    With ``apart`` those count that separate, too: the impulses of others may press them together again.

    One that closes beyond the end of its feature misses it. At the end it counts whether its ``way`` leads in (1) or
    out (-1) along the feature: one that goes out, and does not approach, has only just left it, or is about to.
    """
    row, own = contact * head.dimension, contact == trigger.contact and trigger.reason == Reason.CLOSES
    speed, known = as_doubles(head.speed)[row], small(head, row, time)
    end = face_at(head, contact)
    if end >= 0:
        return (together or stays_down(head, end, time)) and (own or abs(coefficient(head, GAP, contact)) <= near)
    if own:
        inside = coefficient(head, DOMAIN, contact)
        return inside >= -at_end and (speed < -known or ((inside > at_end or way > 0) and (together or speed <= known)))
    gap, sunk = coefficient(head, GAP, contact), 0.0
    if coefficient(head, THIN, contact) == 0.0 and _is_beyond(head, trigger, at_end):
        sunk = _SUNK * coefficient(head, SIZE, contact)
    meets = -max(near, sunk) <= gap <= near and coefficient(head, DOMAIN, contact) >= -min(near, _BEYOND)
    goes_out = way < 0 and speed >= -known and coefficient(head, DOMAIN, contact) <= at_end
    return meets and not goes_out and (together or apart or speed <= known)


@called
def _goes_round(head, contact, near, resting, values):
    """Whether what meets a face at its end goes on round the corner, onto a place that touches there as well.

    A crate that slides from one support onto another of the same height has its corner at that of the other: on the
    side of that as on its top. It is in neither as long as it is not behind both; and it goes where it is higher, if it
    is pressed on there: what falls along a side, onto a corner, is not.
    """
    if coefficient(head, ROUND, contact) >= -resting:
        return False
    statuses, found = as_doubles(values + WORD * head.first_discrete), False
    for k in range(head.count):
        meets = abs(coefficient(head, GAP, k)) <= near and coefficient(head, DOMAIN, k) >= -min(near, _BEYOND)
        onto = coefficient(head, ROUND, k) > resting
        pressed = as_doubles(head.bias)[k * head.dimension] < -_PRESSED * head.acceleration
        found = found or (meets and onto and pressed and statuses[status_place(head, k)] >= 0.0)
    return found


@called
def is_slow(head, contact, time):
    """Whether a contact moves so slowly that its flight, or what it could rise, is some rounding, or is not resolved.

    How long it would fly goes by the acceleration that it has without contacts, and never less than nothing.
    """
    row = contact * head.dimension
    speed, pull = as_doubles(head.speed)[row], 2.0 * head.acceleration
    height = _CLUSTER * _HEIGHT * coefficient(head, SIZE, contact)
    returned = max(_LITTLE, coefficient(head, RESTITUTION, contact)) * abs(speed)
    unresolved = 0.5 * head.resolution * -as_doubles(head.bias)[row]
    return speed * speed <= pull * height or returned <= max(small(head, row, time), unresolved)


@called
def gather(head, trigger, time, state, values, slow):
    """The contacts that hold or touch, into ``members``; how many, and whether some of them collide.

    With ``slow`` impacts have accumulated: those count that are as slow, and nearly as near. Where some collide, those
    that touch and separate are members as well: balls in a row drive each other together many times at one instant.
    """
    count, collides = _gathered(head, trigger, time, state, values, slow, False)
    if collides and not slow and (trigger.reason == Reason.CLOSES or trigger.reason <= Reason.JUMPS):
        count, collides = _gathered(head, trigger, time, state, values, slow, True)
    return count, collides


@called
def _gathered(head, trigger, time, state, values, slow, apart):
    count, collides = _collect(head, trigger, time, state, values, slow, apart), False
    if trigger.reason == Reason.CLOSES:
        count = _leave_doubles(head, count, trigger.contact, values)
    statuses, members = as_doubles(values + WORD * head.first_discrete), as_words(head.members)
    for place in range(count):
        k, row = members[place], members[place] * head.dimension
        threshold = 0.0 if k == trigger.contact and trigger.reason == Reason.CLOSES else small(head, row, time)
        held = statuses[status_place(head, k)] > 0.0 and trigger.reason > Reason.JUMPS
        collides = collides or (not held and as_doubles(head.speed)[row] < -threshold)
        end = face_at(head, k)
        collides = collides or (end >= 0 and not held and falls(head, end, time))
    return count, collides


@called
def _collect(head, trigger, time, state, values, slow, apart):
    """All that hold or touch; how many, or -1 where some overlap though nothing is known of what was before."""
    statuses, members = as_doubles(values + WORD * head.first_discrete), as_words(head.members)
    speed, x = as_doubles(head.speed), as_doubles(state)
    size, fastest = 1.0, 1.0
    for i in range(head.coordinates):
        size = max(size, abs(x[i]))
    for i in range(head.coordinates, head.coordinates + head.speeds):
        fastest = max(fastest, abs(x[i]))
    at_end, resting = ROUNDING * (size + abs(time) * fastest), ROUNDING * size * fastest + head.slow
    anew, count = trigger.reason <= Reason.JUMPS, 0
    for k in range(head.count):
        row, own = k * head.dimension, k == trigger.contact
        held = statuses[status_place(head, k)] > 0.0
        typed = trigger.reason == Reason.STARTS or (anew and (held or coefficient(head, GAP, k) < 0.0))
        near = (AT_START if typed else ROUNDING) * size + ROUNDING * abs(time) * abs(speed[row])
        together = slow and is_slow(head, k, time)
        if together:
            near = max(near, _CLUSTER * _HEIGHT * coefficient(head, SIZE, k))
        held, inwards = held and not anew, coefficient(head, INWARDS, k)
        way = 1 if inwards > resting else -1 if inwards < -resting else 0
        leaves = own and trigger.reason == Reason.LEAVES and head.goes_on == 0
        if statuses[status_place(head, k)] < 0.0 or leaves or gives_way(head, k, trigger, values):
            continue  # it does not count here
        touches = held or _touches(head, k, trigger, time, near, together, at_end, way, apart)
        if touches and not held and _goes_round(head, k, near, resting, values):
            continue
        if touches:
            members[count] = k
            count += 1
        elif not anew or coefficient(head, THIN, k) == 1.0:
            continue
        elif coefficient(head, GAP, k) < -near and coefficient(head, DOMAIN, k) >= 0.0:
            head.culprit, head.depth = k, -coefficient(head, GAP, k)
            return -1
    return count


@called
def leave_those_that_separate(head, count, time):
    """After an impact: the members that stay in contact; how many."""
    members, speed = as_words(head.members), as_doubles(head.speed)
    stay = 0
    for place in range(count):
        row = members[place] * head.dimension
        end = face_at(head, members[place])
        if stays_down(head, end, time) if end >= 0 else speed[row] <= small(head, row, time):
            members[stay] = members[place]
            stay += 1
    return stay


@called
def place_of_member(head, count, contact):
    members, found = as_words(head.members), -1
    for place in range(count):
        if members[place] == contact:
            found = place
    return found


@called
def remove_member(head, count, contact):
    """The members without one of them; how many."""
    members, stay = as_words(head.members), 0
    for place in range(count):
        if members[place] != contact:
            members[stay] = members[place]
            stay += 1
    return stay


@called
def _leave_doubles(head, count, contact, values):
    """Of members with the same normal as one that closes only one is left: that which holds, or is on its feature.

    So a ball goes on over the joints of a track where it was, until it leaves its piece; and what comes down where one
    feature ends and the next begins strikes one of them. How many members are left.
    """
    members, statuses = as_words(head.members), as_doubles(values + WORD * head.first_discrete)
    for place in range(count - 1, -1, -1):
        k = members[place]
        if k == contact or not _has_same_normal(head, contact, k):
            continue
        if statuses[status_place(head, k)] > 0.0 or coefficient(head, DOMAIN, contact) < min(
            0.0, coefficient(head, DOMAIN, k)
        ):
            return remove_member(head, count, contact)
        count = remove_member(head, count, k)
    return count


@called
def _has_same_normal(head, one, other):
    """Whether the normals of two places push in the same way."""
    n, rows, apart, whole = head.speeds, as_doubles(head.rows), 0.0, 0.0
    first, second = one * head.dimension * n, other * head.dimension * n
    for j in range(n):
        difference = rows[first + j] - rows[second + j]
        apart, whole = apart + difference * difference, whole + rows[first + j] * rows[first + j]
    return apart <= _SAME * _SAME * whole
