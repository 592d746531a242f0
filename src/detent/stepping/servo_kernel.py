"""The servo: steps when the clock says so, one a period, in a thread that waits for nothing else.

Before each step it takes up where hands are, and works out what they feel; what it leaves behind is read by others
while it goes on. It returns for what it cannot do: a mode that is not ready, a change that was asked for.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from detent.jit.abi import WORD
from detent.jit.intrinsics import (
    ADDRESSES,
    as_doubles,
    as_words,
    call,
    call_cell,
    field_reader,
    field_writer,
    inlined,
    kernel,
    place_of,
    record_reader,
    row_reader,
)
from detent.stepping.frame import CURRENT, StepFrame
from detent.stepping.interruption import INTERRUPTION, STEPPING
from detent.stepping.servo_frame import ASKED_LONG, AXES, COURSE, HAND, SAMPLE, SERVO, ServoStage
from detent.stepping.simulated_clock_frame import SIMULATED_CLOCK
from detent.stepping.status import Status
from detent.stepping.step_kernel import as_clock, as_counters

_as_servo = record_reader(SERVO)
_hand = row_reader(HAND)
_as_frame = record_reader(np.dtype([(name, np.int64) for name in StepFrame._fields]))
_as_current = record_reader(CURRENT)
_as_interruption = record_reader(np.dtype(INTERRUPTION))
_as_simulated = record_reader(SIMULATED_CLOCK)
_asked, _posted = field_reader(SERVO, "asked"), field_reader(SERVO, "posted")
_tell_written, _tell_number = field_writer(SERVO, "written"), field_writer(SERVO, "number")
_HEAD = len(COURSE)
_LAST_ERROR = 1e-4
_DUE_PLACE = WORD * list(SERVO.names or ()).index("due")
_NANOSECOND = 1e-9
_SHORTLY = 5
"""The last of so many parts of a period is shortly before the next step."""


# -- the clock ------------------------------------------------------------------------------------


@inlined
def _read(servo: Any, until: int, out: int) -> None:
    """The clock and the thread's processor time, both ns; after ``until``, the address of a time, has come."""
    call(servo.clock, servo.clock_context, 0.0, until, 0, out)


@kernel(ADDRESSES)
def simulated_clock(context: int, unused: float, until: int, values: int, out: int) -> int:
    """A clock that goes by what it is told: each reading after a step costs what stands in its list, in turn."""
    clock, read = _as_simulated(context), as_words(out)
    if until != 0:
        clock.now = max(clock.now, as_words(until)[0])
    else:
        cost = as_words(clock.costs)[clock.readings % clock.count]
        clock.now += cost
        clock.own += cost
        clock.readings += 1
    read[0], read[1] = clock.now, clock.own
    return 0


# -- hands ----------------------------------------------------------------------------------------


@inlined
def _take_sample(servo: Any) -> None:
    """Hold the newest sample, and put down in which step it was taken up."""
    posted = _posted(servo)
    if posted == servo.seen:
        return
    servo.seen = posted
    width = SAMPLE * servo.hands
    source = as_doubles(servo.inbox + ((posted - 1) % servo.inbox_room) * width * WORD)
    place = servo.diary + (servo.written % servo.diary_room) * (width + 1) * WORD
    held, page = as_doubles(servo.held), as_doubles(place)
    page[0] = float(servo.number)
    for i in range(width):
        held[i] = source[i]
        page[1 + i] = source[i]
    _tell_written(servo, servo.written + 1)


@inlined
def _set(values: Any, place: int, value: float) -> int:
    """Set a value; 1 if that changes it."""
    changed = 0 if values[place] == value else 1
    values[place] = value
    return changed


@inlined
def _move_hand(servo: Any, number: int, values: Any) -> int:
    """Have a hand follow its sample for a period; whether anything changes."""
    hand, sample = _hand(servo.hand_table, number), as_doubles(servo.held + number * SAMPLE * WORD)
    grips = hand.holds == 0.0 and sample[0] != 0.0
    places, filtered = as_words(hand.places), as_doubles(hand.filtered)
    changed = _set(values, hand.grip, sample[0])
    for axis in range(AXES):
        before, target = filtered[axis], sample[1 + axis]
        reached = target if grips or hand.gain == 1.0 else before + hand.gain * (target - before)
        velocity = 0.0 if grips else (reached - before) / servo.seconds
        filtered[axis] = reached
        changed += _set(values, places[axis], reached)
        changed += _set(values, places[AXES + axis], velocity)
    hand.holds = sample[0]
    return changed


@inlined
def _move_hands(servo: Any, frame: Any) -> int:
    """Have all hands move; the rate here is worked out again where that changes it. A status of programs."""
    if servo.hands == 0:
        return 0
    _take_sample(servo)
    values, changed = as_doubles(frame.values), 0
    for number in range(servo.hands):
        changed += _move_hand(servo, number, values)
    if changed == 0:
        return 0
    servo.moved = servo.keeps
    clock, counters = as_clock(frame.clock), as_counters(frame.counters)
    clock.origin, counters.number, clock.last_error = clock.time, 0, _LAST_ERROR
    counters.evaluations += 1
    if frame.events != 0:
        found = _as_interruption(frame.interruption)
        if found.phase == STEPPING:
            found.phase = servo.recheck
    status: int = call_cell(_as_current(frame.current).rates, clock.time, frame.state, frame.values, frame.rates)
    return status


