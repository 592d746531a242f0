"""The kneed walker against its reference times, its limit cycle, and the energy that a slope gives."""

from __future__ import annotations

import math

import numpy as np
import pytest

import detent
from detent.gallery.kneed_walker import LIMIT_CYCLE
from tests.physics.multipliers import Multipliers

PERIOD = 0.61048535108
ROOT_G = math.sqrt(9.81)
PUBLISHED = {
    "left_thigh": 0.4309, "right_thigh": 0.5608, "right_shank": -0.2439,
    "left_thigh_rate": -0.1391 * ROOT_G, "right_thigh_rate": -0.0139 * ROOT_G, "right_shank_rate": 0.6033 * ROOT_G,
}  # fmt: skip
MIRRORED = {
    "right_thigh": "left_thigh", "left_thigh": "right_thigh", "left_shank": "right_shank",
    "right_thigh_rate": "left_thigh_rate", "left_thigh_rate": "right_thigh_rate", "left_shank_rate": "right_shank_rate",
}  # fmt: skip
"""A quantity after an odd number of steps, and the one it was before."""


@pytest.fixture(scope="module")
def walker() -> detent.Example:
    return detent.example("kneed-walker")


@pytest.mark.parametrize("embedding", ["symbolic", "numeric", "live"])
def test_the_events_of_a_step_come_at_the_reference_times(walker: detent.Example, embedding: str) -> None:
    run = walker.simulate(until=0.65, start=PUBLISHED, rtol=1e-11, embedding=embedding)
    assert [event.name for event in run.events] == ["right knee locks", "left knee bends", "right heel strikes"]
    assert [event.kind for event in run.events] == ["impact", "transition", "impact"]
    times = [event.time for event in run.events]
    np.testing.assert_allclose(times, [0.116807179, 0.295974187, 0.608194170], rtol=0, atol=1e-9)
    assert run.mode == "right stance, swing knee free"


def test_the_limit_cycle_returns_with_the_legs_exchanged(walker: detent.Example) -> None:
    run = walker.simulate(until=2.5, rtol=1e-12)
    times = np.array([event.time for event in run.events]).reshape(4, 3)
    # The reference is given to 1e-11, and so is the start; the multipliers do not let that grow.
    expected = PERIOD * np.arange(4)[:, None] + [0.1170009786, 0.2978134048, PERIOD]
    np.testing.assert_allclose(times, expected, rtol=0, atol=1e-9)
    for number, time in enumerate(times[:, 2], 1):
        after = int(np.flatnonzero(run.t == time)[-1])
        for name, value in LIMIT_CYCLE.items():
            there = next(new for new, old in MIRRORED.items() if old == name) if number % 2 else name
            assert run[there][after] == pytest.approx(value, abs=1e-9)


def return_map(walker: detent.Example, section: np.ndarray) -> np.ndarray:
    """One step in the section where both feet are on the ground: two angles, three rates, before and after.

    The swing shank follows: cos(stance) (l_thigh + l_shank) = l_thigh cos(thigh) + l_shank cos(shank).
    """
    stance, thigh, *rates = section.tolist()
    start = {
        "left_thigh": stance,
        "right_thigh": thigh,
        "right_shank": -math.acos(2 * math.cos(stance) - math.cos(thigh)),
    }
    start |= dict(zip(("left_thigh_rate", "right_thigh_rate", "right_shank_rate"), rates, strict=True))
    run = walker.simulate(until=0.62, start=start, rtol=1e-12)
    after = int(np.flatnonzero(run.t == run.events[2].time)[-1])
    names = ("right_thigh", "left_thigh", "right_thigh_rate", "left_thigh_rate", "left_shank_rate")
    return np.array([run[name][after] for name in names])


def test_the_limit_cycle_is_stable_with_the_reference_multiplier(walker: detent.Example) -> None:
    names = ("left_thigh", "right_thigh", "left_thigh_rate", "right_thigh_rate", "right_shank_rate")
    fixed, small = np.array([LIMIT_CYCLE[name] for name in names]), 1e-5
    columns = [
        (return_map(walker, fixed + small * unit) - return_map(walker, fixed - small * unit)) / (2 * small)
        for unit in np.eye(5)
    ]
    multipliers = np.linalg.eigvals(np.transpose(columns))
    # Four digits are given; central differences over 1e-5 err by about 1e-7.
    assert np.abs(multipliers).max() == pytest.approx(0.9592, abs=1e-4)


def test_the_slope_gives_what_the_impacts_take(walker: detent.Example) -> None:
    run = walker.simulate(until=1.3, rtol=1e-12)
    step = run.events[2], run.events[5]
    mass = 56 + 2 * (10 + 5)
    lost = -sum(event.details["energy"] for event in run.events[3:6] if event.kind == "impact")
    first, second = (int(np.flatnonzero(run.t == event.time)[-1]) for event in step)
    length = run.x[second] - run.x[first]
    assert length == pytest.approx(0.2717826, abs=1e-7)
    # A periodic step ends with the kinetic energy it began with, one step lower.
    assert lost == pytest.approx(mass * 9.81 * length * math.sin(0.35), abs=1e-6)


def test_the_heel_strike_is_the_plastic_impact_of_the_model(walker: detent.Example) -> None:
    run, system = walker.simulate(until=0.65, rtol=1e-12), walker.system
    strike = run.events[2]
    assert strike.name == "right heel strikes"
    before, after = (int(np.flatnonzero(run.t == strike.time)[place]) for place in (0, -1))
    states = [symbol.name for symbol in [*system.coordinate_list, *system.all_speeds()]]
    speeds = [symbol.name for symbol in system.all_speeds()]
    state = {name: float(run[name][before]) for name in states} | {"foot": 0.0, "lock": 0.0}
    held = [system.constraints["right foot"], system.constraints["right knee"]]
    mass, _, _, rows = Multipliers(system, held).parts(state)
    u = np.array([state[name] for name in speeds])
    moved = np.linalg.solve(mass, rows.T)
    impulse = -np.linalg.solve(rows @ moved, rows @ u)
    np.testing.assert_allclose([run[name][after] for name in speeds], u + moved @ impulse, rtol=0, atol=1e-11)
    assert strike.details["impulse of right foot.y"] == pytest.approx(impulse[1], rel=1e-11)
    assert impulse[1] > 0


def test_a_standing_foot_stays_where_it_stands(walker: detent.Example) -> None:
    run = walker.simulate(until=10, rtol=1e-10)
    assert run.audit.position_residual < 1e-12
    assert run.audit.velocity_residual < 1e-11
    assert run.audit.energy_balance < 1e-8
    heel_strikes = [event for event in run.events if event.name.endswith("heel strikes")]
    assert len(heel_strikes) == int(10 / PERIOD)
    assert run.foot[-1] == pytest.approx(len(heel_strikes) * 0.2717825899, abs=1e-6)


def test_the_ground_is_only_pushed(walker: detent.Example) -> None:
    run = walker.simulate(until=1.3, rtol=1e-10)
    for leg in ("left", "right"):
        normal = run.reactions[f"{leg} foot.y"]
        assert np.nanmin(normal) > 0
