"""Events: the first zero of any guard within a step, located on real steps. The rules: docs/event_semantics.md."""

from __future__ import annotations

import math
from typing import Any, Final

from detent.integrate import event_frame as at
from detent.integrate.event_frame import EventFrame
from detent.integrate.frame import MODE, REASON, Frame
from detent.integrate.observation_kernel import (
    EPSILON,
    ROUNDING,
    crosses,
    mode_row,
    observe,
    read_events,
    read_frame,
    seen_at,
    sign_after,
    sign_of,
    value_sign,
)
from detent.integrate.status import Status
from detent.integrate.step_kernel import WORD, dense_stages, evaluate, project, rate_row, try_step
from detent.jit.intrinsics import ADDRESSES, as_doubles, as_words, called, inlined, kernel

_PROGRAM_STATUS: Final = int(Status.PROGRAM_STATUS)
_GUARD_NOT_A_NUMBER: Final = int(Status.GUARD_NOT_A_NUMBER)
_SLOPE_NOISE: Final = 1e-9
"""What the rate of a reaction may be wrong by, as a difference over a short time."""
_MOST_TRIALS: Final = 80
_MOST_HALVINGS: Final = 24
_SHORTEST: Final = 1e-12
"""A step this much shorter than the time is halved no more: there the guard has no value, a pole, or a jump."""


@called
def _step_again(frame: Frame, events: EventFrame, time: float, step: float) -> int:
    """A real step of another size from the same start, and the guards at its end; -1, or the status that ends it."""
    status = try_step(frame, time, step)
    if status == 0:
        status, _ = project(frame, time + step)
    if status == 0:
        status = evaluate(frame, time + step, frame.trial, rate_row(frame, frame.stages))
    if status != 0:
        as_words(frame.counters)[REASON] = status
        return _PROGRAM_STATUS
    mode = as_words(frame.current)[MODE]
    end = rate_row(frame, frame.stages)
    return observe(frame, events, mode, time + step, frame.trial, end, events.end, step)


@inlined
def _cubic(s: float, low: float, low_slope: float, high: float, high_slope: float) -> float:
    """Hermite's polynomial on [0, 1]; slopes are per unit of s."""
    return (
        low * (1.0 + s * s * (2.0 * s - 3.0))
        + low_slope * s * (1.0 - s) * (1.0 - s)
        + high * s * s * (3.0 - 2.0 * s)
        + high_slope * s * s * (s - 1.0)
    )


@inlined
def _polynomial(from_zero: bool, s: float, low: float, low_slope: float, high: float, high_slope: float) -> float:
    """Hermite's polynomial, or what is left of it when a zero at 0 is divided out."""
    if from_zero:
        return low_slope * (1.0 - s) * (1.0 - s) + high * s * (3.0 - 2.0 * s) + high_slope * s * (s - 1.0)
    return _cubic(s, low, low_slope, high, high_slope)


@called
def _guess(from_zero: bool, low: float, low_slope: float, high: float, high_slope: float) -> float:
    """Where on [0, 1] Hermite's polynomial is zero, by the method of Ridders; a zero at 0 is not meant."""
    left, right, right_value = 0.0, 1.0, high
    left_value = low_slope if from_zero else low
    if not left_value * right_value < 0.0:
        return 0.5
    s = 0.5
    for _ in range(20):
        middle = 0.5 * (left + right)
        value = _polynomial(from_zero, middle, low, low_slope, high, high_slope)
        size = math.sqrt(value * value - left_value * right_value)
        if size == 0.0:
            return middle
        last, s = s, middle + (middle - left) * (value if left_value > 0.0 else -value) / size
        found = _polynomial(from_zero, s, low, low_slope, high, high_slope)
        if found == 0.0 or abs(s - last) <= EPSILON:
            return s
        if found * left_value < 0.0:
            right, right_value = s, found
            if value * left_value > 0.0:
                left, left_value = middle, value
        else:
            left, left_value = s, found
            if value * right_value > 0.0:
                right, right_value = middle, value
    return s


