"""Cans of any proportions, in any units, gain nothing, sink nowhere and are pushed within their cones."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import linprog

import detent
from tests.physics.hurled_cans import NO_TIP, Hurled, random_hurled


def test_a_can_that_is_hurled_gains_nothing_and_sinks_nowhere() -> None:
    assert [random_hurled(seed).verdict() for seed in range(5)] == ["right"] * 5


def test_a_force_is_told_right_where_a_can_comes_to_lie_on_its_side() -> None:
    """By speeds that are hard to solve for there 1370 N m were told, and a normal force of 28 N instead of 8."""
    assert random_hurled(149).verdict() == "right"


@pytest.mark.parametrize("seed", [108, 241])
def test_slip_of_a_rim_that_is_all_but_flat_turns_in_less_than_a_billionth_of_a_second(seed: int) -> None:
    """It was taken to go straight on for so long, and to end where it did not."""
    assert random_hurled(seed).verdict() == "right"


@pytest.mark.parametrize("seed", [839, 1272])
def test_a_slip_that_ends_where_it_still_turns_stops_in_any_units(seed: int) -> None:
    """What is left aside of its last way is of the size of the speeds at the rim: it was more than may be corrected."""
    assert random_hurled(seed).verdict() == "right"


@pytest.mark.parametrize("seed", [773, 926])
def test_an_end_that_comes_to_lie_flat_goes_on_over_another_side_from_the_plane(seed: int) -> None:
    """What it leaned on the first side was beneath the plane on the other."""
    assert random_hurled(seed).verdict() == "right"


def test_a_can_that_rocks_and_bounces_comes_to_rest() -> None:
    """It was left beneath the plane by as much as it leaned aside of the direction in which it had tipped."""
    assert random_hurled(480).verdict() == "right"


def test_what_stops_with_a_slip_can_be_brought_to_rest() -> None:
    assert random_hurled(378).verdict() == "right"


def test_a_can_that_spins_faster_than_it_slides_cannot_tip() -> None:
    """mu H > R, and w R > v: s = e has no solution for the direction s in which the point R e of the rim slips."""
    numbers = {"R": 0.2, "H": 0.3, "m": 1.0, "g": 9.81, "tilt": 0.0, "mu": 1.0}
    tips = Hurled(numbers, {"can_z": 0.3, "can_x_rate": 1.0, "can_wz": 4.5}, 0.05, (True, False, False))
    assert tips.verdict() == "right"
    spins = Hurled(numbers, {"can_z": 0.3, "can_x_rate": 1.0, "can_wz": 5.5}, 0.05, (True, False, False))
    with pytest.raises(detent.DetentError, match=NO_TIP):
        spins.run()


def flat_frictions(R: float, H: float, mu: float, v: float, w: float) -> tuple[float, float] | None:
    """The least and the largest friction along the slip v of the middle, by the normal force, with which a can stays
    flat: whatever presses on points r of its end, each slipping with v + w x r, with no moment about its centre. Just
    beside the point about which it turns, v/w from its middle, slip has any direction."""
    angles = np.linspace(0, 2 * math.pi, 180, endpoint=False)
    ways = np.array([np.cos(angles), np.sin(angles)])
    points = np.concatenate([r * ways for r in np.linspace(R / 40, R, 40)], axis=1)
    slip = np.array([v - w * points[1], w * points[0]])
    friction = mu * slip / np.hypot(*slip)
    if v < w * R:
        points = np.hstack([points, np.outer((0, v / w), np.ones(180))])
        friction = np.hstack([friction, mu * ways])
    balanced = np.vstack([points - H * friction, np.ones(points.shape[1])])
    found = [linprog(sign * friction[0], A_eq=balanced, b_eq=[0, 0, 1]) for sign in (1, -1)]
    return None if any(each.status == 2 for each in found) else (found[0].fun, -found[1].fun)


def test_what_is_not_known_of_a_can_that_spins_faster_than_it_slides() -> None:
    """Some pressure keeps it flat where w R > v, and none where w R < v: it tips. Which one is not determined, and less
    friction at the middle, R/H of the normal force, would be more than any of them gives."""
    found = flat_frictions(0.2, 0.3, 1.0, 1.0, 5.5)
    assert found is not None
    assert found == pytest.approx((-0.19, 0.46), abs=0.005)
    assert found[1] < 0.2 / 0.3
    assert flat_frictions(0.2, 0.3, 1.0, 1.0, 4.5) is None


def test_on_three_points_of_its_rim_it_goes_on() -> None:
    """Each has its own friction, which brakes the spin until one of them lifts off."""
    R, H = 0.2, 0.3
    across = (3 * R * R + 4 * H * H) / 12
    system = detent.System("can on three points")
    joint = system.free("can", system.origin, system.ground)
    body = system.body("can", joint.point, joint.frame, 1, (across, across, R * R / 2))
    system.gravity(-9.81 * system.ground.z)
    for number, angle in enumerate((0.0, 2 * math.pi / 3, 4 * math.pi / 3), start=1):
        foot = body.point((R * math.cos(angle), R * math.sin(angle), -H))
        system.contact(f"foot {number}|floor", foot, system.ground.plane(), friction=detent.Coulomb(1))
    system.start(can_z=H, can_x_rate=1, can_wz=5.5)
    run = detent.simulate(system, until=0.1)
    energy = (run.can_x_rate**2 + run.can_y_rate**2 + run.can_z_rate**2) / 2 + 9.81 * run.can_z
    energy += (across * (run.can_wx**2 + run.can_wy**2) + R * R / 2 * run.can_wz**2) / 2
    assert np.diff(energy).max() < 1e-12
    assert run.events[0].name == "foot 2|floor: slip -> open"
    assert run.can_wz[run.time == run.events[0].time][0] < 5.5


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:the equations are stiff:detent.DetentWarning")  # a coin whirls, 4e-7 rad from flat
@pytest.mark.parametrize("first", range(5, 1005, 100))
def test_hundreds_of_cans_that_are_hurled(first: int) -> None:
    found = [random_hurled(seed).verdict() for seed in range(first, first + 100)]
    refused = [verdict for verdict in found if verdict not in ("right", "paradox")]
    assert refused == []
    assert found.count("right") >= 95
