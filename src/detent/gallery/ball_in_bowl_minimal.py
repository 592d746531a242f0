"""The ball of :mod:`detent.gallery.ball_in_bowl` with the speeds in which its motion is simplest.

The centre is at rho, alpha, beta as there. Of the ball's angular velocity the part ``omega_rho`` along the radius is a
speed, and in place of the two others stand those of the point that touches, ``slip_alpha`` and ``slip_beta``:

    omega_alpha = (rho cos(alpha) beta' - slip_beta)/r,        omega_beta = (slip_alpha - rho alpha')/r

That the ball touches and rolls makes rho' and the slip zero, whatever the state, so that embedding leaves alpha', beta'
and omega_rho as they are, with the equations that one would write by hand:

    alpha'' = -sin(alpha) cos(alpha) beta'^2 + (2 r/(7 (R - r)) omega_rho beta' + 5 g/(7 (R - r))) cos(alpha)
    beta'' = 2 alpha' (tan(alpha) beta' - r/(7 (R - r)) omega_rho/cos(alpha)),        omega_rho' = 0

How the ball is turned follows, and nothing follows from it: twelve components of axes that turn with 5 rad/s need not
be kept square, and steps that are long for them are short for the rest. Energy and first integral are those of the
other model.
"""

from __future__ import annotations

import numpy as np
import sympy
from sympy import cos, sin

from detent.gallery.ball_in_bowl import BOWL, GRAVITY, MASS, RADIUS
from detent.gallery.example import Example
from detent.jit.arrays import FloatArray
from detent.model.constraint import motion
from detent.model.system import System
from detent.results.run import Run

TITLE = "the ball that rolls in a bowl, with the speeds alpha', beta' and omega_rho"


def build() -> Example:
    """The ball: ``rho``, ``alpha``, ``beta`` and their rates, ``omega_rho``, and the slip, which is zero.

    >>> run = build().simulate(until=1)
    >>> bool(abs(run.omega_rho - 1).max() < 1e-13)
    True
    """
    system = System("ball in bowl, minimal")
    m, r, R, g = system.parameters(m=MASS, r=RADIUS, R=BOWL, g=GRAVITY)
    rho, alpha, beta = system.coordinates(rho=BOWL - RADIUS, alpha=sympy.pi / 4, beta=0)
    spin, slip_alpha, slip_beta = system.speeds("omega_rho", "slip_alpha", "slip_beta")
    system.units(
        rho="m", alpha="rad", beta="rad", omega_rho="rad/s", slip_alpha="m/s", slip_beta="m/s", m="kg", r="m", R="m",
        g="m/s^2",
    )  # fmt: skip
    # its axes are e_rho, e_beta and -e_alpha
    radius = system.ground.rotated("meridian", beta, about="z").rotated("radius", alpha, about="y")
    omega_alpha = (rho * cos(alpha) * beta.rate - slip_beta) / r
    omega_beta = (slip_alpha - rho * alpha.rate) / r
    turning = (
        (spin + sin(alpha) * beta.rate) * radius.x
        + (omega_beta - alpha.rate) * radius.y
        - (omega_alpha + cos(alpha) * beta.rate) * radius.z
    )  # against the radius, which turns too
    frame = radius.quaternion("ball", system.quaternion("ball", turning), turning)
    centre = system.origin.offset("centre", rho * radius.x)
    system.body("ball", centre, frame, m, (2 * m * r**2 / 5,) * 3)
    system.gravity(-g * system.ground.z)
    system.constrain("touches", rho - (R - r))
    system.constrain(motion("rolls", alpha=slip_alpha, beta=slip_beta))
    system.start(alpha_rate=0.5, beta_rate=1, omega_rho=1)
    return Example("ball-in-bowl-minimal", system, until=100.0)


def first_integral(run: Run) -> FloatArray:
    """beta' cos(alpha)^2 + 2 r / (7 (R - r)) omega_rho sin(alpha)."""
    r, R = run.parameters["r"], run.parameters["R"]
    integral: FloatArray = run.beta_rate * np.cos(run.alpha) ** 2 + 2 * r / (7 * (R - r)) * run.omega_rho * np.sin(
        run.alpha
    )
    return integral