@called
def _locate(frame: Frame, events: EventFrame, guard: int, time: float, step: float) -> tuple[int, float]:
    """The size of the step that ends where a guard passes zero; the trial is left there. -1, or a status.

    The guard has one sign just after the start of the step and the other at the end of a step of size ``step``.
    """
    start, end = (
        as_doubles(events.start + guard * at.OBSERVED * WORD),
        as_doubles(events.end + guard * at.OBSERVED * WORD),
    )
    sign = as_words(events.signs)[guard]
    low, low_value, low_slope = 0.0, start[at.VALUE], start[at.FIRST]
    high, high_value, high_slope = step, end[at.VALUE], end[at.FIRST]
    from_zero = value_sign(events.start, guard, time) != sign
    last, widths = step, step
    for trial in range(_MOST_TRIALS):
        width = high - low
        s = (
            0.5
            if trial > 3 and width > 0.5 * widths
            else _guess(from_zero, low_value, low_slope * width, high_value, high_slope * width)
        )
        widths = width
        middle = low + s * width
        if not (low < middle < high):
            middle = low + 0.5 * width
        if not (low < middle < high) or width < 2.0 * EPSILON * max(abs(time), high):
            break
        status = _step_again(frame, events, time, middle)
        if status >= 0:
            return status, middle
        last = middle
        found = sign_of(end[at.VALUE], EPSILON * abs(end[at.FIRST]) * abs(time + middle))
        if found == 0:
            return -1, middle
        if found == sign:
            low, low_value, low_slope, from_zero = middle, end[at.VALUE], end[at.FIRST], False
        else:
            high, high_value, high_slope = middle, end[at.VALUE], end[at.FIRST]
    if last != high:
        return _step_again(frame, events, time, high), high
    return -1, high


@called
def _may_dip(events: EventFrame, guard: int, step: float) -> bool:
    """Whether a guard with the same sign at both ends of a step may have passed zero twice in between."""
    start, end = (
        as_doubles(events.start + guard * at.OBSERVED * WORD),
        as_doubles(events.end + guard * at.OBSERVED * WORD),
    )
    low, high = start[at.VALUE], end[at.VALUE]
    sign = 1.0 if high > 0.0 else -1.0
    if low * sign <= 0.0:
        return False
    low_slope, high_slope = start[at.FIRST] * step, end[at.FIRST] * step
    if low_slope * sign >= 0.0 or high_slope * sign <= 0.0:
        return False
    square = sign * (3.0 * (high - low) - 2.0 * low_slope - high_slope)
    cube = sign * (2.0 * (low - high) + low_slope + high_slope)
    falls = sign * low_slope
    root = math.sqrt(max(0.0, square * square - 3.0 * cube * falls))
    s = -falls / (square + root) if square > 0.0 else (root - square) / (3.0 * cube)
    nearest = sign * low + s * (falls + s * (square + s * cube))
    return nearest < 0.5 * min(low * sign, high * sign)


@inlined
def _second_scale(seen: Any) -> float:
    """The size of the terms of a second derivative; zero where it is known in part only."""
    scale: float = seen[at.SECOND_SCALE]
    return 0.0 if scale == at.UNKNOWN else scale


@called
def _is_unresolved(events: EventFrame, guard: int, step: float) -> bool:
    """Whether a guard bends so much within a step that its values at the ends do not tell how it went.

    The second derivatives at the ends are compared with those of the cubic through values and first derivatives; a
    64th of their difference is what the middle may differ by. What all of these may be wrong by is no bend.
    """
    start, end = seen_at(events.start, guard), seen_at(events.end, guard)
    values = abs(start[at.VALUE]) + abs(end[at.VALUE])
    if start[at.SECOND] == 0.0 and end[at.SECOND] == 0.0:
        noise = _SLOPE_NOISE * (start[at.VALUE_SCALE] + end[at.VALUE_SCALE])
        noise += ROUNDING * step * (start[at.FIRST_SCALE] + end[at.FIRST_SCALE])
        return step * abs(end[at.FIRST] - start[at.FIRST]) - noise > values
    rise = 6.0 * (end[at.VALUE] - start[at.VALUE])
    first, last, square = step * start[at.FIRST], step * end[at.FIRST], step * step
    missed = abs(square * start[at.SECOND] - rise + 4.0 * first + 2.0 * last)
    missed += abs(square * end[at.SECOND] + rise - 2.0 * first - 4.0 * last)
    rounding = 12.0 * (start[at.VALUE_SCALE] + end[at.VALUE_SCALE])
    rounding += 6.0 * step * (start[at.FIRST_SCALE] + end[at.FIRST_SCALE])
    rounding += square * (_second_scale(start) + _second_scale(end))
    return missed - ROUNDING * rounding > 0.64 * values


