"""A hanging chain whose tip is put on a line while it swings, and taken off again.

The chain of uniform rods swings freely; at t = ``on`` its tip is put on the horizontal line through the place
where it is at that instant. The line is written down only then, as an expression, and its equations are
derived, embedded and run on the spot. The tip has a speed across the line, which a plastic impact takes away:
with B the line's row, u- and u+ the speeds before and after,

    M (u+ - u-) = B^T P,    B u+ = 0,    energy lost = (B u-)^2 / (2 B M^-1 B^T).

At t = ``off`` the line goes; nothing jumps. Lengths, masses and times are chosen here.
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
from detent.model.constraint import holonomic
from detent.model.point import Point
from detent.model.system import System

if TYPE_CHECKING:
    from detent.simulation.simulation import Simulation

TITLE = "a swinging chain whose tip is put on a line during the run, and taken off again"


def build(links: int = 2) -> Example:
    """The chain of ``links`` rods; ``on`` and ``off`` (s) say when the constraint ``line`` comes and goes.

    ``q1`` is measured from the downward vertical, each further angle from the rod before; ``u1``, ... are their
    rates.

    >>> run = build().simulate()
    >>> [(event.time, event.target) for event in run.events if event.kind == "transition"]
    [(0.4, 'line'), (1.4, 'free')]
    """
    system = System("tip on a line")
    m, length, g = system.parameters(m=1, length=1, g=9.81)
    system.parameters(on=0.4, off=1.4)
    system.units(m="kg", length="m", g="m/s^2", on="s", off="s")
    tip = hang_rods(system, links, m, length)
    system.start(q1=pi / 3)
    system.gravity(-g * system.ground.y)
    settings = {"script": partial(_on_and_off, tip=tip)}
    return Example("tip-on-a-line", system, until=3.0, settings=settings, structure={"links": links})


def tip_height(angles: list[float], length: float) -> float:
    """How high the tip is (m) above the first hinge.

    >>> tip_height([0.0, 0.0], 1.0)
    -2.0
    """
    return -length * sum(math.cos(angle) for angle in accumulate(angles))


def _on_and_off(simulation: Simulation, until: float, tip: Point) -> None:
    on, off = simulation.parameters["on"], simulation.parameters["off"]
    if not 0 <= on < off:
        raise ValueProblem(
            f"the line comes at on = {on!r} and goes at off = {off!r}; make it come first, at zero or later"
        )
    simulation.advance(min(on, until))
    if on < until:
        height = tip.along(tip.system.ground.y)
        simulation.constrain(holonomic("line", height - simulation.value(height)))
        simulation.advance(min(off, until))
    if off < until:
        simulation.release("line")
