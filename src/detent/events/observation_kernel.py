"""Guards, as they are observed at an instant: their values, their derivatives and their signs.

The rules are those of docs/event_semantics.md. A sign is read by value, then by the first, then by the second
derivative along the motion; a value counts as zero when it is within the rounding of the terms it is the sum of, or
within what the guard changes in the resolution of the clock.
"""

from __future__ import annotations

import math
from typing import Any, Final

from numba import types

from detent.events import event_frame as at
from detent.events.event_frame import EventFrame
from detent.events.rounding import CLOCK_RESOLUTION, TERMS_ROUNDING
from detent.jit.abi import EPSILON, WORD
from detent.jit.intrinsics import (
    as_doubles,
    as_words,
    call_cell,
    called,
    inlined,
    record_reader,
    row_reader,
    tuple_reader,
)
from detent.stepping.frame import StepFrame
from detent.stepping.status import Status
from detent.stepping.step_kernel import as_counters

_DOUBT: Final = 32.0 * EPSILON
"""A derivative that changes its sign when state and time change by this part of themselves has none."""
_PROBE: Final = 1e-4
"""The rate of a reaction is a difference over this part of a step. It steers the search; no result depends on it."""

read_events: Final = tuple_reader(types.int64, len(EventFrame._fields))
read_frame: Final = tuple_reader(types.int64, len(StepFrame._fields))


mode_row: Final = row_reader(at.MODE)
transition_row: Final = row_reader(at.TRANSITION)
own_row: Final = row_reader(at.OWN)
"""A transition that leaves a mode."""
step_row: Final = row_reader(at.RESET_STEP)
zeno_row: Final = row_reader(at.ZENO)
seen_at: Final = row_reader(at.OBSERVATION)
"""What is observed of one guard."""
_note_row: Final = row_reader(at.NOTE)
as_excursion: Final = record_reader(at.EXCURSION)


@called
def write_note(events: EventFrame, kind: int, transition: int, mode: int, time: float) -> None:
    """Note what is worth knowing though nothing happened."""
    excursion = as_excursion(events.excursion)
    number = excursion.noted
    if number < events.note_capacity:
        note = _note_row(events.notes, number)
        note.time, note.kind, note.transition, note.mode = time, kind, transition, mode
        excursion.noted = number + 1


@called
def extend(frame: StepFrame, events: EventFrame, mode: int, time: float, state: int, rate: int, span: float) -> int:
    """State, rate, reactions and their rates into one row, for observers and conditions."""
    row = mode_row(events.modes, mode)
    width, count = events.width, row.reaction_count
    target, x, derivative = as_doubles(events.extended), as_doubles(state), as_doubles(rate)
    for i in range(width):
        target[i], target[width + i] = x[i], derivative[i]
    if row.reactions == 0:
        for i in range(2 * count):
            target[2 * width + i] = 0.0
        return 0
    first = events.extended + 2 * width * WORD
    status = call_cell(row.reactions, time, state, frame.values, first)
    if status != 0 and span < 0.0:
        for i in range(2 * count):
            target[2 * width + i] = 0.0
        return 0
    if status != 0:
        return status
    little = _PROBE * span
    probe, reactions = as_doubles(events.spare), as_doubles(first)
    for i in range(width):
        probe[i] = x[i] + little * derivative[i]
    second = first + count * WORD
    status = call_cell(row.reactions, time + little, events.spare, frame.values, second)
    later = as_doubles(second)
    for i in range(count):
        later[i] = (later[i] - reactions[i]) / little if status == 0 and little > 0.0 else 0.0
    return 0


@called
def _gather(row: Any, source: int, out: int) -> None:
    """Of all that was observed, the guards of a claimed mode, then what it requires."""
    slots, seen, target = as_words(row.slots), as_doubles(source), as_doubles(out)
    for i in range(row.guards + row.invariants):
        for k in range(at.OBSERVED):
            target[i * at.OBSERVED + k] = seen[slots[i] * at.OBSERVED + k]


@called
def observe(
    frame: StepFrame, events: EventFrame, mode: int, time: float, state: int, rate: int, out: int, span: float
) -> int:
    """All guards of a mode at a state; -1, or the status that ends the run."""
    status = extend(frame, events, mode, time, state, rate, span)
    row = mode_row(events.modes, mode)
    if status == 0:
        whole = out if row.slots == 0 else events.gathered
        status = call_cell(row.observer, time, events.extended, frame.values, whole)
    if status != 0:
        as_counters(frame.counters).reason = status
        return Status.PROGRAM_STATUS
    if row.slots != 0:
        _gather(row, events.gathered, out)
    for i in range(row.guards + row.invariants):
        if math.isnan(seen_at(out, i).value):
            as_excursion(events.excursion).concerned = i
            return Status.GUARD_NOT_A_NUMBER
    return Status.GO_ON


