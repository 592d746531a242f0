"""Puts a run together from what was recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from detent.hybrid.declared import as_declared
from detent.model.units import known_units
from detent.results.remarks import energy_remarks
from detent.results.run import Run
from detent.results.timing import ModeTiming, Timing
from detent.simulation.record import timing_of

if TYPE_CHECKING:
    from detent.hybrid.automaton import Automaton
    from detent.model.system import System
    from detent.simulation.context import Context
    from detent.simulation.director import Director
    from detent.simulation.keeping import Keep
    from detent.simulation.standing import Standing

_WITHIN: Final = (0.25, 0.5, 0.75)
"""Where a step is looked into, in parts of it."""


def assembled(
    context: Context, standing: Standing, director: Director, started: np.ndarray, until: float,
    wall_seconds: float | None = None,
) -> Run:  # fmt: skip
    """The run so far; ``wall_seconds`` says how long it took, if that is not until now."""
    record, solver, options = context.record, context.solver, context.options
    record.cut(context.time)
    record.settle()
    trajectory = record.recorder.trajectory()
    events, account = record.history.events, record.account
    known = len(account)
    rest = account.worked_out(record.history.segments, trajectory.time[known:], trajectory.state[known:], account.upto)
    columns, reactions, audit = account.columns(rest)
    names = {
        "inputs": context.values.names,
        "discrete": [symbol.name for symbol in context.system.discrete_states],
        "loads": list(context.system.switched_loads),
    }
    rtol = options.rtol if solver.is_adaptive else None
    energies = [columns["kinetic"], columns["potential"], trajectory.state[:, -1]]
    held: dict[str, Any] = {column: dict(zip(own, columns.pop(column).T, strict=True)) for column, own in names.items()}
    touching: dict[str, Any] = {} if account.contacts is None else account.contacts.named(columns.pop("contacts"))
    numbers: dict[str, Any] = dict(columns)
    remarks = energy_remarks(audit.energy_balance, audit.energy_scale, energies, rtol, options.step)
    if remarks and trajectory.dense is not None:
        # What moves and comes to rest again within one step is seen between its nodes alone.
        _, _, between = trajectory.inside(_WITHIN)
        moved = max(audit.energy_scale, float(np.abs(between[:, -1] - trajectory.state[0, -1]).max(initial=0.0)))
        remarks = energy_remarks(audit.energy_balance * audit.energy_scale / moved, moved, energies, rtol, options.step)
    return Run(
        name=context.name,
        parameters=context.parameters,
        start=dict(zip(context.compiled.layout.names[:-1], started.tolist(), strict=False)),
        until=until,
        method=solver.method,
        rtol=rtol,
        atol=options.absolute_tolerance if solver.is_adaptive else None,
        step=options.step,
        outcome=standing.outcome,
        message=standing.message or _note(record.kept, float(trajectory.time[0]), record.history.events_let_go),
        trajectory=trajectory,
        mode=standing.mode.name,
        events=events,
        near_misses=director.near_misses,
        contact_features={} if account.contacts is None else account.contacts.features,
        **touching,
        **numbers,
        reactions=reactions,
        **held,
        units=known_units(context.system),
        model=_model(context),
        audit=audit,
        remarks=(*context.remarks.texts, *remarks),
        timing=_timing(context, wall_seconds),
    )


def _model(context: Context) -> System | Automaton:
    """What the user gave to be run."""
    return as_declared(context.automaton) or context.system


def _note(kept: Keep, first: float, events: int) -> str:
    """What a run says that let something go, as it was told to."""
    if kept == "events":
        return "only the states at events were kept (keep='events')"
    if isinstance(kept, str) or (events == 0 and first == 0.0):
        return ""
    return f"kept from t = {first:.9g} on (keep={kept:g}); {events} earlier events were let go"


def _timing(context: Context, wall_seconds: float | None) -> Timing:
    """The cost of the run; each mode as it was when it was first entered."""
    clock, solver = context.clock, context.solver
    wall = clock.wall_seconds if wall_seconds is None else wall_seconds
    names = context.history.segments.names.values()
    modes = tuple(mode if isinstance(mode, ModeTiming) else timing_of(mode, wall) for mode in names)
    counts = (solver.steps, solver.rejected, solver.evaluations)
    return Timing(wall, *counts, modes, clock.compile_seconds)
