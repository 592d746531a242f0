"""Events: the first change of sign of any guard within a step. The rules: docs/event_semantics.md.

After each trial the guards are observed at its end, and what changed its sign there is located on real steps. Then
every guard is shown to keep its sign over the whole step, on its interpolant, or the step is shortened to where it does
not.
"""

from __future__ import annotations

import math
from typing import Final

from detent.events import event_frame as at
from detent.events.event_frame import EventFrame
from detent.events.exclusion_kernel import (
    CLEAR,
    CROSSES,
    NO_NUMBER,
    TIRED,
    exclude,
    is_screened_out,
    keeps_side,
    screen,
)
from detent.events.interpolant_kernel import interpolate, prepare
from detent.events.location_kernel import locate, step_again
from detent.events.observation_kernel import (
    as_excursion,
    crosses,
    mode_row,
    observe,
    own_row,
    read_events,
    read_frame,
    seen_at,
    sign_by_derivatives,
    sign_of,
    value_sign,
    value_tolerance,
    write_note,
)
from detent.events.rounding import CLOCK_RESOLUTION, VIOLATION
from detent.events.state_bounds_kernel import confirmed
from detent.events.watch_frame import APPROACHES, AWAY, DEPARTS, FLIP, PLACE, STRAIGHT, SURE
from detent.events.watch_kernel import as_certificate, as_watch
from detent.jit.intrinsics import ADDRESSES, as_doubles, as_words, called, inlined, kernel
from detent.stepping.frame import StepFrame
from detent.stepping.status import Status
from detent.stepping.step_kernel import as_current, rate_row

_SHORTEST: Final = 1e-12
"""A step this much shorter than the time is shortened no more: there the guard has no value, or a pole."""
_MOST_HALVINGS: Final = 60
_MOST_TURNS: Final = 200
"""How often a step may be shortened before it is given up."""
_LATEST: Final = 0.9375
"""Of a step: where a value that falls straight below zero is looked for at the latest."""
_NOTICEABLE: Final = 1e-4
_SOMEHOW: Final = 1e-6
"""By how much of its values, and of their terms, it must fall below zero: the rates of reactions are differences."""
_SURELY: Final = 16.0
"""A reaction that is past zero by so many times what it is known to is: its bounds, which come from a solve with
intervals, may be wider than all that it does where a slip is slow and turns."""
_FLIPS: Final = 4
"""Besides the verdicts of an exclusion: a change that is not looked for comes before one that is, or may be."""


@inlined
def _known_to(events: EventFrame, certificate: int, guard: int, time: float) -> float:
    """What the value of a guard at the end of the trial is known to."""
    slack: float = as_doubles(as_certificate(certificate).slack)[guard]
    return value_tolerance(events.end, guard, time) + slack


@called
def _sign_at_end(
    frame: StepFrame, events: EventFrame, certificate: int, guard: int, end: float, by_value: bool
) -> int:  # fmt: skip
    """The sign of a guard just after the end of the trial, or at it; where its value may be zero, 0 by value."""
    now = sign_of(seen_at(events.end, guard).value, _known_to(events, certificate, guard, end))
    if now != 0 and now == as_words(events.signs)[guard]:
        return now
    row = mode_row(events.modes, as_current(frame.current).mode)
    band, rate, seen = _known_to(events, certificate, guard, end), rate_row(frame, frame.stages), now
    reacts = as_words(row.watched)[guard] & at.REACTIVE != 0
    if now != 0 and reacts and abs(seen_at(events.end, guard).value) > _SURELY * band:
        return now
    now, band = confirmed(certificate, guard, frame.values, events.width, end, frame.trial, rate, now, band)
    if seen != 0 or by_value:  # seen on one side, but not surely: near a jump its rate tells nothing either
        return now
    released = as_words(events.signs)[guard] == at.RESTED and as_words(row.watched)[guard] & at.HELD != 0
    if released and as_doubles(as_certificate(certificate).slack)[guard] > 0.0:
        return 0  # it still is where it was held, and so is its rate
    return sign_by_derivatives(events.end, 0, guard, band)


@called
def _changed(frame: StepFrame, events: EventFrame, certificate: int, end: float, by_value: bool, found: int) -> int:
    """A guard that has changed its sign between the start and the end of the trial, as observed; -1 if none has.

    Not the one whose zero ends the trial: it may be on its other side there by the last bit.
    """
    row = mode_row(events.modes, as_current(frame.current).mode)
    signs, watched = as_words(events.signs), as_words(row.watched)
    for i in range(row.guards):
        if i != found and crosses(signs[i], _sign_at_end(frame, events, certificate, i, end, by_value), watched[i]):
            return i
    return -1


