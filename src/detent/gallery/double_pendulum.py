"""Two point masses on massless rods, hung one from the other: the classic of chaotic motion.

The angles are absolute, both measured from the downward vertical, as in the pendulum of the
conveyor-pendulum example (Gillespie et al., Example 3), whose lengths and masses are used as well. The
start, both rods horizontal and at rest, is chosen here. No closed form exists for the motion in the
large; for small motion the two natural frequencies are the roots w of

    m1 l1 l2 w^4 - (m1 + m2) (l1 + l2) g w^2 + (m1 + m2) g^2 = 0

(Landau and Lifshitz, Mechanics, section 23, problem 2).
"""

from __future__ import annotations

import math

from sympy import pi

from detent.gallery.example import Example
from detent.model.system import System

TITLE = "two point masses on rods, released from the horizontal: chaotic, energy conserved"


def build() -> Example:
    """The double pendulum; ``q1`` and ``q2`` are measured from the downward vertical, ``u1`` and ``u2`` their rates.

    >>> build().simulate(until=0.5).outcome.word
    'completed'
    """
    system = System("double pendulum")
    m1, m2, l1, l2, g = system.parameters(m1=1, m2=1, l1=1, l2=1, g=9.8)
    q1, q2 = system.coordinates(q1=pi / 2, q2=pi / 2)
    system.speeds(u1=q1.rate, u2=q2.rate)
    system.units(q1="rad", q2="rad", m1="kg", m2="kg", l1="m", l2="m", g="m/s^2")
    upper = system.ground.rotated("upper", q1, about="z")
    lower = system.ground.rotated("lower", q2, about="z")
    elbow = system.origin.offset("elbow", -l1 * upper.y)
    system.particle("first", elbow, mass=m1)
    system.particle("second", elbow.offset("tip", -l2 * lower.y), mass=m2)
    system.gravity(-g * system.ground.y)
    return Example("double-pendulum", system, until=10.0)


def natural_frequencies(m1: float, m2: float, l1: float, l2: float, g: float) -> tuple[float, float]:
    """The two natural frequencies (rad/s) of small motion, the slower one first.

    With equal masses and lengths they are sqrt((2 -+ sqrt(2)) g/l).

    >>> slow, fast = natural_frequencies(1, 1, 1, 1, 9.8)
    >>> round(slow**2 / 9.8, 12), round(fast**2 / 9.8, 12)
    (0.585786437627, 3.414213562373)
    """
    whole = m1 + m2
    half = whole * (l1 + l2) * g / 2
    root = math.sqrt(half**2 - m1 * l1 * l2 * whole * g**2)
    # The slow one by the product of the roots: half - root would cancel when they lie far apart.
    return math.sqrt(whole * g**2 / (half + root)), math.sqrt((half + root) / (m1 * l1 * l2))
