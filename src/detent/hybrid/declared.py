"""Which automaton a user wrote down, where contacts have made another of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from detent.hybrid.automaton import Automaton
    from detent.hybrid.status_automaton import StatusAutomaton


def as_statuses(automaton: Automaton | None) -> StatusAutomaton | None:
    """An automaton as that of contacts; None where it is another one. What contacts need is loaded only for them."""
    if automaton is None or not automaton.grows:
        return None
    from detent.hybrid.status_automaton import StatusAutomaton

    return automaton if isinstance(automaton, StatusAutomaton) else None


def as_declared(automaton: Automaton | None) -> Automaton | None:
    """The automaton that was declared; None where there is none, or contacts alone make one."""
    statuses = as_statuses(automaton)
    return automaton if statuses is None else statuses.declared
