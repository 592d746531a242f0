"""A block that rocks from corner to corner and loses energy at each change: Housner's block (1963).

A uniform block of ``width`` and ``height`` stands tilted by ``angle`` on its lower left corner and is let go. It falls
back, strikes the floor with its other lower corner, and, if friction is enough and there is no restitution, goes on
turning about that one. Its angular momentum about the new corner is kept, so that it turns on with

    w+/w- = 1 - 3/2 sin^2(alpha),    tan(alpha) = width/height,

whatever its mass and size. Between two strikes the energy is kept, which gives the angle it reaches after n of them,

    cos(alpha - angle_n) = cos(alpha) + (w+/w-)^(2n) (cos(alpha - angle_0) - cos(alpha)).

The strikes pile up, and the block comes to rest on both corners, whose forces are then not unique.
"""

from __future__ import annotations

import math

from detent.gallery.example import Example
from detent.model.friction_laws import Coulomb
from detent.model.impact_laws import Poisson
from detent.model.system import System

TITLE = "a block that rocks from corner to corner until it stands (Housner)"


def build() -> Example:
    """The block: ``x`` and ``y`` (m) of its lower left corner, its ``angle`` (rad), and their rates.

    >>> run = build().simulate(until=1)
    >>> [(round(event.time, 9), event.name) for event in run.events.of_kind("impact")]
    [(0.591917192, 'block|floor corner 1: stick -> open, block|floor corner 2: open -> stick')]
    """
    system = System("rocking block")
    width, height, m, mu, e, g = system.parameters(width=1, height=4, m=1, mu=1, e=0, g=9.81)
    x, y, angle = system.coordinates("x", "y", "angle")
    system.start(x=0, y=0, angle=0.1, x_rate=0, y_rate=0, angle_rate=0)
    system.units(x="m", y="m", angle="rad", width="m", height="m", m="kg", g="m/s^2")
    frame = system.ground.rotated("block", angle)
    corner = system.origin.offset("corner", x * system.ground.x + y * system.ground.y)
    middle = corner.offset("middle", width / 2 * frame.x + height / 2 * frame.y)
    block = system.body("block", middle, frame, m, m * (width**2 + height**2) / 12)
    system.gravity(-g * system.ground.y)
    a, b = width / 2, height / 2
    shape = block.polygon((-a, -b), (a, -b), (a, b), (-a, b))
    system.contact("block|floor", shape, system.ground.line(), friction=Coulomb(mu), impact=Poisson(e))
    return Example("rocking-block", system, until=5.0)


def ratio(width: float, height: float) -> float:
    """Housner's ratio of the angular velocities after and before a strike.

    >>> round(ratio(1, 4), 12), 31 / 34 == ratio(1, 4)
    (0.911764705882, True)
    """
    return 1 - 1.5 * width**2 / (width**2 + height**2)


def peak(number: int, start: float, width: float, height: float) -> float:
    """The tilt (rad) the block reaches after so many strikes, let go at the tilt ``start``.

    >>> round(peak(0, 0.1, 1, 4), 12)
    0.1
    """
    alpha = math.atan2(width, height)
    left = ratio(width, height) ** (2 * number) * (math.cos(alpha - start) - math.cos(alpha))
    return alpha - math.acos(math.cos(alpha) + left)
