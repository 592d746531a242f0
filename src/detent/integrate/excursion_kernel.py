"""Transitions, taken without going back to Python where nothing is missing.

An excursion is all that happens at one instant. It is a small machine whose phase stands in memory: where a mode is
not ready, or a reset can only be worked out in Python, the kernel returns, and goes on from there when it is called
again. The rules are those of docs/event_semantics.md.
"""

from __future__ import annotations

import math
from typing import Final

from detent.integrate.event_frame import (
    ACCUMULATED,
    ACCUMULATION,
    AFTER,
    AFTER_COUNT,
    ASSIGN,
    BEFORE,
    BEFORE_COUNT,
    BEGIN,
    CHAIN,
    CHOOSE,
    CONCERNED,
    COUNT,
    DIRECTION,
    ENTER,
    ENTERING,
    FALLING,
    FIRST,
    FIRST_SCALE,
    FIRST_STEP,
    GUARD,
    LAST_INTERVAL,
    LAST_TIME,
    LOG_ENERGY,
    LOG_ROW,
    LOG_SOURCE,
    LOG_TARGET,
    LOG_TIME,
    LOG_TRANSITION,
    LOG_VALUES,
    LOG_WORDS,
    LOG_ZENO,
    LOGGED,
    MODE_OWN,
    MODE_GUARDS,
    MODE_IDENTITIES,
    MODE_INVARIANTS,
    MODE_PROJECTION,
    MODE_RATES,
    MODE_READY,
    MODE_SWITCHES,
    MODE_TRANSITIONS,
    MODE_WATCHED,
    OBSERVED,
    PHASE,
    REACTIVE,
    RECHECK,
    SECOND,
    SECOND_SCALE,
    STEP_CELL,
    STEP_COUNT,
    STEP_KIND,
    STEP_WORDS,
    STEPPING,
    TAKING,
    TARGET,
    TRANSITION_WORDS,
    VALUE,
    VALUE_SCALE,
    ZENO_FIRST_STEP,
    ZENO_NUMBERS,
    ZENO_STEP_COUNT,
    ZENO_TARGET,
    EventFrame,
)
from detent.integrate.event_kernel import crosses, extend, mode_row, observe, read_events, read_frame, sign_after, sign_before
from detent.integrate.frame import (
    LAST_ERROR,
    MODE,
    NEXT_STEP,
    NUMBER,
    ORIGIN,
    PROJECTION,
    RATES,
    REASON,
    ROWS,
    TIME,
    Frame,
)
from detent.integrate.status import Status
from detent.integrate.step_kernel import WORD, copy
from detent.jit.intrinsics import ADDRESSES, as_doubles, as_words, call, called, inlined, kernel, read_word

_RESET_NEEDED: Final = int(Status.RESET_NEEDED)
_MODE_NEEDED: Final = int(Status.MODE_NEEDED)
_NOT_A_NUMBER: Final = int(Status.NOT_A_NUMBER)
_PROGRAM_STATUS: Final = int(Status.PROGRAM_STATUS)
_GUARD_NOT_A_NUMBER: Final = int(Status.GUARD_NOT_A_NUMBER)
_RESET_VIOLATES: Final = int(Status.RESET_VIOLATES)
_FORBIDDEN: Final = int(Status.FORBIDDEN)
_TOO_MANY_JUMPS: Final = int(Status.TOO_MANY_JUMPS)
_ACCUMULATES: Final = int(Status.ACCUMULATES)

_REFUSED: Final = -2
"""The condition in the mode that would be entered does not hold."""
_STUCK: Final = -3
"""A transition leaves its own guard where it was: the next one would come at once, and so on without end."""
_VIOLATION: Final = 1e-7
"""A reset may miss the constraints of the mode it leads to by this much, relative to the state; then it is corrected."""
_SLIGHTLY: Final = 1e-9
"""A rate below this part of the terms that it is the sum of is none, where a mode must not be about to be left."""
_RESOLUTION: Final = 2.0**-46
"""Transitions accumulate when all that are still to come lie within this part of the time: some 64 units in its last
place. Earlier ones are told apart and taken one by one."""
_FEWEST: Final = 3
"""Intervals that must have become shorter in the same ratio before that is believed."""


@inlined
def _transition(events: EventFrame, number: int) -> int:
    return events.transitions + number * TRANSITION_WORDS * WORD


@called
def _copy_numbers(count: int, source: int, out: int) -> None:
    origin, target = as_doubles(source), as_doubles(out)
    for i in range(count):
        target[i] = origin[i]


