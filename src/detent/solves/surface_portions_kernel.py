"""How soon a ball, a point or a plane may touch a surface elsewhere than at the point that is followed.

A ball with its middle at p and the radius r touches a point s of a surface with the normal n where p = s + r n: not
before the distance of p from there, over its speed v, has passed. A plane touches where a point is at the height zero
and its normal is opposed: not before max(h / (v + w R), a / w), where h is the height of the point and a the angle by
which the normal is off, v how fast the height of the surface's origin changes, w how fast the plane turns, and R how
far points are from that origin. Of portions of the surface, which are known by a sphere around all places and a cone
around all normals, none is met before the least that this can be. Portions are cut as long as it matters.

Those of a rectangle in the coordinates around the followed point count as one as far as the squared distance of p is
convex there: its second slopes are, twice, g_ij - (p - s) . s_ij, of which intervals tell that they are those of a
minimum. A convex function has one place at most where it is stationary, and where p = s + d n it is, whatever d: so the
ball touches no other point of the rectangle. So it is for a plane as far as heights are convex.
"""

from __future__ import annotations

import math
from typing import Final

from detent.jit.abi import OK, WORD
from detent.jit.intrinsics import as_doubles, call_cell, called, record_reader
from detent.solves import surface_portions_frame as at
from detent.solves.portions_frame import PAIR, ROOM
from detent.solves.portions_kernel import CLOSELY

_surface: Final = record_reader(at.SURFACE)

_MOST_LOOKS: Final = 20000
_MOST_CLOSELY: Final = 1000
"""Portions are looked at; what is still to be looked at then counts by its bound. So many, where it matters which of
several points is the nearest: along a ridge all are nearly as near."""
_FINEST: Final = 2.0**-20
"""The part of one of the smallest portions that is not cut any more."""
_FIRST, _SECOND, _FOLLOWED = 0, 2, 4
"""Of the portions around the followed point: from which to which they go, of each coordinate; and that point."""


@called
def soonest_on_surface(head, place, time, x, values, rounding, enough):
    """In what time a ball or a plane may touch a surface at other points than the followed one, at the soonest; known
    to a part. ``trial`` is left with a point for which that time is nearly the least, if there is any; how wide the
    portion is in whose middle it is, is told too.
    """
    surface, trial, stance = _surface(place.surface), as_doubles(head.trial), as_doubles(head.stance)
    first, second = x[place.first], x[place.second]
    if call_cell(place.stance, time, head.trial, values, head.stance) != OK:
        return 0.0, 0.0, 0.0
    place.seen_turning = stance[at.SPINNING]
    place.seen_moving = stance[at.MOVING] + stance[at.SPINNING] * surface.size
    if surface.level == 0:
        place.seen_x, place.seen_y, place.seen_z = stance[at.AWAY], stance[at.AWAY + 1], stance[at.AWAY + 2]
        place.size = surface.size
    moving, turning = place.seen_moving, place.seen_turning
    if place.kept_time == place.kept_time:
        moving, turning = max(moving, place.kept_moving), max(turning, place.kept_turning)
    is_all = _mark_around(head, surface, first, second)
    least, wide, other_wide = math.inf, 0.0, 0.0
    if not is_all:
        least, is_found = _search(head, surface, time, values, moving, turning, rounding, enough)
        found = as_doubles(head.waiting + WORD * PAIR * ROOM)
        if is_found:
            wide, other_wide = found[at.WIDTH], found[at.OTHER_WIDTH]
            first, second = found[at.LOW] + 0.5 * wide, found[at.OTHER_LOW] + 0.5 * other_wide
    trial[place.first] = first
    trial[place.second] = second
    return least, wide, other_wide


# -- around the followed point ----------------------------------------------------------------------------


@called
def _cell(value, low, width, side, is_closed):
    """On which of the smallest portions a coordinate is; -1 beyond all of them."""
    number = math.floor((value - low) / width)
    if is_closed:
        return int(number - side * math.floor(number / side))
    return int(number) if 0.0 <= number < side else -1


