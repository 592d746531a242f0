"""The curves of a run in the page, with a line at the time that is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, final

import numpy as np

from detent.hybrid.automaton import system_of
from detent.jit.arrays import FloatArray
from detent.results.run import Run
from detent.view.colours import CURVES, INK
from detent.view.curves import curves
from detent.view.panels import panels_of

MOST_POINTS: Final = 250
"""Of a curve."""
LIVE_POINTS: Final = 200
"""Of a curve of a live run."""
MOST_CURVES: Final = 8
"""In one panel."""
MOST_PANELS: Final = 6


@final
class CurvesPanel:
    """Panels of curves in a container of the page."""

    def __init__(self, gui: Any, container: Any) -> None:
        self._gui, self._container = gui, container
        self._charts: list[tuple[Any, FloatArray, list[FloatArray]]] = []
        self._marked = -1
        self._course: list[str] | None = None

    def show(self, run: Run | None) -> None:
        """Draw a run, or nothing."""
        for chart, _, _ in self._charts:
            chart.remove()
        self._charts, self._marked, self._course = [], -1, None
        if run is None or len(run.t) < 2:
            return
        drawn = curves(run, system_of(run.model))
        kept = np.unique(np.linspace(0, len(drawn.time) - 1, MOST_POINTS).astype(int))
        time = drawn.time[kept]
        with self._container:
            for heading, names in panels_of(run, None).by_size(drawn.values)[:MOST_PANELS]:
                rows = [drawn.values[name][kept] for name in names[:MOST_CURVES]]
                self._charts.append((self._chart(heading, names, time, rows), time, rows))

    def _chart(self, heading: str, names: list[str], time: FloatArray, rows: list[FloatArray]) -> Any:
        shown = names[:MOST_CURVES]
        more = f" (first {MOST_CURVES} of {len(names)})" if len(names) > MOST_CURVES else ""
        series: list[dict[str, Any]] = [{"label": "t"}]
        series += [{"label": name, "stroke": CURVES[k], "width": 1.5} for k, name in enumerate(shown)]
        series += [{"label": "now", "stroke": INK, "width": 1}]
        return self._gui.add_uplot(
            (time, *rows, _mark(time, rows, 0)), tuple(series), title=heading + more,
            scales={"x": {"time": False}}, legend={"show": len(shown) > 0}, height=220,
        )  # fmt: skip

    def show_course(self, names: Sequence[str], times: FloatArray, values: FloatArray) -> None:
        """Draw what some quantities did of late, a column each: anew where it is other quantities than before."""
        kept = np.unique(np.linspace(0, len(times) - 1, LIVE_POINTS).astype(int)) if len(times) > 1 else None
        if kept is None:
            return
        shown = list(names)[:MOST_CURVES]
        time, rows = times[kept], [values[kept, k] for k in range(len(shown))]
        if self._course != shown:
            self.show(None)
            with self._container:
                self._charts = [(self._chart("the last seconds", shown, time, rows), time, rows)]
            self._course = shown
        self._charts[0][0].data = (time, *rows, _mark(time, rows, len(time) - 1))

    def go_to(self, time: float) -> None:
        """Mark a time (s)."""
        if not self._charts or self._course is not None:
            return
        place = int(np.searchsorted(self._charts[0][1], time, side="right")) - 1
        if place == self._marked:
            return
        self._marked = place
        for chart, times, rows in self._charts:
            chart.data = (times, *rows, _mark(times, rows, place))


def _mark(times: FloatArray, rows: list[FloatArray], place: int) -> FloatArray:
    """A spike at a place: from the least of all values to the largest and back.

    It has a value everywhere: a series that begins with NaN has no range in the page, and then nothing is drawn.

    >>> _mark(np.arange(4.0), [np.array([1.0, 2.0, np.nan, 3.0])], 1).tolist()
    [1.0, 3.0, 1.0, 1.0]
    """
    known = np.concatenate(rows)
    known = known[np.isfinite(known)]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)
    line = np.full(len(times), low)
    line[min(max(place, 0), len(times) - 1)] = high
    return line
