"""Contacts that resist turning: rolling in the plane, spinning in space."""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp

import detent
from detent.simulation import checkpoint
from detent.simulation.contact_account import PlaceValues
from detent.simulation.contact_audit import findings
from tests.physics.rolling_disks import Disk, after, random_disk

G = 9.81
EXACT = {"rtol": 1e-12, "atol": 1e-14}


def named(run: detent.Run) -> list[str]:
    return [event.name for event in run.events]


# -- a disk on a slope ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("excess", "mode"), [(0.999, "disk|ramp: rest"), (1.001, "disk|ramp: roll")])
def test_a_disk_begins_to_roll_where_the_slope_is_steeper_than_resistance_over_radius(
    excess: float, mode: str
) -> None:  # fmt: skip
    disk = Disk(tilt=math.atan(0.02 / 0.5 * excess), rho=0.02, mu=0.5)
    run = detent.simulate(disk.system(), until=2)
    assert run.mode == mode
    assert (run["x"][-1] != 0) == (excess > 1)
    assert len(run.events) == 0


def test_a_rolling_disk_slows_evenly_stops_and_stays_for_good() -> None:
    disk = Disk(tilt=0, rho=0.01, mu=0.5, v=1.0, spin=-2.0)
    slows = G * disk.rho / (disk.radius * (1 + disk.inertia / (disk.mass * disk.radius**2)))
    run = detent.simulate(disk.system(), until=1e6, **EXACT)
    assert named(run) == ["disk|ramp: roll -> rest"]
    assert run.events[0].time == pytest.approx(1 / slows, rel=1e-11)
    stays = run.t > run.events[0].time
    assert np.ptp(run["x"][stays]) == np.ptp(run["angle"][stays]) == 0.0
    assert run["x"][-1] == pytest.approx(1 / (2 * slows), rel=1e-11)


def test_a_disk_that_rolls_up_a_slope_stays_or_comes_back_by_its_resistance() -> None:
    up = Disk(tilt=0.03, rho=0.02, mu=0.5, v=-1.0, spin=2.0)
    stays = detent.simulate(up.system(), until=1e6)
    assert named(stays) == ["disk|ramp: roll -> rest"]
    where = stays["x"][stays.t > stays.events[0].time]
    assert np.ptp(where) == 0.0
    assert named(detent.simulate(dataclasses.replace(up, rho=0.01).system(), until=10)) == ["disk|ramp: turns back"]


def test_a_disk_whose_resistance_is_above_its_friction_slides_without_turning() -> None:
    run = detent.simulate(Disk(tilt=0, rho=0.1, mu=0.1, v=3.0).system(), until=5)
    assert named(run) == ["disk|ramp: slip -> rest"]
    assert (run["angle"] == 0).all()
    assert run.contacts["disk|ramp"].rolling[0] == pytest.approx(0.1 * 2 * G * 0.5, rel=1e-14)


def test_a_disk_without_friction_is_braked_in_its_turning_alone() -> None:
    disk = Disk(tilt=0, rho=0.02, mu=0, v=1.0, spin=3.0)
    run = detent.simulate(disk.system(), until=4, **EXACT)
    assert named(run) == ["disk|ramp: slip and turn -> slip"]
    assert run.events[0].time == pytest.approx(3 * disk.inertia / (0.02 * disk.normal), rel=1e-11)
    assert run["x"][-1] == pytest.approx(4, rel=1e-12)


def check(disk: Disk) -> None:
    """A run beside the closed form; events at most one in 10^11 apart, by the size of the longest phase."""
    until = 6.0
    expected, x, angle, instants = after(disk, until)
    run = detent.simulate(disk.system(), until=until, **EXACT)
    told = [event.time for event in run.events]
    merged = [t for t, before in zip(instants, [-1.0, *instants], strict=False) if t - before > 1e-9]
    assert told == pytest.approx(merged, rel=1e-10, abs=1e-11), disk
    size = max(1.0, abs(disk.v), abs(disk.spin))
    found = [run[name][-1] for name in ("x", "angle", "x_rate", "angle_rate")]
    assert found == pytest.approx([x, angle, expected.v, expected.spin], rel=1e-9, abs=1e-9 * size), disk
    assert run.audit.largest_cone_excess <= 1e-12
    lost = np.diff(run.energy)
    assert lost.max(initial=0) <= 1e-12 * run.audit.energy_scale


