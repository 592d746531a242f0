"""The kernels of :class:`detent.solves.following.Following`: the nearest points, after each accepted step.

The coordinates s of a nearest point obey F(q, s) = 0 and are integrated with their exact rate; Newton's method takes
away what the integration leaves. Then points all over the curve or surface are looked at: where one is nearer than the
one that was followed, the run is asked to go on with that.
"""

from __future__ import annotations

import math
from typing import Final

from detent.jit.abi import EPSILON, OK, WORD
from detent.jit.intrinsics import (
    ADDRESSES,
    as_doubles,
    call_cell,
    called,
    kernel,
    record_reader,
    row_reader,
    write_word,
)
from detent.solves import following_frame as at

_as_following: Final = record_reader(at.FOLLOWING)
_place: Final = row_reader(at.FOLLOWED)

_MOST_STEPS: Final = 12
_ROUNDING: Final = 4.0 * EPSILON
_FAR: Final = 0.25
"""A correction by more than this part of the range is none: the point was lost."""
_NEARER: Final = 1e-9
"""By how much another point must be nearer, relative to the distance."""
_ALMOST_LOST: Final = 1e-4
"""Nearer to where a nearest point is lost, its rate is mostly rounding."""
_FADES: Final = 0.05
"""Near where a point is lost, one beyond an end is followed instead, if there is one."""
_FLATTENS: Final = 0.5
"""Nearer to where a point is lost, others close by are looked at too."""
_WAY: Final = 0.5
"""The part of the gaps elsewhere, which are known at some points only, that shapes may move in one step."""
_FINER: Final = 4
_CLOSER: Final = 3
_LEVELS: Final = 4
"""How often a point is looked for more closely around one, each time on a grid finer by that factor."""
_OVERLAP: Final = 1e-9
"""An overlap below this part of the distance that is looked at is rounding."""


@called
def _newton(head, place, time, state, values, longest):
    """Newton's method on the equations of a place, from the coordinates in a state, to rounding; OK or LOST.

    No step is longer than ``longest`` times the range. What the program gives at the end stands in ``given``.
    """
    x, given, n = as_doubles(state), as_doubles(head.given), place.coordinates
    before = math.inf
    for _ in range(_MOST_STEPS):
        status = call_cell(place.program, time, state, values, head.given)
        if status != OK:
            return status
        equations = at.RANGES + 2 * n
        slopes = equations + n
        first, second = given[equations], 0.0
        if n == 1:
            first, second = -first / given[slopes], 0.0
        else:
            second = given[equations + 1]
            a, b, c, d = given[slopes], given[slopes + 1], given[slopes + 2], given[slopes + 3]
            determinant = a * d - b * c
            first, second = (b * second - d * first) / determinant, (c * first - a * second) / determinant
        size = abs(first) / (given[at.RANGES + 1] - given[at.RANGES])
        scale = abs(x[place.first]) / (given[at.RANGES + 1] - given[at.RANGES])
        if n == 2:
            span = given[at.RANGES + 3] - given[at.RANGES + 2]
            size, scale = max(size, abs(second) / span), max(scale, abs(x[place.second]) / span)
        if not size < math.inf:
            return at.LOST
        if size <= _ROUNDING * (1.0 + scale) or (size < 1e-9 and size >= 0.5 * before):
            return OK if given[at.NEAREST] > _ALMOST_LOST else at.LOST
        if size > longest:
            if longest == _FAR:
                return at.LOST
            first, second = first * longest / size, second * longest / size
        before = size
        x[place.first] += first
        if n == 2:
            x[place.second] += second
    return at.LOST


