"""A pendulum that starts from the horizontal: problem A01 of the IFToMM benchmark library.

A point mass of 1 kg on a massless rod of 1 m. Released from rest at the angle theta0 its period is
4 sqrt(l/g) K(sin(theta0/2)), with K the complete elliptic integral of the first kind: 2.367841947576 s
from the horizontal.
"""

from __future__ import annotations

import math

from sympy import pi

from detent.gallery.example import Example
from detent.model.system import System

TITLE = "a point mass on a rod, released from the horizontal (IFToMM A01)"


def build() -> Example:
    """The pendulum; ``angle`` is measured from the downward vertical."""
    system = System("pendulum")
    m, length, g = system.parameters(m=1, length=1, g=9.81)
    angle = system.coordinates(angle=-pi / 2)
    system.units(angle="rad", m="kg", length="m", g="m/s^2")
    rod = system.ground.rotated("rod", angle, about="z")
    system.particle("bob", system.origin.offset("bob", -length * rod.y), mass=m)
    system.gravity(-g * system.ground.y)
    return Example("pendulum", system, until=10.0)


def period(length: float, g: float, amplitude: float) -> float:
    """The exact period (s) of a pendulum that swings to an amplitude (rad), by the arithmetic-geometric mean.

    >>> round(period(1.0, 9.81, math.pi / 2), 12)
    2.367841947576
    """
    a, b = 1.0, math.cos(amplitude / 2)
    while abs(a - b) > 4e-16 * a:
        a, b = (a + b) / 2, math.sqrt(a * b)
    return 2 * math.pi * math.sqrt(length / g) / a
