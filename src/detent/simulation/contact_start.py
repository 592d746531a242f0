"""In which mode a run starts: where there are contacts, that of what they do at its start."""

from __future__ import annotations

import numpy as np

from detent.contact_solves.settle_frame import Reason
from detent.errors import DetentError
from detent.hybrid.mode import Mode
from detent.hybrid.status_automaton import FREE, StatusAutomaton
from detent.jit.calling import call_once
from detent.simulation.beginning import first_state
from detent.simulation.contact_words import why_not_settled
from detent.simulation.context import Context
from detent.simulation.mode_plan import Plans


def first_mode(context: Context, plans: Plans) -> Mode:
    """The mode in which a run starts."""
    automaton = context.automaton
    assert automaton is not None
    if not isinstance(automaton, StatusAutomaton):
        return automaton.first(context.options.mode)
    assert plans.contacts is not None
    held = tuple(context.system.constraints[name] for name in context.system.active_at_start)
    settling = plans.contacts.with_constraints(held, plans.impulses)
    state, values = first_state(context), context.values
    out = np.zeros(len(state) + len(context.system.discrete_states) + 1)
    status = call_once(settling.cell(Reason.BEGINS, -1), 0.0, state, values.vector, out)
    if status != 0:
        told = why_not_settled(automaton, settling, status)
        raise DetentError(f"at the start, {told or f'the contacts cannot be settled (status {status})'}")
    discrete = out[len(state) : -1]
    values.vector[values.first_discrete : values.first_discrete + len(discrete)] = discrete
    for name, before, after in zip(context.compiled.layout.names[:-1], state, out, strict=False):
        if before != after:
            context.states[name] = float(after)
    return automaton.member(FREE, tuple(float(discrete[place]) for place in automaton.key))


