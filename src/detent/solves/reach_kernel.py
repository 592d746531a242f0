"""How far shapes may move in one step: the way to wherever they might touch, but around the point that is followed.

What is round and has its middle at p touches a point c of a curve or surface where p = c + r n. It does not within a
step in which p moves less far than to there. About points around the one that is followed, which may touch, that says
nothing; but as far as the squared distance is convex in their coordinates, none of them is nearer than all around it,
but for the one that is followed. So all points that are looked at count, but for those around that one as far as the
squared distance is convex, and for those next to it.

A plane touches a point of a surface where that is at the height zero and its normal is opposed: the way to there is
the height, and how far the normals are from being opposed, times the size of the surface. Around the followed point
those do not count for which the height is convex.
"""

from __future__ import annotations

import math
from typing import Final

from detent.jit.abi import OK
from detent.jit.intrinsics import as_doubles, call_cell, called
from detent.solves import following_frame as at

_BENT: Final = -3.0
_CONVEX: Final = -2.0
_AROUND: Final = -1.0
"""Known of a point: the squared distance is not convex there; it is; and so are all from the followed one on."""
_NEXT: Final = 2.0
"""Cells: what is no farther from the followed point is next to it."""
_MOST_CLOSER: Final = 32
"""In how many cells ways are looked at closer."""
_VARIES: Final = 2.0
_UNEVEN: Final = 0.5
"""A way is looked at closer where it is less than so many times what it changes by from one cell to the next; before it
is, it counts as less, by this part of that."""
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
    ``trial`` is left with the point to which that way is the least, of those that were looked at closer, if any.
    """
    trial, closest, first, second = as_doubles(head.trial), math.inf, x[place.first], x[place.second]
    at_first = _cell(x[place.first], low, width, count, ends & 1 != 0)
    at_second = 0.0
    if other_count > 1:
        at_second = _cell(x[place.second], other_low, other_width, other_count, ends & 2 != 0)
    is_bent, is_all = _mark_around(head, ends, at_first, count, at_second, other_count)
    if is_all:
        trial[place.second] = second
        trial[place.first] = first
        return math.inf, is_bent
    _look_at_all(head, place, time, values, low, width, count, other_low, other_width, other_count)
    _bound_all(head, place, ends, low, width, count, other_low, other_width, other_count)
    least, sure = as_doubles(head.around), as_doubles(head.sampled)
    for _ in range(_MOST_CLOSER):
        here = _least_of(least, count * other_count)
        if sure[here] > 0.0 or least[here] == math.inf:
            break
        i, j = here // other_count, here % other_count
        sure[here] = 1.0
        least[here] = _look_closer(
            head, place, time, values, low + i * width, width, other_low + j * other_width, other_width
        )
        if least[here] < closest:
            closest, first, second = least[here], trial[place.first], trial[place.second]
    trial[place.second] = second
    trial[place.first] = first
    return math.sqrt(least[_least_of(least, count * other_count)]), is_bent


@called
def speed_of(head, place):
    """How fast one shape comes nearer to touching the other in any place, at most; negative where nobody knows.

    Over a plane that turns at w and to which its origin comes nearer at v, points of a shape of size R do at v + w R,
    and normals turn at w, which counts by that size too.
    """
    given = as_doubles(head.given)
    turning = given[at.TURNING] * place.size
    if place.size == 0.0:
        return given[at.SPEED]
    return math.sqrt((given[at.SPEED] + turning) * (given[at.SPEED] + turning) + turning * turning)


@called
def _scaled(place, looked, k):
    """A component of a way; over a plane all but the first have no dimension, and count by the size of the shape."""
    return looked[k] if place.size == 0.0 or k == 0 else place.size * looked[k]


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
        for j in range(other_count):
            here = i * other_count + j
            around[here] = _CONVEX if _is_convex(sampled, ends, i, count, j, other_count) else _BENT
            is_all = is_all and around[here] == _CONVEX
    if is_all:
        return False, True
    here = first * other_count + second
    around[here] = _AROUND if around[here] == _CONVEX else _BENT
    _spread(around, ends, count, other_count)
    for i in range(count):
        if _is_next(i, at_first, count, ends & 1 != 0):
            for j in range(other_count):
                if _is_next(j, at_second, other_count, ends & 2 != 0):
                    is_bent = is_bent or around[i * other_count + j] == _BENT
                    around[i * other_count + j] = _AROUND
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
    """The way from where each point of a grid is touched."""
    trial, reaches, looked = as_doubles(head.trial), as_doubles(head.reaches), as_doubles(head.looked)
    for i in range(count):
        for j in range(other_count):
            trial[place.second] = other_low + (j + 0.5) * other_width
            trial[place.first] = low + (i + 0.5) * width
            status = call_cell(place.reach, time, head.trial, values, head.looked)
            for k in range(3):
                reaches[3 * (i * other_count + j) + k] = _scaled(place, looked, k) if status == OK else math.inf


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
def _bound_all(head, place, ends, low, width, count, other_low, other_width, other_count):
    """What bounds the values in each cell from below goes where marks were; where they do not count it is infinite."""
    bounds = as_doubles(head.around)
    for i in range(count):
        is_off = _is_off(head, place, 0, low + (i + 0.5) * width)
        for j in range(other_count):
            here, skipped = i * other_count + j, is_off
            if other_count > 1:
                skipped = skipped or _is_off(head, place, 1, other_low + (j + 0.5) * other_width)
            if bounds[here] != _AROUND:
                bounds[here] = math.inf if skipped else _bound(head, place, ends, i, count, j, other_count)
    for here in range(count * other_count):
        if bounds[here] == _AROUND:
            bounds[here] = math.inf


@called
def _bound(head, place, ends, i, count, j, other_count):
    """What bounds the squared ways in a cell from below: they change nearly evenly from point to point.

    Over a plane heights alone do too, which change less than normals do.
    """
    reaches, around, sure = as_doubles(head.reaches), as_doubles(head.around), as_doubles(head.sampled)
    here = i * other_count + j
    least, longest, lowest, steepest = math.inf, 0.0, reaches[3 * here], 0.0
    for di, dj in ((-1, 0), (1, 0), (0, -1), (0, 1)):
        if dj != 0 and other_count == 1:
            continue
        a, b, part = i + di, j + dj, 1.0
        if ends & 1 == 0:
            a = a % count
        if ends & 2 == 0:
            b = b % other_count
        if not (0 <= a < count and 0 <= b < other_count):  # half a cell on, as from the other side
            a, b, part = i - di, j - dj, -0.5
        elif around[a * other_count + b] == _AROUND:
            part = 0.5
        way, length = _least_between(reaches, here, a * other_count + b, part)
        least, longest = min(least, way), max(longest, length)
        change = reaches[3 * (a * other_count + b)] - reaches[3 * here]
        lowest, steepest = min(lowest, reaches[3 * here] + part * change), max(steepest, abs(change))
    sure[here] = 1.0 if least > _VARIES * longest else 0.0
    bound = least if sure[here] > 0.0 else max(0.0, least - _UNEVEN * longest)
    if place.size > 0.0:
        bound = max(bound, lowest - _UNEVEN * steepest)
    return bound * bound


@called
def _least_between(reaches, one, other, part):
    """The least way between two points, or on a part of what is between them, and how much the way changes there."""
    square, across, along = 0.0, 0.0, 0.0
    for k in range(3):
        here, change = reaches[3 * one + k], part * (reaches[3 * other + k] - reaches[3 * one + k])
        square += here * here
        across += here * change
        along += change * change
    at_least = min(max(-across / along, 0.0), 1.0) if along > 0.0 else 0.0
    return math.sqrt(max(0.0, square + at_least * (2.0 * across + at_least * along))), math.sqrt(along) / abs(part)


@called
def _least_of(values, count):
    """Where the least of values is."""
    best = 0
    for k in range(1, count):
        if values[k] < values[best]:
            best = k
    return best


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
                    first_way, second_way = _scaled(place, looked, 1), _scaled(place, looked, 2)
                    square = looked[0] * looked[0] + first_way * first_way + second_way * second_way
                    most = max(most, square)
                    if square < best:
                        best, first, second = square, trial[place.first], trial[place.second]
        half, other_half = piece, other_piece
        if most - best < _SETTLED * best:
            break
    trial[place.second] = second
    trial[place.first] = first
    return best
