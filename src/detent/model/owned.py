"""Points, frames and vectors that a system is given: of the kind that is wanted, and of that system."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from detent.errors import DetentError
from detent.model.body import Body
from detent.model.frame import Frame
from detent.model.point import Point
from detent.model.vector import Vector

if TYPE_CHECKING:
    from detent.model.system import System


def owned_point(system: System, where: str, thing: Any) -> Point:
    """A point, or the centre of a body."""
    point = thing.center if isinstance(thing, Body) else thing
    if not isinstance(point, Point):
        raise DetentError(f"{where}: found {thing!r} where a point or body was expected; give one of this system")
    check_owner(system, where, point)
    return point


def owned_frame(system: System, where: str, thing: Any) -> Frame:
    """A frame, or that of a body."""
    frame = thing.frame if isinstance(thing, Body) else thing
    if not isinstance(frame, Frame):
        raise DetentError(f"{where}: found {thing!r} where a frame or body was expected; give one of this system")
    check_owner(system, where, frame)
    return frame


def owned_ends(system: System, where: str, ends: tuple[Any, ...]) -> tuple[Point, Point]:
    """Two points or bodies."""
    if len(ends) != 2:
        raise DetentError(f"{where}: found {len(ends)} ends; give two points or bodies, such as (first, second)")
    first, second = (owned_point(system, where, end) for end in ends)
    return first, second


def owned_vector(system: System, where: str, vector: Any) -> Vector:
    """A vector along axes of frames."""
    if not isinstance(vector, Vector):
        raise DetentError(f"{where}: {vector!r} is not a vector; write it along a frame's axes, such as -g*ground.y")
    check_owner(system, where, *vector.terms)
    return vector


def check_owner(system: System, where: str, *things: Point | Frame) -> None:
    """That things belong to a system, or to the one that it is with other contacts: both have one number."""
    for thing in things:
        if thing.system.number != system.number:
            kind = "frame" if isinstance(thing, Frame) else "point"
            raise DetentError(
                f"{where} of system '{system.name}' uses {kind} '{thing.name}' of system '{thing.system.name}'; "
                "frames and points of two systems cannot be mixed"
            )
