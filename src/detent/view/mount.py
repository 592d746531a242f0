"""What a piece of a scene is fixed to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from detent.jit.arrays import FloatArray
from detent.model.frame import Frame
from detent.model.point import Point
from detent.view.poses import Poses


@final
@dataclass(frozen=True, eq=False)
class Mount:
    """A point and a frame: the piece's own origin is off the point, its own axes stand in the frame, always the same.

    >>> import detent
    >>> ground = detent.System("example").ground
    >>> origin = ground.system.origin
    >>> moved = Poses({origin: np.zeros((1, 3))}, {ground: np.eye(3)[None]})
    >>> Mount(origin, ground, np.array([1.0, 0.0, 0.0]), np.eye(3)).over(moved)[0].tolist()
    [[1.0, 0.0, 0.0]]
    """

    point: Point
    frame: Frame
    offset: FloatArray
    """(3,): m, along the frame's axes."""
    axes: FloatArray
    """(3, 3): the columns are the piece's axes, along the frame's."""

    def over(self, moved: Poses) -> tuple[FloatArray, FloatArray]:
        """Where the piece's origin is and how its axes stand, along the ground's axes, a row for each time."""
        turns = moved.turns[self.frame]
        return moved.places[self.point] + turns @ self.offset, turns @ self.axes


def mount_of(point: Point, frame: Frame) -> Mount:
    """A mount right at a point, along a frame's axes."""
    return Mount(point, frame, np.zeros(3), np.eye(3))
