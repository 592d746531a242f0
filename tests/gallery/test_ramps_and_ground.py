"""The ball on ramps and ground: piece by piece as the closed forms say, with no event besides."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from detent.gallery.example import Example
from detent.gallery.ramps_and_ground import (
    build,
    flight,
    reaches_the_bend,
    rests_after,
    rolls_on_with,
    speed_at_the_end,
)
from tests.physics.bounds import accumulated

G = 9.81
ROLLS_AND_FLIES = [
    "ball|ramps piece 1: roll -> open, ball|ramps piece 2: open -> roll",
    "ball|ramps piece 3: open -> roll, ball|ramps piece 2: roll -> open",
    "ball|ramps piece 3: roll -> open",
]


@pytest.fixture(scope="module")
def example() -> Example:
    """One scene for many balls: its modes are derived once."""
    return build()


def check(example: Example, down: float, up: float, way: float, rise: float, r: float, mu: float, e: float) -> None:
    """That a ball goes where the closed forms say."""
    parameters = {"down": down, "up": up, "way": way, "rise": rise, "r": r, "mu": mu, "e": e}
    speed = speed_at_the_end(down, up, 1.0, way, rise, r, G)
    takes, falls = flight(speed, up, 1.0, rise, 0.5, r, G)
    run = example.simulate(until=8, parameters=parameters, rtol=1e-12, atol=1e-14)
    changes, bounces = run.events.of_kind("transition"), run.events.of_kind("impact")
    assert [event.name for event in changes[:3]] == ROLLS_AND_FLIES
    assert {event.name for event in bounces} == {"ball|ground: bounce"}
    leaves, lands = changes[2].time, bounces[0].time
    slows = 5 / 7 * G * math.sin(up)
    on_the_rise = (math.sqrt(speed**2 + 2 * slows * rise) - speed) / slows
    assert changes[0].time == pytest.approx(reaches_the_bend(down, way, G), abs=1e-11)
    assert leaves - changes[1].time == pytest.approx(on_the_rise, abs=1e-10)
    assert lands - leaves == pytest.approx(takes, abs=1e-10)
    flights = [after.time - before.time for before, after in pairwise(bounces)]
    assert flights[:5] == pytest.approx([2 * falls / G * e**k for k in range(1, 6)], abs=1e-10)
    (rests,) = (event for event in run.events.of_kind("zeno") if event.name.startswith("ball|ground"))
    left = lands + rests_after(falls, e, G) - rests.time  # flights that rise no more than rounding are left out
    assert -1e-10 < left < flights[-1] * e / (1 - e)
    assert [event.name for event in changes[3:]] in ([], ["ball|ground: slip -> roll"])
    assert run.mode == "ball|ground: roll"
    assert run.final.ball_x_rate == pytest.approx(rolls_on_with(speed, up), abs=1e-10)


def test_it_rolls_flies_bounces_and_rolls_on(example: Example) -> None:
    check(example, math.pi / 6, math.pi / 9, 1.5, 0.5, 0.1, 0.6, 0.5)


def test_energy_is_lost_in_impacts_alone(example: Example) -> None:
    run = example.simulate()
    assert run.audit.energy_balance < accumulated(run)
    assert all(event.details["energy"] < 0 for event in run.events.of_kind("impact")[:5])


def check_one(example: Example, seed: int) -> None:
    random = np.random.default_rng(seed)
    down, up = random.uniform(0.3, 0.7), random.uniform(0.1, 0.6)
    rise, r, way = random.uniform(0.1, 0.6), random.uniform(0.05, 0.2), random.uniform(1.5, 3)
    check(example, down, up, way, rise, r, random.uniform(0.35, 1), random.uniform(0.2, 0.7))


@pytest.mark.parametrize("seed", range(20))
def test_any_ball_goes_where_the_closed_forms_say(example: Example, seed: int) -> None:
    check_one(example, seed)


@pytest.mark.slow
def test_any_of_500_balls_goes_where_the_closed_forms_say(example: Example) -> None:
    for seed in range(100, 600):
        check_one(example, seed)
