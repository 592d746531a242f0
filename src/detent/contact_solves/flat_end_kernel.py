"""Ends that may lie flat: whether the rim of one touches, or its face, and how points of its rim move.

A face that lies flat has the row of the normal at its middle and two of tilting, about both tangents. So a point of the
rim in the direction e, R from the middle, has the row J_n + R (e x J_w) . n, whatever e is. What tips over the point in
the direction e turns about n x e.
"""

from __future__ import annotations

import math
from typing import Final

from detent.contact_solves.contact_rows_kernel import (
    CAME_DOWN,
    DOMAIN,
    ROUNDING,
    coefficient,
    end_at,
    resistance,
    small,
    status_place,
)
from detent.contact_solves.settle_frame import Reason
from detent.jit.abi import WORD
from detent.jit.intrinsics import as_doubles, as_words, called, inlined

_TYPED: Final = 1e-8
"""At the start of a run an end lies flat that leans no more (rad): start values are typed in."""
_LEVEL: Final = 16.0
"""A rim that is no faster than so many times the rounding of its speed does not move."""


@inlined
def size_of_two(one, other):
    """The length of a vector of two components."""
    return math.sqrt(one * one + other * other)


@called
def face_at(head, contact):
    """Which end has this place as its face; -1 where none has."""
    found = -1
    for e in range(head.end_count):
        if end_at(head.ends, e).face == contact:
            found = e
    return found


@called
def end_that_tilts(head, turn):
    """Which end has this turning as the tilting of its face; -1 where none has."""
    found = -1
    for e in range(head.end_count):
        if end_at(head.ends, e).turn == turn:
            found = e
    return found


@called
def write_tip(head, e, first, second, values, discrete):
    """Let the rim of an end tip in a direction from now on."""
    end = end_at(head.ends, e)
    now, after = as_doubles(values + WORD * head.first_discrete), as_doubles(discrete)
    now[end.tip], now[end.tip + 1] = first, second
    after[end.tip], after[end.tip + 1] = first, second


@called
def gives_way(head, contact, trigger, values):
    """Whether a place does not count because the rim of its end touches instead, or the face."""
    statuses, gives = as_doubles(values + WORD * head.first_discrete), False
    for e in range(head.end_count):
        end = end_at(head.ends, e)
        tips = statuses[end.tip] != 0.0 or statuses[end.tip + 1] != 0.0
        by_rim = tips or statuses[status_place(head, end.rim)] > 0.0
        lies = statuses[status_place(head, end.face)] > 0.0
        within = _TYPED if trigger.reason == Reason.STARTS else CAME_DOWN if trigger.contact == end.face else 0.0
        flat = coefficient(head, DOMAIN, end.face) >= -within
        if contact == end.rim:
            gives = gives or (not by_rim and (flat or lies))
        if contact == end.face:
            gives = gives or by_rim or not (flat or lies)
    return gives


@called
def tilting(head, e):
    """How fast a face turns about the tangents."""
    first = as_words(head.turn_first)[end_at(head.ends, e).turn]
    return as_doubles(head.turn_speed)[first], as_doubles(head.turn_speed)[first + 1]


@called
def lowest_speed(head, e):
    """How fast that point of the rim rises which falls fastest, and how much of that may be rounding at a time 0."""
    end = end_at(head.ends, e)
    one, other = tilting(head, e)
    first, radius = as_words(head.turn_first)[end.turn], resistance(head, end.turn)
    terms = max(as_doubles(head.turn_terms)[first], as_doubles(head.turn_terms)[first + 1])
    return as_doubles(head.speed)[end.face * head.dimension] - radius * size_of_two(
        one, other
    ), ROUNDING * radius * terms


@called
def _barely(head, e, time):
    """How fast a point of a rim may be that does not move."""
    _, rounding = lowest_speed(head, e)
    return _LEVEL * (small(head, end_at(head.ends, e).face * head.dimension, time) + rounding)


@called
def falls(head, e, time):
    """Whether some point of the rim of a face that touches approaches the plane."""
    return lowest_speed(head, e)[0] < -_barely(head, e, time)


@called
def stays_down(head, e, time):
    """Whether some point of the rim of a face that touches does not leave the plane."""
    return lowest_speed(head, e)[0] <= _barely(head, e, time)


@called
def is_level(head, e, time):
    """Whether a face does not turn but for rounding."""
    end = end_at(head.ends, e)
    one, other = tilting(head, e)
    return resistance(head, end.turn) * size_of_two(one, other) <= _barely(head, e, time)


@called
def way_down(head, e):
    """The direction of the point of a rim that falls fastest; of the slip of its face where it does not turn."""
    end = end_at(head.ends, e)
    one, other = tilting(head, e)
    size = size_of_two(one, other)
    if size > 0.0:
        return other / size, -one / size
    row, speed = end.face * head.dimension, as_doubles(head.speed)
    size = size_of_two(speed[row + 1], speed[row + 2])
    if size > 0.0:
        return speed[row + 1] / size, speed[row + 2] / size
    return 1.0, 0.0


@called
def name_end(head, trigger, values, discrete):
    """Where a rim closes that does not lean, it is about its face; and so where a rim comes down that touched.

    Whether the rows of a rim are others from now on, if only a little: it has tipped, or comes down aside, and forgets
    the direction in which it did; or it comes back while it begins to lean.
    """
    statuses, renewed = as_doubles(values + WORD * head.first_discrete), False
    for e in range(head.end_count):
        end = end_at(head.ends, e)
        if trigger.own != end.rim:
            continue
        trigger.contact = end.rim
        if trigger.asked == Reason.LIES:
            flat = coefficient(head, DOMAIN, end.face) >= -CAME_DOWN
            trigger.reason = Reason.CLOSES if flat else Reason.TIPS  # past the direction in which it tipped, and aside
            if flat:
                trigger.contact = end.face
                statuses[status_place(head, end.rim)] = 0.0
                write_tip(head, e, 0.0, 0.0, values, discrete)
                renewed = True
        elif trigger.asked == Reason.CLOSES and coefficient(head, DOMAIN, end.face) >= 0.0:
            trigger.contact = end.face
            if as_doubles(head.speed)[end.face * head.dimension] >= 0.0 and lowest_speed(head, e)[0] < 0.0:
                trigger.contact = end.rim  # it leans more and more, and its rim comes back
                first, second = way_down(head, e)
                write_tip(head, e, first, second, values, discrete)
                renewed = True
        if trigger.reason == Reason.TIPS:
            write_tip(head, e, 0.0, 0.0, values, discrete)
            renewed = True
    return renewed


@called
def forget_tips(head, values, discrete):
    """Rims that do not touch tip in no direction."""
    after = as_doubles(discrete)
    for e in range(head.end_count):
        if after[status_place(head, end_at(head.ends, e).rim)] <= 0.0:
            write_tip(head, e, 0.0, 0.0, values, discrete)
