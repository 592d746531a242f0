"""Steps of controlled size, with events where an automaton is followed."""

from __future__ import annotations

import math
from typing import Final

from detent.jit.intrinsics import ADDRESSES, inlined, kernel
from detent.stepping.between_steps_kernel import (
    AHEAD,
    CLOSE,
    STRETCH,
    meet,
    pause,
    read_control,
    read_frame,
    resume,
    settle,
    stop_at,
)
from detent.stepping.control_kernel import (
    distance_moved,
    error_of_crossing,
    estimated_error,
    factor,
    first_step,
    propose,
    shortened,
    smallest_step,
)
from detent.stepping.crossing_frame import CHANGE_POINT, IS_AT
from detent.stepping.frame import Control, StepFrame
from detent.stepping.status import Status
from detent.stepping.step_kernel import (
    accept,
    as_clock,
    as_counters,
    as_current,
    evaluate_rates,
    finish_projected,
    is_implicit,
    look_for_change_point,
    may_cross,
    place_reached,
    project,
    rate_row,
    step_is_finite,
    try_step,
)
from detent.stepping.stiffness_kernel import (
    is_limited,
    is_unstable,
    judge_stiffness,
    look_for_stiffness,
    retreat_from_implicit,
)

_MOVED_TOO_FAR: Final = 1000
"""Not a status, for it never leaves the kernel: the error is within its bounds, but the projection moved the end."""

_UNSTABLE: Final = 1001
"""Nor is this: the step is too long to be explicit."""

_MOVED: Final = 30.0
"""How much more what the projection moves counts than what the method estimates: it is an error that was made, and
where dependent coordinates turn steeply a small one across the constraint becomes a large one along it. For a bead on a
circle (20 s, rtol 1e-9) 30 takes 11 % more steps than 0 and leaves 1/550 of the error in energy; for four linkages the
steps are the same within 2 %."""
_NOISE: Final = 0.1
"""Where a step of half the size moves its end more than this part as far, what moves it is rounding: an error of the
method would be a hundredth. Rounding is put up with until it is much less: no step can mend it."""
_FADING: Final = 0.95
_MOST_NOISE: Final = 1e6
"""What moves the end farther than this is not put up with, for the state would leave its path. Linkages that fold flat
(closing-loop, 1000 s) pass that place with 1e6 at six tolerances from 1e-9 to 5e-13, with 1e4 not at 1e-12."""
_BACK: Final = 0.5
"""By how much a step is shortened, at most, when the projection moved its end too far."""
_RETREAT: Final = 0.1
"""By how much a step is shortened when the trial could not be evaluated: then its error says nothing."""
_FORGETTING: Final = 0.8
"""Of the usual size of a step. Across a change point that size is tried first, for short steps are rounding there."""
_WELL_WITHIN: Final = 0.75
"""The part of a step within which a change point must lie for the step to lead across it."""


@inlined
def _trial(
    frame: StepFrame, control: Control, time: float, step: float, end: float, allowed: float
) -> tuple[int, float, float]:
    """One trial: -1, its error and how far the projection moved its end; or why it cannot be used.

    The projection may move it by what is ``allowed``.
    """
    status = try_step(frame, time, step)
    if status == 0 and frame.error_reads_end != 0:
        status = evaluate_rates(frame, end, frame.trial, rate_row(frame, frame.stages))
    error, moved = math.inf, 0.0
    if status == 0:
        error = estimated_error(frame, control, step)
        if not error < math.inf:
            return Status.NOT_A_NUMBER, error, moved
        if as_current(frame.current).crosses != 0:
            error, allowed = error_of_crossing(frame, control), _MOST_NOISE
        if error > 1.0:
            return Status.STEP_TOO_SMALL, error, moved
        status, changed = project(frame, end)
        places = int(place_reached(frame) == IS_AT) + int(as_current(frame.current).stood == IS_AT)
        if status == 0 and places > as_current(frame.current).crosses:
            status = (
                CHANGE_POINT  # rounding decides there which branch the stages follow, and in a short step all of it
            )
        if status == 0 and changed:
            moved = _MOVED * distance_moved(frame, control)
            if moved > allowed:
                return _MOVED_TOO_FAR, error, moved
        if status == 0:
            status = finish_projected(frame, time, step, end, frame.error_reads_end != 0 and not changed)
    if status != 0:
        as_counters(frame.counters).reason = status
        return Status.PROGRAM_STATUS, error, moved
    return -1 if step_is_finite(frame) else Status.NOT_A_NUMBER, error, moved


@inlined
def _reach(frame: StepFrame, time: float, step: float) -> float:
    """The size of a step near a change point or across it, where that may be why one fails; 0 where there is none.

    Best is to begin as far before a change point as to end behind it: a shorter step leads to where the next can.
    """
    if not may_cross(frame):
        return 0.0
    ahead, distance = look_for_change_point(frame, time, AHEAD * step)
    if ahead < 0.0:
        return step if distance < CLOSE else 0.0
    return step if ahead < _WELL_WITHIN * step else min(step, ahead - 0.5 * step)


