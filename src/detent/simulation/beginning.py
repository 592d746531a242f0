"""Where a simulation begins: its first constraints, and a state that satisfies them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from detent.errors import DetentError, UnknownNameError
from detent.hybrid.automaton import Automaton
from detent.hybrid.mode import HybridMode
from detent.model.constraint import Constraint, holonomic
from detent.model.system import System
from detent.simulation.automaton_run import AutomatonRun
from detent.simulation.consistency import StartSearch

if TYPE_CHECKING:
    from detent.simulation.simulation import Simulation


def first_constraints(
    system: System, first: HybridMode | None, names: Sequence[str] | None, mode: object
) -> list[Constraint]:
    """The constraints that are active at the start; with an automaton, those of its first mode."""
    if first is not None:
        if names is not None:
            raise DetentError("with an automaton the mode says what constraints are active; leave constraints out")
        return list(first.constraints)
    if mode is not None:
        raise DetentError("a system has no modes to start in; give an automaton, or constraints=[...]")
    declared = system.constraints
    chosen = system.active_at_start if names is None else [names] if isinstance(names, str) else names
    for name in chosen:
        if name not in declared:
            raise UnknownNameError(name, declared, what="constraint")
    return [declared[name] for name in chosen]


def check_spoken(spoken: Mapping[str, str], known: Iterable[Constraint]) -> None:
    """That loads speak of the reactions of rows that exist: any other would be zero for ever."""
    rows = [row.name for constraint in known for row in constraint.rows] if spoken else []
    for row, load in spoken.items():
        if row not in rows:
            raise UnknownNameError(row, sorted(rows), what=f"row of a constraint with a reaction (load '{load}')")


def declared_constraints(system: System, automaton: Automaton | None) -> set[Constraint]:
    """The constraints that a system and its automaton declare."""
    own = [] if automaton is None else [c for mode in list(automaton.modes.values()) for c in mode.constraints]
    return {*system.constraints.values(), *own}


def named_constraint(system: System, constraint: Constraint | str, expression: Any) -> Constraint:
    """A constraint as it is, by its name, or first written down now."""
    if isinstance(constraint, Constraint):
        return constraint
    if not isinstance(constraint, str):
        raise DetentError(f"found {constraint!r} where a constraint or its name was expected")
    if expression is not None:
        return holonomic(constraint, expression)
    if constraint not in system.constraints:
        raise UnknownNameError(constraint, system.constraints, what="constraint")
    return system.constraints[constraint]


def first_state(simulation: Simulation, states: dict[str, float]) -> np.ndarray:
    """The start values as a state, quaternions at length one."""
    layout = simulation.compiled.layout
    state = np.array([*(states[name] for name in layout.names[:-1]), 0.0])
    for parts in simulation.system.quaternions:
        columns = [layout.column(part.name) for part in parts]
        state[columns] /= np.linalg.norm(state[columns])
    return state


def consistent_start(
    simulation: Simulation, constraints: Sequence[Constraint], state: np.ndarray, given: set[str]
) -> tuple[np.ndarray, list[str]]:
    """The nearest state that satisfies the constraints, and the given start values that had to change."""
    active, layout = simulation.workshop.prepare(list(constraints)), simulation.compiled.layout
    values = simulation.values.vector
    places = [layout.column(name) for name in given if name in layout.names]
    sizes = (len(layout.coordinates), len(layout.speeds), len(layout.signals))
    names = [row.name for row in active.rows]
    search = StartSearch(lambda x: active.at(0.0, x, values), sizes, places, names)
    found = search.find(state)
    moved = [layout.names[i] for i in places if abs(found[i] - state[i]) > 1e-9 * (1.0 + abs(state[i]))]
    return found, sorted(moved)


def follow(simulation: Simulation, automaton: Automaton | None, mode: str | HybridMode | None) -> AutomatonRun | None:
    """Follow an automaton from a mode on, or from its first; None where there is no automaton."""
    if automaton is None:
        return None
    first = automaton.first(mode)
    automaton.check(first)
    automaton.followers.add(simulation.solver)
    vector = simulation.values.vector
    switches = [float(load in first.loads) for load in automaton.system.switched_loads]
    vector[len(vector) - len(switches) :] = switches
    return AutomatonRun(simulation, automaton, first)
