"""A fast symmetric top on a fixed point, its orientation a quaternion.

The rotating heavy top of the literature on Lie group integrators (Geradin and Cardona 2001; Brüls and
Cardona 2010): m = 15 kg, central moments (0.234375, 0.46875, 0.234375) kg m^2, mass centre 1 m from the
fixed point. Reference at t = 0.2 s: quaternion (-0.70827915, 0.43878109, 0.5457284, 0.08939975).

Conventions, found by reproducing that reference: the top's own axis is its y axis, not z as in most
textbooks; it starts along the ground's y, the quaternion being (1, 0, 0, 0); gravity acts along -z of the
ground, so the top starts with its axis horizontal; the angular velocity (0, 150, -4.61538) rad/s is
written along the top's axes; the quaternion has its scalar part first and takes components along the
top's axes to components along the ground's. Its sign then agrees too.

The spin about the own axis, the angular momentum about the vertical and the energy stay, and the height
of the mass centre has a closed form, see :func:`height`.
"""

from __future__ import annotations

import math

from detent.gallery.example import Example
from detent.model.system import System

TITLE = "a fast symmetric top on a fixed point (quaternion)"


def build() -> Example:
    """The top: quaternion ``top_qw .. top_qz``, angular velocity ``top_wx .. top_wz`` along its own axes.

    >>> run = build().simulate(until=0.2, rtol=1e-10)
    >>> round(run.final.top_qw, 6)
    -0.708279
    """
    system = System("heavy top")
    m, distance, axial, transverse, g = system.parameters(
        m=15, distance=1, axial=0.46875, transverse=0.234375, g=9.81
    )  # fmt: skip
    joint = system.ball("top", system.origin, system.ground)
    center = joint.point.offset("center", distance * joint.frame.y)
    system.body("top", center, joint.frame, mass=m, inertia=(transverse, axial, transverse))
    system.start(top_wy=150, top_wz=-4.61538)
    system.units(m="kg", distance="m", axial="kg m^2", transverse="kg m^2", g="m/s^2")
    system.gravity(-g * system.ground.z)
    return Example("heavy-top", system, until=2.0)


def height(
    time: float, m: float, distance: float, axial: float, transverse: float, g: float, spin: float, turning: float
) -> float:
    """The height (m) of the mass centre above the fixed point, for a start with the axis horizontal.

    ``spin`` and ``turning`` (rad/s) are the angular velocity about the own axis and about the vertical at
    the start, the third part being zero. With I = transverse + m distance^2, c = m g distance/I,
    s = axial spin/I and w = turning, the energy and the angular momentum about the vertical give for
    z = height/distance

        z'^2 = z (2 c z^2 - (w^2 + s^2) z + 2 (w s - c)) = 2 c z (z - a) (z - b),   a < 0 < b,

    solved by z = a b/(b - a) sd^2(t sqrt(c (b - a)/2), m = -a/(b - a)) with Jacobi's elliptic function sd = sn/dn.
    It holds for w s < c: the top first falls.

    >>> height(0.0, 15, 1, 0.46875, 0.234375, 9.81, 150, -4.61538)
    -0.0
    """
    from mpmath import ellipfun

    moment = transverse + m * distance**2
    fall, momentum = m * g * distance / moment, axial * spin / moment
    half, product = (turning**2 + momentum**2) / (4 * fall), (turning * momentum - fall) / fall
    upper = half + math.sqrt(half**2 - product)
    lower = product / upper
    between = upper - lower
    wave = float(ellipfun("sd", time * math.sqrt(fall * between / 2), m=-lower / between))
    return distance * lower * upper / between * wave**2