@called
def _nearest_sample(head, place, time, state, values):
    """Put the nearest of many points into ``trial``; how far apart that is, and the width of the cells."""
    given, trial = as_doubles(head.given), as_doubles(head.trial)
    x, n, count = as_doubles(state), place.coordinates, place.samples
    for i in range(head.width):
        trial[i] = x[i]
    low, width = given[at.RANGES], (given[at.RANGES + 1] - given[at.RANGES]) / count
    other_low, other_width, other_count = 0.0, 0.0, 1
    if n == 2:
        other_count = place.other_samples
        other_low, other_width = given[at.RANGES + 2], (given[at.RANGES + 3] - given[at.RANGES + 2]) / other_count
    best = _best(head, place, time, values, low, width, count, other_low, other_width, other_count)
    place.seen_other = _other(head, place, x, low, width, count, other_low, other_width, other_count)
    first, second = trial[place.first], trial[place.second]
    found, other_found, wide, other_wide = width, other_width, width, other_width
    # Around the point itself: where it will be lost, another one is nearer close by.
    for _ in range(_LEVELS if given[at.NEAREST] < _FLATTENS else 0):
        start, other_start = x[place.first] - wide, 0.0
        if n == 2:
            other_start, other_count = x[place.second] - other_wide, 2 * _FINER
        wide, other_wide = wide / _FINER, other_wide / _FINER
        value = _best(head, place, time, values, start, wide, 2 * _FINER, other_start, other_wide, other_count)
        if value < best and not _is_beyond(place, given, trial):
            best, first, second, found, other_found = value, trial[place.first], trial[place.second], wide, other_wide
    trial[place.second] = second
    trial[place.first] = first
    return best, found, other_found


@called
def _best(head, place, time, values, low, width, count, other_low, other_width, other_count):
    """Put the nearest of a grid of points, in the middle of its cells, into ``trial``; how far apart that is."""
    trial, sampled, n = as_doubles(head.trial), as_doubles(head.sampled), place.coordinates
    best, best_first, best_second = math.inf, low, other_low
    out = head.given + WORD * (at.RANGES + 3 * n + n * n)
    for i in range(count):
        trial[place.first] = low + (i + 0.5) * width
        for j in range(other_count):
            if n == 2:
                trial[place.second] = other_low + (j + 0.5) * other_width
            status = call_cell(place.apart, time, head.trial, values, out)
            value = as_doubles(out)[0]
            sampled[i * other_count + j] = value
            if status == OK and value < best:
                best, best_first = value, trial[place.first]
                if n == 2:
                    best_second = trial[place.second]
    trial[place.first] = best_first
    if n == 2:
        trial[place.second] = best_second
    return best


@called
def _other(head, place, x, low, width, count, other_low, other_width, other_count):
    """How far apart the points are that are nearer than all around them, but for those around the followed one."""
    sampled, least = as_doubles(head.sampled), math.inf
    at_first = (x[place.first] - low) / width - 0.5
    at_first -= 0.0 if place.off_range & 1 != 0 else count * math.floor(at_first / count)
    at_second = 0.0
    if other_count > 1:
        at_second = (x[place.second] - other_low) / other_width - 0.5
        at_second -= 0.0 if place.off_range & 2 != 0 else other_count * math.floor(at_second / other_count)
    for i in range(count):
        near_first = min(abs(i - at_first), count - abs(i - at_first)) < 2.0
        for j in range(other_count):
            near = near_first and min(abs(j - at_second), other_count - abs(j - at_second)) < 2.0
            value = sampled[i * other_count + j]
            if not near and value < least and _is_least(sampled, place, i, count, j, other_count):
                least = value
    return least


@called
def _is_least(sampled, place, i, count, j, other_count):
    """Whether a sample is nearer than all around it."""
    value, least = sampled[i * other_count + j], True
    for di in range(-1, 2):
        for dj in range(-1, 2):
            a, b = i + di, j + dj
            if place.off_range & 1 == 0:
                a = a % count
            if place.off_range & 2 == 0:
                b = b % other_count
            if 0 <= a < count and 0 <= b < other_count:
                least = least and value <= sampled[a * other_count + b]
            elif b == j or other_count > 1:
                least = False  # at an end, what is nearer may lie beyond
    return least


@called
def _goes_too_far(place, time):
    """Whether the shapes may have met elsewhere since the last step: both gaps there together are less than the way."""
    gaps, speed = place.kept_other + place.seen_other, max(place.kept_speed, place.seen_speed)
    return place.seen_speed >= 0.0 and abs(time - place.kept_time) * speed > _WAY * gaps


