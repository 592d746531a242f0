"""A chain of equal uniform rods that hangs from a fixed point and swings in a plane.

The usual yardstick of multibody programs: as many links as wanted, joined by frictionless hinges. The
first link is released from the horizontal with all others hanging straight down from it, a start chosen
here because every joint soon moves. Of closed form there is the energy, which stays, and the
acceleration of a bent chain at rest or in motion, which the tests take from Lagrange's equations in
absolute angles; one link alone is a compound pendulum of the length 2 l/3.
"""

from __future__ import annotations

from sympy import pi

from detent.gallery.example import Example
from detent.gallery.rods import hang_rods
from detent.model.system import System

TITLE = "uniform rods hinged in a row, the first released from the horizontal"


def build(links: int = 5) -> Example:
    """The chain; ``q1`` is measured from the downward vertical, each further angle from the link before.

    ``m`` (kg) and ``length`` (m) are those of one link; ``u1``, ``u2`` and so on are the rates of the angles.

    >>> [speed.name for speed in build(links=3).system.all_speeds()]
    ['u1', 'u2', 'u3']
    """
    system = System("chain")
    m, length, g = system.parameters(m=1, length=1, g=9.81)
    system.units(m="kg", length="m", g="m/s^2")
    hang_rods(system, links, m, length)
    system.start(q1=pi / 2)
    if links > 1:
        system.start(q2=-pi / 2)
    system.gravity(-g * system.ground.y)
    return Example("chain", system, until=10.0, structure={"links": links})
