"""A ball that rolls down a ramp and up another, flies off its end, bounces on the ground and rolls on.

The scene of Figures 13 and 14 of the thesis, in the plane. A ramp falls by the angle ``down``, a bend of radius ``R``
turns it, and it rises by the angle ``up`` over the length ``rise`` to its end; the ground is ``depth`` below the lowest
point of the bend. A solid ball of radius ``r`` starts at rest, ``way`` before the bend. It rolls (the friction that
this needs is (2/7) tan of the slope), so with the height that its centre has lost until then

    v^2 = (10/7) g (height lost),

and down the ramp it goes with (5/7) g sin(down). At the end of the ramp it flies, if v^2 > g r cos(up), and it keeps
its spin v/r. On the ground it bounces with restitution ``e``; its bounces accumulate. Friction brings no moment about
the point that touches, so however it slips there, once it rolls its velocity is (5/7) v cos(up) + (2/7) v.

The thesis prints no numbers of this scene: these are chosen. Nothing in the model says which piece of the ramps the
ball is on: the pieces hand it on, and where they end it is free.
"""

from __future__ import annotations

import math

from sympy import cos, sin

from detent.gallery.example import Example
from detent.model.friction_laws import Coulomb
from detent.model.impact_laws import Poisson
from detent.model.system import System
from detent.model.track import Turn

TITLE = "a ball that rolls down and up ramps, flies off, bounces on the ground and rolls on"


def build() -> Example:
    """The ball: ``ball_x``, ``ball_y`` (m) from where it starts, ``ball_angle`` (rad).

    >>> run = build().simulate(until=1.5)
    >>> [event.name for event in run.events]
    ['ball|ramps piece 1: roll -> open, ball|ramps piece 2: open -> roll',
     'ball|ramps piece 3: open -> roll, ball|ramps piece 2: roll -> open',
     'ball|ramps piece 3: roll -> open']
    """
    system = System("ramps and ground")
    m, r, mu, e, g = system.parameters(m=1, r=0.1, mu=0.6, e=0.5, g=9.81)
    down, up, R, way, rise, depth = system.parameters(
        down=math.pi / 6, up=math.pi / 9, R=1, way=1.5, rise=0.5, depth=0.5
    )
    system.units(m="kg", r="m", g="m/s^2", down="rad", up="rad", R="m", way="m", rise="m", depth="m")
    before, after = (-R * sin(down), R - R * cos(down)), (R * sin(up), R - R * cos(up))
    end = (after[0] + rise * cos(up), after[1] + rise * sin(up))
    far = (before[0] - (way + 1) * cos(down), before[1] + (way + 1) * sin(down))
    ramp = system.ground.rotated("ramp", -down)
    bend = system.origin.offset("bend", before[0] * system.ground.x + before[1] * system.ground.y)
    start = bend.offset("start", -way * ramp.x + r * ramp.y)
    joint = system.planar("ball", start, system.ground)
    ball = system.body("ball", joint.point, joint.frame, m, 2 * m * r**2 / 5)
    system.gravity(-g * system.ground.y)
    ramps = system.ground.track(far, before, Turn((0, R), down + up), end)
    for name, shape in (("ramps", ramps), ("ground", system.ground.line(at=(0, -depth)))):
        system.contact(f"ball|{name}", ball.circle(r), shape, friction=Coulomb(mu), impact=Poisson(e))
    return Example("ramps-and-ground", system, until=4.0)


def reaches_the_bend(down: float, way: float, g: float) -> float:
    """When (s) the ball comes to the bend.

    >>> round(reaches_the_bend(math.pi / 6, 1.5, 9.81), 12)
    0.92534810377
    """
    return math.sqrt(2 * way / (5 / 7 * g * math.sin(down)))


def speed_at_the_end(down: float, up: float, R: float, way: float, rise: float, r: float, g: float) -> float:
    """The speed (m/s) with which the ball leaves the ramps, by the height that its centre has lost.

    >>> round(speed_at_the_end(math.pi / 6, math.pi / 9, 1.0, 1.5, 0.5, 0.1, 9.81), 12)
    3.007205407943
    """
    lost = way * math.sin(down) - rise * math.sin(up) + (R - r) * (math.cos(up) - math.cos(down))
    return math.sqrt(10 / 7 * g * lost)


def flight(speed: float, up: float, R: float, rise: float, depth: float, r: float, g: float) -> tuple[float, float]:
    """How long (s) the ball flies from the end of the ramps to the ground, and how fast (m/s) it comes down there.

    >>> [round(value, 12) for value in flight(3.0072054079431, math.pi / 9, 1.0, 0.5, 0.5, 0.1, 9.81)]
    [0.503415961471, 3.909985757401]
    """
    rises = speed * math.sin(up)
    height = R - R * math.cos(up) + rise * math.sin(up) + depth + r * math.cos(up) - r
    falls = math.sqrt(rises**2 + 2 * g * height)
    return (rises + falls) / g, falls


def rests_after(falls: float, e: float, g: float) -> float:
    """How long (s) after its first landing the ball has bounced enough: 2 v/g (e + e^2 + ...).

    >>> rests_after(9.81, 0.5, 9.81)
    2.0
    """
    return 2 * falls / g * e / (1 - e)


def rolls_on_with(speed: float, up: float) -> float:
    """The velocity (m/s) with which the ball rolls on the ground in the end.

    >>> round(rolls_on_with(7.0, 0.0), 12)
    7.0
    """
    return speed * (5 * math.cos(up) + 2) / 7