@pytest.mark.parametrize("seed", range(12))
def test_random_disks_follow_the_closed_form_and_lose_energy(seed: int) -> None:
    check(random_disk(seed))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 500, 50))
def test_hundreds_of_random_disks_follow_the_closed_form_and_lose_energy(first: int) -> None:
    for seed in range(first, first + 50):
        check(random_disk(seed))


# -- wheels ----------------------------------------------------------------------------------------------


def wheel(torque: Any, mu: float = 0.6, rho: float = 0.01, **start: float) -> detent.System:
    """A wheel of mass 2, radius 1/2 and inertia 1/4 on level ground, with a torque that is a function of the time."""
    system = detent.System("wheel")
    joint = system.planar("wheel", system.origin, system.ground)
    body = system.body("wheel", joint.point, joint.frame, 2, 0.25)
    system.gravity(-G * system.ground.y)
    system.torque("drive", body, torque(system) * system.ground.z)
    system.start(wheel_y=0.5, **start)
    law = detent.Coulomb(mu, rolling=rho)
    system.contact("wheel|road", body.circle(0.5), system.ground.line(), friction=law)
    return system


def test_a_wheel_begins_to_roll_when_its_torque_passes_the_resistance() -> None:
    rate = 0.1
    run = detent.simulate(wheel(lambda system: -rate * system.time), until=4, **EXACT)
    begins = 0.01 * 2 * G / rate
    assert named(run) == ["wheel|road: rest -> roll"]
    assert run.events[0].time == pytest.approx(begins, rel=1e-12)
    expected = -rate * (4 - begins) ** 2 / (2 * (0.25 + 2 * 0.25))
    assert run["wheel_angle_rate"][-1] == pytest.approx(expected, rel=1e-11)
    held = run.t < begins
    assert run.contacts["wheel|road"].rolling[held] == pytest.approx(rate * run.t[held], abs=1e-14)


def test_a_braked_wheel_skids_then_stops_turning_then_stops() -> None:
    # w' = (T r + brake + rho N)/I until it stands; the brake is what holds it from there on, by its friction
    def brake(system: detent.System) -> Any:
        return 0.6 * 2 * G * 0.5 + 1.0  # more than friction could turn

    system = wheel(brake, mu=0.6, rho=0.6, wheel_x_rate=3.0, wheel_angle_rate=-6.0)
    run = detent.simulate(system, until=3, **EXACT)
    assert named(run) == ["wheel|road: slip and turn -> slip", "wheel|road: slip -> rest"]
    standing = 6 * 0.25 / (1.0 + 0.6 * 2 * G)
    assert [event.time for event in run.events] == pytest.approx([standing, 3 / (0.6 * G)], rel=1e-11)


