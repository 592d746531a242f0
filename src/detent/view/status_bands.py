"""What contacts do over time, as a strip of colours for each place that ever touched."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from detent.model.contact import ContactStatus
from detent.results.run import Run

COLOURS: Final = {
    ContactStatus.OFF: "#ffffff",
    ContactStatus.OPEN: "#e8e8e8",
    ContactStatus.SLIP: "#e59866",
    ContactStatus.STICK: "#5d8aa8",
}
MOST_BANDS: Final = 12
"""Strips in one picture; further places are counted."""
HEIGHT: Final = 0.26
"""Of a strip, in inches."""


def banded(run: Run) -> dict[str, NDArray[np.int64]]:
    """The statuses of the places that are drawn, by name; of those that never touch none is.

    >>> from detent.results import sample_run
    >>> banded(sample_run())
    {}
    """
    every = [place for contact in run.contacts.values() for place in contact.values()]
    return {place.place: place.status for place in every if (place.status > ContactStatus.OPEN).any()}


def draw_bands(axis: Any, run: Run, bands: dict[str, NDArray[np.int64]]) -> list[Any]:
    """Draw strips into axes of their own; returns what a legend shows."""
    from matplotlib.patches import Patch

    shown = list(bands.items())[:MOST_BANDS]
    met: set[ContactStatus] = set()
    for row, (_, status) in enumerate(shown):
        for value in ContactStatus:
            spans = _spans(run, status == value)
            if spans:
                met.add(value)
                axis.broken_barh(spans, (row - 0.4, 0.8), facecolor=COLOURS[value], linewidth=0, zorder=3)
    axis.set_yticks(range(len(shown)), [name for name, _ in shown], fontsize="small")
    axis.set_ylim(len(shown) - 0.4, -0.6)
    axis.tick_params(axis="y", length=0)
    if len(bands) > len(shown):
        axis.set_title(f"first {len(shown)} of {len(bands)} places", fontsize="small", loc="left")
    return [Patch(facecolor=COLOURS[value], edgecolor="#999999", label=value.name.lower()) for value in sorted(met)]


def _spans(run: Run, holds: NDArray[np.bool_]) -> list[tuple[float, float]]:
    """When something holds, as (start, duration); from a node on it holds until the next one says otherwise."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], holds, [False]]).astype(int)))
    starts, ends = edges[::2], np.minimum(edges[1::2], len(run.t) - 1)
    return [(float(run.t[a]), float(run.t[b] - run.t[a])) for a, b in zip(starts, ends, strict=True) if b > a]
