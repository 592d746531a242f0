"""Joints: conveniences that declare coordinates, speeds, a frame and a point in one go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from detent.model.frame import Frame
from detent.model.point import Point
from detent.model.quantity import Coordinate, Signal, Speed
from detent.model.vector import Vector

if TYPE_CHECKING:
    from detent.model.system import System


@dataclass(frozen=True, eq=False)
class Joint:
    """What a joint brought: where it carries its body (``point``, ``frame``) and the quantities it declared.

    >>> import detent
    >>> system = detent.System("example")
    >>> hinge = system.revolute("hinge", system.origin, system.ground)
    >>> hinge.coordinates, hinge.speeds
    ((hinge,), (hinge_rate,))
    """

    name: str
    point: Point
    frame: Frame
    coordinates: tuple[Coordinate, ...] = ()
    speeds: tuple[Speed, ...] = ()
    signals: tuple[Signal, ...] = ()


def _coordinate(system: System, name: str, start: Any, unit: str) -> tuple[Coordinate, Speed]:
    system.units(**{name: unit})
    coordinate = system.coordinates(name) if start is None else system.coordinates(**{name: start})
    return coordinate, system.speeds(**{f"{name}_rate": coordinate.rate})


def revolute_joint(system: System, name: str, at: Point, frame: Frame, about: Any, start: Any) -> Joint:
    angle, speed = _coordinate(system, name, start, "rad")
    return Joint(name, at, frame.rotated(name, angle, about), (angle,), (speed,))


def prismatic_joint(system: System, name: str, at: Point, frame: Frame, along: Any, start: Any) -> Joint:
    position, speed = _coordinate(system, name, start, "m")
    fixed = along if isinstance(along, Vector) else Vector({frame: frame.direction(f"joint '{name}'", along)})
    return Joint(name, at.offset(name, position * fixed), frame, (position,), (speed,))


def planar_joint(system: System, name: str, at: Point, frame: Frame) -> Joint:
    parts = {"x": "m", "y": "m", "angle": "rad"}
    made = [_coordinate(system, f"{name}_{part}", None, unit) for part, unit in parts.items()]
    (x, y, angle), speeds = zip(*made, strict=True)
    return Joint(name, at.offset(name, x * frame.x + y * frame.y), frame.rotated(name, angle), (x, y, angle), speeds)


def ball_joint(system: System, name: str, at: Point, frame: Frame, spin_along_parent: bool) -> Joint:
    p, q, r = system.speeds(*(f"{name}_w{letter}" for letter in "xyz"))
    system.units(**{speed.name: "rad/s" for speed in (p, q, r)})
    turning = p * frame.x + q * frame.y + r * frame.z if spin_along_parent else (p, q, r)
    quaternion = system.quaternion(name, turning)
    return Joint(name, at, frame.quaternion(name, quaternion, turning), (), (p, q, r), quaternion)


def free_joint(system: System, name: str, at: Point, frame: Frame, spin_along_parent: bool) -> Joint:
    made = [_coordinate(system, f"{name}_{letter}", None, "m") for letter in "xyz"]
    (x, y, z), speeds = zip(*made, strict=True)
    point = at.offset(name, x * frame.x + y * frame.y + z * frame.z)
    turning = ball_joint(system, name, point, frame, spin_along_parent)
    return Joint(name, point, turning.frame, (x, y, z), (*speeds, *turning.speeds), turning.signals)
