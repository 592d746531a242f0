"""The path of a point along a run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, final

import numpy as np

from detent.jit.arrays import FloatArray
from detent.model.point import Point
from detent.results.run import Run
from detent.simulation.values import Values
from detent.view.poses import poses

POINTS: Final = 1500
"""Places on a path, about."""
STILL: Final = 1e-9
"""A jump shorter than this part of the path's size is none."""


@final
@dataclass(frozen=True, eq=False)
class Trace:
    """Where a point was at some times (s), in their order; a row of NaN where it jumped from one place to another.

    >>> import detent
    >>> run = detent.example("pendulum").simulate(until=1)
    >>> trace = trace_of(Values(run, run.model), run, run.model.points["bob"])
    >>> trace.name, bool(np.allclose(np.linalg.norm(trace.places, axis=1), 1))
    ('bob', True)
    """

    name: str
    times: FloatArray
    places: FloatArray
    """(times, 3), m."""


def trace_of(values: Values, run: Run, point: Point) -> Trace:
    """The path of a point: at evenly spaced times and on both sides of every jump."""
    jumps = np.flatnonzero(np.diff(run.t) == 0)
    at_nodes = poses(values, [point], []).places[point]
    size = float(np.ptp(at_nodes, axis=0).max())
    far = jumps[np.linalg.norm(at_nodes[jumps + 1] - at_nodes[jumps], axis=1) > STILL * size]
    if run.trajectory.dense is None or len(run.t) > POINTS:
        every = -(-len(run.t) // POINTS)
        chosen = np.unique([*range(0, len(run.t), every), len(run.t) - 1, *far, *(far + 1)]).astype(int)
        times, places = run.t[chosen], at_nodes[chosen]
    else:
        grid = np.setdiff1d(np.linspace(run.t[0], run.t[-1], POINTS), run.t)
        between = poses(values, [point], [], grid).places[point] if len(grid) else np.empty((0, 3))
        at = np.searchsorted(run.t, grid, side="right")
        times, places = np.insert(run.t, at, grid), np.insert(at_nodes, at, between, axis=0)
    breaks = np.searchsorted(times, run.t[far], side="right") - 1
    return Trace(point.name, np.insert(times, breaks, times[breaks]), np.insert(places, breaks, np.nan, axis=0))
