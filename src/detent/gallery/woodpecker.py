"""A toy woodpecker that hammers its way down a pole: Glocker's model (1995), a limit cycle of impacts and friction.

A sleeve slides on a pole with play; a bird hangs on it by a spring. ``y`` is the height of the sleeve, ``tilt`` and
``swing`` are the angles of sleeve and bird, as small angles: all gaps and places are linear in them. The sleeve may
touch the pole with its lower and its upper edge, the bird with its beak,

    gap of the beak   lM + lG - lS - r0 - hS swing,       it moves along the pole with y + lM tilt + (lG - lS) swing,
    gaps of the edges rM - r0 +- hM tilt,                 they move with y + rM tilt,

all three with friction ``mu``; the beak has a restitution ``e``, the edges have none. While the lower edge is pressed
to the pole, friction holds the sleeve; the bird swings up, the sleeve comes free and falls; its upper edge and the beak
strike, and the bird swings back.

The start is Glocker's, on his limit cycle, with the lower edge exactly at the pole: he prints tilt = -0.1036, which is
inside it by 0.9 micrometres. Newton's law for the restitution is his; friction during an impact is followed here
through the reversal of slip (Keller), which the beak's impact has. With that the cycle lasts 0.1512058 s and the bird
comes down by 19.2906 mm each time. Where the friction of an impact is taken from the slip after it, as time stepping
does, it lasts 0.1460 s, and the bird comes down by 19.44 mm, as is published.
"""

from __future__ import annotations

from detent.gallery.example import Example
from detent.model.friction_laws import Coulomb
from detent.model.impact_laws import Newton
from detent.model.system import System

TITLE = "a toy woodpecker that hammers its way down a pole, in a limit cycle (Glocker)"


def build() -> Example:
    """The woodpecker: ``y`` (m), ``tilt`` and ``swing`` (rad), and their rates.

    >>> run = build().simulate(until=0.15)
    >>> [(round(event.time, 4), event.name) for event in run.events if event.name.startswith("beak")]
    [(0.081, 'beak|pole: bounce')]
    """
    system = System("woodpecker")
    mM, mS, JM, JS, c, g = system.parameters(mM=3e-4, mS=4.5e-3, JM=5e-9, JS=7e-7, c=5.6e-3, g=9.81)
    r0, rM, hM, hS = system.parameters(r0=2.5e-3, rM=3.1e-3, hM=5.8e-3, hS=0.02)
    lM, lG, lS, mu, e = system.parameters(lM=0.01, lG=0.015, lS=0.0201, mu=0.3, e=0.5)
    y, tilt, swing = system.coordinates("y", "tilt", "swing")
    system.start(y=0, tilt=-6 / 58, swing=-0.2788, y_rate=-0.3411, tilt_rate=0, swing_rate=-7.4583)
    system.units(y="m", tilt="rad", swing="rad", mM="kg", mS="kg", JM="kg m^2", JS="kg m^2", c="N m", g="m/s^2")
    system.units(**dict.fromkeys(("r0", "rM", "hM", "hS", "lM", "lG", "lS"), "m"))
    across, up, turn = system.ground.x, system.ground.y, system.ground.z
    middle = system.origin.offset("sleeve", y * up)
    weight = system.origin.offset("bird", (y + lM * tilt + lG * swing) * up)
    sleeve = system.body("sleeve", middle, system.ground.rotated("sleeve", tilt), mM, JM)
    bird = system.body("bird", weight, system.ground.rotated("bird", swing), mS, JS)
    system.gravity(-g * up)
    system.torque("spring on the sleeve", sleeve, c * (swing - tilt) * turn)
    system.torque("spring on the bird", bird, c * (tilt - swing) * turn)
    along = (y + rM * tilt) * up
    beak = (lM + lG - lS - r0 - hS * swing) * across + (y + lM * tilt + (lG - lS) * swing) * up
    places = {"lower": (rM - r0 + hM * tilt) * across + along, "upper": (rM - r0 - hM * tilt) * across + along}
    pole, friction = system.ground.line(along="-y"), Coulomb(mu)
    nose = bird.point(at=system.origin.offset("beak", beak))
    system.contact("beak|pole", nose, pole, friction=friction, impact=Newton(e))
    for name, place in places.items():
        edge = sleeve.point(at=system.origin.offset(name, place))
        system.contact(f"{name}|pole", edge, pole, friction=friction, impact=Newton(0))
    return Example("woodpecker", system, until=1.0)
