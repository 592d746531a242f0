"""A run as a picture: coordinates, speeds, signals and energies over time, by name."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np

from detent.errors import DetentError, MissingExtraError, ResultFileError, ValueProblem
from detent.results.run import Run

FORMATS: Final = (".png", ".svg", ".pdf")
POINTS: Final = 2000
"""A curve is drawn with about this many points, taken from the interpolant, so that long steps look smooth."""

MOST_CURVES: Final = 12
"""Past this many curves in one panel, colours no longer tell them apart; the rest is named in the title."""


def check_format(path: str | os.PathLike[str]) -> None:
    """Refuse a file ending that cannot be drawn."""
    ending = Path(path).suffix.lower()
    if ending not in FORMATS:
        raise ValueProblem(f"'{path}' ends in '{ending}'; pictures are written as {', '.join(FORMATS)}")


def plot(run: Run, path: str | os.PathLike[str] | None = None, names: Sequence[str] | None = None) -> Any:
    """Draw a run. ``names`` chooses quantities; ``path`` writes a file (png, svg, pdf). Returns the figure.

    >>> import detent
    >>> figure = detent.plot(detent.example("pendulum").simulate(until=1))
    >>> [axes.get_ylabel() for axes in figure.axes]
    ['coordinates', 'speeds', 'energy in J']
    """
    if path is not None:
        check_format(path)
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("matplotlib", "plot", "draw a run") from None

    times, curves = _sampled(run)
    panels = _panels(run, names)
    figure = Figure(figsize=(9, 2.4 * len(panels) + 0.8), layout="constrained")
    axes = figure.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
    for axis, (label, shown) in zip(axes, panels.items(), strict=True):
        for name in shown[:MOST_CURVES]:
            axis.plot(times, curves[name], label=name.replace("_", " "), linewidth=1.3)
        more = f" (first {MOST_CURVES} of {len(shown)})" if len(shown) > MOST_CURVES else ""
        axis.set_ylabel(label + more)
        axis.grid(True, alpha=0.3)
        axis.margins(x=0)
        axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize="small")
    axes[-1].set_xlabel("time in s")
    figure.suptitle(f"{run.name}: {run.outcome.word}, energy balance {run.audit.energy_balance:.1e}")
    if path is not None:
        _write(figure, Path(path))
    return figure


def _sampled(run: Run) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Times and curves, dense enough to look smooth; energies are known at the nodes only and splined between."""
    nodes = run.t
    if run.trajectory.dense is not None and len(nodes) < POINTS and nodes[-1] > nodes[0]:
        times = np.union1d(nodes, np.linspace(nodes[0], nodes[-1], POINTS))
    else:
        times = nodes
    states = run.at(times)
    curves = {name: states[name] for name in run.layout.names}
    reactions = [f"reaction of {name}" for name in run.reactions]
    for name in ("kinetic_energy", "potential_energy", "energy", *reactions):
        curves[name] = run[name] if times is nodes else _splined(nodes, run[name], times)
    return times, curves


def _splined(nodes: np.ndarray, values: np.ndarray, times: np.ndarray) -> np.ndarray:
    """A smooth curve through the nodes, broken where two nodes share a time (a jump)."""
    from scipy.interpolate import CubicSpline

    result: np.ndarray = np.interp(times, nodes, values)
    breaks = [0, *(np.flatnonzero(np.diff(nodes) == 0) + 1), len(nodes)]
    for first, last in pairwise(breaks):
        if last - first >= 4 and np.isfinite(values[first:last]).all():
            inside = (times >= nodes[first]) & (times <= nodes[last - 1])
            result[inside] = CubicSpline(nodes[first:last], values[first:last])(times[inside])
    return result


def _panels(run: Run, names: Sequence[str] | None) -> dict[str, list[str]]:
    layout = run.layout
    every = {
        "coordinates": list(layout.coordinates),
        "speeds": list(layout.speeds),
        "signals": list(layout.signals),
        "energy in J": ["kinetic_energy", "potential_energy", "energy", "work"],
        "reactions": [f"reaction of {name}" for name in run.reactions],
    }
    if names is not None:
        for name in names:
            run[name]  # an unknown name is reported with those that exist
        every = {label: [name for name in shown if name in names] for label, shown in every.items()}
    panels = {label: shown for label, shown in every.items() if shown}
    if not panels:
        raise DetentError("there is nothing to draw; name at least one quantity")
    return panels


def _write(figure: Any, path: Path) -> None:
    """Write the picture beside its place and move it there whole; the same run gives the same bytes."""
    import matplotlib

    ending = path.suffix.lower()[1:]
    metadata = {"png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}[ending]
    temporary = ""
    try:
        handle, temporary = tempfile.mkstemp(dir=path.resolve().parent, prefix=".detent-", suffix=path.suffix)
        with os.fdopen(handle, "wb") as file, matplotlib.rc_context({"svg.hashsalt": "detent"}):
            figure.savefig(file, format=ending, dpi=130, metadata=metadata)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
        temporary = ""
    except OSError as error:
        raise ResultFileError(f"cannot write '{path}': {error.strerror}; choose a place that is writable") from error
    finally:
        if temporary:
            os.unlink(temporary)