@called
def _mark(frame: Frame, events: EventFrame, before: int, other: int, time: float) -> int:
    """Mark the transitions of the mode whose guards change sign; ``end`` holds what is observed now. How many."""
    row = as_words(mode_row(events, as_words(frame.current)[MODE]))
    old, fired = as_words(before), as_words(events.fired)
    count = 0
    for k in range(row[MODE_TRANSITIONS]):
        record = as_words(_transition(events, as_words(row[MODE_OWN])[k]))
        guard, direction = record[GUARD], record[DIRECTION]
        after = sign_after(events.end, other, guard, time)
        fired[k] = 0
        if old[guard] * after < 0 and (direction == 0 or direction == after):
            fired[k] = 1
            count += 1
    return count


@called
def _adopt(frame: Frame, events: EventFrame, time: float) -> None:
    """What is observed at the end of a step, or after a jump, becomes the start of the next step."""
    row = as_words(mode_row(events, as_words(frame.current)[MODE]))
    signs = as_words(events.signs)
    for i in range(row[MODE_GUARDS]):
        now = sign_after(events.end, 0, i, time)
        if now != 0:
            signs[i] = now
    _copy_numbers(row[MODE_GUARDS] * OBSERVED, events.end, events.start)


@called
def _settle(frame: Frame, events: EventFrame, guard: int) -> None:
    time = as_doubles(frame.clock)[TIME]
    mode = as_words(frame.current)[MODE]
    row, words = as_words(mode_row(events, mode)), as_words(events.words)
    if row[MODE_GUARDS] == 0:
        return
    if guard >= 0:
        _mark(frame, events, events.signs, 0, time)
        _mark_located(frame, events, guard)
        words[PHASE], words[CHAIN] = CHOOSE, 0
        consumed = as_words(events.consumed)
        for i in range(events.identities):
            consumed[i] = 0
    else:
        _adopt(frame, events, time)


@called
def _mark_located(frame: Frame, events: EventFrame, guard: int) -> None:
    """The guard that was located fires, even if its last bit still has the old sign."""
    row = as_words(mode_row(events, as_words(frame.current)[MODE]))
    fired, old = as_words(events.fired), as_words(events.signs)[guard]
    for k in range(row[MODE_TRANSITIONS]):
        record = as_words(_transition(events, as_words(row[MODE_OWN])[k]))
        if record[GUARD] == guard and (record[DIRECTION] == 0 or record[DIRECTION] == -old):
            fired[k] = 1


# -- conditions, resets --------------------------------------------------------------------------------


@called
def _holds(frame: Frame, events: EventFrame, cell: int, count: int, time: float) -> int:
    """Whether no value of a condition is negative: 1 or 0, or -1 where one is not a number."""
    if cell == 0:
        return 1
    status = call(read_word(cell), as_words(cell)[1], time, events.extended, frame.values, events.answers)
    answers = as_doubles(events.answers)
    holds = 1
    for i in range(count):
        if status != 0 or math.isnan(answers[i]):
            return -1
        if answers[i] < 0.0:
            holds = 0
    return holds


@called
def _reset(frame: Frame, events: EventFrame, first: int, count: int, time: float, source: int) -> int:
    """Apply the steps of a reset to a state; the result is left in ``after``."""
    impulses = as_doubles(events.impulses)
    for i in range(events.impulse_count):
        impulses[i] = 0.0
    if source != events.after:
        _copy_numbers(events.width, source, events.after)
    for number in range(first, first + count):
        step = as_words(events.steps + number * STEP_WORDS * WORD)
        cell = as_words(step[STEP_CELL])
        status = call(read_word(step[STEP_CELL]), cell[1], time, events.after, frame.values, events.spare)
        if status != 0:
            as_words(frame.counters)[REASON] = status
            return _PROGRAM_STATUS
        _copy_numbers(events.width, events.spare, events.after)
        if step[STEP_KIND] == ASSIGN:
            _copy_numbers(events.discrete_count, events.spare + events.width * WORD, events.block)
    return -1


