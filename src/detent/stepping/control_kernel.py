"""The size of steps: what a trial is wrong by, and how long the next one is."""

from __future__ import annotations

import math
from typing import Any, Final

from detent.jit.abi import EPSILON, WORD
from detent.jit.intrinsics import as_doubles, inlined
from detent.stepping.frame import Control, StepFrame
from detent.stepping.step_kernel import (
    as_clock,
    combine,
    evaluate_rates,
    is_implicit,
    rate_row,
    rounding_of_crossing,
    scaled_squares,
)

_SAFETY: Final = 0.85
"""The next step is this part of what the error allows. Against the customary 0.9 it took 1 to 6 % fewer evaluations
in all of six runs (pendulum and 7-link chain, 100 s, dop853, rtol 1e-6 to 1e-11); 0.8 was better than this in three."""
_LEAST_NOISE: Final = 64.0 * EPSILON
"""Rounding that is always there, relative to the largest entry of the state: entries of one size are solved for from
those of another. What comes with large parameters, or a large time, is found out (ROUNDING)."""


@inlined
def estimated_error(frame: StepFrame, control: Control, step: float) -> float:
    """The estimated error of the trial in units of the tolerance: a root mean square over the state.

    With two estimates the combination of DOP853: err5^2 / sqrt(err5^2 + 0.01 err3^2). It stands for the order of that
    method, which an implicit step does not have.
    """
    first = frame.stages + 1 + frame.extra_stages
    second = frame.errors + frame.width * WORD
    combine(frame, first, frame.zeros, step, frame.errors)
    squares = scaled_squares(frame, control, frame.state, frame.trial, frame.errors)
    count = max(1, frame.controlled)
    if frame.error_rows == 1 or is_implicit(frame):
        return math.sqrt(squares / count)
    combine(frame, first + 1, frame.zeros, step, second)
    both = squares + 0.01 * scaled_squares(frame, control, frame.state, frame.trial, second)
    return squares / math.sqrt(both * count) if both > 0.0 else both


@inlined
def error_of_crossing(frame: StepFrame, control: Control) -> float:
    """The same for a step near a change point, relative to the largest entry of the state and to rounding.

    Dependent speeds that should be zero are rounding there, and so is what is estimated of them; the correction sets
    them.
    """
    trial, first, second = as_doubles(frame.trial), as_doubles(frame.errors), as_doubles(frame.errors)
    if frame.error_rows > 1:
        second = as_doubles(frame.errors + frame.width * WORD)
    largest, worst, other = 0.0, 0.0, 0.0
    for i in range(frame.controlled):
        largest = max(largest, abs(trial[i]))
        worst, other = max(worst, abs(first[i])), max(other, abs(second[i]))
    if frame.error_rows > 1 and worst > 0.0:
        worst = worst * worst / math.sqrt(worst * worst + 0.01 * other * other)
    return worst / (as_doubles(frame.absolute)[0] + control.relative * largest + rounding_of_crossing(frame))


@inlined
def distance_moved(frame: StepFrame, control: Control) -> float:
    """How far the projection has moved the trial, in units of the tolerance; what is surely rounding does not count."""
    trial, before = as_doubles(frame.trial), as_doubles(frame.argument)
    largest = 0.0
    for i in range(frame.controlled):
        largest = max(largest, abs(trial[i]))
    rounding = _LEAST_NOISE * largest
    for i in range(frame.width):
        before[i] = max(0.0, abs(trial[i] - before[i]) - rounding)
    squares = scaled_squares(frame, control, frame.state, frame.trial, frame.argument)
    return math.sqrt(squares / max(1, frame.controlled))


@inlined
def smallest_step(time: float, t_end: float) -> float:
    """What the time can resolve. Near time 0 that has no meaning; then the length of the run gives the scale."""
    return 16.0 * EPSILON * max(abs(time), 1e-6 * abs(t_end))


@inlined
def first_step(frame: StepFrame, control: Control, t_end: float) -> float:
    """A first step size, from the sizes of x, x' and an estimate of x'' (Hairer, Norsett and Wanner, section II.4)."""
    time: float = as_clock(frame.clock).time
    rate, count = as_doubles(frame.rates), max(1, frame.controlled)
    size = math.sqrt(scaled_squares(frame, control, frame.state, frame.state, frame.state) / count)
    slope = math.sqrt(scaled_squares(frame, control, frame.state, frame.state, frame.rates) / count)
    guess = 1e-6 if size < 1e-5 or slope < 1e-5 else 0.01 * size / slope
    guess = min(guess, control.step, t_end - time)
    base, argument, second = as_doubles(frame.state), as_doubles(frame.argument), as_doubles(rate_row(frame, 1))
    for i in range(frame.width):
        argument[i] = base[i] + guess * rate[i]
    status = evaluate_rates(frame, time + guess, frame.argument, rate_row(frame, 1))
    for i in range(frame.width):
        second[i] -= rate[i]
    bend = math.sqrt(scaled_squares(frame, control, frame.state, frame.state, rate_row(frame, 1)) / count) / guess
    if status != 0 or not math.isfinite(bend):
        return guess
    steepest = max(slope, bend)
    other = max(1e-6, guess * 1e-3) if steepest <= 1e-15 else math.pow(0.01 / steepest, 1.0 / control.error_order)
    return min(100.0 * guess, other, control.step)


@inlined
def factor(control: Control, error: float, last_error: float) -> float:
    """The ratio of the next step to an accepted one: a proportional-integral controller."""
    if error == 0.0:
        return control.largest_factor
    exponent = 1.0 / control.error_order - 0.75 * control.memory
    ratio = _SAFETY * math.pow(error, -exponent)
    if control.memory > 0.0:
        ratio *= math.pow(last_error, control.memory)
    return min(control.largest_factor, max(control.smallest_factor, ratio))


@inlined
def shortened(control: Control, error: float) -> float:
    """The ratio of the next trial to one whose error was too large."""
    return max(control.smallest_factor, _SAFETY * math.pow(error, -1.0 / control.error_order))


@inlined
def propose(control: Control, clock: Any, error: float, step: float, proposed: float, limit: float, cut: bool) -> None:
    """The size of the next step, after one was accepted; ``cut``: it was cut short by the end."""
    following = step * min(limit, factor(control, error, clock.last_error))
    if cut and step < proposed:
        # A step cut short by the end says little about the next one.
        following = max(following, proposed)
    else:
        clock.last_error = max(error, 1e-4)
    clock.next_step = min(following, control.step)
