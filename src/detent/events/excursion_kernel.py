"""Transitions, taken without going back to Python where nothing is missing.

An excursion is all that happens at one instant. It is a small machine whose phase stands in memory: where a mode is
not ready, or a reset can only be worked out in Python, the kernel returns, and goes on from there when it is called
again. The rules are those of docs/event_semantics.md.
"""

from __future__ import annotations

import math
from typing import Final

from detent.events import event_frame as at
from detent.events.claim_kernel import count_step, known_mode
from detent.events.entry_kernel import (
    condition_holds,
    copy_numbers,
    enter,
    is_allowed,
    mark_changed,
    signs_after,
    signs_now,
    stand,
    strikes,
)
from detent.events.event_frame import EventFrame, Phase, Readiness
from detent.events.observation_kernel import (
    as_excursion,
    doubt,
    extend,
    mode_row,
    observe,
    own_row,
    read_events,
    read_frame,
    step_row,
    transition_row,
    value_sign,
    write_note,
    zeno_row,
)
from detent.events.release_kernel import carry_slack
from detent.events.rounding import CLOCK_RESOLUTION
from detent.events.watch_frame import DEPARTS
from detent.events.watch_kernel import as_certificate
from detent.jit.abi import EPSILON, WORD
from detent.jit.intrinsics import ADDRESSES, as_doubles, as_words, call_cell, called, kernel
from detent.stepping.frame import StepFrame
from detent.stepping.status import Status
from detent.stepping.step_kernel import as_clock, as_counters, as_current, copy

_LEFT_OVER: Final = 8.0 * EPSILON
_SOONER: Final = 0.105
"""After a transition that paces the steps, the next step is this part of the time since the last. Slip that is braked
evenly is at a tenth again after a tenth of that time, and at its end after a ninth: a trial that leads beyond would be
bent there, and shortened again and again."""
_FEWEST: Final = 3
"""Intervals that must have become shorter in the same ratio before that is believed."""


@called
def _adopt(frame: StepFrame, events: EventFrame) -> None:
    """What is observed at the end of a step, or after a jump, becomes the start of the next step."""
    row = mode_row(events.modes, as_current(frame.current).mode)
    signs, now = as_words(events.signs), as_words(signs_now(frame, events))
    for i in range(row.guards):
        if now[i] != 0:
            signs[i] = now[i]
    copy_numbers((row.guards + row.invariants) * at.OBSERVED, events.end, events.start)


@called
def _rest(frame: StepFrame, events: EventFrame) -> None:
    """Note which guards of the mode rest at zero when something else happens."""
    row = mode_row(events.modes, as_current(frame.current).mode)
    standing, identities = as_words(events.standing), as_words(row.identities)
    signs, now = as_words(events.signs), as_words(signs_now(frame, events))
    for i in range(events.identities):
        standing[i] = 0
    for i in range(row.guards):
        if now[i] == at.RESTED or (now[i] == 0 and signs[i] == 0):
            standing[identities[i]] = at.RESTED


@called
def _settle(frame: StepFrame, events: EventFrame, guard: int) -> int:
    """After an accepted step that a guard ended, or what the mode requires, or nothing (-1): -1, or a status."""
    row, excursion = mode_row(events.modes, as_current(frame.current).mode), as_excursion(events.excursion)
    if row.claim != 0:
        count_step(frame, row)
    if guard >= row.guards:
        excursion.concerned = guard - row.guards
        return Status.FORBIDDEN
    if guard < 0:
        _adopt(frame, events)
        return Status.GO_ON
    mark_changed(frame, events, events.signs)
    _mark_located(frame, events, guard)
    _rest(frame, events)
    as_words(as_certificate(row.certificate).near)[guard] = DEPARTS
    excursion.phase, excursion.chain, excursion.outside = Phase.CHOOSE, 0, 0
    consumed = as_words(events.consumed)
    for i in range(events.identities):
        consumed[i] = 0
    return Status.GO_ON


@called
def _mark_located(frame: StepFrame, events: EventFrame, guard: int) -> None:
    """The guard that was located fires, even if its last bit still has the old sign."""
    row = mode_row(events.modes, as_current(frame.current).mode)
    fired, old = as_words(events.fired), as_words(events.signs)[guard]
    for k in range(row.transitions):
        own = own_row(row.own, k)
        direction = transition_row(events.transitions, own.transition).direction
        if own.guard == guard and (direction == 0 or direction == -old or old == at.RESTED):
            fired[k] = 1


# -- conditions, resets --------------------------------------------------------------------------------


