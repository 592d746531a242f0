"""A run as a picture: coordinates, speeds, signals, energies and reactions over time, by name."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Final

from detent.errors import DetentError, ValueProblem
from detent.model.system import System
from detent.results.column import Quantity
from detent.results.columns import COLUMNS
from detent.results.run import Run
from detent.view.curves import Curves, alone, curves
from detent.view.files import check_ending, new_figure, write_picture
from detent.view.status_bands import HEIGHT, MOST_BANDS, banded, draw_bands
from detent.view.time_marks import mark

MOST_CURVES: Final = 12
"""Past this many curves in one panel, colours no longer tell them apart; the rest is named in the title."""


def plot(
    run: Run,
    path: str | os.PathLike[str] | None = None,
    names: Sequence[str] | None = None,
    system: System | None = None,
    between: tuple[float, float] | None = None,
) -> Any:
    """Draw a run: its curves, its modes as shades behind them, its events as lines across. Returns the figure.

    Under the curves there is a strip of colours for each place where a contact touched: its status.
    ``names`` chooses quantities, ``between`` two times (s); ``path`` writes a file (png, svg, pdf). With the ``system``
    the kinetic and potential energies are worked out between the nodes too; without it, where steps are long, they may
    be dots.

    >>> import detent
    >>> figure = detent.plot(detent.example("pendulum").simulate(until=1))
    >>> [axes.get_ylabel() for axes in figure.axes]
    ['coordinates', 'speeds', 'energy in J']
    """
    if path is not None:
        check_ending(path)
    panels = _panels(run, names)
    bands = banded(run)
    strips = HEIGHT * min(len(bands), MOST_BANDS) + 0.1 if bands else 0.0
    figure = new_figure("draw a run", figsize=(9, 2.4 * len(panels) + 1.0 + strips), layout="constrained")
    heights = [2.4] * len(panels) + [strips] * bool(bands)
    axes = figure.subplots(len(heights), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    first, last = _span(run, between)
    drawn = curves(run, system, None if between is None else (first, last), names or ())
    for axis, (label, shown) in zip(axes, panels.items(), strict=False):
        _panel(axis, label, shown, drawn)
    statuses = draw_bands(axes[-1], run, bands) if bands else []
    axes[-1].set_xlabel("time in s")
    if last > first:
        axes[-1].set_xlim(first, last)
    marks = [*statuses, *mark(axes[: len(panels)], run, first, last)]
    if marks:
        figure.legend(handles=marks, loc="outside lower center", ncols=_columns(marks), frameon=False, fontsize="small")
    figure.suptitle(f"{run.name}: {run.outcome.word}, energy balance {run.audit.energy_balance:.1e}")
    if path is not None:
        write_picture(figure, path)
    return figure


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


def _panel(axis: Any, label: str, shown: list[str], drawn: Curves) -> None:
    for name in shown[:MOST_CURVES]:
        text = name.removeprefix("reaction of ").replace("_", " ")
        (line,) = axis.plot(drawn.time, drawn.values[name], label=text, linewidth=1.3, zorder=2)
        lone = alone(drawn.values[name])
        axis.plot(drawn.time[lone], drawn.values[name][lone], ".", color=line.get_color(), markersize=4, zorder=2)
    more = f" (first {MOST_CURVES} of {len(shown)})" if len(shown) > MOST_CURVES else ""
    axis.set_ylabel(label + more)
    axis.grid(True, alpha=0.3)
    axis.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize="small")


def _is_drawn(quantity: Quantity) -> bool:
    """Whether numbers are drawn that nobody named."""
    return quantity.drawn and not quantity.held


def _panels(run: Run, names: Sequence[str] | None) -> dict[str, list[str]]:
    layout = run.layout
    every = {
        "coordinates": list(layout.coordinates),
        "speeds": list(layout.speeds),
        "signals": list(layout.signals),
    }
    for column in COLUMNS:
        if column.quantity is not None and (names is not None or _is_drawn(column.quantity)):
            every.setdefault(column.panel, []).extend(column.names(run))
    every["energy in J"].append("work")
    if names is not None:
        chosen = [names] if isinstance(names, str) else list(names)
        for name in chosen:
            run[name]  # an unknown name is reported with those that exist
        every = {label: [name for name in shown if name in chosen] for label, shown in every.items()}
    panels = {label: shown for label, shown in every.items() if shown}
    if not panels:
        raise DetentError("there is nothing to draw; name at least one quantity")
    return panels
