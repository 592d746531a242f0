"""The systems of Braun and Goldfarb (2012, Part II): a ball that rolls in a bowl, written with twelve coordinates, and
a seven-link biped whose motion its constraints determine; and a particle whose speed is held.

The misprints of the paper are mended: gravity pulls towards alpha = pi/2, as the energy says, the first component of
e_beta is -sin(beta), and omega_rho takes the rates of e_i.
"""

from __future__ import annotations

import numpy as np
import sympy
from sympy import cos, sin

import detent

MASS, RADIUS, BOWL, GRAVITY = 1.0, 1.0, 8.0, 9.81
ENERGY, INTEGRAL = -22.632022664080, 0.528861501273


def directions(alpha: object, beta: object) -> list[sympy.Matrix]:
    """e_rho, e_alpha, e_beta."""
    along = sympy.Matrix([cos(alpha) * cos(beta), cos(alpha) * sin(beta), -sin(alpha)])
    return [along, sympy.Matrix([-sin(alpha) * cos(beta), -sin(alpha) * sin(beta), -cos(alpha)]),
            sympy.Matrix([-sin(beta), cos(beta), 0])]  # fmt: skip


def ball_in_bowl() -> detent.System:
    """rho, alpha, beta, and the vectors e1, e2, e3 of the ball; gravity acts on its centre alone."""
    system = detent.System("ball in bowl")
    away = BOWL - RADIUS
    rho, alpha, beta = system.coordinates(rho=away, alpha=sympy.pi / 4, beta=0)
    e_rho, e_alpha, e_beta = directions(alpha, beta)
    ground = system.ground
    axes = (ground.x, ground.y, ground.z)
    system.particle(
        "ball", system.origin.offset("centre", sum(rho * e * a for e, a in zip(e_rho, axes, strict=True))), MASS
    )
    system.potential("gravity", -MASS * GRAVITY * rho * sin(alpha))
    start = [
        np.array(each.subs({alpha: sympy.pi / 4, beta: 0}), dtype=float).ravel() for each in (e_rho, e_alpha, e_beta)
    ]
    omega = start[0] + away * np.cos(np.pi / 4) / RADIUS * start[1] - away / RADIUS * 0.5 * start[2]
    system.start(rho_rate=0, alpha_rate=0.5, beta_rate=1)
    vectors = []
    for i in range(3):
        unit = np.eye(3)[i]
        vectors.append(
            sympy.Matrix(system.coordinates(**{f"e{i + 1}{c}": v for c, v in zip("xyz", unit, strict=True)}))
        )
        turning = np.cross(omega, unit)
        system.start(**{f"e{i + 1}{c}_rate": v for c, v in zip("xyz", turning, strict=True)})
        tip = sum((e * a for e, a in zip(vectors[i], axes, strict=True)), 0 * ground.x)
        system.particle(f"tip {i + 1}", system.origin.offset(f"tip {i + 1}", tip), MASS * RADIUS**2 / 5)
    system.constrain("touches", rho - away)
    for i in range(3):
        system.constrain(f"unit {i + 1}", (vectors[i].dot(vectors[i]) - 1) / 2)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        system.constrain(f"square {i + 1}{j + 1}", vectors[i].dot(vectors[j]))
    rates = [sympy.Matrix([each.rate for each in vector]) for vector in vectors]
    slip = sum(
        (RADIUS * vector.dot(e_rho) * rate for vector, rate in zip(vectors, rates, strict=True)), sympy.zeros(3, 1)
    )
    system.constrain(detent.motion("rolls", alpha=away * alpha.rate + e_alpha.dot(slip),
                                   beta=away * cos(alpha) * beta.rate + e_beta.dot(slip)))  # fmt: skip
    return system


def first_integral(run: detent.Run) -> np.ndarray:
    """beta' cos(alpha)^2 + 2 r / (7 (R - r)) omega_rho sin(alpha)."""
    along = np.array([np.cos(run.alpha) * np.cos(run.beta), np.cos(run.alpha) * np.sin(run.beta), -np.sin(run.alpha)])
    omega = 0.0
    for i in (1, 2, 3):
        vector = np.array([run[f"e{i}{c}"] for c in "xyz"])
        rate = np.array([run[f"e{i}{c}_rate"] for c in "xyz"])
        omega = omega + np.cross(vector, rate, axis=0) / 2
    spin = (omega * along).sum(axis=0)
    return run.beta_rate * np.cos(run.alpha) ** 2 + 2 * RADIUS / (7 * (BOWL - RADIUS)) * spin * np.sin(run.alpha)


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


def seven_link_biped(start: dict[str, float]) -> detent.System:
    """Nine coordinates, of which seven constraints of the configuration and two of the motion leave none free."""
    system = detent.System("seven-link biped")
    x, y, theta, *legs = system.coordinates(**{name: start[name] for name in NAMES})
    system.start(**{f"{name}_rate": 0 for name in NAMES})
    ground, omega, t = system.ground, sympy.pi, system.time

    def segment(
        name: str, at: detent.Point, angle: object, length: float, centre: float, mass: float, gyration: float
    ) -> detent.Point:
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
    system.constrain(detent.holonomic(
        "pose", heel=down - THIGH * sin(a) - SHANK * sin(b) - ANKLE * cos(c) - HEEL * sin(c),
        toe=down - THIGH * sin(d) - SHANK * sin(e) - ANKLE * cos(f) + TOE * sin(f),
        front=b - a + sympy.pi / 10 * swing, back=e - d + sympy.pi / 10 * swing,
        trunk=theta - (4 * sympy.pi / 9 - sympy.pi / 18 * swing),
        front_foot=c - sympy.pi / 18 * (1 + cos(omega * t)), back_foot=f + sympy.pi / 18 * swing,
    ))  # fmt: skip
    across = x.rate + TRUNK * sin(theta) * theta.rate
    system.constrain(detent.motion(
        "feet",
        heel=across + THIGH * sin(a) * a.rate + SHANK * sin(b) * b.rate + (ANKLE * cos(c) + HEEL * sin(c)) * c.rate,
        toe=across + THIGH * sin(d) * d.rate + SHANK * sin(e) * e.rate + (ANKLE * cos(f) - TOE * sin(f)) * f.rate,
    ))  # fmt: skip
    return system


def feet(run: detent.Run) -> np.ndarray:
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


def speed_held_particle(grows: float = 0.0, squared: bool = False) -> detent.System:
    """|v| = 2 + grows t under gravity, thrown at 60 degrees: a constraint that is not linear in the speeds."""
    system = detent.System("speed-held particle")
    x, y = system.coordinates(x=0, y=0)
    system.start(x_rate=2 * cos(sympy.pi / 3), y_rate=2 * sin(sympy.pi / 3))
    system.particle("particle", system.origin.offset("particle", x * system.ground.x + y * system.ground.y), mass=1)
    system.gravity(-GRAVITY * system.ground.y)
    held = 2 + sympy.Float(grows) * system.time
    square = x.rate**2 + y.rate**2
    system.constrain(detent.motion("speed", square - held**2 if squared else sympy.sqrt(square) - held))
    return system
