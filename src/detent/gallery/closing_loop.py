"""An open chain that is closed into a loop in flight.

A chain of uniform rods swings from the origin. At t = ``catch`` its tip is taken hold of as it flies, led to
the anchor along a smooth course of ``lead`` seconds, and hinged there: from then on chain and ground form a
closed loop. The course is written down only at the catch, from the place p and the velocity v of the tip at
that instant: with s the part of the time ``lead`` that has passed,

    p (1 + 2 s) (1 - s)^2 + lead v s (1 - s)^2 + anchor s^2 (3 - 2 s),

which begins with the tip's own place and velocity and ends at rest at the anchor. So neither the catch nor the
closing is an impact. The one who leads the tip does work, which the energy balance accounts for; the loop
itself does none. Dimensions and times are chosen here; the anchor lies at ``span`` along x.
"""

from __future__ import annotations

import math
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING

from sympy import pi

from detent.errors import ValueProblem
from detent.gallery.example import Example
from detent.gallery.rods import hang_rods
from detent.model.constraint import holonomic, joined
from detent.model.point import Point
from detent.model.system import System

if TYPE_CHECKING:
    from detent.simulation.simulation import Simulation

TITLE = "an open chain whose tip is led to an anchor and hinged there: a loop closed in flight"


def build(links: int = 4) -> Example:
    """The chain of ``links`` rods, at least two; ``course`` leads its tip, ``closed`` holds it at the anchor.

    ``q1`` is measured from the downward vertical, each further angle from the rod before; ``u1``, ... are their
    rates.

    >>> run = build().simulate()
    >>> [(event.time, event.target) for event in run.events if event.kind == "transition"]
    [(0.5, 'course'), (1.5, 'free'), (1.5, 'closed')]
    """
    if links < 2:
        raise ValueProblem(f"'links' of 'closing-loop' is {links}; a loop with the ground needs at least 2 rods")
    system = System("closing loop")
    m, length, g = system.parameters(m=1, length=1, g=9.81)
    system.parameters(span=links / 2, catch=0.5, lead=1)
    system.units(m="kg", length="m", g="m/s^2", span="m", catch="s", lead="s")
    tip = hang_rods(system, links, m, length)
    anchor = system.origin.offset("anchor", system["span"] * system.ground.x)
    system.constrain(joined("closed", tip, anchor, along="xy"), active=False)
    system.start(q1=-pi / 6, q2=pi / 3)
    system.gravity(-g * system.ground.y)
    settings = {"script": partial(_lead_and_close, tip=tip, links=links)}
    return Example("closing-loop", system, until=5.0, settings=settings, structure={"links": links})


def tip_motion(
    angles: list[float], rates: list[float], length: float
) -> tuple[tuple[float, float], tuple[float, float]]:
    """The place (m) and the velocity (m/s) of the tip of the open chain.

    >>> tip_motion([0.0, 0.0], [1.0, 0.0], 1.0)
    ((0.0, -2.0), (2.0, 0.0))
    """
    turned, turning = list(accumulate(angles)), list(accumulate(rates))
    place = length * sum(map(math.sin, turned)), -length * sum(map(math.cos, turned))
    velocity = (
        length * sum(rate * math.cos(angle) for angle, rate in zip(turned, turning, strict=True)),
        length * sum(rate * math.sin(angle) for angle, rate in zip(turned, turning, strict=True)),
    )
    return place, velocity


def _lead_and_close(simulation: Simulation, until: float, tip: Point, links: int) -> None:
    values, system = simulation.parameters, tip.system
    catch, lead = values["catch"], values["lead"]
    if not (catch >= 0 and lead > 0):
        raise ValueProblem(
            f"the tip is caught at catch = {catch!r} and led for lead = {lead!r} s; make catch zero or later and lead "
            "greater than zero"
        )
    simulation.advance(min(catch, until))
    if catch >= until:
        return
    now, numbers = simulation.state, range(1, links + 1)
    place, velocity = tip_motion([now[f"q{n}"] for n in numbers], [now[f"u{n}"] for n in numbers], values["length"])
    s = (system.time - catch) / lead
    begin, drift, end = (1 + 2 * s) * (1 - s) ** 2, lead * s * (1 - s) ** 2, s**2 * (3 - 2 * s)
    x = place[0] * begin + velocity[0] * drift + values["span"] * end
    y = place[1] * begin + velocity[1] * drift
    simulation.constrain(holonomic("course", x=tip.along(system.ground.x) - x, y=tip.along(system.ground.y) - y))
    simulation.advance(min(catch + lead, until))
    if catch + lead < until:
        simulation.release("course")
        simulation.constrain("closed")
