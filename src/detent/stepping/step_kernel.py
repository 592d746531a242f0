"""One explicit Runge-Kutta step by tableau, in pieces: what the stepper kernels and the event kernel are made of.

Everything a kernel reads or writes is found through a :class:`StepFrame` of addresses, so that a call takes no
time, nothing is counted or checked in the loop, and a call goes on exactly where the last one stopped.
Rows of numbers are padded with zeros to a multiple of four: four sums at a time are one vector instruction.

Stages are numbered as in :mod:`detent.stepping.tableau`: rates[0] is the rate at the start of the step,
rates[s] the rate at its end, further rows serve dense output.
"""

from __future__ import annotations

from detent.jit.abi import WORD
from detent.jit.intrinsics import as_doubles, as_words, call, call_cell, inlined, read_word, record_reader
from detent.stepping.crossing_frame import ASKING, CROSSED_BY, CROSSING, IS_FAR, NO_CROSSING, STEP
from detent.stepping.frame import CLOCK, COUNTERS, CURRENT, LANES, Control, StepFrame
from detent.stepping.implicit_frame import IMPLICIT

as_clock = record_reader(CLOCK)
as_counters = record_reader(COUNTERS)
as_current = record_reader(CURRENT)
as_asking = record_reader(ASKING)
_as_implicit = record_reader(IMPLICIT)
_as_crossed_by = record_reader(CROSSED_BY)
_as_crossing = record_reader(CROSSING)
_as_step = record_reader(STEP)

# -- rows of numbers ------------------------------------------------------------------------------


