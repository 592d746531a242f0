"""The conveyor pendulum with a contact instead of an automaton: Example 3 of Gillespie and others again.

The same pendulum as ``conveyor-pendulum``, with the same values: P2 strikes the belt, rebounds twice, lands on the
second material, slides and sticks. There ten transitions and a Python function for Smith's impact say so; here a point
touches a line whose surface moves, with a static and a dynamic coefficient of friction and with
:class:`detent.Smith`'s impact law, all of which depend on the material that P2 is over. That it passes from one
material to the other is an event, also while it flies.
"""

from __future__ import annotations

from typing import Any

from sympy import Piecewise, pi

from detent.gallery.example import Example
from detent.model.friction_laws import Coulomb
from detent.model.impact_laws import Smith
from detent.model.system import System

TITLE = "the conveyor pendulum, as a contact of a point and a moving line (Gillespie et al., Example 3)"


def build() -> Example:
    """The pendulum: angles ``q1`` and ``q2`` from the downward vertical, their rates ``u1`` and ``u2``.

    >>> run = build().simulate()
    >>> [(round(event.time, 3), event.target) for event in run.events if event.kind == "impact"]
    [(0.073, 'free'), (0.252, 'free'), (0.408, 'P2|belt: slip')]
    >>> [(round(event.time, 3), event.name) for event in run.events.of_kind("transition")][-1]
    (0.873, 'P2|belt: slip -> stick')
    """
    system = System("conveyor pendulum, by contact")
    l1, l2, m1, m2, d, vb, g = system.parameters(l1=1, l2=1, m1=1, m2=1, d=1.2, vb=2.5, g=9.8)
    system.parameters(mu_s1=0.4978, mu_d1=0.4, e1=0.9, mu_s2=0.2489, mu_d2=0.2, e2=0, zone=-0.3)
    q1, q2 = system.coordinates("q1", "q2")
    system.speeds(u1=q1.rate, u2=q2.rate)
    system.start(q1=-pi / 16, q2=-4 * pi / 9, u1=3, u2=-0.3)
    system.units(q1="rad", q2="rad", l1="m", l2="m", m1="kg", m2="kg", d="m", vb="m/s", g="m/s^2", zone="m")
    ground = system.ground
    first, second = ground.rotated("R1", q1), ground.rotated("R2", q2)
    middle = system.origin.offset("P1", -l1 * first.y)
    tip = middle.offset("P2", -l2 * second.y)
    system.particle("P1", middle, m1)
    last = system.particle("P2", tip, m2)
    system.gravity(-g * ground.y)

    def here(name: str) -> Any:
        """A property of the material that P2 is over."""
        return Piecewise((system[f"{name}2"], tip.along(ground.x) > system["zone"]), (system[f"{name}1"], True))

    belt, friction = ground.line(at=(0, -d), moving=vb), Coulomb(here("mu_d"), static=here("mu_s"))
    system.contact("P2|belt", last.point(), belt, friction=friction, impact=Smith(here("e")))
    return Example("conveyor-pendulum-contact", system, until=1.0)