def test_a_disk_in_a_bowl_comes_to_rest_beside_its_bottom_as_a_solver_says() -> None:
    R, r, m, inertia, rho = 2.0, 0.5, 1.0, 0.125, 0.02
    system = detent.System("bowl")
    joint = system.planar("disk", system.origin, system.ground)
    body = system.body("disk", joint.point, joint.frame, m, inertia)
    system.gravity(-G * system.ground.y)
    start = 0.3
    system.start(disk_x=(R - r) * math.sin(start), disk_y=-(R - r) * math.cos(start))
    law = detent.Coulomb(0.9, rolling=rho)
    ring = system.ground.arc(R, -math.pi, 0, inside=True)
    system.contact("disk|bowl", body.circle(r), ring, friction=law)
    run = detent.simulate(system, until=100, **EXACT)

    def rates(t: float, state: list[float], turn: float) -> list[float]:
        # angle p of the centre; it turns by w = -(R - r) p'/r; energy about the place where it touches
        p, speed = state
        normal = m * G * math.cos(p) + m * (R - r) * speed**2
        whole = (m + inertia / r**2) * (R - r)
        return [speed, (-m * G * math.sin(p) - math.copysign(rho * normal / r, turn)) / whole]

    state, time, instants = [start, 0.0], 0.0, []
    while G * math.sin(abs(state[0])) > rho * G * math.cos(state[0]) / r:
        turn = -state[0]

        def stops(t: float, state: list[float], turn: float) -> float:
            return state[1]

        stops.terminal, stops.direction = True, -math.copysign(1, turn)  # type: ignore[attr-defined]
        found = solve_ivp(
            rates, (time, time + 10), state, "DOP853", events=stops, args=(turn,), rtol=1e-12, atol=1e-14
        )  # fmt: skip
        time, state = float(found.t[-1]), [float(found.y[0, -1]), 0.0]
        instants.append(time)
    assert named(run)[-1].endswith("roll -> rest")
    assert [event.time for event in run.events] == pytest.approx(instants, abs=1e-8)
    assert math.atan2(run["disk_x"][-1], -run["disk_y"][-1]) == pytest.approx(state[0], abs=1e-9)


def test_a_loaded_disk_rocks_to_rest_as_a_solver_says() -> None:
    # its normal force pushes it to turn, so that the moment, the force and the motion depend on one another
    r, e, m, inertia, rho, start = 0.5, 0.2, 2.0, 0.2, 0.05, 1.0
    system = detent.System("loaded disk")
    x, y, q = system.coordinates("x", "y", "q")
    hub, frame = system.origin.offset("hub", x * system.ground.x + y * system.ground.y), system.ground.rotated("f", q)
    body = system.body("disk", hub.offset("heavy", -e * frame.y), frame, m, inertia)
    system.gravity(-G * system.ground.y)
    system.start(y=r, q=start)
    law = detent.Coulomb(0.9, rolling=rho)
    system.contact("disk|floor", body.circle(r, at=(0, e)), system.ground.line(), friction=law)
    run = detent.simulate(system, until=30, **EXACT)

    def rates(t: float, state: list[float], turn: float) -> list[float]:
        q, speed = state
        side = math.copysign(rho, turn)
        whole = m * (r * r - 2 * r * e * math.cos(q) + e * e) + inertia + side * m * e * math.sin(q)
        pull = m * r * e * math.sin(q) * speed**2 + m * G * e * math.sin(q)
        return [speed, -(pull + side * m * (G + e * math.cos(q) * speed**2)) / whole]

    def stops(t: float, state: list[float], turn: float) -> float:
        return state[1] * turn

    stops.terminal, stops.direction = True, -1  # type: ignore[attr-defined]
    state, time, instants = [start, 0.0], 0.0, []
    while e * math.sin(abs(state[0])) > rho:
        found = solve_ivp(
            rates, (time, time + 10), state, "DOP853", events=stops, args=(-state[0],), rtol=1e-12, atol=1e-14
        )  # fmt: skip
        time, state = float(found.t[-1]), [float(found.y[0, -1]), 0.0]
        instants.append(time)
    assert len(instants) > 1
    assert [event.time for event in run.events] == pytest.approx(instants, abs=1e-8)
    assert run["q"][-1] == pytest.approx(state[0], abs=1e-9)
    assert named(run)[-1] == "disk|floor: roll -> rest"


