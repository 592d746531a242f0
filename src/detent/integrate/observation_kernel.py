"""Guards, as they are observed at an instant: their values, their derivatives and their signs.

The rules are those of docs/event_semantics.md. A sign is read by value, then by the first, then by the second
derivative along the motion; a value counts as zero when it is within the rounding of the terms it is the sum of, or
within what the guard changes in the resolution of the clock.
"""

from __future__ import annotations

import math
from typing import Any, Final

from numba import types

from detent.integrate import event_frame as at
from detent.integrate.event_frame import EventFrame
from detent.integrate.frame import REASON, Frame
from detent.integrate.status import Status
from detent.integrate.step_kernel import WORD
from detent.jit.intrinsics import as_doubles, as_words, call, called, inlined, read_word, tuple_reader

_PROGRAM_STATUS: Final = int(Status.PROGRAM_STATUS)
_GUARD_NOT_A_NUMBER: Final = int(Status.GUARD_NOT_A_NUMBER)
EPSILON: Final = 2.0**-52
ROUNDING: Final = 16.0 * EPSILON
"""A sum within this part of the size of its terms is zero."""
_CLOCK: Final = 64.0 * EPSILON
"""A guard within what it changes in this part of the time is zero: a step of a method of order 8 rounds so much."""
_PROBE: Final = 1e-4
"""The rate of a reaction is a difference over this part of a step. It steers the search; no result depends on it."""

read_events: Final = tuple_reader(types.int64, len(EventFrame._fields))
read_frame: Final = tuple_reader(types.int64, len(Frame._fields))


@inlined
def mode_row(events: EventFrame, mode: int) -> int:
    """The address of a mode's row."""
    return events.modes + mode * at.MODE_WORDS * WORD


@called
def extend(frame: Frame, events: EventFrame, mode: int, time: float, state: int, rate: int, span: float) -> int:
    """State, rate, reactions and their rates into one row, for observers and conditions."""
    row = as_words(mode_row(events, mode))
    width, count = events.width, row[at.MODE_REACTION_COUNT]
    target, x, derivative = as_doubles(events.extended), as_doubles(state), as_doubles(rate)
    for i in range(width):
        target[i], target[width + i] = x[i], derivative[i]
    if row[at.MODE_REACTIONS] == 0:
        for i in range(2 * count):
            target[2 * width + i] = 0.0
        return 0
    first = events.extended + 2 * width * WORD
    cell = as_words(row[at.MODE_REACTIONS])
    status = call(read_word(row[at.MODE_REACTIONS]), cell[1], time, state, frame.values, first)
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
    status = call(read_word(row[at.MODE_REACTIONS]), cell[1], time + little, events.spare, frame.values, second)
    later = as_doubles(second)
    for i in range(count):
        later[i] = (later[i] - reactions[i]) / little if status == 0 and little > 0.0 else 0.0
    return 0


@called
def observe(
    frame: Frame, events: EventFrame, mode: int, time: float, state: int, rate: int, out: int, span: float
) -> int:
    """All guards of a mode at a state; -1, or the status that ends the run."""
    status = extend(frame, events, mode, time, state, rate, span)
    row = as_words(mode_row(events, mode))
    if status == 0:
        cell = as_words(row[at.MODE_OBSERVER])
        status = call(read_word(row[at.MODE_OBSERVER]), cell[1], time, events.extended, frame.values, out)
    if status != 0:
        as_words(frame.counters)[REASON] = status
        return _PROGRAM_STATUS
    seen = as_doubles(out)
    for i in range(row[at.MODE_GUARDS] + row[at.MODE_INVARIANTS]):
        if math.isnan(seen[i * at.OBSERVED]):
            as_words(events.words)[at.CONCERNED] = i
            return _GUARD_NOT_A_NUMBER
    return -1


@inlined
def seen_at(out: int, guard: int) -> Any:
    """What is observed of one guard."""
    return as_doubles(out + guard * at.OBSERVED * WORD)


@inlined
def sign_of(value: float, tolerance: float) -> int:
    if value > tolerance:
        return 1
    return -1 if value < -tolerance else 0


@inlined
def _value_tolerance(out: int, guard: int, time: float) -> float:
    seen = seen_at(out, guard)
    tolerance: float = ROUNDING * seen[at.VALUE_SCALE] + _CLOCK * abs(seen[at.FIRST]) * abs(time)
    return tolerance


@inlined
def value_sign(out: int, guard: int, time: float) -> int:
    """The sign of a guard by its value alone; 0 within rounding."""
    return sign_of(seen_at(out, guard)[at.VALUE], _value_tolerance(out, guard, time))


@called
def sign_after(out: int, other: int, guard: int, time: float) -> int:
    """The sign that a guard has just after an instant; 0 where not even the second derivative tells.

    ``other`` is what was observed before a jump: what was zero within rounding there, and did not move, still is zero.
    """
    seen = seen_at(out, guard)
    tolerance = _value_tolerance(out, guard, time)
    if other != 0:
        tolerance = max(tolerance, _value_tolerance(other, guard, time))
    sign = sign_of(seen[at.VALUE], tolerance)
    if sign == 0:
        sign = sign_of(seen[at.FIRST], ROUNDING * seen[at.FIRST_SCALE])
    if sign == 0:
        sign = sign_of(seen[at.SECOND], ROUNDING * seen[at.SECOND_SCALE])
    return sign


@called
def sign_before(out: int, guard: int, time: float) -> int:
    """The sign that a guard has just before an instant."""
    sign = value_sign(out, guard, time)
    seen = seen_at(out, guard)
    if sign == 0:
        sign = -sign_of(seen[at.FIRST], ROUNDING * seen[at.FIRST_SCALE])
    if sign == 0:
        sign = sign_of(seen[at.SECOND], ROUNDING * seen[at.SECOND_SCALE])
    return sign


@inlined
def crosses(before: int, after: int, watched: int) -> bool:
    """Whether a change of sign is one of those looked for."""
    falls = before > 0 and after < 0 and watched & at.FALLING != 0
    rises = before < 0 and after > 0 and watched & at.RISING != 0
    crossed: bool = falls or rises
    return crossed