@called
def _drop_rounding(events: EventFrame) -> None:
    """A speed that an impact changes by rounding is not changed; what it leaves by rounding is nothing (rule 10)."""
    before, after, largest = as_doubles(events.after), as_doubles(events.spare), 0.0
    for i in range(events.width):
        if after[i] != before[i]:
            largest = max(largest, max(abs(before[i]), abs(after[i])))
    for i in range(events.width):
        if abs(after[i] - before[i]) <= _LEFT_OVER * largest:
            after[i] = before[i]
        elif abs(after[i]) <= _LEFT_OVER * largest:
            after[i] = 0.0


@called
def _reset(frame: StepFrame, events: EventFrame, first: int, count: int, time: float, source: int) -> int:
    """Apply the steps of a reset to a state (rule 9); the result is left in ``after``."""
    impulses = as_doubles(events.impulses)
    for i in range(events.impulse_count):
        impulses[i] = 0.0
    if source != events.after:
        copy_numbers(events.width, source, events.after)
    for number in range(first, first + count):
        step = step_row(events.steps, number)
        status = call_cell(step.cell, time, events.after, frame.values, events.spare)
        if status != 0:
            as_counters(frame.counters).reason = status
            return Status.PROGRAM_STATUS
        if step.kind != at.ASSIGN:
            _drop_rounding(events)
        copy_numbers(events.width, events.spare, events.after)
        if step.kind != at.STRIKE:
            copy_numbers(events.discrete_count, events.spare + events.width * WORD, events.block)
        if step.kind == at.SETTLE and as_doubles(events.spare)[events.width + events.discrete_count] != 0.0:
            as_excursion(events.excursion).accumulated = 1
            zeno_row(events.zeno, as_excursion(events.excursion).taking).accumulation = time
    return Status.GO_ON


@called
def _choose(frame: StepFrame, events: EventFrame) -> int:
    """Take up the next transition that fired; GO_ON, NONE_FIRED, or a status."""
    time = as_clock(frame.clock).time
    mode = as_current(frame.current).mode
    row, excursion, fired = mode_row(events.modes, mode), as_excursion(events.excursion), as_words(events.fired)
    for k in range(row.transitions):
        if fired[k] == 0:
            continue
        fired[k] = 0
        own = own_row(row.own, k)
        record = transition_row(events.transitions, own.transition)
        excursion.taking = own.transition
        if own.before != 0:
            status = extend(frame, events, mode, time, frame.state, frame.rates, as_clock(frame.clock).next_step)
            answer = condition_holds(frame, events, own.before, record.before_count, time) if status == 0 else -1
            if answer < 0:
                excursion.concerned = -1
                return Status.GUARD_NOT_A_NUMBER
            if answer == 0:
                continue
        copy_numbers(events.block_count, events.block, events.kept)
        excursion.phase, excursion.entering, excursion.accumulated = Phase.ENTER, record.target, 0
        excursion.paces = record.paces
        if record.step_count < 0:
            return Status.RESET_NEEDED
        status = _reset(frame, events, record.first_step, record.step_count, time, frame.state)
        if record.family >= 0:
            excursion.entering = known_mode(events, record.family)
        return status
    return Status.NONE_FIRED


@called
def _accumulates(frame: StepFrame, events: EventFrame) -> bool:
    """Whether the transition just taken comes faster and faster, so that all further ones are at hand (rule 14).

    They are when all lie within what the clock resolves; earlier ones are told apart and taken one by one.
    """
    excursion, time = as_excursion(events.excursion), as_clock(frame.clock).time
    known = zeno_row(events.zeno, excursion.taking)
    interval, resolved = time - known.last_time, CLOCK_RESOLUTION * abs(time)
    shorter = interval < known.last_interval or (known.count > 0.0 and interval <= resolved)
    first_at_this_instant = interval > 0.0 or known.count > 0.0
    known.last_time = time
    if not first_at_this_instant:
        return False  # several at one instant: the bound on their number is what stops these
    known.last_interval = interval
    if not shorter:
        known.count, known.first_interval = 0.0, interval
        return False
    known.count += 1.0
    # The mean ratio since they became shorter: the last ones are mostly rounding of the time.
    ratio = math.pow(max(interval, 0.1 * resolved / 64.0) / known.first_interval, 1.0 / known.count)
    remaining = interval * ratio / (1.0 - ratio) if ratio < 1.0 else math.inf
    known.accumulation = time + remaining
    near: bool = remaining < resolved or interval <= resolved / 16.0
    return known.count >= _FEWEST and near