@called
def _choose(frame: Frame, events: EventFrame) -> int:
    """Take up the next transition that fired; -1 to go on, STEPPING's end (-2) when there is none, or a status."""
    time = as_doubles(frame.clock)[TIME]
    mode = as_words(frame.current)[MODE]
    row, words, fired = as_words(mode_row(events, mode)), as_words(events.words), as_words(events.fired)
    for k in range(row[MODE_TRANSITIONS]):
        if fired[k] == 0:
            continue
        fired[k] = 0
        number = as_words(row[MODE_OWN])[k]
        record = as_words(_transition(events, number))
        words[TAKING] = number
        if record[BEFORE] != 0:
            status = extend(frame, events, mode, time, frame.state, frame.rates, as_doubles(frame.clock)[NEXT_STEP])
            holds = _holds(frame, events, record[BEFORE], record[BEFORE_COUNT], time) if status == 0 else -1
            if holds < 0:
                words[CONCERNED] = -1
                return _GUARD_NOT_A_NUMBER
            if holds == 0:
                continue
        _copy_numbers(events.block_count, events.block, events.kept)
        words[PHASE], words[ENTERING], words[ACCUMULATED] = ENTER, record[TARGET], 0
        if record[STEP_COUNT] < 0:
            return _RESET_NEEDED
        return _reset(frame, events, record[FIRST_STEP], record[STEP_COUNT], time, frame.state)
    return -2


# -- entering a mode -----------------------------------------------------------------------------------


@called
def _energy(frame: Frame, events: EventFrame, time: float, state: int) -> float:
    cell = as_words(events.energy)
    call(read_word(events.energy), cell[1], time, state, frame.values, events.energies)
    both = as_doubles(events.energies)
    total: float = both[0] + both[1]
    return total


@called
def _swap_block(events: EventFrame) -> None:
    """The block as it was before the transition, and as it is after it, change places."""
    now, kept = as_doubles(events.block), as_doubles(events.kept)
    for i in range(events.block_count):
        now[i], kept[i] = kept[i], now[i]


@called
def _corrected(frame: Frame, events: EventFrame, row_address: int, time: float) -> int:
    """Bring the state after the reset onto the constraints of the mode; -1, or what is wrong."""
    row = as_words(row_address)
    address = read_word(row[MODE_PROJECTION])
    if address == 0:
        return -1
    cell = as_words(row[MODE_PROJECTION])
    status = call(address, cell[1], time, events.after, frame.values, events.spare)
    after, mended = as_doubles(events.after), as_doubles(events.spare)
    size, moved = 1.0, 0.0
    for i in range(events.width - 1):
        size = max(size, abs(after[i]))
        moved = max(moved, abs(mended[i] - after[i]))
    if status != 0:
        as_words(frame.counters)[REASON] = status
        return _PROGRAM_STATUS
    if not moved <= _VIOLATION * size:
        return _RESET_VIOLATES
    _copy_numbers(events.width, events.spare, events.after)
    return -1


@called
def _allowed(frame: Frame, events: EventFrame, mode: int) -> bool:
    """Whether what must hold at the entry of a mode holds: by value, then by derivatives; ``end`` is as observed."""
    row = as_words(mode_row(events, mode))
    for k in range(row[MODE_INVARIANTS]):
        seen = as_doubles(events.end + (row[MODE_GUARDS] + k) * OBSERVED * WORD)
        value, slack = seen[VALUE], _VIOLATION * (1.0 + seen[VALUE_SCALE])
        bad = value < -slack
        if abs(value) <= slack:
            slope, slack = seen[FIRST], _SLIGHTLY * seen[FIRST_SCALE]
            bad = slope < -slack
            if abs(slope) <= slack:
                bad = seen[SECOND] < -_SLIGHTLY * seen[SECOND_SCALE]
        if bad:
            as_words(events.words)[CONCERNED] = k
            return False
    return True


@called
def _read_before(frame: Frame, events: EventFrame, mode: int, time: float) -> int:
    """The signs that the guards of a mode had just before it is entered; -1, or a status."""
    row, words = as_words(mode_row(events, mode)), as_words(events.words)
    _swap_block(events)
    status = observe(frame, events, mode, time, frame.state, frame.rates, events.other, 0.0)
    _swap_block(events)
    if status == _GUARD_NOT_A_NUMBER:
        status = -1  # a guard of the next mode need not have a value in this one
    before, consumed = as_words(events.before), as_words(events.consumed)
    watched, identities = as_words(row[MODE_WATCHED]), as_words(row[MODE_IDENTITIES])
    for i in range(row[MODE_GUARDS]):
        if watched[i] & REACTIVE != 0:
            before[i] = 1 if watched[i] & FALLING != 0 else -1
        elif words[CHAIN] == 0:
            before[i] = sign_before(events.other, i, time)
        else:
            before[i] = sign_after(events.other, 0, i, time)
        if consumed[identities[i]] != 0:
            before[i] = consumed[identities[i]]
    return status


