"""Where a simulation begins: its first constraints, and a state that satisfies them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from detent.errors import DetentError, UnknownNameError
from detent.model.constraint import Constraint, holonomic
from detent.simulation.consistency import StartSearch

if TYPE_CHECKING:
    from detent.hybrid.automaton import Automaton
    from detent.model.system import System
    from detent.simulation.context import Context


def check_named_reactions(spoken: Mapping[str, str], known: Iterable[Constraint]) -> None:
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


def first_state(context: Context) -> np.ndarray:
    """The start values as a state, quaternions at length one, nearest points where they are."""
    layout = context.compiled.layout
    state = np.array([*(context.states[name] for name in layout.names[:-1]), 0.0])
    for parts in context.system.quaternions:
        columns = [layout.column(part.name) for part in parts]
        state[columns] /= np.linalg.norm(state[columns])
    if context.compiled.following is not None:
        from detent.simulation.nearest_start import nearest_points  # only contacts follow points

        nearest_points(context, state, context.given)
    return state


def consistent_start(
    context: Context, constraints: Sequence[Constraint], state: np.ndarray
) -> tuple[np.ndarray, list[str]]:
    """The nearest state that satisfies the constraints, and the given start values that had to change."""
    active, layout, values = context.workshop.prepare(constraints), context.compiled.layout, context.values.vector
    places = [layout.column(name) for name in context.given if name in layout.names]
    search = StartSearch(lambda x: active.at(0.0, x, values), context.workshop.sizes, places, list(active.names))
    found = search.find(state)
    moved = [layout.names[i] for i in places if abs(found[i] - state[i]) > 1e-9 * (1.0 + abs(state[i]))]
    return found, sorted(moved)
