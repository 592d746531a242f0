"""A ladder that leans against a wall: it rests, or slides down and away from the wall.

A uniform ladder of length ``L`` stands on the floor at the angle ``lean`` from it, its top at the wall; both rub with
the coefficient ``mu``. It rests if

    mu >= tan(pi/4 - lean/2),

at 60 degrees 0.268; its four forces are then not unique, for there are three conditions of equilibrium. If it slides,
from rest, with both ends rubbing, w = lean' satisfies a linear equation for w^2 over the angle,

    w' = -3/(2 - mu^2) ((g/L) ((1 - mu^2) cos(lean) - 2 mu sin(lean)) + mu w^2),

whose solution is :func:`rate_squared`. At some angle the wall's force ends and the top comes off it (without friction
where it is 2/3 as high as at first); the ladder then falls on its top.
"""

from __future__ import annotations

import math

from sympy import pi

from detent.errors import ValueProblem
from detent.gallery.example import Example
from detent.model.friction_laws import Coulomb
from detent.model.system import System

TITLE = "a ladder at a wall that rests (mu = 0.28) or slides (mu = 0.2)"


def build(angle: float = math.pi / 3, L: float = 1.0) -> Example:
    """The ladder: ``x`` and ``y`` (m) of its foot, the angle ``lean`` (rad) from the floor, and their rates.

    It starts at rest at ``angle``, touching wall and floor.

    >>> run = build().simulate()
    >>> run.mode
    'foot|floor: stick, top|wall: stick'
    >>> build().simulate(parameters={"mu": 0.2}, until=0.1).mode
    'foot|floor: slip, top|wall: slip'
    """
    if not 0 < angle < math.pi / 2 or not L > 0:
        raise ValueProblem(
            f"'ladder' has angle = {angle!r} and L = {L!r}; give an angle between 0 and pi/2 and a length above zero"
        )
    system = System("ladder")
    m, mu, g = system.parameters(m=1, mu=0.28, g=9.81)
    x, y, lean = system.coordinates("x", "y", "lean")
    system.start(x=L * math.cos(angle), y=0, lean=angle, x_rate=0, y_rate=0, lean_rate=0)
    system.units(x="m", y="m", lean="rad", m="kg", g="m/s^2")
    ground = system.ground
    frame = ground.rotated("ladder", pi - lean)
    foot = system.origin.offset("foot", x * ground.x + y * ground.y)
    ladder = system.body("ladder", foot.offset("middle", L / 2 * frame.x), frame, m, m * L**2 / 12)
    system.gravity(-g * ground.y)
    below, above, friction = ladder.point(at=(-L / 2, 0)), ladder.point(at=(L / 2, 0)), Coulomb(mu)
    system.contact("foot|floor", below, ground.line(), friction=friction)
    system.contact("top|wall", above, ground.line(along="-y"), friction=friction)
    system.contact("top|floor", above, ground.line(), friction=friction)
    return Example("ladder", system, until=2.0, structure={"angle": angle, "L": L})


def least_friction(lean: float) -> float:
    """The least coefficient with which the ladder rests.

    >>> round(least_friction(math.pi / 3), 12)
    0.267949192431
    """
    return math.tan(math.pi / 4 - lean / 2)


def rate_squared(lean: float, start: float, mu: float, g: float, L: float) -> float:
    """The square of the rate of the angle (rad^2/s^2), where the ladder has slid from rest at the angle ``start``.

    Without friction it is 3 (g/L) (sin(start) - sin(lean)).

    >>> round(rate_squared(0.5, 1.0, 0.0, 9.81, 1.0) - 3 * 9.81 * (math.sin(1.0) - math.sin(0.5)), 12)
    0.0
    """
    a, b = 6 * mu / (2 - mu**2), 6 * g / (L * (2 - mu**2))
    sine = b * (2 * a * mu - (1 - mu**2)) / (1 + a**2)
    cosine = a * sine - 2 * b * mu

    def steady(angle: float) -> float:
        return cosine * math.cos(angle) + sine * math.sin(angle)

    return steady(lean) - steady(start) * math.exp(a * (start - lean))


def wall_force(lean: float, start: float, mu: float, m: float, g: float, L: float) -> float:
    """The normal force of the wall (N) while both ends slide, from rest at the angle ``start``.

    >>> round(wall_force(math.asin(2 / 3 * math.sin(1.0)), 1.0, 0.0, 1.0, 9.81, 1.0), 12)
    0.0
    """
    square = rate_squared(lean, start, mu, g, L)
    s, c = math.sin(lean), math.cos(lean)
    rate = -3 / (2 - mu**2) * (g / L * ((1 - mu**2) * c - 2 * mu * s) + mu * square)
    across, up = -m * L / 2 * (s * rate + c * square), m * g + m * L / 2 * (c * rate - s * square)
    return (across + mu * up) / (1 + mu**2)
