"""A shape at its place: what the geometry of a pair is worked out from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from detent.contact.parametric import Course, course_of
from detent.expr import vector3
from detent.expr.graph import Node
from detent.expr.vector3 import Matrix3, Vector3
from detent.model.shape import Shape


@dataclass(frozen=True, eq=False)
class Placed:
    """A shape with nodes for where it is, all along the axes of one resolution frame that both shapes of a pair share.

    ``place`` is the shape's own origin, ``axes`` are its own x, y and z axis (three unit vectors), ``sizes`` its
    lengths and angles by name. ``surface_velocity`` is that of its surface against its carrier; None where it has none.
    """

    shape: Shape
    place: Vector3
    axes: Matrix3
    sizes: dict[str, Node]
    surface_velocity: Vector3 | None = None
    course: Course | None = None
    """The points of a parametric shape."""
    label: str = ""
    """What the coordinates that are kept track of are named after: the contact."""

    def coordinate(self, parameter: str, feature: str) -> str:
        """The name of a coordinate of the nearest point."""
        return " ".join(word for word in (parameter, "of", self.label, feature) if word)

    def at(self, x: Node, y: Node) -> Vector3:
        """The place with these coordinates in the shape's own x-y plane."""
        return vector3.add(self.place, self.along(x, y))

    def seen(self, point: Vector3) -> Vector3:
        """A point by its components along the shape's own axes, from its origin."""
        x, y, z = (vector3.dot(vector3.subtract(point, self.place), axis) for axis in self.axes)
        return (x, y, z)

    def along(self, x: Node, y: Node) -> Vector3:
        """The vector with these components along the shape's own x and y axis."""
        return vector3.add(vector3.scale(x, self.axes[0]), vector3.scale(y, self.axes[1]))


def placed(shape: Shape, origin: Vector3, matrix: Matrix3, convert: Callable[[Any], Node]) -> Placed:
    """A shape placed by its seat.

    ``origin`` is where the seat's point is; ``matrix`` takes components along the seat's frame to components along the
    resolution frame; ``convert`` turns the model's expressions into nodes.
    """

    def resolved(components: Any) -> Vector3:
        x, y, z = (convert(value) for value in components)
        return vector3.apply(matrix, (x, y, z))

    seat = shape.seat
    x, y, z = (resolved(axis) for axis in seat.axes)
    sizes = {name: convert(value) for name, value in shape.sizes.items()}
    place = vector3.add(origin, resolved(seat.offset))
    made = Placed(shape, place, (x, y, z), sizes, course=course_of(shape, convert))
    if not shape.moves_along_itself:
        return made
    across, up = (convert(value) for value in shape.surface_velocity)
    return replace(made, surface_velocity=made.along(across, up))
