"""Contacts, from shapes to the right mode: closed forms of bounces, slopes, boxes, grooves and rolling spheres."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sympy import Piecewise, exp, pi

import detent
from tests.physics.contact_scenes import G, ball, block, box, cube, groove, sphere


def names(run: detent.Run) -> list[str]:
    return [event.name for event in run.events if event.kind in ("transition", "impact", "zeno")]


def disk_on_ramp() -> detent.System:
    """The disk of the gallery, with a contact in place of the automaton."""
    system = detent.System("disk on a ramp")
    x, y, q = system.coordinates("x", "y", "q")
    ramp = system.ground.rotated("ramp", pi / 12)
    hub = system.origin.offset("hub", x * ramp.x + y * ramp.y)
    disk = system.body("disk", hub, ramp.rotated("disk", q), 1, 0.5)
    system.gravity(-9.8 * system.ground.y)
    system.start(x=14, y=1, q=0, x_rate=7, y_rate=0, q_rate=-4)
    friction = detent.Coulomb(Piecewise((0.2, x < 22), (0, True)))
    system.contact("disk|ramp", disk.circle(1), ramp.line(), friction=friction, impact=detent.Poisson(0))
    return system


def test_a_disk_slides_and_rolls_as_in_its_explicit_automaton() -> None:
    run, explicit = detent.simulate(disk_on_ramp(), until=7), detent.example("disk-on-ramp").simulate()
    assert names(run) == [
        "disk|ramp: slip -> roll",
        "disk|ramp: passes x = 22, disk|ramp: roll -> slip",
        "disk|ramp: passes x = 22",
        "disk|ramp: slip -> roll",
    ]
    times = [event.time for event in explicit.events.of_kind("transition")]
    assert [event.time for event in run.events.of_kind("transition")] == pytest.approx(times, abs=1e-11)
    assert run.x[-1] == pytest.approx(explicit.q1[-1], abs=1e-10)


def test_bounces_come_at_their_times_and_come_to_rest() -> None:
    """Bounces of a ball with restitution e accumulate at t1 (1 + e)/(1 - e), t1 the time of the first."""
    run = detent.simulate(ball(0.5), until=2)
    first = math.sqrt(2 / G)
    bounces = run.events.of_kind("impact")
    expected = [first * (1 + 2 * sum(0.5**k for k in range(1, n))) for n in range(1, 11)]
    assert [event.time for event in bounces][:10] == pytest.approx(expected, abs=1e-12)
    (rest,) = run.events.of_kind("zeno")
    assert rest.time == pytest.approx(3 * first, abs=1e-12)
    assert rest.name == "ball|floor: open -> slip"
    assert run.y[-1] == pytest.approx(0.0, abs=1e-15)
    assert run.y_rate[-1] == 0.0


@pytest.mark.parametrize("tilt", [0.1, 0.3, 1.0])
def test_inside_the_cone_a_body_stays_where_it_is_exactly(tilt: float) -> None:
    run = detent.simulate(block(detent.Coulomb(math.tan(tilt) * (1 + 1e-9)), tilt), until=1e6)
    assert run.mode == "block|slope: stick"
    assert np.all(run.x == 0.0)


@pytest.mark.parametrize("tilt", [0.0, 0.3])
def test_so_does_a_cube_whose_corners_share_their_forces(tilt: float) -> None:
    run = detent.simulate(cube(0.1, 0.5, tilt), until=1e6)
    for name in (*(f"cube_{axis}" for axis in "xyz"), *(f"cube_q{part}" for part in "wxyz")):
        assert np.all(run[name] == run[name][0])


@pytest.mark.parametrize("tilt", [0.1, 0.3, 1.0])
def test_outside_the_cone_it_slips(tilt: float) -> None:
    friction = math.tan(tilt) * (1 - 1e-9)
    run = detent.simulate(block(detent.Coulomb(friction), tilt), until=10)
    assert run.mode == "block|slope: slip"
    acceleration = -G * (math.sin(tilt) - friction * math.cos(tilt))
    assert run.x[-1] == pytest.approx(50 * acceleration, rel=1e-6)


@pytest.mark.parametrize(("friction", "ends"), [(0.2, "block|slope: slip turns"), (0.5, "block|slope: slip -> stick")])
def test_a_block_thrown_up_a_slope_stops_there_or_comes_back(friction: float, ends: str) -> None:
    tilt, speed = 0.3, 3.0
    run = detent.simulate(block(detent.Coulomb(friction), tilt, speed), until=2)
    (event,) = run.events.of_kind("transition")
    assert event.name == ends
    assert event.time == pytest.approx(speed / (G * (math.sin(tilt) + friction * math.cos(tilt))), abs=1e-12)


def test_static_friction_holds_more_than_kinetic() -> None:
    """A growing push: slip begins at static friction, and then kinetic friction acts."""
    system = block(detent.Coulomb(0.3, static=0.5), 0.0)
    system.force("push", system.bodies["block"].center, system.time * system.ground.x)
    run = detent.simulate(system, until=8)
    (event,) = run.events.of_kind("transition")
    assert event.name == "block|slope: stick -> slip"
    assert event.time == pytest.approx(0.5 * G, abs=1e-12)
    passed = 8 - 0.5 * G
    speed = (64 - (0.5 * G) ** 2) / 2 - 0.3 * G * passed
    assert run.x_rate[-1] == pytest.approx(speed, rel=1e-11)


def test_static_friction_may_be_what_kinetic_friction_comes_to_at_rest_whatever_rounding_makes_of_it() -> None:
    """0.9 * 0.6 + 0.9 * 0.4 is more than 0.9, by a unit of the last place."""
    system = detent.System("block")
    x, y = system.coordinates("x", "y")
    body = system.particle("block", system.origin.offset("place", x * system.ground.x + y * system.ground.y), 1)
    system.gravity(-G * system.ground.y)
    system.start(x_rate=1)
    falls = 0.9 * 0.6 + 0.9 * 0.4 * exp(-system.slip_speed)
    system.contact("block|floor", body.point(), system.ground.line(), friction=detent.Coulomb(falls, static=0.9))
    (stops,) = detent.simulate(system, until=1).events
    assert stops.name == "block|floor: slip -> stick"


def test_a_flat_box_lands_on_both_corners_at_once_and_rests() -> None:
    run = detent.simulate(box(1.0, 0.5, 0.5, box_y=1.0), until=2)
    event = run.events.of_kind("impact")[0]
    assert event.name == "box|slope corner 1: open -> stick, box|slope corner 2: open -> stick"
    assert event.time == pytest.approx(math.sqrt(2 * 0.75 / G), abs=1e-12)
    assert event.details["impulse of box|slope corner 1.normal"] == pytest.approx(
        event.details["impulse of box|slope corner 2.normal"], rel=1e-12
    )
    assert run.box_angle[-1] == pytest.approx(0.0, abs=1e-15)


def test_a_box_thrown_along_the_floor_stops_on_both_corners() -> None:
    run = detent.simulate(box(1.0, 0.2, 0.3, box_x_rate=3.0), until=3)
    (event,) = run.events.of_kind("transition")
    assert event.name == "box|slope corner 1: slip -> stick, box|slope corner 2: slip -> stick"
    assert event.time == pytest.approx(3.0 / (0.3 * G), abs=1e-12)
    assert run.box_x[-1] == pytest.approx(4.5 / (0.3 * G), abs=1e-10)


def test_a_cube_thrown_along_a_plane_stops_where_it_should() -> None:
    run = detent.simulate(cube(0.1, 0.5, cube_x_rate=6.0), until=2)
    (event,) = run.events.of_kind("transition")
    assert event.time == pytest.approx(1.22324159021, abs=1e-11)
    assert run.cube_x[-1] == pytest.approx(3.66972477064, abs=1e-10)
    assert np.abs(run.cube_z - 0.05).max() < 1e-14


def test_a_disk_dropped_into_a_groove_rests_on_both_faces() -> None:
    run = detent.simulate(groove(math.pi / 4, 0.5, disk_x=0.1, disk_y=2.0), until=3)
    assert run.mode == "disk|left: roll, disk|right: roll"
    assert run.disk_x[-1] == pytest.approx(0.0, abs=1e-12)
    assert run.disk_y[-1] == pytest.approx(0.5 * math.sqrt(2), abs=1e-12)


@pytest.mark.parametrize("tilt", [0.0, 0.2])
@pytest.mark.parametrize("spin", [(0.0, -5.0, 2.0), (3.0, 4.0, -1.0), (0.0, 0.0, 0.0)])
def test_a_sphere_slides_until_it_rolls(tilt: float, spin: tuple[float, float, float]) -> None:
    """On a level plane the slip falls at mu g (1 + m r^2/J), in its direction; rolling goes on as it is."""
    start = dict(zip(("ball_wx", "ball_wy", "ball_wz"), spin, strict=True))
    run = detent.simulate(sphere(0.3, tilt=tilt, ball_x_rate=3.0, ball_y_rate=1.0, **start), until=2, rtol=1e-12)
    (event,) = run.events.of_kind("transition")
    assert event.name == "ball|plane: slip -> roll"
    slip = np.array([3.0, 1.0, 0.0]) + np.cross(spin, [0.0, 0.0, -0.5])
    if tilt == 0.0:
        ends = float(np.linalg.norm(slip)) / (0.3 * G * (1 + 0.25 / 0.1))
        assert event.time == pytest.approx(ends, abs=1e-11)
        assert (run.ball_x_rate[-1], run.ball_y_rate[-1]) == pytest.approx(
            tuple(np.array([3.0, 1.0]) - 0.3 * G * ends * slip[:2] / np.linalg.norm(slip)), abs=1e-10
        )
    else:  # a sphere rolls down with m g sin / (m + J/r^2)
        late = run.time > event.time
        speeds, times = run.ball_x_rate[late], run.time[late]
        assert (speeds[-1] - speeds[0]) / (times[-1] - times[0]) == pytest.approx(
            G * math.sin(tilt) / (1 + 0.1 / 0.25), rel=1e-10
        )


def test_shapes_that_overlap_at_the_start_are_refused_with_their_depth() -> None:
    with pytest.raises(detent.DetentError, match=r"contact 'ball\|floor': its shapes overlap by 0\.25 m"):
        detent.simulate(ball(0.5, height=-0.25), until=1)


@pytest.mark.parametrize("speed", [2.0, 1.7, 1.0, 0.93])
@pytest.mark.parametrize("ulps", [-2, -1, 0, 1, 2, 40])
def test_a_block_that_turns_on_the_edge_of_a_zone_slides_back_by_the_law_it_came_with(speed: float, ulps: int) -> None:
    """It slows by 3 + 2 m/s^2, turns at v^2/10, and slides back by 3 - 2 for a second.

    Rounding of the place where it turns, some 1e-16 m, is some 1e-8 s of the time at which it is off the edge again.
    """
    edge = speed**2 / 10 * (1 + ulps * 2.0**-52)
    system = detent.System("block")
    x, y = system.coordinates("x", "y")
    block = system.particle("block", system.origin.offset("b", x * system.ground.x + y * system.ground.y), mass=1)
    system.gravity(-3 * system.ground.x - 8 * system.ground.y)
    system.start(x_rate=speed)
    law = detent.Coulomb(Piecewise((0.35, x > edge), (0.25, True)))
    system.contact("block|floor", block.point(), system.ground.line(), friction=law)
    run = detent.simulate(system, until=speed / 5 + 1)
    assert run.final.x == pytest.approx(speed**2 / 10 - 0.5, abs=10 * math.sqrt(2.0**-52))


@pytest.mark.parametrize("throw", [3.0, -3.0])
def test_a_law_of_the_approach_speed_is_not_asked_for_speeds_of_parting(throw: float) -> None:
    """0.8 exp(-v/3) would be above 1 where a ball parts at more than 0.67 m/s; it is asked where it meets the floor."""
    system = detent.System("ball")
    y = system.coordinates(y=1)
    ball = system.particle("ball", system.origin.offset("ball", y * system.ground.y), mass=1)
    system.gravity(-9.81 * system.ground.y)
    system.start(y_rate=throw)
    law = detent.Poisson(0.8 * exp(-system.approach_speed / 3))
    system.contact("ball|floor", ball.point(), system.ground.line(), impact=law)
    run = detent.simulate(system, until=1.2, rtol=1e-12)
    meets = math.sqrt(throw**2 + 2 * 9.81)
    first, second = run.events[:2]
    assert first.time == pytest.approx((throw + meets) / 9.81, abs=1e-11)
    assert second.time - first.time == pytest.approx(2 * 0.8 * math.exp(-meets / 3) * meets / 9.81, abs=1e-11)


def test_a_coefficient_counts_where_its_contact_touches() -> None:
    """Friction 0.3 x is none where x is negative; the block flies there, and lands beyond."""
    system = detent.System("block")
    x, y = system.coordinates(x=-1, y=1)
    block = system.particle("block", system.origin.offset("block", x * system.ground.x + y * system.ground.y), mass=1)
    system.gravity(-9.81 * system.ground.y)
    system.start(x_rate=4.0)
    system.contact("block|floor", block.point(), system.ground.line(), friction=detent.Coulomb(0.3 * x))
    run = detent.simulate(system, until=0.5, rtol=1e-12)
    falls = math.sqrt(2 / 9.81)
    lands = -1 + 4 * falls
    assert [event.time for event in run.events] == pytest.approx([falls], abs=1e-11)
    # Without restitution the impulse is that of the fall, and friction takes its part; then x'' = -0.3 g x.
    slides, often = 4 - 0.3 * lands * 9.81 * falls, math.sqrt(0.3 * 9.81)
    later = often * (0.5 - falls)
    assert run.final.x == pytest.approx(lands * math.cos(later) + slides / often * math.sin(later), abs=1e-10)
    system.start(x=-3.0)  # it would land where its friction is negative
    with pytest.raises(detent.SimulationError, match=r"contact 'block\|floor': a coefficient of its laws"):
        detent.simulate(system, until=0.5)
