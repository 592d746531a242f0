"""A sphere that is thrown along a slope with any spin: it slides, then it rolls.

A solid sphere of radius ``r`` on a plane that slopes by ``tilt``, x downhill, y across it. With s the slip, the
velocity of the point that touches, and F = g sin(tilt),

    v' = F x - mu g cos(tilt) s/|s|,    s' = F x - k s/|s|,    k = (7/2) mu g cos(tilt).

The direction of slip turns downhill while its size falls, and both end together: dividing the two parts of s', the
path of the slip into zero is that of a pursuit, |s| = C tan(phi/2)^(k/F)/sin(phi) with phi the angle from x. It reaches
zero, whatever the start, if k > F, that is mu > (2/7) tan(tilt): the friction that rolling needs. The time follows
from d(k |s| + F s.x)/dt = F^2 - k^2, and the place from the like equations of the products |s| s.x, |s| s.y, s.x^2 and
s.x s.y, which are closed. From then on the sphere rolls with 5/7 of F.

The model says none of this. It is a sphere on a plane with friction, and the events are found.
"""

from __future__ import annotations

import math

from detent.gallery.example import Example
from detent.model.friction_laws import Coulomb
from detent.model.system import System

TITLE = "a sphere that slides on a slope until it rolls, in space (closed form)"


def build() -> Example:
    """The sphere: centre ``ball_x`` downhill, ``ball_y`` across and ``ball_z`` off the plane, from where it started.

    Its rates ``ball_x_rate .. ball_z_rate`` and its angular velocity ``ball_wx .. ball_wz`` are along the plane's axes.

    >>> run = build().simulate()
    >>> [(event.name, round(event.time, 10)) for event in run.events]
    [('ball|plane: slip -> roll', 0.224137654)]
    """
    system = System("sliding sphere")
    m, r, mu, tilt, g = system.parameters(m=1, r=0.1, mu=0.2, tilt=0.1, g=9.81)
    slope = system.ground.rotated("slope", tilt, about="y")
    joint = system.free("ball", system.origin.offset("start", r * slope.z), slope, spin_along_parent=True)
    ball = system.body("ball", joint.point, joint.frame, m, (2 * m * r**2 / 5,) * 3)
    system.gravity(-g * system.ground.z)
    system.start(ball_y_rate=1.5)
    system.units(m="kg", r="m", tilt="rad", g="m/s^2")
    system.contact("ball|plane", ball.sphere(r), slope.plane(), friction=Coulomb(mu))
    return Example("sliding-sphere", system, until=1.0)


def slip(velocity: tuple[float, float], spin: tuple[float, float], r: float) -> tuple[float, float]:
    """The velocity (m/s) of the lowest point: that of the centre, and spin (rad/s) about the plane's x and y.

    >>> slip((3.0, 0.0), (0.0, -20.0), 0.1)
    (5.0, 0.0)
    """
    return (velocity[0] - r * spin[1], velocity[1] + r * spin[0])


def sliding_lasts(slip: tuple[float, float], mu: float, tilt: float, g: float) -> float:
    """How long the sphere slides (s), from its slip (m/s) at the start: T = (k |s| + F s.x)/(k^2 - F^2).

    >>> round(sliding_lasts((0.0, 1.5), 0.2, 0.1, 9.81), 15)
    0.224137654041303
    """
    k, F = _rates(mu, tilt, g)
    return (k * math.hypot(*slip) + F * slip[0]) / (k**2 - F**2)


def velocity_when_it_rolls(
    velocity: tuple[float, float], slip: tuple[float, float], mu: float, tilt: float, g: float
) -> tuple[float, float]:
    """The velocity (m/s) with which rolling begins: v - (2/7) s + (5/7) F T x, of v and s at the start.

    >>> round(7 * velocity_when_it_rolls((3.0, 0.0), (5.0, 0.0), 0.3, 0.0, 9.81)[0], 12)
    11.0
    """
    gained = 5 / 7 * _rates(mu, tilt, g)[1] * sliding_lasts(slip, mu, tilt, g)
    return (velocity[0] - 2 / 7 * slip[0] + gained, velocity[1] - 2 / 7 * slip[1])


def way_until_it_rolls(
    velocity: tuple[float, float], slip: tuple[float, float], mu: float, tilt: float, g: float
) -> tuple[float, float]:
    """How far (m) down and across the sphere slides, by the integral of v + (5/7) F t x + (2/7) (s(t) - s).

    >>> [round(way, 12) for way in way_until_it_rolls((0.0, 1.5), (0.0, 1.5), 0.2, 0.0, 9.81)]
    [0.0, 0.280846283468]
    """
    k, F = _rates(mu, tilt, g)
    (x, y), size, lasts = slip, math.hypot(*slip), sliding_lasts(slip, mu, tilt, g)
    slid_x = (2 * k * size * x + F * (x**2 + size**2)) / (4 * (k**2 - F**2))  # the integrals of s.x and s.y until T
    slid_y = (2 * k * size * y + F * x * y) / (4 * k**2 - F**2)
    down = velocity[0] * lasts + 5 / 14 * F * lasts**2 + 2 / 7 * (slid_x - x * lasts)
    return (down, velocity[1] * lasts + 2 / 7 * (slid_y - y * lasts))


def _rates(mu: float, tilt: float, g: float) -> tuple[float, float]:
    """How fast friction alone ends slip, and gravity alone makes it (m/s^2)."""
    return 3.5 * mu * g * math.cos(tilt), g * math.sin(tilt)
