"""Entering a mode: the state brought onto its constraints, what it asks for, the signs of its guards."""

from __future__ import annotations

import math
from typing import Any, Final

from detent.events import event_frame as at
from detent.events.anew import Anew
from detent.events.claim_kernel import claim
from detent.events.event_frame import EventFrame, Phase, Readiness
from detent.events.observation_kernel import (
    as_excursion,
    crosses,
    doubt,
    extend,
    mode_row,
    observe,
    own_row,
    seen_at,
    sign_after,
    sign_before,
    sign_by_derivatives,
    step_row,
    transition_row,
    value_sign,
    value_tolerance,
    zeno_row,
)
from detent.events.release_kernel import begin_anew, carry_located, carry_slack, let_depart, release
from detent.events.rounding import CLOCK_RESOLUTION, TERMS_ROUNDING, VIOLATION
from detent.events.state_bounds_kernel import confirmed, value_and_rate_at
from detent.events.watch_frame import DEPARTS
from detent.events.watch_kernel import as_certificate, as_watch
from detent.jit.abi import EPSILON, WORD
from detent.jit.intrinsics import (
    as_doubles,
    as_words,
    call_cell,
    called,
    field_reader,
    inlined,
    read_word,
    record_reader,
    row_reader,
)
from detent.stepping.frame import StepFrame
from detent.stepping.status import Status
from detent.stepping.step_kernel import as_asking, as_clock, as_counters, as_current

_log_row: Final = row_reader(at.LOG_ENTRY)
_as_log_numbers: Final = record_reader(at.LOG_NUMBERS)
_readiness: Final = field_reader(at.MODE, "ready")

_NOISE: Final = 64.0 * EPSILON
"""A rate above this part of its terms is one: what moves away ever so slowly is not about to fall below."""
_PROMPTLY: Final = 1e-6
"""Part of a step."""
_SLIGHTLY: Final = 1e-9
"""A rate below this part of the terms that it is the sum of is none, where a mode must not be about to be left."""


@called
def copy_numbers(count: int, source: int, out: int) -> None:
    origin, target = as_doubles(source), as_doubles(out)
    for i in range(count):
        target[i] = origin[i]


@inlined
def signs_now(frame: StepFrame, events: EventFrame) -> int:
    """Where the signs stand that the guards of the mode have just after this instant."""
    row = mode_row(events.modes, as_current(frame.current).mode)
    address: int = as_certificate(row.certificate).end_signs
    return address


@called
def _off_zero(value: tuple[float, float], tolerance: float) -> float:
    """By how much a guard that counts as zero is off zero, and may be until it has left it.

    Where its bounds hold zero they tell that themselves; a band of the tolerance would hide what it does next.
    """
    low, high = value
    return 2.0 * max(0.0, max(low, -high)) if low > -math.inf and high < math.inf else tolerance


@called
def _sign_from_zero(events: EventFrame, guard: int, other: int, rate: tuple[float, float], span: float) -> int:
    """The sign that a guard, zero by value, has just after this instant, 0 if its derivatives do not tell surely.

    A second derivative tells nothing where the rate is only known to what it makes up in a noticeable part of a step.
    """
    sign, (low, high) = sign_by_derivatives(events.end, other, guard, 0.0), rate
    seen = seen_at(events.end, guard)
    if sign * seen.first > 0.0:
        return 0 if low < high and low <= 0.0 <= high else sign
    return sign if high - low <= _PROMPTLY * span * abs(seen.second) else 0


@called
def signs_after(frame: StepFrame, events: EventFrame, other: int, time: float) -> None:
    """The signs that the guards of the mode have just after this instant; ``end`` holds what is observed.

    ``other`` is what was observed before a jump, or 0. What was zero within rounding there, and did not move, still is
    zero: it stays so until it has left that band (rule 4).
    """
    row = mode_row(events.modes, as_current(frame.current).mode)
    certificate = row.certificate
    known = as_certificate(certificate)
    now, near, slack = as_words(signs_now(frame, events)), as_words(known.near), as_doubles(known.slack)
    carried, identities = as_doubles(events.slacks), as_words(row.identities)
    for i in range(row.guards):
        value, tolerance = seen_at(events.end, i).value, value_tolerance(events.end, i, time)
        if other != 0:
            tolerance = max(tolerance, value_tolerance(other, i, time))
        tolerance = max(tolerance, carried[identities[i]])
        near[i], slack[i] = DEPARTS, 0.0
        if abs(value) <= tolerance < math.inf:
            bounds, rate = value_and_rate_at(certificate, i, frame.values, events.width, time, frame.state, frame.rates)
            slack[i] = _off_zero(bounds, tolerance)
            now[i] = _sign_from_zero(events, i, other, rate, as_clock(frame.clock).next_step)
        else:  # where it is seen on one side, but not surely, its rate tells nothing either: it may jump there
            side = 1 if value > 0.0 else -1
            now[i], _ = confirmed(certificate, i, frame.values, events.width, time, frame.state, frame.rates, side, 0.0)


