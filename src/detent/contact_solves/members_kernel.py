"""Which contacts take part in what happens at an instant: its members."""

from __future__ import annotations

from typing import Final

from detent.contact_solves.contact_rows_kernel import (
    DOMAIN,
    GAP,
    RESTITUTION,
    ROUNDING,
    SIZE,
    coefficient,
    small,
    status_place,
)
from detent.contact_solves.settle_frame import Reason
from detent.jit.abi import EPSILON, WORD
from detent.jit.intrinsics import as_doubles, as_words, called

_HEIGHT: Final = 64.0 * EPSILON
"""A flight that rises no more than rounding leaves in the gap, this part of the terms it is the sum of, is none."""
_CLUSTER: Final = 16.0
"""Contacts that are all slower than what rises by so much of that, and nearer, accumulate together."""
_AT_START: Final = 1e-9
"""What is nearer than this, relative to the state, touches at the start of a run: start values are typed in."""
_LITTLE: Final = 0.25
"""Restitutions below this are not told apart where impacts accumulate."""
_SAME: Final = 1e-8
"""Rows that differ by no more than this part are those of one normal."""


@called
def _touches(head, contact, trigger, time, near, together):
    """Whether a contact that is open touches, and does not separate; of those that accumulate whether it is slow."""
    row, own = contact * head.dimension, contact == trigger.contact
    meets = abs(coefficient(head, GAP, contact)) <= near and coefficient(head, DOMAIN, contact) >= -near
    stays = together or as_doubles(head.speed)[row] <= small(head, row, time)
    return (meets or (own and trigger.reason == Reason.CLOSES)) and stays


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

    With ``slow`` impacts have accumulated: those count that are as slow, and nearly as near.
    """
    statuses, members = as_doubles(values + WORD * head.first_discrete), as_words(head.members)
    speed, x = as_doubles(head.speed), as_doubles(state)
    size = 1.0
    for i in range(head.coordinates):
        size = max(size, abs(x[i]))
    begins = trigger.reason == Reason.BEGINS
    count, collides = 0, False
    for k in range(head.count):
        row, own = k * head.dimension, k == trigger.contact
        near = (_AT_START if begins else ROUNDING) * size + ROUNDING * abs(time) * abs(speed[row])
        together = slow and is_slow(head, k, time)
        if together:
            near = max(near, _CLUSTER * _HEIGHT * coefficient(head, SIZE, k))
        held = statuses[status_place(head, k)] > 0.0
        if statuses[status_place(head, k)] < 0.0 or (own and trigger.reason == Reason.LEAVES):  # it does not count here
            continue
        if held or _touches(head, k, trigger, time, near, together):
            members[count] = k
            count += 1
            threshold = 0.0 if own and trigger.reason == Reason.CLOSES else small(head, row, time)
            collides = collides or (not held and speed[row] < -threshold)
        elif begins and coefficient(head, GAP, k) < -near and coefficient(head, DOMAIN, k) >= 0.0:
            head.culprit, head.depth = k, -coefficient(head, GAP, k)
            return -1, False
    return count, collides


@called
def leave_those_that_separate(head, count, time):
    """After an impact: the members that stay in contact; how many."""
    members, speed = as_words(head.members), as_doubles(head.speed)
    stay = 0
    for place in range(count):
        row = members[place] * head.dimension
        if speed[row] <= small(head, row, time):
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
def take_over(head, count, contact, time, state, values):
    """A place that closes takes over from members that are at the end of their edge or face and have the same normal.

    So a ball goes from piece to piece of a track where they join smoothly. How many members are left.
    """
    n, d, members, x = head.speeds, head.dimension, as_words(head.members), as_doubles(state)
    statuses, rows = as_doubles(values + WORD * head.first_discrete), as_doubles(head.rows)
    size, fastest = 1.0, 1.0
    for i in range(head.coordinates):
        size = max(size, abs(x[i]))
    for i in range(head.coordinates, head.coordinates + n):
        fastest = max(fastest, abs(x[i]))
    for place in range(count - 1, -1, -1):
        k = members[place]
        at_end = abs(coefficient(head, DOMAIN, k)) <= ROUNDING * (size + abs(time) * fastest)
        if k == contact or not at_end or not statuses[status_place(head, k)] > 0.0:
            continue
        apart, whole = 0.0, 0.0
        for j in range(n):
            own, other = rows[contact * d * n + j], rows[k * d * n + j]
            apart, whole = apart + (own - other) * (own - other), whole + own * own
        if apart <= _SAME * _SAME * whole:
            count = remove_member(head, count, k)
    return count
