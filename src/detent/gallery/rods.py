"""A hanging chain of uniform rods, which several examples are made of."""

from __future__ import annotations

from typing import Any

from detent.model.point import Point
from detent.model.system import System


def hang_rods(system: System, links: int, m: Any, length: Any) -> Point:
    """Hang rods of mass ``m`` (kg) and ``length`` (m) from the origin, one below the other; returns the tip.

    ``q1`` is measured from the downward vertical, each further angle from the rod before; ``u1``, ... are their rates.

    >>> system = System("example")
    >>> hang_rods(system, 2, m=1, length=1)
    <point 'joint2'>
    """
    joint, frame = system.origin, system.ground
    for number in range(1, links + 1):
        angle = system.coordinates(f"q{number}")
        system.speeds(**{f"u{number}": angle.rate})
        system.units(**{f"q{number}": "rad"})
        frame = frame.rotated(f"link{number}", angle, about="z")
        center = joint.offset(f"center{number}", -length / 2 * frame.y)
        joint = joint.offset(f"joint{number}", -length * frame.y)
        system.body(f"link{number}", center, frame, mass=m, inertia=m * length**2 / 12)
    return joint
