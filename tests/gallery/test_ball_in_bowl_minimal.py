"""The ball in a bowl with the speeds alpha', beta' and omega_rho: nothing errs but the steps of the method."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import detent
from detent.gallery.ball_in_bowl import ENERGY, INTEGRAL
from detent.gallery.ball_in_bowl_minimal import first_integral


def by_hand(state: np.ndarray) -> np.ndarray:
    """The rates of alpha, beta, alpha' and beta' with omega_rho = 1, worked out with pencil and paper."""
    alpha, _, alpha_rate, beta_rate = state
    first = (-np.sin(alpha) * beta_rate**2 + 2 / 49 * beta_rate + 5 * 9.81 / 49) * np.cos(alpha)
    second = 2 * alpha_rate * (np.tan(alpha) * beta_rate - 1 / (49 * np.cos(alpha)))
    return np.array([alpha_rate, beta_rate, first, second])


def test_energy_and_first_integral_over_100_s_in_steps_of_10_ms() -> None:
    """[1.4e-7, 3.3e-9, by an independent program]"""
    run = detent.example("ball-in-bowl-minimal").simulate(method="rk4", step=0.01)
    assert np.abs(run.kinetic + run.potential - ENERGY).max() < 3e-7
    assert np.abs(first_integral(run) - INTEGRAL).max() < 1e-8
    assert max(run.audit.position_residual, run.audit.velocity_residual) < 1e-14


def test_embedding_gives_the_equations_that_one_would_write_by_hand() -> None:
    """How the ball is turned has no part in them, even where stages leave its quaternion longer than one."""
    step, state = 0.01, np.array([np.pi / 4, 0, 0.5, 1])
    for _ in range(500):
        first = by_hand(state)
        second = by_hand(state + step / 2 * first)
        third = by_hand(state + step / 2 * second)
        fourth = by_hand(state + step * third)
        state = state + step / 6 * (first + 2 * second + 2 * third + fourth)
    final = detent.example("ball-in-bowl-minimal").simulate(until=5, method="rk4", step=step).final
    assert (final.alpha, final.beta, final.alpha_rate, final.beta_rate) == pytest.approx(tuple(state), abs=1e-12)
    assert final.omega_rho == pytest.approx(1, abs=1e-14)


def axes_of_the_ball(run: detent.Run, node: int) -> np.ndarray:
    """Its axes as columns: by its quaternion against the radius, and the angles of that."""
    parts = [run[f"ball_q{letter}"][node] for letter in "wxyz"]
    radius = Rotation.from_euler("ZY", [run.beta[node], run.alpha[node]])
    return np.asarray((radius * Rotation.from_quat(parts, scalar_first=True)).as_matrix())


def test_it_is_the_ball_of_the_other_model() -> None:
    one, other = (
        detent.example(name).simulate(until=5, rtol=1e-12) for name in ("ball-in-bowl-minimal", "ball-in-bowl")
    )
    for name in ("alpha", "beta", "alpha_rate", "beta_rate"):
        assert one.final[name] == pytest.approx(other.final[name], abs=1e-10)
    turned = axes_of_the_ball(one, -1) @ axes_of_the_ball(one, 0).T
    expected = np.array([[other.final[f"e{number}{letter}"] for number in (1, 2, 3)] for letter in "xyz"])
    np.testing.assert_allclose(turned, expected, atol=1e-9)


@pytest.mark.parametrize("formulation", ["corrected", "projection", "multipliers"])
def test_other_formulations_err_by_the_same(formulation: str) -> None:
    run = detent.example("ball-in-bowl-minimal").simulate(method="rk4", step=0.01, formulation=formulation)
    assert np.abs(run.kinetic + run.potential - ENERGY).max() < 3e-7
