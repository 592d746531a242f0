"""A ball that comes to the corner of a path, rolls about it or leaves it, and lands farther down.

The scene of Figures 9 to 11 of the thesis, in the plane: a path of straight pieces, and what a ball does where its
direction jumps. The path is level, bends down by the angle ``down`` at a corner, falls straight for ``fall``
and is led back to the level by a bend of radius ``R``. A solid ball of radius ``r`` rolls to the corner with the
speed v.

If v^2 >= g r it flies there. Else it turns about the corner by an angle phi, as on a hill of radius zero: with
w = (speed of its centre)^2/(g r) its normal force is m g (cos(phi) - w), and

    w = v^2/(g r) + (10/7) (1 - cos(phi))                               while it rolls,
    dw/dphi = 2 sin(phi) - 2 mu (cos(phi) - w)                          while it slips,

which is linear. It slips before it leaves, because friction of (2/7) m g sin(phi) is needed to roll and the normal
force falls to zero: it leaves where w = cos(phi). Where phi comes to ``down`` before that, it goes on along the slope
without ever leaving the path.

After its flight it lands on the slope without restitution, and friction takes up to mu times the impulse along the
normal. Then it slides until it rolls, and on the lower level it has v^2 = (10/7) g (height lost) more.

The thesis prints no numbers of this scene: these are chosen.
"""

from __future__ import annotations

import math

from sympy import cos, sin

from detent.gallery.example import Example
from detent.model.friction_laws import Coulomb
from detent.model.impact_laws import Poisson
from detent.model.system import System
from detent.model.track import Turn

TITLE = "a ball that rolls about the corner of a path, leaves it and lands (closed form)"
G = 9.81


def build() -> Example:
    """The ball: ``ball_x``, ``ball_y`` (m) from 0.5 m before the corner, ``ball_angle`` (rad).

    >>> run = build().simulate()
    >>> for event in run.events[:5]:
    ...     print(f"{event.time:.9f} {event.name}")
    0.625000000 ball|path piece 1: roll -> open, ball|path corner 1: open -> roll
    0.668210312 ball|path corner 1: roll -> slip
    0.687452620 ball|path corner 1: slip -> open
    0.736088718 ball|path piece 2: open -> slip
    0.770171856 ball|path piece 2: slip -> roll
    """
    system = System("ball on a path")
    m, r, mu, g = system.parameters(m=1, r=0.1, mu=0.5, g=G)
    down, fall, R, way = system.parameters(down=math.pi / 4, fall=1.5, R=0.5, way=0.5)
    start = system.origin.offset("start", -way * system.ground.x + r * system.ground.y)
    joint = system.planar("ball", start, system.ground)
    ball = system.body("ball", joint.point, joint.frame, m, 2 * m * r**2 / 5)
    system.gravity(-g * system.ground.y)
    system.start(ball_x_rate=0.8, ball_angle_rate=-8)
    system.units(m="kg", r="m", g="m/s^2", down="rad", fall="m", R="m", way="m")
    foot = (fall * cos(down), -fall * sin(down))
    level = (foot[0] + R * sin(down), foot[1] - R + R * cos(down))
    path = system.ground.track(
        (-way - 1, 0), (0, 0), foot, Turn((level[0], level[1] + R), down), (level[0] + 6, level[1])
    )
    system.contact("ball|path", ball.circle(r), path, friction=Coulomb(mu), impact=Poisson(0))
    return Example("ball-on-path", system, until=2.0)


def rolls_until(w: float, mu: float) -> float:
    """The angle (rad) about the corner at which a ball begins to slip that came with w = v^2/(g r).

    There (2/7) sin(phi) = mu (cos(phi) - w - (10/7) (1 - cos(phi))), or a sin(phi) + b cos(phi) = c.

    >>> round(rolls_until(0.0, 1e9), 9) == round(math.acos(10 / 17), 9)
    True
    """
    a, b, c = -2 / 7, 17 / 7 * mu, mu * (w + 10 / 7)
    return math.atan2(a, b) + math.acos(c / math.hypot(a, b))


def while_it_slips(phi: float, begins: float, w: float, mu: float) -> float:
    """w at the angle phi of a ball that slips about the corner since the angle ``begins``, with w there.

    >>> round(while_it_slips(0.3, 0.3, 0.7, 0.5), 12)
    0.7
    """

    def particular(angle: float) -> float:
        return (-6 * mu * math.sin(angle) + (4 * mu**2 - 2) * math.cos(angle)) / (1 + 4 * mu**2)

    return (w - particular(begins)) * math.exp(2 * mu * (phi - begins)) + particular(phi)


def leaves_at(begins: float, w: float, mu: float) -> float:
    """The angle (rad) at which the ball leaves the corner, after it has slipped since the angle ``begins``.

    >>> begins = rolls_until(0.64 / 0.981, 0.5)
    >>> round(begins, 9), round(leaves_at(begins, 0.64 / 0.981 + 10 / 7 * (1 - math.cos(begins)), 0.5), 9)
    (0.35322325, 0.523158726)
    """
    low, high = begins, math.pi / 2  # the normal force is positive at the first, and not at the second
    while (middle := (low + high) / 2) not in (low, high):
        if math.cos(middle) > while_it_slips(middle, begins, w, mu):
            low = middle
        else:
            high = middle
    return high


def flight(phi: float, speed: float, down: float, r: float, g: float = G) -> float:
    """How long (s) a ball flies that leaves the corner at the angle phi: until it is r above the slope again.

    >>> round(flight(0.0, 2.0, math.pi / 4, 1e-9), 9) == round(2 * 2.0 / G, 9)
    True
    """
    away, pull = speed * math.sin(down - phi), g * math.cos(down)
    gap = r - r * math.cos(down - phi)  # how far it is from where it would touch the slope
    return (away + math.sqrt(away**2 - 2 * pull * gap)) / pull


def lands(along: float, across: float, surface: float, mu: float) -> tuple[float, float]:
    """Speed along the slope and r times the spin after a landing; ``across`` is the speed towards the slope.

    >>> [round(value, 12) for value in lands(2.0, 10.0, 2.0, 0.3)]
    [2.0, 2.0]
    >>> [round(value, 12) for value in lands(3.0, 1.0, 0.0, 0.1)]
    [2.9, 0.25]
    """
    slip = along - surface
    impulse = min(2 / 7 * abs(slip), mu * across)
    return along - math.copysign(impulse, slip), surface + math.copysign(5 / 2 * impulse, slip)


def slides(along: float, surface: float, down: float, mu: float, g: float = G) -> float:
    """How long (s) a ball slides down the slope until it rolls.

    >>> round(slides(2.0, 1.0, 0.0, 0.5, g=1.0), 9)
    0.571428571
    """
    slip, brakes = along - surface, 7 / 2 * mu * g * math.cos(down)
    return slip / (brakes - g * math.sin(down)) if slip > 0 else -slip / (brakes + g * math.sin(down))
