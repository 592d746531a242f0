"""The kernels of :class:`detent.solves.following.Following`: the nearest points, after each accepted step.

The coordinates s of a nearest point obey F(q, s) = 0 and are integrated with their exact rate; Newton's method takes
away what the integration leaves. Then points all over the curve or surface are looked at: where one is nearer than the
one that was followed, the run is asked to go on with that.
"""

from __future__ import annotations

import math
from typing import Final

from detent.jit.abi import EPSILON, OK
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
from detent.solves.meanwhile_kernel import keep_seen, may_have_touched
from detent.solves.portions_kernel import CLOSELY, ENOUGH, soonest_elsewhere
from detent.solves.slack_kernel import give_slack
from detent.solves.surface_portions_kernel import soonest_on_surface
from detent.stepping.nearest_reasons import ELSEWHERE, LOST, TOO_FAR

_as_following: Final = record_reader(at.FOLLOWING)
_place: Final = row_reader(at.FOLLOWED)

_MOST_STEPS: Final = 12
_ROUNDING: Final = 4.0 * EPSILON
_FAR: Final = 0.25
"""A correction by more than this part of the range is none: the point was lost."""
_AWAY: Final = 1 / 32
"""The same where there is always a nearest point: what was predicted farther off says nothing of the way there."""
_FIRST_WIDTH: Final = 2.0**-20
_MOST_HALVINGS: Final = 120
"""The part of that by which a root is looked for at first, and how often an interval around it is halved at most."""
_NEARER: Final = 1e-9
"""By how much another point must be nearer, relative to the distance."""
_SAME_POINT: Final = 1e-9
"""Points that are no farther from one another, relative to the range, are one."""
_ALMOST_LOST: Final = 1e-4
"""Nearer to where a nearest point is lost, its rate is mostly rounding."""
_FADES: Final = 0.05
"""Near where a point is lost, one beyond an end is followed instead, if there is one."""
_FLATTENS: Final = 0.5
"""Nearer to where a point is lost, others close by are looked at too."""
_FINER: Final = 4
_CELLS: Final = 16
_CLOSER: Final = 3
_LEVELS: Final = 4
"""How often a point is looked for closer around one, each time on a grid of so many cells, finer by that factor."""
_OVERLAP: Final = 1e-9
"""An overlap, or a way, below this part of the distance that is looked at is rounding."""


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
            return LOST
        if size <= _ROUNDING * (1.0 + scale) or (size < 1e-9 and size >= 0.5 * before):
            return OK if given[at.NEAREST] > (0.0 if place.lasting != 0 else _ALMOST_LOST) else LOST
        if size > longest:
            if longest in (_FAR, _AWAY):
                return LOST
            first, second = first * longest / size, second * longest / size
        before = size
        x[place.first] += first
        if n == 2:
            x[place.second] += second
    return LOST


@called
def _found_between(head, place, time, state, values, start, farthest):
    """The root of the only equation of a place, from a coordinate on downhill: between two values of which one is on
    each side of it, no farther than a part of the range; OK or LOST. Newton's method may fail where the slope changes
    all at once."""
    x, given = as_doubles(state), as_doubles(head.given)
    equation = at.RANGES + 2
    x[place.first] = start
    status = call_cell(place.program, time, state, values, head.given)
    if status != OK:
        return status
    before, most = given[equation], farthest * (given[at.RANGES + 1] - given[at.RANGES])
    near, far, width = start, start, _FIRST_WIDTH * _AWAY * (given[at.RANGES + 1] - given[at.RANGES])
    for _ in range(_MOST_HALVINGS):
        if not width <= most:
            return LOST
        far = start - width if before > 0.0 else start + width
        x[place.first] = far
        status = call_cell(place.program, time, state, values, head.given)
        if status != OK:
            return status
        if given[equation] * before <= 0.0:
            break
        near, width = far, 2.0 * width
    for _ in range(_MOST_HALVINGS):
        x[place.first] = 0.5 * (near + far)
        if x[place.first] == near or x[place.first] == far:
            break
        status = call_cell(place.program, time, state, values, head.given)
        if status != OK:
            return status
        if given[equation] * before > 0.0:
            near = x[place.first]
        else:
            far = x[place.first]
    return call_cell(place.program, time, state, values, head.given)