@called
def _mark_around(head, surface, first, second):
    """The rectangle of smallest portions around the followed point that has one nearest point; whether it is all."""
    marks, stance, side = as_doubles(head.around), as_doubles(head.stance), 1 << surface.levels
    marks[_FOLLOWED], marks[_FOLLOWED + 1] = first, second
    marks[_FIRST], marks[_FIRST + 1], marks[_SECOND], marks[_SECOND + 1] = 0.0, -1.0, 0.0, -1.0
    i = _cell(first, surface.low, surface.width, side, surface.closed & 1 != 0)
    j = _cell(second, surface.other_low, surface.other_width, side, surface.closed & 2 != 0)
    if i < 0 or j < 0 or not _is_convex(surface, stance, i * side + j):
        return False
    marks[_FIRST], marks[_FIRST + 1], marks[_SECOND], marks[_SECOND + 1] = float(i), float(i), float(j), float(j)
    grows = True
    while grows:
        grows = False
        for edge in range(4):
            grows = _extend(surface, stance, marks, edge, side) or grows
    return marks[1] - marks[0] + 1.0 >= side and marks[3] - marks[2] + 1.0 >= side


@called
def _extend(surface, stance, marks, edge, side):
    """One row or column of portions more at an edge of the rectangle, if all of them are convex; whether they are."""
    coordinate = _FIRST if edge < 2 else _SECOND
    low, high = int(marks[coordinate]), int(marks[coordinate + 1])
    number = low - 1 if edge % 2 == 0 else high + 1
    is_closed = surface.closed & (1 if edge < 2 else 2) != 0
    if high - low + 1 >= side or (not is_closed and not 0 <= number < side):
        return False
    from_first, to_first, from_second, to_second = int(marks[0]), int(marks[1]), int(marks[2]), int(marks[3])
    if edge < 2:
        from_first, to_first = number, number
    else:
        from_second, to_second = number, number
    if not _is_convex_over(surface, stance, from_first, to_first, from_second, to_second):
        return False
    marks[coordinate + edge % 2] = float(number)
    return True


@called
def _is_convex_over(surface, stance, from_first, to_first, from_second, to_second):
    side = 1 << surface.levels
    for i in range(from_first, to_first + 1):
        for j in range(from_second, to_second + 1):
            if not _is_convex(surface, stance, (i % side) * side + j % side):
                return False
    return True


@called
def _is_convex(surface, stance, number):
    """Whether the squared distance, or the height above the plane, is convex all over one of the smallest portions."""
    leaf = as_doubles(surface.leaves + WORD * at.LEAF * number)
    x, y, z, off, part = -stance[at.AWAY], -stance[at.AWAY + 1], -stance[at.AWAY + 2], 0.0, 0.0
    if surface.level == 0:
        x, y, z = -x - leaf[at.POINT], -y - leaf[at.POINT + 1], -z - leaf[at.POINT + 2]
        off, part = leaf[at.OFF], 1.0
    slopes = at.STRETCHES
    first, first_off = _along(leaf, 0, x, y, z, off)
    mixed, mixed_off = _along(leaf, 1, x, y, z, off)
    second, second_off = _along(leaf, 2, x, y, z, off)
    first, second = part * leaf[slopes] - first - first_off, part * leaf[slopes + 1] - second - second_off
    mixed = abs(part * leaf[slopes + 2] - mixed) + mixed_off + part * leaf[slopes + 3]
    return first > 0.0 and second > 0.0 and first * second > mixed * mixed


@called
def _along(leaf, number, x, y, z, off):
    """The product of one of the second slopes with a vector, known but for a length, and what it is off that."""
    b, v = at.BENDS + 3 * number, at.VARY + 3 * number
    varies = abs(x) * leaf[v] + abs(y) * leaf[v + 1] + abs(z) * leaf[v + 2]
    return x * leaf[b] + y * leaf[b + 1] + z * leaf[b + 2], varies + off * leaf[at.MOST + number]


@called
def _is_between(low, high, start, count, side, is_closed):
    """Whether all of some portions in a row are between two of them."""
    span, off = high - low, start - low
    if is_closed:
        return off % side + count - 1 <= span or span + 1 >= side
    return off >= 0 and off + count - 1 <= span