@called
def mark_changed(frame: StepFrame, events: EventFrame, before: int) -> None:
    """Mark the transitions of the mode whose guards change their sign at this instant (rule 8)."""
    row = mode_row(events.modes, as_current(frame.current).mode)
    old, now, fired = as_words(before), as_words(signs_now(frame, events)), as_words(events.fired)
    for k in range(row.transitions):
        own = own_row(row.own, k)
        guard, direction = own.guard, transition_row(events.transitions, own.transition).direction
        wanted = (at.FALLING if direction <= 0 else 0) | (at.RISING if direction >= 0 else 0)
        fired[k] = 1 if crosses(old[guard], now[guard], wanted) else 0


@called
def condition_holds(frame: StepFrame, events: EventFrame, cell: int, count: int, time: float) -> int:
    """Whether no value of a condition is negative: 1 or 0, or -1 where one is not a number."""
    if cell == 0:
        return 1
    status = call_cell(cell, time, events.extended, frame.values, events.answers)
    answers = as_doubles(events.answers)
    holds = 1
    for i in range(count):
        if status != 0 or math.isnan(answers[i]):
            return -1
        if answers[i] < 0.0:
            holds = 0
    return holds


@called
def energy_of(frame: StepFrame, events: EventFrame, time: float, state: int) -> float:
    call_cell(events.energy, time, state, frame.values, events.energies)
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
def _corrected(frame: StepFrame, events: EventFrame, row: Any, time: float) -> int:
    """Bring the state after the reset onto the constraints of the mode (rule 9); -1, or what is wrong."""
    if read_word(row.entry) == 0:
        return Status.GO_ON
    status = call_cell(row.entry, time, events.after, frame.values, events.spare)
    after, mended = as_doubles(events.after), as_doubles(events.spare)
    rate, missed, misses = as_doubles(frame.rates), as_doubles(events.missed), False
    for i in range(events.width - 1):
        allowed = missed[i] * max(1.0, abs(after[i])) + CLOCK_RESOLUTION * abs(rate[i] * time)
        misses = misses or not abs(mended[i] - after[i]) <= allowed
    if status != 0:
        as_counters(frame.counters).reason = status
        return Status.PROGRAM_STATUS
    if misses:
        return Status.RESET_VIOLATES
    copy_numbers(events.width, events.spare, events.after)
    return Status.GO_ON


@called
def is_allowed(frame: StepFrame, events: EventFrame, mode: int) -> bool:
    """Whether what a mode requires holds where it is entered (rule 10): by value, then by derivatives; ``end`` is as
    observed."""
    row = mode_row(events.modes, mode)
    for k in range(row.invariants):
        seen = seen_at(events.end, row.guards + k)
        clock, scale = CLOCK_RESOLUTION * abs(seen.first * as_clock(frame.clock).time), seen.value_scale
        if not (clock < math.inf and scale < math.inf):  # as of a root at zero: its terms tell nothing
            clock, scale = 0.0, 0.0
        value, slack = seen.value, VIOLATION * (1.0 + scale) + clock
        bad = value < -slack
        if -slack <= value <= TERMS_ROUNDING * scale + clock:
            slope, slack = seen.first, _SLIGHTLY * seen.first_scale
            bad = slope < -slack
            if abs(slope) <= slack and slope <= _NOISE * seen.first_scale:
                bad = seen.second < -_SLIGHTLY * seen.second_scale
        if bad:
            as_excursion(events.excursion).concerned = k
            return False
    return True


