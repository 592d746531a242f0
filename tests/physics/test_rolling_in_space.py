"""Balls that resist rolling and spinning, in space."""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import detent
from detent.simulation import checkpoint
from tests.physics.rolling_balls import Ball, G, integrated, random_ball, rolls_to_rest
from tests.physics.rolling_disks import Disk, after, random_disk

EXACT = {"rtol": 1e-12, "atol": 1e-14}


def named(run: detent.Run) -> list[str]:
    return [event.name for event in run.events.of_kind("transition")]


def rolling(ball: Ball, speed: float, angle: float) -> Ball:
    """The same, rolling with a speed in a direction."""
    v = (speed * math.cos(angle), speed * math.sin(angle))
    return dataclasses.replace(ball, v=v, p=v)


# -- closed forms ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("angle", [0.0, 1.0, -2.5])
def test_a_ball_on_the_level_slows_evenly_stops_and_stays_for_good(angle: float) -> None:
    ball = rolling(Ball(tilt=0, rho=0.01, sigma=0.001), 1.0, angle)
    run = detent.simulate(ball.system(), until=1e6, **EXACT)
    slows = G * ball.rho / (ball.radius * ball.heavier)
    assert named(run) == ["ball|slope: roll -> rest"]
    assert run.events[-1].time == pytest.approx(1 / slows, rel=1e-11)
    stays = run.t > run.events[-1].time
    assert np.ptp(run["ball_x"][stays]) == np.ptp(run["ball_y"][stays]) == np.ptp(run["ball_qw"][stays]) == 0.0
    way = 1 / (2 * slows)
    expected = [way * math.cos(angle), way * math.sin(angle)]
    assert [run["ball_x"][-1], run["ball_y"][-1]] == pytest.approx(expected, rel=1e-11, abs=1e-12)
    moment = run.contacts["ball|slope"].rolling
    assert moment.shape == (len(run.t), 2)
    assert np.hypot(*moment[run.t < 1].T) == pytest.approx(ball.rho * ball.normal, rel=1e-13)


@pytest.mark.parametrize(("excess", "mode"), [(0.999, "ball|slope: rest"), (1.001, "ball|slope: roll")])
def test_a_ball_begins_to_roll_where_the_slope_is_steeper_than_resistance_over_radius(
    excess: float, mode: str
) -> None:  # fmt: skip
    run = detent.simulate(Ball(tilt=math.atan(0.02 / 0.5 * excess), rho=0.02).system(), until=2)
    assert run.mode == mode
    assert (run["ball_x"][-1] != 0) == (excess > 1)
    assert len(run.events) == 0


@pytest.mark.parametrize(("tilt", "rho", "angle"), [(0.02, 0.02, 1.5), (0.1, 0.08, -2.5)])
def test_a_ball_that_rolls_across_a_slope_bends_down_and_comes_to_rest(tilt: float, rho: float, angle: float) -> None:
    ball = rolling(Ball(tilt=tilt, rho=rho), 1.0, angle)
    run = detent.simulate(ball.system(), until=20, **EXACT)
    time, down, across = rolls_to_rest(ball)
    assert named(run) == ["ball|slope: roll -> rest"]
    assert run.events[-1].time == pytest.approx(time, rel=1e-11)
    assert [run["ball_x"][-1], run["ball_y"][-1]] == pytest.approx([down, across], rel=1e-11)
    stays = run.t > run.events[-1].time
    assert np.ptp(run["ball_x"][stays]) == np.ptp(run["ball_y"][stays]) == 0.0


def test_a_ball_that_rolls_straight_up_turns_back_and_comes_down() -> None:
    ball = rolling(Ball(tilt=0.1, rho=0.01), 1.0, math.pi)
    run = detent.simulate(ball.system(), until=6, **EXACT)
    up, down = (
        (math.sin(ball.tilt) + side * ball.rho / ball.radius * math.cos(ball.tilt)) * G / ball.heavier
        for side in (1, -1)
    )
    assert named(run) == ["ball|slope: turns back"]
    assert run.events.of_kind("transition")[0].time == pytest.approx(1 / up, rel=1e-11)
    assert run["ball_x"][-1] == pytest.approx(-1 / (2 * up) + down * (6 - 1 / up) ** 2 / 2, rel=1e-10)


