"""Simulate a system: from its start to a time, at machine speed."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from detent.errors import Fault, ModelError, SimulationError, ValueProblem
from detent.integrate.solver import Solver
from detent.integrate.status import Status
from detent.model.system import System
from detent.model.validation import checked_values
from detent.results.audit import Audit, audit_energy
from detent.results.event import EventLog
from detent.results.outcome import Outcome
from detent.results.run import Run
from detent.results.timing import ModeTiming, Timing
from detent.results.trajectory import Trajectory
from detent.simulation.compiled import CompiledSystem, Embedding, compile_system
from detent.simulation.diagnosis import explain, singular_message, singular_speeds
from detent.simulation.inputs import RunValues
from detent.simulation.progress import Progress
from detent.simulation.recorder import Recorder

FREE = "free"
"""The name of the mode in which no constraint is active."""

_OUTCOMES = {
    Status.DONE: Outcome.COMPLETED,
    Status.NOT_A_NUMBER: Outcome.NOT_A_NUMBER,
    Status.STEP_TOO_SMALL: Outcome.STEP_TOO_SMALL,
    Status.PROGRAM_STATUS: Outcome.SINGULAR_MASS,
    Status.STOPPED: Outcome.INTERRUPTED,
}


def simulate(
    system: System,
    until: float,
    *,
    start: Mapping[str, Any] | None = None,
    parameters: Mapping[str, Any] | None = None,
    inputs: Mapping[str, Any] | None = None,
    method: str = "dop853",
    rtol: float = 1e-9,
    atol: float | None = None,
    step: float | None = None,
    times: Any = None,
    embedding: Embedding = "symbolic",
    check: bool = True,
    progress: bool | None = None,
    name: str | None = None,
) -> Run:
    """Integrate a system's equations of motion from t = 0 to ``until`` (s).

    ``start``, ``parameters`` and ``inputs`` replace the model's own values, by name. ``method`` is ``dop853`` or
    ``dopri5`` (adaptive, with tolerances ``rtol`` and ``atol``, the latter ``rtol/100`` if not given; ``step`` is then
    the largest step) or ``rk4`` (fixed ``step``). ``times`` keeps the states at these times only. ``embedding``:
    ``symbolic`` solves for u' in the generated code, ``numeric`` in the kernel. A run that cannot go on raises
    :class:`SimulationError`, whose ``run`` holds what there is; ``check=False`` returns that run instead.

    >>> import detent
    >>> system = detent.System("falling stone")
    >>> height = system.coordinates("height")
    >>> stone = system.particle("stone", system.origin.offset("stone", height*system.ground.y), mass=2)
    >>> system.gravity(-9.81*system.ground.y)
    >>> run = detent.simulate(system, until=2)
    >>> round(run.final.height, 9)
    -19.62
    """
    began = time.perf_counter()
    end = _checked_end(until)
    asked = _checked_times(times, end)
    _check_numbers(rtol=rtol, atol=atol, step=step)
    values, states = checked_values(system, parameters, start, inputs)
    shared = compile_system(system, embedding)
    shared.rates.compile_later()
    compiled = shared.for_one_run()
    run_values = RunValues(compiled, values, inputs or {})
    return _Execution(
        compiled, run_values, values, states, end, method, rtol, rtol / 100 if atol is None else atol, step,
        asked, progress, name or system.name, began,
    ).run(check)  # fmt: skip


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


class _Execution:
    """One run from start to end."""

    def __init__(
        self, compiled: CompiledSystem, values: RunValues, parameters: dict[str, float], states: dict[str, float],
        until: float, method: str, rtol: float, atol: float, step: float | None, times: np.ndarray | None,
        progress: bool | None, name: str, began: float,
    ) -> None:  # fmt: skip
        self.compiled, self.values, self.parameters, self.states = compiled, values, parameters, states
        self.until, self.method, self.rtol, self.atol, self.step = until, method, rtol, atol, step
        self.name, self.began = name, began
        self.ready_seconds: float | None = None
        self.solver = Solver(
            compiled.cell, None if compiled.projection is None else compiled.projection.cell,
            width=compiled.layout.width, controlled=compiled.layout.width - 1, values=values.vector,
            method=method, rtol=rtol, atol=atol, step=step,
        )  # fmt: skip
        self.recorder = Recorder(compiled.layout, times)
        self.progress = Progress(until, progress)

    def run(self, check: bool) -> Run:
        state = np.array([*(self.states[name] for name in self.compiled.layout.names[:-1]), 0.0])
        for parts in self.compiled.equations.system.quaternions:
            columns = [self.compiled.layout.column(part.name) for part in parts]
            state[columns] /= np.linalg.norm(state[columns])
        self.values.update(0.0, state)
        self._check_start(state)
        status = self.solver.start(0.0, state)
        self.recorder.begin(0.0, state, self.solver.rate)
        try:
            with self.progress:
                while status is Status.DONE and self.solver.time < self.until:
                    status = self._interval()
        except KeyboardInterrupt:
            status = Status.STOPPED
        outcome, message = _OUTCOMES[status], ""
        if status.failed:
            outcome, message = explain(
                self.compiled, outcome, self.solver.time, self.solver.state, self.values.vector, self.solver.concerned
            )
        elif status is Status.STOPPED:
            message = f"stopped at t = {self.solver.time:.9g} of {self.until:.9g}"
        run = self._result(outcome, message)
        if check and outcome is not Outcome.COMPLETED:
            raise SimulationError(f"'{self.name}' could not go on: {message}", run)
        return run

    def _check_start(self, state: np.ndarray) -> None:
        idle = singular_speeds(self.compiled, 0.0, state, self.values.vector)
        if idle:
            raise ModelError(
                [
                    Fault(
                        f"system '{self.compiled.equations.system.name}'",
                        singular_message(self.compiled, idle),
                        "give those bodies mass or inertia in that direction, or remove the speed",
                    )
                ]
            )

    def _interval(self) -> Status:
        """Go on until an input changes or the end is reached."""
        if self.values.rules and self.solver.time > 0.0:
            self.values.update(self.solver.time, self.solver.state)
            status = self.solver.restart()
            self.recorder.turn(self.solver.rate)
            if status is not Status.DONE:
                return status
        return self.solver.advance(self.values.next_change(self.solver.time, self.until), self._keep)

    def _keep(self, chunk: Any) -> None:
        if self.ready_seconds is None:
            self.ready_seconds = time.perf_counter() - self.began
        self.recorder.keep(chunk)
        self.progress.show(float(chunk.time[-1]))

    def _result(self, outcome: Outcome, message: str) -> Run:
        trajectory = self.recorder.trajectory()
        energies = self.compiled.observer.over(trajectory.time, trajectory.state, self.values.vector)
        # A run that stopped where an energy is infinite still has an audit, though not a finite one.
        with np.errstate(invalid="ignore", over="ignore"):
            balance, scale = audit_energy(energies[:, 0], energies[:, 1], trajectory.state[:, -1])
        adaptive = self.method != "rk4"
        return Run(
            name=self.name,
            parameters=self.parameters,
            start=self.states,
            until=self.until,
            method=self.method,
            rtol=self.rtol if adaptive else None,
            atol=self.atol if adaptive else None,
            step=self.step,
            outcome=outcome,
            message=message,
            trajectory=trajectory,
            mode=FREE,
            events=EventLog(()),
            kinetic=energies[:, 0],
            potential=energies[:, 1],
            audit=Audit(
                energy_balance=balance,
                position_residual=self._quaternion_residual(trajectory),
                velocity_residual=0.0,
                smallest_gap=None,
                energy_scale=scale,
            ),
            timing=self._timing(),
        )

    def _quaternion_residual(self, trajectory: Trajectory) -> float:
        """How far any quaternion was from length one."""
        worst = 0.0
        for parts in self.compiled.equations.system.quaternions:
            columns = [self.compiled.layout.column(part.name) for part in parts]
            lengths = np.linalg.norm(trajectory.state[:, columns], axis=1)
            worst = max(worst, float(np.max(np.abs(lengths - 1.0))))
        return worst

    def _timing(self) -> Timing:
        native = self.compiled.rates.native_seconds
        wall = time.perf_counter() - self.began
        mode = ModeTiming(
            mode=FREE,
            derive_ms=1e3 * self.compiled.derive_seconds,
            ready_ms=1e3 * (wall if self.ready_seconds is None else self.ready_seconds),
            native_ms=None if native is None else 1e3 * native,
        )
        return Timing(
            wall_s=wall,
            steps=self.solver.steps,
            rejected_steps=self.solver.rejected,
            rhs_evaluations=self.solver.evaluations,
            modes=(mode,),
        )