@called
def _consume(frame: Frame, events: EventFrame) -> None:
    """The guard of the transition that is taken stands on its other side now; it fires again when it has come back."""
    words = as_words(events.words)
    if words[ACCUMULATED] != 0:
        return
    mode = as_words(frame.current)[MODE]
    record = as_words(_transition(events, words[TAKING]))
    identities = as_words(as_words(mode_row(events, mode))[MODE_IDENTITIES])
    side = record[DIRECTION]
    if side == 0:
        side = -as_words(events.signs)[record[GUARD]] if words[CHAIN] == 0 else 0
    as_words(events.consumed)[identities[record[GUARD]]] = side


@called
def _write_log(frame: Frame, events: EventFrame, gain: float) -> None:
    words = as_words(events.words)
    number = words[LOGGED]
    entry = as_words(events.log_words + number * LOG_WORDS * WORD)
    entry[LOG_TRANSITION], entry[LOG_ZENO] = words[TAKING], words[ACCUMULATED]
    entry[LOG_SOURCE], entry[LOG_TARGET] = as_words(frame.current)[MODE], words[ENTERING]
    entry[LOG_ROW] = as_words(frame.counters)[ROWS]
    address = events.log_numbers + number * events.log_width * WORD
    numbers = as_doubles(address)
    numbers[LOG_TIME], numbers[LOG_ENERGY] = as_doubles(frame.clock)[TIME], gain
    _copy_numbers(events.block_count, events.block, address + LOG_VALUES * WORD)
    _copy_numbers(events.impulse_count, events.impulses, address + (LOG_VALUES + events.block_count) * WORD)
    words[LOGGED] = number + 1


@called
def _take(frame: Frame, events: EventFrame, mode: int, time: float) -> None:
    """The mode and the state after the reset become the present ones."""
    row, words = as_words(mode_row(events, mode)), as_words(events.words)
    current = as_words(frame.current)
    current[RATES], current[PROJECTION], current[MODE] = row[MODE_RATES], row[MODE_PROJECTION], mode
    _copy_numbers(events.width, events.after, frame.state)
    _copy_numbers(events.width, events.after_rate, frame.rates)
    signs, before = as_words(events.signs), as_words(events.before)
    _mark(frame, events, events.before, events.other, time)
    consumed, identities = as_words(events.consumed), as_words(row[MODE_IDENTITIES])
    for i in range(row[MODE_GUARDS]):
        signs[i] = sign_after(events.end, events.other, i, time)
        if consumed[identities[i]] == -signs[i]:
            consumed[identities[i]] = 0  # it has come back: it may fire again
        if signs[i] == 0:
            signs[i] = before[i] if consumed[identities[i]] != 0 else 0
    _copy_numbers(row[MODE_GUARDS] * OBSERVED, events.end, events.start)
    row[MODE_READY] = 1
    words[CHAIN] += 1
    words[PHASE] = CHOOSE


@called
def _is_refused(frame: Frame, events: EventFrame, mode: int, time: float) -> bool:
    """Whether the condition does not hold for a state that is not on the constraints: then it need not be."""
    words = as_words(events.words)
    record = as_words(_transition(events, words[TAKING]))
    if record[AFTER] == 0 or words[ACCUMULATED] != 0:
        return False
    rate = as_doubles(events.after_rate)
    for i in range(events.width):
        rate[i] = 0.0
    status = extend(frame, events, mode, time, events.after, events.after_rate, 0.0)
    return status == 0 and _holds(frame, events, record[AFTER], record[AFTER_COUNT], time) == 0


