"""How soon two curves, or what is round and a curve, may touch elsewhere than where that is followed.

Two points d apart do not meet before d / v has passed, v being how fast the points of one curve move as seen from the
other; and where curves touch first their normals are opposed, so that normals which are off that by an angle a do not
before a / w has, w being how fast one curve turns against the other. Of portions of curves, which are known by a circle
around them and by how far their normals turn, no two points meet before the least that both can be. Portions are cut in
halves as long as it matters.

Of the portions around the followed pair, all pairs count as one: where curves stick out more than they are hollow,
k1 + k2 + g k1 k2 > 0 for all their curvatures, and turn by less than a right angle from the followed points on, the
curves touch nowhere else than there, g being the gap at these.

What is round, with its middle at p and the radius r, touches a point c of a curve with the normal n where p = c + r n;
so does a ring around the curve, with r < 0. Its middle is the first curve, a single point, the places c + r n are the
second one, and normals do not count. With k1 = 1/r the condition above is 1 + (r + g) k > 0, inside a ring < 0. Where
it holds all around the followed point, so does 1 + d k for each d from r to r + g, and (s, d) -> c(s) + d n(s) gives no
place twice. Let x be along the tangent and y along the normal at the followed point. At each d, x grows or falls all
along with s, for its slope is (1 + d k) |c'| cos a, where a is how far the normal has turned. At each x, the d for
which some s is there make up an interval, since x at either end is linear in d; and on it y grows with d, by 1 / cos a.
So p, which is there with d = r + g at the followed point, is c + r n at none of those around.

A straight face is a curve with k1 = 0, of which every point may touch: heights above it count instead of distances.
Where k > 0 all around the followed point, heights have no other place at which they are stationary.
"""

from __future__ import annotations

import math
from typing import Final

from detent.jit.abi import OK, WORD
from detent.jit.intrinsics import as_doubles, call_cell, called, row_reader
from detent.solves import portions_frame as at

_portions: Final = row_reader(at.PORTIONS)

ENOUGH: Final = 0.8
CLOSELY: Final = 0.999
"""The least time is known to this part; and to this one, where it matters which of several points is the nearest."""
_MOST_LOOKS: Final = 100000
"""Pairs are looked at; what is still to be looked at then counts by its bound."""
_FINEST: Final = 2.0**-20
"""The part of one of the smallest portions that is not cut any more."""
_RIGHT: Final = 1.4
"""Around the followed point normals turn by less than this, rad, on each side."""
_NEXT: Final = 1
"""So many portions on each side are next to the followed point, whatever they bend like."""


_WHOLE: Final = 1
_LOW, _HIGH, _TURNED, _BENDS = 0, 1, 4, 8
"""Of the portions around the followed points: from where to where they go, of each curve; by how much these turn on
each side; how much they stick out at least."""


@called
def soonest_elsewhere(head, place, time, x, values, gap, rounding, enough):
    """In what time two curves may touch at other points than the followed ones, at the soonest; known to a part.

    ``trial`` is left with points for which that time is nearly the least, if there are any; how wide the portion is in
    whose middle the last of them is, is told too.
    """
    one, other = _portions(place.portions, 0), _portions(place.portions, 1)
    trial, stance = as_doubles(head.trial), as_doubles(head.stance)
    first, second = x[place.first], x[place.second]
    if call_cell(place.stance, time, head.trial, values, head.stance) != OK:
        return 0.0, 0.0
    place.seen_turning = stance[at.SPINNING]
    place.seen_moving = stance[at.MOVING] + stance[at.SPINNING] * one.size
    if one.level == 0:
        place.seen_x, place.seen_y, place.size = stance[at.PLACE], stance[at.PLACE + 1], max(one.size, other.size)
        place.seen_angle = math.atan2(stance[at.AXES + 1], stance[at.AXES])
    if _sticks_out(one) and _sticks_out(other):
        trial[place.first] = first
        trial[place.second] = second
        return math.inf, 0.0
    moving, turning = place.seen_moving, place.seen_turning
    if place.kept_time == place.kept_time:
        moving, turning = max(moving, place.kept_moving), max(turning, place.kept_turning)
    _mark_around(head, one, other, _leaf(one, first), _leaf(other, second), max(gap, 0.0))
    least, nearest = _search(head, one, other, time, values, moving, turning, rounding, enough)
    found, wide = as_doubles(head.waiting + WORD * at.PAIR * at.ROOM), 0.0
    if nearest >= 0:
        first, second, wide = _middle(found, 0), _middle(found, at.ITEM), found[at.ITEM + at.WIDTH]
    trial[place.first] = first
    trial[place.second] = second  # of what is round this is the only one
    return least, wide


