"""Steps of fixed size, with events where an automaton is followed."""

from __future__ import annotations

from typing import Final

from detent.jit.intrinsics import ADDRESSES, as_doubles, inlined, kernel
from detent.stepping.between_steps_kernel import (
    AHEAD,
    CLOSE,
    STRETCH,
    is_lost,
    meet,
    pause,
    read_control,
    read_frame,
    resume,
    settle,
    stop_at,
)
from detent.stepping.crossing_frame import CHANGE_POINT, IS_FAR
from detent.stepping.frame import Control, StepFrame
from detent.stepping.nearest_reasons import LOST, TOO_FAR
from detent.stepping.status import Status
from detent.stepping.step_kernel import (
    accept,
    as_clock,
    as_counters,
    as_current,
    finish_projected,
    look_for_change_point,
    may_cross,
    place_reached,
    project,
    step_is_finite,
    try_step,
)

_SHORTEST: Final = 2.0**-16
"""The part of its size to which a step of fixed size may be shortened, so that shapes touch nowhere else meanwhile."""
_SHORTEST_LOST: Final = 2.0**-40
"""The same so that nearest points can be followed: where a curve is all but straight they go fast."""
_LEAP: Final = 0.1
"""The part of the state by which the projection may move it after a step of fixed size near a change point."""
_NEAR: Final = 1e-9
"""A rest shorter than this part of a fixed step is rounding, not time; it joins the step before it."""
_FURTHER: Final = 8.0
"""After a step of fixed size that guards made short, without one that ended it, the next is so many times as long at
most: one that leads to where slip ends, say, would be bent there, and be made as short again."""


@inlined
def _leaps(frame: StepFrame) -> bool:
    """Whether the projection has moved the trial by a large part of it: another branch than the one it came on."""
    trial, before = as_doubles(frame.trial), as_doubles(frame.argument)
    largest, farthest = 0.0, 0.0
    for i in range(frame.controlled):
        largest, farthest = max(largest, abs(trial[i])), max(farthest, abs(trial[i] - before[i]))
    return farthest > _LEAP * largest


@inlined
def _whole_step(frame: StepFrame, time: float, step: float, end: float) -> int:
    """One step of fixed size with all that belongs to it; the program's status.

    Near a change point it is taken as a polynomial, which no stage on the wrong side can lead astray.
    """
    current = as_current(frame.current)
    current.crosses = 0
    status = try_step(frame, time, step)
    if status == 0:
        status, _ = project(frame, end)
    if may_cross(frame) and (status != 0 or place_reached(frame) != IS_FAR or current.stood != IS_FAR):
        leaps = status != 0 or _leaps(frame)
        ahead, distance = look_for_change_point(frame, time, AHEAD * step)
        current.crosses = 1 if ahead >= 0.0 or distance < CLOSE else 0
        if current.crosses != 0 and try_step(frame, time, step) == 0:
            status, _ = project(frame, end)
        else:
            current.crosses = 0
            if leaps:
                return status if status != 0 else CHANGE_POINT
    return finish_projected(frame, time, step, end, False) if status == 0 else status


@inlined
def _may_be_shorter(reason: int, step: float, size: float) -> bool:
    """Whether nearest points may be followed if a step becomes shorter that is to have a size."""
    return LOST <= reason <= TOO_FAR and step > (_SHORTEST_LOST if reason == LOST else _SHORTEST) * size


@inlined
def _fixed_step(frame: StepFrame, addresses: int, control: Control, t_end: float) -> int:
    clock, counters = as_clock(frame.clock), as_counters(frame.counters)
    time, number = clock.time, counters.number + 1
    end = clock.origin + number * control.step
    if t_end - end < _NEAR * control.step:
        end = t_end
    if end <= time:
        return Status.STEP_TOO_SMALL
    whole, shorter, guard = end, 0.0, -1
    if clock.rounding > 0.0 and time + STRETCH * clock.rounding < end:
        end = time + clock.rounding
    step = end - time
    while True:
        status = _whole_step(frame, time, step, end)
        while _may_be_shorter(status, step, control.step):
            step *= 0.5
            end = time + step
            status = _whole_step(frame, time, step, end)
        if status != 0:
            counters.reason = status
            return Status.PROGRAM_STATUS
        if not step_is_finite(frame):
            return Status.NOT_A_NUMBER
        if frame.events == 0:
            break
        status, shorter, guard = meet(frame, addresses, time, step, end)
        if status < 0:
            break
        if not (is_lost(status, counters) and _may_be_shorter(counters.reason, step, control.step)):
            return status
        step *= 0.5
        end = time + step
    if frame.events != 0 and (shorter < step or guard >= 0):
        clock.rounding = _FURTHER * shorter if guard < 0 else 0.0
        return stop_at(frame, addresses, time, min(shorter, step), guard)
    accept(frame, step, end)
    counters.number = number
    clock.rounding = 0.0 if end == whole else _FURTHER * clock.rounding
    if end == t_end or end < whole:
        clock.origin, counters.number = end, 0
    if frame.events != 0:
        settle(frame, addresses, -1)
    return -1


@kernel(ADDRESSES)
def advance(addresses: int, t_end: float, numbers: int, values: int, out: int) -> int:
    """Take steps of fixed size until ``t_end`` or until something else ends the call; returns a status.

    ``addresses`` is a Frame and ``numbers`` a Control, by address.
    """
    frame, control = StepFrame(*read_frame(addresses)), Control(*read_control(numbers))
    status = resume(frame, addresses)
    if status >= 0:
        return status
    while True:
        status = pause(frame, t_end)
        if status >= 0:
            return status
        status = _fixed_step(frame, addresses, control, t_end)
        if status >= 0:
            return status
