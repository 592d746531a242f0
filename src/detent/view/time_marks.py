"""Modes as shades and events as lines, behind curves over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, final

from detent.results.run import Run
from detent.results.visits import visits
from detent.view.mode_colours import mode_colours

MOST_LINES: Final = 250
"""Lines of one kind closer than this fraction of the time shown would run into one another."""

MOST_MODES: Final = 12
"""In the legend."""


@final
@dataclass(frozen=True)
class _LineStyle:
    colour: str
    width: float
    dashes: Any


_LINES: Final = {
    "transition": _LineStyle("#555555", 0.8, (0, (4, 3))),
    "impact": _LineStyle("#c0392b", 0.8, "solid"),
    "zeno": _LineStyle("#7d3c98", 1.6, (0, (5, 1, 1, 1))),
    "input": _LineStyle("#2471a3", 0.8, (0, (1, 2))),
}
_OTHER: Final = _LineStyle("#888888", 0.8, (0, (1, 3)))


def draw_marks(axes: Sequence[Any], run: Run, first: float, last: float) -> list[Any]:
    """Shade the modes and draw the events between two times into these axes; returns what a legend shows."""
    return [*_shade(axes, run, first, last), *_events(axes, run, first, last)]


def _shade(axes: Sequence[Any], run: Run, first: float, last: float) -> list[Any]:
    from matplotlib.patches import Patch

    stretches = visits(run)
    colours = mode_colours(visit.mode for visit in stretches)
    if len(colours) < 2:
        return []
    shown = [visit for visit in stretches if visit.start <= last and visit.end >= first]
    colours = {mode: colour for mode, colour in colours.items() if any(visit.mode == mode for visit in shown)}
    for mode, colour in colours.items():
        spans = [(visit.start, visit.duration) for visit in shown if visit.mode == mode]
        for axis in axes:
            axis.broken_barh(
                spans, (0, 1), transform=axis.get_xaxis_transform(), facecolor=colour, linewidth=0, zorder=0
            )
    named = [Patch(facecolor=colour, label=mode) for mode, colour in list(colours.items())[:MOST_MODES]]
    more = len(colours) - len(named)
    return [*named, *([Patch(facecolor="none", label=f"and {more} more modes")] if more else [])]


def _events(axes: Sequence[Any], run: Run, first: float, last: float) -> list[Any]:
    from matplotlib.lines import Line2D

    shown = [event for event in run.events if event.kind != "start" and first <= event.time <= last]
    handles = []
    for kind in dict.fromkeys(event.kind for event in shown):
        times = [event.time for event in shown if event.kind == kind]
        look = _LINES.get(kind, _OTHER)
        for axis in axes:
            axis.vlines(
                thinned(times, first, last), 0, 1, transform=axis.get_xaxis_transform(),
                color=look.colour, linewidth=look.width, linestyle=look.dashes, zorder=1.5,
            )  # fmt: skip
        label = kind if len(times) == 1 else f"{kind} \N{MULTIPLICATION SIGN} {len(times)}"
        handles.append(Line2D([], [], color=look.colour, linewidth=look.width, linestyle=look.dashes, label=label))
    return handles


def thinned(times: Sequence[float], first: float, last: float) -> list[float]:
    """Of times in order, those that can be told apart in a picture: the first of each crowd, and the very last.

    >>> thinned([0.0, 0.001, 0.002, 1.0, 2.0], 0.0, 2.0)
    [0.0, 1.0, 2.0]
    """
    apart = (last - first) / MOST_LINES
    kept: list[float] = []
    for time in times:
        if not kept or time - kept[-1] >= apart:
            kept.append(time)
    return kept if not kept or kept[-1] == times[-1] else [*kept, times[-1]]
