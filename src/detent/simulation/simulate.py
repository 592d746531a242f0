"""Simulate a system: from its start to a time, at machine speed."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from detent.errors import SimulationError, ValueProblem
from detent.formulation.compiled import Embedding
from detent.formulation.registry import Choice as FormulationChoice
from detent.hybrid.automaton import Automaton
from detent.model.system import System
from detent.results.run import Run
from detent.simulation.building import Modes
from detent.simulation.keeping import Keep
from detent.simulation.progress import Progress
from detent.simulation.simulation import Simulation


def simulate(
    model: System | Automaton,
    until: float,
    *,
    start: Mapping[Any, Any] | None = None,
    parameters: Mapping[Any, Any] | None = None,
    inputs: Mapping[Any, Any] | None = None,
    constraints: Sequence[str] | None = None,
    mode: str | None = None,
    script: Callable[[Simulation, float], None] | None = None,
    method: str = "dop853",
    rtol: float = 1e-9,
    atol: float | None = None,
    step: float | None = None,
    times: Any = None,
    keep: Keep = "everything",
    most_bytes: float | None = None,
    embedding: Embedding = "symbolic",
    formulation: str | FormulationChoice = "embedded",
    modes: Modes | None = None,
    most_steps: int | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    check: bool = True,
    progress: bool | None = None,
    name: str | None = None,
) -> Run:
    """Integrate the equations of motion of a system, or of an automaton's modes, from t = 0 to ``until`` (s).

    ``start``, ``parameters`` and ``inputs`` replace the model's own values, by name or by symbol. ``method`` is
    ``dop853`` or ``dopri5`` (adaptive, with tolerances ``rtol`` and ``atol``, the latter ``rtol/100`` if not given;
    ``step`` is then the largest step) or ``rk4`` (fixed ``step``).

    ``keep`` says how much of its past the run keeps: ``"everything"``, ``"events"`` with the states before and after
    each, or a number, the last so many seconds; ``times`` keeps the states at these times only. A run that keeps
    everything stops after ``most_steps`` (two million), and any run where it keeps ``most_bytes`` (2**30).

    ``constraints`` names those of the system's constraints that are active at the start, if not all that it declares as
    active; ``mode`` the mode in which an automaton starts, if not its first. ``script``, a function of the
    :class:`Simulation` and ``until``, may advance, constrain and release it, or add to its automaton.

    ``embedding``: ``symbolic`` solves for u' in generated code, ``numeric`` in the kernel, ``live`` in the kernel until
    generated code is there. ``formulation``: ``embedded`` eliminates dependent speeds, ``multipliers`` solves for the
    reactions beside all accelerations (:class:`detent.Multipliers` takes other gains). ``modes`` says when the modes of
    an automaton are built: ``lazy`` when they are first entered, ``ahead`` also in the background (the default in live
    runs), ``all`` before the start.
    ``checkpoint`` names a file for where the run stands at its end (:func:`detent.resume`). A run that cannot go
    on raises :class:`SimulationError`, whose ``run`` holds what there is; ``check=False`` returns that run instead.
    Where a run is stiff or its energy balance bad, a :class:`DetentWarning` says so; the text is also in ``remarks``.

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
    asked = _checked_times(times, end)
    _check_numbers(rtol=rtol, atol=atol, step=step)
    simulation = Simulation(
        model, start=start, parameters=parameters, inputs=inputs, constraints=constraints, mode=mode, method=method,
        rtol=rtol, atol=atol, step=step, times=asked, keep=keep, most_bytes=most_bytes, embedding=embedding,
        formulation=formulation, modes=modes,
        most_steps=most_steps, name=name,
    )  # fmt: skip
    return run_to(simulation, end, script, checkpoint, check, progress)


def run_to(
    simulation: Simulation, end: float, script: Callable[[Simulation, float], None] | None = None,
    checkpoint: str | os.PathLike[str] | None = None, check: bool = True, progress: bool | None = None,
) -> Run:  # fmt: skip
    """Have a simulation go on to a time, by its script if it has one, and give what it did."""
    try:
        with Progress(end, progress) as simulation.progress:
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
        simulation.remarks.warn(remark)
    return run


def _checked_end(until: Any) -> float:
    end = _as_number(until)
    if not (math.isfinite(end) and end >= 0.0):
        raise ValueProblem(f"the run is to end at t = {until!r}; give a finite time, zero or later")
    return end


def _as_number(value: Any) -> float:
    """The value as a float; NaN if it is no number, which every check refuses."""
    try:
        return math.nan if isinstance(value, str) else float(value)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _checked_times(times: Any, end: float) -> np.ndarray | None:
    if times is None:
        return None
    try:
        asked = np.atleast_1d(np.asarray(times, float))
    except (TypeError, ValueError):
        asked = np.full(1, np.nan)
    if asked.ndim != 1 or not np.isfinite(asked).all() or (np.diff(asked) <= 0).any() or len(asked) == 0:
        raise ValueProblem("times must be finite numbers in increasing order; sort them and remove doubles")
    if asked[0] < 0 or asked[-1] > end:
        first, last = float(asked[0]), float(asked[-1])
        raise ValueProblem(f"times go from {first!r} to {last!r}; they must lie between 0 and until = {end!r}")
    return asked


def _check_numbers(**settings: Any) -> None:
    """That settings are numbers at all; what numbers they may be is for the method to say."""
    for name, value in settings.items():
        if value is not None and np.ndim(value) == 0 and math.isnan(_as_number(value)):
            raise ValueProblem(f"{name} is {value!r}; give a number greater than zero")