def cart() -> detent.System:
    """A chassis of mass 5 on two wheels of mass 1, radius 0.3 and inertia 0.045, all with the resistance 0.02."""
    system = detent.System("cart")
    x, y, pitch = system.coordinates("x", "y", "pitch")
    frame = system.ground.rotated("chassis", pitch)
    centre = system.origin.offset("centre", x * system.ground.x + y * system.ground.y)
    system.body("chassis", centre, frame, 5, 1)
    system.gravity(-G * system.ground.y)
    for name, side in (("rear", -1), ("front", 1)):
        angle = system.coordinates(f"{name}_angle")
        hub = centre.offset(f"{name} hub", side * frame.x - 0.2 * frame.y)
        body = system.body(name, hub, frame.rotated(name, angle), 1, 0.045)
        law = detent.Coulomb(0.8, rolling=0.02)
        system.contact(f"{name}|road", body.circle(0.3), system.ground.line(), friction=law)
    system.start(y=0.5, x_rate=1, rear_angle_rate=-1 / 0.3, front_angle_rate=-1 / 0.3)
    return system


def test_a_cart_slows_by_the_resistance_of_both_its_wheels() -> None:
    run = detent.simulate(cart(), until=1, **EXACT)
    slows = 0.02 * 7 * G / 0.3 / (7 + 2 * 0.045 / 0.3**2)
    assert run["x_rate"][-1] == pytest.approx(1 - slows, rel=1e-11)
    moments = run.contacts["rear|road"].rolling + run.contacts["front|road"].rolling
    assert moments == pytest.approx(0.02 * 7 * G, rel=1e-11)


def test_a_rod_stands_on_its_tip_as_far_from_the_vertical_as_its_resistance_says() -> None:
    def rod(angle: float) -> detent.Run:
        system = detent.System("rod")
        joint = system.planar("rod", system.origin, system.ground)
        body = system.body("rod", joint.point, joint.frame, 1, 1 / 3)
        system.gravity(-G * system.ground.y)
        system.start(rod_x=-math.sin(angle), rod_y=math.cos(angle), rod_angle=angle)
        law = detent.Coulomb(1.5, rolling=0.02)
        system.contact("tip|floor", body.point((0, -1)), system.ground.line(), friction=law)
        return detent.simulate(system, until=1)

    assert rod(0.999 * math.asin(0.02)).mode == "tip|floor: rest"
    assert rod(1.001 * math.asin(0.02)).mode == "tip|floor: pivot"


# -- spinning in space -----------------------------------------------------------------------------------


def spinning_ball(spinning: float, **start: float) -> detent.System:
    system = detent.System("ball")
    joint = system.free("ball", system.origin, system.ground)
    body = system.body("ball", joint.point, joint.frame, 2, (0.2, 0.2, 0.2))
    system.gravity(-G * system.ground.z)
    system.start(ball_z=0.5, **start)
    law = detent.Coulomb(0.3, spinning=spinning)
    system.contact("ball|floor", body.sphere(0.5), system.ground.plane(), friction=law)
    return system


def test_a_ball_stops_spinning_at_its_closed_form_time_and_rolls_on() -> None:
    run = detent.simulate(spinning_ball(0.01, ball_wz=3.0, ball_x_rate=1.0), until=5, **EXACT)
    # a ball that slides first: it rolls at 5/7 of its speed after the time 2 v/(7 mu g); its spin does not know of it
    assert [name for name in named(run) if "independent" not in name] == [
        "ball|floor: slip and spin -> roll and spin",
        "ball|floor: roll and spin -> roll",
    ]
    times = [event.time for event in run.events.of_kind("transition")]
    assert times == pytest.approx([2 / (7 * 0.3 * G), 0.2 * 3 / (0.01 * 2 * G)], rel=1e-11)
    assert run["ball_x_rate"][-1] == pytest.approx(5 / 7, rel=1e-11)
    moment = run.contacts["ball|floor"].spinning
    assert moment[0] == pytest.approx(-0.01 * 2 * G, rel=1e-14)
    assert moment[-1] == pytest.approx(0, abs=1e-12)


# -- what a run tells, keeps and refuses -----------------------------------------------------------------


