"""Frames: directions, in a tree that grows from the ground."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import sympy

from detent.errors import DetentError
from detent.model.carrier import Carrier
from detent.model.expression import read_expression
from detent.model.measure import along_axes, spin_measure, spin_rate_measure
from detent.model.rotation import AxisRotation, QuaternionRotation
from detent.model.vector import Components, Vector

if TYPE_CHECKING:
    from detent.model.point import Point
    from detent.model.system import System

AXES: Final[dict[str, Components]] = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}


class Frame(Carrier):
    """Three right-handed unit vectors ``x``, ``y``, ``z``, turned against a parent frame. It carries shapes.

    >>> import detent
    >>> system = detent.System("example")
    >>> q = system.coordinates("q")
    >>> arm = system.ground.rotated("arm", q, about="z")
    >>> arm.x.dot(system.ground.y)
    sin(q)
    """

    def __init__(
        self, system: System, name: str, parent: Frame | None, rotation: AxisRotation | QuaternionRotation | None
    ) -> None:
        self.system, self.name, self.parent, self.rotation = system, name, parent, rotation
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.x = Vector({self: (1, 0, 0)})
        self.y = Vector({self: (0, 1, 0)})
        self.z = Vector({self: (0, 0, 1)})

    def rotated(self, name: str, angle: Any, about: str | Sequence[Any] | Vector = "z") -> Frame:
        """A frame turned by an angle (radians) about an axis: "x", "y", "z", or a fixed direction in this frame."""
        turned = AxisRotation(self.direction(f"frame '{name}'", about), read_expression(f"frame '{name}'", angle))
        return self.system._add_frame(name, self, turned)

    def euler(self, name: str, angles: Sequence[Any], sequence: str = "zxz") -> Frame:
        """A frame turned by successive angles about its own axes, such as "zxz" or "zyx"."""
        if not sequence or len(angles) != len(sequence) or set(sequence) - set("xyz"):
            raise DetentError(
                f"frame '{name}': {len(angles)} angles for the axis sequence '{sequence}'; "
                "give one angle per letter, letters from x, y, z, such as euler('top', (a, b, c), 'zxz')"
            )
        frame = self
        for number, (angle, axis) in enumerate(zip(angles, sequence, strict=True), 1):
            last = number == len(sequence)
            frame = frame.rotated(name if last else f"{name}_{axis}{number}", angle, about=axis)
        return frame

    def quaternion(self, name: str, quaternion: Sequence[Any], angular_velocity: Sequence[Any] | Vector) -> Frame:
        """A frame turned by a unit quaternion (w, x, y, z) of signals.

        ``angular_velocity``: its components along the new frame's axes, in terms of speeds, or a vector that is
        written along the axes of this frame. Most models want :meth:`System.ball`, which declares the signals and
        speeds itself.
        """
        where, along_parent = f"frame '{name}'", isinstance(angular_velocity, Vector)
        if isinstance(angular_velocity, Vector):
            angular_velocity = self.components(f"{where}: its angular velocity", angular_velocity)
        if len(quaternion) != 4 or len(angular_velocity) != 3:
            raise DetentError(
                f"{where}: {len(quaternion)} quaternion parts and {len(angular_velocity)} angular velocity "
                "components; give four (w, x, y, z) and three"
            )
        w, x, y, z = (read_expression(where, part) for part in quaternion)
        p, q, r = (read_expression(where, part) for part in angular_velocity)
        return self.system._add_frame(name, self, QuaternionRotation((w, x, y, z), (p, q, r), along_parent))

    def components(self, where: str, vector: Vector) -> Components:
        """The components of a vector that is written along this frame's axes; anything else is an error."""
        if set(vector.terms) - {self}:
            raise DetentError(
                f"{where} {vector!r} is not written in the frame '{self.name}'; "
                f"write it along {self.name}.x, {self.name}.y and {self.name}.z"
            )
        return vector.terms.get(self, (0, 0, 0))

    def direction(self, where: str, about: str | Sequence[Any] | Vector) -> Components:
        """The unit components along this frame of an axis: "x", "y", "z", three numbers or a vector."""
        if isinstance(about, str):
            if about not in AXES:
                raise DetentError(f"{where}: the axis is '{about}'; use 'x', 'y', 'z' or a direction")
            return AXES[about]
        if isinstance(about, Vector):
            about = self.components(f"{where}: its axis", about)
        components = [read_expression(where, value) for value in about]
        if len(components) != 3 or all(value == 0 for value in components):
            raise DetentError(f"{where}: {about!r} is no direction; give three components, not all zero")
        length = sympy.sqrt(sum(value**2 for value in components))
        x, y, z = (value / length for value in components)
        return (x, y, z)

    def angular_velocity(self) -> Vector:
        """The angular velocity against the ground, rad/s, along the ground's axes: its components are symbols.

        >>> import detent
        >>> system = detent.System("example")
        >>> arm = system.ground.rotated("arm", system.coordinates("q"))
        >>> arm.angular_velocity().dot(system.ground.z)
        turning of arm along ground.z
        """
        return along_axes(self.system.ground, lambda axis: spin_measure(self, axis))

    def angular_acceleration(self) -> Vector:
        """The angular acceleration against the ground, rad/s^2; it holds u', so it is for values along a run."""
        return along_axes(self.system.ground, lambda axis: spin_rate_measure(self, axis))

    def path(self) -> list[Frame]:
        """The frames from the ground to this one."""
        upward: list[Frame] = []
        frame: Frame | None = self
        while frame is not None:
            upward.append(frame)
            frame = frame.parent
        return upward[::-1]

    def matrix_to(self, other: Frame) -> Any:
        """The SymPy matrix that takes components in this frame to components in another."""
        if other.system is not self.system:
            raise DetentError(
                f"frame '{self.name}' of system '{self.system.name}' is compared with frame '{other.name}' of system "
                f"'{other.system.name}'; frames of two systems cannot be mixed"
            )
        mine, theirs = self.path(), other.path()
        while mine and theirs and mine[0] is theirs[0]:
            mine, theirs = mine[1:], theirs[1:]
        result = sympy.eye(3)
        for frame in theirs:
            result = result * _matrix(frame)
        result = result.T
        for frame in mine:
            result = result * _matrix(frame)
        return result

    @property
    def called(self) -> str:
        return f"frame '{self.name}'"

    def shape_seat(self) -> tuple[Point, Frame]:
        return self.system.origin, self

    def __repr__(self) -> str:
        return f"<frame '{self.name}'>"


def _matrix(frame: Frame) -> Any:
    assert frame.rotation is not None
    return frame.rotation.matrix()
