"""In which mode a run starts: where there are contacts, that of what they do at its start."""

from __future__ import annotations

import numpy as np

from detent.contact_solves.settle_frame import Reason
from detent.errors import DetentError
from detent.formulation.running import Instant
from detent.hybrid.mode import Mode
from detent.hybrid.status_automaton import FREE, StatusAutomaton
from detent.jit.calling import call_once
from detent.model.contact import ContactStatus
from detent.simulation.beginning import first_state
from detent.simulation.contact_words import why_not_settled
from detent.simulation.context import Context
from detent.simulation.mode_plan import Plans


def first_mode(context: Context, plans: Plans, saved: str | None = None) -> Mode:
    """The mode in which a run starts; ``saved`` is the one in which it goes on from a checkpoint."""
    automaton, wanted = context.automaton, context.options.mode
    assert automaton is not None
    if not isinstance(automaton, StatusAutomaton):
        return automaton.first(wanted)
    if saved is not None:
        return automaton.modes[saved]
    if automaton.declared is not None:
        declared = automaton.declared.first(wanted)
        automaton.declared.check(declared)
        return _settled(context, plans, automaton, declared.name)
    if wanted is not None:
        raise DetentError(f"found mode={wanted!r}; contacts say in which mode a run starts: leave it out")
    return _settled(context, plans, automaton, FREE)


def _settled(context: Context, plans: Plans, automaton: StatusAutomaton, family: str) -> Mode:
    """The mode of what contacts do at the start values; speeds change where shapes collide there."""
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
    out = np.zeros(len(state) + len(names) + 1)
    status = call_once(settling.cell(Reason.BEGINS, -1), 0.0, state, values.vector, out)
    if status != 0:
        told = why_not_settled(automaton, settling, status)
        raise DetentError(f"at the start, {told or f'the contacts cannot be settled (status {status})'}")
    discrete[: len(names)] = out[len(state) : -1]
    for name, before, after in zip(context.compiled.layout.names[:-1], state, out, strict=False):
        if before != after:
            context.states[name] = float(after)
    return automaton.member(family, tuple(float(discrete[place]) for place in automaton.key))
