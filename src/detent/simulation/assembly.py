"""Puts a run together from what was recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from detent.integrate.solver import Solver
from detent.results.audit import Audit, audit_energy
from detent.results.event import EventLog
from detent.results.remarks import energy_remarks
from detent.results.run import Run
from detent.results.timing import ModeTiming, Timing
from detent.results.trajectory import Trajectory
from detent.simulation.recorder import Recorder

if TYPE_CHECKING:
    from detent.simulation.simulation import Simulation


def assembled(simulation: Simulation, until: float, recorder: Recorder, solver: Solver) -> Run:
    """The run so far."""
    trajectory, owner = recorder.trajectory()
    energies = np.empty((len(trajectory.time), 2))
    reactions: dict[str, np.ndarray] = {}
    names = [symbol.name for symbol in simulation.system.discrete_states]
    first, held = simulation.values.first_discrete, np.zeros((len(names), len(trajectory.time)))
    position, velocity = _quaternion_residual(simulation, trajectory), 0.0
    for number, segment in enumerate(simulation.history.segments):
        nodes = np.flatnonzero(owner == number)
        if not len(nodes):
            continue
        times, states, values = trajectory.time[nodes], trajectory.state[nodes], segment.values
        held[:, nodes] = values[first : first + len(names), None]
        energies[nodes] = simulation.compiled.observer.over(times, states, values)
        if segment.mode.embedded is not None:
            worst = segment.mode.embedded.whole.residuals(times, states, values)
            position, velocity = max(position, worst[0]), max(velocity, worst[1])
            for name, row in segment.mode.reactions(times, states, values).items():
                reactions.setdefault(name, np.full(len(trajectory.time), np.nan))[nodes] = row
    # A run that stopped where an energy is infinite still has an audit, though not a finite one.
    with np.errstate(invalid="ignore", over="ignore"):
        balance, scale = audit_energy(energies[:, 0], energies[:, 1], trajectory.state[:, -1])
    adaptive = simulation.method != "rk4"
    rtol = simulation.rtol if adaptive else None
    remarks = energy_remarks(balance, scale, [*energies.T, trajectory.state[:, -1]], rtol, simulation.step)
    return Run(
        name=simulation.name,
        parameters=simulation.parameters,
        start=dict(zip(simulation.compiled.layout.names[:-1], simulation.started.tolist(), strict=False)),
        until=until,
        method=simulation.method,
        rtol=rtol,
        atol=simulation.atol if adaptive else None,
        step=simulation.step,
        outcome=simulation.outcome,
        message=simulation.message,
        trajectory=trajectory,
        mode=simulation.mode,
        events=EventLog(tuple(simulation.history.events)),
        kinetic=energies[:, 0],
        potential=energies[:, 1],
        reactions=reactions,
        discrete=dict(zip(names, held, strict=True)),
        audit=Audit(balance, position, velocity, None, scale),
        remarks=(*simulation.remarks.texts, *remarks),
        timing=_timing(simulation, solver),
    )


def _quaternion_residual(simulation: Simulation, trajectory: Trajectory) -> float:
    """How far any quaternion was from length one."""
    worst = 0.0
    for parts in simulation.system.quaternions:
        columns = [simulation.compiled.layout.column(part.name) for part in parts]
        lengths = np.linalg.norm(trajectory.state[:, columns], axis=1)
        worst = max(worst, float(np.max(np.abs(lengths - 1.0))))
    return worst


def _timing(simulation: Simulation, solver: Solver) -> Timing:
    """The cost of the run; each mode as it was when it was first entered."""
    wall = simulation.clock.wall_seconds
    modes: dict[str, ModeTiming] = {}
    for segment in simulation.history.segments:
        mode = segment.mode
        native = None if mode.program is None else mode.program.native_seconds
        ready = wall if mode.ready_seconds is None else mode.ready_seconds
        modes.setdefault(
            mode.name,
            ModeTiming(
                mode.name,
                1e3 * mode.derive_seconds,
                1e3 * ready,
                None if native is None else 1e3 * native,
                mode.prefetched,
            ),
        )
    counts = (solver.steps, solver.rejected, solver.evaluations)
    return Timing(wall, *counts, tuple(modes.values()), simulation.clock.compile_seconds)
