"""The disk on the ramp with a contact instead of an automaton: Example 1 of Gillespie and others again.

The same disk as ``disk-on-ramp``, with the same values: it slides, rolls, passes the mark at ``L`` above which there is
no friction, comes back and rolls again. There the modes, the cone of friction and the direction of slip are written
down; here a circle touches a line with Coulomb friction, and the coefficient is an expression with a condition. The
closed form of the time that a slip lasts is :func:`detent.gallery.disk_on_ramp.sliding_ends`.

The height of the disk over the ramp is a coordinate, as a contact may open; its start value touches.
"""

from __future__ import annotations

from sympy import Piecewise, pi

from detent.gallery.example import Example
from detent.model.friction_laws import Coulomb
from detent.model.impact_laws import Poisson
from detent.model.system import System

TITLE = "the disk on the ramp, as a contact of a circle and a line (Gillespie et al., Example 1)"


def build() -> Example:
    """The disk: ``q1`` (m) up the ramp, ``q2`` (rad), ``clearance`` (m) over the ramp; ``u1`` and ``u2`` (m/s).

    >>> run = build().simulate()
    >>> [(round(event.time, 2), event.target) for event in run.events.of_kind("transition")][:2]
    [(0.37, 'disk|ramp: roll'), (1.72, 'disk|ramp: slip')]
    """
    system = System("disk on a ramp, by contact")
    m, J, r, tilt, g, mu, L = system.parameters(m=1, J=0.5, r=1, tilt=pi / 12, g=9.8, mu=0.2, L=22)
    q1, q2, clearance = system.coordinates("q1", "q2", "clearance")
    system.speeds(u1=q1.rate, u2=r * q2.rate)
    system.start(q1=14, q2=0, u1=7, u2=-4, clearance=0, clearance_rate=0)
    system.units(q1="m", q2="rad", u2="m/s", clearance="m", m="kg", J="kg m^2", r="m", tilt="rad", g="m/s^2", L="m")
    ramp = system.ground.rotated("ramp", tilt)
    hub = system.origin.offset("hub", q1 * ramp.x + (r + clearance) * ramp.y)
    disk = system.body("disk", hub, ramp.rotated("disk", q2), m, J)
    system.gravity(-g * system.ground.y)
    friction = Coulomb(Piecewise((mu, q1 < L), (0, True)))
    system.contact("disk|ramp", disk.circle(r), ramp.line(), friction=friction, impact=Poisson(0))
    return Example("disk-on-ramp-contact", system, until=7.0)
