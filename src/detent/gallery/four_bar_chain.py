"""Four-bar linkages in a row, through their singular configurations: problem A02 of the IFToMM benchmark library.

2N + 1 uniform rods of 1 kg and 1 m: N + 1 uprights, hinged to the ground 1 m apart and held together at their
tips B0, B1, ... by N couplers. They start upright, B0 moving to the right at 1 m/s. All rods lie on one line
whenever the uprights are horizontal. There the constraints lose rank: the linkage could go on in other ways,
and a choice of independent speeds that was good before is good no longer. Reference for N = 2 at t = 10 s: B0 =
(0.3284581115, 0.9445185382) m, its velocity (1.4230514702, -0.4948688455) m/s.

As long as the uprights stay parallel the couplers only translate and the chain is one body. With a the angle of
the uprights from the vertical,

    I a'' = W sin(a),    I = m l^2 ((N + 1)/3 + N),    W = m g l ((N + 1)/2 + N),

a pendulum that starts at its highest point and goes round and round; its energy I a'^2/2 + W cos(a) stays.
"""

from __future__ import annotations

import math

from sympy import Integer

from detent.gallery.example import Example
from detent.model.constraint import holonomic
from detent.model.system import System

TITLE = "four-bar linkages in a row, through their singular configurations (IFToMM A02)"


def build(loops: int = 2) -> Example:
    """The chain of ``loops`` linkages (the benchmark's N), each closed at the far end of its coupler.

    ``a0`` is the angle of the first upright from the upward vertical, to the right, ``a1`` that of the second
    from the first, and so on; ``c1``, ... are those of the couplers from the horizontal, to the left. ``loop1``
    closes the first linkage, and so on. Uprights that move together then differ by zero exactly: near the
    singular configurations, where the constraints magnify every rounding, there is none to magnify. The start
    of ``a0`` is enough, the rest follows.

    >>> run = build().simulate(until=1)
    >>> run.mode, run.final.a0 > 3, abs(run.final.a2) < 1e-12
    ('loop1 + loop2', True, True)
    """
    system = System("four-bar chain")
    m, length, g = system.parameters(m=1, length=1, g=9.81)
    moment, ground = m * length**2 / 12, system.ground
    tips, angle = [], Integer(0)
    for number in range(loops + 1):
        angle = angle + system.coordinates(f"a{number}")
        upright = ground.rotated(f"upright{number}", -angle)
        foot = system.origin.offset(f"A{number}", number * length * ground.x)
        system.body(f"upright{number}", foot.offset(f"middle{number}", length / 2 * upright.y), upright, m, moment)
        tips.append(foot.offset(f"B{number}", length * upright.y))
    for number in range(1, loops + 1):
        angle = system.coordinates(f"c{number}")
        coupler = ground.rotated(f"coupler{number}", angle)
        before = tips[number - 1]
        system.body(f"coupler{number}", before.offset(f"center{number}", length / 2 * coupler.x), coupler, m, moment)
        # Written from point to point and not from the origin, so that feet and couplers cancel without rounding.
        gap = before.offset(f"end{number}", length * coupler.x).position(tips[number])
        system.constrain(holonomic(f"loop{number}", x=gap.dot(ground.x), y=gap.dot(ground.y)))
    system.start(a0_rate=1)
    system.units(m="kg", length="m", g="m/s^2", **{angle.name: "rad" for angle in system.coordinate_list})
    system.gravity(-g * ground.y)
    return Example("four-bar-chain", system, until=10.0, structure={"loops": loops})


def turning(angle: float, loops: int, m: float, length: float, g: float, rate: float = 1.0) -> float:
    """The rate (rad/s) of the uprights at an angle, of a chain that started upright with a rate, from its energy.

    >>> turning(0.0, 2, 1.0, 1.0, 9.81)
    1.0
    """
    inertia = m * length**2 * ((loops + 1) / 3 + loops)
    weight = m * g * length * ((loops + 1) / 2 + loops)
    return math.sqrt(rate**2 + 2 * weight * (1 - math.cos(angle)) / inertia)
