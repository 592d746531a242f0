"""A run as curves that look smooth and break where it jumps."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from detent.errors import DetentError
from detent.jit.arrays import FloatArray
from detent.model.contact import ContactStatus
from detent.model.system import System
from detent.results.columns import at_nodes
from detent.results.run import Run
from detent.simulation.evaluate import Evaluator
from detent.simulation.named_values import Asked, values_of

POINTS: Final = 2000
"""A curve is drawn with about this many points, taken from the interpolant, so that long steps look smooth."""

AGREES: Final = 1e-9
"""Energies worked out anew count only if they are those of the run, as closely as its steps are known."""


@final
@dataclass(frozen=True, eq=False)
class Curves:
    """Times and values by name; NaN where a curve breaks.

    >>> from detent.results import sample_run
    >>> made = curves(sample_run())
    >>> int(np.isnan(made.values["v"]).sum())
    1
    """

    time: FloatArray
    values: dict[str, FloatArray]
    states: FloatArray
    """The whole states at these times, a column for each quantity."""


def curves(
    run: Run,
    system: System | None = None,
    between: tuple[float, float] | None = None,
    names: Collection[str] = (),
    asked: Sequence[Asked] = (),
) -> Curves:
    """Every quantity of a run over time, or ``between`` two times (s); those of contacts where they are named.

    What else is ``asked`` is there by its label, worked out from the states between the nodes too.

    Reactions are known at the nodes only and splined between. So is the kinetic energy, without the ``system``; where
    there are too few nodes for that, as in a free flight of one long step, it stays open between them.
    """
    nodes, grid = run.t, _grid(run, between)
    at = np.searchsorted(nodes, grid, side="right")
    times = np.insert(nodes, at, grid)
    jumps = np.flatnonzero(np.diff(times) == 0) + 1

    def whole(known: FloatArray, inner: FloatArray) -> FloatArray:
        filled: FloatArray = np.insert(np.insert(known, at, inner, axis=0), jumps, np.nan, axis=0)
        return filled

    states = whole(run.trajectory.state, run.at(grid).values)
    values = {name: states[:, run.layout.column(name)] for name in run.layout.names}
    for name, inner in _energies(run, system, grid).items():
        values[name] = whole(run[name], inner)
    for column, quantity in at_nodes():
        for name in (name for name in column.names(run) if name not in values and (quantity.drawn or name in names)):
            row = _with_kinetic_friction(run, name)  # what is held holds from its node on
            between_nodes = row[np.maximum(at - 1, 0)] if quantity.held else _splined(nodes, row, grid, straight=True)
            values[name] = whole(row, between_nodes)
    for one in asked:
        known = values_of(run, [one], None)[:, 0]
        values[one.label] = whole(known, _asked_between(run, one, known, grid))
    whole_time = np.insert(times, jumps, times[jumps])
    shown = np.ones(len(whole_time), bool) if between is None else _inside(whole_time, *between)
    return Curves(whole_time[shown], {name: row[shown] for name, row in values.items()}, states[shown])


def _with_kinetic_friction(run: Run, name: str) -> FloatArray:
    """Values at the nodes; a contact that slips has friction too, though not as the reaction of a row."""
    values: FloatArray = run[name]
    place, _, tangent = name.removeprefix("reaction of ").rpartition(".friction")
    friction = f"friction of {place}" + (f".{tangent.strip()}" if tangent else "")
    if not (place and name.startswith("reaction of ") and friction in run.names):
        return values
    return np.where(run[f"status of {place}"] == ContactStatus.SLIP, run[friction], values)


def _asked_between(run: Run, one: Asked, known: FloatArray, grid: FloatArray) -> FloatArray:
    """Values between the nodes; splined where these alone tell them, as those of constraints imposed on the way."""
    if not len(grid):
        return grid
    try:
        found: FloatArray = values_of(run, [one], grid)[:, 0]
    except DetentError:
        return _splined(run.t, known, grid, straight=True)
    return found


def _inside(times: FloatArray, first: float, last: float) -> NDArray[np.bool_]:
    inside: NDArray[np.bool_] = (times >= first) & (times <= last)
    return inside


def _grid(run: Run, between: tuple[float, float] | None) -> FloatArray:
    """Times between the nodes, where there are too few of these for a smooth curve."""
    first, last = between or (run.t[0], run.t[-1])
    if run.trajectory.dense is None or first == last or _inside(run.t, first, last).sum() >= POINTS:
        return np.empty(0)
    return np.setdiff1d(np.linspace(first, last, POINTS), run.t)


def _pieces(nodes: FloatArray) -> list[tuple[int, int]]:
    """The nodes from one jump to the next, as (first, one after the last)."""
    return list(pairwise([0, *(np.flatnonzero(np.diff(nodes) == 0) + 1).tolist(), len(nodes)]))


def _splined(nodes: FloatArray, values: FloatArray, times: FloatArray, straight: bool) -> FloatArray:
    """Values between the nodes: a cubic spline over each piece with enough of them; over others a line, if wanted."""
    from scipy.interpolate import CubicSpline

    result = np.full(len(times), np.nan)
    for first, last in _pieces(nodes):
        inside = slice(*np.searchsorted(times, nodes[[first, last - 1]]))
        piece, known = nodes[first:last], values[first:last]
        if last - first >= 4 and np.isfinite(known).all():
            result[inside] = CubicSpline(piece, known)(times[inside])
        elif last - first >= 2 and straight:
            result[inside] = np.interp(times[inside], piece, known)
    return result


def _energies(run: Run, system: System | None, times: FloatArray) -> dict[str, FloatArray]:
    """Energies between the nodes: T + V from the work done since the last node, T from the model where it is given."""
    states = run.trajectory.at(times)
    node: NDArray[np.intp] = np.searchsorted(run.t, times, side="right") - 1
    total = run["energy"][node] + states[:, -1] - run["work"][node]
    kinetic = _kinetic(run, system, times, states) if system is not None else None
    if kinetic is None:
        kinetic = _splined(run.t, run.kinetic, times, straight=False)
    return {"kinetic_energy": kinetic, "potential_energy": total - kinetic, "energy": total}


def _kinetic(run: Run, system: System, times: FloatArray, states: FloatArray) -> FloatArray | None:
    """The kinetic energy from the model; nothing if that does not give the run's own at its nodes."""
    evaluator = Evaluator(system, run)
    known = evaluator.kinetic(run.t, run.trajectory.state)
    if not np.allclose(known, run.kinetic, rtol=AGREES, atol=AGREES * run.audit.energy_scale):
        return None
    return evaluator.kinetic(times, states)


def alone(values: FloatArray) -> NDArray[np.bool_]:
    """Which values have no neighbour to be joined with by a line.

    >>> alone(np.array([1.0, np.nan, 2.0, 3.0])).tolist()
    [True, False, False, False]
    """
    open_ends = np.concatenate([[True], np.isnan(values), [True]])
    lone: NDArray[np.bool_] = ~open_ends[1:-1] & open_ends[:-2] & open_ends[2:]
    return lone
