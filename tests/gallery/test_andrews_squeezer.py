"""Andrews' squeezer against the test set's reference and against its own equations with multipliers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import detent
from detent.gallery.andrews_squeezer import START
from tests.physics.bounds import accumulated
from tests.physics.multipliers import Multipliers

REFERENCE = (
    15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948, 0.5244099658805304,
    0.5347301163226948, 1.048080741042263,
)  # fmt: skip


def angles(run: detent.Run) -> np.ndarray:
    return np.array([run.final[name] for name in START])


@pytest.mark.parametrize("embedding", ["symbolic", "numeric", "live"])
def test_the_reference_of_the_test_set(embedding: str) -> None:
    run = detent.example("andrews-squeezer").simulate(rtol=1e-12, embedding=embedding)
    # The published digits of beta and theta are good to 1e-10 of their size: two ways to solve the equations agree
    # with each other to 1e-12 and differ from them by 1.1e-9 and 1.4e-9.
    np.testing.assert_allclose(angles(run), REFERENCE, rtol=1e-10, atol=3e-11)
    assert accumulated(run) < 3e-10
    assert run.audit.position_residual < 1e-12
    assert run.audit.velocity_residual < 1e-12
    assert run.audit.energy_balance < 1e-8


def test_the_motion_is_that_of_the_equations_with_multipliers() -> None:
    run = detent.example("andrews-squeezer").simulate(until=0.003, rtol=1e-12)
    other = Multipliers(detent.example("andrews-squeezer").system)

    def rates(time: float, x: np.ndarray) -> np.ndarray:
        state = dict(zip([*START, *(f"{name}_rate" for name in START)], x, strict=True))
        return np.concatenate([x[7:], other.at({"t": time, **state})[0]])

    start = [*(run.start[name] for name in START), *np.zeros(7)]
    solved = solve_ivp(rates, (0, 0.003), start, method="DOP853", rtol=1e-10, atol=1e-12)
    # Nothing keeps the multiplier form on its constraints: it drifts by its own tolerance.
    np.testing.assert_allclose(angles(run), solved.y[:7, -1], rtol=0, atol=1e-10 * len(solved.t))


def test_the_accelerations_at_the_start_are_those_of_the_test_set() -> None:
    run = detent.example("andrews-squeezer").simulate(until=0)
    first = run.trajectory.rate[0]
    expected = {"beta_rate": 14222.4439199541138705911625887, "theta_rate": -10666.8329399655854029433719415}
    for name, value in expected.items():
        assert abs(first[run.layout.column(name)] / value - 1) < 1e-12


@pytest.mark.slow
def test_nothing_drifts_in_many_turns() -> None:
    run = detent.example("andrews-squeezer").simulate(until=3, rtol=1e-12)
    assert run.audit.position_residual < 1e-12
    assert run.audit.energy_balance < 1e-8
