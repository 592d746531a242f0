"""How far shapes may move in one step: the way to wherever they might touch, but around the point that is followed.

What is round and has its middle at p touches a point c of a curve or surface where p = c + r n. It does not within a
step in which p moves less far than to there. About points around the one that is followed, which may touch, that says
nothing; but as far as the squared distance is convex in their coordinates, none of them is nearer than all around it,
but for the one that is followed. So all points that are looked at count, but for those around that one as far as the
squared distance is convex, and for those next to it.
"""

from __future__ import annotations

import math
from typing import Final

from detent.jit.abi import OK
from detent.jit.intrinsics import as_doubles, call_cell, called
from detent.solves import following_frame as at

_BENT: Final = 0.0
_CONVEX: Final = 1.0
_AROUND: Final = 2.0
"""Known of a point: the squared distance is not convex there; it is; and so are all from the followed one on."""
_NEXT: Final = 2.0
"""Cells: what is no farther from the followed point is next to it."""
_CLOSER: Final = 4.0
_MOST_CLOSER: Final = 16
"""Where the square of a way is this much more in the next cell it is looked at closer; in no more cells than that."""
_SETTLED: Final = 1e-2
"""What varies by no more than this part is not looked at closer once more."""
_PIECES: Final = 8
_LEVELS: Final = 14
"""Into how many pieces a cell is cut for that, and how often."""
_WAY: Final = 0.8
"""The part of the way to other places, which are known at some points only, that shapes may move in one step."""


@called
def way_elsewhere(head, place, time, x, values, ends, low, width, count, other_low, other_width, other_count):
    """How far the middle of what is round may move before it can touch in the cells of a grid, but around the followed
    point; and whether the squared distance is not convex close to that.

    ``ends`` tells which coordinates do not come back to their start. How far apart the points of the grid are is known;
    ``trial`` is used.
    """
    at_first = _cell(x[place.first], low, width, count, ends & 1 != 0)
    at_second = 0.0
    if other_count > 1:
        at_second = _cell(x[place.second], other_low, other_width, other_count, ends & 2 != 0)
    is_bent, is_all = _mark_around(head, ends, at_first, count, at_second, other_count)
    if is_all:
        return math.inf, is_bent
    _look_at_all(head, place, time, values, low, width, count, other_low, other_width, other_count)
    least, reaches = as_doubles(head.around), as_doubles(head.reaches)
    for i in range(count):
        is_off = _is_off(head, place, 0, low + (i + 0.5) * width)
        for j in range(other_count):
            here, skipped = i * other_count + j, is_off
            if other_count > 1:
                skipped = skipped or _is_off(head, place, 1, other_low + (j + 0.5) * other_width)
            skipped = skipped or least[here] == _AROUND
            least[here] = math.inf if skipped else _least_in(reaches, ends, i, count, j, other_count)
    closer = 0
    for here in range(count * other_count):
        i, j = here // other_count, here % other_count
        if least[here] < math.inf and closer < _MOST_CLOSER and _dips(reaches, ends, i, count, j, other_count):
            closer += 1
            least[here] = _look_closer(
                head, place, time, values, low + i * width, width, other_low + j * other_width, other_width
            )
    return math.sqrt(max(0.0, _least_of(least, count * other_count))), is_bent


@called
def goes_too_far(place, time):
    """Whether the shapes may have met elsewhere since the last step."""
    way = abs(time - place.kept_time) * max(place.kept_speed, place.seen_speed)
    return place.seen_speed >= 0.0 and way > _WAY * min(place.kept_way, place.seen_way)


@called
def _cell(value, low, width, count, has_ends):
    """In which cell a coordinate is, counted from the middle of the first; outside of all of them beyond an end."""
    cell = (value - low) / width - 0.5
    return cell if has_ends else cell - count * math.floor(cell / count)


@called
def _is_off(head, place, number, value):
    """Whether a coordinate is beyond an end."""
    given = as_doubles(head.given)
    beyond = value < given[at.RANGES + 2 * number] or value > given[at.RANGES + 2 * number + 1]
    return beyond and place.off_range & (number + 1) != 0


@called
def _is_next(i, cell, count, has_ends):
    cells = abs(i - cell)
    return cells < _NEXT or (not has_ends and count - cells < _NEXT)


@called
def _mark_around(head, ends, at_first, count, at_second, other_count):
    """Mark the points around the followed one as far as the squared distance is convex; whether it is not close by, and
    whether it is everywhere."""
    sampled, around, is_bent, is_all = as_doubles(head.sampled), as_doubles(head.around), False, True
    first = int(min(max(at_first + 0.5, 0.0), count - 1.0))
    second = int(min(max(at_second + 0.5, 0.0), other_count - 1.0))
    for i in range(count):
        is_next = _is_next(i, at_first, count, ends & 1 != 0)
        for j in range(other_count):
            here = i * other_count + j
            around[here] = _CONVEX if _is_convex(sampled, ends, i, count, j, other_count) else _BENT
            is_all = is_all and around[here] == _CONVEX
            if is_next and _is_next(j, at_second, other_count, ends & 2 != 0):
                is_bent = is_bent or around[here] == _BENT
                around[here] = _AROUND
    if is_all:
        return False, True
    here = first * other_count + second
    around[here] = _AROUND if around[here] != _BENT else _BENT
    _spread(around, ends, count, other_count)
    return is_bent, False


