"""The equations of a mode, by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from detent.dynamics.embedded_equations import EmbeddedEquations
from detent.dynamics.equations import Equations
from detent.dynamics.partition import choose_partition
from detent.errors import UnknownNameError
from detent.hybrid.automaton import Automaton
from detent.hybrid.mode import Mode
from detent.model.system import System
from detent.simulation.running_mode import FREE
from detent.simulation.simulation import Simulation


def equations(system: Any, mode: str | Sequence[str] | None = None, limit: int = 200) -> Equations | EmbeddedEquations:
    """Kane's equations of a system, an example or a simulation, in one of its modes.

    ``mode`` names constraints (``"loop"``, ``"loop + brake"``, a sequence of names), or is ``"free"``; of an automaton
    it is one of its modes. If not given, it is the mode in which the system starts or the simulation stands. The
    dependent speeds are those that would be chosen there.

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
    return _of_simulation(Simulation(model, constraints=names, embedding="numeric"), limit)


def _of_mode(automaton: Automaton, mode: Mode, limit: int) -> Equations | EmbeddedEquations:
    """The equations of a mode, with the dependent speeds that would be chosen at the start, or near it."""
    if not mode.constraints:
        return Equations(automaton.system, limit, mode.loads)
    simulation = Simulation(automaton, embedding="numeric")
    context = simulation._context
    state, layout = context.solver.state, context.compiled.layout
    active = context.workshop.prepare(list(mode.constraints))
    for number in range(len(layout.coordinates)):  # away from special configurations, where rows say the same
        state[number] += 0.1 * (number + 1) if abs(state[number]) < 1e-9 else 0.0
    numbers = active.at(0.0, state, context.values.vector)
    chosen = choose_partition(numbers.B, numbers.C)
    return EmbeddedEquations(
        system=automaton.system,
        constraints=mode.constraints,
        dependent=tuple(layout.speeds[r] for r in chosen.dependent),
        rows=tuple(active.rows[r].name for r in chosen.rows),
        limit=limit,
        acting=mode.loads,
    )


def _of_simulation(simulation: Simulation, limit: int) -> Equations | EmbeddedEquations:
    running, names = simulation._standing.mode.running, simulation._context.compiled.layout.speeds
    acting = simulation._director.loads
    if not running.active.rows:
        return Equations(simulation.system, limit, acting)
    return EmbeddedEquations(
        system=simulation.system,
        constraints=running.active.constraints,
        dependent=tuple(names[r] for r in running.partition.dependent),
        rows=tuple(running.active.rows[r].name for r in running.partition.rows),
        limit=limit,
        acting=acting,
    )
