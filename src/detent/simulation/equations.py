"""The equations of a mode, by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from detent.dynamics.embedded_equations import EmbeddedEquations
from detent.dynamics.equations import Equations
from detent.errors import UnknownNameError
from detent.model.system import System
from detent.simulation.mode import FREE
from detent.simulation.simulation import Simulation


def equations(system: Any, mode: str | Sequence[str] | None = None, limit: int = 200) -> Equations | EmbeddedEquations:
    """Kane's equations of a system, an example or a simulation, in one of its modes.

    ``mode`` names constraints (``"loop"``, ``"loop + brake"``, a sequence of names), or is ``"free"``; if not given, it
    is the mode in which the system starts or the simulation stands. The dependent speeds are those that would be
    chosen there.

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


def _of_simulation(simulation: Simulation, limit: int) -> Equations | EmbeddedEquations:
    embedded, names = simulation.current.embedded, simulation.compiled.layout.speeds
    if embedded is None:
        return Equations(simulation.system, limit)
    return EmbeddedEquations(
        system=simulation.system,
        constraints=embedded.active.constraints,
        dependent=tuple(names[r] for r in embedded.partition.dependent),
        rows=tuple(embedded.active.rows[r].name for r in embedded.partition.rows),
        limit=limit,
    )