@called
def _locate_changes(
    frame: StepFrame, events: EventFrame, certificate: int, time: float, step: float, found: int
) -> tuple[int, float, int]:  # fmt: skip
    """Shorten the trial to the first guard that changed its sign up to its end: a status or -1, its size, the guard.

    One that has been located may have changed more than once, and before another that was located after it.
    """
    located, together = -1.0, 0
    guards = mode_row(events.modes, as_current(frame.current).mode).guards
    changed = _changed(frame, events, certificate, time + step, found >= 0, found)
    for _ in range(_MOST_TURNS):
        if changed < 0:
            return -1, step, found
        found = changed
        status, step = locate(frame, events, certificate, found, as_words(events.signs)[found], time, step)
        if status >= 0:
            return status, step, found
        together = together + 1 if step == located else 0
        if together > guards:  # each is on its other side, at one instant
            return -1, step, found
        located = step
        changed = _changed(frame, events, certificate, time + step, True, found)
    as_excursion(events.excursion).concerned = found
    return Status.GUARD_UNRESOLVED, step, found


# -- the whole step ---------------------------------------------------------------------------------------


@inlined
def _slack(events: EventFrame, number: int) -> float:
    """By how much what a mode requires may be missed (rule 10); the terms of a root at zero tell nothing."""
    scale = seen_at(events.start, number).value_scale
    slack: float = VIOLATION * (1.0 + (scale if scale < math.inf else 0.0))
    return slack


@called
def _lowest_place(first: float, last: float, rise: float, fall: float) -> float:
    """Where between 0 and 1 the cubic with these values and rates at 0 and 1 is lowest; 0 where it has no dip there."""
    square, cube = 3.0 * (last - first) - 2.0 * rise - fall, 2.0 * (first - last) + rise + fall
    root = square * square - 3.0 * cube * rise
    if not root > 0.0:
        return 0.0
    # Of the two places where it is level that with a positive bend, by the formula in which nothing cancels.
    slope = square + math.sqrt(root) if square >= 0.0 else square - math.sqrt(root)
    place = -rise / slope if square >= 0.0 else -slope / (3.0 * cube) if cube != 0.0 else 0.0
    return place if 0.0 < place < 1.0 else 0.0


@called
def _dips(events: EventFrame, certificate: int, number: int, step: float, straight: bool) -> int:
    """Whether a cubic through what is observed at both ends of the step falls below zero between them: a verdict.

    With ``straight`` also whether it does by its rate at the start alone: what comes later may be another branch.
    """
    start, end, places = seen_at(events.start, number), seen_at(events.end, number), as_certificate(certificate).found
    first, last, rise, fall = start.value, end.value, step * start.first, step * end.first
    known = _NOTICEABLE * max(first, last) + _SOMEHOW * max(start.value_scale, end.value_scale)
    place = _lowest_place(first, last, rise, fall)
    rest = 1.0 - place
    value = first * rest * rest * (1.0 + 2.0 * place) + last * place * place * (3.0 - 2.0 * place)
    value += place * rest * (rise * rest - fall * place)
    dips = place > 0.0 and value < -known
    if straight and first + rise < -known:
        dips, place = True, min(_LATEST, 2.0 * first / -rise)
    if not (dips and place > 0.0 and first > -known and last > 0.0):
        return CLEAR
    as_doubles(places)[SURE], as_doubles(places)[PLACE] = 0.0, place
    return CROSSES


@called
def _look(
    frame: StepFrame, events: EventFrame, certificate: int, number: int, time: float, step: float, upto: float,
    ends: bool,
) -> int:  # fmt: skip
    """What one guard, or one requirement, does over the prepared step: a verdict."""
    row = mode_row(events.modes, as_current(frame.current).mode)
    known, degree, guards = as_certificate(certificate), 3 + frame.dense_rows, row.guards
    sign, watched, offset = 1, at.FALLING, 0.0
    if number < guards:
        sign, watched = as_words(events.signs)[number], as_words(row.watched)[number]
    else:
        offset = _slack(events, number)
    as_words(known.far)[number], as_words(known.end_signs)[number] = 1, sign
    as_doubles(known.end_slack)[number] = as_doubles(known.slack)[number]
    watch = as_watch(as_words(known.watches)[number])
    if watch.certified == 0 and number >= guards and seen_at(events.end, number).value + offset < 0.0:
        as_doubles(known.found)[SURE], as_doubles(known.found)[PLACE] = 0.0, 1.0
        return CROSSES
    if watch.certified == 0 and watch.cubic != 0 and sign == 1:
        return _dips(events, certificate, number, step, watch.cubic == STRAIGHT)
    if watch.certified == 0 or is_screened_out(certificate, number, sign, offset):
        return CLEAR
    straight = watch.affine != 0 and (sign == 1 or sign == -1)
    if straight and keeps_side(certificate, number, frame.values, degree, time, step, sign, offset, True, False):
        return CLEAR
    as_words(known.far)[number] = 0
    if straight and keeps_side(certificate, number, frame.values, degree, time, step, sign, offset, False, ends):
        return CLEAR
    return exclude(certificate, number, frame.values, degree, time, step, sign, watched, offset, upto, False)