@called
def _spread(around, ends, count, other_count):
    """Mark all that are convex and next to one that is marked, and so on."""
    grows, last = True, count * other_count - 1
    while grows:
        grows = False
        for k in range(2 * last + 2):  # there and back
            here = k if k <= last else 2 * last + 1 - k
            i, j = here // other_count, here % other_count
            if around[here] == _CONVEX and _touches(around, ends, i, count, j, other_count, _AROUND):
                around[here] = _AROUND
                grows = True


@called
def _look_at_all(head, place, time, values, low, width, count, other_low, other_width, other_count):
    """The squared way to where each point of a grid is touched."""
    trial, reaches, looked = as_doubles(head.trial), as_doubles(head.reaches), as_doubles(head.looked)
    for i in range(count):
        for j in range(other_count):
            trial[place.second] = other_low + (j + 0.5) * other_width
            trial[place.first] = low + (i + 0.5) * width
            status = call_cell(place.reach, time, head.trial, values, head.looked)
            reaches[i * other_count + j] = looked[0] if status == OK else math.inf


@called
def _is_convex(sampled, ends, i, count, j, other_count):
    """Whether the squared distance is convex at a point, by those around it; at an end, by those next to it."""
    a, left, right = _three(i, count, ends & 1 != 0)
    b, below, above = _three(j, other_count, ends & 2 != 0)
    here = sampled[a * other_count + b]
    across = sampled[left * other_count + b] - 2.0 * here + sampled[right * other_count + b]
    if other_count == 1:
        return across > 0.0
    up = sampled[a * other_count + below] - 2.0 * here + sampled[a * other_count + above]
    mixed = sampled[right * other_count + above] - sampled[right * other_count + below]
    mixed -= sampled[left * other_count + above] - sampled[left * other_count + below]
    return across > 0.0 and across * up > 0.0625 * mixed * mixed


@called
def _three(i, count, has_ends):
    """A place and those before and after it; those next to the end for the one at an end."""
    if has_ends:
        i = min(max(i, 1), count - 2)
        return i, i - 1, i + 1
    return i, (i + count - 1) % count, (i + 1) % count


@called
def _touches(around, ends, i, count, j, other_count, what):
    """Whether one of the points next to one is so marked."""
    found = False
    for di, dj in ((-1, 0), (1, 0), (0, -1), (0, 1)):
        a, b = i + di, j + dj
        if ends & 1 == 0:
            a = a % count
        if ends & 2 == 0:
            b = b % other_count
        if 0 <= a < count and 0 <= b < other_count:
            found = found or around[a * other_count + b] == what
    return found


@called
def _least_of(values, count):
    least = math.inf
    for k in range(count):
        least = min(least, values[k])
    return least


@called
def _least_in(reaches, ends, i, count, j, other_count):
    """About the least value within a cell."""
    value = _least_across(reaches, i, count, other_count, j, ends & 1 != 0)
    if other_count > 1:
        value += _least_across(reaches, j, other_count, 1, i * other_count, ends & 2 != 0)
        value -= reaches[i * other_count + j]
    return value


@called
def _dips(reaches, ends, i, count, j, other_count):
    """Whether a value is less than those around it, and than one so much that it may be far less in its cell."""
    here, most = reaches[i * other_count + j], 0.0
    for di, dj in ((-1, 0), (1, 0), (0, -1), (0, 1)):
        a, b = i + di, j + dj
        if ends & 1 == 0:
            a = a % count
        if ends & 2 == 0:
            b = b % other_count
        if 0 <= a < count and 0 <= b < other_count:
            value = reaches[a * other_count + b]
            if value < here:
                return False
            most = max(most, value)
    return most > _CLOSER * here


@called
def _look_closer(head, place, time, values, low, width, other_low, other_width):
    """The least value within a cell, looked for closer and closer."""
    trial, looked, best = as_doubles(head.trial), as_doubles(head.looked), math.inf
    first, second = low + 0.5 * width, other_low + 0.5 * other_width
    half, other_half = 0.5 * width, 0.5 * other_width
    for _ in range(_LEVELS):
        most = 0.0
        from_first, from_second = max(low, first - half), max(other_low, second - other_half)
        piece = (min(low + width, first + half) - from_first) / _PIECES
        other_piece = (min(other_low + other_width, second + other_half) - from_second) / _PIECES
        for i in range(_PIECES):
            for j in range(_PIECES if place.coordinates == 2 else 1):
                trial[place.second] = from_second + (j + 0.5) * other_piece
                trial[place.first] = from_first + (i + 0.5) * piece
                if call_cell(place.reach, time, head.trial, values, head.looked) == OK:
                    most = max(most, looked[0])
                    if looked[0] < best:
                        best, first, second = looked[0], trial[place.first], trial[place.second]
        half, other_half = piece, other_piece
        if most - best < _SETTLED * best:
            break
    return best


@called
def _least_across(reaches, i, count, stride, first, has_ends):
    """The least value within a cell along one coordinate, on the parabola through the middles of three cells."""
    middle, left, right = _three(i, count, has_ends)
    here, before = reaches[first + middle * stride], reaches[first + left * stride]
    after = reaches[first + right * stride]
    slope, bend = 0.5 * (after - before), after - 2.0 * here + before
    low, high = i - middle - 0.5, i - middle + 0.5
    least = min(low * (slope + 0.5 * bend * low), high * (slope + 0.5 * bend * high))
    if bend > 0.0 and low < -slope / bend < high:
        least = -0.5 * slope * slope / bend
    return here + least