@called
def _sticks_out(curve):
    """Whether a curve is closed and sticks out all round: two such curves touch in one place."""
    return curve.closed != 0 and as_doubles(curve.nodes)[at.NODE * _WHOLE + at.BEND] > 0.0


# -- around the followed points ---------------------------------------------------------------------------


@called
def _leaf(curve, value):
    """On which of the smallest portions a coordinate is; -1 beyond all of them, but for those that go on straight."""
    leaves, first, count = as_doubles(curve.leaves), 0, curve.count
    if curve.closed != 0:
        value -= curve.span * math.floor((value - curve.low) / curve.span)
    elif curve.straight == 0 and not 0.0 <= value - curve.low < curve.span:
        return -1
    while count > 1:  # it is on one of so many from the first on
        count //= 2
        if value >= leaves[at.LEAF * (first + count) + at.BEGIN]:
            first += count
    return first


@called
def _wrapped(curve, leaf):
    return leaf % curve.count if curve.closed != 0 else min(max(leaf, 0), curve.count - 1)


@called
def _bend(curve, leaf):
    return as_doubles(curve.nodes)[at.NODE * (curve.count + _wrapped(curve, leaf)) + at.BEND]


@called
def _mark_around(head, one, other, i, j, gap):
    """The smallest portions around the followed points which touch nowhere else."""
    marks = as_doubles(head.around)
    _begin_around(marks, 0, one, i)
    _begin_around(marks, 1, other, j)
    if i < 0 or j < 0:
        marks[_LOW], marks[_HIGH] = 0.0, -1.0
        return
    grows = True
    while grows:
        grows = False
        for side in range(4):
            if side < 2:
                grows = _extend(marks, side, 0, one, gap) or grows
            else:
                grows = _extend(marks, side, 1, other, gap) or grows


@called
def _begin_around(marks, number, curve, leaf):
    """The followed point's own portion, and those next to it."""
    low, high, least = leaf - _NEXT, leaf + _NEXT, math.inf
    if curve.closed == 0:
        low, high = max(low, 0), min(high, curve.count - 1)
    for k in range(low, high + 1):
        least = min(least, _bend(curve, k))
    marks[_LOW + 2 * number], marks[_HIGH + 2 * number] = float(low), float(high)
    marks[_TURNED + 2 * number] = marks[_TURNED + 2 * number + 1] = 0.0
    marks[_BENDS + number] = least


@called
def _extend(marks, side, number, curve, gap):
    """One portion more on a side of one curve, if all still part from where they are nearest; whether there is."""
    low, high = int(marks[_LOW + 2 * number]), int(marks[_HIGH + 2 * number])
    leaf = low - 1 if side % 2 == 0 else high + 1
    if high - low + 1 >= curve.count or (curve.closed == 0 and not 0 <= leaf < curve.count):
        return False
    turned = marks[_TURNED + side]
    known = as_doubles(curve.leaves + WORD * at.LEAF * _wrapped(curve, leaf))
    turned += known[at.TURNING] * known[at.SPAN]
    bend = min(marks[_BENDS + number], _bend(curve, leaf))
    if not (turned < _RIGHT and _part(bend, marks[_BENDS + 1 - number], gap)):
        return False
    marks[_BENDS + number], marks[_TURNED + side] = bend, turned
    marks[_LOW + 2 * number + side % 2] = float(leaf)
    return True