@called
def _read_before(frame: StepFrame, events: EventFrame, mode: int, time: float) -> int:
    """The signs that the guards of a mode had just before it is entered (rule 11); -1, or a status."""
    row, excursion = mode_row(events.modes, mode), as_excursion(events.excursion)
    _swap_block(events)
    status = observe(frame, events, mode, time, frame.state, frame.rates, events.other, -1.0)
    _swap_block(events)
    if status == Status.GUARD_NOT_A_NUMBER:
        status = Status.GO_ON  # a guard of the next mode need not have a value in this one
    before, consumed, standing = as_words(events.before), as_words(events.consumed), as_words(events.standing)
    watched, identities = as_words(row.watched), as_words(row.identities)
    for i in range(row.guards):
        taken, known = consumed[identities[i]], standing[identities[i]]
        if watched[i] & (at.REACTIVE | at.AT_ONCE) != 0 and (watched[i] & at.REACTIVE != 0 or taken == 0):
            before[i] = 1 if watched[i] & at.FALLING != 0 else -1
        elif excursion.chain == 0 and excursion.outside == 0:
            before[i] = sign_before(events.other, i, time)
            if before[i] == 0 and known == at.RESTED:
                before[i] = known
        else:
            before[i] = known if known != 0 else sign_after(events.other, 0, i, time)
            if taken != 0 and value_sign(events.other, i, time) == -taken:
                consumed[identities[i]] = 0  # it came back while another mode, which does not watch it, ran
        if consumed[identities[i]] != 0:
            before[i] = consumed[identities[i]]
    return status


@called
def stand(frame: StepFrame, events: EventFrame, before: int) -> None:
    """Note where each guard of the mode stands. One that is marked is still to change its sign: where it stood."""
    row = mode_row(events.modes, as_current(frame.current).mode)
    standing, identities = as_words(events.standing), as_words(row.identities)
    old, now, fired = as_words(before), as_words(signs_now(frame, events)), as_words(events.fired)
    for i in range(events.identities):
        standing[i] = 0
    for i in range(row.guards):
        standing[identities[i]] = now[i] if now[i] != 0 else at.RESTED
    for k in range(row.transitions):
        if fired[k] != 0:
            guard = own_row(row.own, k).guard
            standing[identities[guard]] = old[guard]


@called
def _passed(frame: StepFrame, events: EventFrame) -> tuple[int, int]:
    """The guard of the transition that is being taken, as the automaton numbers it, and the side that it came to."""
    excursion = as_excursion(events.excursion)
    row, guard = mode_row(events.modes, as_current(frame.current).mode), 0
    for k in range(row.transitions):
        own = own_row(row.own, k)
        if own.transition == excursion.taking:
            guard = own.guard
    identity, side = as_words(row.identities)[guard], transition_row(events.transitions, excursion.taking).direction
    if side == 0:
        first = excursion.chain == 0
        old = as_words(events.signs)[guard] if first else as_words(events.standing)[identity]
        side = as_words(signs_now(frame, events))[guard] if old == at.RESTED else -old
    return identity, side


@called
def _consume(frame: StepFrame, events: EventFrame) -> None:
    """The guard of the transition that is taken stands on its other side now; it fires again when it has come back.

    So does the gap of a contact whose bounces have accumulated: others may hold what it would, and leave it open.
    """
    excursion = as_excursion(events.excursion)
    if excursion.accumulated == 0 or transition_row(events.transitions, excursion.taking).anew != Anew.NEVER:
        identity, side = _passed(frame, events)
        as_words(events.consumed)[identity] = side


@called
def _write_log(frame: StepFrame, events: EventFrame, gain: float) -> None:
    excursion = as_excursion(events.excursion)
    number = excursion.logged
    entry = _log_row(events.log_entries, number)
    entry.transition, entry.zeno = excursion.taking, excursion.accumulated
    entry.source, entry.target = as_current(frame.current).mode, excursion.entering
    entry.row = as_counters(frame.counters).rows
    address = events.log_numbers + number * events.log_width * WORD
    numbers = _as_log_numbers(address)
    numbers.time, numbers.energy = as_clock(frame.clock).time, gain
    numbers.accumulation = zeno_row(events.zeno, excursion.taking).accumulation
    copy_numbers(events.block_count, events.block, address + at.LOG_VALUES * WORD)
    copy_numbers(events.impulse_count, events.impulses, address + (at.LOG_VALUES + events.block_count) * WORD)
    excursion.logged = number + 1


