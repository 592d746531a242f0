"""Points: places, in a tree that grows from the origin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from detent.errors import DetentError
from detent.model.frame import Frame
from detent.model.measure import Measure, acceleration_measure, along_axes, motion_measure, position_measure
from detent.model.vector import Vector

if TYPE_CHECKING:
    from detent.model.system import System


class Point:
    """A place given by its offset from another point.

    >>> import detent
    >>> system = detent.System("example")
    >>> x = system.coordinates("x")
    >>> system.origin.offset("cart", x*system.ground.x).position()
    x*ground.x
    """

    def __init__(self, system: System, name: str, parent: Point | None, displacement: Vector) -> None:
        self.system, self.name, self.parent, self.displacement = system, name, parent, displacement

    def offset(self, name: str, displacement: Vector) -> Point:
        """A new point at a displacement (metres) from this one."""
        if not isinstance(displacement, Vector):
            raise DetentError(
                f"point '{name}': its offset is {displacement!r}, not a vector; write it along a frame's axes, "
                "such as 2*frame.x"
            )
        for frame in displacement.terms:
            if frame.system is not self.system:
                raise DetentError(
                    f"point '{name}' of system '{self.system.name}' is offset along frame '{frame.name}' of system "
                    f"'{frame.system.name}'; frames of two systems cannot be mixed"
                )
        return self.system._add_point(name, self, displacement)

    def path(self) -> list[Point]:
        """The points from the system's origin to this one."""
        upward: list[Point] = []
        point: Point | None = self
        while point is not None:
            upward.append(point)
            point = point.parent
        return upward[::-1]

    def position(self, origin: Point | None = None) -> Vector:
        """The vector to this point from another, or from the system's origin."""
        mine = _to_root(self)
        return mine if origin is None else mine - _to_root(origin)

    def velocity(self) -> Vector:
        """The velocity against the ground, m/s, along the ground's axes: its components are symbols for expressions.

        >>> import detent
        >>> system = detent.System("example")
        >>> x = system.coordinates("x")
        >>> cart = system.origin.offset("cart", x*system.ground.x)
        >>> cart.velocity().dot(system.ground.x)
        velocity of cart along ground.x
        """
        return along_axes(self.system.ground, lambda axis: motion_measure(self, axis))

    def acceleration(self) -> Vector:
        """The acceleration against the ground, m/s^2, like :meth:`velocity`.

        It holds u', which follows from the equations of motion: it is for :meth:`Run.value`, files and plots, and is
        refused in constraints, loads and guards.
        """
        return along_axes(self.system.ground, lambda axis: acceleration_measure(self, axis))

    def distance(self, other: Point) -> Any:
        """The distance to another point, a SymPy expression."""
        return self.position(other).magnitude()

    def along(self, direction: Vector, origin: Point | None = None) -> Measure:
        """How far this point is along a direction from another (the system's origin): a symbol for expressions.

        Cheap however long the chain that leads here: the engine knows how it moves and never writes it out.
        """
        return position_measure(self, origin or self.system.origin, direction)

    @property
    def carrier(self) -> Frame:
        """The frame this point is offset in last: the deepest one of its displacement."""
        if self.displacement.terms:
            return max(self.displacement.terms, key=lambda frame: frame.depth)
        return self.system.ground if self.parent is None else self.parent.carrier

    def __repr__(self) -> str:
        return f"<point '{self.name}'>"


def _to_root(point: Point) -> Vector:
    total = Vector({})
    step: Point | None = point
    while step is not None:
        total = step.displacement + total
        step = step.parent
    return total
