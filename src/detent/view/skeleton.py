"""What a model without shapes looks like: rods between its points, and which of these move and where it ends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, final

import numpy as np

from detent.errors import UnknownNameError
from detent.jit.arrays import FloatArray
from detent.model.body import Body
from detent.model.frame import Frame
from detent.model.point import Point
from detent.model.system import System
from detent.view.plane import is_fixed, is_rigid

MOST_TRACES: Final = 4
"""Of points whose paths are drawn without being asked for."""
STILL: Final = 1e-9
"""A point that moves less than this, relative to the size of the picture, stands still."""


@final
class Skeleton:
    """The rods of a model: a line from a point to the one that it is offset from, where that offset is rigid.

    ``paths`` are the places of all points along a run, by name, in a plane or in space; a row may be NaN. ``size`` is
    that of the picture (m).

    >>> import detent
    >>> system = detent.example("pendulum").system
    >>> paths = {name: np.array([[0.0, 0.0], [k, 0.0]]) for k, name in enumerate(system.points)}
    >>> Skeleton(system, paths, 1.0).rods
    [('bob', 'origin')]
    """

    def __init__(self, system: System, paths: Mapping[str, FloatArray], size: float) -> None:
        self.system, self._paths, self._size = system, paths, size
        rigid = {name: point for name, point in system.points.items() if _is_rod(point)}
        rods = [(name, point.parent.name) for name, point in rigid.items() if point.parent is not None]
        self.rods = [rod for rod in rods if not any(self._covers(other, rod) for other in rods)]
        self.on_rods = {name for rod in rods for name in rod}
        self.framed: set[Frame] = {frame for point in rigid.values() for frame in point.displacement.terms}
        """The frames that are seen to turn, as a rod lies along them."""
        self.moving = {name for name in paths if not is_fixed(system.points[name])}
        """What may move, whether it does or not: a ball that hangs still is no part of the ground."""

    def _moves(self, name: str) -> bool:
        return bool(np.ptp(finite(self._paths[name]), axis=0).max() > STILL * self._size)

    def _covers(self, rod: tuple[str, str], other: tuple[str, str]) -> bool:
        """Whether one rod lies on another that is longer, as the way to a rod's middle lies on the rod."""
        (first, parent), (second, same) = rod, other
        if parent != same or self.system.points[first].carrier is not self.system.points[second].carrier:
            return False
        long, short = (self._paths[name][0] - self._paths[parent][0] for name in (first, second))
        if not long @ short > 0 or not long @ long > short @ short:
            return False
        across = short - long * (long @ short) / (long @ long)
        return bool(np.linalg.norm(across) <= STILL * self._size)

    def traced(self, names: Sequence[str] | None) -> list[str]:
        """The points whose paths are drawn: those named, or else the ends of the model."""
        if names is None:
            return self._ends()[:MOST_TRACES]
        chosen = [names] if isinstance(names, str) else list(names)
        for name in chosen:
            if name not in self.system.points:
                raise UnknownNameError(str(name), self.system.points, what="point")
        return chosen

    def _ends(self) -> list[str]:
        """Moving points that nothing else is offset from, each place once; centres of rods where there is no other."""
        points = self.system.points
        inner = {point.parent.name for point in points.values() if point.parent is not None}
        centers = {body.center.name for body in self.system.bodies.values()}
        moved = {name for name in self.moving if self._moves(name)}
        outer = [name for name in points if name in moved and name not in inner]
        free = [name for name in outer if not (name in centers and name in self.on_rods)]
        ends: list[str] = []
        for name in free or outer or sorted(centers & moved):
            if not any(np.allclose(self._paths[name], self._paths[end], atol=STILL * self._size, equal_nan=True)
                       for end in ends):  # fmt: skip
                ends.append(name)
        return ends


def finite(values: FloatArray) -> FloatArray:
    """The rows of an array that hold no NaN."""
    kept: FloatArray = values[np.isfinite(values).all(axis=1)]
    return kept


def has_inertia(body: Body) -> bool:
    """Whether a body has an inertia of its own: a particle has none."""
    return any(value != 0 for value in (body.inertia.xx, body.inertia.yy, body.inertia.zz))


def _is_rod(point: Point) -> bool:
    return point.parent is not None and bool(point.displacement.terms) and is_rigid(point.displacement)
