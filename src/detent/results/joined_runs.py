"""Runs that follow one another, as one: stretches of a run between which its contacts were changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, Final

import numpy as np

from detent.jit.arrays import FloatArray
from detent.model.contact import ContactStatus
from detent.results.audit import Audit, audit_energy
from detent.results.columns import at_nodes
from detent.results.event import EventLog
from detent.results.layout import StateLayout
from detent.results.run import Run
from detent.results.timing import Timing
from detent.results.trajectory import Trajectory

_BY_NAME: Final = tuple(column.name for column, quantity in at_nodes() if quantity.several)
"""Columns with an array for each of several names, which need not be the same in all stretches."""
_STATUS: Final = "status of "


def joined_runs(runs: Sequence[Run]) -> Run:
    """One run of several, each of which begins where the one before ends: two nodes there share a time.

    What only some of them know is NaN elsewhere; a contact that others do not have is off there.

    >>> from detent.results import sample_run
    >>> joined_runs([sample_run()]).name
    'thrown-stone'
    """
    if len(runs) == 1:
        return runs[0]
    first, last = runs[0], runs[-1]
    trajectory = _trajectory([run.trajectory for run in runs])
    columns: dict[str, Any] = {name: _by_name([getattr(run, name) for run in runs], runs) for name in _BY_NAME}
    kinetic, potential = (np.concatenate([getattr(run, name) for run in runs]) for name in ("kinetic", "potential"))
    return replace(
        last,
        start=first.start,
        trajectory=trajectory,
        kinetic=kinetic,
        potential=potential,
        **columns,
        contact_features={name: features for run in runs for name, features in run.contact_features.items()},
        events=EventLog(chain.from_iterable(run.events for run in runs)),
        near_misses=EventLog(chain.from_iterable(run.near_misses for run in runs)),
        audit=_audit([run.audit for run in runs], audit_energy(kinetic, potential, trajectory.state[:, -1])),
        remarks=tuple(dict.fromkeys(chain.from_iterable(run.remarks for run in runs))),
        timing=_timing([run.timing for run in runs if run.timing is not None]),
    )


def _common(layouts: Sequence[StateLayout]) -> StateLayout:
    """What the last has, then the nearest points that only others follow."""
    signals = chain.from_iterable(layout.signals for layout in reversed(layouts))
    return replace(layouts[-1], signals=tuple(dict.fromkeys(signals)))


def _widened(part: Trajectory, layout: StateLayout) -> Trajectory:
    """The same with places for all that is in a layout: NaN where it is not known."""
    if part.layout == layout:
        return part
    columns = [layout.column(name) for name in part.layout.names]

    def wide(given: FloatArray) -> FloatArray:
        made = np.full((*given.shape[:-1], layout.width), np.nan)
        made[..., columns] = given
        return made

    dense = None if part.dense is None else wide(part.dense)
    return Trajectory(layout, part.time, wide(part.state), wide(part.rate), dense)


def _trajectory(given: Sequence[Trajectory]) -> Trajectory:
    layout = _common([part.layout for part in given])
    parts = [_widened(part, layout) for part in given]
    time, state, rate = (np.concatenate([getattr(part, name) for part in parts]) for name in ("time", "state", "rate"))
    dense: FloatArray | None = None
    if all(part.dense is not None for part in parts):
        known = [part.dense for part in parts if part.dense is not None]
        jump = np.zeros((1, max(each.shape[1] for each in known), state.shape[1]))
        # A part without a step, but with what was set at its instant, has no rows of its own.
        between = [
            piece
            for each in known
            for piece in (each if each.shape[1:] == jump.shape[1:] else jump.repeat(len(each), axis=0), jump)
        ]
        dense = np.concatenate(between[:-1])
    return Trajectory(parts[0].layout, time, state, rate, dense)


def _by_name(parts: Sequence[Mapping[str, FloatArray]], runs: Sequence[Run]) -> dict[str, FloatArray]:
    names = dict.fromkeys(chain.from_iterable(parts))
    nodes = [len(run.trajectory.time) for run in runs]
    return {
        name: np.concatenate(
            [part[name] if name in part else _unknown(name, count) for part, count in zip(parts, nodes, strict=True)]
        )
        for name in names
    }


def _unknown(name: str, count: int) -> FloatArray:
    return np.full(count, float(ContactStatus.OFF) if name.startswith(_STATUS) else np.nan)


def _audit(parts: Sequence[Audit], energy: tuple[float, float]) -> Audit:
    """The largest of all, by the scale of the whole."""
    balance, scale = energy
    return Audit(
        max([balance, *(part.energy_balance * part.energy_scale / scale for part in parts)]),
        max(part.position_residual for part in parts),
        max(part.velocity_residual for part in parts),
        min((part.smallest_gap for part in parts if part.smallest_gap is not None), default=None),
        scale,
        _largest(part.largest_cone_excess for part in parts),
        _largest(None if p.complementarity is None else p.complementarity * p.energy_scale / scale for p in parts),
    )


def _largest(values: Iterable[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)


def _timing(parts: Sequence[Timing]) -> Timing | None:
    if not parts:
        return None
    return Timing(
        sum(part.wall_s for part in parts),
        sum(part.steps for part in parts),
        sum(part.rejected_steps for part in parts),
        sum(part.rhs_evaluations for part in parts),
        tuple({mode.mode: mode for part in reversed(parts) for mode in part.modes}.values()),
        sum(part.compile_s for part in parts),
    )
