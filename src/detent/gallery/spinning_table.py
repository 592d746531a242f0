"""A ball that rolls on a table which turns: it goes round in circles, though nothing holds it.

A solid sphere rolls without slip on a level table that turns at ``Omega`` about the vertical z. With v the velocity of
its centre, w its spin, F the friction and c = 2/5 for a solid sphere,

    m v' = F,    c m r^2 w' = -r z x F,    v - r w x z = Omega z x x.

Taking the rate of the last, v' = c/(1 + c) Omega z x v = (2/7) Omega z x v: the velocity turns evenly, and the ball
goes round on a circle at 2/7 of the table's turns, wherever the table's axis is and whatever its radius and mass
(Routh; Figure 15 of the thesis). The table does work on the ball through friction, and takes it back within the
circle.

Friction has to give the acceleration: mu g > (2/7) Omega |v|, otherwise the ball slips. Air and the resistance of
rolling, which move the circle outwards in the end, are left out.
"""

from __future__ import annotations

import math

from detent.gallery.example import Example
from detent.model.friction_laws import Coulomb
from detent.model.system import System

TITLE = "a ball that rolls in circles on a turning table (2/7 of its turns)"


def build() -> Example:
    """The ball: centre ``ball_x``, ``ball_y`` from the table's axis, ``ball_z`` off the table, and its spin.

    The spin ``ball_wx .. ball_wz`` is along the ground's axes, as the velocity is.
    It starts rolling: ``ball_wx`` = (Omega x - vy)/r and ``ball_wy`` = (vx + Omega y)/r.

    >>> run = build().simulate(until=1)
    >>> [round(place, 9) for place in (run.final.ball_x, run.final.ball_y)]
    [0.555504275, 0.345184696]
    """
    system = System("spinning table")
    m, r, mu, Omega, g = system.parameters(m=1, r=0.1, mu=0.5, Omega=3, g=9.81)
    table = system.ground.rotated("table", Omega * system.time)
    start = system.origin.offset("start", r * system.ground.z)
    joint = system.free("ball", start, system.ground, spin_along_parent=True)
    ball = system.body("ball", joint.point, joint.frame, m, (2 * m * r**2 / 5,) * 3)
    system.gravity(-g * system.ground.z)
    system.start(ball_x=0.5, ball_x_rate=0.2, ball_y_rate=0.3, ball_wx=12, ball_wy=2)
    system.units(m="kg", r="m", Omega="rad/s", g="m/s^2")
    system.contact("ball|table", ball.sphere(r), table.plane(), friction=Coulomb(mu))
    return Example("spinning-table", system, until=10.0)


def rolling_spin(
    place: tuple[float, float], velocity: tuple[float, float], r: float, Omega: float
) -> tuple[float, float]:
    """The spin (rad/s) about x and y with which a ball at a place (m) rolls.

    >>> [round(rate, 12) for rate in rolling_spin((0.5, 0.0), (0.2, 0.3), 0.1, 3.0)]
    [12.0, 2.0]
    """
    return ((Omega * place[0] - velocity[1]) / r, (velocity[0] + Omega * place[1]) / r)


def circle(
    place: tuple[float, float], velocity: tuple[float, float], Omega: float
) -> tuple[tuple[float, float], float, float]:
    """The centre (m), the radius (m) and the period (s) of the way of a ball that rolls.

    >>> center, radius, period = circle((0.5, 0.0), (0.2, 0.3), 3.0)
    >>> [round(value, 11) for value in (*center, radius, period)]
    [0.15, 0.23333333333, 0.4206476488, 7.33038285838]
    """
    rate = 2 / 7 * Omega
    center = (place[0] - velocity[1] / rate, place[1] + velocity[0] / rate)
    return center, math.hypot(*velocity) / abs(rate), 2 * math.pi / abs(rate)


def place_after(
    time: float, place: tuple[float, float], velocity: tuple[float, float], Omega: float
) -> tuple[float, float]:
    """Where (m) a ball that rolls is after a time (s).

    >>> [round(way, 12) for way in place_after(1.0, (0.5, 0.0), (0.2, 0.3), 3.0)]
    [0.555504275204, 0.345184695577]
    """
    (x, y), _, _ = circle(place, velocity, Omega)
    cosine, sine = math.cos(2 / 7 * Omega * time), math.sin(2 / 7 * Omega * time)
    along, across = place[0] - x, place[1] - y
    return (x + cosine * along - sine * across, y + sine * along + cosine * across)
