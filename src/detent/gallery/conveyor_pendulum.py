"""A double pendulum that strikes a conveyor belt, slides and sticks: Example 3 of Gillespie and others.

Two massless rods with particles P1 and P2 at their ends hang from a pivot; ``q1`` and ``q2`` are their angles from
the downward vertical. The belt runs at the distance ``d`` below the pivot with the speed ``vb`` to the right and
carries two materials, the second where P2 is to the right of ``zone``. Each has a coefficient of static friction
``mu_s``, of dynamic friction ``mu_d``, and a restitution ``e``.

An impact follows C. E. Smith's law (Predicting rebounds using rigid body dynamics, 1991): the normal velocity turns
round with Newton's restitution; if the impulse that also stops the slip lies in the cone of mu_s, the slip stops;
if not, the tangential impulse is

    P_t = -mu_d P_n (v- |v-| + v+ |v+|)/(v-^2 + v+^2),

with v- and v+ the slip before and after. With a restitution P2 is ``free`` again afterwards;
without, it stays on the belt, to ``slide`` or ``stuck``. Sliding ends in sticking where the belt can hold P2 with
mu_s, and otherwise goes on to the other side; what is stuck slides again when holding asks for more than that; and
P2 leaves the belt when the normal force would have to pull.

The paper prints its times to two digits: rebounds at 0.07 and 0.25 s, the second material struck at 0.41 s, sticking
at 0.88 s, where its simulation stops. Its Table II has q1 = -pi/9 at the start, which does not give them; -pi/16
does, and is used here. Where the second material begins, and g, are not printed: ``zone=-0.3`` and ``g=9.8`` are
chosen. Here the run goes on: P2 rides on the belt without any freedom left until the rods are nearly stretched,
slides and comes off.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from sympy import Eq, Piecewise, cos, pi

from detent.gallery.example import Example
from detent.hybrid.automaton import Automaton
from detent.hybrid.friction_impact import FrictionImpact
from detent.model.constraint import holonomic, motion
from detent.model.friction_laws import Coulomb
from detent.model.impact_laws import Smith
from detent.model.system import System

TITLE = "a double pendulum that strikes a conveyor belt, slides and sticks (Gillespie et al., Example 3)"


def build() -> Example:
    """The pendulum: angles ``q1`` and ``q2``, their rates ``u1`` and ``u2``; modes ``free``, ``slide`` and ``stuck``.

    Two discrete states are set by the transitions: ``side``, the direction of slip (0 where there is none), and
    ``material``, 1 or 2. The constraint ``belt`` keeps P2 on the belt, ``carried`` makes it move with it.

    >>> run = build().simulate()
    >>> [(round(event.time, 3), event.target) for event in run.events if event.kind in ("impact", "transition")]
    [(0.073, 'free'), (0.252, 'free'), (0.408, 'slide'), (0.873, 'stuck')]
    """
    system = System("conveyor pendulum")
    l1, l2, m1, m2, d, vb, g = system.parameters(l1=1, l2=1, m1=1, m2=1, d=1.2, vb=2.5, g=9.8)
    system.parameters(mu_s1=0.4978, mu_d1=0.4, e1=0.9, mu_s2=0.2489, mu_d2=0.2, e2=0, zone=-0.3)
    q1, q2 = system.coordinates("q1", "q2")
    u1, u2 = system.speeds(u1=q1.rate, u2=q2.rate)
    system.start(q1=-pi / 16, q2=-4 * pi / 9, u1=3, u2=-0.3)
    system.units(q1="rad", q2="rad", l1="m", l2="m", m1="kg", m2="kg", d="m", vb="m/s", g="m/s^2", zone="m")
    side, ground = system.discrete("side", 0), system.ground
    system.discrete("material", 1)
    first, second = ground.rotated("R1", q1), ground.rotated("R2", q2)
    middle = system.origin.offset("P1", -l1 * first.y)
    tip = middle.offset("P2", -l2 * second.y)
    system.particle("P1", middle, m1)
    system.particle("P2", tip, m2)
    system.gravity(-g * ground.y)
    system.constrain(holonomic("belt", tip.along(ground.y) + d), active=False)
    slip = l1 * cos(q1) * u1 + l2 * cos(q2) * u2 - vb
    system.constrain(motion("carried", slip), active=False)
    system.force("friction", tip, -side * _here(system, "mu_d") * system.reaction("belt") * ground.x, active=False)
    return Example("conveyor-pendulum", system, until=1.0, automaton=_automaton(system, slip))


def _here(system: Any, name: str) -> Any:
    """A property of the material that P2 is on."""
    return Piecewise((system[f"{name}1"], Eq(system["material"], 1)), (system[f"{name}2"], True))


def _automaton(system: System, slip: Any) -> Automaton:
    """The paper's Figure 13."""
    automaton, tip = Automaton(system), system.points["P2"]
    gap, place = tip.along(system.ground.y) + system["d"], tip.along(system.ground.x) - system["zone"]
    free = automaton.mode("free", where=gap >= 0)
    slide = automaton.mode("slide", ["belt"], loads=["friction"])
    stuck = automaton.mode("stuck", ["belt", "carried"])
    still = system["side"] ** 2 <= 0
    for number, here in ((1, place <= 0), (2, place >= 0)):
        name, plastic = f"strikes material {number}", [here, system[f"e{number}"] <= 0]
        struck = [_impact(system, number), {system["material"]: number}]
        add = partial(automaton.transition, when=gap <= 0, reset=struck)
        add(f"{name} and sticks", free, stuck, condition_before=plastic, condition_after=still)
        add(f"{name} and slides", free, slide, condition_before=plastic)
        add(f"{name} and rebounds", free, free, condition_before=here, condition_after=still, accumulates=stuck)
        add(f"{name} and rebounds slipping", free, free, condition_before=here, accumulates=slide)
    _on_the_belt(automaton, slip, place)
    return automaton


def _on_the_belt(automaton: Automaton, slip: Any, place: Any) -> None:
    """What happens while P2 slides or sticks."""
    system: Any = automaton.system
    side, material = system["side"], system["material"]
    normal, needed = system.reaction("belt"), system.reaction("carried")
    limit = _here(system, "mu_s") * normal
    in_the_cone = [needed <= limit, needed >= -limit]
    add, other = automaton.transition, {material: 3 - material}
    add("sticks", "slide", "stuck", when=side * slip <= 0, condition_after=in_the_cone, reset={side: 0})
    add("slip turns", "slide", "slide", when=side * slip <= 0, reset={side: -side})
    add("lifts off", "slide", "free", when=normal <= 0)
    add("lags behind", "stuck", "slide", when=needed >= limit, reset={side: -1})
    add("runs ahead", "stuck", "slide", when=needed <= -limit, reset={side: 1})
    add("slides onto the other material", "slide", "slide", when=place, reset=other)
    add("rides onto the other material", "stuck", "stuck", when=place, reset=other)


def _impact(system: Any, material: int) -> FrictionImpact:
    """The impact on a material, which leaves the direction of slip in ``side``."""
    mu_s, mu_d, e = (system[f"{name}{material}"] for name in ("mu_s", "mu_d", "e"))
    friction = Coulomb(mu_d, static=mu_s)
    return FrictionImpact("belt", "carried", law=Smith(e), friction=friction, direction=system["side"])
