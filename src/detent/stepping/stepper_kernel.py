"""The stepper kernels: steps of fixed or of controlled size, with events where an automaton is followed."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numba import types

from detent.jit.abi import WORD
from detent.jit.intrinsics import (
    ADDRESSES,
    as_doubles,
    as_words,
    call,
    field_reader,
    inlined,
    kernel,
    read_word,
    record_reader,
    tuple_reader,
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
from detent.stepping.crossing_frame import CHANGE_POINT, IS_AT, IS_FAR
from detent.stepping.frame import CURRENT, Control, StepFrame
from detent.stepping.implicit_frame import NOT_SOLVED
from detent.stepping.interruption import INTERRUPTION, STEPPING
from detent.stepping.nearest_reasons import LOST, TOO_FAR
from detent.stepping.status import Status
from detent.stepping.step_kernel import (
    accept,
    as_asking,
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
from detent.stepping.stiffness_kernel import is_limited, judge_stiffness, look_for_stiffness, retreat_from_implicit

_SHORTEST: Final = 2.0**-16
"""The part of its size to which a step of fixed size may be shortened, so that nearest points can be followed."""
_MOVED_TOO_FAR: Final = 1000
"""Not a status, for it never leaves the kernel: the error is within its bounds, but the projection moved the end."""

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
_LEAP: Final = 0.1
"""The part of the state by which the projection may move it after a step of fixed size near a change point."""
_RETREAT: Final = 0.1
"""By how much a step is shortened when the trial could not be evaluated: then its error says nothing."""
_AHEAD: Final = 4.0
"""A step that fails looks ahead for a change point, as many times as far as it would lead: that may make it fail."""
_FORGETTING: Final = 0.8
"""Of the usual size of a step. Across a change point that size is tried first, for short steps are rounding there."""
_CLOSE: Final = 0.2
"""A change point that is closer may do so too where it is past (``rank_distance``)."""
_WELL_WITHIN: Final = 0.75
"""The part of a step within which a change point must lie for the step to lead across it."""
_NEAR: Final = 1e-9
"""A rest shorter than this part of a fixed step is rounding, not time; it joins the step before it."""
_STRETCH: Final = 1.01
"""A controlled step that would end this close to the end is stretched to reach it."""
_FURTHER: Final = 8.0
"""After a step of fixed size that guards made short, without one that ended it, the next is so many times as long at
most: one that leads to where slip ends, say, would be bent there, and be made as short again."""

_replaced = field_reader(CURRENT, "replaced")
_as_interruption = record_reader(np.dtype(INTERRUPTION))
_read_frame = tuple_reader(types.int64, len(StepFrame._fields))
_read_control = tuple_reader(types.float64, len(Control._fields))


@inlined
def _log_is_full(frame: StepFrame) -> bool:
    """Whether the transitions of one more instant might not find room, nor the node after them."""
    if frame.events == 0:
        return False
    found = _as_interruption(frame.interruption)
    little = found.logged > found.log_room or found.noted > found.note_room
    full: bool = little or as_counters(frame.counters).rows + 2 > frame.capacity
    return full


@inlined
def _replace(frame: StepFrame) -> None:
    """Between two steps, equations that another thread has made ready take the place of those they are equal to."""
    current = as_current(frame.current)
    replaced = _replaced(current)
    if replaced != 0 and replaced == current.rates:
        current.rates = current.replacement
        current.replaced = 0


@inlined
def _goes_on(frame: StepFrame) -> bool:
    """Where a program has asked for something between two steps, whether that could be seen to."""
    asking, again = as_asking(frame.stop + WORD), as_words(frame.again)
    if asking.asked == 0:
        return True
    if again[0] == 0:
        asking.asked = 0
        return False
    status = call(again[0], again[1], as_clock(frame.clock).time, frame.state, frame.values, frame.current)
    if status == 0:
        asking.asked = 0
    goes_on: bool = status == 0
    return goes_on


@inlined
def _pause(frame: StepFrame, t_end: float) -> int:
    """The reason to return before the next step, or -1."""
    _replace(frame)
    if as_clock(frame.clock).time >= t_end:
        return Status.DONE
    if as_counters(frame.counters).rows >= frame.capacity or _log_is_full(frame):
        return Status.BUFFER_FULL
    if read_word(frame.stop) != 0 or not _goes_on(frame):
        return Status.STOPPED
    return -1


# -- events: kernels of their own, called by address, so that a run without events does not compile them ---


@inlined
def _meet(frame: StepFrame, addresses: int, time: float, step: float, end: float) -> tuple[int, float, int]:
    """Look at the guards at the end of a trial; a status or -1, the size of the step, the guard that ends it or -1."""
    sizes = as_doubles(frame.sizes)
    sizes[0], sizes[1] = step, end
    status = call(frame.meet, addresses, time, frame.sizes, 0, 0)
    return status, sizes[0], int(sizes[1])


@inlined
def _settle(frame: StepFrame, addresses: int, guard: int) -> int:
    """After an accepted step, which a guard ended or none (-1)."""
    status: int = call(frame.settle, addresses, 0.0, guard, 0, 0)
    return status


# -- steps of fixed size --------------------------------------------------------------------------


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
        ahead, distance = look_for_change_point(frame, time, _AHEAD * step)
        current.crosses = 1 if ahead >= 0.0 or distance < _CLOSE else 0
        if current.crosses != 0 and try_step(frame, time, step) == 0:
            status, _ = project(frame, end)
        else:
            current.crosses = 0
            if leaps:
                return status if status != 0 else CHANGE_POINT
    return finish_projected(frame, time, step, end, False) if status == 0 else status


@inlined
def _is_lost(status: int, counters: Any) -> bool:
    """Whether nearest points cannot be followed to where a guard is looked for: from nearer by they may be."""
    return status == Status.PROGRAM_STATUS and LOST <= counters.reason <= TOO_FAR


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
    if clock.rounding > 0.0 and time + _STRETCH * clock.rounding < end:
        end = time + clock.rounding
    step = end - time
    while True:
        status = _whole_step(frame, time, step, end)
        while LOST <= status <= TOO_FAR and step > _SHORTEST * control.step:
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
        status, shorter, guard = _meet(frame, addresses, time, step, end)
        if status < 0:
            break
        if not (_is_lost(status, counters) and step > _SHORTEST * control.step):
            return status
        step *= 0.5
        end = time + step
    if frame.events != 0 and (shorter < step or guard >= 0):
        clock.rounding = _FURTHER * shorter if guard < 0 else 0.0
        return _stop_at(frame, addresses, time, min(shorter, step), guard)
    accept(frame, step, end)
    counters.number = number
    clock.rounding = 0.0 if end == whole else _FURTHER * clock.rounding
    if end == t_end or end < whole:
        clock.origin, counters.number = end, 0
    if frame.events != 0:
        _settle(frame, addresses, -1)
    return -1


@inlined
def _stop_at(frame: StepFrame, addresses: int, time: float, step: float, guard: int) -> int:
    """Accept a step that was shortened: at a guard, whose transitions are taken, or so that guards can be followed."""
    clock, counters = as_clock(frame.clock), as_counters(frame.counters)
    accept(frame, step, time + step)
    clock.origin, counters.number = clock.time, 0
    return _settle(frame, addresses, guard)


@inlined
def _resume(frame: StepFrame, addresses: int) -> int:
    """Go on with an excursion that the last call could not finish; -1, or the status with which to return."""
    if frame.events == 0:
        return -1
    if _as_interruption(frame.interruption).phase == STEPPING:
        return -1
    if _log_is_full(frame):
        return Status.BUFFER_FULL
    status: int = call(frame.excursion, addresses, 0.0, 0, 0, 0)
    return status


@kernel(ADDRESSES)
def advance_fixed(addresses: int, t_end: float, numbers: int, values: int, out: int) -> int:
    """Take steps of fixed size until ``t_end`` or until something else ends the call; returns a status.

    ``addresses`` is a Frame and ``numbers`` a Control, by address.
    """
    frame, control = StepFrame(*_read_frame(addresses)), Control(*_read_control(numbers))
    status = _resume(frame, addresses)
    if status >= 0:
        return status
    while True:
        status = _pause(frame, t_end)
        if status >= 0:
            return status
        status = _fixed_step(frame, addresses, control, t_end)
        if status >= 0:
            return status


# -- steps of controlled size ---------------------------------------------------------------------


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
    ahead, distance = look_for_change_point(frame, time, _AHEAD * step)
    if ahead < 0.0:
        return step if distance < _CLOSE else 0.0
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
    current.crosses, following, usual = 0, 0.0, clock.usual
    while proposed >= smallest:
        end = time + proposed
        lands = time + _STRETCH * proposed >= t_end
        if lands:
            end = t_end
        step = end - time
        reason, error, moved = _trial(frame, control, time, step, end, allowed)
        guard, shorter = -1, step
        limited = reason < 0 and is_limited(frame, step)  # the guards may make a step of another size of it
        if reason < 0 and frame.events != 0:
            reason, shorter, guard = _meet(frame, addresses, time, step, end)
            can_be_shorter = _is_lost(reason, counters) or (is_implicit(frame) and counters.reason == NOT_SOLVED)
            if reason >= 0 and not can_be_shorter:
                return reason
        if reason < 0:
            if current.crosses == 0:
                clock.rounding = max(_FADING * clock.rounding, moved if moved > 1.0 else 0.0)
                clock.usual = max(_FORGETTING * clock.usual, step)
                propose(control, clock, error, step, proposed, limit, lands)
            if following > 0.0:  # one that had to be short may grow again: rounding would stop all that stay so
                longer = min(clock.usual, step * factor(control, error, clock.last_error))
                clock.next_step, clock.last_error = max(following, longer), 1e-4
            judge_stiffness(frame, limited or shorter < step, guard >= 0)
            if guard >= 0 or shorter < step:
                return _stop_at(frame, addresses, time, min(shorter, step), guard)
            accept(frame, step, end)
            if frame.events != 0:
                _settle(frame, addresses, -1)
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
        limit = 1.0
        if reason == Status.PROGRAM_STATUS and is_implicit(frame):
            retreat_from_implicit(frame, step, error <= 1.0)
        proposed = step * (shortened(control, error) if reason == Status.STEP_TOO_SMALL else _RETREAT)
    return reason


@kernel(ADDRESSES)
def advance_adaptive(addresses: int, t_end: float, numbers: int, values: int, out: int) -> int:
    """Take steps of controlled size until ``t_end`` or until something else ends the call; returns a status.

    ``addresses`` is a Frame and ``numbers`` a Control, by address.
    """
    frame, control = StepFrame(*_read_frame(addresses)), Control(*_read_control(numbers))
    clock = as_clock(frame.clock)
    status = _resume(frame, addresses)
    if status >= 0:
        return status
    if clock.next_step == 0.0 and clock.time < t_end:
        guess = max(first_step(frame, control, t_end), smallest_step(clock.time, t_end))
        clock.next_step = min(guess, control.step)
    while True:
        status = _pause(frame, t_end)
        if status >= 0:
            return status
        status = _controlled_step(frame, addresses, control, t_end)
        if status >= 0:
            return status


@kernel(types.int64(types.int64))
def evaluate_rate(addresses: int) -> int:
    """The rate at the present time and state into rates[0]; returns the program's own status."""
    frame = StepFrame(*_read_frame(addresses))
    return evaluate_rates(frame, as_clock(frame.clock).time, frame.state, frame.rates)
