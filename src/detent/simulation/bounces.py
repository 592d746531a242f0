"""How often contacts have bounced, and how long they would have gone on where their bounces pile up."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, final

import numpy as np

KEPT: Final = 6
"""Times of bounces that are kept of a place, the last ones."""


@final
@dataclass(frozen=True)
class Completed:
    """What is known of bounces that were cut off."""

    count: int
    """How many there had been."""
    lost: float
    """The time that the others would have taken, s."""
    source: str
    """From what that is known."""


@final
class Bounces:
    """The bounces of some places, since each of them last came to rest.

    >>> bounces = Bounces(2)
    >>> for time in (1.0, 1.5, 1.75):
    ...     bounces.note(0, [time])
    >>> bounces.completed(0, [0, 1], 1.875, -1.0)
    Completed(count=3, lost=0.125, source='estimated from the ratio of its last intervals')
    """

    def __init__(self, places: int) -> None:
        self._counts = [0] * places
        self._times: list[list[float]] = [[] for _ in range(places)]

    def saved(self) -> dict[int, tuple[int, list[float]]]:
        """Of places that have bounced: how often, and the times that are kept.

        >>> bounces = Bounces(2)
        >>> bounces.note(1, [0.5, 0.75])
        >>> bounces.saved()
        {1: (2, [0.5, 0.75])}
        """
        return {n: (count, list(self._times[n])) for n, count in enumerate(self._counts) if count > 0}

    def go_on_from(self, place: int, count: int, times: Sequence[float]) -> None:
        """Go on with what was known of a place."""
        self._counts[place], self._times[place] = count, list(times)

    def note(self, place: int, times: Sequence[float]) -> None:
        """A place has bounced at these times."""
        self._counts[place] += len(times)
        self._times[place] = [*self._times[place], *times[-KEPT:]][-KEPT:]

    def rest(self, places: Iterable[int]) -> None:
        """Places have come to rest."""
        for place in places:
            self._counts[place], self._times[place] = 0, []

    def completed(self, place: int, cluster: Iterable[int], now: float, remaining: float) -> Completed:
        """A place comes to rest with those of a cluster, itself among them; their bounces begin anew.

        ``remaining`` is the sum of the flights of this place alone, negative (-0.0 if there are none) where others come
        to rest with it, or it rocks and does not fly. Where that is so, or others have bounced since its last bounce,
        the ratio r of the last intervals I between two impacts of the place tells it: I r/(1 - r).
        """
        members = {place, *cluster}
        count, estimate = sum(self._counts[each] for each in members), self._estimated(place, now)
        alone = math.copysign(1.0, remaining) > 0.0 and not self._others_bounced_since(place)
        self.rest(members)
        if alone:
            return Completed(count, remaining, "the sum of its flights")
        if estimate < math.inf:
            return Completed(count, estimate, "estimated from the ratio of its last intervals")
        return Completed(count, abs(remaining), "estimated as if it bounced alone")

    def _others_bounced_since(self, place: int) -> bool:
        last = max(self._times[place], default=math.inf)
        return any(max(times, default=-math.inf) > last for times in self._times)

    def _estimated(self, place: int, now: float) -> float:
        intervals = np.diff([*self._times[place], now])
        if len(intervals) < 2 or intervals[-1] <= 0.0 or intervals[0] <= 0.0:
            return math.inf
        ratio = float(intervals[-1] / intervals[0]) ** (1.0 / (len(intervals) - 1))
        return float(intervals[-1]) * ratio / (1.0 - ratio) if ratio < 1.0 else math.inf
