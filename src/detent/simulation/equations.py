"""The equations of a mode, by name."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import sympy

from detent.dynamics.embedded_equations import EmbeddedEquations
from detent.dynamics.equations import Equations
from detent.dynamics.multiplier_equations import MultiplierEquations
from detent.dynamics.shown_equations import ShownEquations
from detent.errors import UnknownNameError
from detent.hybrid.automaton import Automaton
from detent.hybrid.mode import Mode
from detent.hybrid.status_automaton import StatusAutomaton, automaton_of_contacts
from detent.model.constraint import FREE
from detent.model.contact import ContactStatus
from detent.model.quantity import Rate, Speed
from detent.model.system import System
from detent.simulation.simulation import Simulation


def equations(system: Any, mode: str | Sequence[str] | None = None, limit: int = 200) -> ShownEquations:
    """Kane's equations of a system, an example or a simulation, in one of its modes.

    ``mode`` names constraints (``"loop"``, ``"loop + brake"``, a sequence of names), or is ``"free"``; of an automaton
    it is one of its modes. Contacts that are closed are named with what they do: ``"box|floor: slip"``, after the mode
    of the automaton or the constraints that hold, if there are any. If not given, it is the mode in which the system
    starts or the simulation stands. The dependent speeds are those that would be chosen there. Where a constraint is
    not linear in the speeds none can be eliminated: reactions stand in the equations then, as multipliers.

    >>> import detent
    >>> print(detent.equations(detent.example("pendulum")).text().splitlines()[0])
    pendulum: Kane's equations
    """
    if isinstance(system, Simulation):
        simulation = system
        if mode is None:
            return _of_simulation(simulation, limit)
        system = simulation.system
    model: System = getattr(system, "system", system)
    automaton = system if isinstance(system, Automaton) else getattr(system, "automaton", None)
    statuses = automaton_of_contacts(automaton or model)
    if statuses is not None and isinstance(mode, str) and ": " in mode:
        return _of_mode(automaton or model, _contact_mode(statuses, mode), limit)
    if automaton is not None:
        name = mode if mode is None or isinstance(mode, str) else " + ".join(mode)
        return _of_mode(automaton, automaton.first(name), limit)
    if mode is None:
        names: Sequence[str] = model.active_at_start
    elif isinstance(mode, str):
        names = [] if mode == FREE else [part.strip() for part in mode.split("+")]
    else:
        names = mode
    for name in names:
        if name not in model.constraints:
            raise UnknownNameError(name, [FREE, *model.constraints], what="mode")
    if not names:
        return Equations(model, limit)
    chosen = tuple(model.constraints[name] for name in names)
    if any(is_bent(row.expression) for constraint in chosen for row in constraint.rows):
        return MultiplierEquations(model, chosen, limit)
    return _of_simulation(Simulation(model, constraints=names, embedding="numeric"), limit)


def _contact_mode(statuses: StatusAutomaton, name: str) -> Mode:
    """The mode in which some contacts are closed, by its name."""
    family, told = statuses.split_name(name)
    first, *_ = told.split(", ")
    if ": " not in first:
        names = [statuses.family_name(each) or FREE for each in statuses.families]
        raise UnknownNameError(first, names, what="mode")
    key = [float(ContactStatus.OPEN) if statuses.counts(family, p.contact) else -1.0 for p in statuses.places]
    key += [0.0] * (len(statuses.turns) + len(statuses.pairs))
    known = {
        f"{place.name}: {place.word(status, turning)}": (place, float(status), turning)
        for place in statuses.places
        for status in (ContactStatus.SLIP, ContactStatus.STICK)
        for turning in itertools.product(*(turn.does for turn in place.turns))
    }
    for words in told.split(", "):
        if words not in known:
            raise UnknownNameError(words, list(known), what="status of a contact")
        place, status, turning = known[words]
        key[place.total] = status
        for turn, turns in zip(place.turns, turning, strict=True):
            key[len(statuses.places) + statuses.turns.index((place, turn))] = turns
    return statuses.member(family, (*key, 0.0))


def _of_mode(model: Any, mode: Mode, limit: int) -> ShownEquations:
    """The equations of a mode, with the dependent speeds that would be chosen at the start, or near it."""
    system: System = getattr(model, "system", model)
    if not mode.constraints:
        return Equations(system, limit, mode.loads)
    if any(is_bent(row.expression) for constraint in mode.constraints for row in constraint.rows):
        return MultiplierEquations(system, mode.constraints, limit, mode.loads)
    simulation = Simulation(model, embedding="numeric")
    context = simulation._context
    state, layout = context.solver.state, context.compiled.layout
    active = context.workshop.prepare(list(mode.constraints))
    for number in range(len(layout.coordinates)):  # away from special configurations, where rows say the same
        state[number] += 0.1 * (number + 1) if abs(state[number]) < 1e-9 else 0.0
    numbers = active.at(0.0, state, context.values.vector)
    chosen = numbers.partition()
    return EmbeddedEquations(
        system=system,
        constraints=mode.constraints,
        dependent=tuple(layout.speeds[r] for r in chosen.dependent),
        rows=tuple(active.rows[r].name for r in chosen.rows),
        limit=limit,
        acting=mode.loads,
    )


def _of_simulation(simulation: Simulation, limit: int) -> ShownEquations:
    running, names = simulation._standing.mode.running, simulation._context.compiled.layout.speeds
    acting = simulation._director.loads
    if not running.active.rows:
        return Equations(simulation.system, limit, acting)
    if running.active.bent:
        return MultiplierEquations(simulation.system, running.active.constraints, limit, acting)
    return EmbeddedEquations(
        system=simulation.system,
        constraints=running.active.constraints,
        dependent=tuple(names[r] for r in running.partition.dependent),
        rows=tuple(running.active.rows[r].name for r in running.partition.rows),
        limit=limit,
        acting=acting,
    )


def is_bent(expression: Any) -> bool:
    """Whether an expression is not linear in the speeds.

    >>> import detent
    >>> x, y = detent.System("bead").coordinates("x", "y")
    >>> is_bent(x*x.rate + y), is_bent(x.rate*y.rate)
    (False, True)
    """
    plain = {s: sympy.Dummy() for s in sympy.sympify(expression).free_symbols if isinstance(s, (Rate, Speed))}
    known = sympy.sympify(expression).xreplace(plain)
    return any(known.diff(speed).free_symbols & {*plain.values()} for speed in plain.values())