@called
def _is_around(marks, surface, item):
    """Whether all of a portion is around the followed point, or next to it."""
    depth, row, column = int(item[at.DEPTH]), int(item[at.ROW]), int(item[at.COLUMN])
    side, count, is_next = 1 << surface.levels, 1 << (surface.levels - depth), False
    first_closed, second_closed = surface.closed & 1 != 0, surface.closed & 2 != 0
    inside = _is_between(int(marks[_FIRST]), int(marks[_FIRST + 1]), row * count, count, side, first_closed)
    within = _is_between(int(marks[_SECOND]), int(marks[_SECOND + 1]), column * count, count, side, second_closed)
    if depth == surface.levels and as_doubles(surface.leaves)[at.LEAF * int(item[at.NUMBER]) + at.QUARTERS] == 0.0:
        first, second = marks[_FOLLOWED] - item[at.LOW], marks[_FOLLOWED + 1] - item[at.OTHER_LOW]
        is_next = _is_next(first, item[at.WIDTH], side * surface.width, first_closed)
        is_next = is_next and _is_next(second, item[at.OTHER_WIDTH], side * surface.other_width, second_closed)
    return (inside and within) or is_next


@called
def _is_next(away, width, span, is_closed):
    """Whether a coordinate, as it is from where a portion begins, is on that or no farther off than it is wide."""
    if is_closed:
        away -= span * math.floor((away + width) / span)
    return -width <= away <= 2.0 * width


# -- portions ---------------------------------------------------------------------------------------------


