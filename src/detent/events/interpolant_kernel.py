"""The interpolant of a trial step, for all guards of a mode: its rows, and the coefficients of what guards read."""

from __future__ import annotations

from typing import Any

from detent.events.bernstein_kernel import elevate, hull, to_rate
from detent.events.enclosure_frame import INFINITE
from detent.events.rounding import STATE_ROUNDING
from detent.events.watch_frame import COEFFICIENTS
from detent.events.watch_kernel import as_certificate
from detent.jit.abi import WORD
from detent.jit.intrinsics import as_doubles, as_words, called
from detent.stepping.frame import StepFrame
from detent.stepping.step_kernel import as_counters, combine, dense_stages, rate_row


@called
def interpolate(frame: StepFrame, time: float, step: float) -> int:
    """The rows of dense output of the trial, where the record will have them; 0, or a program's status."""
    status = dense_stages(frame, time, step)
    out = frame.record_dense + as_counters(frame.counters).rows * frame.dense_rows * frame.width * WORD
    first = frame.stages + 1 + frame.extra_stages + frame.error_rows
    for number in range(frame.dense_rows):
        combine(frame, first + number, frame.zeros, step, out + number * frame.width * WORD)
    return status


@called
def _coefficients(frame: StepFrame, i: int, step: float, out: Any, at: int) -> None:
    """Bernstein's coefficients of one entry of the state over the trial step."""
    x, end = as_doubles(frame.state)[i], as_doubles(frame.trial)[i]
    rate, last = as_doubles(frame.rates)[i], as_doubles(rate_row(frame, frame.stages))[i]
    first = frame.record_dense + as_counters(frame.counters).rows * frame.dense_rows * frame.width * WORD
    dense, row, degree = as_doubles(first), frame.width, 3 + frame.dense_rows
    change = end - x
    r3 = step * rate - change
    r4 = change - step * last - r3
    r5, r6, r7, r8 = 0.0, 0.0, 0.0, 0.0
    if degree > 3:
        r5 = dense[i]
    if degree > 4:
        r6, r7, r8 = dense[row + i], dense[2 * row + i], dense[3 * row + i]
    elevate(degree, x, change, (r3, r4, r5, r6, r7, r8), out, at)


@called
def prepare(frame: StepFrame, certificate: int, width: int, time: float, step: float) -> None:
    """The coefficients of all that the guards of a mode read, over the trial step, and what they are known to.

    A rate is what the equations say of a state, so that it is as exact, relative to itself, as the integration; only
    between the ends of a step does the interpolant know it no better than the state per step.
    """
    known, degree = as_certificate(certificate), 3 + frame.dense_rows
    places, out = as_words(known.leaves), as_doubles(known.coefficients)
    rounding, tolerance = as_doubles(known.rounding), as_doubles(known.tolerance)
    interpolation = as_doubles(known.interpolation)
    absolute = as_doubles(frame.absolute)
    relative, kept = as_doubles(known.relative)[0], as_words(known.kept)
    for number in range(known.count):
        kept[number] = 0
    for k in range(known.leaf_count):
        place, at = places[k], COEFFICIENTS * k
        i = place - width if place >= width else place
        _coefficients(frame, i, step, out, at)
        low, high = hull(out, at, degree + 1)
        size = max(abs(low), abs(high))
        rounding[k] = STATE_ROUNDING * size
        tolerance[k] = rounding[k] + (absolute[i] + relative * size if absolute[i] < INFINITE else 0.0)
        interpolation[k] = tolerance[k]
        if place >= width:
            to_rate(degree, step, out, at)
            low, high = hull(out, at, degree + 1)
            size = max(abs(low), abs(high))
            rounding[k] = STATE_ROUNDING * size + 2.0 * degree * rounding[k] / step
            tolerance[k] = rounding[k] + (relative * size if absolute[i] < INFINITE else 0.0)
            interpolation[k] *= 2.0 * degree / step
