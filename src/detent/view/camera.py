"""From where a scene is seen, without perspective."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, final

import numpy as np

from detent.jit.arrays import FloatArray
from detent.model.load_kinds import Gravity
from detent.model.system import System
from detent.simulation.values import Values
from detent.view.plane import PicturePlane

ROUND: Final = np.radians(-60.0)
"""How far the camera is turned about the vertical."""
ABOVE: Final = np.radians(18.0)
"""How far it looks down."""


@final
@dataclass(frozen=True, eq=False)
class Camera:
    """Looks at a place; its axes lead to the right, upwards and towards the viewer, a row each.

    >>> Camera(np.zeros(3), np.eye(3), 2.0, 1.0, np.eye(3)[1]).seen(np.array([[1.0, 2.0, 3.0]])).tolist()
    [[1.0, 2.0, 3.0]]
    """

    middle: FloatArray
    axes: FloatArray
    width: float
    """How much is to be seen from left to right and from below to above, m."""
    height: float
    upwards: FloatArray
    """The direction about which one goes round the scene."""

    def seen(self, places: FloatArray) -> FloatArray:
        """Places (..., 3) as the camera sees them: to the right, upwards and towards the viewer, m."""
        seen: FloatArray = (places - self.middle) @ self.axes.T
        return seen


def camera_for(system: System, values: Values, plane: PicturePlane | None, low: FloatArray, high: FloatArray) -> Camera:
    """A camera that sees all between two corners of a box: across the plane of motion, or in space from the side."""
    if plane is not None:
        right, up = (np.eye(3)["xyz".index(letter)] for letter in (plane.across, plane.up))
        upwards = up
    else:
        upwards = _upwards(system, values)
        right, up = _from_the_side(upwards)
    axes = np.array([right, up, np.cross(right, up)])
    corners = np.array([[x, y, z] for x in (low[0], high[0]) for y in (low[1], high[1]) for z in (low[2], high[2])])
    width, height, _ = np.ptp(corners @ axes.T, axis=0)
    least = 0.3 * max(width, height) or 1.0
    return Camera((low + high) / 2, axes, float(max(width, least)), float(max(height, least)), upwards)


def _from_the_side(upwards: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The directions to the right and upwards in a picture, for a direction that is to be upright."""
    first = np.roll(upwards, 1)  # of two further axes, so that they are right-handed with it
    second = np.cross(upwards, first)
    outward = np.cos(ROUND) * first + np.sin(ROUND) * second
    right = np.cross(upwards, outward)
    return right, np.cos(ABOVE) * upwards - np.sin(ABOVE) * outward


def _upwards(system: System, values: Values) -> FloatArray:
    """The axis of the ground against which gravity acts; z without gravity."""
    upright: FloatArray = np.eye(3)
    fields = [load.acceleration for load in system.loads.values() if isinstance(load, Gravity)]
    if not fields:
        return np.array([0.0, 0.0, 1.0])
    pull = sum(values.over([field], values.first_time)[0] for field in fields)
    strongest = int(np.argmax(np.abs(pull)))
    against: FloatArray = upright[strongest] * (1.0 if pull[strongest] <= 0 else -1.0)
    return against