@called
def _search(head, surface, time, values, moving, turning, rounding, enough):
    """The least time in which any portions that count may be met, and whether one that nearly is is the one in the last
    place of those that wait."""
    least, best, is_found, top, looks = math.inf, math.inf, False, 1, 0
    most = _MOST_LOOKS if enough < CLOSELY else _MOST_CLOSELY
    first = as_doubles(head.waiting)
    first[at.BOUND] = 0.0
    _descend(surface, first, 0, 0, 0)
    while top > 0:
        top -= 1
        item = as_doubles(head.waiting + WORD * PAIR * top)
        bound, depth, row, column = item[at.BOUND], int(item[at.DEPTH]), int(item[at.ROW]), int(item[at.COLUMN])
        low, other_low, width, other_width = item[at.LOW], item[at.OTHER_LOW], item[at.WIDTH], item[at.OTHER_WIDTH]
        is_small, number, quarters = depth == surface.levels, int(item[at.NUMBER]), 0
        if is_small:
            quarters = int(as_doubles(surface.leaves)[at.LEAF * number + at.QUARTERS])
        is_finest = is_small and max(width / surface.width, other_width / surface.other_width) <= _FINEST
        if bound >= enough * best or looks >= most or is_finest or top + 4 >= ROOM:
            least = min(least, bound)
            continue
        looks += 1
        start = top
        for part in range(4):
            child = as_doubles(head.waiting + WORD * PAIR * top)
            value = -1.0
            if is_small:
                child[at.DEPTH], child[at.ROW], child[at.COLUMN] = float(depth), float(row), float(column)
                child[at.WIDTH], child[at.OTHER_WIDTH] = 0.5 * width, 0.5 * other_width
                child[at.LOW] = low + (part // 2) * 0.5 * width
                child[at.OTHER_LOW] = other_low + (part % 2) * 0.5 * other_width
                child[at.NUMBER] = float(number if quarters == 0 else quarters + part)
            if is_small and quarters == 0:
                value = _look_closer(head, surface, child, time, values, bound, moving, turning, rounding)
            elif is_small:
                value = _look(head, surface, child, moving, turning, rounding)
            else:
                _descend(surface, child, depth + 1, 2 * row + part // 2, 2 * column + part % 2)
                value = _look(head, surface, child, moving, turning, rounding)
            if value < 0.0:
                continue
            if value < best and int(child[at.DEPTH]) == surface.levels:
                best, is_found = value, True
                _copy(head, top, ROOM)
            top += 1
        for k in range(start, top - 1):  # what is nearest is looked at first
            if (
                as_doubles(head.waiting + WORD * PAIR * k)[at.BOUND]
                < as_doubles(head.waiting + WORD * PAIR * (top - 1))[at.BOUND]
            ):
                _swap(head, k, top - 1)
    return least, is_found


@called
def _copy(head, one, other):
    of, to = as_doubles(head.waiting + WORD * PAIR * one), as_doubles(head.waiting + WORD * PAIR * other)
    for k in range(PAIR):
        to[k] = of[k]


@called
def _swap(head, one, other):
    a, b = as_doubles(head.waiting + WORD * PAIR * one), as_doubles(head.waiting + WORD * PAIR * other)
    for k in range(PAIR):
        a[k], b[k] = b[k], a[k]


@called
def _descend(surface, item, depth, row, column):
    """Put a portion that is known into an item."""
    count = 1 << (surface.levels - depth)
    item[at.DEPTH], item[at.ROW], item[at.COLUMN] = float(depth), float(row), float(column)
    item[at.WIDTH], item[at.OTHER_WIDTH] = count * surface.width, count * surface.other_width
    item[at.LOW] = surface.low + row * item[at.WIDTH]
    item[at.OTHER_LOW] = surface.other_low + column * item[at.OTHER_WIDTH]
    item[at.NUMBER] = float((row << depth) + column)


@called
def _look(head, surface, item, moving, turning, rounding):
    """Put the time before which a portion is not met into its item; that of its middle, negative where it does not
    count."""
    number = ((1 << 2 * int(item[at.DEPTH])) - 1) // 3 + int(item[at.NUMBER])
    node, stance = as_doubles(surface.nodes + WORD * at.NODE * number), as_doubles(head.stance)
    if node[at.RADIUS] < 0.0 or _is_around(as_doubles(head.around), surface, item):
        return -1.0
    n = at.NORMAL
    bound, value = _times(
        surface, stance, node[0], node[1], node[2], node[at.RADIUS], node[n], node[n + 1], node[n + 2], node[at.HALF],
        moving, turning, rounding,
    )  # fmt: skip
    item[at.BOUND] = bound
    return value


@called
def _look_closer(head, surface, item, time, values, known, moving, turning, rounding):
    """The same for a part of one of the smallest, of the whole of which a time is ``known``."""
    leaf = as_doubles(surface.leaves + WORD * at.LEAF * int(item[at.NUMBER]))
    trial, looked, stance = as_doubles(head.trial), as_doubles(head.looked), as_doubles(head.stance)
    trial[surface.first] = item[at.LOW] + 0.5 * item[at.WIDTH]
    trial[surface.second] = item[at.OTHER_LOW] + 0.5 * item[at.OTHER_WIDTH]
    item[at.BOUND] = known
    if call_cell(surface.spot, time, head.trial, values, head.looked) != OK:
        return math.inf  # what is known of the whole holds for its parts
    half, other_half = 0.5 * item[at.WIDTH], 0.5 * item[at.OTHER_WIDTH]
    radius = half * leaf[at.SPEEDS] + other_half * leaf[at.SPEEDS + 1]
    angle = min(math.pi, half * leaf[at.TURNINGS] + other_half * leaf[at.TURNINGS + 1])
    bound, value = _times(
        surface, stance, looked[0], looked[1], looked[2], radius, looked[3], looked[4], looked[5], angle,
        moving, turning, rounding,
    )  # fmt: skip
    item[at.BOUND] = max(known, bound)
    return value


@called
def _times(surface, stance, x, y, z, radius, nx, ny, nz, half, moving, turning, rounding):
    """In what time a portion may be met at the soonest, and in what time its middle may, if normals are opposed."""
    a, b, c = stance[at.AWAY], stance[at.AWAY + 1], stance[at.AWAY + 2]
    if surface.level == 0:
        x, y, z = a - x, b - y, c - z
        away = math.sqrt(x * x + y * y + z * z) - rounding
        return _over(away - radius, moving), _over(away, moving)
    away = abs(stance[at.HEIGHT] + a * x + b * y + c * z) - rounding
    across = math.sqrt((b * nz - c * ny) ** 2 + (c * nx - a * nz) ** 2 + (a * ny - b * nx) ** 2)
    turned = _over(math.atan2(across, -(a * nx + b * ny + c * nz)) - half, turning)
    return max(_over(away - radius, moving), turned), max(_over(away, moving), turned)


@called
def _over(way, speed):
    """The time that a way takes."""
    if way <= 0.0:
        return 0.0
    return way / speed if speed > 0.0 else math.inf