@called
def _beyond_an_end(head, place, time, state, values):
    """Put the nearest point beyond an end of a curve, where it goes on straight, into ``trial``; how far apart that is,
    infinite where there is none."""
    x, trial, given = as_doubles(state), as_doubles(head.trial), as_doubles(head.given)
    low, high = given[at.RANGES], given[at.RANGES + 1]
    best, found = math.inf, 0.0
    for end, outward in ((low, -1e-3), (high, 1e-3)):
        for i in range(head.width):
            trial[i] = x[i]
        trial[place.first] = end + outward * (high - low)
        followed = _newton(head, place, time, head.trial, values, math.inf) == OK and _is_beyond(place, given, trial)
        if followed and given[at.APART] < best:
            best, found = given[at.APART], trial[place.first]
    trial[place.first] = found
    return best


@called
def _close_in(head, place, time, values, width, other_width):
    """Look closer and closer around the point in ``trial``, until Newton's method can be trusted."""
    trial = as_doubles(head.trial)
    for _ in range(_CLOSER):
        first, second, other_count = trial[place.first], 0.0, 1
        if place.coordinates == 2:
            second, other_count = trial[place.second] - other_width, 2 * _FINER
        _best(
            head, place, time, values, first - width, width / _FINER, 2 * _FINER, second, other_width / _FINER,
            other_count,
        )  # fmt: skip
        width, other_width = width / _FINER, other_width / _FINER


@called
def _look_for_nearer(head, number, time, state, values):
    """Whether a point elsewhere is nearer; the reason not to go on where shapes overlap there."""
    place, given, trial = _place(head.places, number), as_doubles(head.given), as_doubles(head.trial)
    apart, gap, fades = given[at.APART], given[at.GAP], given[at.NEAREST] < _FADES
    size = math.sqrt(abs(apart)) + abs(gap)
    fades = fades and place.coordinates == 1 and place.off_range != 0 and gap > _OVERLAP * size
    place.seen_time, place.seen_speed = time, given[at.SPEED]
    beyond = place.off_range != 0 and _is_beyond(place, given, as_doubles(state))
    best, width, other_width = _nearest_sample(head, place, time, state, values)
    if place.seen_speed >= 0.0:
        if gap > 0.0:  # in front; from behind the gap does not tell it
            place.radius = math.sqrt(apart) - gap
        place.seen_other = math.sqrt(place.seen_other) - place.radius
        if _goes_too_far(place, time):
            return at.TOO_FAR
    if beyond:
        return _look_from_beyond(head, number, time, state, values, apart, _OVERLAP * size, width, other_width)
    status = OK
    is_on = best < apart - _NEARER * abs(apart)
    if is_on:
        _close_in(head, place, time, values, width, other_width)
        status = _newton(head, place, time, head.trial, values, 0.5 / place.samples)
        is_on = status == OK and (place.off_range == 0 or not _is_beyond(place, given, trial))
    if not is_on:
        if place.coordinates == 2 or place.off_range == 0 or (status == OK and not fades):
            return status
        if not _beyond_an_end(head, place, time, state, values) < math.inf:
            return status
        if fades:
            _ask_for_jump(head, place, number)
        return OK
    if not given[at.APART] < apart - _NEARER * abs(apart):
        return OK
    if given[at.DOMAIN] >= 0.0 and given[at.GAP] < -_OVERLAP * size:
        return at.ELSEWHERE
    if gap > _OVERLAP * size:
        _ask_for_jump(head, place, number)
    return OK


@called
def _look_from_beyond(head, number, time, state, values, apart, rounding, width, other_width):
    """The same where the point that is followed is beyond an end: one on the curve is to be followed instead, or one
    beyond the other end that is nearer. Where a curve bends up behind its end, the point beyond it will be lost."""
    place, given, trial = _place(head.places, number), as_doubles(head.given), as_doubles(head.trial)
    _close_in(head, place, time, values, width, other_width)
    found = _newton(head, place, time, head.trial, values, 0.5 / place.samples) == OK
    if found and not _is_beyond(place, given, trial):
        if given[at.DOMAIN] >= 0.0 and given[at.GAP] < -rounding:
            return at.ELSEWHERE
        if given[at.NEAREST] > 2.0 * _FADES:
            _ask_for_jump(head, place, number)
            return OK
    if place.coordinates == 1 and _beyond_an_end(head, place, time, state, values) < apart - _NEARER * abs(apart):
        _ask_for_jump(head, place, number)
    return OK


