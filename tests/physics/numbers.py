"""The numbers that a system's equations give at a state."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from detent import System
from detent.dynamics.equations_of_motion import EquationsOfMotion
from detent.expr.evaluate import evaluate_nodes
from detent.expr.graph import Node
from detent.model.validation import checked_values


def random_state(system: System, random: np.random.Generator) -> dict[str, float]:
    """A state with every value between -1 and 1, quaternions of length one, and a time, by name."""
    names = [symbol.name for symbol in (*system.coordinate_list, *system.all_speeds(), *system.signal_rates)]
    state = {name: random.uniform(-1, 1) for name in names}
    for parts in system.quaternions:
        unit = random.normal(size=4)
        unit /= np.linalg.norm(unit)
        state.update({part.name: float(value) for part, value in zip(parts, unit, strict=True)})
    return {"t": random.uniform(0, 2), **state}


def values_of(system: System, state: Mapping[str, float]) -> dict[str, float]:
    """The values of all leaves: parameters at their own, states as given."""
    parameters, _ = checked_values(system)
    return {**parameters, **state}


def numbers(equations: EquationsOfMotion, nodes: list[Node], state: Mapping[str, float]) -> NDArray[np.float64]:
    """Some nodes of a system's equations, evaluated plainly."""
    return np.array(evaluate_nodes(nodes, values_of(equations.system, state)))


def mass_and_forcing(
    system: System, state: Mapping[str, float]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """M, f and u' at a state."""
    equations = EquationsOfMotion(system)
    size = len(equations.quantities.speeds)
    mass = numbers(equations, [value for row in equations.mass_matrix for value in row], state)
    forcing = numbers(equations, equations.forcing, state)
    return mass.reshape(size, size), forcing, numbers(equations, equations.accelerations, state)
