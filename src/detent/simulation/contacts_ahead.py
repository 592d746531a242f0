"""Statuses of contacts that a servo may come to, built before its first step: few closed places before many."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, islice, product
from typing import TYPE_CHECKING, Final

from detent.hybrid.contact_place import Place
from detent.hybrid.status_automaton import StatusAutomaton
from detent.hybrid.status_transitions import closed_statuses
from detent.model.contact import ContactStatus

if TYPE_CHECKING:
    from detent.simulation.automaton_tables import AutomatonTables
    from detent.simulation.prefetch import Prefetcher

MOST_SHARING: Final = 6
"""Of these, modes in which two places share their forces."""
MOST_AHEAD: Final = 48
"""Modes that are built before the first step, at most: some milliseconds each."""


def prepare_statuses(tables: AutomatonTables, prefetcher: Prefetcher, speeds: int, most: int = MOST_AHEAD) -> None:
    """Build the modes of the statuses that are likeliest to be met, in all families, as if they were declared."""
    automaton, plans = tables.automaton, tables.plans
    if not isinstance(automaton, StatusAutomaton):
        return
    for family, key in islice(_statuses(automaton, speeds, False), most):
        tables.meet(automaton.member(family, key))
    sharing = (each for each in _statuses(automaton, speeds, True) if not plans.asks_for_reactions(automaton, each[0]))
    for family, key in islice(sharing, MOST_SHARING):
        tables.meet(automaton.member(family, key))
    tables.refresh()
    prefetcher.prepare_all_now()


def _statuses(automaton: StatusAutomaton, speeds: int, shared: bool) -> Iterator[tuple[str, tuple[float, ...]]]:
    """Families with statuses whose forces can be unique, no more rows than speeds; or, of two places, cannot."""
    for closed in range(2, 3) if shared else range(len(automaton.places) + 1):
        for family in automaton.families:
            free = speeds - sum(len(constraint.rows) for constraint in automaton.held(family))
            counting = [place for place in automaton.places if automaton.counts(family, place.contact)]
            for chosen in filter(_together, combinations(counting, closed)):
                for statuses in product(*(closed_statuses(place) for place in chosen)):
                    if (_rows(automaton, chosen, statuses) > free) is shared:
                        yield family, _key(automaton, family, dict(zip(chosen, statuses, strict=True)), shared)


def _together(places: tuple[Place, ...]) -> bool:
    """Whether places may be closed at the same time: a face that lies flat is the only one of its contact that is."""
    faces = [place.contact for place in places if place.is_face]
    return all(sum(place.contact is contact for place in places) == 1 for contact in faces)


def _rows(automaton: StatusAutomaton, places: tuple[Place, ...], statuses: tuple[ContactStatus, ...]) -> int:
    own = sum(automaton.dimension if status is ContactStatus.STICK else 1 for status in statuses)
    return own + 2 * sum(place.is_face for place in places)


def _key(
    automaton: StatusAutomaton, family: str, closed: dict[Place, ContactStatus], shared: bool
) -> tuple[float, ...]:
    """Statuses as a mode has them: of all places, whether those that resist turning turn, whether forces are shared."""
    idle = [
        ContactStatus.OPEN if automaton.counts(family, place.contact) else ContactStatus.OFF
        for place in automaton.places
    ]
    statuses = [closed.get(place, status) for place, status in zip(automaton.places, idle, strict=True)]
    return (*map(float, statuses), *(0.0 for _ in automaton.turns), float(shared))