@called
def _between(frame: Frame, events: EventFrame, time: float, step: float, s: float) -> bool:
    """What is observed at a part of a step, on Hermite's cubic through the states at its ends, into ``other``."""
    x, end, rate = as_doubles(frame.state), as_doubles(frame.trial), as_doubles(frame.rates)
    last = as_doubles(rate_row(frame, frame.stages))
    inner, slope = as_doubles(events.after), as_doubles(events.after_rate)
    for i in range(events.width):
        inner[i] = _cubic(s, x[i], step * rate[i], end[i], step * last[i])
        rise = 6.0 * s * (1.0 - s) * (end[i] - x[i]) / step
        slope[i] = rise + (1.0 - s) * (1.0 - 3.0 * s) * rate[i] + s * (3.0 * s - 2.0) * last[i]
    mode = as_words(frame.current)[MODE]
    return observe(frame, events, mode, time + s * step, events.after, events.after_rate, events.other, step) < 0


@called
def _strays(events: EventFrame, guard: int, step: float, s: float) -> bool:
    """Whether a guard is elsewhere within a step than its values and slopes at the ends tell."""
    start, end, inner = seen_at(events.start, guard), seen_at(events.end, guard), seen_at(events.other, guard)
    low, high = start[at.VALUE], end[at.VALUE]
    expected = _cubic(s, low, step * start[at.FIRST], high, step * end[at.FIRST])
    noise = _SLOPE_NOISE * (start[at.VALUE_SCALE] + end[at.VALUE_SCALE])
    return abs(inner[at.VALUE] - expected) - noise > 0.05 * (abs(low) + abs(high))


@called
def _unresolved(frame: Frame, events: EventFrame, time: float, step: float) -> int:
    """A guard that bends too much within a step; -1 if there is none."""
    row = as_words(mode_row(events, as_words(frame.current)[MODE]))
    watched, reactive = as_words(row[at.MODE_WATCHED]), False
    for i in range(row[at.MODE_GUARDS]):
        if _is_unresolved(events, i, step):
            return i
        reactive = reactive or watched[i] & at.REACTIVE != 0
    if not reactive:
        return -1
    for k in range(3):  # reactions have no second derivative: they are looked at
        s = 0.5 if k == 0 else (0.23 if k == 1 else 0.79)
        if _between(frame, events, time, step, s):
            for i in range(row[at.MODE_GUARDS]):
                if watched[i] & at.REACTIVE != 0 and _strays(events, i, step, s):
                    return i
    return -1


@called
def _resolved(frame: Frame, events: EventFrame, time: float, step: float, status: int) -> tuple[int, float]:
    """Halve a step until all guards have a value at its end and are resolved in it; -1 or a status, and its size."""
    bent = -1
    for _ in range(_MOST_HALVINGS):
        bent = _unresolved(frame, events, time, step) if status == -1 else -1
        if (bent < 0 and status != _GUARD_NOT_A_NUMBER) or step < _SHORTEST * abs(time):
            break
        step *= 0.5
        status = _step_again(frame, events, time, step)
    if status == -1 and bent >= 0:
        start = seen_at(events.start, bent)
        if abs(start[at.FIRST]) * step > 0.01 * abs(start[at.VALUE]):  # it grows beyond bounds; else it only jumps
            as_words(events.words)[at.CONCERNED] = bent
            return _GUARD_NOT_A_NUMBER, step
    return status, step


