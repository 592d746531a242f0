"""The ball in a groove: it comes to roll on both faces as the closed form says, with no status change besides."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

import detent
from detent.gallery.example import Example
from detent.gallery.v_groove import build, friction_along, rests_at, rolls_with

G, R = 9.81, 0.1
HARD = (147, 150, 229, 244, 306, 323, 623, 701)
"""Starts that took long, were refused, or chattered: slip ended while the ball spun fast, clusters came to rest."""
ROLLS = "ball|left: roll, ball|right: roll"


@pytest.fixture(scope="module")
def example() -> Example:
    """One groove for many balls: its modes are derived once."""
    return build()


def accelerations_along(run: detent.Run, theta: float, after: float) -> np.ndarray:
    """Of the centre along the axis, at all nodes after a time: by gravity and the forces of both contacts on 1 kg."""
    axis = np.array([math.cos(theta), 0.0, -math.sin(theta)])
    forces = sum(run.contacts[f"ball|{name}"].force[run.t > after] for name in ("left", "right"))
    return np.asarray(G * math.sin(theta) + forces @ axis)


def test_a_ball_that_is_put_into_the_groove_rolls_as_the_closed_form_says(example: Example) -> None:
    run = example.simulate(start={"ball_y": 0, "ball_z": rests_at(math.pi / 4, R)}, until=1)
    assert run.mode == ROLLS
    assert [event.kind for event in run.events] == ["shared"]
    np.testing.assert_allclose(accelerations_along(run, math.pi / 12, -1.0), 1.410563795809, rtol=0, atol=1e-12)
    assert friction_along(math.pi / 4, math.pi / 12, 1.0, G) == pytest.approx(0.564225518323, abs=1e-12)


def test_how_the_ball_turns_has_no_part_in_its_gaps(example: Example) -> None:
    """However fast it spins, a flight of some rounding is seen: bounces accumulate and nothing passes a face."""
    start = {"ball_y": 0.02, "ball_z": 0.4, "ball_wx": 40, "ball_wy": -30, "ball_wz": 50}
    run = example.simulate(start=start, until=3)
    assert run.mode == ROLLS
    assert run.audit.smallest_gap is not None
    assert run.audit.smallest_gap > -1e-14


def test_energy_is_lost_in_impacts_and_by_slip_alone(example: Example) -> None:
    run = example.simulate()
    assert run.audit.energy_balance < 1e-8
    assert all(event.details["energy"] < 1e-12 for event in run.events.of_kind("impact"))


def statuses(run: detent.Run) -> np.ndarray:
    return np.stack([run.contacts[f"ball|{name}"].status for name in ("left", "right")], axis=1)


def check_one(example: Example, seed: int) -> None:
    """A ball thrown in any way into any groove in which it can roll ends by rolling on both faces."""
    random = np.random.default_rng(seed)
    psi, theta, e = math.radians(random.uniform(35, 60)), random.uniform(0, 0.5), (0.0, 0.2, 0.5)[seed % 3]
    mu, lowest = random.uniform(0.3, 1), rests_at(psi, R)
    z = lowest + random.uniform(0.05, 0.4)
    y = random.uniform(-0.9, 0.9) * (z - lowest) * math.tan(psi)
    names = ("ball_x_rate", "ball_y_rate", "ball_wx", "ball_wy", "ball_wz")
    start = {"ball_y": y, "ball_z": z, **dict(zip(names, random.normal(0, (0.5, 0.3, 3, 3, 3)), strict=True))}
    parameters = {"psi": psi, "theta": theta, "mu": mu, "e": e}
    run = example.simulate(until=5, start=start, parameters=parameters, rtol=1e-11, atol=1e-13)
    assert run.mode == ROLLS
    assert run.audit.smallest_gap is not None
    assert run.audit.smallest_gap > -1e-11
    changes = [event for event in run.events if event.kind in ("transition", "impact", "zeno")]
    rolls = changes[-1].time
    np.testing.assert_allclose(accelerations_along(run, theta, rolls), rolls_with(psi, theta, G), rtol=0, atol=1e-12)
    late = statuses(run)[run.t > rolls]
    assert (late == detent.ContactStatus.STICK).all()
    for one, other in pairwise(changes):  # no chattering: what rolls goes on to roll until something strikes
        back = one.kind == other.kind == "transition" and one.name.split(" -> ")[::-1] == other.name.split(" -> ")
        assert not back


@pytest.mark.parametrize("seed", [*range(20), *HARD])
def test_any_ball_comes_to_roll_on_both_faces(example: Example, seed: int) -> None:
    check_one(example, seed)


@pytest.mark.slow
def test_any_of_1000_balls_comes_to_roll_on_both_faces(example: Example) -> None:
    for seed in range(100, 1100):
        check_one(example, seed)