@called
def _part(first, second, gap):
    """Whether curves that bend so part on both sides of where they are nearest."""
    return 1.0 + gap * first > 0.0 and 1.0 + gap * second > 0.0 and first + second + gap * first * second > 0.0


@called
def _standing_around(marks, number, curve, portion):
    """Whether all of a portion is around the followed point, and whether none of it is."""
    low, count = portion, 1
    while low < curve.count:
        low, count = 2 * low, 2 * count
    first, span = int(marks[_LOW + 2 * number]), int(marks[_HIGH + 2 * number] - marks[_LOW + 2 * number])
    off = low - curve.count - first
    if curve.closed != 0:
        off = off % curve.count
        return off + count - 1 <= span or span + 1 >= curve.count, off > span and off + count <= curve.count
    return off >= 0 and off + count - 1 <= span, off > span or off + count <= 0


# -- pairs of portions ------------------------------------------------------------------------------------


@called
def _search(head, one, other, time, values, moving, turning, rounding, enough):
    """The least time in which any portions that count may meet, and whether a pair that nearly does is the one in the
    last place of those that wait."""
    marks, best, least, nearest, top = as_doubles(head.around), math.inf, math.inf, -1, 1
    stance, first = as_doubles(head.stance), as_doubles(head.waiting)
    _load(first, 0, one, _WHOLE, stance, True)
    _load(first, at.ITEM, other, _WHOLE, stance, False)
    first[2 * at.ITEM] = 0.0
    looks = 0
    while top > 0:
        top -= 1
        pair = as_doubles(head.waiting + WORD * at.PAIR * top)
        bound = pair[2 * at.ITEM]
        cut = _larger(pair, one, other)
        if bound >= enough * best or looks >= _MOST_LOOKS or cut < 0 or top + 2 >= at.ROOM:
            least = min(least, bound)
            continue
        looks += 1
        lower = math.inf
        _copy(head, top, top + 1)
        start = top
        for half in range(2):
            child = as_doubles(head.waiting + WORD * at.PAIR * (start + half))
            is_there = False
            if cut == 0:
                is_there = _halve(head, child, 0, one, half, time, values)
            else:
                is_there = _halve(head, child, at.ITEM, other, half, time, values)
            inside, outside = _standing_around(marks, 0, one, int(child[at.NUMBER]))
            within, without = _standing_around(marks, 1, other, int(child[at.ITEM + at.NUMBER]))
            if not is_there or (inside and within):
                continue
            bound, value = _bounds(child, one.level != 0, moving, turning, rounding)
            child[2 * at.ITEM] = bound
            is_small = child[at.NUMBER] >= one.count and child[at.ITEM + at.NUMBER] >= other.count
            if value < best and is_small and (outside or without):
                best, nearest = value, 1
                _copy(head, start + half, at.ROOM)
            if top < start + half:
                _copy(head, start + half, top)
            if top == start + 1 and bound > lower:  # what is nearer is looked at first
                _swap(head, start, top)
            lower = bound
            top += 1
    return least, nearest


@called
def _copy(head, one, other):
    of, to = as_doubles(head.waiting + WORD * at.PAIR * one), as_doubles(head.waiting + WORD * at.PAIR * other)
    for k in range(at.PAIR):
        to[k] = of[k]


@called
def _swap(head, one, other):
    a, b = as_doubles(head.waiting + WORD * at.PAIR * one), as_doubles(head.waiting + WORD * at.PAIR * other)
    for k in range(at.PAIR):
        a[k], b[k] = b[k], a[k]


@called
def _larger(pair, one, other):
    """Which of two portions is to be cut: the larger; -1 where neither is."""
    first = _extent(pair, 0, one, one.size)
    second = _extent(pair, at.ITEM, other, one.size)
    if max(first, second) < 0.0:
        return -1
    return 0 if first >= second else 1


@called
def _extent(pair, item, curve, size):
    leaf = int(pair[item + at.NUMBER]) - curve.count
    if leaf >= 0 and pair[item + at.WIDTH] <= _FINEST * as_doubles(curve.leaves)[at.LEAF * leaf + at.SPAN]:
        return -1.0
    return pair[item + at.RADIUS] + size * pair[item + at.HALF]


