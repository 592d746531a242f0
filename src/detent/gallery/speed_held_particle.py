"""A particle under gravity whose speed is held: a constraint that is not linear in the speeds.

|v| = c + grows t binds the motion by the length of the velocity. By Chetaev's rule its reaction pushes along the
velocity and does work; what gravity brings in it takes out. With the slope s of the path, v = c (cos s, sin s) and c
s' = -g cos s while c stays, so that

    sin(s) = tanh(artanh(sin(s0)) - g t/c)

Embedding, which eliminates speeds by linear equations, refuses it.
"""

from __future__ import annotations

import math
from typing import Final

import sympy
from sympy import cos, sin

from detent.gallery.example import Example
from detent.model.constraint import motion
from detent.model.system import System

TITLE = "a particle whose speed is held: a constraint that is not linear in the speeds"

GRAVITY: Final = 9.81


def build() -> Example:
    """The particle: ``x`` and ``y`` (m) and their rates; |v| = 2 m/s.

    >>> run = build().simulate()
    >>> bool(abs(run.final.y_rate - 2 * slope_sine(1.0)) < 1e-8)
    True
    """
    return Example("speed-held-particle", speed_held_particle(), until=1.0, settings={"formulation": "corrected"})


def slope_sine(time: float, speed: float = 2.0, slope: float = math.pi / 3) -> float:
    """The sine of the slope of its path, thrown at a slope with a speed that is held.

    >>> slope_sine(0.0, slope=math.pi / 6)
    0.5
    """
    return math.tanh(math.atanh(math.sin(slope)) - GRAVITY * time / speed)


def speed_held_particle(grows: float = 0.0, squared: bool = False) -> System:
    """|v| = 2 + grows t under gravity, thrown at 60 degrees: a constraint that is not linear in the speeds."""
    system = System("speed-held particle")
    x, y = system.coordinates(x=0, y=0)
    system.start(x_rate=2 * cos(sympy.pi / 3), y_rate=2 * sin(sympy.pi / 3))
    system.units(x="m", y="m")
    system.particle("particle", system.origin.offset("particle", x * system.ground.x + y * system.ground.y), mass=1)
    system.gravity(-GRAVITY * system.ground.y)
    held = 2 + sympy.Float(grows) * system.time
    square = x.rate**2 + y.rate**2
    system.constrain(motion("speed", square - held**2 if squared else sympy.sqrt(square) - held))
    return system
