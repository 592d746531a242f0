"""A cylinder on its flat end stands, slides, tips over its rim, leaves and comes down as closed forms say.

An end of radius R carries a normal force N within it, so that the moment about its middle is at most R N. With its
centre H above the floor a can stands on a slope up to tan(tilt) = R/H; pulled by F at a height h it tips at F h = m g R
and slips at F = mu m g. Where its friction tips it, it slides on the front point of its rim: a planar motion with one
angle. Coming down from a lean about a point that sticks it goes on over the other side by
(I + m H^2 - m R^2)/(I + m H^2 + m R^2) of how fast it turned, or stays where that is not positive.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp

import detent

G = 9.81


def can(R: float = 0.2, H: float = 0.3, m: float = 1.0, tilt: float = 0.0, e: float = 0.0, **law: Any) -> detent.System:
    """A can of radius R and half length H on a floor, or on a ramp that falls along x."""
    system = detent.System("can")
    ramp = system.ground.rotated("ramp", tilt, "y") if tilt else system.ground
    joint = system.free("can", system.origin, ramp)
    across = m * (3 * R * R + 4 * H * H) / 12
    body = system.body("can", joint.point, joint.frame, m, (across, across, m * R * R / 2))
    system.gravity(-G * system.ground.z)
    friction = detent.Coulomb(law.pop("mu", 0.5), **law)
    contact = system.contact(
        "can|floor", body.cylinder(R, 2 * H), ramp.plane(), friction=friction, impact=detent.Poisson(e)
    )
    assert contact.features == ("rim 1", "rim 2", "end 1", "end 2")
    system.start(can_z=H)
    return system


def lean_of(run: Any) -> np.ndarray:
    """How far the axis is from the normal of the plane that it stands on."""
    return 2 * np.arcsin(np.hypot(run.can_qx, run.can_qy))


def test_a_can_stands_on_a_slope_for_ever() -> None:
    run = detent.simulate(can(mu=0.5, tilt=0.4), until=1e6)
    assert run.final.can_x == run.final.can_y == 0.0
    assert run.final.can_z == 0.3
    face = run.contacts["can|floor"]["end 1"]
    assert (face.status == detent.ContactStatus.STICK).all()
    assert face.normal[-1] == pytest.approx(G * math.cos(0.4), rel=1e-14)
    assert np.hypot(*face.rolling[-1]) == pytest.approx(G * math.sin(0.4) * 0.3, rel=1e-13)
    assert len(run.events) == 0


@pytest.mark.parametrize("beyond", [-1e-9, 1e-9])
def test_on_a_slope_it_tips_where_its_weight_is_beyond_its_rim(beyond: float) -> None:
    run = detent.simulate(can(mu=5, tilt=math.atan(0.2 / 0.3) * (1 + beyond)), until=3)
    tips = run.contacts["can|floor"]["rim 1"].status[-1] > 0
    assert tips == (beyond > 0)
    assert (abs(run.final.can_wy) > 1e-4) == tips
    assert tips or run.final.can_wy == run.final.can_z - 0.3 == 0.0


def test_a_can_that_slides_stops_where_friction_stops_it() -> None:
    run = detent.simulate(can(mu=0.2), until=1, start={"can_x_rate": 0.6, "can_y_rate": -0.8})
    away = 1 / (2 * 0.2 * G)
    assert (run.final.can_x, run.final.can_y) == pytest.approx((0.6 * away, -0.8 * away), abs=1e-13)
    assert run.events[0].name == "can|floor end 1: slip -> stick"
    assert run.events[0].time == pytest.approx(1 / (0.2 * G), abs=1e-12)
    assert abs(run.can_z - 0.3).max() == 0.0


def test_it_stands_on_its_other_end_too() -> None:
    run = detent.simulate(can(mu=0.2), until=1, start={"can_qw": 0.0, "can_qx": 1.0, "can_x_rate": 1.0})
    assert run.final.can_x == pytest.approx(1 / (2 * 0.2 * G), abs=1e-13)
    assert run.events[0].name == "can|floor end 2: slip -> stick"


def test_a_can_that_friction_tips_slides_on_the_front_of_its_rim() -> None:
    R, H, mu, until = 0.2, 0.3, 1.0, 0.04
    across = (3 * R * R + 4 * H * H) / 12

    def rates(_: float, x: np.ndarray) -> list[float]:
        lean, turning, _speed = x
        up, out = R * math.sin(lean) + H * math.cos(lean), R * math.cos(lean) - H * math.sin(lean)
        arm = mu * up - out  # m = 1: across*lean'' = N arm, N = G + out*lean'' - up*lean'^2
        faster = arm * (G - up * turning**2) / (across - arm * out)
        return [turning, faster, -mu * (G + out * faster - up * turning**2)]

    lean, turning, speed = solve_ivp(rates, (0, until), [0, 0, 2], "DOP853", rtol=1e-12, atol=1e-14).y[:, -1]
    start = {"can_x_rate": 1.2, "can_y_rate": 1.6}
    run = detent.simulate(can(R, H, mu=mu), until=until, start=start, rtol=1e-11)
    assert len(run.events) == 0
    assert run.contacts["can|floor"]["rim 1"].status[0] == detent.ContactStatus.SLIP
    assert lean_of(run)[-1] == pytest.approx(lean, abs=1e-9)
    assert np.hypot(run.final.can_wx, run.final.can_wy) == pytest.approx(turning, abs=1e-8)
    assert np.hypot(run.final.can_x_rate, run.final.can_y_rate) == pytest.approx(speed, abs=1e-8)


def pulled(seed: int) -> str:
    """A can that is pulled harder and harder: it tips, or slips, or leaves the floor, at the instant that is known."""
    random = np.random.default_rng([seed, 771])
    R, H, m, mu, faster, at = random.uniform((0.1, 0.05, 0.2, 0.05, 1, -0.9), (0.5, 0.6, 5, 1.5, 20, 0.9))
    way = random.uniform(0, 2 * math.pi)
    system = can(R, H, m, mu=mu)
    x, y, z = (getattr(system.ground, axis) for axis in "xyz")
    body = system.bodies["can"]
    if seed % 5 == 0:
        system.force("up", body, faster * system.time * z)
        expected, name = m * G / faster, "can|floor end 1: stick -> open"
    else:
        point = body.center.offset("pulled", at * H * body.frame.z)
        force = faster * system.time * (math.cos(way) * x + math.sin(way) * y)
        system.force("pull", point, force)
        tips, slips = m * G * R / (faster * (1 + at) * H), mu * m * G / faster
        if abs(tips - slips) < 1e-3 * tips:
            return "too near"
        name = "can|floor end 1: stick -> slip"
        expected = min(tips, slips)
        if tips < slips:
            name = "can|floor rim 1: open -> roll, can|floor end 1: stick -> open"
    run = detent.simulate(system, until=1.01 * expected)
    event = next(event for event in run.events if not event.name.endswith("stays"))
    assert event.name == name, (seed, event.name)
    assert event.time == pytest.approx(expected, rel=1e-12), seed
    if "rim" in name:
        after = np.flatnonzero(run.time == event.time)[-1]  # it is forgotten where it leans by 1e-3 rad
        tip = [run.discrete[f"tip of can|floor rim 1.{number}"][after] for number in (1, 2)]
        assert tip == pytest.approx((math.cos(way), math.sin(way)), abs=1e-9)
    return "right"


def test_a_can_that_is_pulled_tips_slips_or_leaves_when_it_must() -> None:
    assert [pulled(seed) for seed in range(6)].count("right") >= 5


def test_what_slides_into_a_paradox_late_in_a_run_seizes_there_though_its_slip_is_slow() -> None:
    """Beside the rounding of 15 s its last slip is none; without it there is nothing that could seize."""
    assert pulled(292) == "right"


@pytest.mark.slow
def test_hundreds_of_cans_that_are_pulled() -> None:
    assert [pulled(seed) for seed in range(6, 306) if seed % 5].count("right") >= 225


@pytest.mark.slow
def test_dozens_of_cans_that_are_lifted() -> None:
    assert [pulled(seed) for seed in range(10, 306, 5)].count("right") == 60


def test_a_can_leaves_a_plane_that_falls_faster_than_it() -> None:
    system = detent.System("shaker")
    joint = system.free("can", system.origin, system.ground)
    body = system.body("can", joint.point, joint.frame, 1, (0.04, 0.04, 0.02))
    system.gravity(-G * system.ground.z)
    table = system.origin.offset("table", 0.05 * sympy.sin(20 * system.time) * system.ground.z)
    system.contact("can|table", body.cylinder(0.2, 0.6), system.ground.plane(at=table), friction=detent.Coulomb(0.5))
    system.start(can_z=0.3, can_z_rate=1)
    run = detent.simulate(system, until=0.2)
    assert run.events[0].time == pytest.approx(math.asin(G / (0.05 * 400)) / 20, abs=1e-12)
    assert run.events[0].name == "can|table end 1: stick -> open"


def test_spinning_on_its_face_is_braked_by_what_is_declared() -> None:
    run = detent.simulate(can(mu=0.5, spinning=0.01), until=4, start={"can_wz": 10}, rtol=1e-12)
    stops = 10 * 0.02 / (0.01 * G)
    assert run.events[0].name == "can|floor end 1: stick and spin -> stick"
    assert run.events[0].time == pytest.approx(stops, rel=2e-11)  # 20 times the tolerance of the steps
    free = detent.simulate(can(mu=0.5), until=4, start={"can_wz": 10})
    assert free.final.can_wz == pytest.approx(10, abs=1e-13)


def leaning(R: float, H: float, lean: float, way: float = 0.0) -> dict[str, float]:
    """Turned about an axis in the floor, with the lowest point of the rim on it."""
    half = math.sin(lean / 2)
    turn = {"can_qw": math.cos(lean / 2), "can_qx": half * math.cos(way), "can_qy": half * math.sin(way)}
    return {"can_z": R * math.sin(lean) + H * math.cos(lean)} | turn


def fallen(seed: int) -> str:
    """A can that falls back from a lean stays flat, or goes on over the other side, with the speed that is known."""
    random = np.random.default_rng([seed, 772])
    R, H, m = random.uniform((0.1, 0.03, 0.2), (0.4, 0.5, 5))
    lean, way = math.atan2(R, H) * random.uniform(0.05, 0.5), random.uniform(0, 2 * math.pi)
    across = (3 * R * R + 4 * H * H) / 12
    # The slimmest rocks for up to 8.7 s: it loses least, w+/w- = 0.94.
    run = detent.simulate(can(R, H, m, mu=50), until=20, start=leaning(R, H, lean, way), rtol=1e-11, check=False)
    assert run.outcome.word == "completed", (seed, run.message)
    impact = next((event for event in run.events if event.kind == "impact"), None)
    assert impact is not None, seed
    at = np.flatnonzero(run.time == impact.time)
    before, after = (np.hypot(run.can_wx[k], run.can_wy[k]) for k in (at[0], at[-1]))
    about = across + H * H + R * R
    fall = 2 * G * (R * math.sin(lean) + H * math.cos(lean) - H) / about
    if run.contacts["can|floor"]["rim 1"].status[0] != detent.ContactStatus.STICK:
        return "jumps"
    assert before == pytest.approx(math.sqrt(fall), rel=1e-7), seed
    ratio = max(0.0, (across + H * H - R * R) / about)
    assert after / before == pytest.approx(ratio, abs=1e-7), seed
    assert lean_of(run)[-1] < 1e-9, seed
    assert run.contacts["can|floor"]["end 1"].status[-1] == detent.ContactStatus.STICK
    assert max(abs(run.final.can_wx), abs(run.final.can_wy), abs(run.final.can_z_rate)) < 1e-15, seed
    return "right"


def test_a_can_that_falls_back_stays_or_rocks_and_comes_to_rest() -> None:
    assert [fallen(seed) for seed in range(5)].count("right") >= 4


@pytest.mark.slow
def test_hundreds_of_cans_that_fall_back() -> None:
    assert [fallen(seed) for seed in range(5, 205)].count("right") >= 150


def thrown(seed: int) -> str:
    """A can that is thrown, set down tilted or pushed, also on a slope, gains nothing and sinks nowhere."""
    random = np.random.default_rng([seed, 773])
    R, H, m = random.uniform((0.1, 0.03, 0.2), (0.4, 0.5, 5))
    tilt = float(random.choice([0.0, random.uniform(0, 0.6)]))
    law = {"mu": float(random.choice([0.0, random.uniform(0.05, 1.2)]))}
    law |= {word: random.uniform(0, 0.05) * R for word in ("rolling", "spinning") if random.random() < 0.4}
    e = float(random.choice([0.0, random.uniform(0, 0.9)]))
    start = leaning(R, H, random.uniform(0, 0.6) if seed % 3 else 0.0, random.uniform(0, 2 * math.pi))
    start["can_z"] += float(random.choice([0.0, random.uniform(0, 0.3)]))
    for name in ("x_rate", "y_rate", "wx", "wy", "wz"):
        start[f"can_{name}"] = float(random.choice([0.0, random.normal()]))
    run = detent.simulate(can(R, H, m, tilt, e, **law), until=1.0, start=start, check=False)
    if run.outcome.word != "completed":
        return f"{run.outcome.word}: {run.message[:200]}"
    across = m * (3 * R * R + 4 * H * H) / 12
    energy = m * (run.can_x_rate**2 + run.can_y_rate**2 + run.can_z_rate**2) / 2
    energy += (across * (run.can_wx**2 + run.can_wy**2) + m * R * R / 2 * run.can_wz**2) / 2
    energy += m * G * (run.can_z * math.cos(tilt) - run.can_x * math.sin(tilt))
    grown = np.diff(energy).max()
    assert grown <= 1e-7 * (energy.max() - energy.min() + m * G * R), (seed, grown)
    at = run.at(np.linspace(0, 1, 2001))
    w, x, y, z = (np.asarray(at[f"can_q{letter}"]) for letter in "wxyz")
    size = w * w + x * x + y * y + z * z
    aside = np.hypot(2 * (w * y + x * z), 2 * (y * z - w * x)) / size
    upright = np.abs(w * w - x * x - y * y + z * z) / size
    deepest = (np.asarray(at["can_z"]) - R * aside - H * upright).min()
    assert deepest >= -1e-9, (seed, deepest)
    return "right"


def test_a_can_that_is_thrown_gains_nothing_and_sinks_nowhere() -> None:
    assert [thrown(seed) for seed in range(6)] == ["right"] * 6


def test_impacts_of_an_end_and_of_its_rim_that_are_told_alike_are_all_told() -> None:
    assert thrown(69) == "right"


@pytest.mark.slow
@pytest.mark.parametrize("first", range(6, 1006, 100))
def test_hundreds_of_cans_that_are_thrown(first: int) -> None:
    assert [thrown(seed) for seed in range(first, first + 100)] == ["right"] * 100


def test_a_can_that_is_dropped_bounces_on_its_face() -> None:
    run = detent.simulate(can(mu=0.5, e=0.5), until=2, start={"can_z": 0.8})
    fall = math.sqrt(2 * 0.5 / G)
    rest = run.events.of_kind("zeno")[0]
    assert run.events[0].time == pytest.approx(fall, abs=1e-12)
    assert {event.name for event in run.events.of_kind("impact")} == {"can|floor end 1: bounce"}
    assert rest.details["accumulates at"] == pytest.approx(3 * fall, abs=1e-6)
    assert run.final.can_z_rate == 0.0
    assert run.final.can_z == pytest.approx(0.3, abs=1e-15)


@pytest.mark.parametrize("way", [0.3, 2.7, 5.5])
def test_a_tall_can_that_lands_on_one_side_of_its_rim_goes_on_over_the_other(way: float) -> None:
    """Without friction a point of the rim answers to a push there by A = a + b, a = 1/m and b = R^2/I; the point
    opposite by a - b. It lands with v, and the other side with 2 b v/A: impulses of v/A and 2 b v/A^2. The first side
    is pushed down by the second impulse where a < b, and up where H > 1.5 R. While it leans by 1e-7 rad it gains 1e-7
    of these speeds by its weight."""
    R, H, m, drop = 4.0, 7.0, 2.0, 1.2
    start = leaning(R, H, 1e-7, way)
    start["can_z"] += drop
    run = detent.simulate(can(R, H, m, mu=0.0), until=0.6, start=start)
    landing, rocking = run.events.of_kind("impact")[:2]
    a, b, v = 1 / m, 12 * R * R / (m * (3 * R * R + 4 * H * H)), math.sqrt(2 * G * drop)
    assert landing.details["impulse of can|floor rim 1.normal"] == pytest.approx(v / (a + b), rel=1e-6)
    assert rocking.details["impulse of can|floor end 1.normal"] == pytest.approx(2 * b * v / (a + b) ** 2, rel=1e-6)
    at = np.flatnonzero(run.time == rocking.time)[-1]
    turns = b / R * (v / (a + b) - 2 * b * v / (a + b) ** 2)
    assert np.hypot(run.can_wx[at], run.can_wy[at]) == pytest.approx(turns, rel=1e-6)
    assert run.can_z_rate[at] == pytest.approx(R * turns, rel=1e-6)
    assert run.contacts["can|floor"]["rim 1"].status[at] == detent.ContactStatus.SLIP


def test_a_plane_may_stand_on_a_can() -> None:
    system = detent.System("table on a can")
    joint = system.free("board", system.origin, system.ground)
    board = system.body("board", joint.point, joint.frame, 1, (0.04, 0.04, 0.02))
    system.gravity(-G * system.ground.z)
    system.start(board_z=0.1, board_x_rate=1)
    system.contact("board|can", board.plane("-z", at=(0, 0, -0.1)), system.ground.cylinder(2, 1, at=(0, 0, -0.5)),
                   friction=detent.Coulomb(0.2))  # fmt: skip
    run = detent.simulate(system, until=1)
    assert run.final.board_x == pytest.approx(1 / (2 * 0.2 * G), abs=1e-13)
    assert run.final.board_z == pytest.approx(0.1, abs=1e-15)


def test_a_run_goes_on_from_a_checkpoint_while_a_can_lies_flat_or_tips(tmp_path: Path) -> None:
    system = can(mu=1.0)
    start = {"can_x_rate": 2.0}
    whole = detent.simulate(system, until=0.2, start=start)
    for cut in (1e-5, 0.03):
        path = tmp_path / f"{cut}.checkpoint"
        simulation = detent.Simulation(system, start=start)
        simulation.advance(cut)
        simulation.checkpoint(path)
        going = detent.resume(system, path)
        going.advance(0.2)
        rest = going.result()
        assert rest.final.can_wy == pytest.approx(whole.final.can_wy, abs=1e-8)
