"""The stepper kernels: one explicit Runge-Kutta step by tableau, with fixed or with controlled size.

Everything a kernel reads or writes is found through a :class:`Frame` of addresses, so that a call takes no
time, nothing is counted or checked in the loop, and a call goes on exactly where the last one stopped.
Rows of numbers are padded with zeros to a multiple of four: four sums at a time are one vector instruction.

Stages are numbered as in :mod:`detent.integrate.tableau`: rates[0] is the rate at the start of the step,
rates[s] the rate at its end, further rows serve dense output.
"""

from __future__ import annotations

import math
from typing import Final

from numba import types

from detent.integrate.frame import (
    EVALUATIONS,
    LANES,
    LAST_ERROR,
    NEXT_STEP,
    NUMBER,
    ORIGIN,
    REASON,
    REJECTED,
    ROWS,
    STEPS,
    TIME,
    Control,
    Frame,
)
from detent.integrate.status import Status
from detent.jit.intrinsics import as_doubles, as_words, call, inlined, kernel, read_word, tuple_reader

_DONE: Final = int(Status.DONE)
_BUFFER_FULL: Final = int(Status.BUFFER_FULL)
_STOPPED: Final = int(Status.STOPPED)
_NOT_A_NUMBER: Final = int(Status.NOT_A_NUMBER)
_STEP_TOO_SMALL: Final = int(Status.STEP_TOO_SMALL)
_PROGRAM_STATUS: Final = int(Status.PROGRAM_STATUS)

_WORD: Final = 8
_EPSILON: Final = 2.0**-52
_SAFETY: Final = 0.85
"""The next step is this part of what the error allows. Against the customary 0.9 it took 1 to 6 % fewer evaluations
in all of six runs (pendulum and 7-link chain, 100 s, dop853, rtol 1e-6 to 1e-11); 0.8 was better than this in three."""
_RETREAT: Final = 0.1
"""By how much a step is shortened when the trial could not be evaluated: then its error says nothing."""
_NEAR: Final = 1e-9
"""A rest shorter than this part of a fixed step is rounding, not time; it joins the step before it."""
_STRETCH: Final = 1.01
"""A controlled step that would end this close to the end is stretched to reach it."""

_read_frame = tuple_reader(types.int64, len(Frame._fields))
_read_control = tuple_reader(types.float64, len(Control._fields))
_ADVANCE: Final = types.int64(types.int64, types.int64, types.float64)
"""A Frame and a Control, by address, and the time to reach."""


# -- rows of numbers ------------------------------------------------------------------------------


