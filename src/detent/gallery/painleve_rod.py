"""A rod that slides on its end and seizes: Painleve's paradox (1895), resolved by an impact without collision.

A uniform rod of length ``L`` slides on one end over a smooth floor, at the angle ``angle`` from it, its upper end
trailing behind. At the time ``rough`` the floor becomes rough. A unit push along the normal makes the end yield by

    W_nn = (1 + 3 cos^2(angle))/m,    W_nt = -3 sin(angle) cos(angle)/m,

and friction against the slip adds mu W_nt to the first. Where mu > W_nn/|W_nt| a normal force with its friction drives
the end *into* the floor: neither sliding on nor lifting off is possible, though nothing has collided. That needs a
coefficient above 4/3, and is first possible at tan(angle) = 2. What happens is an impact without collision: the slip
stops in no time, under an impulse that leaves the end at rest if there is no restitution,

    P = -W^-1 v-,    energy -1/2 v- W^-1 v-.

The event names the contact, the coefficient, and the angle atan(|W_nt|/W_nn) between the normal and the way in which
the end yields to a push along it: the paradox needs a coefficient above the cotangent of that.
"""

from __future__ import annotations

import math

from sympy import Piecewise, Rational, atan

from detent.gallery.example import Example
from detent.model.friction_laws import Coulomb
from detent.model.impact_laws import Poisson
from detent.model.system import System

TITLE = "a rod that slides on its end and seizes without a collision (Painleve's paradox)"


def build() -> Example:
    """The rod: ``x`` and ``y`` (m) of the end that slides, its ``angle`` (rad) from the floor, and their rates.

    >>> run = build().simulate()
    >>> event = run.events[0]
    >>> event.name.partition(",")[0], round(event.details["coefficient"], 6), round(event.details["angle"], 4)
    ('tip|floor: impact without collision', 1.5, 0.6435)
    >>> build().simulate(parameters={"mu": 1.3}).events[0].name
    'tip|floor: passes rough = t'
    """
    system = System("painleve rod")
    m, L, mu, rough, e, g = system.parameters(m=1, L=1, mu=1.5, rough=0.001, e=0, g=9.81)
    x, y, angle = system.coordinates("x", "y", "angle")
    system.start(x=0, y=0, angle=atan(2), x_rate=-1, y_rate=0, angle_rate=0)
    system.units(x="m", y="m", angle="rad", m="kg", L="m", rough="s", g="m/s^2")
    frame = system.ground.rotated("rod", angle)
    tip = system.origin.offset("tip", x * system.ground.x + y * system.ground.y)
    rod = system.body("rod", tip.offset("middle", L / 2 * frame.x), frame, m, m * L**2 / 12)
    tip.offset("upper end", L * frame.x)  # for pictures, which draw a rod as far as its points
    system.gravity(-g * system.ground.y)
    friction = Coulomb(Piecewise((mu, system.time > rough), (0, True)))
    end = rod.point(at=(-Rational(1, 2) * L, 0))
    system.contact("tip|floor", end, system.ground.line(), friction=friction, impact=Poisson(e))
    return Example("painleve-rod", system, until=0.1)


def yielding(angle: float, m: float) -> tuple[float, float, float]:
    """How the end of the rod yields, W_nn, W_nt and W_tt (1/kg), the normal up and the tangent along the floor.

    >>> [round(value, 12) for value in yielding(math.atan(2), 1.0)]
    [1.6, -1.2, 3.4]
    """
    s, c = math.sin(angle), math.cos(angle)
    return (1 + 3 * c**2) / m, -3 * s * c / m, (1 + 3 * s**2) / m


def least_coefficient(angle: float) -> float:
    """The coefficient of friction above which the rod seizes at an angle (rad).

    >>> round(least_coefficient(math.atan(2)), 12)
    1.333333333333
    """
    normal, across, _ = yielding(angle, 1.0)
    return normal / abs(across)


def seizing_impulse(angle: float, slip: float, m: float) -> tuple[float, float]:
    """The impulse (N s), normal and along the floor, that stops a slip (m/s) without restitution.

    >>> [round(value, 12) for value in seizing_impulse(math.atan(2), -1.0, 1.0)]
    [0.3, 0.4]
    """
    normal, across, along = yielding(angle, m)
    size = normal * along - across**2
    return across * slip / size, -normal * slip / size
