"""A ball that rolls in a bowl, written with twelve coordinates (Braun and Goldfarb, 2012, Part II, section 3.1).

The place of the centre in spherical coordinates rho, alpha, beta, and the ball's axes e1, e2, e3 as vectors, each a
small mass at its tip. Seven constraints of the configuration (the ball touches, its axes are of length one and square
to one another) and two of the motion (it rolls) leave three speeds. Energy and

    beta' cos(alpha)^2 + 2 r/(7 (R - r)) omega_rho sin(alpha)

stay what they are. The misprints of the paper are mended: gravity pulls towards alpha = pi/2, as the energy says, the
first component of e_beta is -sin(beta), and omega_rho takes the rates of e_i.
"""

from __future__ import annotations

import numpy as np
import sympy
from sympy import cos, sin

from detent.gallery.example import Example
from detent.jit.arrays import FloatArray
from detent.model.constraint import motion
from detent.model.system import System
from detent.results.run import Run

TITLE = "a ball that rolls in a bowl, with twelve coordinates; two integrals"

MASS, RADIUS, BOWL, GRAVITY = 1.0, 1.0, 8.0, 9.81
ENERGY, INTEGRAL = -22.632022664080, 0.528861501273
"""What stays what it is: J, and 1/s."""


def build() -> Example:
    """The ball: ``rho``, ``alpha``, ``beta``, the components of ``e1``, ``e2``, ``e3``, and their rates.

    >>> run = build().simulate(until=1)
    >>> bool(abs(first_integral(run) - INTEGRAL).max() < 1e-9)
    True
    """
    return Example("ball-in-bowl", ball_in_bowl(), until=100.0)


def _directions(alpha: object, beta: object) -> list[sympy.Matrix]:
    """e_rho, e_alpha, e_beta."""
    along = sympy.Matrix([cos(alpha) * cos(beta), cos(alpha) * sin(beta), -sin(alpha)])
    return [along, sympy.Matrix([-sin(alpha) * cos(beta), -sin(alpha) * sin(beta), -cos(alpha)]),
            sympy.Matrix([-sin(beta), cos(beta), 0])]  # fmt: skip


def ball_in_bowl() -> System:
    """rho, alpha, beta, and the vectors e1, e2, e3 of the ball; gravity acts on its centre alone."""
    system = System("ball in bowl")
    away = BOWL - RADIUS
    rho, alpha, beta = system.coordinates(rho=away, alpha=sympy.pi / 4, beta=0)
    system.units(rho="m", alpha="rad", beta="rad")
    e_rho, e_alpha, e_beta = _directions(alpha, beta)
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
    system.constrain(motion("rolls", alpha=away * alpha.rate + e_alpha.dot(slip),
                                   beta=away * cos(alpha) * beta.rate + e_beta.dot(slip)))  # fmt: skip
    return system


def first_integral(run: Run) -> FloatArray:
    """beta' cos(alpha)^2 + 2 r / (7 (R - r)) omega_rho sin(alpha)."""
    along = np.array([np.cos(run.alpha) * np.cos(run.beta), np.cos(run.alpha) * np.sin(run.beta), -np.sin(run.alpha)])
    omega: FloatArray = np.zeros((3, len(run.t)))
    for i in (1, 2, 3):
        vector = np.array([run[f"e{i}{c}"] for c in "xyz"])
        rate = np.array([run[f"e{i}{c}_rate"] for c in "xyz"])
        omega = omega + np.cross(vector, rate, axis=0) / 2
    spin = (omega * along).sum(axis=0)
    integral: FloatArray = run.beta_rate * np.cos(run.alpha) ** 2 + 2 * RADIUS / (7 * (BOWL - RADIUS)) * spin * np.sin(
        run.alpha
    )
    return integral