@called
def _brought(head, place, time, state, values):
    """Newton's method from where a nearest point was predicted; more slowly where it fails though there is one."""
    x = as_doubles(state)
    start = x[place.first]
    status = _newton(head, place, time, state, values, _AWAY if place.lasting != 0 else _FAR)
    if status == LOST and place.lasting != 0:
        status = _found_between(head, place, time, state, values, start, _AWAY)
    return status


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
    best = given[at.APART]
    if place.is_round == 0:  # of what is round, what is touched soonest is what is nearest
        best = _best(head, place, time, values, low, width, count, other_low, other_width, other_count)
    first, second = trial[place.first], trial[place.second]
    free, narrow, other_narrow = math.inf, width, other_width
    if place.stance != 0:
        free, narrow, other_narrow = _soonest(head, place, time, x, values, ENOUGH)
    if place.is_round != 0 and free < math.inf and _is_nearer(head, place, time, values, best):
        _, narrow, other_narrow = _soonest(head, place, time, x, values, CLOSELY)
    place.seen_free = free
    found, other_found, wide, other_wide = width, other_width, width, other_width
    if free < math.inf and _is_nearer(head, place, time, values, best):
        best, first, second = as_doubles(head.looked)[0], trial[place.first], trial[place.second]
        if place.is_round != 0:
            found, other_found = narrow, other_narrow
    # Around the point itself: where it will be lost, another one is nearer close by.
    for _ in range(_LEVELS if given[at.NEAREST] < _FLATTENS else 0):
        wide, other_wide = wide / _FINER, other_wide / _FINER
        start, other_start = x[place.first] - _CELLS / 2 * wide, 0.0
        if n == 2:
            other_start, other_count = x[place.second] - _CELLS / 2 * other_wide, _CELLS
        value = _best(head, place, time, values, start, wide, _CELLS, other_start, other_wide, other_count)
        if value < best and not _is_beyond(place, given, trial):
            best, first, second, found, other_found = value, trial[place.first], trial[place.second], wide, other_wide
    trial[place.second] = second
    trial[place.first] = first
    return best, found, other_found


@called
def _soonest(head, place, time, x, values, enough):
    """In what time shapes may touch elsewhere, and how wide portions are in which they nearly do."""
    if place.surface != 0:
        return soonest_on_surface(head, place, time, x, values, _rounding(head), enough)
    least, wide = soonest_elsewhere(
        head, place, time, x, values, as_doubles(head.given)[at.GAP], _rounding(head), enough
    )
    return least, wide, wide


@called
def _is_nearer(head, place, time, values, best):
    """Whether the point in ``trial`` is nearer than the best one, within its range; its distance goes to ``looked``."""
    status = call_cell(place.apart, time, head.trial, values, head.looked)
    is_off = place.off_range != 0 and _is_beyond(place, as_doubles(head.given), as_doubles(head.trial))
    return status == OK and as_doubles(head.looked)[0] < best and not is_off


@called
def _best(head, place, time, values, low, width, count, other_low, other_width, other_count):
    """Put the nearest of a grid of points, in the middle of its cells, into ``trial``; how far apart that is."""
    trial, looked = as_doubles(head.trial), as_doubles(head.looked)
    best, best_first, best_second, n = math.inf, low, other_low, place.coordinates
    for i in range(count):
        trial[place.first] = low + (i + 0.5) * width
        for j in range(other_count):
            if n == 2:
                trial[place.second] = other_low + (j + 0.5) * other_width
            status = call_cell(place.apart, time, head.trial, values, head.looked)
            if status == OK and looked[0] < best:
                best, best_first = looked[0], trial[place.first]
                if n == 2:
                    best_second = trial[place.second]
    trial[place.first] = best_first
    if n == 2:
        trial[place.second] = best_second
    return best


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
def _beyond_an_edge(head, place, time, state, values):
    """The same for a surface, whose formula goes on beyond its edges: from the nearest of its points."""
    width, other_width = _best_of_all(head, place, time, state, values)
    _close_in(head, place, time, values, width, other_width)
    followed = _newton(head, place, time, head.trial, values, math.inf) == OK
    given = as_doubles(head.given)
    return given[at.APART] if followed and _is_beyond(place, given, as_doubles(head.trial)) else math.inf