def test_a_ball_that_spins_and_rolls_ends_each_at_its_own_time() -> None:
    ball = dataclasses.replace(rolling(Ball(tilt=0, rho=0.01, sigma=0.005), 1.0, 0.7), spin=3.0)
    run = detent.simulate(ball.system(), until=20, **EXACT)
    assert named(run) == ["ball|slope: roll and spin -> roll", "ball|slope: roll -> rest"]
    slows = G * ball.rho / (ball.radius * ball.heavier)
    spins = ball.inertia * 3.0 / (ball.sigma * ball.normal)
    assert [event.time for event in run.events.of_kind("transition")] == pytest.approx([spins, 1 / slows], rel=1e-11)
    assert run.contacts["ball|slope"].spinning[0] == pytest.approx(-ball.sigma * ball.normal, rel=1e-13)
    later = detent.simulate(dataclasses.replace(ball, sigma=0.001).system(), until=40, **EXACT)
    assert named(later) == ["ball|slope: roll and spin -> rest and spin", "ball|slope: rest and spin -> rest"]


def test_a_ball_is_braked_against_its_angular_velocity_while_it_slides_without_friction() -> None:
    ball = Ball(tilt=0, rho=0.02, mu=0, v=(1.0, 0.0), p=(0.9, -1.2))
    run = detent.simulate(ball.system(), until=4, **EXACT)
    slows = ball.rho * ball.normal * ball.radius / ball.inertia
    assert named(run) == ["ball|slope: slip and turn -> slip"]
    assert run.events.of_kind("transition")[0].time == pytest.approx(1.5 / slows, rel=1e-11)
    assert run["ball_x"][-1] == pytest.approx(4, rel=1e-12)


# -- a disk is a ball that goes straight -----------------------------------------------------------------


def check_as_a_disk(disk: Disk) -> None:
    """A ball that goes straight down or up beside the closed form of a disk."""
    until = 6.0
    expected, x, _, instants = after(disk, until)
    ball = Ball(
        disk.tilt, disk.rho, disk.mu, (disk.v, 0.0), (-disk.spin * disk.radius, 0.0),
        radius=disk.radius, mass=disk.mass, inertia=disk.inertia,
    )  # fmt: skip
    run = detent.simulate(ball.system(), until=until, **EXACT)
    told = [event.time for event in run.events.of_kind("transition")]
    merged = [t for t, before in zip(instants, [-1.0, *instants], strict=False) if t - before > 1e-9]
    assert told == pytest.approx(merged, rel=1e-10, abs=1e-11), disk
    size = max(1.0, abs(disk.v), abs(disk.spin))
    found = [run["ball_x"][-1], run["ball_x_rate"][-1], run["ball_y"][-1]]
    assert found == pytest.approx([x, expected.v, 0.0], rel=1e-9, abs=1e-9 * size), disk
    assert run.audit.largest_cone_excess <= 1e-12


@pytest.mark.parametrize("seed", [*range(3), 1321])  # in the last, turning ends and friction breaks at one instant
def test_random_balls_that_go_straight_move_as_disks_do(seed: int) -> None:
    check_as_a_disk(random_disk(seed))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 1400, 50))
def test_hundreds_of_random_balls_that_go_straight_move_as_disks_do(first: int) -> None:
    for seed in range(first, first + 50):
        check_as_a_disk(random_disk(seed))


# -- beside a solver -------------------------------------------------------------------------------------


def check(ball: Ball) -> bool:
    """A run beside SciPy's integration; False where that does not know.

    That goes on straight where 1e-8 m/s are left of a slip: what is left of the time is off by some part of itself.
    """
    until = 3.0
    expected = integrated(ball, until)
    if expected is None:
        return False
    instants, state = expected
    run = detent.simulate(ball.system(), until=until, **EXACT)
    told = [event.time for event in run.events.of_kind("transition")][: len(instants)]
    assert told == pytest.approx(instants, abs=1e-8), ball
    if len(instants) < 2:
        assert [run["ball_x"][-1], run["ball_y"][-1]] == pytest.approx(state[4:].tolist(), abs=3e-7), ball
    assert run.audit.largest_cone_excess <= 1e-12
    # what is left of a slip where it ends, 1e-10 s of its acceleration of some g, is stopped against the speed there
    left = 1e-10 * 5 * G * ball.mass * max(*map(abs, ball.v), *map(abs, ball.p))
    assert np.diff(run.energy).max(initial=0) <= left + 1e-12 * run.audit.energy_scale
    return True


@pytest.mark.parametrize("seed", [2, 3])
def test_random_balls_that_slip_and_turn_move_as_a_solver_says(seed: int) -> None:
    assert check(random_ball(seed))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 500, 50))
def test_hundreds_of_random_balls_that_slip_and_turn_move_as_a_solver_says(first: int) -> None:
    assert sum(check(random_ball(seed)) for seed in range(first, first + 50)) > 40


# -- what a run keeps and refuses ------------------------------------------------------------------------


