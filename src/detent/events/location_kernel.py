"""Where a guard passes zero, located on real steps from the start of the step (rule 7 of docs/event_semantics.md)."""

from __future__ import annotations

import math
from typing import Final

from detent.events import event_frame as at
from detent.events.event_frame import EventFrame
from detent.events.observation_kernel import observe, seen_at, sign_of, value_sign
from detent.events.state_bounds_kernel import may_stand
from detent.events.watch_kernel import as_certificate, as_watch
from detent.jit.abi import EPSILON
from detent.jit.intrinsics import as_doubles, as_words, called, inlined
from detent.stepping.frame import StepFrame
from detent.stepping.status import Status
from detent.stepping.step_kernel import as_counters, as_current, evaluate_rates, project, rate_row, try_step

_MOST_TRIALS: Final = 80


@called
def step_again(frame: StepFrame, events: EventFrame, time: float, step: float) -> int:
    """A real step of another size from the same start, and the guards at its end; -1, or the status that ends it."""
    status = try_step(frame, time, step)
    if status == 0:
        status, _ = project(frame, time + step)
    if status == 0:
        status = evaluate_rates(frame, time + step, frame.trial, rate_row(frame, frame.stages))
    if status != 0:
        as_counters(frame.counters).reason = status
        return Status.PROGRAM_STATUS
    mode = as_current(frame.current).mode
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
def _may_touch(frame: StepFrame, events: EventFrame, certificate: int, guard: int, time: float) -> bool:
    """Whether a guard that is zero at the end of the trial has a kink there, so that it may only touch zero."""
    if as_watch(as_words(as_certificate(certificate).watches)[guard]).kinks == 0:
        return False
    rate = rate_row(frame, frame.stages)
    stands: bool = may_stand(certificate, guard, frame.values, events.width, time, frame.trial, rate)
    return stands


@called
def locate(
    frame: StepFrame, events: EventFrame, certificate: int, guard: int, sign: int, time: float, step: float
) -> tuple[int, float]:  # fmt: skip
    """The size of the step that ends where a guard passes zero; the trial is left there. -1, or a status.

    The guard has the sign ``sign`` just after the start of the step and another at the end of a step of size ``step``.
    One that has RESTED is zero from the start on; the place is looked for from which on it has the sign of the end.
    """
    start, end = seen_at(events.start, guard), seen_at(events.end, guard)
    low, low_value, low_slope = 0.0, start.value, start.first
    high, high_value, high_slope = step, end.value, end.first
    from_zero = value_sign(events.start, guard, time) != sign
    last, widths, side = step, step, value_sign(events.end, guard, time + step)
    slack = as_doubles(as_certificate(certificate).slack)[guard]
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
        status = step_again(frame, events, time, middle)
        if status >= 0:
            return status, middle
        last = middle
        found = sign_of(end.value, EPSILON * abs(end.first) * abs(time + middle))
        if sign == at.RESTED:
            seen = value_sign(events.end, guard, time + middle)
            found = sign if seen == 0 or seen == -side else -sign
        still = from_zero and sign * end.first >= 0.0 and (found == 0 or abs(end.value) <= slack)  # where it comes from
        if still:
            found = sign
        if found == 0 and not _may_touch(frame, events, certificate, guard, time + middle):
            return -1, middle
        if found == 0:  # where it has a kink it may only touch: the place is where it has surely passed
            found = -sign if value_sign(events.end, guard, time + middle) == -sign else sign
        if found == sign:
            low, low_value, low_slope, from_zero = middle, end.value, end.first, still
        else:
            high, high_value, high_slope = middle, end.value, end.first
    if last != high:
        return step_again(frame, events, time, high), high
    return -1, high