@inlined
def _combine(frame: Frame, row: int, base: int, step: float, out: int) -> None:
    """out = base + step * (row of the method applied to the rates)."""
    starts, offsets, weights = as_words(frame.starts), as_words(frame.offsets), as_doubles(frame.weights)
    rates, origin, target = as_doubles(frame.rates), as_doubles(base), as_doubles(out)
    first, last = starts[row], starts[row + 1]
    for block in range(frame.width // LANES):
        i = block * LANES
        # The step multiplies the weights, not the sum, and the first term starts the sum: a stage waits for this.
        weight, at = step * weights[first], offsets[first] + i
        sum0, sum1 = weight * rates[at], weight * rates[at + 1]
        sum2, sum3 = weight * rates[at + 2], weight * rates[at + 3]
        for p in range(first + 1, last):
            weight, at = step * weights[p], offsets[p] + i
            sum0 += weight * rates[at]
            sum1 += weight * rates[at + 1]
            sum2 += weight * rates[at + 2]
            sum3 += weight * rates[at + 3]
        # All four are read before the first is written: the compiler cannot know that they are apart.
        base0, base1, base2, base3 = origin[i], origin[i + 1], origin[i + 2], origin[i + 3]
        target[i], target[i + 1] = base0 + sum0, base1 + sum1
        target[i + 2], target[i + 3] = base2 + sum2, base3 + sum3


@inlined
def _copy(width: int, source: int, out: int, other_out: int) -> None:
    """Copy a row to two places."""
    origin, target, other = as_doubles(source), as_doubles(out), as_doubles(other_out)
    for block in range(width // LANES):
        i = block * LANES
        value0, value1, value2, value3 = origin[i], origin[i + 1], origin[i + 2], origin[i + 3]
        target[i], target[i + 1], target[i + 2], target[i + 3] = value0, value1, value2, value3
        other[i], other[i + 1], other[i + 2], other[i + 3] = value0, value1, value2, value3


@inlined
def _is_finite(count: int, source: int) -> bool:
    """Whether all numbers of a padded row are finite: x - x is 0 if so, otherwise not a number."""
    numbers = as_doubles(source)
    sum0, sum1, sum2, sum3 = 0.0, 0.0, 0.0, 0.0
    for block in range(count // LANES):
        i = block * LANES
        sum0 += numbers[i] - numbers[i]
        sum1 += numbers[i + 1] - numbers[i + 1]
        sum2 += numbers[i + 2] - numbers[i + 2]
        sum3 += numbers[i + 3] - numbers[i + 3]
    finite: bool = (sum0 + sum1) + (sum2 + sum3) == 0.0
    return finite


@inlined
def _scaled_squares(frame: Frame, control: Control, one: int, other: int, source: int) -> float:
    """The sum of (source / scale)^2, scale = atol + rtol max(|one|, |other|)."""
    numbers, absolute = as_doubles(source), as_doubles(frame.absolute)
    first, second = as_doubles(one), as_doubles(other)
    total = 0.0
    for i in range(frame.width):
        ratio = numbers[i] / (absolute[i] + control.relative * max(abs(first[i]), abs(second[i])))
        total += ratio * ratio
    return total


# -- one step -------------------------------------------------------------------------------------


@inlined
def _rate_row(frame: Frame, stage: int) -> int:
    return frame.rates + stage * frame.width * _WORD


@inlined
def _evaluate(frame: Frame, time: float, state: int, out: int) -> int:
    # The address is read afresh: machine code may have replaced the interpreter since the last call.
    as_words(frame.counters)[EVALUATIONS] += 1
    status: int = call(read_word(frame.rhs), as_words(frame.rhs)[1], time, state, frame.values, out)
    return status


@inlined
def _stage(frame: Frame, stage: int, time: float, step: float) -> int:
    _combine(frame, stage, frame.state, step, frame.argument)
    at = time + as_doubles(frame.nodes)[stage] * step
    return _evaluate(frame, at, frame.argument, _rate_row(frame, stage))


@inlined
def _try_step(frame: Frame, time: float, step: float) -> int:
    """All stages of the method, and the state at the end of the step into ``trial``."""
    for stage in range(1, frame.stages):
        status = _stage(frame, stage, time, step)
        if status != 0:
            return status
    _combine(frame, frame.stages, frame.state, step, frame.trial)
    return 0


@inlined
def _project(frame: Frame, time: float) -> tuple[int, bool]:
    """Correct the trial state; returns the program's status and whether any bit changed."""
    address = read_word(frame.projection)
    if address == 0:
        return 0, False
    status = call(address, as_words(frame.projection)[1], time, frame.trial, frame.values, frame.argument)
    before, after = as_words(frame.trial), as_words(frame.argument)
    changed = False
    for i in range(frame.width):
        changed |= before[i] != after[i]
        before[i] = after[i]
    return status, changed


@inlined
def _finish_step(frame: Frame, time: float, step: float, end: float, rate_is_known: bool) -> int:
    """The projection, the rate at the end of the step and the stages that dense output needs."""
    status, changed = _project(frame, end)
    if status == 0 and (changed or not rate_is_known):
        status = _evaluate(frame, end, frame.trial, _rate_row(frame, frame.stages))
    for stage in range(frame.stages + 1, frame.stages + 1 + frame.extra_stages):
        if status == 0:
            status = _stage(frame, stage, time, step)
    return status


@inlined
def _step_is_finite(frame: Frame) -> bool:
    rows = 1 + frame.extra_stages
    end = _rate_row(frame, frame.stages)
    return _is_finite(frame.width, frame.trial) and _is_finite(rows * frame.width, end)


@inlined
def _accept(frame: Frame, step: float, end: float) -> None:
    """The trial becomes the state, and a row of the record."""
    clock, counters, width = as_doubles(frame.clock), as_words(frame.counters), frame.width
    row = counters[ROWS]
    first_dense = frame.stages + 1 + frame.extra_stages + frame.error_rows
    for number in range(frame.dense_rows):
        at = frame.record_dense + (row * frame.dense_rows + number) * width * _WORD
        _combine(frame, first_dense + number, frame.zeros, step, at)
    end_rate = _rate_row(frame, frame.stages)
    _copy(width, frame.trial, frame.state, frame.record_state + row * width * _WORD)
    _copy(width, end_rate, frame.rates, frame.record_rate + row * width * _WORD)
    as_doubles(frame.record_time)[row] = end
    clock[TIME] = end
    counters[ROWS] = row + 1
    counters[STEPS] += 1


@inlined
def _pause(frame: Frame, t_end: float) -> int:
    """The reason to return before the next step, or -1."""
    if as_doubles(frame.clock)[TIME] >= t_end:
        return _DONE
    if as_words(frame.counters)[ROWS] >= frame.capacity:
        return _BUFFER_FULL
    if read_word(frame.stop) != 0:
        return _STOPPED
    return -1


# -- steps of fixed size --------------------------------------------------------------------------


@inlined
def _fixed_step(frame: Frame, control: Control, t_end: float) -> int:
    clock, counters = as_doubles(frame.clock), as_words(frame.counters)
    time, number = clock[TIME], counters[NUMBER] + 1
    end = clock[ORIGIN] + number * control.step
    if t_end - end < _NEAR * control.step:
        end = t_end
    if end <= time:
        return _STEP_TOO_SMALL
    step = end - time
    status = _try_step(frame, time, step)
    if status == 0:
        status = _finish_step(frame, time, step, end, False)
    if status != 0:
        counters[REASON] = status
        return _PROGRAM_STATUS
    if not _step_is_finite(frame):
        return _NOT_A_NUMBER
    _accept(frame, step, end)
    counters[NUMBER] = number
    if end == t_end:
        clock[ORIGIN], counters[NUMBER] = end, 0
    return -1


@kernel(_ADVANCE)
def advance_fixed(addresses: int, numbers: int, t_end: float) -> int:
    """Take steps of fixed size until ``t_end`` or until something else ends the call; returns a status."""
    frame, control = Frame(*_read_frame(addresses)), Control(*_read_control(numbers))
    while True:
        status = _pause(frame, t_end)
        if status >= 0:
            return status
        status = _fixed_step(frame, control, t_end)
        if status >= 0:
            return status


# -- steps of controlled size ---------------------------------------------------------------------


@inlined
def _error(frame: Frame, control: Control, step: float) -> float:
    """The estimated error of the trial in units of the tolerance: a root mean square over the state.

    With two estimates the combination of DOP853: err5^2 / sqrt(err5^2 + 0.01 err3^2).
    """
    first = frame.stages + 1 + frame.extra_stages
    second = frame.errors + frame.width * _WORD
    _combine(frame, first, frame.zeros, step, frame.errors)
    squares = _scaled_squares(frame, control, frame.state, frame.trial, frame.errors)
    count = max(1, frame.controlled)
    if frame.error_rows == 1:
        return math.sqrt(squares / count)
    _combine(frame, first + 1, frame.zeros, step, second)
    both = squares + 0.01 * _scaled_squares(frame, control, frame.state, frame.trial, second)
    return squares / math.sqrt(both * count) if both > 0.0 else both


@inlined
def _smallest_step(time: float, t_end: float) -> float:
    # Near time 0 the resolution of the clock has no meaning; then the length of the run gives the scale.
    return 16.0 * _EPSILON * max(abs(time), 1e-6 * abs(t_end))


@inlined
def _first_step(frame: Frame, control: Control, t_end: float) -> float:
    """A first step size, from the sizes of x, x' and an estimate of x'' (Hairer, Norsett and Wanner, section II.4)."""
    time: float = as_doubles(frame.clock)[TIME]
    rate, count = as_doubles(frame.rates), max(1, frame.controlled)
    size = math.sqrt(_scaled_squares(frame, control, frame.state, frame.state, frame.state) / count)
    slope = math.sqrt(_scaled_squares(frame, control, frame.state, frame.state, frame.rates) / count)
    guess = 1e-6 if size < 1e-5 or slope < 1e-5 else 0.01 * size / slope
    guess = min(guess, control.step, t_end - time)
    base, argument, second = as_doubles(frame.state), as_doubles(frame.argument), as_doubles(_rate_row(frame, 1))
    for i in range(frame.width):
        argument[i] = base[i] + guess * rate[i]
    status = _evaluate(frame, time + guess, frame.argument, _rate_row(frame, 1))
    for i in range(frame.width):
        second[i] -= rate[i]
    bend = math.sqrt(_scaled_squares(frame, control, frame.state, frame.state, _rate_row(frame, 1)) / count) / guess
    if status != 0 or not math.isfinite(bend):
        return guess
    steepest = max(slope, bend)
    other = max(1e-6, guess * 1e-3) if steepest <= 1e-15 else math.pow(0.01 / steepest, 1.0 / control.error_order)
    return min(100.0 * guess, other, control.step)


@inlined
def _factor(control: Control, error: float, last_error: float) -> float:
    """The ratio of the next step to an accepted one: a proportional-integral controller."""
    if error == 0.0:
        return control.largest_factor
    exponent = 1.0 / control.error_order - 0.75 * control.memory
    factor = _SAFETY * math.pow(error, -exponent)
    if control.memory > 0.0:
        factor *= math.pow(last_error, control.memory)
    return min(control.largest_factor, max(control.smallest_factor, factor))


@inlined
def _shorter(control: Control, error: float) -> float:
    """The ratio of the next trial to one whose error was too large."""
    return max(control.smallest_factor, _SAFETY * math.pow(error, -1.0 / control.error_order))


@inlined
def _trial(frame: Frame, control: Control, time: float, step: float, end: float) -> tuple[int, float]:
    """One trial: -1 and its error, or why it cannot be used."""
    status = _try_step(frame, time, step)
    if status == 0 and frame.error_reads_end != 0:
        status = _evaluate(frame, end, frame.trial, _rate_row(frame, frame.stages))
    error = math.inf
    if status == 0:
        error = _error(frame, control, step)
        if not error < math.inf:
            return _NOT_A_NUMBER, error
        if error > 1.0:
            return _STEP_TOO_SMALL, error
        status = _finish_step(frame, time, step, end, frame.error_reads_end != 0)
    if status != 0:
        as_words(frame.counters)[REASON] = status
        return _PROGRAM_STATUS, error
    return -1 if _step_is_finite(frame) else _NOT_A_NUMBER, error


@inlined
def _controlled_step(frame: Frame, control: Control, t_end: float) -> int:
    clock, counters = as_doubles(frame.clock), as_words(frame.counters)
    time, proposed = clock[TIME], clock[NEXT_STEP]
    smallest = _smallest_step(time, t_end)
    reason, limit = _STEP_TOO_SMALL, control.largest_factor
    while proposed >= smallest:
        end = time + proposed
        lands = time + _STRETCH * proposed >= t_end
        if lands:
            end = t_end
        step = end - time
        reason, error = _trial(frame, control, time, step, end)
        if reason < 0:
            _accept(frame, step, end)
            following = step * min(limit, _factor(control, error, clock[LAST_ERROR]))
            if lands and step < proposed:
                # A step cut short by the end says little about the next one.
                following = max(following, proposed)
            else:
                clock[LAST_ERROR] = max(error, 1e-4)
            clock[NEXT_STEP] = min(following, control.step)
            return -1
        counters[REJECTED] += 1
        limit = 1.0
        proposed = step * (_shorter(control, error) if reason == _STEP_TOO_SMALL else _RETREAT)
    return reason


@kernel(_ADVANCE)
def advance_adaptive(addresses: int, numbers: int, t_end: float) -> int:
    """Take steps of controlled size until ``t_end`` or until something else ends the call; returns a status."""
    frame, control = Frame(*_read_frame(addresses)), Control(*_read_control(numbers))
    clock = as_doubles(frame.clock)
    if clock[NEXT_STEP] == 0.0 and clock[TIME] < t_end:
        guess = max(_first_step(frame, control, t_end), _smallest_step(clock[TIME], t_end))
        clock[NEXT_STEP] = min(guess, control.step)
    while True:
        status = _pause(frame, t_end)
        if status >= 0:
            return status
        status = _controlled_step(frame, control, t_end)
        if status >= 0:
            return status


@kernel(types.int64(types.int64))
def evaluate_rate(addresses: int) -> int:
    """The rate at the present time and state into rates[0]; returns the program's own status."""
    frame = Frame(*_read_frame(addresses))
    return _evaluate(frame, as_doubles(frame.clock)[TIME], frame.state, frame.rates)