@called
def _enter(frame: Frame, events: EventFrame) -> int:
    """Enter the mode that a transition leads to, with the state in ``after``; -1, REFUSED, or a status."""
    words, time = as_words(events.words), as_doubles(frame.clock)[TIME]
    mode = words[ENTERING]
    address = mode_row(events, mode)
    row = as_words(address)
    if row[MODE_READY] == 0:
        return _MODE_NEEDED
    _copy_numbers(events.block_count - events.discrete_count, row[MODE_SWITCHES],
                  events.block + events.discrete_count * WORD)  # fmt: skip
    status = _corrected(frame, events, address, time)
    if status == _PROGRAM_STATUS and row[MODE_READY] == 1:
        row[MODE_READY] = 0  # other speeds must be the dependent ones here
        return _MODE_NEEDED
    if status == _RESET_VIOLATES and _is_refused(frame, events, mode, time):
        _copy_numbers(events.block_count, events.kept, events.block)
        return _REFUSED
    if status >= 0:
        return status
    after = as_doubles(events.after)
    gain = _energy(frame, events, time, events.after)
    _swap_block(events)
    gain -= _energy(frame, events, time, frame.state)
    _swap_block(events)
    after[events.width - 1] += gain
    cell = as_words(row[MODE_RATES])
    status = call(read_word(row[MODE_RATES]), cell[1], time, events.after, frame.values, events.after_rate)
    if status != 0:
        as_words(frame.counters)[REASON] = status
        return _PROGRAM_STATUS
    rate = as_doubles(events.after_rate)
    for i in range(events.width):
        if not (math.isfinite(rate[i]) and math.isfinite(after[i])):
            return _NOT_A_NUMBER
    return _admitted(frame, events, mode, time, gain)


@called
def _is_stuck(frame: Frame, events: EventFrame, mode: int, time: float) -> bool:
    """Whether the guard of the transition that is being taken still stands on the side that it came to."""
    words, row = as_words(events.words), as_words(mode_row(events, mode))
    record = as_words(_transition(events, words[TAKING]))
    own = as_words(mode_row(events, as_words(frame.current)[MODE]))
    identity = as_words(own[MODE_IDENTITIES])[record[GUARD]]
    side = record[DIRECTION] if record[DIRECTION] != 0 else -as_words(events.signs)[record[GUARD]]
    identities = as_words(row[MODE_IDENTITIES])
    for i in range(row[MODE_GUARDS]):
        if identities[i] == identity and sign_after(events.end, events.other, i, time) == side:
            return True
    return False


@called
def _admitted(frame: Frame, events: EventFrame, mode: int, time: float, gain: float) -> int:
    """The last part of entering: conditions and requirements there, then the change itself."""
    words, span = as_words(events.words), as_doubles(frame.clock)[NEXT_STEP]
    record = as_words(_transition(events, words[TAKING]))
    status = _read_before(frame, events, mode, time)
    if status >= 0:
        return status
    status = observe(frame, events, mode, time, events.after, events.after_rate, events.end, max(span, 1e-9))
    if status >= 0:
        return status
    if words[ACCUMULATED] == 0:
        holds = _holds(frame, events, record[AFTER], record[AFTER_COUNT], time)
        if holds < 0:
            words[CONCERNED] = -1
            return _GUARD_NOT_A_NUMBER
        if holds == 0:
            _copy_numbers(events.block_count, events.kept, events.block)
            return _REFUSED
    if words[ACCUMULATED] == 0 and record[ZENO_TARGET] >= 0 and _is_stuck(frame, events, mode, time):
        return _STUCK
    if not _allowed(frame, events, mode):
        return _FORBIDDEN
    _consume(frame, events)
    identities = as_words(as_words(mode_row(events, mode))[MODE_IDENTITIES])
    consumed, before = as_words(events.consumed), as_words(events.before)
    for i in range(as_words(mode_row(events, mode))[MODE_GUARDS]):
        if consumed[identities[i]] != 0:
            before[i] = consumed[identities[i]]
    _write_log(frame, events, gain)
    _take(frame, events, mode, time)
    return -1


@called
def _accumulates(frame: Frame, events: EventFrame) -> bool:
    """Whether the transition just taken comes faster and faster, so that all further ones are at hand."""
    words, time = as_words(events.words), as_doubles(frame.clock)[TIME]
    known = as_doubles(events.zeno + words[TAKING] * ZENO_NUMBERS * WORD)
    interval = time - known[LAST_TIME]
    ratio = interval / known[LAST_INTERVAL] if known[LAST_INTERVAL] > 0.0 else 1.0
    known[LAST_TIME] = time
    if interval == 0.0:
        return False  # several at one instant: the bound on their number is what stops these
    known[LAST_INTERVAL] = interval
    if not ratio < 1.0:
        known[COUNT] = 0.0
        return False
    known[COUNT] += 1.0
    remaining = interval * ratio / (1.0 - ratio)
    known[ACCUMULATION] = time + remaining
    found: bool = known[COUNT] >= _FEWEST and remaining < _RESOLUTION * abs(time)
    return found


