"""V. Chen's walker against its reference times, its limit cycle and the energy that a slope gives."""

from __future__ import annotations

import math

import numpy as np
import pytest

import detent
from detent.gallery.passive_walker import LIMIT_CYCLE

KNEE_STRIKE, PERIOD = 0.34881592073, 0.56457806957
SLOPE = math.asin(7.25 / 144)


@pytest.fixture(scope="module")
def walker() -> detent.Example:
    return detent.example("passive-walker")


@pytest.mark.parametrize("embedding", ["symbolic", "numeric", "live"])
def test_knee_and_heel_strike_at_the_reference_times(walker: detent.Example, embedding: str) -> None:
    run = walker.simulate(until=0.6, rtol=1e-12, embedding=embedding)
    assert [(event.kind, event.name, event.target) for event in run.events] == [
        ("impact", "knee strike", "two links"),
        ("impact", "heel strike", "three links"),
    ]
    # Given to 1e-11, from a start given to 1e-12.
    np.testing.assert_allclose([event.time for event in run.events], [KNEE_STRIKE, PERIOD], rtol=0, atol=2e-11)


def test_the_state_returns_at_each_heel_strike(walker: detent.Example) -> None:
    run = walker.simulate(until=3, rtol=1e-12)
    strikes = [event for event in run.events if event.name == "heel strike"]
    assert len(strikes) == 5
    for number, strike in enumerate(strikes, 1):
        assert strike.time == pytest.approx(number * PERIOD, abs=1e-9)
        after = int(np.flatnonzero(run.t == strike.time)[-1])
        found = {name: run[name][after] for name in LIMIT_CYCLE}
        assert found == pytest.approx(LIMIT_CYCLE, abs=1e-9)


def test_a_step_is_as_long_as_the_legs_are_apart(walker: detent.Example) -> None:
    run = walker.simulate(until=1.2, rtol=1e-12)
    # Legs of 1 m at q1 + slope to both sides of the normal.
    length = 2 * math.sin(LIMIT_CYCLE["q1"] + SLOPE)
    assert run.foot[-1] == pytest.approx(2 * length, abs=1e-10)
    assert run.final.x == pytest.approx(2 * length, abs=1e-10)
    assert abs(run.final.y) < 1e-12


def test_the_slope_gives_what_the_impacts_take(walker: detent.Example) -> None:
    run = walker.simulate(until=0.6, rtol=1e-12)
    mass = 0.5 + 2 * (0.5 + 0.05)
    given = mass * 9.8 * 2 * math.sin(LIMIT_CYCLE["q1"] + SLOPE) * math.sin(SLOPE)
    assert -sum(event.details["energy"] for event in run.events) == pytest.approx(given, abs=1e-9)
    assert run.audit.energy_balance < 1e-8


def test_relabelling_moves_no_mass(walker: detent.Example) -> None:
    run = walker.simulate(until=0.6, rtol=1e-12)
    before, after = (int(np.flatnonzero(run.t == run.events[1].time)[place]) for place in (0, -1))
    assert run.potential[after] == pytest.approx(run.potential[before], abs=1e-12)
    assert run.kinetic[after] - run.kinetic[before] == pytest.approx(run.events[1].details["energy"], abs=1e-12)


def test_angular_momentum_about_the_new_foot_survives_the_heel_strike(walker: detent.Example) -> None:
    run = walker.simulate(until=0.6, rtol=1e-12)
    before, after = (int(np.flatnonzero(run.t == run.events[1].time)[place]) for place in (0, -1))
    new, old = run.q2[before], run.q1[before]
    struck = angular_momentum(new, old, run.u2[before], run.u1[before], hip_velocity=across(old) * run.u1[before])
    gone = angular_momentum(new, old, run.u1[after], run.u2[after], hip_velocity=across(new) * run.u1[after])
    assert gone == pytest.approx(struck, rel=1e-10)


def along(angle: float) -> np.ndarray:
    """From the foot of a straight leg to the hip."""
    return np.array([-math.sin(angle), math.cos(angle)])


def across(angle: float) -> np.ndarray:
    """How that changes with the angle."""
    return np.array([-math.cos(angle), -math.sin(angle)])


def angular_momentum(new: float, old: float, new_rate: float, old_rate: float, hip_velocity: np.ndarray) -> float:
    """Of all masses about the foot of the new stance leg, both legs straight."""
    hip, total = along(new), 0.5 * turn(along(new), hip_velocity)
    for angle, rate in ((new, new_rate), (old, old_rate)):
        for mass, below_hip in ((0.5, 0.325), (0.05, 0.5 + 0.125)):
            velocity = hip_velocity - below_hip * rate * across(angle)
            total += mass * turn(hip - below_hip * along(angle), velocity)
    return total


def turn(place: np.ndarray, velocity: np.ndarray) -> float:
    return float(place[0] * velocity[1] - place[1] * velocity[0])


def test_the_swing_leg_passes_without_a_heel_strike() -> None:
    # A start with a locked knee that swings through: the feet are level once while the legs pass.
    walker = detent.example("passive-walker")
    start = {"q1": 0.1, "q2": -0.1, "q3": -0.1, "u1": -1.0, "u2": 1.0, "u3": 1.0}
    assert walker.automaton is not None
    walker.automaton.start("two links")
    run = walker.simulate(until=0.15, start=start, rtol=1e-10)
    assert run.q2[-1] > run.q1[-1]
    assert set(run.events.counts) <= {"remark"}
