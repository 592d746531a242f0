"""V. Chen's passive walker with knees: the stance leg stays straight, and the legs change names at each heel strike.

The simpler cousin of the kneed walker (V. Chen, Passive dynamic walking with knees, MIT, 2005). While the swing knee is
free the walker has three links, after it has locked two; then the swing foot meets the slope and becomes the
stance foot. The equations know only a stance leg and a swing leg, so that the state is relabelled there:

    q1, q2, q3 := q2, q1, q1,        u1, u2, u3 := u2, u1, u1,        stance foot := swing foot,

the velocity of the foot included. Then the ground takes that velocity away in a plastic impact: M (u+ - u-) = B^T P
with B u+ = 0, where B holds the foot and, for the instant, the knee of the leg that leaves. The knee strike is a
plastic impact too. To have both from the model itself the stance foot has coordinates of its own, ``x`` along the slope
and ``y`` across it, which a constraint pins at ``foot``.

Masses are points; angles are absolute, from the upward vertical. Straight legs of equal length are level whenever they
pass, so a heel strike counts only with the swing leg ahead. Reference: on the limit cycle q1 = 0.188165653505,
q2 = q3 = -(q1 + 2 slope), u1 = -1.108947291144, u2 = u3 = -0.05771782658; knee strike at 0.34881592073 s, period
0.56457806957 s.
"""

from __future__ import annotations

import math
from typing import Any

from sympy import Rational, asin

from detent.gallery.example import Example
from detent.hybrid.automaton import Automaton
from detent.hybrid.impact import Impact
from detent.model.constraint import holonomic
from detent.model.frame import Frame
from detent.model.measure import velocity_measure
from detent.model.point import Point
from detent.model.system import System

TITLE = "V. Chen's passive walker with knees, its legs relabelled at each heel strike, on its limit cycle"

SLOPE = asin(Rational(29, 576))
"""7.25 in 144."""

Q1 = 0.188165653505
Q2 = -(Q1 + 2 * math.asin(7.25 / 144))
LIMIT_CYCLE = {"q1": Q1, "q2": Q2, "q3": Q2, "u1": -1.108947291144, "u2": -0.05771782658, "u3": -0.05771782658}
"""Just after a heel strike, to the digits of the reference."""


def build() -> Example:
    """The walker: angles ``q1`` of the stance leg, ``q2`` of the swing thigh and ``q3`` of the swing shank.

    ``u1``, ``u2`` and ``u3`` are their rates. ``a1`` and ``b1`` are the parts of a shank below and above its mass,
    ``a2`` and ``b2`` those of a thigh. A start with both feet on the slope has q2 = q3 = -(q1 + 2 slope).

    >>> run = build().simulate(until=1)
    >>> [(event.name, round(event.time, 6)) for event in run.events]
    [('knee strike', 0.348816), ('heel strike', 0.564578), ('knee strike', 0.913394)]
    """
    system = System("passive walker")
    g, slope = system.parameters(g=9.8, slope=SLOPE)
    system.parameters(m_hip=0.5, m_thigh=0.5, m_shank=0.05, a1=0.375, b1=0.125, a2=0.175, b2=0.325)
    foot = system.discrete("foot", 0)
    x, y, q1, q2, q3 = system.coordinates("x", "y", "q1", "q2", "q3")
    system.speeds(u1=q1.rate, u2=q2.rate, u3=q3.rate)
    system.units(x="m", y="m", q1="rad", q2="rad", q3="rad", foot="m", slope="rad", g="m/s^2")
    system.units(m_hip="kg", m_thigh="kg", m_shank="kg", a1="m", b1="m", a2="m", b2="m")
    ramp = system.ground.rotated("ramp", -slope)
    hip = _stance_leg(system, system.origin.offset("stance foot", x * ramp.x + y * ramp.y))
    end = _swing_leg(system, hip)
    system.gravity(-g * system.ground.y)
    system.constrain(holonomic("pin", x=x - foot, y=y), active=False)
    system.constrain(holonomic("knee", q3 - q2), active=False)
    system.start(**LIMIT_CYCLE)
    return Example("passive-walker", system, until=10.0, automaton=_automaton(system, end, ramp))


def _stance_leg(system: System, foot: Point) -> Point:
    """The straight leg above the stance foot; returns the hip."""
    a1, b1, a2, b2 = (system[name] for name in ("a1", "b1", "a2", "b2"))
    leg = system.ground.rotated("stance leg", system["q1"])
    hip = foot.offset("hip", (a1 + b1 + a2 + b2) * leg.y)
    system.particle("stance shank", foot.offset("stance shank center", a1 * leg.y), system["m_shank"])
    system.particle("stance thigh", foot.offset("stance thigh center", (a1 + b1 + a2) * leg.y), system["m_thigh"])
    system.particle("hip", hip, system["m_hip"])
    return hip


def _swing_leg(system: System, hip: Point) -> Point:
    """The leg that hangs from the hip; returns its foot."""
    a1, b1, a2, b2 = (system[name] for name in ("a1", "b1", "a2", "b2"))
    thigh = system.ground.rotated("swing thigh", system["q2"])
    shank = system.ground.rotated("swing shank", system["q3"])
    knee = hip.offset("swing knee", -(a2 + b2) * thigh.y)
    system.particle("swing thigh", hip.offset("swing thigh center", -b2 * thigh.y), system["m_thigh"])
    system.particle("swing shank", knee.offset("swing shank center", -b1 * shank.y), system["m_shank"])
    return knee.offset("swing foot", -(a1 + b1) * shank.y)


def _automaton(system: System, end: Point, ramp: Frame) -> Automaton:
    q1, q2, q3 = (system[name] for name in ("q1", "q2", "q3"))
    automaton = Automaton(system)
    three = automaton.mode("three links", ["pin"])
    two = automaton.mode("two links", ["pin", "knee"])
    automaton.transition("knee strike", three, two, when=q3 >= q2, reset=Impact())
    automaton.transition(
        "heel strike", two, three, when=end.along(ramp.y) <= 0, condition_before=q2 >= q1,
        reset=[_relabelled(system, end, ramp), Impact("knee")],
    )  # fmt: skip
    return automaton


def _relabelled(system: System, end: Point, ramp: Frame) -> dict[Any, Any]:
    """The swing leg becomes the stance leg, and the other way round."""
    names = ("x", "y", "foot", "q1", "q2", "q3", "u1", "u2", "u3")
    x, y, foot, q1, q2, q3, u1, u2, u3 = map(system.__getitem__, names)
    shank = system.bodies["swing shank"]
    along, across = (velocity_measure(end, shank.center, shank.frame, axis) for axis in (ramp.x, ramp.y))
    place = {x: end.along(ramp.x), foot: end.along(ramp.x), y: end.along(ramp.y), x.rate: along, y.rate: across}
    return place | {q1: q2, q2: q1, q3: q1, u1: u2, u2: u1, u3: u1}
