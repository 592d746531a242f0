"""A block on a belt, held by a spring: it rides, slips back, and rides again, for ever.

The belt carries the block along at the speed ``vb`` until the spring pulls harder than static friction,
k x = mu_s m g; then it slips, against kinetic friction mu_d m g, as an oscillator about mu_d m g/k,

    x = (mu_d m g + (mu_s - mu_d) m g cos(w t))/k + (vb/w) sin(w t),    w^2 = k/m,

until its speed is that of the belt again, on the other side: x = (2 mu_d - mu_s) m g/k. There friction can hold it,
and it rides (mu_s - mu_d) 2 m g/k forward. Each cycle is exactly like the one before. A model of a bowed string and
of a squealing brake. ``g=1`` makes forces come in units of the block's weight.
"""

from __future__ import annotations

import math

from detent.gallery.example import Example
from detent.model.friction_laws import Coulomb
from detent.model.system import System

TITLE = "a block on a belt, held by a spring: it sticks and slips in turn"


def build() -> Example:
    """The block: ``x`` (m) along the belt, ``y`` (m) above it, and their rates; it starts riding, the spring slack.

    A start at another speed than the belt's (``x_rate`` other than ``vb``) slips at first.

    >>> run = build().simulate()
    >>> [(round(event.time, 9), event.name) for event in run.events.of_kind("transition")][:2]
    [(5.0, 'block|belt: stick -> slip'), (9.317597861, 'block|belt: slip -> stick')]
    """
    system = System("stick-slip")
    m, k, vb, mu_s, mu_d, g = system.parameters(m=1, k=1, vb=0.2, mu_s=1, mu_d=0.7, g=1)
    x, y = system.coordinates("x", "y")
    system.start(x=0, y=0, x_rate=0.2, y_rate=0)
    system.units(x="m", y="m", m="kg", k="N/m", vb="m/s", g="m/s^2")
    ground = system.ground
    block = system.particle("block", system.origin.offset("block", x * ground.x + y * ground.y), m)
    system.gravity(-g * ground.y)
    system.force("spring", block.center, -k * x * ground.x)
    system.contact("block|belt", block.point(), ground.line(moving=vb), friction=Coulomb(mu_d, static=mu_s))
    return Example("stick-slip", system, until=30.0)


def slipping_time(m: float, k: float, vb: float, mu_s: float, mu_d: float, g: float) -> float:
    """How long the block slips in each cycle (s).

    >>> round(slipping_time(1, 1, 0.2, 1, 0.7, 1), 12)
    4.317597860685
    """
    w = math.sqrt(k / m)
    return 2 * (math.pi - math.atan2((mu_s - mu_d) * m * g * w, k * vb)) / w


def riding_time(m: float, k: float, vb: float, mu_s: float, mu_d: float, g: float) -> float:
    """How long the block rides on the belt in each cycle (s).

    >>> round(riding_time(1, 1, 0.2, 1, 0.7, 1), 12)
    3.0
    """
    return 2 * (mu_s - mu_d) * m * g / (k * vb)


def amplitude(m: float, k: float, vb: float, mu_s: float, mu_d: float, g: float) -> float:
    """How far from mu_d m g/k the block swings while it slips (m).

    >>> round(amplitude(1, 1, 0.2, 1, 0.7, 1), 12)
    0.360555127546
    """
    return math.hypot((mu_s - mu_d) * m * g / k, vb * math.sqrt(m / k))
