"""What contacts do over time, as a strip of colours for each place that ever touched."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from detent.model.contact import ContactStatus, turn_names
from detent.results.contacts import ContactCourse
from detent.results.run import Run

REST: Final = 3
"""After the statuses: what sticks and resists rolling, and does not roll."""
COLOURS: Final = {
    ContactStatus.OFF: "#ffffff",
    ContactStatus.OPEN: "#e8e8e8",
    ContactStatus.SLIP: "#e59866",
    ContactStatus.STICK: "#5d8aa8",
    REST: "#2c4a5e",
}
MOST_BANDS: Final = 12
"""Strips in one picture; further places are counted."""
HEIGHT: Final = 0.26
"""Of a strip, in inches."""


def banded(run: Run) -> dict[str, NDArray[np.int64]]:
    """The statuses of the places that are drawn, by name, in the order in which they first touch, contact by contact.

    Of those that never touch none is.

    >>> from detent.results import sample_run
    >>> banded(sample_run())
    {}
    """
    every = [place for contact in run.contacts.values() for place in sorted(contact.values(), key=_first_touch)]
    return {place.place: _doing(run, place) for place in every if (place.status > ContactStatus.OPEN).any()}


def _first_touch(place: ContactCourse) -> int:
    """The first node at which a place touches."""
    return int((place.status > ContactStatus.OPEN).argmax())


def _doing(run: Run, place: ContactCourse) -> NDArray[np.int64]:
    rolling = run.discrete.get(turn_names(place.place, "rolling", planar=True)[0])
    if rolling is None:
        return place.status
    rests: NDArray[np.int64] = np.where((place.status == ContactStatus.STICK) & (rolling == 0), REST, place.status)
    return rests


def draw_bands(axis: Any, run: Run, bands: dict[str, NDArray[np.int64]]) -> list[Any]:
    """Draw strips into axes of their own; returns what a legend shows."""
    from matplotlib.patches import Patch

    shown = list(bands.items())[:MOST_BANDS]
    met: set[int] = set()
    for row, (_, status) in enumerate(shown):
        for value in COLOURS:
            spans = _spans(run, status == value)
            if spans:
                met.add(value)
                axis.broken_barh(spans, (row - 0.4, 0.8), facecolor=COLOURS[value], linewidth=0, zorder=3)
    axis.set_yticks(range(len(shown)), [name for name, _ in shown], fontsize="small")
    axis.set_ylim(len(shown) - 0.4, -0.6)
    axis.tick_params(axis="y", length=0)
    if len(bands) > len(shown):
        axis.set_title(f"first {len(shown)} of {len(bands)} places", fontsize="small", loc="left")
    return [Patch(facecolor=COLOURS[value], edgecolor="#999999", label=_word(value)) for value in sorted(met)]


def _word(value: int) -> str:
    words = {REST: "rest", ContactStatus.STICK: "stick or roll"}
    return words.get(value) or ContactStatus(value).name.lower()


def _spans(run: Run, holds: NDArray[np.bool_]) -> list[tuple[float, float]]:
    """When something holds, as (start, duration); from a node on it holds until the next one says otherwise."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], holds, [False]]).astype(int)))
    starts, ends = edges[::2], np.minimum(edges[1::2], len(run.t) - 1)
    return [(float(run.t[a]), float(run.t[b] - run.t[a])) for a, b in zip(starts, ends, strict=True) if b > a]