@called
def _ask_for_jump(head, place, number):
    """Have the run go on with the point in ``trial``."""
    trial = as_doubles(head.trial)
    head.jumping, head.jump_first, head.jump_second = number, trial[place.first], trial[place.second]
    if head.stop != 0:
        write_word(head.stop, 1)


@called
def _is_beyond(place, given, x):
    """Whether coordinates have left their range; those that come back to their start do not count."""
    n, beyond = place.coordinates, False
    for k in range(n):
        value = x[place.first] if k == 0 else x[place.second]
        if place.off_range & (k + 1) != 0:
            beyond |= value < given[at.RANGES + 2 * k] or value > given[at.RANGES + 2 * k + 1]
    return beyond


@called
def _correct(head, time, state, values, looks):
    """Correct the coordinates of all nearest points; OK, or why not."""
    head.jumping = -1
    for number in range(head.count):
        status = _newton(head, _place(head.places, number), time, state, values, _FAR)
        if status == OK and looks:
            status = _look_for_nearer(head, number, time, state, values)
        if status != OK:
            head.culprit = number
            return status
    return OK


@kernel(ADDRESSES)
def follow(context, time, state, values, out):
    """The coordinates of nearest points in a state, corrected in place (``out`` is not used)."""
    return _correct(_as_following(context), time, state, values, False)


@kernel(ADDRESSES)
def look_for_nearer(context, time, state, values, out):
    """The same, then whether other points are nearer."""
    return _correct(_as_following(context), time, state, values, True)


@called
def _nearest_anywhere(head, place, time, state, values):
    """Put the nearest point of all into a state, whatever was followed before; OK or LOST."""
    x, given, trial, n = as_doubles(state), as_doubles(head.given), as_doubles(head.trial), place.coordinates
    status = call_cell(place.program, time, state, values, head.given)
    if status != OK:
        return status
    low, high = given[at.RANGES], given[at.RANGES + 1]
    width, other_low, other_width, other_count = (high - low) / place.samples, 0.0, 0.0, 1
    if n == 2:
        other_low, other_count = given[at.RANGES + 2], place.other_samples
        other_width = (given[at.RANGES + 3] - other_low) / other_count
    for i in range(head.width):
        trial[i] = x[i]
    _best(head, place, time, values, low, width, place.samples, other_low, other_width, other_count)
    _close_in(head, place, time, values, width, other_width)
    best, first, second = math.inf, 0.0, 0.0
    found = _newton(head, place, time, head.trial, values, 0.5 / place.samples) == OK
    if found and (place.off_range == 0 or not _is_beyond(place, given, trial)):
        best, first, second = given[at.APART], trial[place.first], trial[place.second]
    if n == 1 and place.off_range != 0:
        x[place.first] = 0.5 * (low + high)
        beyond = _beyond_an_end(head, place, time, state, values)
        if beyond < best:
            best, first = beyond, trial[place.first]
    if not best < math.inf:
        return at.LOST
    if n == 2:
        x[place.second] = second
    x[place.first] = first
    return OK


@kernel(ADDRESSES)
def find_nearest(context, time, state, values, out):
    """The coordinates of the nearest point at the place that ``culprit`` tells, looked for everywhere, in place."""
    head = _as_following(context)
    head.jumping = -1
    return _nearest_anywhere(head, _place(head.places, head.culprit), time, state, values)


@kernel(ADDRESSES)
def followed_state(context, time, state, values, out):
    """out = the state with the coordinates of nearest points corrected, and all else that a projection corrects."""
    head = _as_following(context)
    if head.projection != 0:
        status = call_cell(head.projection, time, state, values, out)
        if status != OK:
            return status
    else:
        given, result = as_doubles(state), as_doubles(out)
        for i in range(head.width):
            result[i] = given[i]
    return _correct(head, time, out, values, True)


@kernel(ADDRESSES)
def keep_followed(context, time, state, values, out):
    """A step was accepted: the next begins where it was last looked at."""
    head = _as_following(context)
    for number in range(head.count):
        place = _place(head.places, number)
        place.kept_time = place.seen_time if place.seen_time == time else math.nan
        place.kept_speed, place.kept_other = place.seen_speed, place.seen_other
    return OK