@called
def _take(frame: StepFrame, events: EventFrame, mode: int, time: float) -> None:
    """The mode and the state after the reset become the present ones (rule 10)."""
    row, excursion = mode_row(events.modes, mode), as_excursion(events.excursion)
    current = as_current(frame.current)
    carry_slack(frame, events, current.mode == mode)
    if excursion.chain == 0 and excursion.outside == 0:
        identity, side = _passed(frame, events)
        carry_located(events, row, identity, side)
    current.rates, current.projection, current.mode = row.rates, row.projection, mode
    copy_numbers(events.width, events.after, frame.state)
    copy_numbers(events.width, events.after_rate, frame.rates)
    signs, before, now = as_words(events.signs), as_words(events.before), as_words(signs_now(frame, events))
    release(events, row)
    signs_after(frame, events, events.other, time)
    let_depart(row, events)
    mark_changed(frame, events, events.before)
    stand(frame, events, events.before)
    consumed, identities = as_words(events.consumed), as_words(row.identities)
    watches = as_words(as_certificate(row.certificate).watches)
    for i in range(row.guards):
        # Where not even derivatives tell, the next step does: until then it is where it was. Where nothing told that
        # either, it rests (rule 5).
        signs[i] = now[i] if now[i] != 0 else before[i]
        if signs[i] == 0 and as_watch(watches[i]).certified != 0:
            signs[i] = at.RESTED
        if consumed[identities[i]] == -now[i]:
            consumed[identities[i]] = 0  # it has come back: it may fire again
    begin_anew(row, events, time)
    copy_numbers((row.guards + row.invariants) * at.OBSERVED, events.end, events.start)
    row.ready = Readiness.READY
    excursion.chain += 1
    excursion.phase = Phase.CHOOSE


@called
def _is_refused(frame: StepFrame, events: EventFrame, mode: int, time: float) -> bool:
    """Whether the condition does not hold for a state that is not on the constraints: then it need not be."""
    excursion = as_excursion(events.excursion)
    record = transition_row(events.transitions, excursion.taking)
    if record.after == 0 or excursion.accumulated != 0:
        return False
    rate = as_doubles(events.after_rate)
    for i in range(events.width):
        rate[i] = 0.0
    status = extend(frame, events, mode, time, events.after, events.after_rate, 0.0)
    return status == 0 and condition_holds(frame, events, record.after, record.after_count, time) == 0


@called
def _is_other_choice(frame: StepFrame, events: EventFrame, row: Any, time: float) -> bool:
    """Whether other dependent speeds would be chosen for the state after the reset."""
    if row.choice == 0:
        return False
    status: int = call_cell(row.choice, time, events.after, frame.values, events.spare)
    return status != 0


@called
def enter(frame: StepFrame, events: EventFrame) -> int:
    """Enter the mode that a transition leads to, with the state in ``after``; -1, REFUSED, or a status."""
    excursion, time = as_excursion(events.excursion), as_clock(frame.clock).time
    if excursion.entering == at.UNKNOWN_MODE:
        excursion.entering = claim(events, transition_row(events.transitions, excursion.taking).family)
    mode = excursion.entering
    if mode == at.UNKNOWN_MODE:
        return Status.MODE_NEEDED
    row = mode_row(events.modes, mode)
    ready = _readiness(row)
    if row.claim != 0 and ready == Readiness.READY:
        # It is made for each state in which it is entered, or, where the kernel cannot do that, by the caller.
        ready = Readiness.FRESH
        if _is_other_choice(frame, events, row, time):
            row.ready = ready = Readiness.MISSING
    if ready == Readiness.AHEAD and _is_other_choice(frame, events, row, time):
        row.ready = ready = Readiness.MISSING
    if ready == Readiness.MISSING:
        return Status.MODE_NEEDED
    copy_numbers(events.block_count - events.discrete_count, row.switches,
                  events.block + events.discrete_count * WORD)  # fmt: skip
    asking = as_asking(frame.stop + WORD)
    before, asking.asked = asking.asked, 0
    status = _corrected(frame, events, row, time)
    poor, asking.asked = status >= 0 or asking.asked != 0, before | asking.asked
    mendable = poor and ready != Readiness.FRESH
    if mendable and (status == Status.PROGRAM_STATUS or _is_other_choice(frame, events, row, time)):
        row.ready, asking.asked = Readiness.MISSING, 0  # rule 15: other speeds must be the dependent ones here
        return Status.MODE_NEEDED
    if status == Status.RESET_VIOLATES and _is_refused(frame, events, mode, time):
        copy_numbers(events.block_count, events.kept, events.block)
        return Status.REFUSED
    if status >= 0:
        return status
    after = as_doubles(events.after)
    gain = energy_of(frame, events, time, events.after)
    _swap_block(events)
    gain -= energy_of(frame, events, time, frame.state)
    _swap_block(events)
    after[events.width - 1] += gain
    status = call_cell(row.rates, time, events.after, frame.values, events.after_rate)
    if status != 0:
        as_counters(frame.counters).reason = status
        return Status.PROGRAM_STATUS
    rate, discrete = as_doubles(events.after_rate), as_doubles(events.block)
    for i in range(events.width):
        if not (math.isfinite(rate[i]) and math.isfinite(after[i])):
            return Status.NOT_A_NUMBER
    for i in range(events.discrete_count):
        if not math.isfinite(discrete[i]):
            return Status.NOT_A_NUMBER
    return _admitted(frame, events, mode, time, gain)


