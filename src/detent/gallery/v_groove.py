"""A ball that falls into a straight groove, bounces between its faces and rolls down it.

The scene of Figures 16 and 26 to 29 of the thesis, in space. Two faces, each at the angle ``psi`` from the plane of
symmetry, meet in an axis that slopes by ``theta``; a solid ball of radius ``r`` touches both where its centre is
r/sin(psi) above the axis. Rolling on both faces it turns about the chord through the two places, which is r sin(psi)
from its centre, so that with 2/5 m r^2 its inertia

    a = g sin(theta)/(1 + (2/5)/sin(psi)^2)

and friction along the axis is (m g sin(theta) - m a)/2 at each place. Held this way it has six rows of which five are
independent: the motion is unique, how normal forces and friction across the groove share the weight is not. Without
friction across, each normal force is m g cos(theta)/(2 sin(psi)).

Before that it flies, bounces on one face, slides or rolls down on it and strikes the other one. With restitution such
visits accumulate: infinitely many bounces on each face, in infinitely many visits, in a finite time. Nothing in the
model says so. The thesis prints no numbers of this scene: these are chosen.
"""

from __future__ import annotations

import math

from detent.gallery.example import Example
from detent.model.friction_laws import Coulomb
from detent.model.impact_laws import Poisson
from detent.model.system import System

TITLE = "a ball that bounces between the faces of a groove and rolls down it, in space (closed form)"


def build() -> Example:
    """The ball: centre ``ball_x`` down along the axis, ``ball_y`` across and ``ball_z`` off it, and its spin.

    >>> run = build().simulate()
    >>> run.mode
    'ball|left: roll, ball|right: roll'
    >>> velocity = run.ball_x_rate
    >>> round(float((velocity[-1] - velocity[-2])/(run.t[-1] - run.t[-2])), 9)
    1.410563796
    """
    system = System("v-groove")
    m, r, mu, e, psi, theta, g = system.parameters(
        m=1, r=0.1, mu=0.5, e=0.3, psi=math.pi / 4, theta=math.pi / 12, g=9.81
    )
    groove = system.ground.rotated("groove", theta, about="y")
    joint = system.free("ball", system.origin, groove, spin_along_parent=True)
    ball = system.body("ball", joint.point, joint.frame, m, (2 * m * r**2 / 5,) * 3)
    system.gravity(-g * system.ground.z)
    system.start(ball_y=0.05, ball_z=0.4)
    system.units(m="kg", r="m", psi="rad", theta="rad", g="m/s^2")
    for name, angle in (("left", psi - math.pi / 2), ("right", math.pi / 2 - psi)):
        face = groove.rotated(name, angle, about="x")
        system.contact(f"ball|{name}", ball.sphere(r), face.plane(), friction=Coulomb(mu), impact=Poisson(e))
    return Example("v-groove", system, until=2.0)


def rolls_with(psi: float, theta: float, g: float) -> float:
    """The acceleration (m/s^2) of a ball that rolls on both faces.

    >>> round(rolls_with(math.pi / 4, math.pi / 12, 9.81), 12)
    1.410563795809
    """
    return g * math.sin(theta) / (1 + 0.4 / math.sin(psi) ** 2)


def rests_at(psi: float, r: float) -> float:
    """How far (m) from the axis the centre is while the ball touches both faces.

    >>> round(rests_at(math.pi / 6, 0.1), 12)
    0.2
    """
    return r / math.sin(psi)


def friction_along(psi: float, theta: float, m: float, g: float) -> float:
    """Friction (N) along the axis at each of the two places.

    >>> round(friction_along(math.pi / 4, math.pi / 12, 1.0, 9.81), 12)
    0.564225518323
    """
    return m * (g * math.sin(theta) - rolls_with(psi, theta, g)) / 2
