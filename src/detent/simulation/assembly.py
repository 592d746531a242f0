"""Puts a run together from what was recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from detent.integrate.solver import Solver
from detent.results.event import EventLog
from detent.results.remarks import energy_remarks
from detent.results.run import Run
from detent.results.timing import ModeTiming, Timing
from detent.simulation.asked_times import AskedTimes
from detent.simulation.keeping import Keep
from detent.simulation.record import Record, timing_of

if TYPE_CHECKING:
    from detent.simulation.simulation import Simulation


def assembled(
    simulation: Simulation, until: float, record: Record, solver: Solver, wall_seconds: float | None = None
) -> Run:
    """The run so far; ``wall_seconds`` says how long it took, if that is not until now."""
    record.cut(simulation.time)
    record.settle()
    trajectory = record.recorder.trajectory()
    events, account = record.history.events, record.account
    known = len(account)
    first = 0 if isinstance(record.recorder, AskedTimes) else account.upto
    rest = account.worked_out(record.history.segments, trajectory.time[known:], trajectory.state[known:], first)
    columns, reactions, audit = account.columns(rest)
    names = [symbol.name for symbol in simulation.system.discrete_states]
    rtol = simulation.rtol if solver.is_adaptive else None
    energies = [columns["kinetic"], columns["potential"], trajectory.state[:, -1]]
    held = columns.pop("discrete")
    remarks = energy_remarks(audit.energy_balance, audit.energy_scale, energies, rtol, simulation.step)
    return Run(
        name=simulation.name,
        parameters=simulation.parameters,
        start=dict(zip(simulation.compiled.layout.names[:-1], simulation.started.tolist(), strict=False)),
        until=until,
        method=simulation.method,
        rtol=rtol,
        atol=simulation.atol if solver.is_adaptive else None,
        step=simulation.step,
        outcome=simulation.outcome,
        message=simulation.message or _note(record.kept, float(trajectory.time[0]), record.history.events_let_go),
        trajectory=trajectory,
        mode=simulation.mode,
        events=events,
        near_misses=EventLog()
        if simulation.following is None
        else EventLog.of(simulation.following.near_misses.columns),
        **columns,
        reactions=reactions,
        discrete={name: held[:, number] for number, name in enumerate(names)},
        audit=audit,
        remarks=(*simulation.remarks.texts, *remarks),
        timing=_timing(simulation, record, solver, wall_seconds),
    )


def _note(kept: Keep, first: float, events: int) -> str:
    """What a run says that let something go, as it was told to."""
    if kept == "events":
        return "only the states at events were kept (keep='events')"
    if isinstance(kept, str) or (events == 0 and first == 0.0):
        return ""
    return f"kept from t = {first:.9g} on (keep={kept:g}); {events} earlier events were let go"


def _timing(simulation: Simulation, record: Record, solver: Solver, wall_seconds: float | None) -> Timing:
    """The cost of the run; each mode as it was when it was first entered."""
    wall = simulation.clock.wall_seconds if wall_seconds is None else wall_seconds
    names = record.history.segments.names.values()
    modes = tuple(mode if isinstance(mode, ModeTiming) else timing_of(mode, wall) for mode in names)
    counts = (solver.steps, solver.rejected, solver.evaluations)
    return Timing(wall, *counts, modes, simulation.clock.compile_seconds)
