"""A disk that slides and rolls on a ramp with two zones of friction: Example 1 of Gillespie and others.

A uniform disk is thrown up a ramp with some spin. Below the mark at ``L`` the coefficient of friction is ``mu``,
above it there is none. ``q1`` is the way along the ramp, ``q2`` the angle of the disk, and the speeds are u1 = q1'
and u2 = r q2', so that rolling means u1 + u2 = 0. With F the friction up the ramp and N the normal force,

    m u1' = F - m g sin(tilt),    (J/r^2) u2' = F.

Sliding, F = -mu N side, with ``side`` the direction of slip (+1 up the ramp, -1 down); rolling, F is whatever the
constraint needs. The disk begins to roll when the slip ends and rolling asks for no more than mu N, and slides again
when it would ask for more, or when it comes to the mark.

The paper brings the normal force into evidence with an auxiliary generalized speed; here that is the rate of the
extra coordinate ``clearance``, the disk's distance from the ramp, which the constraint ``ramp`` keeps at zero: N is
its reaction. The paper prints N = m g sin(tilt), with which the disk could not even start to roll as it is shown to
do; the model gives m g cos(tilt). The last column of its Table I has lost its heading: it is u2 at the start.
"""

from __future__ import annotations

import math
from typing import Any

from sympy import Piecewise, pi

from detent.gallery.example import Example
from detent.hybrid.automaton import Automaton
from detent.model.constraint import holonomic, motion
from detent.model.system import System

TITLE = "a disk that slides, rolls and slides again on a ramp (Gillespie et al., Example 1)"


def build() -> Example:
    """The disk: ``q1`` (m) up the ramp, ``q2`` (rad), ``u1`` and ``u2`` (m/s).

    Modes: ``slide`` below the mark, ``roll``, and ``slide freely`` above it. A start that slips down the ramp
    (u1 + u2 < 0) needs ``side=-1``, one that rolls ``mode="roll"``, one above the mark ``mode="slide freely"``.

    >>> run = build().simulate()
    >>> [(round(event.time, 2), event.target) for event in run.events.of_kind("transition")]
    [(0.37, 'roll'), (1.72, 'slide freely'), (4.16, 'slide'), (6.13, 'roll')]
    """
    system = System("disk on a ramp")
    m, J, r, tilt, g, mu = system.parameters(m=1, J=0.5, r=1, tilt=pi / 12, g=9.8, mu=0.2)
    system.parameters(L=22)
    q1, q2, clearance = system.coordinates("q1", "q2", "clearance")
    u1, u2 = system.speeds(u1=q1.rate, u2=r * q2.rate)
    system.start(q1=14, q2=0, u1=7, u2=-4, clearance=0, clearance_rate=0)
    system.units(q1="m", q2="rad", u2="m/s", clearance="m", m="kg", J="kg m^2", r="m", tilt="rad", g="m/s^2", L="m")
    side = system.discrete("side", 1)
    ramp = system.ground.rotated("ramp", tilt)
    hub = system.origin.offset("hub", q1 * ramp.x + (r + clearance) * ramp.y)
    disk = system.body("disk", hub, ramp.rotated("disk", q2), m, J)
    system.gravity(-g * system.ground.y)
    system.constrain(holonomic("ramp", clearance), active=False)
    system.constrain(motion("rolling", u1 + u2), active=False)
    friction = -mu * side * system.reaction("ramp")
    system.force("friction", hub, friction * ramp.x, active=False)
    system.torque("friction about the hub", disk, r * friction * ramp.z, active=False)
    return Example("disk-on-ramp", system, until=7.0, automaton=_automaton(system, u1 + u2))


def _automaton(system: System, slip: Any) -> Automaton:
    """The paper's Figure 6, with the zone without friction as a mode of its own."""
    q1, L, mu, side = (system[name] for name in ("q1", "L", "mu", "side"))
    needed, limit = system.reaction("rolling"), mu * system.reaction("ramp")
    automaton = Automaton(system)
    slide = automaton.mode(
        "slide", ["ramp"], loads=["friction", "friction about the hub"], where=[side * slip >= 0, q1 <= L]
    )
    roll = automaton.mode("roll", ["ramp", "rolling"])
    freely = automaton.mode("slide freely", ["ramp"])
    in_the_cone = [needed <= limit, needed >= -limit]
    automaton.transition("slip ends", slide, roll, when=side * slip <= 0, condition_after=in_the_cone)
    automaton.transition("slip turns", slide, slide, when=side * slip <= 0, reset={side: -side})
    automaton.transition("slips down", roll, slide, when=needed >= limit, reset={side: -1})
    automaton.transition("slips up", roll, slide, when=needed <= -limit, reset={side: 1})
    automaton.transition("rolls past the mark", roll, freely, when=q1 >= L)
    automaton.transition("slides past the mark", slide, freely, when=q1 >= L)
    direction = Piecewise((1, slip > 0), (-1, True))
    automaton.transition("back at the mark", freely, slide, when=q1 <= L, reset={side: direction})
    return automaton


def sliding_ends(slip: float, side: float, m: float, J: float, r: float, tilt: float, g: float, mu: float) -> float:
    """How long the disk slides (s) until a slip (m/s) in the direction ``side`` has ended.

    The slip u1 + u2 changes at -g sin(tilt) - side mu g cos(tilt) (1 + m r^2/J).

    >>> round(sliding_ends(3.0, 1.0, 1.0, 0.5, 1.0, math.pi / 12, 9.8, 0.2), 12)
    0.365138054717
    """
    return slip / (g * math.sin(tilt) + side * mu * g * math.cos(tilt) * (1 + m * r**2 / J))