@inlined
def _controlled_step(frame: StepFrame, addresses: int, control: Control, t_end: float) -> int:
    clock, counters = as_clock(frame.clock), as_counters(frame.counters)
    look_for_stiffness(frame)
    time, proposed = clock.time, clock.next_step
    smallest = smallest_step(time, t_end)
    reason: int = Status.STEP_TOO_SMALL
    limit = control.largest_factor
    first, allowed, moved_before = proposed, min(max(1.0, 2.0 * clock.rounding), _MOST_NOISE), math.inf
    current, seen = as_current(frame.current), (reason, 0.0, 0.0, 0.0, 0)
    current.crosses, following, usual, torn = 0, 0.0, clock.usual, False
    while proposed >= smallest:
        end = time + proposed
        lands = time + STRETCH * proposed >= t_end
        if lands:
            end = t_end
        step = end - time
        reason, error, moved = _trial(frame, control, time, step, end, allowed)
        guard, shorter = -1, step
        limited = reason < 0 and is_limited(frame, step)  # the guards may make a step of another size of it
        if reason < 0 and frame.events != 0:
            reason, shorter, guard = meet(frame, addresses, time, step, end)
            # A part of the step, where a guard was looked for, may not be evaluated though the whole was: where rows
            # lose rank within it, nearest points are lost, or it must be taken whole. Shorter ones meet what is before.
            if reason >= 0 and reason != Status.PROGRAM_STATUS:
                return reason
        if reason < 0 and is_unstable(frame, control, shorter):
            reason, error, step = _UNSTABLE, 1.0, shorter
        if reason < 0:
            if current.crosses == 0:
                clock.rounding = max(_FADING * clock.rounding, moved if moved > 1.0 else 0.0)
                clock.usual = max(_FORGETTING * clock.usual, step)
                propose(control, clock, error, step, proposed, limit, lands)
            if following > 0.0:  # one that had to be short may grow again: rounding would stop all that stay so
                longer = min(clock.usual, step * factor(control, error, clock.last_error))
                clock.next_step, clock.last_error = max(following, longer), 1e-4
            judge_stiffness(frame, limited or torn or shorter < step, guard >= 0)
            if guard >= 0 or shorter < step:
                return stop_at(frame, addresses, time, min(shorter, step), guard)
            accept(frame, step, end)
            if frame.events != 0:
                settle(frame, addresses, -1)
            return -1
        counters.rejected += 1
        if current.crosses == 0:
            size = max(step, usual)
            reach, usual = min(_reach(frame, time, size), t_end - time), 0.0
            if reach > 0.0:
                current.crosses, seen = 1, (reason, error, moved, step, counters.reason)
                proposed, following = reach, size
                continue
        else:
            current.crosses, following = 0, 0.0
            usual = step * shortened(control, error) if reason == Status.STEP_TOO_SMALL else 0.0
            reason, error, moved, step, counters.reason = seen
        if reason == _MOVED_TOO_FAR:  # it is the place where the step ends that is bad: the next one may pass it
            reason, noise = Status.STEP_TOO_SMALL, allowed < _MOST_NOISE and moved > _NOISE * moved_before
            proposed = first if noise else step * max(shortened(control, moved), _BACK)
            allowed, moved_before = _MOST_NOISE if noise else allowed, moved
            continue
        if reason == _UNSTABLE:
            reason, limit, proposed, torn = Status.STEP_TOO_SMALL, 1.0, _BACK * step, True
            continue
        limit = 1.0
        if reason == Status.PROGRAM_STATUS and is_implicit(frame):
            retreat_from_implicit(frame, step, error <= 1.0)
        proposed = step * (shortened(control, error) if reason == Status.STEP_TOO_SMALL else _RETREAT)
    return reason


@kernel(ADDRESSES)
def advance(addresses: int, t_end: float, numbers: int, values: int, out: int) -> int:
    """Take steps of controlled size until ``t_end`` or until something else ends the call; returns a status.

    ``addresses`` is a Frame and ``numbers`` a Control, by address.
    """
    frame, control = StepFrame(*read_frame(addresses)), Control(*read_control(numbers))
    clock = as_clock(frame.clock)
    status = resume(frame, addresses)
    if status >= 0:
        return status
    if clock.next_step == 0.0 and clock.time < t_end:
        guess = max(first_step(frame, control, t_end), smallest_step(clock.time, t_end))
        clock.next_step = min(guess, control.step)
    while True:
        status = pause(frame, t_end)
        if status >= 0:
            return status
        status = _controlled_step(frame, addresses, control, t_end)
        if status >= 0:
            return status
