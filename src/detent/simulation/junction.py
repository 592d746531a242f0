"""Where a run goes on with other contacts: what it hands over, and what contacts do there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, final

import numpy as np

from detent.contact_solves.settle_frame import Reason
from detent.errors import DetentError
from detent.formulation.running import Instant
from detent.hybrid.mode import Mode
from detent.hybrid.status_automaton import StatusAutomaton
from detent.jit.calling import call_once
from detent.model.constraint import FREE
from detent.model.contact import Contact, ContactStatus
from detent.results.event import Event
from detent.simulation.contact_overlaps import overlap_words
from detent.simulation.contact_words import why_not_settled
from detent.simulation.context import Context
from detent.simulation.imposing import imposed
from detent.simulation.mode_plan import Plans
from detent.simulation.nearest_start import nearest_points
from detent.simulation.standing import Standing

LAST_ERROR: Final = 1e-4
"""What the control of steps begins with after an event."""


@final
@dataclass(frozen=True, eq=False)
class Junction:
    """An instant at which a run goes on with other contacts."""

    cause: str
    reason: Reason
    strikes: bool
    """Whether a constraint is imposed there."""
    time: float
    state: np.ndarray
    names: tuple[str, ...]
    """Of what is in the state; the next stretch may follow other nearest points."""
    values: dict[str, float]
    """Parameters, inputs, discrete states and loads that act, by name."""
    mode: str
    family: str
    signs: dict[str, int]
    """Where the guards of declared transitions stand."""
    next_step: float
    next_change: float

    @property
    def clock(self) -> list[float]:
        """The pace of steps from here on, as after any event."""
        return [self.next_step, LAST_ERROR, self.time, 0.0]


def junction_of(
    context: Context, standing: Standing, signs: dict[str, int], cause: str, reason: Reason, strikes: bool
) -> Junction:
    """Where a run stands that goes on with other contacts."""
    instant, declared = context.instant, standing.mode.declared
    clock, _ = context.solver.pace
    return Junction(
        cause=cause,
        reason=reason,
        strikes=strikes,
        time=instant.time,
        state=instant.state,
        names=context.compiled.layout.names,
        values=dict(zip(context.compiled.value_names, instant.values.tolist(), strict=True)),
        mode=standing.mode.name,
        family=FREE if declared is None else declared.family or declared.name,
        signs=signs,
        next_step=clock[0],
        next_change=standing.next_change,
    )


def mode_after(context: Context, plans: Plans, automaton: StatusAutomaton, junction: Junction) -> tuple[Mode, Junction]:
    """The mode in which a run goes on, and the junction with the state after all that happens there."""
    vector, first = context.values.vector, context.values.first_discrete
    names = context.compiled.value_names
    vector[:] = [junction.values.get(name, 0.0) for name in names]
    new: dict[str, Contact] = {}
    for place in automaton.places:
        number = names.index(place.status.name)
        was_off = place.status.name not in junction.values or vector[number] < ContactStatus.OPEN
        if not automaton.counts(junction.family, place.contact):
            vector[number] = ContactStatus.OFF
        elif was_off:
            vector[number] = ContactStatus.OPEN
            new[place.contact.name] = place.contact
    junction = _with_state_of(context, junction)
    told = overlap_words(context.compiled, new.values(), Instant(junction.time, junction.state, vector))
    if told is not None:
        raise DetentError(_refusal(junction, told))
    before = context.energy(Instant(junction.time, junction.state, vector))
    state = _struck(context, automaton, junction) if junction.strikes else junction.state
    state, discrete = _settled(context, plans, automaton, replace(junction, state=state))
    vector[first : first + len(discrete)] = discrete
    state[-1] = junction.state[-1] + context.energy(Instant(junction.time, state, vector)) - before
    mode = automaton.member(junction.family, tuple(float(discrete[place]) for place in automaton.key))
    return mode, replace(junction, state=state)


def _refusal(junction: Junction, told: str) -> str:
    """Why a run does not go on there, with its cause; a contact that is the cause, and is told of, is named once."""
    kind, _, name = junction.cause.partition(" ")
    is_told = kind == "contact" and told.startswith((f"contact '{name}'", f"contact '{name} "))
    return f"at t = {junction.time:.9g}, {told if is_told else f'{junction.cause}: {told}'}"


def _with_state_of(context: Context, junction: Junction) -> Junction:
    """The junction with the state as it is from here on: with the nearest points that are followed then."""
    names, known = context.compiled.layout.names, dict(zip(junction.names, junction.state.tolist(), strict=True))
    state = np.array([known.get(name, 0.0) for name in names])
    try:
        nearest_points(context, state, known, junction.time)
    except DetentError as error:
        raise DetentError(f"at t = {junction.time:.9g}, {junction.cause}: {error}") from error
    return replace(junction, state=state, names=names)


def _struck(context: Context, automaton: StatusAutomaton, junction: Junction) -> np.ndarray:
    """The state after the impact against the constraints that hold from here on, and the contacts that hold."""
    vector, first = context.values.vector, context.values.first_discrete
    key = [vector[first + place] for place in automaton.key]
    closed = [c for place, status in zip(automaton.places, key, strict=False) if (c := place.constraint(status))]
    active = context.workshop.prepare([*automaton.held(junction.family), *closed])
    return imposed(context.workshop, active, junction.time, junction.state, vector).state


def _settled(
    context: Context, plans: Plans, automaton: StatusAutomaton, junction: Junction
) -> tuple[np.ndarray, np.ndarray]:
    """The state and the discrete states after contacts were settled."""
    assert plans.contacts is not None
    vector, first = context.values.vector, context.values.first_discrete
    names = [symbol.name for symbol in context.system.discrete_states]
    zones = plans.contacts.zones(Instant(junction.time, junction.state, vector))
    for (_, zone), holds in zip(automaton.zones, zones, strict=True):
        if zone.name not in junction.values:
            vector[first + names.index(zone.name)] = holds
    settling = plans.contacts.settling(junction.family, plans.impulses)
    out = np.zeros(len(junction.state) + len(names) + 1)
    status = call_once(settling.cell(junction.reason, -1), junction.time, junction.state, vector, out)
    if status != 0:
        told = why_not_settled(automaton, junction.family, settling, status)
        told = told or f"the contacts cannot be settled (status {status})"
        raise DetentError(_refusal(junction, told))
    return out[: len(junction.state)].copy(), out[len(junction.state) : -1].copy()


def event_of(junction: Junction, automaton: StatusAutomaton, mode: Mode, taken: float) -> Event:
    """What happened there; ``taken`` is the energy that went or came."""
    names = [symbol.name for symbol in automaton.system.discrete_states]
    before = tuple(max(0.0, junction.values.get(names[number], 0.0)) for number in automaton.key)
    changes = automaton.changes(before, mode.key)
    details: dict[str, float | str] = {"energy": taken} if taken else {}
    return Event(junction.time, "transition", ", ".join([junction.cause, *changes]), junction.mode, mode.name, details)