# -- one step -------------------------------------------------------------------------------------


@inlined
def _row(servo: Any) -> int:
    """Where the course of the next step stands."""
    place: int = servo.courses + (servo.number % servo.course_room) * servo.course_width * WORD
    return place


@inlined
def _begin(servo: Any, frame: Any) -> int:
    """What is done before a step: hands move, and feel what they feel from now on. A status of programs."""
    servo.stage = ServoStage.STEPPING
    status = _move_hands(servo, frame)
    if servo.hands == 0 or status != 0:
        return status
    felt = _row(servo) + _HEAD * WORD
    time = as_clock(frame.clock).time
    found: int = call_cell(servo.forces, time, frame.state, frame.values, felt)
    return found


@inlined
def _let_go(frame: Any) -> None:
    """Forget what was recorded: room for more."""
    as_counters(frame.counters).rows = 0
    if frame.events != 0:
        found = _as_interruption(frame.interruption)
        found.logged, found.noted = 0, 0


@inlined
def _step(servo: Any, frame: Any, addresses: int, numbers: int, limit: float) -> int:
    """Step to the end of the period; DONE there, else why not."""
    end = servo.start + (servo.number + 1) * servo.seconds
    while True:
        status = call(servo.advance, addresses, min(end, limit), numbers, 0, 0)
        if status == Status.BUFFER_FULL and servo.keeps == 0:
            _let_go(frame)
            continue
        if status == Status.DONE and as_clock(frame.clock).time < end:
            return Status.STOPPED
        return status


@inlined
def _put_down(servo: Any, frame: Any, own: int, late: int) -> None:
    """Write the row of a step that is finished; its forces are there already."""
    row = as_doubles(_row(servo))
    row[0], row[1], row[2] = as_clock(frame.clock).time, own * _NANOSECOND, late * _NANOSECOND
    row[3] = float(_as_current(frame.current).mode)
    place = _HEAD + AXES * servo.hands
    for number in range(servo.hands):
        filtered = as_doubles(_hand(servo.hand_table, number).filtered)
        for axis in range(AXES):
            row[place] = filtered[axis]
            place += 1
    state = as_doubles(frame.state)
    for i in range(servo.course_width - place):
        row[place + i] = state[i]


@inlined
def _finish(servo: Any, addresses: int, reading: int) -> None:
    """Count what the step took, and say when the next one is due: deadlines that have passed are missed."""
    _read(servo, 0, reading)
    now, own = as_words(reading)[0], as_words(reading)[1] - servo.began
    late = now - servo.due
    if own > servo.own_worst:
        servo.own_worst, servo.own_worst_number = own, servo.number
    servo.own_total += own
    if own > servo.period:
        servo.own_over += 1
    if servo.advance != 0:
        _put_down(servo, _as_frame(addresses), own, late)
    passed = late // servo.period
    servo.missed += passed
    servo.due += (1 + passed) * servo.period
    servo.stage = ServoStage.WAITING
    _tell_number(servo, servo.number + 1)


@inlined
def _wait(servo: Any, reading: int) -> int:
    """Wait until a step is due; 1 where another thread has something to be done before that.

    Shortly before a step is due nothing is begun that takes long, and would make it late: it is taken first.
    """
    while True:
        _read(servo, place_of(servo) + _DUE_PLACE, reading)
        now, own = as_words(reading)[0], as_words(reading)[1]
        if servo.stage == ServoStage.WAITING:
            servo.began = own
        if now >= servo.due:
            break
        if servo.due - now >= servo.period // _SHORTLY or _asked(servo) != ASKED_LONG:
            servo.stage, servo.put_off = ServoStage.WOKEN, 0
            return 1
    servo.stage = ServoStage.DUE
    if servo.due == 0:
        servo.due = now
    return 0


@kernel(ADDRESSES)
def advance_paced(context: int, limit: float, addresses: int, numbers: int, reading: int) -> int:
    """Take a step a period until so many have been taken (DONE), or something is to be done that this kernel cannot do.

    ``context`` is a SERVO, ``addresses`` a Frame and ``numbers`` a Control, by address; no step goes beyond ``limit``.
    ``reading`` has room for what the clock tells. STOPPED in the stages WOKEN and DUE: another thread has asked for
    something.
    """
    servo = _as_servo(context)
    while True:
        if servo.stage == ServoStage.WAITING or servo.stage == ServoStage.WOKEN:
            if servo.number >= servo.last:
                return Status.DONE
            if _wait(servo, reading) != 0:
                return Status.STOPPED
        if servo.stage == ServoStage.DUE:
            asked = _asked(servo)
            servo.put_off = 1 if asked == ASKED_LONG and servo.put_off == 0 else 0
            if asked != 0 and servo.put_off == 0:
                return Status.STOPPED
            if servo.advance == 0:
                servo.stage = ServoStage.STEPPING
            elif _begin(servo, _as_frame(addresses)) != 0:
                return Status.PROGRAM_STATUS
            elif servo.moved != 0:
                return Status.STOPPED
        if servo.advance != 0:
            status = _step(servo, _as_frame(addresses), addresses, numbers, limit)
            if status != Status.DONE:
                return status
        _finish(servo, addresses, reading)
