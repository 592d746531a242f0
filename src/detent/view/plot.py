"""A run as a picture: whatever can be asked of it, over time or against something else."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from typing import Any, Final

from detent.errors import ValueProblem
from detent.hybrid.automaton import system_of
from detent.model.system import System
from detent.results.run import Run
from detent.view.curves import Curves, alone, curves
from detent.view.files import check_ending, new_figure, write_picture
from detent.view.panels import panels_of
from detent.view.portrait import portrait
from detent.view.status_bands import HEIGHT, MOST_BANDS, banded, draw_bands
from detent.view.time_marks import draw_marks

MOST_CURVES: Final = 12
"""Past this many curves in one panel, colours no longer tell them apart; the rest is named in the title."""

LEGEND_ROW = 0.19
"""The height of a row of the legend, in inches."""
FEW_ROWS = 3
"""Of it that every figure has room for."""


def plot(
    run: Run,
    path: str | os.PathLike[str] | None = None,
    names: str | Sequence[Any] | Mapping[str, Any] | None = None,
    system: System | None = None,
    between: tuple[float, float] | None = None,
    against: Any = None,
) -> Any:
    """Draw a run: its curves, its modes as shades behind them, its events as lines across. Returns the figure.

    Under the curves there is a strip of colours for each place where a contact touched: its status.
    ``names`` chooses what is drawn: names of the run, and whatever :meth:`Run.value` takes; a mapping gives labels.
    What differs in kind, unit or much in size has a panel of its own. ``between`` are two times (s); ``path`` writes a
    file (png, svg, pdf). ``against`` something else than the time, it is a phase portrait. A run that came from a file
    needs the ``system`` for what it does not keep: energies between the nodes, measures, accelerations.

    >>> import detent
    >>> run = detent.example("pendulum").simulate(until=1)
    >>> [axes.get_ylabel() for axes in detent.plot(run).axes]
    ['coordinates in rad', 'speeds in rad/s', 'energy in J']
    >>> [axes.get_ylabel() for axes in detent.plot(run, names=["bob.y", "angle_rate**2"]).axes]
    ['bob.y in m', 'angle_rate**2']
    """
    if path is not None:
        check_ending(path)
    if run.model is None and system is not None:
        run = run.with_model(system)
    first, last = _span(run, between)
    shown = None if between is None else (first, last)
    if against is not None:
        figure = portrait(run, names, against, shown)
    else:
        figure = _over_time(run, names, system or system_of(run.model), shown, (first, last))
    if path is not None:
        write_picture(figure, path)
    return figure


def _over_time(
    run: Run, names: Any, system: System | None, between: tuple[float, float] | None, span: tuple[float, float]
) -> Any:
    chosen = panels_of(run, names)
    wanted = [name for shown in chosen.names.values() for name in shown] if names is not None else []
    drawn = curves(run, system, between, wanted, chosen.asked)
    panels = chosen.by_size(drawn.values)
    bands = banded(run)
    strips = HEIGHT * min(len(bands), MOST_BANDS) + 0.1 if bands else 0.0
    figure = new_figure("draw a run", figsize=(9, 2.4 * len(panels) + 1.0 + strips), layout="constrained")
    heights = [2.4] * len(panels) + [strips] * bool(bands)
    axes = figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    first, last = span
    own = [one.label for one in chosen.asked]
    for axis, (label, shown) in zip(axes, panels, strict=False):
        _panel(axis, label, {name: name if name in own else _words(name) for name in shown}, drawn)
    statuses = draw_bands(axes[-1], run, bands) if bands else []
    axes[-1].set_xlabel("time in s")
    if last > first:
        axes[-1].set_xlim(first, last)
    marks = [*statuses, *draw_marks(axes[: len(panels)], run, first, last)]
    if marks:
        columns = _columns(marks)
        figure.legend(handles=marks, loc="outside lower center", ncols=columns, frameon=False, fontsize="small")
        width, height = figure.get_size_inches()  # a long legend is not to take its room from the curves
        figure.set_size_inches(width, height + LEGEND_ROW * max(0, math.ceil(len(marks) / columns) - FEW_ROWS))
    figure.suptitle(f"{run.name}: {run.outcome.word}, energy balance {run.audit.energy_balance:.1e}")
    return figure


def _words(name: str) -> str:
    return name.removeprefix("reaction of ").replace("_", " ")


def _span(run: Run, between: tuple[float, float] | None) -> tuple[float, float]:
    """The first and the last time that are shown."""
    begin, end = float(run.t[0]), float(run.t[-1])
    if between is None:
        return begin, end
    first, last = (float(time) for time in between)
    if not begin <= first < last <= end:
        raise ValueProblem(
            f"a plot between {first!r} and {last!r} s is asked for; the run covers {begin!r} to {end!r} s. Give two "
            "times inside, the earlier first"
        )
    return first, last


def _columns(marks: list[Any]) -> int:
    """How many columns of a legend go into the width of the figure, by the longest name in it."""
    longest = max(len(mark.get_label()) for mark in marks)
    return max(1, min(6, int(8.8 / (0.65 + 0.068 * longest))))


def _panel(axis: Any, label: str, shown: dict[str, str], drawn: Curves) -> None:
    for name, text in list(shown.items())[:MOST_CURVES]:
        (line,) = axis.plot(drawn.time, drawn.values[name], label=text, linewidth=1.3, zorder=2)
        lone = alone(drawn.values[name])
        axis.plot(drawn.time[lone], drawn.values[name][lone], ".", color=line.get_color(), markersize=4, zorder=2)
    more = f" (first {MOST_CURVES} of {len(shown)})" if len(shown) > MOST_CURVES else ""
    axis.set_ylabel(label + more)
    axis.grid(True, alpha=0.3)
    axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize="small")
