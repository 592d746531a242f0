"""Simulate a system: from its start to a time, at machine speed."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import Any

from detent.errors import SimulationError, ValueProblem
from detent.hybrid.automaton import Automaton
from detent.model.system import System
from detent.results.run import Run
from detent.simulation.options import Options, as_number
from detent.simulation.progress import Progress
from detent.simulation.simulation import Simulation


def simulate(
    model: System | Automaton,
    until: float,
    *,
    options: Options | None = None,
    script: Callable[[Simulation, float], None] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    check: bool = True,
    progress: bool | None = None,
    **changes: Any,
) -> Run:
    """Integrate the equations of motion of a system, or of an automaton's modes, from t = 0 to ``until`` (s).

    How that is done is said by the options of a run, :class:`detent.Options`: as ``options``, or by their names, such
    as ``start``, ``parameters``, ``rtol`` or ``formulation``.

    ``script``, a function of the :class:`Simulation` and ``until``, may advance, constrain and release it, or add to
    its automaton. ``checkpoint`` names a file for where the run stands at its end (:func:`detent.resume`). A run that
    cannot go on raises :class:`SimulationError`, whose ``run`` holds what there is; ``check=False`` returns that run
    instead. Where a run is stiff or its energy balance bad, a :class:`DetentWarning` says so; the text is also in
    ``remarks``. ``progress`` shows a bar, or none, wherever it runs.

    >>> import detent
    >>> system = detent.System("falling stone")
    >>> height = system.coordinates("height")
    >>> stone = system.particle("stone", system.origin.offset("stone", height*system.ground.y), mass=2)
    >>> system.gravity(-9.81*system.ground.y)
    >>> run = detent.simulate(system, until=2)
    >>> round(run.final.height, 9)
    -19.62
    """
    end = _checked_end(until)
    if script is not None and not callable(script):
        raise ValueProblem(f"script is {script!r}; give a function of the simulation and the time at which it ends")
    chosen = Options.of(options, changes).with_times_up_to(end)
    return run_to(Simulation(model, options=chosen), end, script, checkpoint, check, progress)


def run_to(
    simulation: Simulation, end: float, script: Callable[[Simulation, float], None] | None = None,
    checkpoint: str | os.PathLike[str] | None = None, check: bool = True, progress: bool | None = None,
) -> Run:  # fmt: skip
    """Have a simulation go on to a time, by its script if it has one, and give what it did."""
    try:
        with Progress(end, progress) as simulation._loop.intake.progress:
            if script is not None:
                script(simulation, end)
            simulation.advance(max(end, simulation.time))
    except SimulationError as error:
        if checkpoint is not None and simulation.can_go_on:
            simulation.checkpoint(checkpoint)
        if check or error.run is None:
            raise
        return simulation.result(end)
    if checkpoint is not None:
        simulation.checkpoint(checkpoint)
    run = simulation.result(end)
    for remark in run.remarks:
        simulation._context.remarks.warn(remark)
    return run


def _checked_end(until: Any) -> float:
    end = as_number(until)
    if not (math.isfinite(end) and end >= 0.0):
        raise ValueProblem(f"the run is to end at t = {until!r}; give a finite time, zero or later")
    return end
