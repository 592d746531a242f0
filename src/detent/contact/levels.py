"""Where a curve or surface may touch a plane or a straight face: at any point whose normal is opposed to that of it."""

from __future__ import annotations

from detent.contact.geometry import Course, Facing, Spread
from detent.contact.placed import Placed
from detent.expr import vector3
from detent.expr.vector3 import Vector3


def facing_face(curve: Placed, course: Course, start: Vector3, upward: Vector3) -> Facing:
    """A curve, and a straight face through a place: the foot of the curve's origin on it, and its axes."""
    x, y = (vector3.dot(upward, axis) for axis in curve.axes[:2])
    height = vector3.dot(vector3.subtract(curve.place, start), upward)
    return Facing((-height * x, -height * y, y, -x, x, y), (height,), (x, y), courses=(course,), level=True)


def facing_plane(surface: Placed, spread: Spread, start: Vector3, upward: Vector3) -> Facing:
    """A surface, and a plane through a place: its normal, and how high the surface's origin is above it."""
    normal = tuple(vector3.dot(upward, axis) for axis in surface.axes)
    height = vector3.dot(vector3.subtract(surface.place, start), upward)
    return Facing((*normal, height), (height,), normal, spread=spread, level=True)
