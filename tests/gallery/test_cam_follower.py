"""The cam and its follower: lifts off above the closed form's speed, when and where it says."""

from __future__ import annotations

import math

import numpy as np
import pytest

import detent
from detent.gallery.cam_follower import build, lands_at, lift_off_speed, lifts_off_at
from detent.gallery.example import Example
from tests.physics.bounds import accumulated

M, D, K, P = 0.2, 0.01, 500.0, 10.0
LIFTS, LANDS = "cam|follower: slip -> open", "cam|follower: open -> slip"


@pytest.fixture(scope="module")
def example() -> Example:
    """One cam for many speeds: its modes are derived once."""
    return build()


def told(run: detent.Run) -> list[tuple[str, float]]:
    return [(event.name, event.time) for event in run.events if event.kind in ("transition", "impact", "zeno")]


def test_the_follower_lifts_off_and_lands_once_a_turn(example: Example) -> None:
    run = example.simulate(rtol=1e-11, atol=1e-14)
    turn, first = 2 * math.pi / 100, (lifts_off_at(M, D, K, P, 100.0), lands_at(M, D, K, P, 100.0))
    assert [name for name, _ in told(run)] == 3 * [LIFTS, LANDS]
    expected = [time + n * turn for n in range(3) for time in first]
    assert [time for _, time in told(run)] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("more", "count"), [(1 - 1e-6, 0), (1 + 1e-6, 2)])
def test_it_lifts_off_only_above_the_speed_of_the_closed_form(example: Example, more: float, count: int) -> None:
    run = example.simulate(until=0.1, parameters={"w": more * lift_off_speed(M, D, K, P)}, rtol=1e-11, atol=1e-14)
    assert len(told(run)) == count


def test_the_force_on_the_cam_is_that_of_the_closed_form(example: Example) -> None:
    run = example.simulate(parameters={"w": 80})
    force = run.reactions["cam|follower.normal"]
    np.testing.assert_allclose(force, P + (M * 80**2 - K) * D * np.cos(80 * run.time), rtol=1e-9)


def test_energy_is_balanced_through_the_landings(example: Example) -> None:
    run = example.simulate()
    assert run.audit.energy_balance < accumulated(run)
    assert all(event.details["energy"] < 0 for event in run.events.of_kind("impact"))


def check_one(example: Example, seed: int) -> None:
    """A follower of any mass and spring stays on a slow cam; off a fast one it lifts and lands as computed."""
    random = np.random.default_rng(seed)
    m, d, k = random.uniform(0.05, 1), random.uniform(0.002, 0.02), random.uniform(100, 2000)
    preload = k * d * random.uniform(1.2, 5)
    more = random.uniform(0.5, 0.99) if seed % 2 else random.uniform(1.01, 1.3)
    w = more * lift_off_speed(m, d, k, preload)
    parameters = {"m": m, "d": d, "k": k, "P": preload, "w": w, "R": 0.01 + d}
    expected = [] if more < 1 else [lifts_off_at(m, d, k, preload, w), lands_at(m, d, k, preload, w)]
    until = (expected[-1] if expected else 2 * math.pi / w) * (1 + 1e-6)
    run = example.simulate(until=until, start={"lift": -d}, parameters=parameters, rtol=1e-12, atol=1e-15)
    assert [name for name, _ in told(run)] == ([LIFTS, LANDS] if expected else [])
    assert [time for _, time in told(run)] == pytest.approx(expected, abs=1e-11)


@pytest.mark.parametrize("seed", range(20))
def test_any_follower_lifts_and_lands_when_the_closed_form_says(example: Example, seed: int) -> None:
    check_one(example, seed)


@pytest.mark.slow
def test_any_of_500_followers_lifts_and_lands_when_the_closed_form_says(example: Example) -> None:
    for seed in range(100, 600):
        check_one(example, seed)
