"""A double pendulum whose tip strikes the floor, and gains energy by a textbook's law: Kane's puzzle (1984).

Two uniform rods, each of 1 kg and 1 m, hang one from the other; ``q1`` and ``q2`` are their angles from the downward
vertical. The tip strikes a floor when they are 20 and 30 degrees, with the rates -0.1 and -0.2 rad/s. If it parts with
``e`` = 0.5 times its speed across (Newton) and friction stops the slip, the kinetic energy grows by 58.7 percent: T. R.
Kane asked where it comes from. It comes from two laws that need not agree: with friction the slip may stop, or turn,
while the normal force still works. :func:`table` has what the laws of detent give: Newton's and Smith's gain, and a
run with them stops there and says so; Poisson's and Stronge's, which follow the slip through the impact, always lose.

There is no gravity, and the start is that motion a tenth of a second earlier, worked out by a Taylor series with 30
digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from sympy import Rational

from detent.contact_solves.single_impact import SingleImpact
from detent.contact_solves.single_impact_frame import Law
from detent.gallery.example import Example
from detent.model.friction_laws import Coulomb
from detent.model.impact_laws import ImpactLaw, Poisson
from detent.model.system import System

TITLE = "a double pendulum whose tip strikes the floor: every impact law, with its energy (Kane's puzzle)"

ANGLES: Final = (math.radians(20), math.radians(30))
"""Of the rods where the tip strikes."""
RATES: Final = (-0.1, -0.2)
"""Of these angles, before."""
LAWS: Final = ("Newton", "Smith", "Poisson", "Stronge", "plastic")


def build() -> Example:
    """The pendulum: angles ``q1`` and ``q2``, their rates ``u1`` and ``u2``.

    >>> run = build().simulate()
    >>> [(round(event.time, 9), event.name, round(event.details["energy"], 9)) for event in run.events]
    [(0.1, 'tip|floor: bounce', -0.011197801)]
    """
    return Example("kane-puzzle", pendulum(Poisson), until=0.2)


def pendulum(law: Callable[[Any], ImpactLaw]) -> System:
    """The pendulum with another impact law: ``e`` is its restitution.

    >>> from detent import Stronge, simulate
    >>> round(simulate(pendulum(Stronge), until=0.2).events[0].details["energy"], 9)
    -0.010991668
    """
    system = System("kane puzzle")
    e, mu, floor = system.parameters(e=0.5, mu=0.7, floor=math.cos(ANGLES[0]) + math.cos(ANGLES[1]))
    q1, q2 = system.coordinates("q1", "q2")
    system.speeds(u1=q1.rate, u2=q2.rate)
    system.start(q1=0.359105681429403104, q2=0.54352663253293126, u1=-0.100802432563077482, u2=-0.198545743987582742)
    system.units(q1="rad", q2="rad", floor="m")
    first, second = system.ground.rotated("first", q1), system.ground.rotated("second", q2)
    elbow = system.origin.offset("elbow", -first.y)
    system.body("upper", system.origin.offset("upper", -first.y / 2), first, 1, Rational(1, 12))
    lower = system.body("lower", elbow.offset("lower", -second.y / 2), second, 1, Rational(1, 12))
    ground = system.ground.line(at=(0, -floor))
    system.contact("tip|floor", lower.point(at=(0, -Rational(1, 2))), ground, friction=Coulomb(mu), impact=law(e))
    return system


def kinetic_energy(u1: float, u2: float) -> float:
    """The kinetic energy (J) where the tip strikes.

    >>> round(kinetic_energy(*RATES), 15)
    0.023181410863455
    """
    u = np.array([u1, u2])
    return float(u @ _mass() @ u) / 2


def _mass() -> NDArray[np.float64]:
    coupling = math.cos(ANGLES[0] - ANGLES[1]) / 2
    return np.array([[4 / 3, coupling], [coupling, 1 / 3]])


def _rows() -> NDArray[np.float64]:
    """How fast the tip goes up, and along the floor, per unit of each rate."""
    return np.array([[math.sin(angle) for angle in ANGLES], [math.cos(angle) for angle in ANGLES]])


def after(law: str, mu: float = 0.7, e: float = 0.5) -> tuple[float, float]:
    """The rates (rad/s) of the angles after the strike, by one of the laws of :data:`LAWS`.

    >>> [round(rate, 9) for rate in after("Newton")]
    [-0.33464893, 0.363115364]
    """
    mass, rows, u = _mass(), _rows(), np.array(RATES)
    response = rows @ np.linalg.solve(mass, rows.T)
    impulse = SingleImpact.of(response, rows @ u, mu, e, Law[law.upper()]).impulse
    u1, u2 = u + np.linalg.solve(mass, rows.T @ impulse)
    return float(u1), float(u2)


def table(mu: float = 0.7, e: float = 0.5) -> dict[str, float]:
    """The kinetic energy (J) after the strike, by every law.

    >>> for law, energy in table().items():
    ...     print(f"{law:8} {energy:.6f} {energy / kinetic_energy(*RATES) - 1:+.1%}")
    Newton   0.036800 +58.7%
    Smith    0.036800 +58.7%
    Poisson  0.011984 -48.3%
    Stronge  0.012190 -47.4%
    plastic  0.011472 -50.5%
    """
    return {law: kinetic_energy(*after(law, mu, e)) for law in LAWS}