@called
def _first_change(
    frame: StepFrame, events: EventFrame, certificate: int, time: float, step: float, found: int
) -> tuple[int, int, float]:  # fmt: skip
    """What happens first in the prepared step: a verdict, the guard, and up to which part nothing has happened."""
    known, places = as_certificate(certificate), as_doubles(as_certificate(certificate).found)
    guards = mode_row(events.modes, as_current(frame.current).mode).guards
    end = 1.0 - CLOCK_RESOLUTION * (abs(time) + step) / step  # what lies beyond is the end
    verdict, number, upto = CLEAR, -1, 1.0
    for i in range(known.count):
        places[FLIP] = -1.0
        seen = _look(frame, events, certificate, i, time, step, upto, i == found)
        if seen == CROSSES and i >= guards and places[PLACE] >= upto and number >= 0:
            continue  # a guard comes first that may lead out of the mode
        if seen == CROSSES and not (i == found and places[PLACE] >= end):
            verdict, number, upto = seen, i, places[PLACE]
            if places[FLIP] >= 0.0:
                verdict, upto = _FLIPS, places[FLIP]
        elif seen == CLEAR and 0.0 <= places[FLIP] < upto and places[SURE] < upto:  # it may change back at the end
            verdict, number, upto = _FLIPS, i, places[FLIP]
        elif seen in (TIRED, NO_NUMBER) and places[SURE] < upto:
            verdict, number, upto = seen, i, places[SURE]
    return verdict, number, upto


@called
def _accept(frame: StepFrame, events: EventFrame, certificate: int, time: float, step: float) -> None:
    """Note where each guard stands at the end of a step in which none changes its sign, and which came near zero."""
    row = mode_row(events.modes, as_current(frame.current).mode)
    known, signs, degree = as_certificate(certificate), as_words(events.signs), 3 + frame.dense_rows
    far, near, end_signs = as_words(known.far), as_words(known.near), as_words(known.end_signs)
    for i in range(row.guards):
        as_doubles(known.slack)[i] = as_doubles(known.end_slack)[i]
        now = _sign_at_end(frame, events, certificate, i, time + step, False)
        if now == 0:
            rests = signs[i] == 0 and end_signs[i] == 0 and as_watch(as_words(known.watches)[i]).certified != 0
            now = at.RESTED if rests else end_signs[i]
        if sign_of(seen_at(events.end, i).value, _known_to(events, certificate, i, time + step)) != 0:
            as_doubles(known.slack)[i] = 0.0  # it has left what it was known to at the last jump
        end_signs[i] = now
        is_far = far[i] != 0
        if not is_far and near[i] != DEPARTS and signs[i] * signs[i] == 1:
            seen = exclude(certificate, i, frame.values, degree, time, step, signs[i], 0, 0.0, 1.0, True)
            is_far = seen == CLEAR
            end_signs[i] = now
        if now != signs[i]:
            near[i] = DEPARTS
        elif is_far:
            if near[i] == APPROACHES:
                _note_near_miss(frame, events, i, as_doubles(known.near_times)[i])
            near[i] = AWAY
        elif near[i] == AWAY:
            near[i] = APPROACHES
            as_doubles(known.near_times)[i] = time + step


@called
def _note_near_miss(frame: StepFrame, events: EventFrame, guard: int, time: float) -> None:
    mode = as_current(frame.current).mode
    row = mode_row(events.modes, mode)
    for k in range(row.transitions):
        own = own_row(row.own, k)
        if own.guard == guard:
            write_note(events, at.NEAR_MISS, own.transition, mode, time)


@called
def _with_values(frame: StepFrame, events: EventFrame, time: float, step: float, status: int) -> tuple[int, float]:
    """Halve the trial until all guards have a value at its end (rule 6): -1 or a status, and its size."""
    for _ in range(_MOST_HALVINGS):
        if status != Status.GUARD_NOT_A_NUMBER or step < _SHORTEST * abs(time):
            break
        step *= 0.5
        status = step_again(frame, events, time, step)
    return status, step


