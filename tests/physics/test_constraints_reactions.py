"""Reactions, accelerations and momenta under constraints, against multipliers and closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sympy import cos, pi, sin

import detent
from detent import Run, System
from tests.physics.bounds import accumulated
from tests.physics.multipliers import Multipliers

EMBEDDINGS = ["symbolic", "numeric", "live"]


def loop_in_space() -> System:
    """Two arms on ball joints, their tips hinged together by a ball: a closed loop with quaternions."""
    system = System("loop in space")
    ground, tips = system.ground, []
    for name, side in (("left", -1), ("right", 1)):
        foot = system.origin.offset(f"{name}_foot", side * ground.x)
        joint = system.ball(name, foot, ground)
        arm = joint.frame
        system.body(name, foot.offset(f"{name}_center", -arm.z), arm, 2, (0.7, 0.7, 0.1))
        tips.append(foot.offset(f"{name}_tip", -2 * arm.z))
    system.constrain(detent.joined("ball", *tips))
    # The left arm leans to the right by 30 degrees and the right one to the left, so that the tips meet at x = 0.
    half = math.radians(15)
    system.start(left_qw=math.cos(half), left_qy=-math.sin(half), right_qw=math.cos(half), right_qy=math.sin(half))
    system.start(left_wx=1.5, left_wz=0.5)
    system.gravity(-9.81 * ground.z)
    return system


def names_of(run: Run) -> list[str]:
    return [*run.layout.coordinates, *run.layout.speeds, *run.layout.signals]


@pytest.mark.parametrize("embedding", EMBEDDINGS)
@pytest.mark.parametrize(
    "make", ["four-bar-chain", "slider-crank", "andrews-squeezer", "rolling-disk", "loop in space"]
)
def test_reactions_and_accelerations_are_those_of_the_multipliers(make: str, embedding: str) -> None:
    system = loop_in_space() if make == "loop in space" else detent.example(make).system
    until = 0.01 if make == "andrews-squeezer" else 0.5
    run = detent.simulate(system, until, rtol=1e-10, embedding=embedding)
    other = Multipliers(system)
    for node in range(0, len(run.t), max(1, len(run.t) // 5)):
        state = {"t": run.t[node], **{name: run[name][node] for name in names_of(run)}}
        rates, forces = other.at(state)
        speeds = [run.layout.column(name) for name in run.layout.speeds]
        scale = max(np.abs(rates).max(), 1.0)
        np.testing.assert_allclose(run.trajectory.rate[node][speeds], rates, rtol=0, atol=1e-9 * scale)
        size = max(map(abs, forces.values()))
        assert set(forces) == set(run.reactions)
        for name, value in forces.items():
            assert run.reactions[name][node] == pytest.approx(value, abs=1e-9 * max(size, 1.0))


def test_a_pendulum_on_a_constraint_pulls_its_pivot_as_the_textbook_says() -> None:
    system = System("pendulum in x and y")
    x, y = system.coordinates(x=0.6, y=-0.8)
    system.particle("bob", system.origin.offset("bob", x * system.ground.x + y * system.ground.y), mass=2)
    system.gravity(-9.81 * system.ground.y)
    system.constrain(detent.holonomic("rod", (x**2 + y**2 - 1) / 2))
    run = detent.simulate(system, 3, rtol=1e-11)
    # m v^2/l + m g cos(angle) towards the pivot, against growing Phi; the row's gradient has length 1.
    expected = -2 * (run.x_rate**2 + run.y_rate**2 - 9.81 * run.y)
    np.testing.assert_allclose(run.reactions["rod"], expected, rtol=0, atol=1e-9)
    assert run.audit.position_residual < 1e-14


@pytest.mark.parametrize("embedding", EMBEDDINGS)
def test_a_loop_with_ball_joints_does_not_drift(embedding: str) -> None:
    run = detent.simulate(loop_in_space(), 5, rtol=1e-11, embedding=embedding)
    assert run.audit.position_residual < 1e-12
    assert run.audit.velocity_residual < 1e-12
    assert run.audit.energy_balance < 1e-8


def test_prescribed_motion_does_the_work_that_the_energy_shows() -> None:
    system = System("driven cart with a pendulum")
    x, angle = system.coordinates("x", angle=1)
    cart = system.origin.offset("cart", x * system.ground.x)
    arm = system.ground.rotated("arm", angle)
    system.particle("cart", cart, mass=3)
    system.particle("bob", cart.offset("bob", -arm.y), mass=1)
    system.gravity(-9.81 * system.ground.y)
    system.constrain(detent.prescribed("drive", x, 0.3 * sin(4 * system.time)))
    run = detent.simulate(system, 6, rtol=1e-11)
    np.testing.assert_allclose(run.x, 0.3 * np.sin(4 * run.t), rtol=0, atol=1e-14)
    assert np.ptp(run.work) > 1
    assert run.audit.energy_balance < accumulated(run)
    # The drive's force is the whole momentum's rate.
    bob = run.trajectory.rate[:, run.layout.column("angle_rate")]
    momentum_rate = 4 * -0.3 * 16 * np.sin(4 * run.t) + bob * np.cos(run.angle) - run.angle_rate**2 * np.sin(run.angle)
    np.testing.assert_allclose(run.reactions["drive"], momentum_rate, rtol=0, atol=1e-9)


def test_an_internal_constraint_keeps_both_momenta() -> None:
    system = System("two rods hinged in flight")
    first, second = (system.planar(name, system.origin, system.ground) for name in ("a", "b"))
    system.body("a", first.point, first.frame, 2, 0.3)
    system.body("b", second.point, second.frame, 1, 0.2)
    system.constrain(
        detent.joined(
            "hinge", first.point.offset("end", first.frame.x), second.point.offset("head", -second.frame.x), along="xy"
        )
    )
    system.start(a_angle=0.3, b_x=2, a_angle_rate=2, a_x_rate=0.5, b_angle_rate=-3)
    run = detent.simulate(system, 5, rtol=1e-11)
    px, py = (2 * run[f"a_{axis}_rate"] + run[f"b_{axis}_rate"] for axis in "xy")
    turning = 0.3 * run.a_angle_rate + 0.2 * run.b_angle_rate
    turning += 2 * (run.a_x * run.a_y_rate - run.a_y * run.a_x_rate) + run.b_x * run.b_y_rate - run.b_y * run.b_x_rate
    for kept in (px, py, turning):
        np.testing.assert_allclose(kept, kept[0], rtol=0, atol=100 * accumulated(run))
    assert run.audit.energy_balance < accumulated(run)


def test_a_constraint_in_an_accelerated_wedge_gives_its_textbook_acceleration() -> None:
    """A block slides without friction on a wedge that slides on the floor (Kleppner and Kolenkow, chapter 2)."""
    slope, m, M, g = pi / 6, 1, 3, 9.81
    system = System("block on a wedge")
    x, y, wedge = system.coordinates(x=0, y=0, wedge=0)
    system.particle("block", system.origin.offset("block", x * system.ground.x + y * system.ground.y), mass=m)
    system.particle("wedge", system.origin.offset("wedge", wedge * system.ground.x), mass=M)
    system.gravity(-g * system.ground.y)
    system.constrain(detent.holonomic("face", (y - 0) * cos(slope) + (x - wedge) * sin(slope)))
    run = detent.simulate(system, 1, rtol=1e-12)
    s, c = math.sin(math.pi / 6), math.cos(math.pi / 6)
    expected = -m * g * s * c / (M + m * s**2)
    assert run.final.wedge_rate == pytest.approx(expected, rel=1e-11)
    assert run.reactions["face"][-1] == pytest.approx(M * g * c * m / (M + m * s**2), rel=1e-11)
