"""The shapes of a model's contacts, where they are at each flash, as lines in the plane of a picture."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np

from detent.model.shape import Shape
from detent.model.system import System
from detent.model.vector import Vector
from detent.results.arrays import FloatArray
from detent.results.run import Run
from detent.simulation.evaluate import Evaluator
from detent.view.outlines import Outline, outline
from detent.view.plane import Plane

STEEP: Final = 1e-9
"""A plane is seen as a line where its normal leaves the picture by less."""


@final
@dataclass(frozen=True, eq=False)
class DrawnShape:
    """A shape at each flash: where its origin is, its axes as columns, what it looks like along them."""

    shape: Shape
    outline: Outline
    places: FloatArray
    axes: FloatArray
    seen: tuple[int, int]
    """The numbers of the ground's axes across the picture and up."""

    @property
    def still(self) -> bool:
        """Whether it is in one place at all flashes."""
        return bool(np.ptp(self.places, axis=0).max() == 0 and np.ptp(self.axes, axis=0).max() == 0)

    def lines(self, flash: int) -> list[FloatArray]:
        """Its lines in the picture, two columns each; not those that go on without end."""
        return [self._seen(flash, line) for line in self.outline.lines] + self._hull(flash)

    def endless(self, flash: int, middle: FloatArray, reach: float) -> list[FloatArray]:
        """A line or plane that goes on without end, as far as a picture about a middle reaches."""
        if self.outline.endless is None:
            return []
        place = self.places[flash][list(self.seen)]
        directions = (self.outline.endless @ self.axes[flash].T)[:, list(self.seen)]
        lengths = np.linalg.norm(directions, axis=1)
        if len(directions) == 2 and np.linalg.matrix_rank(directions, tol=STEEP) > 1:
            return []  # a plane that is seen from above
        along = directions[lengths.argmax()] / lengths.max()
        foot = place + along * (along @ (middle - place))
        return [np.stack([foot - reach * along, foot + reach * along])]

    def _seen(self, flash: int, points: FloatArray) -> FloatArray:
        world: FloatArray = self.places[flash] + points @ self.axes[flash].T
        return world[:, list(self.seen)]

    def _hull(self, flash: int) -> list[FloatArray]:
        if self.outline.solid is None:
            return []
        from scipy.spatial import ConvexHull

        points = self._seen(flash, self.outline.solid)
        around = points[ConvexHull(points).vertices]
        return [np.vstack([around, around[:1]])]


def drawn_shapes(system: System, run: Run, evaluator: Evaluator, plane: Plane, times: FloatArray) -> list[DrawnShape]:
    """Every shape of the contacts of a system, once."""
    shapes = {shape for contact in system.contacts.values() for shape in (contact.first, contact.second)}
    ordered = sorted(shapes, key=lambda shape: _order(system, shape))
    states = run.trajectory.at(times)
    seen = ("xyz".index(plane.across), "xyz".index(plane.up))
    made = []
    for shape in ordered:
        sizes = evaluator.over([*shape.sizes.values()], times[:1], states[:1])[0] if shape.sizes else []
        look = outline(shape, dict(zip(shape.sizes, map(float, sizes), strict=True)), run.parameters)
        if look is not None:
            found = evaluator.over(_wanted(system, shape), times, states)
            places, axes = found[:, :3], found[:, 3:].reshape(-1, 3, 3).transpose(0, 2, 1)
            made.append(DrawnShape(shape, look, places, axes, seen))
    return made


def _order(system: System, shape: Shape) -> int:
    pairs = [shape for contact in system.contacts.values() for shape in (contact.first, contact.second)]
    return next(number for number, other in enumerate(pairs) if other is shape)


def _wanted(system: System, shape: Shape) -> list[Any]:
    """The place of a shape along the ground's axes, then its own axes one after another."""
    ground, seat = system.ground, shape.seat
    directions = (ground.x, ground.y, ground.z)
    offset = Vector({seat.frame: seat.offset})
    wanted = [seat.origin.along(direction) + offset.dot(direction) for direction in directions]
    return wanted + [Vector({seat.frame: axis}).dot(direction) for axis in seat.axes for direction in directions]