@called
def _violated(
    frame: StepFrame, events: EventFrame, certificate: int, number: int, time: float, step: float
) -> tuple[int, float, int]:  # fmt: skip
    """Where what a mode requires ceases to hold, if it does so in the trial: a status or -1, the step, which."""
    if seen_at(events.end, number).value + _slack(events, number) >= 0.0:
        return -1, step, -1
    if value_sign(events.start, number, time) != 1:  # it was at its edge already, and leaves it now
        row = mode_row(events.modes, as_current(frame.current).mode)
        as_excursion(events.excursion).concerned = number - row.guards
        seen_at(events.end, number).value = seen_at(events.start, number).value
        return Status.FORBIDDEN, step, -1
    status, step = locate(frame, events, certificate, number, 1, time, step)
    if status >= 0:
        return status, step, -1
    if interpolate(frame, time, step) != 0:
        return Status.PROGRAM_STATUS, step, -1
    return -1, step, number


@called
def _meet(frame: StepFrame, events: EventFrame, time: float, step: float, end: float) -> tuple[int, float, int]:
    mode = as_current(frame.current).mode
    row = mode_row(events.modes, mode)
    guards, certificate = row.guards, row.certificate
    if guards + row.invariants == 0:
        return (-1 if interpolate(frame, time, step) == 0 else Status.PROGRAM_STATUS), step, -1
    status = observe(frame, events, mode, end, frame.trial, rate_row(frame, frame.stages), events.end, step)
    found, number = -1, -1
    for _ in range(_MOST_TURNS):
        status, step = _with_values(frame, events, time, step, status)
        if status < 0:
            status, step, found = _locate_changes(frame, events, certificate, time, step, found)
        if status >= 0:
            return status, step, -1
        if interpolate(frame, time, step) != 0:
            return Status.PROGRAM_STATUS, step, -1
        prepare(frame, certificate, events.width, time, step)
        if as_certificate(certificate).screen != 0:
            screen(certificate, frame.values, 3 + frame.dense_rows, time, step)
        verdict, number, part = _first_change(frame, events, certificate, time, step, found)
        if verdict == CLEAR:
            _accept(frame, events, certificate, time, step)
            return -1, step, found
        if verdict == CROSSES and number < guards and part >= 1.0 and as_words(events.signs)[number] != 0:
            _accept(frame, events, certificate, time, step)
            return -1, step, number
        if verdict in (NO_NUMBER, TIRED) and part * step < _SHORTEST * abs(time) + 1e-300:
            as_excursion(events.excursion).concerned = number
            return (Status.GUARD_NOT_A_NUMBER if verdict == NO_NUMBER else Status.GUARD_UNRESOLVED), step, -1
        if part < 1.0:
            step, found = part * step, -1
            status = step_again(frame, events, time, step)
        if verdict == CROSSES and number < guards and status < 0:
            now = _sign_at_end(frame, events, certificate, number, time + step, True)
            if not crosses(as_words(events.signs)[number], now, as_words(row.watched)[number]):
                # Only the interpolant passes zero there, and that of half the step is sixteen times nearer to real
                # steps; or the guard had no sign where the step began, and is to have one before it changes it.
                step, found = 0.5 * step, -1
                status = step_again(frame, events, time, step)
        left = verdict == CROSSES and number >= guards and status < 0
        if left and _changed(frame, events, certificate, time + step, True, -1) < 0:  # else a guard is located first
            status, step, violated = _violated(frame, events, certificate, number, time, step)
            if status >= 0 or violated >= 0:
                return status, step, violated
    as_excursion(events.excursion).concerned = max(0, number)
    return Status.GUARD_UNRESOLVED, step, -1


@kernel(ADDRESSES)
def meet_events(addresses: int, time: float, sizes: int, values: int, out: int) -> int:
    """Look at the guards over a trial step, its end included (rule 1); shorten it to the first that passes zero.

    ``sizes`` holds the size of the step and the time at its end; after it, the size of the step and the guard that ends
    it (-1 if none does; beyond the guards: what the mode requires). The trial is then that of the shortened step, and
    its dense output is in the record. Returns -1 or the status that ends the run.
    """
    frame = StepFrame(*read_frame(addresses))
    events = EventFrame(*read_events(frame.events))
    given = as_doubles(sizes)
    status, step, guard = _meet(frame, events, time, given[0], given[1])
    given[0], given[1] = step, float(guard)
    return status