def test_moments_about_both_tangents_are_columns_in_files_and_between_nodes(tmp_path: Path) -> None:
    ball = dataclasses.replace(rolling(Ball(tilt=0, rho=0.01, sigma=0.005), 1.0, 0.7), spin=3.0)
    run = detent.simulate(ball.system(), until=9)
    contact = run.contacts["ball|slope"]
    assert (run["moment of ball|slope.2"] == contact.rolling[:, 1]).all()
    assert (run["moment of ball|slope"] == contact.spinning).all()
    run.save(tmp_path / "ball.nc")
    assert (detent.load(tmp_path / "ball.nc").contacts["ball|slope"].rolling == contact.rolling).all()
    parts = [run.value(f"moment of ball|slope.{number}", times=[1.0, 8.5]) for number in (1, 2)]
    assert np.hypot(*parts) == pytest.approx([ball.rho * ball.normal, 0], abs=1e-9)


@pytest.mark.parametrize("at", [0.2, 2.0])
def test_a_run_goes_on_from_a_checkpoint_bit_by_bit(at: float, tmp_path: Path) -> None:
    system = Ball(tilt=0.01, rho=0.02, sigma=0.01, mu=0.2, v=(1.0, 1.0), spin=1.0).system()
    simulation = detent.Simulation(system, method="rk4", step=0.01, embedding="symbolic")
    simulation.advance(at)
    simulation.checkpoint(tmp_path / "ball.json")
    simulation.advance(9)
    other = detent.resume(system, tmp_path / "ball.json")
    other.advance(9)
    one, two = simulation.result(), other.result()
    assert [two[name][-1] for name in two.layout.names] == [one[name][-1] for name in one.layout.names]
    assert [event for event in one.events if event.time > at] == list(two.events)


def uneven_ball(length: float, time: float, v: tuple[float, float], w: tuple[float, float, float]) -> list[float]:
    """When and where a ball of three moments of inertia comes to rest that was thrown, in units of its own."""
    system = detent.System("uneven ball")
    joint = system.free("ball", system.origin, system.ground)
    inertia = tuple(part * length**2 for part in (0.28, 0.37, 0.38))
    body = system.body("ball", joint.point, joint.frame, 1, inertia)
    system.gravity(-G * length / time**2 * system.ground.z)
    law = detent.Coulomb(0.8, rolling=0.35 * length)
    system.contact("ball|floor", body.sphere(length), system.ground.plane(), friction=law)
    system.start(ball_z=length, ball_x_rate=v[0] * length / time, ball_y_rate=v[1] * length / time)
    system.start(ball_wx=w[0] / time, ball_wy=w[1] / time, ball_wz=w[2] / time)
    run = detent.simulate(system, until=3 * time)
    assert named(run)[-1] in ("ball|floor: pivot -> rest", "ball|floor: roll -> rest")
    ends = run.events.of_kind("transition")[-1].time / time
    return [ends, run.final.ball_x / length, run.final.ball_y / length]


@pytest.mark.parametrize(
    ("v", "w"),
    [
        pytest.param((-3.1, 0.7), (-11.4, 7.4, -3.5), marks=pytest.mark.slow),
        pytest.param((-0.8, 1.2), (-5.5, -2.9, -1.5), marks=pytest.mark.slow),
        ((3.0, 3.1), (-1.8, -5.3, 1.8)),
    ],
)
def test_a_ball_of_uneven_inertia_comes_to_rest_in_any_units(
    v: tuple[float, float], w: tuple[float, float, float]
) -> None:  # fmt: skip
    """Its rolling still turns where it ends: what is left aside goes by the accelerations, and was refused where they
    are large. Steps are as exact as 1e-9 of what they lead to, and it slides and rolls for about one of its times."""
    assert uneven_ball(6000, 0.125, v, w) == pytest.approx(uneven_ball(1, 1, v, w), rel=1e-7)


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("rolling way of ball|slope.1", 0.5, "part of a direction of length 1"),
        ("rolling way of ball|slope.near", -1.0, "a speed"),
        ("rolling way of ball|slope.straight", 0.5, "0 or 1"),
        ("spinning way of ball|slope", 1.0, "0 where nothing turns"),
    ],
)
def test_turning_that_cannot_be_is_refused_in_a_checkpoint(
    name: str, value: float, words: str, tmp_path: Path
) -> None:  # fmt: skip
    system, path = rolling(Ball(tilt=0, rho=0.02, sigma=0.01), 1.0, 0.7).system(), tmp_path / "ball.json"
    simulation = detent.Simulation(system)
    simulation.advance(1)
    simulation.checkpoint(path)
    content: dict[str, Any] = {key: kept for key, kept in json.loads(path.read_text()).items() if key != "digest"}
    content["values"][content["values_layout"].index(name)] = value
    path.write_text(json.dumps({**content, "digest": checkpoint._digest(content)}))
    with pytest.raises(detent.DetentError) as caught:
        detent.resume(system, path)
    assert name in str(caught.value)
    assert words in str(caught.value)
