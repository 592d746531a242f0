"""A slider-crank: the commonest closed loop there is.

A crank of length ``crank`` turns about the origin; a rod of length ``rod`` joins its pin to a slider that moves
along x, and a hinge there closes the loop. No load acts and nothing is lost, so the energy stays while the
crank speeds up and slows down. With the crank at the angle a, the slider stands at

    x = crank cos(a) + sqrt(rod^2 - crank^2 sin(a)^2)

and the energy gives the crank's rate as a function of its angle, see :func:`crank_rate`: the motion has a closed form
at every angle. The dimensions are chosen here; crank and rod are uniform. With ``rod`` equal to ``crank`` the
linkage is singular at a = pi/2, where the rod lies on the crank.
"""

from __future__ import annotations

import math

from detent.gallery.example import Example
from detent.model.constraint import joined
from detent.model.system import System

TITLE = "a crank, a rod and a slider: a closed loop with a closed form"


def build() -> Example:
    """The slider-crank: ``angle`` of the crank, ``slope`` of the rod (both from x), ``slider`` along x.

    Only the crank needs a start; where the rod and the slider are follows from the constraint ``hinge``.

    >>> run = build().simulate(until=1)
    >>> abs(run.final.slider - slider_position(run.final.angle, 1.0, 3.0)) < 1e-12
    True
    """
    system = System("slider-crank")
    crank, rod = system.parameters(crank=1, rod=3)
    m_crank, m_rod, m_slider = system.parameters(m_crank=1, m_rod=2, m_slider=3)
    angle, slope, slider = system.coordinates("angle", "slope", "slider")
    system.units(angle="rad", slope="rad", slider="m", crank="m", rod="m", m_crank="kg", m_rod="kg", m_slider="kg")
    ground = system.ground
    arm, link = ground.rotated("crank", angle), ground.rotated("rod", slope)
    pin = system.origin.offset("pin", crank * arm.x)
    system.body("crank", system.origin.offset("crank_center", crank / 2 * arm.x), arm, m_crank, m_crank * crank**2 / 12)
    system.body("rod", pin.offset("rod_center", rod / 2 * link.x), link, m_rod, m_rod * rod**2 / 12)
    block = system.origin.offset("slider", slider * ground.x)
    system.particle("slider", block, m_slider)
    system.constrain(joined("hinge", pin.offset("rod_end", rod * link.x), block, along="xy"))
    system.start(angle=0.5, angle_rate=4)
    return Example("slider-crank", system, until=10.0)


def slider_position(angle: float, crank: float, rod: float) -> float:
    """Where the slider stands (m) when the crank is at an angle.

    >>> slider_position(0.0, 1.0, 3.0)
    4.0
    """
    return crank * math.cos(angle) + math.sqrt(rod**2 - (crank * math.sin(angle)) ** 2)


def inertia(angle: float, crank: float, rod: float, m_crank: float, m_rod: float, m_slider: float) -> float:
    """The moment of inertia I(angle) (kg m^2) of the whole linkage as the crank feels it: T = I angle'^2/2.

    >>> round(inertia(0.0, 1.0, 3.0, 1.0, 2.0, 3.0), 12)
    1.0
    """
    turn = -crank * math.cos(angle) / math.sqrt(rod**2 - (crank * math.sin(angle)) ** 2)  # of the rod, per turn
    sine, cosine = -crank * math.sin(angle) / rod, math.sqrt(1 - (crank * math.sin(angle) / rod) ** 2)
    along = -crank * math.sin(angle) - rod / 2 * turn * sine
    across = crank * math.cos(angle) + rod / 2 * turn * cosine
    slide = -crank * math.sin(angle) - rod * turn * sine
    return (
        m_crank * crank**2 / 3 + m_rod * (along**2 + across**2 + (rod * turn) ** 2 / 12) + m_slider * slide**2
    )  # fmt: skip


def crank_rate(angle: float, first: float, rate: float, **dimensions: float) -> float:
    """The crank's rate (rad/s) at an angle, from its rate at a first angle: I(angle) angle'^2 stays.

    >>> crank_rate(0.5, 0.5, 4.0, crank=1, rod=3, m_crank=1, m_rod=2, m_slider=3)
    4.0
    """
    return rate * math.sqrt(inertia(first, **dimensions) / inertia(angle, **dimensions))