@called
def _dip(frame: Frame, events: EventFrame, guard: int, time: float, step: float) -> tuple[int, float]:
    """The size of a step at whose end the guard has the other sign; 0 if it only comes near. -1, or a status."""
    start, end = (
        as_doubles(events.start + guard * at.OBSERVED * WORD),
        as_doubles(events.end + guard * at.OBSERVED * WORD),
    )
    sign = 1.0 if end[at.VALUE] > 0.0 else -1.0
    low, low_slope, high, high_slope = 0.0, start[at.FIRST], step, end[at.FIRST]
    for _ in range(40):
        part = low_slope / (low_slope - high_slope)
        middle = low + min(0.95, max(0.05, part)) * (high - low)
        status = _step_again(frame, events, time, middle)
        if status >= 0:
            return status, 0.0
        value, slope = end[at.VALUE] * sign, end[at.FIRST]
        if value_sign(events.end, guard, time + middle) * sign < 0.0:
            return -1, middle
        if slope * sign < 0.0:
            low, low_slope = middle, slope
        else:
            high, high_slope = middle, slope
        if value > 2.0 * abs(slope) * (high - low) or high - low < 4.0 * EPSILON * max(abs(time), high):
            return -1, 0.0
    return -1, 0.0


@called
def _first_crossing(frame: Frame, events: EventFrame, time: float, step: float, strictly: bool) -> int:
    """A guard that has passed zero between the start and the end of a step, as observed; -1 if there is none."""
    row = as_words(mode_row(events, as_words(frame.current)[MODE]))
    signs, watched = as_words(events.signs), as_words(row[at.MODE_WATCHED])
    for i in range(row[at.MODE_GUARDS]):
        now = value_sign(events.end, i, time + step) if strictly else sign_after(events.end, 0, i, time + step)
        if crosses(signs[i], now, watched[i]):
            return i
    return -1


@called
def _shortened(frame: Frame, events: EventFrame, time: float, step: float) -> tuple[int, float, int]:
    """The step up to the first zero of any guard: a status or -1, its size, and the guard (-1 if there is none)."""
    found = -1
    row = as_words(mode_row(events, as_words(frame.current)[MODE]))
    watched = as_words(row[at.MODE_WATCHED])
    crossing = _first_crossing(frame, events, time, step, False)
    for _ in range(2 * row[at.MODE_GUARDS] + 2):
        while crossing >= 0:
            found = crossing
            status, step = _locate(frame, events, crossing, time, step)
            if status >= 0:
                return status, step, found
            crossing = _first_crossing(frame, events, time, step, True)
            if crossing == found:
                crossing = -1
        for i in range(row[at.MODE_GUARDS]):
            if i == found or not _may_dip(events, i, step):
                continue
            status, dipped = _dip(frame, events, i, time, step)
            if status < 0 and dipped == 0.0:
                status = _step_again(frame, events, time, step)
            if status >= 0:
                return status, step, found
            if dipped > 0.0:
                step = dipped
                crossing = (
                    i if crosses(as_words(events.signs)[i], value_sign(events.end, i, time + step), watched[i]) else -1
                )
                if crossing < 0:
                    return -1, step, -1  # only the way back is looked for: it is found in the next step
                break
        if crossing < 0:
            break
    return -1, step, found


@called
def _meet(frame: Frame, events: EventFrame, time: float, step: float, end: float) -> tuple[int, float, int]:
    mode = as_words(frame.current)[MODE]
    row = as_words(mode_row(events, mode))
    if row[at.MODE_GUARDS] == 0:
        return -1, step, -1
    last = rate_row(frame, frame.stages)
    status = observe(frame, events, mode, end, frame.trial, last, events.end, step)
    status, shorter = _resolved(frame, events, time, step, status)
    if status >= 0:
        return status, shorter, -1
    step = shorter
    suspect = _first_crossing(frame, events, time, step, False) >= 0
    for i in range(row[at.MODE_GUARDS]):
        suspect = suspect or _may_dip(events, i, step)
    guard = -1
    if suspect:
        status, shorter, guard = _shortened(frame, events, time, step)
    return status, shorter, guard


@kernel(ADDRESSES)
def meet_events(addresses: int, time: float, sizes: int, _: int, __: int) -> int:
    """Look at the guards at the end of a trial step; shorten it to the first that passes zero.

    ``sizes`` holds the size of the step and the time at its end; after it, the size of the step and the guard that ends
    it (-1 if none does). The trial is then that of the shortened step. Returns -1 or the status that ends the run.
    """
    frame = Frame(*read_frame(addresses))
    events = EventFrame(*read_events(frame.events))
    given = as_doubles(sizes)
    status, step, guard = _meet(frame, events, time, given[0], given[1])
    given[0], given[1] = step, float(guard)
    if status < 0 and dense_stages(frame, time, step) != 0:
        return _PROGRAM_STATUS
    return status
