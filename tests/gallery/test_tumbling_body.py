"""The torque-free body: what stays, and Poinsot's motion in elliptic functions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from scipy.special import ellipj, ellipk

import detent
from detent.gallery.tumbling_body import body_rates
from tests.physics.bounds import accumulated

MOMENTS = (1.0, 2.0, 3.0)


def angular_velocity(run: detent.Run) -> np.ndarray:
    return np.stack([run[f"body_w{letter}"] for letter in "xyz"], axis=1)


def largest_error(run: detent.Run) -> float:
    start = (run.start["body_wx"], run.start["body_wy"], run.start["body_wz"])
    rows = range(0, len(run.t), max(1, len(run.t) // 30))
    expected = [body_rates(run.t[row], MOMENTS, start) for row in rows]
    return float(np.abs(angular_velocity(run)[list(rows)] - expected).max())


def test_energy_and_the_angular_momentum_vector_stay() -> None:
    run = detent.example("tumbling-body").simulate(rtol=1e-11)
    quaternion = np.stack([run[f"body_q{letter}"] for letter in "wxyz"], axis=1)
    momentum = angular_velocity(run) * MOMENTS
    scale = float(np.linalg.norm(momentum[0]))
    in_space = Rotation.from_quat(quaternion, scalar_first=True).apply(momentum)
    np.testing.assert_allclose(np.linalg.norm(momentum, axis=1), scale, rtol=accumulated(run))
    np.testing.assert_allclose(in_space, np.broadcast_to(momentum[0], in_space.shape), atol=scale * accumulated(run))
    assert run.audit.energy_balance < accumulated(run)


def test_the_centre_drifts_in_a_straight_line() -> None:
    run = detent.example("tumbling-body").simulate(rtol=1e-11)
    np.testing.assert_allclose(run.body_x, 0.1 * run.t, atol=3 * accumulated(run))
    np.testing.assert_allclose(run.body_z, 0.05 * run.t, atol=3 * accumulated(run))
    assert (run.body_y == 0).all()


@pytest.mark.parametrize(
    "start", [(0.5, 1.0, 2.0), (2.0, 1.0, 0.3), (0.5, -1.0, -2.0), (-2.0, 1.0, 0.3), (-1.0, 0.0, -1.0)]
)
def test_body_rates_are_elliptic_functions(start: tuple[float, float, float]) -> None:
    named = dict(zip(("body_wx", "body_wy", "body_wz"), start, strict=True))
    run = detent.example("tumbling-body").simulate(until=20, rtol=1e-12, start=named)
    # An error in the energy changes the period, so what it does to the rates grows with the angle turned.
    assert largest_error(run) < accumulated(run) * np.linalg.norm(start) * run.until


def test_turning_about_the_middle_axis_flips_over() -> None:
    run = detent.example("tumbling-body").simulate(rtol=1e-12)
    assert run.body_wy.max() > 1.99
    assert run.body_wy.min() < -1.99
    # How far the motion is from never flipping, (L^2 - 2 E J2)/L^2; what is lost is magnified by its inverse.
    momentum, energy = 1 + 4 * 4e4 + 9, 1 + 2 * 4e4 + 3
    assert largest_error(run) < accumulated(run) / ((momentum - 2 * energy) / momentum)


def test_the_closed_form_agrees_with_another_library() -> None:
    # With w2 = 0 at the start the phase is zero, w = (a1 cn, a2 sn, a3 dn)(n t), and these moments make a2 = a1.
    w1, w3 = 0.5, 2.0
    energy, momentum = w1**2 + 3 * w3**2, w1**2 + 9 * w3**2
    n = np.sqrt((momentum - energy) / 6)
    m = (3 * energy - momentum) / (momentum - energy)
    for time in (0.3, 1.0, 4.0):
        sn, cn, dn, _ = ellipj(n * time, m)
        expected = (w1 * cn, w1 * sn, w3 * dn)
        np.testing.assert_allclose(body_rates(time, MOMENTS, (w1, 0.0, w3)), expected, rtol=1e-13)
    quarter = float(ellipk(m)) / n
    assert abs(body_rates(quarter, MOMENTS, (w1, 0.0, w3))[0]) < 1e-14