@called
def _complete(frame: StepFrame, events: EventFrame, source: int) -> int:
    """Go on in the mode in which a transition accumulates, from a state; -1, or the status that ends the run."""
    excursion, time = as_excursion(events.excursion), as_clock(frame.clock).time
    record = transition_row(events.transitions, excursion.taking)
    if record.zeno_target < 0:
        return Status.ACCUMULATES
    excursion.phase, excursion.entering, excursion.accumulated = Phase.ENTER, record.zeno_target, 1
    return _reset(frame, events, record.zeno_first_step, record.zeno_step_count, time, source)


@called
def _after_taking(frame: StepFrame, events: EventFrame) -> int:
    """What follows a transition that was taken; -1, or the status that ends the run.

    Contacts come to rest by themselves; impacts that are declared beside them do not.
    """
    excursion = as_excursion(events.excursion)
    record = transition_row(events.transitions, excursion.taking)
    if excursion.accumulated != 0:
        zeno_row(events.zeno, excursion.taking).count = 0.0
    elif (record.family < 0 or strikes(events, record)) and _accumulates(frame, events):
        copy_numbers(events.block_count, events.block, events.kept)
        return _complete(frame, events, frame.state)
    if excursion.chain > events.limit:  # rule 12
        return Status.TOO_MANY_JUMPS
    return Status.GO_ON


@called
def _finish(frame: StepFrame, events: EventFrame) -> int:
    """The end of an excursion: if anything happened, a second node at the same time (rule 2); -1, or a status."""
    excursion, clock, counters = as_excursion(events.excursion), as_clock(frame.clock), as_counters(frame.counters)
    if excursion.chain == 0:
        excursion.phase = Phase.STEPPING
        _adopt(frame, events)
        return Status.GO_ON
    excursion.phase = Phase.STEPPING
    mode, row = as_current(frame.current).mode, counters.rows
    _note_those_past(frame, events, mode)
    for number in range(frame.dense_rows):
        dense = as_doubles(frame.record_dense + (row * frame.dense_rows + number) * frame.width * WORD)
        for i in range(frame.width):
            dense[i] = 0.0
    copy(frame.width, frame.state, frame.record_state + row * frame.width * WORD, events.spare)
    copy(frame.width, frame.rates, frame.record_rate + row * frame.width * WORD, events.spare)
    as_doubles(frame.record_time)[row] = clock.time
    counters.rows = row + 1
    _pace(frame, events)
    clock.origin, counters.number, clock.last_error = clock.time, 0, 1e-4
    return Status.GO_ON if is_allowed(frame, events, mode) else Status.FORBIDDEN


@called
def _pace(frame: StepFrame, events: EventFrame) -> None:
    """Let the next step be no longer than until the next transition that paces the steps, by the time since the last.

    Several may come at one instant, of several contacts. What ends them leaves steps as they usually are.
    """
    excursion, clock = as_excursion(events.excursion), as_clock(frame.clock)
    if excursion.paces == 0:
        clock.next_step = max(clock.next_step, clock.usual) if excursion.paced != 0 else clock.next_step
        excursion.paced = 0
        return
    excursion.paced, known = 1, zeno_row(events.zeno, excursion.taking)
    since, known.last_time = clock.time - known.last_time, clock.time
    if _SOONER * since > CLOCK_RESOLUTION * abs(clock.time):
        clock.next_step = min(clock.next_step, _SOONER * since)


@called
def _note_those_past(frame: StepFrame, events: EventFrame, mode: int) -> None:
    """Note the transitions of a mode whose guards were past zero when it was entered; each once."""
    row, time = mode_row(events.modes, mode), as_clock(frame.clock).time
    told, fired, consumed = as_words(events.told), as_words(events.fired), as_words(events.consumed)
    identities, signs = as_words(row.identities), as_words(events.signs)
    for k in range(row.transitions):
        own = own_row(row.own, k)
        number, guard = own.transition, own.guard
        direction = transition_row(events.transitions, number).direction
        is_new = told[number] == 0 and fired[k] == 0 and consumed[identities[guard]] == 0
        past = value_sign(events.end, guard, time) == direction and signs[guard] != at.RESTED
        if is_new and direction != 0 and past:
            told[number] = 1
            write_note(events, at.ALREADY_PAST, number, mode, time)


