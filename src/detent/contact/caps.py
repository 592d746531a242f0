"""Caps: what a bump is seen as where it is so flat that the point parallel to a face would go over it infinitely fast.

On y = -x^4 a plank that turns by an angle a is parallel at x = -(a/4)^(1/3), and what presses it down has no bound
where that is zero. A short part of the curve is raised in its middle, by no more than faces may sink in elsewhere:

    c(t) + a (1 - t^2)^3 n,    -1 < t < 1,

where n is across it. At its ends the cap has the point, the way and the bend of the curve. A disk or a point touches
the curve itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from detent.expr import operation as op
from detent.expr.graph import Node

_FLATTER: Final = 0.1
"""A part is seen as its cap where it bends somewhere by less than this part of what the cap does."""
_WORTH_A_LOOK: Final = 1e-3
"""There it must bend by less than this part of what the bump does on average."""
_EVEN: Final = 0.1
"""A cap bends everywhere by at least this part of what it does on average."""
_LOOKED_AT: Final = 32
"""How a part bends is seen between so many pieces of it."""
_RAISED: Final = 24
"""So many heights are tried."""
_CLOSER: Final = 40
"""So often what holds the flattest place becomes shorter, by a third."""
_HALVINGS: Final = 30
"""So often what holds the width of a cap is halved."""
Spots: TypeAlias = Callable[[float], Sequence[float]]
"""The point of a curve at a value, its way and its second slope there: x, y, dx, dy, ddx, ddy."""
Bends: TypeAlias = Callable[[float], float]
"""How fast a curve turns away from its face at a value."""


class Cap(NamedTuple):
    """A part of a bump, and by how much its middle is raised: a n."""

    start: float
    end: float
    x: float
    y: float

    def put_on(self, at: Node, x: Node, y: Node) -> tuple[Node, Node]:
        """The components of a curve at a coordinate, with the cap on it."""
        graph = at.graph
        t = (2.0 / (self.end - self.start)) * (at - 0.5 * (self.start + self.end))
        t = graph.function2(op.MINIMUM, graph.function2(op.MAXIMUM, t, -1.0), 1.0)
        beside = 1.0 - t * t
        hump = beside * beside * beside
        return x + self.x * hump, y + self.y * hump


def caps_of(
    spots: Spots, bends: Bends, side: float, values: Sequence[float], average: float, deep: float
) -> tuple[Cap, ...]:
    """The caps of a bump that is looked at between some values; none is farther from the curve than ``deep``.

    ``side`` is 1 where its face is on the left, -1 where it is on the right.
    """
    seen = [bends(value) for value in values]
    made: list[Cap] = []
    for k in range(1, len(values) - 1):
        if not (seen[k] <= seen[k - 1] and seen[k] < seen[k + 1] and seen[k] < _WORTH_A_LOOK * average):
            continue
        first = next(j for j in range(k, -1, -1) if j == 0 or seen[j - 1] > seen[k])  # of a part that is straight
        middle = 0.5 * (values[first] + values[k]) if first < k else _flattest(bends, values[k - 1], values[k + 1])
        cap = _widest(spots, bends, side, middle, min(middle - values[0], values[-1] - middle), deep)
        if cap is not None and not (made and made[-1].end > cap.start):
            made.append(cap)
    return tuple(made)


def _flattest(bends: Bends, low: float, high: float) -> float:
    """Where between two values it bends least."""
    for _ in range(_CLOSER):
        third = (high - low) / 3.0
        low, high = (low, high - third) if bends(low + third) <= bends(high - third) else (low + third, high)
    return 0.5 * (low + high)


def _widest(spots: Spots, bends: Bends, side: float, middle: float, most: float, deep: float) -> Cap | None:
    """The widest cap around a value that is not higher than ``deep``; None where it bends enough without."""
    narrow, wide, found = 0.0, most, None
    for _ in range(_HALVINGS):
        half = 0.5 * (narrow + wide)
        cap, bent = _cap(spots, side, middle - half, middle + half)
        if math.hypot(cap.x, cap.y) <= deep:
            narrow, found = half, (cap, bent)
        else:
            wide = half
    if found is None:
        return None
    cap, bent = found
    along = np.linspace(cap.start, cap.end, _LOOKED_AT + 1)
    needed = min(bends(float(value)) for value in along) < _FLATTER * bent.mean()
    return cap if needed and bent.min() >= _EVEN * bent.mean() else None


def _cap(spots: Spots, side: float, start: float, end: float) -> tuple[Cap, np.ndarray]:
    """The cap between two values that bends most where it bends least, and how it bends along it."""
    t, half = np.linspace(-1.0, 1.0, _LOOKED_AT + 1), 0.5 * (end - start)
    seen = np.array([spots(float(start + half * (1.0 + each))) for each in t])
    across = seen[-1, :2] - seen[0, :2]
    normal = side * np.array([-across[1], across[0]]) / math.hypot(*across)
    first, second = seen[:, 2:4], seen[:, 4:6]
    highest = max(0.0, float(_bent(first, second, side).mean())) * half * math.hypot(*across)
    slope, bend = -6.0 * t * (1.0 - t * t) ** 2 / half, (1.0 - t * t) * (30.0 * t * t - 6.0) / half**2
    tried = []
    for height in np.linspace(0.0, 0.5 * highest, _RAISED):  # that of an arc which turns as much is a quarter of this
        raised = height * normal
        tried.append((_bent(first + np.outer(slope, raised), second + np.outer(bend, raised), side), raised))
    bent, raised = max(tried, key=lambda each: float(each[0].min()))
    return Cap(start, end, float(raised[0]), float(raised[1])), bent


def _bent(first: np.ndarray, second: np.ndarray, side: float) -> np.ndarray:
    """How fast what has these slopes and second slopes turns away from its face."""
    turning: np.ndarray = side * (first[:, 1] * second[:, 0] - first[:, 0] * second[:, 1]) / (first**2).sum(axis=1)
    return turning
