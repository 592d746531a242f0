"""Measures: scalars of the geometry, as SymPy symbols.

A point of a long chain has a position that is long to write out. A measure stands for it by name; the
engine knows how it moves and never writes it out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from detent.expr.latex_name import upright
from detent.model.quantity import Moving

if TYPE_CHECKING:
    from detent.model.frame import Frame
    from detent.model.point import Point
    from detent.model.vector import Vector


class Measure(Moving):
    """A component of a position, a velocity, an acceleration or an angular one along a direction."""

    __slots__ = ("direction", "frame", "level", "other", "point")

    role = "measure"
    instead = "write the place out in coordinates, whose rates are known"
    level: str
    """``"position"``, ``"velocity"``, ``"motion"``, ``"spin"``, ``"acceleration"`` or ``"spin rate"``."""
    point: Point | None
    other: Point | None
    frame: Frame | None
    direction: Vector

    def _latex(self, printer: Any) -> str:
        along = self.direction.latex()
        along = rf"\left({along}\right)" if len(_components(self.direction)) > 1 else along
        if self.level == "spin" and self.frame is not None:
            return _product(rf"\omega_{{{upright(self.frame.name)}}}", along)
        name = "" if self.point is None else self.point.name
        if self.level == "velocity" and self.other is not None:
            return _product(rf"v_{{{upright(f'{name} of {self.other.name}')}}}", along)
        origin = "" if self.other is None or self.other.parent is None else f"/{self.other.name}"
        return _product(f"r_{{{upright(name + origin)}}}", along)


def position_measure(point: Point, origin: Point, direction: Vector) -> Measure:
    """How far a point is from another along a direction."""
    return _made(f"{point.name} from {origin.name} along {direction!r}", "position", point, origin, None, direction)


def velocity_measure(place: Point, center: Point, frame: Frame, direction: Vector) -> Measure:
    """The velocity along a direction of what is at a place and belongs to the body with this centre and frame."""
    name = f"velocity at {place.name} of {center.name} {frame.name} along {direction!r}"
    return _made(name, "velocity", place, center, frame, direction)


def spin_measure(frame: Frame, direction: Vector) -> Measure:
    """The angular velocity of a frame along a direction."""
    return _made(f"turning of {frame.name} along {direction!r}", "spin", None, None, frame, direction)


def motion_measure(point: Point, direction: Vector) -> Measure:
    """The velocity of a point along a direction, against the ground."""
    return _made(f"velocity of {point.name} along {direction!r}", "motion", point, None, None, direction)


def acceleration_measure(point: Point, direction: Vector) -> Measure:
    """The acceleration of a point along a direction, against the ground: known along a run."""
    return _made(f"acceleration of {point.name} along {direction!r}", "acceleration", point, None, None, direction)


def spin_rate_measure(frame: Frame, direction: Vector) -> Measure:
    """The angular acceleration of a frame along a direction: known along a run."""
    return _made(f"angular acceleration of {frame.name} along {direction!r}", "spin rate", None, None, frame, direction)


def along_axes(frame: Frame, component: Callable[[Vector], Measure]) -> Vector:
    """The vector whose components along the axes of a frame are measures."""
    from detent.model.vector import Vector

    return Vector({frame: (component(frame.x), component(frame.y), component(frame.z))})


def _made(
    name: str, level: str, point: Point | None, other: Point | None, frame: Frame | None, direction: Vector
) -> Measure:
    owner = point.system if point is not None else frame.system if frame is not None else None
    assert owner is not None
    made: Any = Measure(owner, name)
    made.level, made.point, made.other, made.frame, made.direction = level, point, other, frame, direction
    measure: Measure = made
    return measure


def _components(direction: Vector) -> list[Any]:
    return [value for components in direction.terms.values() for value in components if value != 0]


def _product(vector: str, along: str) -> str:
    """In parentheses, for it may be a factor or have a power."""
    return rf"\left({vector} \cdot {along}\right)"
