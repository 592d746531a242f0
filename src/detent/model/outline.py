"""How a shape looks in a picture: lines in two dimensions.

NumPy is imported where something is drawn: a model is written without it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias, final

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Lines: TypeAlias = "list[NDArray[np.float64]]"
"""Each with a row (across, up) for every place that it joins, from the shape's own origin."""

ROUND: Final = 73
"""Places on a whole circle."""


@final
@dataclass(frozen=True, eq=False)
class Look:
    """Where a picture looks at a shape from.

    ``axes`` has a row for each of the shape's own axes: how far across and up it leads in the picture. What has no ends
    is drawn from ``middle`` (from the shape's own origin in the picture, m) as far as ``reach`` (m) both ways.
    ``parameters`` are the values of the system's, by name.

    >>> import numpy as np
    >>> Look(np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]), np.zeros(2), 5.0).line([(1, 2), (3, 4, 5)]).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """

    axes: NDArray[np.float64]
    middle: NDArray[np.float64]
    reach: float
    parameters: Mapping[str, float] = field(default_factory=dict)

    def line(self, places: Sequence[Sequence[float]]) -> NDArray[np.float64]:
        """Places along the shape's own axes, as they are seen."""
        own = line_through([[*place, 0.0][:3] for place in places])
        seen: NDArray[np.float64] = own @ self.axes
        return seen

    def hull(self, places: Sequence[Sequence[float]]) -> NDArray[np.float64]:
        """The edge of all that is between some places: the silhouette of something convex."""
        return convex_hull([(float(x), float(y)) for x, y in self.line(places)])

    def ball(self, radius: float, middle: Sequence[float] = (0.0, 0.0, 0.0)) -> list[tuple[float, float]]:
        """The edge of a ball, which is a circle from everywhere."""
        ((x, y),) = self.line([middle])
        return [(x + radius * math.cos(angle), y + radius * math.sin(angle)) for angle in _whole_turn()]

    def along(self, axis: int) -> tuple[float, float]:
        """From where to where along one of its axes something without ends is drawn."""
        at = float(self.middle @ self.axes[axis])
        return at - self.reach, at + self.reach


def line_through(places: Sequence[Sequence[float]]) -> NDArray[np.float64]:
    """A line through some places.

    >>> line_through([(0, 1), (2, 3)]).tolist()
    [[0.0, 1.0], [2.0, 3.0]]
    """
    import numpy as np

    return np.array(places, dtype=np.float64)


def spaced(first: float, last: float, count: int) -> list[float]:
    """So many numbers from one to another.

    >>> spaced(1.0, 2.0, 3)
    [1.0, 1.5, 2.0]
    """
    return [first + (last - first) * number / (count - 1) for number in range(count)]


def places_on_arc(radius: float, start: float, end: float, x: float = 0.0, y: float = 0.0) -> list[tuple[float, float]]:
    """Places on a part of a circle about (x, y), from an angle to another.

    >>> places_on_arc(2.0, 0.0, 0.0)[0]
    (2.0, 0.0)
    """
    count = max(2, math.ceil(abs(end - start) / (2 * math.pi) * (ROUND - 1)) + 1)
    return [(x + radius * math.cos(angle), y + radius * math.sin(angle)) for angle in spaced(start, end, count)]


def rim(radius: float, z: float = 0.0) -> list[tuple[float, float, float]]:
    """Places on a circle about the shape's z axis."""
    return [(radius * math.cos(angle), radius * math.sin(angle), z) for angle in _whole_turn()]


def convex_hull(places: list[tuple[float, float]]) -> NDArray[np.float64]:
    """The convex hull of some places, closed (Andrew, *Information Processing Letters* 9, 1979).

    >>> convex_hull([(0, 0), (2, 0), (1, 1), (2, 2), (0, 2)]).tolist()
    [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0], [0.0, 0.0]]
    """
    ordered = sorted(set(places))
    halves = [_half(ordered), _half(ordered[::-1])]
    return line_through([*halves[0][:-1], *halves[1]])


def _half(ordered: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The lower edge of places that are given from the left to the right."""
    kept: list[tuple[float, float]] = []
    for place in ordered:
        while len(kept) > 1 and _turn(kept[-2], kept[-1], place) <= 0:
            kept.pop()
        kept.append(place)
    return kept


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def _whole_turn() -> list[float]:
    return spaced(0.0, 2 * math.pi, ROUND)
