"""Guards that a constraint held at zero until an instant: the gap of a contact that lifts off, or its slip.

What they are off zero then is what the constraint was held to, and rounding.
"""

from __future__ import annotations

from typing import Any, Final

from detent.events import event_frame as at
from detent.events.anew import Anew
from detent.events.event_frame import EventFrame
from detent.events.observation_kernel import (
    as_excursion,
    mode_row,
    own_row,
    seen_at,
    transition_row,
    value_tolerance,
)
from detent.events.rounding import CLOCK_RESOLUTION, STATE_ROUNDING, TERMS_ROUNDING, VIOLATION
from detent.events.watch_kernel import as_certificate
from detent.jit.intrinsics import as_doubles, as_words, called
from detent.stepping.frame import StepFrame
from detent.stepping.step_kernel import as_current

_THROWN: Final = 0.5
"""The part of its rate that an impact at this instant has given a guard, at least."""


@called
def carry_slack(frame: StepFrame, events: EventFrame, stays: bool) -> None:
    """Note by how much the guards of the present mode are off zero: those of the mode that is entered may be, too.

    ``stays``: it is the same mode; in another one this is known of what a constraint has held.
    """
    row = mode_row(events.modes, as_current(frame.current).mode)
    slacks, slack = as_doubles(events.slacks), as_doubles(as_certificate(row.certificate).slack)
    identities = as_words(row.identities)
    for i in range(events.identities):
        slacks[i] = 0.0
    for i in range(row.guards if stays else 0):
        slacks[identities[i]] = slack[i]
    for k in range(row.transitions):
        own = own_row(row.own, k)
        if transition_row(events.transitions, own.transition).held >= 0:
            slacks[identities[own.guard]] = slack[own.guard]


@called
def carry_located(events: EventFrame, row: Any, identity: int, side: int) -> None:
    """A guard that was located is zero there, also where the step ends on the side that it came from (rule 4).

    Steps across a change point are rounding to some digits: one of the same size may end a little before.
    """
    slacks, identities = as_doubles(events.slacks), as_words(row.identities)
    for i in range(row.guards):
        seen = seen_at(events.other, i)
        if identities[i] == identity and -VIOLATION * (1.0 + seen.value_scale) < side * seen.value < 0.0:
            slacks[identity] = max(slacks[identity], abs(seen.value))


@called
def _is_struck(events: EventFrame) -> bool:
    """Whether there was an impact at this instant: without one a rate that jumps is that of a speed, which does not."""
    impulses, struck = as_doubles(events.impulses), False
    for i in range(events.impulse_count):
        struck = struck or impulses[i] != 0.0
    return struck


@called
def _is_released(events: EventFrame, transition: int, guard: int, identity: int) -> bool:
    """Whether a guard was held at zero until this instant, or has not left what it was off then, and is not pushed.

    A gap that closes at this instant has left that, though nothing may have been struck beyond the end of a feature: it
    stands on the side that it came to, or it would close again at once, and so on through all of what it was off.
    """
    record, slack = transition_row(events.transitions, transition), as_doubles(events.slacks)[identity]
    if record.held < 0:
        return False
    if as_doubles(events.kept)[as_words(events.key_places)[record.held]] >= record.held_from:
        return True
    closes = as_words(events.consumed)[identity] != 0 and record.anew != Anew.NEVER
    if closes and not _is_struck(events):
        return False
    now, was = seen_at(events.end, guard), seen_at(events.other, guard)
    released: bool = slack > 0.0 and now.first >= was.first - TERMS_ROUNDING * max(now.first_scale, was.first_scale)
    return released


@called
def release(events: EventFrame, row: Any) -> None:
    """A guard that was held at zero until now is zero: what it is off is what the constraint was held to (rule 4)."""
    slacks, identities, before = as_doubles(events.slacks), as_words(row.identities), as_words(events.before)
    for k in range(row.transitions):
        own = own_row(row.own, k)
        identity = identities[own.guard]
        if _is_released(events, own.transition, own.guard, identity):
            slacks[identity] = VIOLATION * (1.0 + seen_at(events.end, own.guard).value_scale)
            before[own.guard] = at.RESTED


@called
def _is_thrown(events: EventFrame, guard: int, sign: int) -> bool:
    """Whether the rate of a guard has jumped at this instant, and surely leads it away from zero.

    It must have been held to rounding: what is off by more may be past zero, and would come back at once.
    """
    now, was = seen_at(events.end, guard), seen_at(events.other, guard)
    if abs(now.value) > STATE_ROUNDING * (1.0 + now.value_scale) or not _is_struck(events):
        return False
    jump = now.first - was.first
    thrown: bool = sign != 0 and sign * now.first > 0.0 and sign * jump >= _THROWN * abs(now.first)
    return thrown and abs(jump) > VIOLATION * max(now.first_scale, was.first_scale)


@called
def let_depart(row: Any, events: EventFrame) -> None:
    """What has just been released does not fall: its rate, too, is what the constraint was held to.

    Until it has left what rounding makes of a state of size one, it is zero: by nothing else can a speed be measured
    that is nearly nothing. One that an impact has thrown open at this instant has a rate of its own.
    """
    before, known = as_words(events.before), as_certificate(row.certificate)
    now, slack = as_words(known.end_signs), as_doubles(known.slack)
    for k in range(row.transitions):
        own = own_row(row.own, k)
        held = transition_row(events.transitions, own.transition).held >= 0
        if held and before[own.guard] == at.RESTED and not _is_thrown(events, own.guard, now[own.guard]):
            least = CLOCK_RESOLUTION * (1.0 + seen_at(events.end, own.guard).value_scale)
            now[own.guard], slack[own.guard] = 0, max(slack[own.guard], least)


@called
def begin_anew(row: Any, events: EventFrame, time: float) -> None:
    """The guard of a gap that was struck at this instant, or of the least of several, is above zero again (rule 11).

    So is that of a gap whose bounces have accumulated, where others hold what it would, and leave it open. What has
    closed was settled, so that none of the gaps falls. What it is off zero it may be, until it has left that.
    """
    struck, excursion = _is_struck(events), as_excursion(events.excursion)
    accumulated = excursion.taking if excursion.accumulated != 0 else -1
    signs, consumed, identities = as_words(events.signs), as_words(events.consumed), as_words(row.identities)
    slack = as_doubles(as_certificate(row.certificate).slack)
    for k in range(row.transitions):
        own = own_row(row.own, k)
        anew = transition_row(events.transitions, own.transition).anew
        rests = own.transition == accumulated and anew != Anew.NEVER
        is_anew = anew == Anew.ALWAYS or (anew == Anew.WHERE_STRUCK and struck)
        if not rests and (not is_anew or consumed[identities[own.guard]] == 0):
            continue
        value = seen_at(events.end, own.guard).value
        known = max(value_tolerance(events.end, own.guard, time), value_tolerance(events.other, own.guard, time))
        signs[own.guard] = 1
        if value <= known:
            slack[own.guard] = 2.0 * max(known, abs(value))