@called
def _is_stuck(frame: StepFrame, events: EventFrame, mode: int, time: float) -> bool:
    """Whether the guard of the transition that is being taken still stands on the side that it came to.

    Where nothing says what follows, only if it does not move on either: a guard may just be passed, and noted. One that
    nothing can move, for it is of discrete states alone, stands where it jumped to and is not stuck.
    """
    excursion, row = as_excursion(events.excursion), mode_row(events.modes, mode)
    record = transition_row(events.transitions, excursion.taking)
    identity, side = _passed(frame, events)
    identities, watched = as_words(row.identities), as_words(row.watched)
    wanted = at.FALLING if side < 0 else at.RISING
    for i in range(row.guards):
        same = identities[i] == identity and watched[i] & wanted != 0
        if same and sign_after(events.end, events.other, i, time) == side:
            seen = seen_at(events.end, i)
            rests = abs(seen.first) <= _SLIGHTLY * seen.first_scale and seen.first_scale + seen.second_scale > 0.0
            stays: bool = record.zeno_target >= 0 or rests
            return stays
    return False


@called
def strikes(events: EventFrame, record: Any) -> bool:
    """Whether a transition's reset is, or holds, an impact that the kernel works out."""
    for number in range(record.first_step, record.first_step + record.step_count):
        if step_row(events.steps, number).kind == at.STRIKE:
            return True
    return False


@called
def _admitted(frame: StepFrame, events: EventFrame, mode: int, time: float, gain: float) -> int:
    """The last part of entering: conditions and requirements there, then the change itself."""
    excursion, span = as_excursion(events.excursion), as_clock(frame.clock).next_step
    record = transition_row(events.transitions, excursion.taking)
    status = _read_before(frame, events, mode, time)
    if status >= 0:
        return status
    status = observe(frame, events, mode, time, events.after, events.after_rate, events.end, max(span, 1e-9))
    if status >= 0:
        return status
    doubt(frame, events, mode, time, events.after, events.after_rate, max(span, 1e-9))
    if excursion.accumulated == 0:
        if record.after != 0:
            extend(frame, events, mode, time, events.after, events.after_rate, max(span, 1e-9))
        answer = condition_holds(frame, events, record.after, record.after_count, time)
        if answer < 0:
            excursion.concerned = -1
            return Status.GUARD_NOT_A_NUMBER
        if answer == 0:
            copy_numbers(events.block_count, events.kept, events.block)
            return Status.REFUSED
    repeats = record.zeno_target >= 0 or strikes(events, record)
    if excursion.accumulated == 0 and repeats and _is_stuck(frame, events, mode, time):
        # The loss is booked when the mode is entered that it comes to rest in.
        as_doubles(events.after)[events.width - 1] = as_doubles(frame.state)[events.width - 1]
        return Status.STUCK
    _consume(frame, events)
    row = mode_row(events.modes, mode)
    identities, consumed, before = as_words(row.identities), as_words(events.consumed), as_words(events.before)
    for i in range(row.guards):
        if consumed[identities[i]] != 0:
            before[i] = consumed[identities[i]]
    _write_log(frame, events, gain)
    _take(frame, events, mode, time)
    return Status.GO_ON
