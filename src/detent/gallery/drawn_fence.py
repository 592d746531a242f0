"""A disk on a ramp and on a fence that is drawn on the way: Example 2 of Gillespie and others, with contacts.

The same as ``adjustable-fence``, but nobody writes modes and transitions: the ramp is a contact, and at t = ``known``
the fence becomes one more. In a live run nothing is drawn by itself: draw the fence by hand, where the ramp ends, and
the disk rides it from the next touch on.

``q1`` and ``q2`` are how far the disk's centre has come to the right and up, from where it touches the ramp at O, and
``q3`` is its angle. The ramp goes down to the left at the angle ``tilt`` to P, the path length ``L`` from O; the fence
is an arc of radius ``R`` and length ``Lf`` from there. There is no friction, and what touches does not bounce.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sympy import cos, pi, sin

from detent.gallery.example import Example
from detent.model.impact_laws import Plastic
from detent.model.shape import Shape
from detent.model.system import System
from detent.model.track import Turn

if TYPE_CHECKING:
    from detent.simulation.simulation import Simulation

TITLE = "a disk on a ramp and a fence that is drawn during the run (Gillespie et al., Example 2, with contacts)"


def build() -> Example:
    """The disk and the ramp; from ``known`` (s) on the contact ``disk|fence`` too.

    >>> run = build().simulate(rtol=1e-8)
    >>> [round(event.time, 1) for event in run.events if "disk|fence" in event.name]
    [7.0, 7.7, 9.0]
    """
    system = System("drawn fence")
    m, r, g, tilt, L = system.parameters(m=1, r=1, g=9.8, tilt=pi / 12, L=75)
    system.parameters(R=20, Lf=25, known=7)
    q1, q2, q3 = system.coordinates(q1=0, q2=0, q3=0)
    over, up = q1 - r * sin(tilt), q2 + r * cos(tilt)
    center = system.origin.offset("center", over * system.ground.x + up * system.ground.y)
    disk = system.body("disk", center, system.ground.rotated("disk", q3), m, m * r**2 / 2)
    system.gravity(-g * system.ground.y)
    end, above = (-L * cos(tilt), -L * sin(tilt)), (2 * r * cos(tilt), 2 * r * sin(tilt))
    system.contact("disk|ramp", disk.circle(r), system.ground.track(end, above), impact=Plastic())
    return Example("drawn-fence", system, until=10.0, settings={"script": _draw_the_fence})


def fence(system: System) -> Shape:
    """The arc from the end of the ramp, with the centre R across it.

    >>> fence(build().system).kind
    'track'
    """
    tilt, L, R, Lf = (system[name] for name in ("tilt", "L", "R", "Lf"))
    x, y = -L * cos(tilt) - R * sin(tilt), R * cos(tilt) - L * sin(tilt)  # of the centre of the arc
    slope = Lf / R - tilt
    return system.ground.track((x - R * sin(slope), y - R * cos(slope)), Turn((x, y), Lf / R))


def _draw_the_fence(simulation: Simulation, until: float) -> None:
    known = simulation.parameters["known"]
    if known < until:
        simulation.advance(max(known, 0.0))
        system = simulation.system
        simulation.contact("disk|fence", system.contacts["disk|ramp"].first, fence(system), impact=Plastic())