@called
def _middle(pair, item):
    """The coordinate in the middle of a portion, one of the smallest or a part of one."""
    return pair[item + at.LOW] + 0.5 * pair[item + at.WIDTH]


@called
def _halve(head, pair, item, curve, half, time, values):
    """Put a half in the place of a portion; whether there is anything of the curve on it."""
    number, stance = int(pair[item + at.NUMBER]), as_doubles(head.stance)
    if number < curve.count:
        return _load(pair, item, curve, 2 * number + half, stance, item == 0)
    trial, looked, leaf = as_doubles(head.trial), as_doubles(head.looked), as_doubles(curve.leaves)
    width = 0.5 * pair[item + at.WIDTH]
    low = pair[item + at.LOW] + half * width
    trial[curve.column] = low + 0.5 * width
    if call_cell(curve.spot, time, head.trial, values, head.looked) != OK:
        return True  # what is known of the whole holds for its halves
    _put(pair, item, stance, item == 0, looked[0], looked[1], looked[2], looked[3])
    number -= curve.count
    pair[item + at.RADIUS] = min(pair[item + at.RADIUS], 0.5 * width * leaf[at.LEAF * number + at.SPEED])
    pair[item + at.HALF] = min(math.pi, 0.5 * width * leaf[at.LEAF * number + at.TURNING])
    pair[item + at.LOW], pair[item + at.WIDTH] = low, width
    return True


@called
def _load(pair, item, curve, number, stance, is_first):
    """Put a portion into a pair; whether there is anything of the curve on it."""
    node = as_doubles(curve.nodes + WORD * at.NODE * number)
    _put(pair, item, stance, is_first, node[at.X], node[at.Y], node[at.NORMAL_X], node[at.NORMAL_Y])
    pair[item + at.RADIUS], pair[item + at.HALF] = node[at.RADIUS], node[at.HALF]
    leaf = as_doubles(curve.leaves + WORD * at.LEAF * max(0, number - curve.count))
    pair[item + at.NUMBER], pair[item + at.LOW], pair[item + at.WIDTH] = float(number), leaf[at.BEGIN], leaf[at.SPAN]
    return node[at.RADIUS] >= 0.0


@called
def _put(pair, item, stance, is_first, x, y, normal_x, normal_y):
    """Put a point and a normal, along the axes of their curve, into a pair, along those of the second."""
    if is_first:
        a, b, c, d = stance[at.AXES], stance[at.AXES + 1], stance[at.AXES + 2], stance[at.AXES + 3]
        x, y = stance[at.PLACE] + a * x + c * y, stance[at.PLACE + 1] + b * x + d * y
        normal_x, normal_y = a * normal_x + c * normal_y, b * normal_x + d * normal_y
    pair[item + at.X], pair[item + at.Y] = x, y
    pair[item + at.NORMAL_X], pair[item + at.NORMAL_Y] = normal_x, normal_y


@called
def _bounds(pair, is_level, moving, turning, rounding):
    """In what time two portions may meet at the soonest, and in what time the points in their middle may, if normals of
    the portions are opposed then."""
    x, y = pair[at.X] - pair[at.ITEM + at.X], pair[at.Y] - pair[at.ITEM + at.Y]
    a, b = pair[at.NORMAL_X], pair[at.NORMAL_Y]
    away = (abs(a * x + b * y) if is_level else math.sqrt(x * x + y * y)) - rounding
    c, d = pair[at.ITEM + at.NORMAL_X], pair[at.ITEM + at.NORMAL_Y]
    angle = math.atan2(abs(a * d - b * c), -(a * c + b * d))
    apart = away - pair[at.RADIUS] - pair[at.ITEM + at.RADIUS]
    turned = angle - pair[at.HALF] - pair[at.ITEM + at.HALF]
    turned = _over(turned, turning)
    return max(_over(apart, moving), turned), max(_over(away, moving), turned)


@called
def _over(way, speed):
    """The time that a way takes."""
    if way <= 0.0:
        return 0.0
    return way / speed if speed > 0.0 else math.inf
