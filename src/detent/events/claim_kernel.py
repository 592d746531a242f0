"""A mode that no excursion has led to before, put together by the kernel from parts that were made ahead.

What is watched in such a mode follows from its key alone; what runs in it is chosen where it is entered. So an
excursion goes on without its caller, who makes programs of its own for the mode once it has lasted.
"""

from __future__ import annotations

from typing import Any, Final

from detent.events import event_frame as at
from detent.events.event_frame import EventFrame, Readiness
from detent.events.observation_kernel import as_excursion, mode_row, own_row
from detent.events.watch_kernel import as_certificate
from detent.jit.abi import WORD
from detent.jit.intrinsics import as_doubles, as_words, called, record_reader, row_reader
from detent.stepping.frame import StepFrame
from detent.stepping.step_kernel import as_asking

_offer_row: Final = row_reader(at.OFFER)
_key_value: Final = row_reader(at.KEY_VALUE)
_as_claim: Final = record_reader(at.CLAIM)


@called
def _is_offered(events: EventFrame, offer: Any, key: Any) -> bool:
    """Whether a transition is one of those of the mode of a key."""
    offered = True
    for number in range(offer.first_value, offer.first_value + offer.value_count):
        asked = _key_value(events.key_values, number)
        offered = offered and key[asked.place] == asked.value
    return offered


@called
def _guard_of(row: Any, offer: Any) -> int:
    """The place of an offer's guard among those of a mode that were taken up so far; -1 where it is new."""
    slots = as_words(row.slots)
    for i in range(row.guards):
        if slots[i] == offer.slot:
            return i
    return -1


@called
def _take_up(row: Any, offer: Any) -> None:
    """One transition more, with its guard."""
    guard = _guard_of(row, offer)
    if guard >= 0 and offer.once != 0:
        return
    watched = as_words(row.watched)
    if guard < 0:
        guard = row.guards
        as_words(row.slots)[guard], as_words(row.identities)[guard] = offer.slot, offer.identity
        as_words(as_certificate(row.certificate).watches)[guard] = offer.watch
        watched[guard] = 0
        row.guards = guard + 1
    watched[guard] |= offer.watched
    own = own_row(row.own, row.transitions)
    own.transition, own.guard = offer.transition, guard
    row.transitions += 1


@called
def claim(events: EventFrame, family: int) -> int:
    """A blank mode becomes that of a family whose key the discrete states are; UNKNOWN_MODE where none can."""
    excursion = as_excursion(events.excursion)
    if family != events.claim_family or excursion.claimed >= events.blank_count:
        return at.UNKNOWN_MODE
    number: int = events.mode_count + excursion.claimed
    row = mode_row(events.modes, number)
    key, block, places = as_doubles(row.key), as_doubles(events.block), as_words(events.key_places)
    for i in range(events.key_count):
        key[i] = block[places[i]]
    for n in range(events.offer_count):
        offer = _offer_row(events.offers, n)
        if _is_offered(events, offer, key):
            _take_up(row, offer)
    as_certificate(row.certificate).count, _as_claim(row.claim).transitions = row.guards, row.transitions
    row.family, row.ready = family, Readiness.READY
    excursion.claimed += 1
    return number


@called
def count_step(frame: StepFrame, row: Any) -> None:
    """A step was taken in a claimed mode: one that lasts asks for programs of its own."""
    known = _as_claim(row.claim)
    known.steps += 1
    if known.steps >= known.most:
        as_asking(frame.stop + WORD).asked = 1
