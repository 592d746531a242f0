"""A mode that no excursion has led to before, put together by the kernel from parts that were made ahead.

What is watched in such a mode follows from its family and its key; what runs in it is chosen where it is entered. So an
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
def known_mode(events: EventFrame, family: int) -> int:
    """The mode of a family whose key the discrete states are; UNKNOWN_MODE where the tables have none."""
    block, places = as_doubles(events.block), as_words(events.key_places)
    for mode in range(events.mode_count + as_excursion(events.excursion).claimed):
        row = mode_row(events.modes, mode)
        if row.family == family:
            key, same = as_doubles(row.key), True
            for i in range(events.key_count):
                same = same and key[i] == block[places[i]]
            if same:
                return mode
    return at.UNKNOWN_MODE


@called
def _exchange(events: EventFrame, one: int, other: int) -> None:
    """Two blank modes change their numbers."""
    first, second = as_words(events.modes + one * at.MODE_SIZE), as_words(events.modes + other * at.MODE_SIZE)
    for i in range(at.MODE_SIZE // WORD):
        first[i], second[i] = second[i], first[i]


@called
def _take_blank(events: EventFrame, family: int) -> int:
    """The number of a blank mode made for a family, the first that is not claimed; UNKNOWN_MODE where none is left."""
    first: int = events.mode_count + as_excursion(events.excursion).claimed
    for number in range(first, events.mode_count + events.blank_count):
        if _as_claim(mode_row(events.modes, number).claim).family == family:
            _exchange(events, first, number)
            return first
    return at.UNKNOWN_MODE


@called
def _is_offered(events: EventFrame, offer: Any, key: Any) -> bool:
    """Whether a transition is one of those of the mode of a key."""
    offered = True
    for number in range(offer.first_value, offer.first_value + offer.value_count):
        asked = _key_value(events.key_values, number)
        offered = offered and key[asked.place] == asked.value
    return offered


@called
def _guard_of(row: Any, slot: int) -> int:
    """The place of a guard among those of a mode that were taken up so far; -1 where it is new."""
    slots = as_words(row.slots)
    for i in range(row.guards):
        if slots[i] == slot:
            return i
    return -1


@called
def _take_up(row: Any, offer: Any) -> None:
    """One transition more, with its guard."""
    guard = _guard_of(row, offer.slot)
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
    own.transition, own.guard, own.before = offer.transition, guard, offer.before
    row.transitions += 1


@called
def _require(row: Any, offer: Any) -> None:
    """One requirement more, after all guards; it may be one of these once more, or its negative."""
    known, place = as_certificate(row.certificate), row.guards + row.invariants
    same, opposite = _guard_of(row, offer.slot), _guard_of(row, offer.negative)
    as_words(row.slots)[place], as_words(known.watches)[place] = offer.slot, offer.watch
    as_words(known.twins)[place] = same + 1 if same >= 0 else -opposite - 1
    row.invariants += 1


@called
def claim(events: EventFrame, family: int) -> int:
    """The mode of a family whose key the discrete states are; a blank one, where it is not known. UNKNOWN_MODE where
    there is none."""
    known: int = known_mode(events, family)
    number: int = known if known != at.UNKNOWN_MODE else _take_blank(events, family)
    if number == known:
        return known
    row = mode_row(events.modes, number)
    key, block, places = as_doubles(row.key), as_doubles(events.block), as_words(events.key_places)
    for i in range(events.key_count):
        key[i] = block[places[i]]
    for n in range(events.offer_count):
        offer = _offer_row(events.offers, n)
        if offer.family == family and _is_offered(events, offer, key):
            if offer.transition == at.REQUIRED:
                _require(row, offer)
            else:
                _take_up(row, offer)
    record = _as_claim(row.claim)
    record.transitions, record.invariants = row.transitions, row.invariants
    as_certificate(row.certificate).count = row.guards + row.invariants
    row.family, row.ready = family, Readiness.READY
    as_excursion(events.excursion).claimed += 1
    return number


@called
def count_step(frame: StepFrame, row: Any) -> None:
    """A step was taken in a claimed mode: one that lasts asks for programs of its own."""
    known = _as_claim(row.claim)
    known.steps += 1
    if known.steps >= known.most:
        as_asking(frame.stop + WORD).asked = 1
