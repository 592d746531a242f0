"""In which mode a run starts: where there are contacts, that of what they do at its start, and what happens there."""

from __future__ import annotations

import numpy as np

from detent.contact_solves.settle_frame import Reason
from detent.errors import DetentError
from detent.formulation.running import Instant
from detent.hybrid.contact_place import Place
from detent.hybrid.mode import Mode
from detent.hybrid.status_automaton import StatusAutomaton
from detent.jit.calling import call_once
from detent.model.constraint import FREE
from detent.model.contact import ContactStatus
from detent.results.event import Event
from detent.simulation.beginning import first_state
from detent.simulation.contact_overlaps import overlap_words
from detent.simulation.contact_words import why_not_settled
from detent.simulation.context import Context
from detent.simulation.mode_plan import Plans


def first_mode(context: Context, plans: Plans, saved: str | None = None) -> tuple[Mode, list[Event]]:
    """The mode in which a run starts, and what contacts did to come to it.

    ``saved`` is the mode in which it goes on from a checkpoint.
    """
    automaton, wanted = context.automaton, context.options.mode
    assert automaton is not None
    if not isinstance(automaton, StatusAutomaton):
        return automaton.first(wanted), []
    if saved is not None:
        return automaton.modes[saved], []
    if automaton.declared is not None:
        declared = automaton.declared.first(wanted)
        automaton.declared.check(declared)
        return _settled(context, plans, automaton, declared.name)
    if wanted is not None:
        raise DetentError(f"found mode={wanted!r}; contacts say in which mode a run starts: leave it out")
    return _settled(context, plans, automaton, FREE)


def _settled(
    context: Context, plans: Plans, automaton: StatusAutomaton, family: str
) -> tuple[Mode, list[Event]]:  # fmt: skip
    """The mode of what contacts do at the start values; speeds change where shapes collide there, which is told."""
    assert plans.contacts is not None
    settling = plans.contacts.settling(family, plans.impulses)
    state, values = first_state(context), context.values
    discrete = values.vector[values.first_discrete :]
    names = [symbol.name for symbol in context.system.discrete_states]
    for place in automaton.places:
        counts = automaton.counts(family, place.contact)
        discrete[names.index(place.status.name)] = ContactStatus.OPEN if counts else ContactStatus.OFF
    for (_, zone), holds in zip(automaton.zones, plans.contacts.zones(Instant(0.0, state, values.vector)), strict=True):
        discrete[names.index(zone.name)] = holds
    counting = [contact for contact in context.system.contacts.values() if automaton.counts(family, contact)]
    told = overlap_words(context.compiled, counting, Instant(0.0, state, values.vector))
    if told is not None:
        raise DetentError(f"at the start, {told}")
    out = np.zeros(len(state) + len(names) + 1)
    status = call_once(settling.cell(Reason.STARTS, -1), 0.0, state, values.vector, out)
    if status != 0:
        told = why_not_settled(automaton, family, settling, status)
        raise DetentError(f"at the start, {told or f'the contacts cannot be settled (status {status})'}")
    before = context.energy(Instant(0.0, state, values.vector))
    discrete[: len(names)] = out[len(state) : -1]
    gain = context.energy(Instant(0.0, out[: len(state)].copy(), values.vector)) - before
    for name, before, after in zip(context.compiled.layout.names[:-1], state, out, strict=False):
        if before != after:
            context.states[name] = float(after)
    mode = automaton.member(family, tuple(float(discrete[place]) for place in automaton.key))
    return mode, _happened(automaton, plans, mode, gain)


def _happened(automaton: StatusAutomaton, plans: Plans, mode: Mode, gain: float) -> list[Event]:
    """What contacts did at the start, as events: a collision there, and what else is to be told."""
    contacts, impulses = plans.contacts, plans.impulses
    assert contacts is not None
    normals, telling, found = contacts.normals(impulses), contacts.telling(impulses), []
    if normals.any():
        struck = [place for place in automaton.places if normals[place.total] != 0.0]
        states = automaton.states(mode.key)
        words = ", ".join(f"{place.name}: {_did(*states[place.total])}" for place in struck)
        rows = zip(contacts.row_names, impulses.tolist(), strict=False)
        details: dict[str, float | str] = {"energy": gain, **{f"impulse of {row}": P for row, P in rows}}
        if telling.seized:
            words = f"{contacts.seized(telling.place)}, {words}"
            details |= {"coefficient": telling.coefficient, "angle": telling.angle}
        found.append(Event(0.0, "impact", f"at the start, {words}", mode.name, mode.name, details))
    return [*found, *contacts.teller.events(telling, 0.0, normals, None, mode)]


def _did(place: Place, status: float, turning: tuple[float, ...]) -> str:
    """What a place did that struck at the start."""
    return f"open -> {place.word(status, turning)}" if status > ContactStatus.OPEN else "bounce"
