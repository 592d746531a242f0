"""The chain of four-bar linkages against the benchmark, its energy, and the pendulum that it is."""

from __future__ import annotations

import math

import numpy as np
import pytest

import detent
from detent.gallery.four_bar_chain import turning
from tests.physics.bounds import accumulated

PLACE = (0.3284581115, 0.9445185382)
VELOCITY = (1.4230514702, -0.4948688455)


@pytest.mark.parametrize("embedding", ["symbolic", "numeric", "live"])
def test_the_reference_after_ten_seconds(embedding: str) -> None:
    run = detent.example("four-bar-chain").simulate(rtol=1e-13, embedding=embedding)
    angle, rate = run.final.a0, run.final.a0_rate
    # Half a unit in the last digit given, and the run's own error, which the speed of seven rad/s turns into place.
    bound = 5e-11 + accumulated(run)
    np.testing.assert_allclose((math.sin(angle), math.cos(angle)), PLACE, rtol=0, atol=bound)
    np.testing.assert_allclose((rate * math.cos(angle), -rate * math.sin(angle)), VELOCITY, rtol=0, atol=7 * bound)
    assert accumulated(run) < 1e-10


@pytest.mark.parametrize("method", [{"rtol": 1e-9}, {"rtol": 1e-12}, {"method": "rk4", "step": 1e-3}], ids=str)
@pytest.mark.parametrize("loops", [1, 2, 5])
def test_it_goes_through_its_singular_configurations(loops: int, method: dict[str, float]) -> None:
    run = detent.example("four-bar-chain", loops=loops).simulate(until=5, **method)
    assert run.final.a0 > 5 * math.pi  # five times through the horizontal, where the constraints lose rank
    apart = [np.abs(run[f"{kind}{number}"]).max() for kind in "ac" for number in range(1, loops + 1)]
    assert max(apart) < 1e-12
    assert run.audit.position_residual < 1e-12
    assert run.audit.velocity_residual < 1e-12
    assert run.audit.energy_balance < 1e-8


@pytest.mark.parametrize("loops", [1, 3])
def test_parallel_uprights_turn_as_one_pendulum(loops: int) -> None:
    run = detent.example("four-bar-chain", loops=loops).simulate(until=3, rtol=1e-12)
    expected = [turning(angle, loops, **run.parameters) for angle in run.a0]
    np.testing.assert_allclose(run.a0_rate, expected, rtol=10 * accumulated(run))


def test_the_start_is_completed_from_one_upright() -> None:
    run = detent.example("four-bar-chain").simulate(until=0, start={"a0": 0.4, "a0_rate": -2})
    found = [run.start[name] for name in ("a0", "a1", "a2", "c1", "c2", "a0_rate", "a1_rate", "a2_rate")]
    np.testing.assert_allclose(found, [0.4, 0, 0, 0, 0, -2, 0, 0], atol=1e-12)


def test_nothing_drifts_in_a_thousand_seconds() -> None:
    run = detent.example("four-bar-chain").simulate(until=1000, rtol=1e-12)
    assert run.audit.position_residual < 1e-12
    assert run.audit.velocity_residual < 1e-12
    assert run.audit.energy_balance < 1e-8