@inlined
def sign_of(value: float, tolerance: float) -> int:
    """The sign of a value that is known to a tolerance. One that is beyond all numbers tells nothing."""
    known = tolerance if tolerance < math.inf else 0.0
    if value > known:
        return 1
    return -1 if value < -known else 0


@inlined
def value_tolerance(out: int, guard: int, time: float) -> float:
    seen = seen_at(out, guard)
    tolerance: float = TERMS_ROUNDING * seen.value_scale + CLOCK_RESOLUTION * abs(seen.first) * abs(time)
    return tolerance


@inlined
def value_sign(out: int, guard: int, time: float) -> int:
    """The sign of a guard by its value alone; 0 within rounding."""
    return sign_of(seen_at(out, guard).value, value_tolerance(out, guard, time))


@called
def _needs_doubt(events: EventFrame, row: Any, time: float) -> bool:
    """Whether the sign of a guard, or of what must hold, hangs on a derivative."""
    zeros = 0
    for i in range(row.guards + row.invariants):
        zeros += value_sign(events.end, i, time) == 0
    return zeros > 0


@called
def doubt(frame: StepFrame, events: EventFrame, mode: int, time: float, state: int, rate: int, span: float) -> None:
    """Where a sign hangs on a derivative, let the size of its terms tell what it is known to (rule 3).

    What u' is a sum of is not at hand, and a derivative may be small because it has a zero there. So everything is
    worked out again where state and time differ by some units of rounding: what changes then is rounding too. The row
    of :func:`extend` is that of the other state afterwards.
    """
    row = mode_row(events.modes, mode)
    if not _needs_doubt(events, row, time):
        return
    x, moved = as_doubles(state), as_doubles(events.spare)
    for i in range(events.width):
        moved[i] = x[i] * (1.0 + (_DOUBT if i % 2 == 0 else -_DOUBT))
    later = time * (1.0 + _DOUBT)
    status = call_cell(row.rates, later, events.spare, frame.values, events.doubted_rate)
    if status == 0 and observe(frame, events, mode, later, events.spare, events.doubted_rate, events.doubted, span) < 0:
        for i in range(row.guards + row.invariants):
            seen, other = seen_at(events.end, i), seen_at(events.doubted, i)
            seen.first_scale += abs(other.first - seen.first) / TERMS_ROUNDING
            if seen.second_scale != at.UNKNOWN:
                seen.second_scale += abs(other.second - seen.second) / TERMS_ROUNDING


@called
def sign_by_derivatives(out: int, other: int, guard: int, band: float) -> int:
    """The sign that a guard, zero by value, has just after an instant; 0 where its derivatives do not tell.

    A rate that the second derivative turns round before the guard has left the band tells nothing. After a jump there
    is no band: what was reset is known exactly; but a rate is known only to what it was before (``other``).
    """
    seen = seen_at(out, guard)
    scale = seen.first_scale
    if other != 0:
        scale = max(scale, seen_at(other, guard).first_scale)
    first = sign_of(seen.first, TERMS_ROUNDING * scale)
    second = sign_of(seen.second, TERMS_ROUNDING * seen.second_scale)
    turns = first * second < 0 and seen.first * seen.first <= 2.0 * abs(seen.second) * band
    return second if first == 0 or turns else first


@called
def sign_after(out: int, other: int, guard: int, time: float) -> int:
    """The sign that a guard has just after an instant; 0 where not even the second derivative tells.

    ``other`` is what was observed before a jump: what was zero within rounding there, and did not move, still is zero.
    """
    tolerance = value_tolerance(out, guard, time)
    if other != 0:
        tolerance = max(tolerance, value_tolerance(other, guard, time))
    sign = sign_of(seen_at(out, guard).value, tolerance)
    return sign if sign != 0 else sign_by_derivatives(out, other, guard, 0.0)


@called
def sign_before(out: int, guard: int, time: float) -> int:
    """The sign that a guard has just before an instant."""
    sign = value_sign(out, guard, time)
    seen = seen_at(out, guard)
    if sign == 0:
        sign = -sign_of(seen.first, TERMS_ROUNDING * seen.first_scale)
    if sign == 0:
        sign = sign_of(seen.second, TERMS_ROUNDING * seen.second_scale)
    return sign


@inlined
def crosses(before: int, after: int, watched: int) -> bool:
    """Whether a change of sign is one of those looked for (rule 5). One that has RESTED at zero may go either way."""
    falls = before > 0 and after == -1 and watched & at.FALLING != 0
    rises = (before < 0 or before == at.RESTED) and after == 1 and watched & at.RISING != 0
    crossed: bool = falls or rises
    return crossed