def test_the_moment_is_a_column_in_files_and_between_nodes(tmp_path: Path) -> None:
    run = detent.simulate(Disk(tilt=0, rho=0.02, mu=0.1, v=3.0).system(), until=9)
    moment = run.contacts["disk|ramp"].rolling
    assert (run["moment of disk|ramp"] == moment).all()
    run.save(tmp_path / "disk.nc")
    assert (detent.load(tmp_path / "disk.nc").contacts["disk|ramp"].rolling == moment).all()
    between = run.value("moment of disk|ramp", times=[1.0, 3.0, 8.5])
    assert between == pytest.approx([0.02 * 2 * G, 0.02 * 2 * G, 0], abs=1e-12)
    assert (run.contacts["disk|ramp"].spinning == 0).all()


@pytest.mark.parametrize("at", [0.5, 2.0, 8.5])
def test_a_run_goes_on_from_a_checkpoint_bit_by_bit(at: float, tmp_path: Path) -> None:
    system = Disk(tilt=0, rho=0.02, mu=0.1, v=3.0).system()
    simulation = detent.Simulation(system, method="rk4", step=0.01)
    simulation.advance(at)
    simulation.checkpoint(tmp_path / "disk.json")
    simulation.advance(9)
    other = detent.resume(system, tmp_path / "disk.json")
    other.advance(9)
    one, two = simulation.result(), other.result()
    assert two.final.time == one.final.time
    assert [two[name][-1] for name in two.layout.names] == [one[name][-1] for name in one.layout.names]
    assert [event for event in one.events if event.time > at] == list(two.events)


def _set_value(content: dict[str, Any], name: str, value: float) -> None:
    content["values"][content["values_layout"].index(name)] = value


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda c: c["contacts"][c["mode"]].update(key=[2, 0.5, 0]),
            "key is 0.5, and whether there is rolling at 'disk|ramp'",
        ),
        (
            lambda c: c["contacts"][c["mode"]].update(key=[0, 1, 0]),
            "key is 1.0, and whether there is rolling at 'disk|ramp'",
        ),
        (lambda c: c["contacts"][c["mode"]].update(key=[2, 0]), "key is a list of 2, and a list of 3"),
        (
            lambda c: _set_value(c, "rolling way of disk|ramp", 0.5),
            "value 'rolling way of disk|ramp' is 0.5, and -1 or 1",
        ),
        (
            lambda c: _set_value(c, "rolling way of disk|ramp", 0.0),
            "value 'rolling way of disk|ramp' is 0.0, and -1 or 1",
        ),
    ],
)
def test_turning_that_cannot_be_is_refused_in_a_checkpoint(change: Any, words: str, tmp_path: Path) -> None:
    system, path = Disk(tilt=0, rho=0.02, mu=0.5, v=1.0, spin=-2.0).system(), tmp_path / "disk.json"
    simulation = detent.Simulation(system)
    simulation.advance(1)
    simulation.checkpoint(path)
    content = {key: value for key, value in json.loads(path.read_text()).items() if key != "digest"}
    change(content)
    path.write_text(json.dumps({**content, "digest": checkpoint._digest(content)}))
    with pytest.raises(detent.DetentError) as caught:
        detent.resume(system, path)
    assert words in str(caught.value)


def test_the_audit_counts_a_moment_beyond_its_bound_by_the_normal_force() -> None:
    one, three = np.ones((1, 1)), np.zeros((1, 1, 3))
    seen = PlaceValues(
        status=2 * one, gap=0 * one, domain=one, thin=0 * one, limit=one, slip=np.zeros((1, 1, 1)), point=three,
        normal=10 * one, friction=np.zeros((1, 1, 1)), force=three, resistance=0.02 * one, pressing=10 * one,
        moment=-0.25 * np.ones((1, 1, 1)), mass=np.ones(1),
    )  # fmt: skip
    inside = dataclasses.replace(seen, moment=0.19 * np.ones((1, 1, 1)))
    assert findings(seen, one > 0, np.zeros(1)).cone_excess(1.0) == pytest.approx((0.25 - 0.2) / 0.02 / 10, rel=1e-12)
    assert findings(inside, one > 0, np.zeros(1)).cone_excess(1.0) == 0.0


