"""Newton's cradle: balls on strings in a row, which touch where they hang; as many fly out as came in.

Balls of equal mass hang on strings of one ``length``, side by side. Where the balls that were drawn aside come back the
strike runs through the row in waves, each between two balls that exchange their velocities (restitution ``e`` = 1): one
ball in, one out; two in, two out. Momentum and energy alone would allow more: (-0.6, 0.4, 0.4, 0.4, 0.4) after one ball
has 1 keeps both, and is what all contacts at once would give (``impacts="simultaneous"``).

Until it strikes, a ball that was drawn aside by the angle a swings for a quarter of a pendulum's period,

    T/4 = K(sin(a/2)) sqrt(length/g),    K the complete elliptic integral, pi/2 over the mean of 1 and cos(a/2)

by arithmetic and geometry (Gauss); then the last one swings out and back, for half a period.
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Final

from detent.gallery.example import Example
from detent.model.body import Body
from detent.model.impact_laws import Poisson
from detent.model.system import System

TITLE = "Newton's cradle: as many balls fly out as came in (waves of impacts)"

BALLS: Final = 5


def build() -> Example:
    """The balls: the angles ``q1`` to ``q5`` of their strings from the vertical; the first is drawn aside.

    >>> run = build().simulate(until=1)
    >>> strike = run.events[0].time
    >>> round(strike, 9), round(quarter(0.3, 1.0, 9.81), 9)
    (0.504352334, 0.504352334)
    """
    system = System("Newton's cradle")
    m, r, length, e, g = system.parameters(m=1, r=0.05, length=1, e=1, g=9.81)
    balls: list[Body] = []
    for number in range(1, BALLS + 1):
        angle = system.coordinates(f"q{number}")
        string = system.ground.rotated(f"string {number}", angle)
        hook = system.origin.offset(f"hook {number}", 2 * (number - 1) * r * system.ground.x)
        balls.append(system.particle(f"ball {number}", hook.offset(f"ball {number}", -length * string.y), m))
    system.gravity(-g * system.ground.y)
    system.start(q1=-0.3)
    system.units(m="kg", r="m", length="m", g="m/s^2", **{f"q{number}": "rad" for number in range(1, BALLS + 1)})
    for number, (one, other) in enumerate(pairwise(balls), start=1):
        system.contact(f"{number}|{number + 1}", one.circle(r), other.circle(r), impact=Poisson(e))
    return Example("newtons-cradle", system, until=1.5, settings={"rtol": 1e-11})


def quarter(angle: float, length: float, g: float) -> float:
    """A quarter of the period (s) of a pendulum that swings by an angle (rad) to each side.

    >>> round(4 * quarter(math.pi / 2, 1.0, 9.81), 12)
    2.367841947576
    """
    one, other = 1.0, math.cos(angle / 2)
    while abs(one - other) > 1e-15:
        one, other = (one + other) / 2, math.sqrt(one * other)
    return math.pi / 2 / one * math.sqrt(length / g)
