"""How one frame is turned against another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sympy

from detent.model.vector import Components


@dataclass(frozen=True)
class AxisRotation:
    """A turn by an angle about a unit axis fixed in both frames (right-handed, radians)."""

    axis: Components
    angle: Any

    def matrix(self) -> Any:
        """The SymPy matrix that takes components in the turned frame to components in its parent."""
        x, y, z = self.axis
        s, c = sympy.sin(self.angle), sympy.cos(self.angle)
        skew = sympy.Matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        return sympy.eye(3) + s * skew + (1 - c) * skew * skew


@dataclass(frozen=True)
class QuaternionRotation:
    """A turn by a unit quaternion (w, x, y, z) whose angular velocity is known by itself.

    ``angular_velocity`` holds its components along the turned frame's axes, or ``along_parent``, linear in the speeds;
    the quaternion follows by w' = -(x wx + y wy + z wz)/2 and so on (Diebel 2006).
    """

    quaternion: tuple[Any, Any, Any, Any]
    angular_velocity: Components
    along_parent: bool = False

    def matrix(self) -> Any:
        """The SymPy matrix that takes components in the turned frame to components in its parent."""
        w, x, y, z = self.quaternion
        return sympy.Matrix(
            [
                [w**2 + x**2 - y**2 - z**2, 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), w**2 - x**2 + y**2 - z**2, 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), w**2 - x**2 - y**2 + z**2],
            ]
        )


def quaternion_rates(
    quaternion: tuple[Any, Any, Any, Any], angular_velocity: Components, along_parent: bool = False
) -> tuple[Any, Any, Any, Any]:
    """The rates of a unit quaternion turning with an angular velocity along the turned axes, or those of the parent."""
    w, x, y, z = quaternion
    if along_parent:  # the turn back, by the conjugate, has the opposite angular velocity along these axes
        back = quaternion_rates((w, -x, -y, -z), tuple(-value for value in angular_velocity))
        return (back[0], -back[1], -back[2], -back[3])
    p, q, r = angular_velocity
    return (
        (-x * p - y * q - z * r) / 2,
        (w * p + y * r - z * q) / 2,
        (w * q + z * p - x * r) / 2,
        (w * r + x * q - y * p) / 2,
    )
