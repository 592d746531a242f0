"""The sliding sphere: when, where and how fast it begins to roll, for any slip and slope."""

from __future__ import annotations

import math

import numpy as np
import pytest

from detent.gallery.example import Example
from detent.gallery.sliding_sphere import build, sliding_lasts, slip, velocity_when_it_rolls, way_until_it_rolls
from tests.physics.bounds import accumulated

G = 9.81
ROLLS = ["ball|plane: slip -> roll"]


def test_it_rolls_when_the_closed_form_says() -> None:
    run = build().simulate(rtol=1e-11)
    (event,) = run.events
    assert event.name == ROLLS[0]
    assert event.time == pytest.approx(0.2241376540413025, abs=1e-11)
    assert run.mode == "ball|plane: roll"


def test_at_the_default_tolerance_it_rolls_when_the_documentation_says() -> None:
    run = build().simulate()
    assert run.timing.steps == 59
    assert abs(run.events[0].time - 0.2241376540413025) == pytest.approx(2.1e-12, abs=5e-14)


def test_on_a_level_plane_the_slip_falls_along_itself() -> None:
    run = build().simulate(parameters={"tilt": 0})
    (event,) = run.events
    assert event.time == pytest.approx(3 / (7 * 0.2 * G), abs=1e-14)


def test_with_backspin_it_goes_on_slower() -> None:
    start = {"ball_x_rate": 3, "ball_y_rate": 0, "ball_wy": -20}
    run = build().simulate(start=start, parameters={"tilt": 0, "mu": 0.3})
    (event,) = run.events
    assert event.time == pytest.approx(10 / (7 * 0.3 * G), abs=1e-14)
    assert run.final.ball_x_rate == pytest.approx(11 / 7, abs=1e-14)


def test_energy_is_lost_by_slip_alone_and_the_sphere_stays_on_the_plane() -> None:
    run = build().simulate()
    assert run.audit.energy_balance < accumulated(run)
    np.testing.assert_allclose(run.ball_z, 0.0, rtol=0, atol=1e-14)


@pytest.mark.parametrize(("more", "mode"), [(1.001, "ball|plane: roll"), (0.999, "ball|plane: slip")])
def test_a_sphere_at_rest_rolls_only_inside_the_cone(more: float, mode: str) -> None:
    least = 2 / 7 * math.tan(0.1)
    run = build().simulate(start={"ball_y_rate": 0}, parameters={"mu": more * least})
    assert run.mode == mode
    assert len(run.events) == 0


@pytest.fixture(scope="module")
def example() -> Example:
    """One sphere for many throws: its modes are derived once."""
    return build()


LAST = 1.5e-10 * G
"""The slip (m/s) below which it is taken to be straight: what g gives in 1.5e-10 s."""


def straight_at_the_end(mu: float, tilt: float) -> float:
    """How far off (s) the end may be because the last slip is taken to be straight.

    It then ends after |s|/(k - F cos(phi)), with phi its angle from downhill, and not after the closed form's time.
    Both are between |s|/(k + F) and |s|/(k - F).
    """
    k, F = 3.5 * mu * G * math.cos(tilt), G * math.sin(tilt)
    return LAST * (1 / (k - F) - 1 / (k + F))


def check_one(example: Example, seed: int) -> None:
    """A sphere thrown in any way over a slope on which it can roll slides until the closed form says, and rolls."""
    random = np.random.default_rng(seed)
    tilt, r = random.uniform(0, 0.6), random.uniform(0.05, 0.5)
    mu = 2 / 7 * math.tan(tilt) * random.uniform(1.2, 3) + random.uniform(0.02, 0.3)
    velocity = tuple(float(v) for v in random.normal(0, 2, 2))
    spin = random.normal(0, 2, 3) / r
    sliding = slip(velocity, (float(spin[0]), float(spin[1])), r)
    lasts = sliding_lasts(sliding, mu, tilt, G)
    start = dict(zip(("ball_x_rate", "ball_y_rate", "ball_wx", "ball_wy", "ball_wz"), (*velocity, *spin), strict=True))
    parameters = {"tilt": tilt, "mu": mu, "r": r, "m": random.uniform(0.1, 10)}
    run = example.simulate(until=1.5 * lasts, rtol=1e-12, atol=1e-14, start=start, parameters=parameters)
    (event,) = run.events
    assert event.name == ROLLS[0]
    assert event.time == pytest.approx(lasts, abs=1e-11 + straight_at_the_end(mu, tilt))
    then, size = run.at(event.time), 1 + math.hypot(*velocity) + r * float(np.linalg.norm(spin))
    expected = velocity_when_it_rolls(velocity, sliding, mu, tilt, G)
    assert (then.ball_x_rate, then.ball_y_rate) == pytest.approx(expected, abs=1e-11 * size + LAST)
    expected = way_until_it_rolls(velocity, sliding, mu, tilt, G)
    late = straight_at_the_end(mu, tilt)
    assert (then.ball_x, then.ball_y) == pytest.approx(expected, abs=(1e-11 + late) * size * (1 + lasts))
    gained = 5 / 7 * G * math.sin(tilt) * 0.5 * lasts
    assert run.final.ball_x_rate - then.ball_x_rate == pytest.approx(gained, abs=1e-11 * size + G * late)


@pytest.mark.parametrize("seed", range(20))
def test_any_throw_rolls_when_and_where_the_closed_form_says(example: Example, seed: int) -> None:
    check_one(example, seed)


@pytest.mark.slow
def test_any_of_500_throws_rolls_when_and_where_the_closed_form_says(example: Example) -> None:
    for seed in range(100, 600):
        check_one(example, seed)