@called
def _recheck(frame: StepFrame, events: EventFrame) -> int:
    """Something was changed from outside: guards that jumped because of it fire (rule 13)."""
    excursion, time = as_excursion(events.excursion), as_clock(frame.clock).time
    mode = as_current(frame.current).mode
    span = as_clock(frame.clock).next_step
    status = observe(frame, events, mode, time, frame.state, frame.rates, events.end, max(span, 1e-9))
    if status >= 0:
        return status
    doubt(frame, events, mode, time, frame.state, frame.rates, max(span, 1e-9))
    if excursion.phase == Phase.BEGIN and not is_allowed(frame, events, mode):
        return Status.FORBIDDEN
    carry_slack(frame, events, excursion.phase == Phase.RECHECK)
    signs_after(frame, events, 0, time)
    row, signs = mode_row(events.modes, mode), as_words(events.signs)
    watched = as_words(row.watched)
    for i in range(row.guards):
        # rule 11: such a guard fires at once if it is past zero
        if watched[i] & (at.REACTIVE | at.AT_ONCE) != 0 and signs[i] == 0:
            signs[i] = 1 if watched[i] & at.FALLING != 0 else -1
    mark_changed(frame, events, events.signs)
    stand(frame, events, events.signs)
    if excursion.phase == Phase.BEGIN:
        _note_those_past(frame, events, mode)
    consumed = as_words(events.consumed)
    for i in range(events.identities):
        consumed[i] = 0
    excursion.phase, excursion.chain, excursion.outside = Phase.CHOOSE, 0, 1
    return Status.GO_ON


@called
def _excursion(frame: StepFrame, events: EventFrame) -> int:
    excursion = as_excursion(events.excursion)
    while excursion.phase != Phase.STEPPING:
        if excursion.phase == Phase.RECHECK or excursion.phase == Phase.BEGIN:
            status = _recheck(frame, events)
        elif excursion.phase == Phase.CHOOSE:
            status = _choose(frame, events)
            if status == Status.NONE_FIRED:
                return _finish(frame, events)
        else:
            status = enter(frame, events)
            if status == Status.REFUSED:
                # Built for this state, but not entered: next time it is looked at again, as if it had been built ahead.
                row = mode_row(events.modes, excursion.entering)
                row.ready = Readiness.AHEAD if row.ready == Readiness.FRESH else row.ready
                excursion.phase = Phase.CHOOSE
                status = Status.GO_ON
            elif status == Status.STUCK:
                known = zeno_row(events.zeno, excursion.taking)
                known.accumulation = as_clock(frame.clock).time
                status = _complete(frame, events, events.after)
            elif status == Status.GO_ON:
                status = _after_taking(frame, events)
        if status >= 0:
            return status
    return Status.GO_ON


@kernel(ADDRESSES)
def settle_step(addresses: int, time: float, guard: int, values: int, out: int) -> int:
    """After an accepted step: no event (``guard`` is -1), or an excursion because of a guard; -1 or a status."""
    frame = StepFrame(*read_frame(addresses))
    events = EventFrame(*read_events(frame.events))
    status = _settle(frame, events, guard)
    return _excursion(frame, events) if status < 0 else status


@kernel(ADDRESSES)
def resume_excursion(addresses: int, time: float, state: int, values: int, out: int) -> int:
    """All transitions of this instant; -1 when the run goes on, or the status with which it returns."""
    frame = StepFrame(*read_frame(addresses))
    return _excursion(frame, EventFrame(*read_events(frame.events)))


# -- steps that another solver takes ------------------------------------------------------------------------------


@kernel(ADDRESSES)
def observe_inside(addresses: int, time: float, state: int, values: int, out: int) -> int:
    """What is observed of the present mode at a state on the way, into ``out``; -1, or a status."""
    frame = StepFrame(*read_frame(addresses))
    events = EventFrame(*read_events(frame.events))
    mode = as_current(frame.current).mode
    status = call_cell(mode_row(events.modes, mode).rates, time, state, frame.values, events.doubted_rate)
    if status != 0:
        as_counters(frame.counters).reason = status
        return Status.PROGRAM_STATUS
    span = max(as_clock(frame.clock).next_step, 1e-9)
    return observe(frame, events, mode, time, state, events.doubted_rate, out, span)


@kernel(ADDRESSES)
def settle_taken(addresses: int, time: float, guard: int, values: int, out: int) -> int:
    """After a step that another solver took: as ``settle_step``, with the guards as they are at its end."""
    frame = StepFrame(*read_frame(addresses))
    events = EventFrame(*read_events(frame.events))
    mode, now, span = as_current(frame.current).mode, as_clock(frame.clock).time, as_clock(frame.clock).next_step
    status = observe(frame, events, mode, now, frame.state, frame.rates, events.end, max(span, 1e-9))
    if status >= 0:
        return status
    doubt(frame, events, mode, now, frame.state, frame.rates, max(span, 1e-9))
    carry_slack(frame, events, True)
    signs_after(frame, events, 0, now)
    status = _settle(frame, events, guard)
    return _excursion(frame, events) if status < 0 else status
