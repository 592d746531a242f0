"""How well a run kept the laws of contact, at its nodes and between them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from detent.model.contact import ContactStatus
from detent.simulation.contact_account import PlaceValues

Flags = NDArray[np.bool_]


_MEANS_NOTHING: Final = 1e-9
"""Of the force that it would take to bring about a motion while it lasts, a smaller part does nothing to it."""


@final
@dataclass(frozen=True)
class Findings:
    """The largest violations so far. Forces that no row tells are not counted."""

    smallest_gap: float = np.inf
    excess: float = 0.0
    """How far outside its cone a force was, N."""
    largest_normal: float = 0.0
    product: float = 0.0
    """Of a gap and the normal force there, J."""
    mass: float = 0.0
    """Of all bodies, kg."""
    begins: float = np.inf
    ends: float = -np.inf
    """The times of the first and the last instant, s."""

    def with_others(self, others: Findings) -> Findings:
        """The largest of both."""
        return Findings(
            min(self.smallest_gap, others.smallest_gap),
            max(self.excess, others.excess),
            max(self.largest_normal, others.largest_normal),
            max(self.product, others.product),
            max(self.mass, others.mass),
            min(self.begins, others.begins),
            max(self.ends, others.ends),
        )

    def cone_excess(self, energy: float) -> float:
        """Relative to the largest normal force, or to the least force that means something in a motion of an energy.

        >>> Findings(excess=2.0, largest_normal=8.0).cone_excess(energy=1.0)
        0.25
        """
        lasts = self.ends - self.begins
        least = _MEANS_NOTHING * float(np.sqrt(2.0 * self.mass * energy)) / lasts if lasts > 0.0 else 0.0
        scale = max(self.largest_normal, least)
        return self.excess / scale if scale > 0.0 else 0.0


def findings(seen: PlaceValues, in_front: Flags, time: NDArray[np.float64], acting: Flags | None = None) -> Findings:
    """What places that count show; ``in_front`` are those whose negative gap would be an overlap.

    ``acting`` tells at which instants forces act, where they do not at all.
    """
    gaps = seen.gap[seen.counts & (in_front | (seen.gap >= 0.0))]
    friction = np.sqrt((seen.friction**2).sum(axis=2))
    outside = np.fmax(friction - seen.limit * seen.normal, -seen.normal)
    resists = seen.resistance > 0.0
    product = np.abs(seen.gap * seen.normal)
    if acting is not None:
        outside, resists, product = outside[acting], resists & acting[:, None], product[acting]
    moments = np.sqrt((seen.moment**2).sum(axis=2))
    bent = moments[resists] / seen.resistance[resists] - seen.pressing[resists]
    return Findings(
        float(gaps.min(initial=np.inf)),
        max(_largest(outside), _largest(bent)),
        _largest(seen.normal),
        _largest(product),
        _largest(seen.mass),
        float(time.min(initial=np.inf)),
        float(time.max(initial=-np.inf)),
    )


def _largest(values: NDArray[np.float64]) -> float:
    """The largest that is positive; what is not known does not count."""
    return float(np.fmax.reduce(values, axis=None, initial=0.0)) + 0.0  # not -0


def behind(seen: PlaceValues, last: Flags, last_counted: Flags) -> Flags:
    """At which nodes a place that counts is behind a face that has one side, where its gap is negative rightly.

    It came there from where it did not count: past the end of the face, or while its contact was off. One that was in
    front, or touches, and has a negative gap overlaps. ``last`` and ``last_counted`` are of the node before.

    >>> came_from_behind = np.array([[True], [True], [True]]), np.array([[-1.0], [-1.0], [1.0]])
    >>> _behind(*came_from_behind, np.array([False]), np.array([False])).ravel().tolist()
    [True, True, False]
    >>> passed_through = np.array([[True], [True], [True]]), np.array([[1.0], [-1.0], [-1.0]])
    >>> _behind(*passed_through, np.array([False]), np.array([False])).ravel().tolist()
    [False, False, False]
    """
    touches = seen.status > ContactStatus.OPEN
    return _behind(seen.counts, np.where(touches, np.abs(seen.gap), seen.gap), last, last_counted)


def _behind(counts: Flags, gap: NDArray[np.float64], last: Flags, last_counted: Flags) -> Flags:
    negative = counts & (gap < 0.0)
    counted_before = np.concatenate([last_counted[None], counts[:-1]])
    negative_before = np.concatenate([last[None], negative[:-1]])
    begins = negative & ~(negative_before & counted_before)
    nodes = np.arange(len(gap))[:, None]
    start = np.maximum.accumulate(np.where(begins, nodes, -1), axis=0)
    came = np.where(start < 0, last[None], np.take_along_axis(~counted_before, np.maximum(start, 0), axis=0))
    found: Flags = negative & came
    return found


def _ends_or_begins(time: NDArray[np.float64], before: float) -> Flags:
    """At which nodes a step ends, or begins: what is passed within an instant, between a change from outside and what
    contacts make of it, lasts for no time, and forces there do not act. Of the last node it is not known yet.

    >>> _ends_or_begins(np.array([0.0, 0.5, 0.5, 0.5, 1.0, 1.0]), np.nan).tolist()
    [True, True, False, True, True, False]
    """
    changes = time[1:] != time[:-1]
    found: Flags = np.concatenate([time[:1] != before, changes]) | np.append(changes, False)
    return found


@final
class ContactAudit:
    """Remembers, from one piece of a run to the next, which places are behind a face, and what has not acted yet."""

    def __init__(self, places: int) -> None:
        self.sampled = 0
        """The number of the node up to which steps have been looked at."""
        self._front = np.zeros((0, places), dtype=bool)
        """From that node on: where a place counts and is not behind."""
        self._last = np.zeros(places, dtype=bool), np.zeros(places, dtype=bool)
        """Of the last node that was taken: which were behind, and which counted."""
        self._before, self._waits = np.nan, Findings()
        """The time of that node; and what it shows, where no step ended there and none is known to begin."""

    def at_nodes(self, seen: PlaceValues, time: NDArray[np.float64]) -> tuple[Findings, Flags]:
        """What the next nodes show, and where a place is in front; they are not taken yet."""
        if len(seen.gap) == 0:
            return Findings(), np.zeros(seen.gap.shape, dtype=bool)
        in_front = (seen.thin == 0.0) | (seen.counts & ~behind(seen, *self._last))
        found = findings(seen, in_front, time, _ends_or_begins(time, self._before))
        return (found.with_others(self._waits) if time[0] != self._before else found), in_front

    def take(self, seen: PlaceValues, in_front: Flags, time: NDArray[np.float64]) -> None:
        """These nodes are taken."""
        if len(in_front):
            self._front = np.concatenate([self._front, in_front])
            self._last = seen.counts[-1] & ~in_front[-1], seen.counts[-1].copy()
            last = np.arange(len(time)) == len(time) - 1
            waits = not _ends_or_begins(time, self._before)[-1]
            self._waits = findings(seen, in_front, time, last) if waits else Findings()
            self._before = float(time[-1])

    def between(self, seen: PlaceValues, starts: NDArray[np.int64], time: NDArray[np.float64]) -> Findings:
        """What instants inside steps show that start at these nodes."""
        return findings(seen, self._front[starts - self.sampled], time)

    def took_steps(self, node: int) -> None:
        """The steps up to a node have been looked at."""
        self._front = self._front[node - self.sampled :]
        self.sampled = node
