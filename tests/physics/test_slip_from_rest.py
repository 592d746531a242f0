"""Slip that begins at zero, where friction just breaks: its direction is stiff, and the motion exact all the same."""

from __future__ import annotations

import numpy as np
import pytest

import detent
from tests.physics import slipping_balls as known
from tests.physics.slipping_boxes import random_slipping_box

FEW = range(3)
MANY = range(3, 103)
RTOL = 1e-9
MOST_NODES = 300
"""While it slips: explicit steps that stay bounded would be thousands."""


def _check_dome(seed: int) -> None:
    dome = known.random_dome(np.random.default_rng(seed))
    slide = known.slide_of(dome, until=4.0)
    assert slide is not None
    run = detent.simulate(known.system_of(dome), until=slide.leaves + 0.01, rtol=RTOL)
    breaks, leaves = run.events
    assert [event.name for event in (breaks, leaves)] == ["ball|dome: roll -> slip", "ball|dome: slip -> open"]
    assert breaks.time == pytest.approx(slide.breaks, abs=1e-9)
    assert leaves.time == pytest.approx(slide.leaves, abs=1e-9)
    left = int(np.searchsorted(run.time, leaves.time))
    place = [run[f"ball_{axis}"][left] for axis in "xyz"]
    assert place == pytest.approx(slide.place, abs=1e-8)
    slips = run.contacts["ball|dome"].status == detent.ContactStatus.SLIP
    assert np.count_nonzero(slips) < MOST_NODES


def _check_table(seed: int) -> None:
    table = known.random_table(np.random.default_rng(seed))
    end = 1.5 * table.breaks
    run = detent.simulate(known.system_of_table(table), until=end, rtol=RTOL)
    assert run.events[0].name == "stone|table: stick -> slip"
    assert run.events[0].time == pytest.approx(table.breaks, rel=1e-9)
    assert [run.final.stone_x, run.final.stone_y] == pytest.approx(known.place_on_table(table, end), abs=1e-8)
    slips = run.contacts["stone|table"].status == detent.ContactStatus.SLIP
    assert np.count_nonzero(slips) < MOST_NODES


@pytest.mark.parametrize("seed", FEW)
def test_a_ball_begins_to_slip_on_a_dome(seed: int) -> None:
    _check_dome(seed)


@pytest.mark.parametrize("seed", FEW)
def test_a_stone_begins_to_slip_on_a_table_that_turns_faster(seed: int) -> None:
    _check_table(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", MANY)
def test_balls_on_domes(seed: int) -> None:
    _check_dome(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", MANY)
def test_stones_on_tables(seed: int) -> None:
    _check_table(seed)


@pytest.mark.parametrize("method", ["dopri5", "dop853"])
@pytest.mark.parametrize("rtol", [1e-6, 1e-11])
def test_slip_begins_whatever_the_method(method: str, rtol: float) -> None:
    table = known.random_table(np.random.default_rng(1))
    end = 1.2 * table.breaks
    run = detent.simulate(known.system_of_table(table), until=end, rtol=rtol, atol=1e-14, method=method)
    place = known.place_on_table(table, end)
    assert [run.final.stone_x, run.final.stone_y] == pytest.approx(place, abs=100 * rtol)


def test_a_ball_rolls_all_round_another() -> None:
    """Tangents of a sphere that jumped somewhere would leave the rows of rolling without bounds there."""
    system = detent.System("ring")
    joint = system.free("ball", system.origin, system.ground)
    ball = system.body("ball", joint.point, joint.frame, mass=1, inertia=(0.1, 0.1, 0.1))
    pull = -40 * joint.point.position()
    system.force("pull", ball, pull)
    system.start(ball_y=1.5, ball_x_rate=-1.2, ball_z_rate=0.9, ball_wx=1.8, ball_wz=2.4)
    system.contact("ball|core", ball.sphere(0.5), system.ground.sphere(1), friction=detent.Coulomb(0.5))
    run = detent.simulate(system, until=12)
    assert not run.events.of_kind("transition")
    far = np.sqrt(run["ball_x"] ** 2 + run["ball_y"] ** 2 + run["ball_z"] ** 2)
    assert np.abs(far - 1.5).max() < 1e-12


@pytest.mark.parametrize(("short", "turned"), [(1e-7, 0.0), (1e-7, 0.7), (1e-9, 0.0), (1e-9, 0.7)])
def test_a_box_that_friction_hardly_lets_go_slides_straight_down(short: float, turned: float) -> None:
    """x' = g (sin(tilt) - mu cos(tilt)) t; what is across is rounding, though the slip is 1e-9 m/s."""
    tilt = 0.35
    system = detent.System("box")
    slope = system.ground.rotated("slope", tilt, about="y")
    joint = system.free("box", system.origin, slope)
    box = system.body("box", joint.point, joint.frame, mass=1, inertia=(0.01, 0.011, 0.012))
    system.gravity(-9.81 * system.ground.z)
    system.start(box_z=0.05, box_qw=np.cos(turned / 2), box_qz=np.sin(turned / 2))
    mu = np.tan(tilt) * (1 - short)
    system.contact("box|slope", box.box(0.2, 0.15, 0.1), slope.plane(), friction=detent.Coulomb(mu))
    run = detent.simulate(system, until=1)
    assert [event.kind for event in run.events] == ["shared"]
    rounding = 64 * 2.0**-52 * 9.81  # of forces, over a second
    assert run.final.box_x_rate == pytest.approx(9.81 * (np.sin(tilt) - mu * np.cos(tilt)), abs=rounding)
    assert abs(run.box_y_rate).max() < rounding


@pytest.mark.parametrize("seed", range(6))
def test_boxes_that_friction_hardly_lets_go_slide_straight_down(seed: int) -> None:
    """Directions that turn against one another push nothing aside, until the corners carry otherwise: then they do."""
    assert random_slipping_box(seed).verdict() == "right"


@pytest.mark.slow
@pytest.mark.parametrize("first", range(6, 306, 50))
def test_hundreds_of_boxes_that_friction_hardly_lets_go(first: int) -> None:
    assert [random_slipping_box(seed).verdict() for seed in range(first, first + 50)] == ["right"] * 50