@inlined
def combine(frame: StepFrame, row: int, base: int, step: float, out: int) -> None:
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
def copy(width: int, source: int, out: int, other_out: int) -> None:
    """Copy a row to two places."""
    origin, target, other = as_doubles(source), as_doubles(out), as_doubles(other_out)
    for block in range(width // LANES):
        i = block * LANES
        value0, value1, value2, value3 = origin[i], origin[i + 1], origin[i + 2], origin[i + 3]
        target[i], target[i + 1], target[i + 2], target[i + 3] = value0, value1, value2, value3
        other[i], other[i + 1], other[i + 2], other[i + 3] = value0, value1, value2, value3


@inlined
def is_finite(count: int, source: int) -> bool:
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
def scaled_squares(frame: StepFrame, control: Control, one: int, other: int, source: int) -> float:
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
def rate_row(frame: StepFrame, stage: int) -> int:
    return frame.rates + stage * frame.width * WORD


@inlined
def evaluate_rates(frame: StepFrame, time: float, state: int, out: int) -> int:
    as_counters(frame.counters).evaluations += 1
    return call_cell(as_current(frame.current).rates, time, state, frame.values, out)


@inlined
def take_stage(frame: StepFrame, stage: int, time: float, step: float) -> int:
    combine(frame, stage, frame.state, step, frame.argument)
    at = time + as_doubles(frame.nodes)[stage] * step
    return evaluate_rates(frame, at, frame.argument, rate_row(frame, stage))


@inlined
def place_reached(frame: StepFrame) -> int:
    """Whether the projection was last called for a state at a change point, near one, or far."""
    place: int = as_asking(frame.stop + WORD).place
    return place


@inlined
def may_cross(frame: StepFrame) -> bool:
    """Whether there is something that takes steps of the present mode across a change point."""
    cell = as_asking(frame.stop + WORD).crossed_by
    known: bool = cell != 0 and _as_crossed_by(cell).correction == as_current(frame.current).projection
    return known


@inlined
def _cross(frame: StepFrame, time: float, size: float) -> int:
    """The same as a step of the method, near a change point or across it; or only look for one (see ``cross``)."""
    if not may_cross(frame):
        return NO_CROSSING
    cell = _as_crossed_by(as_asking(frame.stop + WORD).crossed_by)
    _as_step(_as_crossing(frame.crossing).step).size = size
    status: int = call(cell.address, cell.context, time, frame.state, frame.values, frame.crossing)
    return status


@inlined
def look_for_change_point(frame: StepFrame, time: float, span: float) -> tuple[float, float]:
    """How long until the next change point, -1 if there is none within a time span; how far from one it is now."""
    status = _cross(frame, time, -span)
    found = _as_step(_as_crossing(frame.crossing).step)
    return found.ahead if status == 0 else -1.0, found.distance


@inlined
def rounding_of_crossing(frame: StepFrame) -> float:
    """What rounding leaves in the states of a step near a change point."""
    rounding: float = _as_step(_as_crossing(frame.crossing).step).rounding
    return rounding


@inlined
def is_implicit(frame: StepFrame) -> bool:
    """Whether the present step is an implicit one."""
    implicit: bool = as_clock(frame.clock).implicit > 0.0 and as_current(frame.current).crosses == 0
    return implicit


@inlined
def step_implicitly(frame: StepFrame, time: float, step: float) -> int:
    """The same as a step of the method, by solving for it."""
    block = _as_implicit(frame.implicit)
    block.size = step
    status: int = call(block.kernel, frame.implicit, time, frame.state, frame.values, 0)
    return status


@inlined
def try_step(frame: StepFrame, time: float, step: float) -> int:
    """All stages of the method, and the state at the end of the step into ``trial``."""
    if as_current(frame.current).crosses != 0:
        return _cross(frame, time, step)
    if is_implicit(frame):
        return step_implicitly(frame, time, step)
    for stage in range(1, frame.stages):
        status = take_stage(frame, stage, time, step)
        if status != 0:
            return status
    combine(frame, frame.stages, frame.state, step, frame.trial)
    return 0


@inlined
def project(frame: StepFrame, time: float) -> tuple[int, bool]:
    """Correct the trial state; returns the program's status and whether any bit changed.

    What it was before stands in ``argument`` afterwards.
    """
    cell = as_current(frame.current).projection
    address = read_word(cell)
    if address == 0:
        return 0, False
    status = call(address, as_words(cell)[1], time, frame.trial, frame.values, frame.argument)
    before, after = as_words(frame.trial), as_words(frame.argument)
    changed = False
    for i in range(frame.width):
        changed |= before[i] != after[i]
        before[i], after[i] = after[i], before[i]
    return status, changed


@inlined
def finish_projected(frame: StepFrame, time: float, step: float, end: float, rate_is_known: bool) -> int:
    """What comes after the projection: the rate at the end of the step and the stages that dense output needs.

    Where events are looked for, those stages come after that: the step may become shorter.
    """
    status, crosses = 0, as_current(frame.current).crosses != 0
    if not rate_is_known and not (crosses and place_reached(frame) != IS_FAR):
        status = evaluate_rates(frame, end, frame.trial, rate_row(frame, frame.stages))
    if frame.events != 0 or status != 0:
        return status
    return dense_stages(frame, time, step)


@inlined
def dense_stages(frame: StepFrame, time: float, step: float) -> int:
    """The stages that dense output needs; a step across a change point has them already, and so has an implicit one."""
    status = 0
    if as_current(frame.current).crosses != 0 or is_implicit(frame):
        return status
    for stage in range(frame.stages + 1, frame.stages + 1 + frame.extra_stages):
        if status == 0:
            status = take_stage(frame, stage, time, step)
    return status


@inlined
def step_is_finite(frame: StepFrame) -> bool:
    rows = 1 if frame.events != 0 else 1 + frame.extra_stages
    end = rate_row(frame, frame.stages)
    return is_finite(frame.width, frame.trial) and is_finite(rows * frame.width, end)


@inlined
def accept(frame: StepFrame, step: float, end: float) -> None:
    """The trial becomes the state, and a row of the record."""
    clock, counters, width = as_clock(frame.clock), as_counters(frame.counters), frame.width
    row = counters.rows
    first_dense = frame.stages + 1 + frame.extra_stages + frame.error_rows
    for number in range(frame.dense_rows if frame.events == 0 else 0):  # where events are met they are there already
        at = frame.record_dense + (row * frame.dense_rows + number) * width * WORD
        combine(frame, first_dense + number, frame.zeros, step, at)
    end_rate = rate_row(frame, frame.stages)
    copy(width, frame.trial, frame.state, frame.record_state + row * width * WORD)
    copy(width, end_rate, frame.rates, frame.record_rate + row * width * WORD)
    as_doubles(frame.record_time)[row] = end
    clock.time = end
    as_current(frame.current).stood, as_asking(frame.stop + WORD).accepted = place_reached(frame), 1
    counters.rows = row + 1
    counters.steps += 1
    watcher = as_words(frame.after_step)
    if watcher[0] != 0:
        call(watcher[0], watcher[1], end, frame.state, frame.values, frame.argument)
