"""A disk on a ramp and on a fence that is drawn on the way: Example 2 of Gillespie and others, with contacts.

The same as ``adjustable-fence``, but nobody writes modes and transitions. The ramp is a contact, and so is the fence, a
curve that is not known before: at t = ``known`` it is drawn, smoothly through some points of an arc of radius ``R`` and
length ``Lf`` from the end of the ramp. In a live run nothing is drawn by itself: draw the fence by hand, and the disk
rides it from the next touch on.

``q1`` and ``q2`` are how far the disk's centre has come to the right and up, from where it touches the ramp at O, and
``q3`` is its angle. The ramp goes down to the left at the angle ``tilt`` to P, the path length ``L`` from O. There is
no friction, and what touches does not bounce.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from sympy import cos, pi, sin

from detent.errors import ValueProblem
from detent.gallery.example import Example
from detent.model.impact_laws import Plastic
from detent.model.system import System

if TYPE_CHECKING:
    from detent.simulation.simulation import Simulation

TITLE = "a disk on a ramp and a fence that is drawn during the run (Gillespie et al., Example 2, with contacts)"

POINTS: Final = 16
"""Through which the fence is drawn."""


def build() -> Example:
    """The disk, the ramp, and room for a fence.

    >>> run = build().simulate(rtol=1e-8)
    >>> [round(event.time, 1) for event in run.events if "disk|fence" in event.name]
    [7.7, 9.0]
    """
    system = System("drawn fence")
    m, r, g, tilt, L = system.parameters(m=1, r=1, g=9.8, tilt=pi / 12, L=75)
    system.parameters(R=20, Lf=25, known=7)
    q1, q2, q3 = system.coordinates(q1=0, q2=0, q3=0)
    system.units(q1="m", q2="m", q3="rad", m="kg", r="m", g="m/s^2", tilt="rad", L="m", R="m", Lf="m", known="s")
    over, up = q1 - r * sin(tilt), q2 + r * cos(tilt)
    center = system.origin.offset("center", over * system.ground.x + up * system.ground.y)
    disk = system.body("disk", center, system.ground.rotated("disk", q3), m, m * r**2 / 2)
    system.gravity(-g * system.ground.y)
    end, above = (-L * cos(tilt), -L * sin(tilt)), (2 * r * cos(tilt), 2 * r * sin(tilt))
    system.contact("disk|ramp", disk.circle(r), system.ground.track(end, above), impact=Plastic())
    system.contact("disk|fence", disk.circle(r), system.ground.drawing("fence", points=POINTS), impact=Plastic())
    return Example("drawn-fence", system, until=10.0, settings={"script": _draw_the_fence})


def arc(values: Mapping[str, float]) -> list[tuple[float, float]]:
    """Points of the arc, from its far end to the ramp, so that its face is above.

    >>> [round(x, 3) for x in arc({"tilt": 0.0, "L": 75.0, "R": 20.0, "Lf": 25.0})[-1]]
    [-75.0, 0.0]
    """
    tilt, L, R, Lf = (values[name] for name in ("tilt", "L", "R", "Lf"))
    x, y = -L * math.cos(tilt) - R * math.sin(tilt), R * math.cos(tilt) - L * math.sin(tilt)  # of its centre
    slopes = [Lf / R * (1 - k / (POINTS - 1)) - tilt for k in range(POINTS)]
    return [(x - R * math.sin(slope), y - R * math.cos(slope)) for slope in slopes]


def _draw_the_fence(simulation: Simulation, until: float) -> None:
    values = simulation.parameters
    known, R, Lf, r = (values[name] for name in ("known", "R", "Lf", "r"))
    if not (known >= 0 and r < R and 0 < Lf < 6 * R):
        raise ValueProblem(
            f"the fence is drawn at known = {known!r} with the radius R = {R!r} and the length Lf = {Lf!r}; make known "
            f"zero or later, R greater than the disk's radius r = {r!r}, and Lf greater than zero and less than 6 R"
        )
    if known < until:
        simulation.advance(known)
        simulation.draw("fence", arc(values))