@called
def _complete(frame: Frame, events: EventFrame, source: int) -> int:
    """Go on in the mode in which a transition accumulates, from a state; -1, or the status that ends the run."""
    words, time = as_words(events.words), as_doubles(frame.clock)[TIME]
    record = as_words(_transition(events, words[TAKING]))
    if record[ZENO_TARGET] < 0:
        return _ACCUMULATES
    words[PHASE], words[ENTERING], words[ACCUMULATED] = ENTER, record[ZENO_TARGET], 1
    return _reset(frame, events, record[ZENO_FIRST_STEP], record[ZENO_STEP_COUNT], time, source)


@called
def _after_taking(frame: Frame, events: EventFrame) -> int:
    """What follows a transition that was taken; -1, or the status that ends the run."""
    words = as_words(events.words)
    if words[ACCUMULATED] != 0:
        as_doubles(events.zeno + words[TAKING] * ZENO_NUMBERS * WORD)[COUNT] = 0.0
    elif _accumulates(frame, events):
        _copy_numbers(events.block_count, events.block, events.kept)
        return _complete(frame, events, frame.state)
    if words[CHAIN] > events.limit:
        return _TOO_MANY_JUMPS
    return -1


@called
def _finish(frame: Frame, events: EventFrame) -> None:
    """The end of an excursion: a second node at the same time, if anything happened."""
    words, clock, counters = as_words(events.words), as_doubles(frame.clock), as_words(frame.counters)
    words[PHASE] = STEPPING
    if words[CHAIN] == 0:
        _adopt(frame, events, clock[TIME])
        return
    row = counters[ROWS]
    for number in range(frame.dense_rows):
        at = as_doubles(frame.record_dense + (row * frame.dense_rows + number) * frame.width * WORD)
        for i in range(frame.width):
            at[i] = 0.0
    copy(frame.width, frame.state, frame.record_state + row * frame.width * WORD, events.spare)
    copy(frame.width, frame.rates, frame.record_rate + row * frame.width * WORD, events.spare)
    as_doubles(frame.record_time)[row] = clock[TIME]
    counters[ROWS] = row + 1
    clock[ORIGIN], counters[NUMBER], clock[LAST_ERROR] = clock[TIME], 0, 1e-4


@called
def _recheck(frame: Frame, events: EventFrame) -> int:
    """Something was changed from outside: guards that jumped because of it fire."""
    words, time = as_words(events.words), as_doubles(frame.clock)[TIME]
    mode = as_words(frame.current)[MODE]
    span = as_doubles(frame.clock)[NEXT_STEP]
    status = observe(frame, events, mode, time, frame.state, frame.rates, events.end, max(span, 1e-9))
    if status >= 0:
        return status
    if words[PHASE] == BEGIN and not _allowed(frame, events, mode):
        return _FORBIDDEN
    _mark(frame, events, events.signs, 0, time)
    consumed = as_words(events.consumed)
    for i in range(events.identities):
        consumed[i] = 0
    words[PHASE], words[CHAIN] = CHOOSE, 0
    return -1


@called
def _excursion(frame: Frame, events: EventFrame) -> int:
    words = as_words(events.words)
    while words[PHASE] != STEPPING:
        if words[PHASE] == RECHECK or words[PHASE] == BEGIN:
            status = _recheck(frame, events)
        elif words[PHASE] == CHOOSE:
            status = _choose(frame, events)
            if status == -2:
                _finish(frame, events)
                return -1
        else:
            status = _enter(frame, events)
            if status == _REFUSED:
                words[PHASE] = CHOOSE
                status = -1
            elif status == _STUCK:
                known = as_doubles(events.zeno + words[TAKING] * ZENO_NUMBERS * WORD)
                known[ACCUMULATION] = as_doubles(frame.clock)[TIME]
                status = _complete(frame, events, events.after)
            elif status == -1:
                status = _after_taking(frame, events)
        if status >= 0:
            return status
    return -1


@kernel(ADDRESSES)
def settle_step(addresses: int, _: float, guard: int, __: int, ___: int) -> int:
    """After an accepted step: no event (``guard`` is -1), or an excursion because of a guard; -1 or a status."""
    frame = Frame(*read_frame(addresses))
    events = EventFrame(*read_events(frame.events))
    _settle(frame, events, guard)
    return _excursion(frame, events)


@kernel(ADDRESSES)
def resume_excursion(addresses: int, _: float, __: int, ___: int, ____: int) -> int:
    """All transitions of this instant; -1 when the run goes on, or the status with which it returns."""
    frame = Frame(*read_frame(addresses))
    return _excursion(frame, EventFrame(*read_events(frame.events)))
