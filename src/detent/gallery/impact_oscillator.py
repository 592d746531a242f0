"""A driven oscillator that strikes a stop: the impact oscillator of Shaw and Holmes (1983).

A mass on a spring, x'' + x = cos(w t + phase), strikes a stop at x = ``sigma`` and comes back with the part ``r`` of
its speed. In a motion with one strike in n periods of the drive, T = 2 pi n/w, it strikes with the same speed V at the
same phase each time. With A = 1/(1 - w^2),

    x = A cos(w t + phase) + a cos(t) + b sin(t),    a = -(1 + r) V cot(T/2)/2,    b = -(1 + r) V/2,
    A w sin(phase) = -(1 - r) V/2,                   A cos(phase) = sigma - a,

the sum of whose squares is a quadratic equation for V: :func:`orbit`. For sigma = 1, r = 0.7, w = 3, n = 2 it strikes
with 5 sqrt(3)/4 at pi/3. Motions that do not reach the stop swing with |A|; at sigma = |A| they graze it.
"""

from __future__ import annotations

import math

from sympy import cos, pi, sqrt

from detent.errors import ValueProblem
from detent.gallery.example import Example
from detent.model.impact_laws import Newton
from detent.model.system import System

TITLE = "a driven oscillator that strikes a stop once in two periods of its drive (Shaw and Holmes)"


def build() -> Example:
    """The mass at ``x`` (m) with the speed ``v`` (m/s); it starts at the stop, just after a strike of the orbit.

    >>> import math
    >>> run = build().simulate()
    >>> [round(event.time / (4 * math.pi / 3), 11) for event in run.events]
    [1.0, 2.0, 3.0, 4.0]
    """
    system = System("impact oscillator")
    w, r, sigma, phase = system.parameters(w=3, r=0.7, sigma=1, phase=pi / 3)
    x = system.coordinates("x")
    system.speeds(v=x.rate)
    system.start(x=1, v=-0.7 * 5 * sqrt(3) / 4)
    system.units(x="m", w="rad/s", sigma="m", phase="rad")
    ground = system.ground
    mass = system.particle("mass", system.origin.offset("mass", x * ground.x), 1)
    system.force("spring", mass.center, -x * ground.x)
    system.force("drive", mass.center, cos(w * system.time + phase) * ground.x)
    system.contact("mass|stop", mass.point(), ground.line(at=(sigma, 0), along="y"), impact=Newton(r))
    return Example("impact-oscillator", system, until=18.0)


def orbit(sigma: float, r: float, w: float, n: int) -> tuple[float, float]:
    """The speed (m/s) and the phase (rad) at which it strikes once in n periods; the faster one of two such motions.

    >>> speed, phase = orbit(1.0, 0.7, 3.0, 2)
    >>> round(speed - 5 * math.sqrt(3) / 4, 12), round(phase - math.pi / 3, 12)
    (0.0, 0.0)
    """
    period, A = 2 * math.pi * n / w, 1 / (1 - w**2)
    a, slow = -(1 + r) / (2 * math.tan(period / 2)), (1 - r) / (2 * w)
    square, half = slow**2 + a**2, sigma * a
    under = half**2 - square * (sigma**2 - A**2)
    if under < 0:
        raise ValueProblem(
            f"no motion strikes a stop at {sigma!r} once in {n!r} periods of the drive w = {w!r} with r = {r!r}; bring "
            "the stop nearer, or take another n"
        )
    speed = (half + math.sqrt(under)) / square
    return speed, math.atan2(-slow * speed / A, (sigma - a * speed) / A)


def place(t: float, sigma: float, r: float, w: float, n: int) -> float:
    """Where the mass is (m), a time t after a strike of the orbit and before the next.

    >>> round(place(0.0, 1.0, 0.7, 3.0, 2), 12), round(place(4 * math.pi / 3, 1.0, 0.7, 3.0, 2), 12)
    (1.0, 1.0)
    """
    speed, phase = orbit(sigma, r, w, n)
    b = -(1 + r) * speed / 2
    a = b / math.tan(math.pi * n / w)
    return math.cos(w * t + phase) / (1 - w**2) + a * math.cos(t) + b * math.sin(t)
