"""A seven-link biped whose motion its constraints determine (Braun and Goldfarb, 2012, Part II, section 3.2).

Nine coordinates: the trunk's place and angle, and the angles of thigh, shank and foot of each leg. Seven constraints
of the configuration lead the joints as cosines of time and keep heel and toe on the ground, two of the motion keep
them from slipping: no speed is left free, and the reactions are what a walker would have to bring about. Segments by
Winter's fractions for a height of 1.78 m and a mass of 75 kg.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import sympy
from sympy import cos, sin

from detent.gallery.example import Example
from detent.jit.arrays import FloatArray
from detent.model.constraint import holonomic, motion
from detent.model.point import Point
from detent.model.system import System
from detent.results.run import Run

TITLE = "a biped of seven links that its constraints leave no freedom"

GRAVITY: Final = 9.81
HEIGHT, WEIGHT = 1.78, 75.0
THIGH, SHANK, ANKLE, FOOT, UPPER = (part * HEIGHT for part in (0.245, 0.246, 0.039, 0.152, 0.288))
TRUNK, TOE, HEEL = 0.626 * UPPER, 0.75 * FOOT, 0.25 * FOOT
"""Winter's fractions: l1, l2, h, then l_c, a, b of the paper."""
NAMES = ("x", "y", "theta", "theta1", "theta2", "theta3", "theta4", "theta5", "theta6")
PRINTED = dict(zip(NAMES, (0.056, 1.2, 1.4, 2, 2, 0.35, 1.19, 1.19, 0), strict=True))
"""Slightly inconsistent with the constraints, by 3.7e-3."""
_POSE = (
    0.054569255032, 1.197873986773, 4 * np.pi / 9, 2.003393323713, 2.003393323713, np.pi / 9, 1.193217200563,
    1.193217200563, 0,
)  # fmt: skip
CONSISTENT = dict(zip(NAMES, _POSE, strict=True))
"""The same feet, to twelve digits."""


def build() -> Example:
    """The biped: ``x``, ``y``, ``theta`` of the trunk, ``theta1`` to ``theta6`` of thigh, shank and foot, twice.

    >>> run = build().simulate(until=0.5)
    >>> round(float(run.final.x), 9)
    0.172638102
    """
    return Example("seven-link-biped", seven_link_biped(CONSISTENT), until=100.0)


def seven_link_biped(start: dict[str, float]) -> System:
    """Nine coordinates, of which seven constraints of the configuration and two of the motion leave none free."""
    system = System("seven-link biped")
    x, y, theta, *legs = system.coordinates(**{name: start[name] for name in NAMES})
    system.start(**{f"{name}_rate": 0 for name in NAMES})
    system.units(**{name: "rad" if name.startswith("theta") else "m" for name in NAMES})
    ground, omega, t = system.ground, sympy.pi, system.time

    def segment(
        name: str, at: Point, angle: object, length: float, centre: float, mass: float, gyration: float
    ) -> Point:
        frame = ground.rotated(name, angle)
        middle = at.offset(f"centre of {name}", -centre * length * frame.x)
        system.body(name, middle, frame, mass * WEIGHT, mass * WEIGHT * (gyration * length) ** 2)
        return at.offset(f"end of {name}", -length * frame.x)

    trunk = ground.rotated("trunk", theta)
    top = system.origin.offset("top", x * ground.x + y * ground.y)
    system.body("trunk", top, trunk, 0.678 * WEIGHT, 0.678 * WEIGHT * (0.496 * UPPER) ** 2)
    hip = top.offset("hip", -TRUNK * trunk.x)
    for side, (one, two, three) in {"front": legs[:3], "back": legs[3:]}.items():
        knee = segment(f"{side} thigh", hip, one, THIGH, 0.433, 0.100, 0.323)
        ankle = segment(f"{side} shank", knee, two, SHANK, 0.433, 0.0465, 0.302)
        foot = ground.rotated(f"{side} foot", three)
        middle = ankle.offset(f"centre of {side} foot", (TOE - HEEL) / 2 * foot.x - ANKLE / 2 * foot.y)
        system.body(f"{side} foot", middle, foot, 0.0145 * WEIGHT, 0.0145 * WEIGHT * (0.475 * FOOT) ** 2)
    system.gravity(-GRAVITY * ground.y)
    swing = 1 - cos(omega * t)
    down = y - TRUNK * sin(theta)
    a, b, c, d, e, f = legs
    system.constrain(holonomic(
        "pose", heel=down - THIGH * sin(a) - SHANK * sin(b) - ANKLE * cos(c) - HEEL * sin(c),
        toe=down - THIGH * sin(d) - SHANK * sin(e) - ANKLE * cos(f) + TOE * sin(f),
        front=b - a + sympy.pi / 10 * swing, back=e - d + sympy.pi / 10 * swing,
        trunk=theta - (4 * sympy.pi / 9 - sympy.pi / 18 * swing),
        front_foot=c - sympy.pi / 18 * (1 + cos(omega * t)), back_foot=f + sympy.pi / 18 * swing,
    ))  # fmt: skip
    across = x.rate + TRUNK * sin(theta) * theta.rate
    system.constrain(motion(
        "feet",
        heel=across + THIGH * sin(a) * a.rate + SHANK * sin(b) * b.rate + (ANKLE * cos(c) + HEEL * sin(c)) * c.rate,
        toe=across + THIGH * sin(d) * d.rate + SHANK * sin(e) * e.rate + (ANKLE * cos(f) - TOE * sin(f)) * f.rate,
    ))  # fmt: skip
    return system


def feet(run: Run) -> FloatArray:
    """Where heel and toe are along the ground, m."""
    across = run.x - TRUNK * np.cos(run.theta)
    heel = (
        across
        - THIGH * np.cos(run.theta1)
        - SHANK * np.cos(run.theta2)
        + ANKLE * np.sin(run.theta3)
        - HEEL * np.cos(run.theta3)
    )
    toe = (
        across
        - THIGH * np.cos(run.theta4)
        - SHANK * np.cos(run.theta5)
        + ANKLE * np.sin(run.theta6)
        + TOE * np.cos(run.theta6)
    )
    return np.array([heel, toe])