def test_resistance_may_be_given_and_taken_away_during_a_run() -> None:
    disk = Disk(tilt=0, rho=0.02, mu=0.5, v=1.0, spin=-2.0)
    simulation = detent.Simulation(disk.system())
    simulation.advance(1.0)
    simulation.contact("disk|ramp", friction=detent.Coulomb(0.5))
    speed = simulation.result()["x_rate"][-1]
    simulation.advance(2.0)
    assert simulation.result()["x_rate"][-1] == pytest.approx(speed, rel=1e-12)
    simulation.contact("disk|ramp", friction=detent.Coulomb(0.5, rolling=0.02))
    simulation.advance(20)
    assert named(simulation.result())[-1] == "disk|ramp: roll -> rest"


def test_resistance_that_jumps_is_settled_there() -> None:
    system = detent.System("zones")
    x, y, angle = system.coordinates("x", "y", "angle")
    ramp = system.ground.rotated("ramp", -0.03)
    hub = system.origin.offset("hub", x * ramp.x + y * ramp.y)
    body = system.body("disk", hub, ramp.rotated("disk", angle), 2, 0.25)
    system.gravity(-G * system.ground.y)
    system.start(y=0.5, x_rate=1, angle_rate=-2)
    law = detent.Coulomb(0.5, rolling=sympy.Piecewise((0.05, x > 1), (0.0, True)))
    system.contact("disk|ramp", body.circle(0.5), ramp.line(), friction=law)
    run = detent.simulate(system, until=60, **EXACT)
    assert named(run) == ["disk|ramp: passes x = 1", "disk|ramp: roll -> rest"]
    whole = 2 + 0.25 / 0.25
    energy = whole / 2 + 2 * G * math.sin(0.03)
    way = energy / (2 * G * (0.05 / 0.5 * math.cos(0.03) - math.sin(0.03)))
    assert run["x"][-1] == pytest.approx(1 + way, rel=1e-11)


@pytest.mark.parametrize(
    ("law", "message"),
    [
        (detent.Coulomb(0.3, rolling=-0.01), "its rolling friction is -0.01"),
        (detent.Coulomb(0.3, spinning=0.01), "in the plane nothing turns about the normal"),
    ],
)
def test_resistance_that_cannot_be_is_refused_by_name(law: detent.Coulomb, message: str) -> None:
    system = detent.System("disk")
    joint = system.planar("disk", system.origin, system.ground)
    body = system.body("disk", joint.point, joint.frame, 1, 1)
    system.start(disk_y=1)
    system.contact("disk|floor", body.circle(1), system.ground.line(), friction=law)
    with pytest.raises(detent.DetentError, match=message):
        detent.simulate(system, until=1)


def test_resistance_of_what_cannot_turn_is_refused() -> None:
    system = detent.System("puck")
    x, y = system.coordinates("x", "y")
    puck = system.particle("puck", system.origin.offset("puck", x * system.ground.x + y * system.ground.y), 1)
    system.contact("puck|ice", puck.point(), system.ground.line(), friction=detent.Coulomb(0.3, rolling=0.1))
    with pytest.raises(detent.DetentError, match="its rolling friction has nothing to resist"):
        detent.simulate(system, until=1)


@pytest.mark.parametrize("formulation", ["penalty", "complementarity", "impulse"])
def test_resistance_is_not_left_out_in_silence_where_contacts_have_no_statuses(formulation: str) -> None:
    system = Disk(tilt=0, rho=0.02, mu=0.5, v=1.0, spin=-2.0).system()
    with pytest.raises(detent.DetentError, match=f"resists rolling or spinning, which the formulation '{formulation}'"):
        detent.simulate(system, until=1, method="rk4", step=1e-4, formulation=formulation)
