"""The ball on a turning table: its circle, at 2/7 of the table's turns."""

from __future__ import annotations

import math

import numpy as np
import pytest

from detent.gallery.example import Example
from detent.gallery.spinning_table import build, circle, place_after, rolling_spin
from tests.physics.bounds import accumulated

G = 9.81
PLACE, VELOCITY = (0.5, 0.0), (0.2, 0.3)


@pytest.fixture(scope="module")
def example() -> Example:
    """One table for many balls: its mode is derived once."""
    return build()


def off_the_circle(example: Example, turns: int) -> float:
    """The greatest distance (m) from the circle over some turns, and from the start after these.

    Steps are as short as a spin of 12 rad/s needs, and the circle is gone round at 0.86 rad/s: what a step of order 8
    errs by is (0.86/12)^9 = 5e-11 of its tolerance there, and rounding of places below 1 m is what is left.
    """
    (x, y), radius, period = circle(PLACE, VELOCITY, 3.0)
    run = example.simulate(until=turns * period)
    assert (run.mode, len(run.events)) == ("ball|table: roll", 0)
    away = np.hypot(run.ball_x - x, run.ball_y - y) - radius
    off = max(float(np.abs(away).max()), math.dist((run.final.ball_x, run.final.ball_y), PLACE))
    assert run.timing is not None
    assert off < np.finfo(float).eps * run.timing.steps
    return off


def test_the_ball_is_where_the_closed_form_says(example: Example) -> None:
    run = example.simulate(until=1)
    assert (run.final.ball_x, run.final.ball_y) == pytest.approx((0.555504275204, 0.345184695577), abs=1e-11)
    assert circle(PLACE, VELOCITY, 3.0)[1] == pytest.approx(0.420647648804, abs=1e-12)


def test_it_goes_round_in_a_circle(example: Example) -> None:
    assert off_the_circle(example, 5) < 1e-12


@pytest.mark.slow
def test_it_is_on_its_circle_after_100_turns(example: Example) -> None:
    assert off_the_circle(example, 100) < 1e-12


def test_the_table_gives_and_takes_the_energy(example: Example) -> None:
    run = example.simulate(until=7.33038285838)
    assert run.audit.energy_balance < accumulated(run)
    np.testing.assert_allclose(np.hypot(run.ball_x_rate, run.ball_y_rate), math.hypot(*VELOCITY), rtol=1e-10)


@pytest.mark.parametrize(("more", "mode"), [(1.01, "ball|table: roll"), (0.99, "ball|table: slip")])
def test_it_rolls_only_where_friction_gives_the_acceleration(example: Example, more: float, mode: str) -> None:
    least = 2 / 7 * 3 * math.hypot(*VELOCITY) / G
    run = example.simulate(until=0.01, parameters={"mu": more * least})
    assert (run.mode, len(run.events)) == (mode, 0)


def check_one(example: Example, seed: int) -> None:
    """A ball that starts rolling anywhere on a table that turns either way is where the closed form says."""
    random = np.random.default_rng(seed)
    Omega, r = random.uniform(0.5, 6) * random.choice([-1, 1]), random.uniform(0.05, 0.5)
    x, y, vx, vy = (float(value) for value in random.normal(0, 0.5, 4))
    wx, wy = rolling_spin((x, y), (vx, vy), r, Omega)
    start = {"ball_x": x, "ball_y": y, "ball_x_rate": vx, "ball_y_rate": vy, "ball_wx": wx, "ball_wy": wy}
    parameters = {
        "Omega": Omega,
        "r": r,
        "m": random.uniform(0.1, 10),
        "mu": 2 / 7 * abs(Omega) * math.hypot(vx, vy) / 5,
    }
    run = example.simulate(until=2, start={**start, "ball_wz": random.normal(0, 5)}, parameters=parameters)
    assert (run.mode, len(run.events)) == ("ball|table: roll", 0)
    size = 1 + math.hypot(x, y) * (1 + abs(Omega)) + math.hypot(vx, vy)
    expected = place_after(2.0, (x, y), (vx, vy), Omega)
    assert (run.final.ball_x, run.final.ball_y) == pytest.approx(expected, abs=2 * accumulated(run) * size)


@pytest.mark.parametrize("seed", range(20))
def test_any_ball_goes_round_at_two_sevenths_of_the_turns(example: Example, seed: int) -> None:
    check_one(example, seed)


@pytest.mark.slow
def test_any_of_500_balls_goes_round_at_two_sevenths_of_the_turns(example: Example) -> None:
    for seed in range(100, 600):
        check_one(example, seed)
