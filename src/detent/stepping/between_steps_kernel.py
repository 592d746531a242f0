"""What steps of fixed and of controlled size share: what is done between two of them, and at events."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import types

from detent.jit.abi import EPSILON, WORD
from detent.jit.intrinsics import (
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
from detent.stepping.frame import CURRENT, Control, StepFrame
from detent.stepping.interruption import INTERRUPTION, STEPPING
from detent.stepping.nearest_reasons import LOST, TOO_FAR
from detent.stepping.status import Status
from detent.stepping.step_kernel import accept, as_asking, as_clock, as_counters, as_current, evaluate_rates

AHEAD: Final = 4.0
"""A step that fails looks ahead for a change point, as many times as far as it would lead: that may make it fail."""
CLOSE: Final = 0.2
"""A change point that is closer may do so too where it is past (``rank_distance``)."""
STRETCH: Final = 1.01
"""A step that would end this close to the end is stretched to reach it."""

_LOOKS_EVERY: Final = 1 << 16
_INSTANT: Final = 1024.0 * EPSILON
"""It is looked at so many steps whether time passes: no more than this part of the time for each of them, on average,
is none (rule 12 of docs/event_semantics.md). Events are told apart that are nearer to one another, but not so many."""

_replaced = field_reader(CURRENT, "replaced")
_as_interruption = record_reader(np.dtype(INTERRUPTION))
read_frame = tuple_reader(types.int64, len(StepFrame._fields))
read_control = tuple_reader(types.float64, len(Control._fields))


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
def _time_stands(frame: StepFrame) -> bool:
    """Whether so many steps have led nearly nowhere."""
    clock, counters = as_clock(frame.clock), as_counters(frame.counters)
    if 0 <= counters.steps - counters.looked < _LOOKS_EVERY:
        return False
    whole, passed = counters.steps - counters.looked == _LOOKS_EVERY, clock.time - clock.looked
    counters.looked, clock.looked = counters.steps, clock.time
    stands: bool = whole and 0.0 <= passed <= _LOOKS_EVERY * _INSTANT * abs(clock.time)
    return stands


@inlined
def pause(frame: StepFrame, t_end: float) -> int:
    """The reason to return before the next step, or -1."""
    _replace(frame)
    if as_clock(frame.clock).time >= t_end:
        return Status.DONE
    if as_counters(frame.counters).rows >= frame.capacity or _log_is_full(frame):
        return Status.BUFFER_FULL
    if read_word(frame.stop) != 0 or not _goes_on(frame):
        return Status.STOPPED
    return Status.NO_PROGRESS if _time_stands(frame) else -1


# -- events: kernels of their own, called by address, so that a run without events does not compile them ---


@inlined
def meet(frame: StepFrame, addresses: int, time: float, step: float, end: float) -> tuple[int, float, int]:
    """Look at the guards at the end of a trial; a status or -1, the size of the step, the guard that ends it or -1."""
    sizes = as_doubles(frame.sizes)
    sizes[0], sizes[1] = step, end
    status = call(frame.meet, addresses, time, frame.sizes, 0, 0)
    return status, sizes[0], int(sizes[1])


@inlined
def settle(frame: StepFrame, addresses: int, guard: int) -> int:
    """After an accepted step, which a guard ended or none (-1)."""
    status: int = call(frame.settle, addresses, 0.0, guard, 0, 0)
    return status


@inlined
def is_lost(status: int, counters: Any) -> bool:
    """Whether nearest points cannot be followed to where a guard is looked for: from nearer by they may be."""
    return status == Status.PROGRAM_STATUS and LOST <= counters.reason <= TOO_FAR


@inlined
def stop_at(frame: StepFrame, addresses: int, time: float, step: float, guard: int) -> int:
    """Accept a step that was shortened: at a guard, whose transitions are taken, or so that guards can be followed."""
    clock, counters = as_clock(frame.clock), as_counters(frame.counters)
    accept(frame, step, time + step)
    clock.origin, counters.number = clock.time, 0
    return settle(frame, addresses, guard)


@inlined
def resume(frame: StepFrame, addresses: int) -> int:
    """Go on with an excursion that the last call could not finish; -1, or the status with which to return."""
    if frame.events == 0:
        return -1
    if _as_interruption(frame.interruption).phase == STEPPING:
        return -1
    if _log_is_full(frame):
        return Status.BUFFER_FULL
    status: int = call(frame.excursion, addresses, 0.0, 0, 0, 0)
    return status


@kernel(types.int64(types.int64))
def evaluate_rate(addresses: int) -> int:
    """The rate at the present time and state into rates[0]; returns the program's own status."""
    frame = StepFrame(*read_frame(addresses))
    return evaluate_rates(frame, as_clock(frame.clock).time, frame.state, frame.rates)