@called
def _best_of_all(head, place, time, state, values):
    """Put the nearest of points all over a curve or surface into ``trial``; the width of the cells they are in."""
    x, given, trial = as_doubles(state), as_doubles(head.given), as_doubles(head.trial)
    low, width = given[at.RANGES], (given[at.RANGES + 1] - given[at.RANGES]) / place.samples
    other_low, other_width, other_count = 0.0, 0.0, 1
    if place.coordinates == 2:
        other_low, other_count = given[at.RANGES + 2], place.other_samples
        other_width = (given[at.RANGES + 3] - other_low) / other_count
    for i in range(head.width):
        trial[i] = x[i]
    _best(head, place, time, values, low, width, place.samples, other_low, other_width, other_count)
    return width, other_width


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
def _rounding(head):
    """What is less than this is rounding, in a distance or an overlap."""
    given = as_doubles(head.given)
    return _OVERLAP * (math.sqrt(abs(given[at.APART])) + abs(given[at.GAP]))


@called
def _look_for_nearer(head, number, time, state, values):
    """Whether a point elsewhere is to be followed instead; the reason not to go on where shapes overlap there, or have
    moved so far that they might have touched there meanwhile."""
    place, given, trial = _place(head.places, number), as_doubles(head.given), as_doubles(head.trial)
    apart, gap, fades = given[at.APART], given[at.GAP], given[at.NEAREST] < _FADES
    rounding = _rounding(head)
    nearer = apart - _NEARER * abs(apart)
    place.seen_time = time
    beyond = place.off_range != 0 and _is_beyond(place, given, as_doubles(state))
    best, width, other_width = _nearest_sample(head, place, time, state, values)
    if may_have_touched(place, time):
        return TOO_FAR
    if not beyond and not best < nearer and not fades:
        return OK
    status, is_on = OK, False
    if beyond or best < nearer:
        _close_in(head, place, time, values, width, other_width)
        status = _newton(head, place, time, head.trial, values, 0.5 / place.samples)
        is_on = status == OK and (place.off_range == 0 or not _is_beyond(place, given, trial))
    if is_on and given[at.DOMAIN] >= 0.0 and given[at.GAP] < -rounding and (beyond or given[at.APART] < nearer):
        return ELSEWHERE
    # What is on the curve is followed rather than what is beyond an end, unless it is about to be lost.
    is_on = is_on and (given[at.APART] < nearer or (beyond and given[at.NEAREST] > 2.0 * _FADES))
    if not is_on and place.off_range != 0 and (beyond or fades):
        if place.coordinates == 1:
            is_on = _beyond_an_end(head, place, time, state, values) < nearer
        else:
            is_on = _beyond_an_edge(head, place, time, state, values) < nearer
    if is_on and (beyond or gap > rounding) and _is_another(place, given, as_doubles(state), trial):
        _ask_for_jump(head, place, number)
    return OK if is_on or beyond or place.is_round != 0 else status


@called
def _is_another(place, given, x, trial):
    """Whether the point in ``trial`` is another one than that of a state, and not the same but for rounding.

    Where shapes all but touch, distances that are equal differ by more than a part of themselves.
    """
    other = False
    for k in range(place.coordinates):
        here, there = (x[place.first], trial[place.first]) if k == 0 else (x[place.second], trial[place.second])
        span = given[at.RANGES + 2 * k + 1] - given[at.RANGES + 2 * k]
        other |= abs(there - here) > _SAME_POINT * span
    return other


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
        place = _place(head.places, number)
        status = _brought(head, place, time, state, values)
        if place.slack > 0.0:
            place.seen_time, place.seen_nearest = time, as_doubles(head.given)[at.NEAREST]
        if status == OK and looks and place.lasting == 0:
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
    width, other_width = _best_of_all(head, place, time, state, values)
    _close_in(head, place, time, values, width, other_width)
    best, first, second = math.inf, 0.0, 0.0
    start = trial[place.first]
    found = _newton(head, place, time, head.trial, values, 0.5 / place.samples) == OK
    if not found and place.lasting != 0:  # Newton's method is slow where the curve is flat
        found = _found_between(head, place, time, head.trial, values, start, 0.5) == OK
    if found and (place.off_range == 0 or not _is_beyond(place, given, trial)):
        best, first, second = given[at.APART], trial[place.first], trial[place.second]
    if n == 1 and place.off_range != 0:
        x[place.first] = 0.5 * (low + high)
        beyond = _beyond_an_end(head, place, time, state, values)
        if beyond < best:
            best, first = beyond, trial[place.first]
    if not best < math.inf:
        return LOST
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
        if (
            place.lasting == 0
            and place.seen_time != time
            and call_cell(place.program, time, state, values, head.given) == OK
        ):
            place.seen_time = time
            _nearest_sample(head, place, time, state, values)
        keep_seen(place, time)
        give_slack(head, place, time, state, values)
    return OK
