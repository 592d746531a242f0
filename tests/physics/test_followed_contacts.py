"""Contacts of parametric curves and surfaces: the nearest point is followed along the run."""

from __future__ import annotations

import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp

import detent
from detent.dynamics.equations_of_motion import EquationsOfMotion
from detent.dynamics.observation import Observation
from detent.expr.evaluate import evaluate_nodes
from detent.expr.substitute import substitute
from detent.model.contact_measure import contact_measure
from detent.model.shape import Shape
from tests.physics.random_profiles import Case, SecondMethod, random_case, verdict

G = 9.81
s, a, b = sympy.symbols("s a b")
ROUND = (0, 2 * sympy.pi)


def disk_above(make: Any, friction: float | None = None, restitution: float = 0.0, **start: float) -> detent.System:
    """A disk of mass 1 and radius 1/5 above a shape of the ground."""
    system = detent.System("disk")
    joint = system.planar("disk", system.origin, system.ground)
    disk = system.body("disk", joint.point, joint.frame, 1, 0.02)
    system.gravity(-G * system.ground.y)
    system.start(**start)
    law = None if friction is None else detent.Coulomb(friction)
    impact = detent.Poisson(restitution)
    system.contact("disk|curve", disk.circle(0.2), make(system.ground), friction=law, impact=impact)
    return system


def ball_above(make: Any, friction: float | None = None, **start: float) -> detent.System:
    """A ball of mass 1 and radius 1/5 above a shape of the ground."""
    system = detent.System("ball")
    joint = system.free("ball", system.origin, system.ground)
    ball = system.body("ball", joint.point, joint.frame, 1, (0.016,) * 3)
    system.gravity(-G * system.ground.z)
    system.start(**start)
    law = None if friction is None else detent.Coulomb(friction)
    system.contact("ball|surface", ball.sphere(0.2), make(system.ground), friction=law)
    return system


def parametric_circle(carrier: Any) -> Shape:
    made: Shape = carrier.curve(s, sympy.cos(s), sympy.sin(s), ROUND, closed=True)
    return made


# -- the same as a shape with a closed form ----------------------------------------------------------


@pytest.mark.parametrize(("friction", "restitution"), [(None, 0.0), (0.3, 0.4), (5.0, 0.0)])
def test_a_circle_as_a_curve_gives_the_run_of_a_circle(friction: float | None, restitution: float) -> None:
    start = {"disk_x": 0.1, "disk_y": 2.0, "disk_x_rate": 0.3}
    shapes = (lambda ground: ground.circle(1), parametric_circle)
    runs = [detent.simulate(disk_above(make, friction, restitution, **start), until=1.2, rtol=1e-12) for make in shapes]
    one, other = (
        [(event.time, event.name) for event in run.events if event.kind in ("impact", "transition")][:8] for run in runs
    )
    assert [name for _, name in one] == [name for _, name in other]
    assert [time for time, _ in one] == pytest.approx([time for time, _ in other], abs=1e-10)
    for name in ("disk_x", "disk_y", "disk_angle", "disk_x_rate", "disk_y_rate", "disk_angle_rate"):
        assert runs[0][name][-1] == pytest.approx(runs[1][name][-1], abs=1e-10)


def test_a_plane_as_a_surface_gives_the_run_of_a_plane() -> None:
    start = {"ball_x": -0.5, "ball_z": 0.4, "ball_x_rate": 1.0, "ball_y_rate": 0.2}
    shapes = (lambda ground: ground.plane(), lambda ground: ground.surface((a, b), a, b, 0, ((-3, 3), (-3, 3))))
    runs = [detent.simulate(ball_above(make, 0.1, **start), until=1, rtol=1e-11) for make in shapes]
    assert [event.name.split(": ")[1] for event in runs[0].events] == ["open -> slip", "slip -> roll"]
    for one, other in zip(*(run.events for run in runs), strict=True):
        assert one.time == pytest.approx(other.time, abs=1e-10)
    for name in ("ball_x", "ball_y", "ball_wx", "ball_wy"):
        assert runs[0][name][-1] == pytest.approx(runs[1][name][-1], abs=1e-10)


def test_a_followed_gap_has_the_derivatives_of_the_closed_form_along_the_motion() -> None:
    """A circle of radius 1 as a curve and as a circle: the gap, its first and its second rate."""
    system = detent.System("both")
    joint = system.planar("disk", system.origin, system.ground)
    disk = system.body("disk", joint.point, joint.frame, 1, 0.02)
    turning = system.ground.rotated("turning", 0.7 * system.time)
    shapes = (system.ground.circle(1), turning.curve(s, sympy.cos(s), sympy.sin(s), ROUND, closed=True))
    contacts = [system.contact(name, disk.circle(0.2), shape) for name, shape in zip("fg", shapes, strict=True)]
    observation = Observation(EquationsOfMotion(system))
    at = {"disk_x": 1.3, "disk_y": 0.8, "disk_angle": 0.4, "disk_x_rate": 0.6, "disk_y_rate": -0.9, "t": 0.3}
    at |= {"disk_angle_rate": 2.0, "rate of disk_x_rate": 0.2, "rate of disk_y_rate": -3.0}
    at |= {"rate of disk_angle_rate": 0.5, "s of g": math.atan2(0.8, 1.3) - 0.7 * 0.3}
    found = []
    for contact in contacts:
        nodes = observation.along_motion(observation.node(contact_measure(system, contact, 0, "gap")))[:3]
        for _ in range(3):  # leaves stand for values that hold leaves
            nodes = [substitute(node, observation.quantities.bound) for node in nodes]
        found.append(evaluate_nodes(nodes, at))
    assert found[1] == pytest.approx(found[0], abs=1e-13)


# -- against explicit models -------------------------------------------------------------------------


@pytest.mark.parametrize("shape", ["parabola", "cosine"])
def test_a_disk_that_rolls_on_a_graph_obeys_the_equation_of_one_coordinate(shape: str) -> None:
    """(1 + 1/2) (P'.P' s'' + P'.P'' s'^2) = -g P'_y, with P = c + r n the path of the centre."""
    height = s**2 / 2 if shape == "parabola" else -sympy.cos(s) / 2
    slope = sympy.diff(height, s)
    path = [s - 0.2 * slope / sympy.sqrt(1 + slope**2), height + 0.2 / sympy.sqrt(1 + slope**2)]
    functions = sympy.lambdify(s, [sympy.diff(part, s, k) for k in range(3) for part in path])

    def rates(t: float, x: Any) -> list[float]:
        _, _, px, py, qx, qy = functions(x[0])
        return [x[1], (-G * py / 1.5 - (px * qx + py * qy) * x[1] ** 2) / (px * px + py * py)]

    expected = solve_ivp(rates, (0, 3), [0.9, 0.0], method="DOP853", rtol=1e-13, atol=1e-13).y[0, -1]
    x, y = functions(0.9)[:2]
    system = disk_above(lambda ground: ground.curve(s, s, height, (-2, 2)), 3.0, disk_x=x, disk_y=y)
    run = detent.simulate(system, until=3, rtol=1e-11)
    assert {visit.mode for visit in run.modes} == {"disk|curve side: roll"}
    assert run["s of disk|curve side"][-1] == pytest.approx(expected, abs=1e-9)
    assert np.abs(run.contacts["disk|curve"]["side"].gap).max() < 1e-14
    assert np.abs(run.contacts["disk|curve"]["side"].slip).max() < 1e-12


def test_a_ball_circles_in_a_paraboloid() -> None:
    """Without friction a ball stays at one height where v^2 = g rho tan(slope), rho the radius of its centre's path."""
    at, slope = 0.8, 0.4
    sine, cosine = slope / math.hypot(1, slope), 1 / math.hypot(1, slope)
    rho, height = at - 0.2 * sine, at**2 / 4 + 0.2 * cosine
    start = {"ball_x": rho, "ball_z": height, "ball_y_rate": math.sqrt(G * rho * slope)}
    bowl = lambda ground: ground.surface((a, b), a, b, (a**2 + b**2) / 4, ((-2, 2), (-2, 2)))  # noqa: E731
    run = detent.simulate(ball_above(bowl, **start), until=5, rtol=1e-11)
    assert np.hypot(run["ball_x"], run["ball_y"]) == pytest.approx(rho, abs=1e-8)
    assert run["ball_z"] == pytest.approx(height, abs=1e-8)
    assert np.hypot(run["a of ball|surface"], run["b of ball|surface"]) == pytest.approx(at, abs=1e-8)
    assert run.contacts["ball|surface"].normal[-1] == pytest.approx(G / cosine, abs=1e-7)


def test_a_ball_runs_round_inside_a_torus() -> None:
    """At a tilt phi of the tube v^2 = g rho tan(phi), rho = R + (a - r) sin(phi)."""
    phi = 0.5
    rho = 2 + 0.3 * math.sin(phi)
    start = {"ball_x": rho, "ball_z": -0.3 * math.cos(phi), "ball_y_rate": math.sqrt(G * rho * math.tan(phi))}
    ring = 2 + sympy.cos(b) / 2

    def inside(ground: Any) -> Any:
        place = (ring * sympy.cos(a), ring * sympy.sin(a), sympy.sin(b) / 2)
        return ground.surface((b, a), *place, (ROUND, ROUND), closed=(True, True))

    run = detent.simulate(ball_above(inside, **start), until=3, rtol=1e-11)
    assert np.hypot(run["ball_x"], run["ball_y"]) == pytest.approx(rho, abs=1e-8)
    assert run["a of ball|surface"][-1] > 2 * math.pi / 3
    assert run.contacts["ball|surface"].normal[-1] == pytest.approx(G / math.cos(phi), abs=1e-7)


def test_an_ellipse_turns_under_a_plate_as_a_cam() -> None:
    """A plate on an ellipse that turns is as high as the ellipse reaches: sqrt(p^2 sin^2 + q^2 cos^2)."""
    system = detent.System("cam")
    y = system.coordinates("y")
    plate = system.body("plate", system.origin.offset("plate", y * system.ground.y), system.ground, 1, 1)
    cam = system.ground.rotated("cam", system.time)
    system.gravity(-G * system.ground.y)
    system.start(y=0.6)
    ellipse = cam.curve(s, sympy.cos(s), 0.6 * sympy.sin(s), ROUND, closed=True)
    system.contact("plate|cam", plate.line(along="-x"), ellipse)
    run = detent.simulate(system, until=5, rtol=1e-11)
    assert run["y"] == pytest.approx(np.hypot(np.sin(run.time), 0.6 * np.cos(run.time)), abs=1e-9)


def test_two_ellipses_meet_where_they_are_nearest() -> None:
    system = detent.System("ellipses")
    joint = system.planar("egg", system.origin, system.ground)
    egg = system.body("egg", joint.point, joint.frame, 1, 0.2)
    system.gravity(-G * system.ground.y)
    system.start(egg_y=2.0, egg_angle_rate=0.0)
    ellipses = [each.curve(s, sympy.cos(s), 0.6 * sympy.sin(s), ROUND, closed=True) for each in (egg, system.ground)]
    system.contact("egg|egg", *ellipses)
    run = detent.simulate(system, until=0.6, rtol=1e-11)
    assert run.events[0].time == pytest.approx(math.sqrt(2 * (2.0 - 1.2) / G), abs=1e-11)
    assert run["s of egg|egg first"][-1] == pytest.approx(-math.pi / 2 % (2 * math.pi), abs=1e-9)


def test_a_disk_rolls_along_a_path_drawn_by_points() -> None:
    """Gillespie et al. 2006, Example 2: a path given by points that a user draws."""
    drawn = np.array([(-2.5, 2.2), (-1.6, 1.0), (-0.7, 0.35), (0.2, 0.15), (1.1, 0.5), (1.9, 0.9), (2.6, 2.0)])
    case = Case(drawn, 0.1, "roll", np.array([-1.0, 0.9]), np.array([0.0, 0.0]), until=1.5)
    answer = SecondMethod(case).run()
    run = detent.simulate(case.system(), until=1.5, rtol=1e-11)
    assert run.events[0].time == pytest.approx(answer.events[0], abs=1e-10)
    assert (run.final.disk_x, run.final.disk_y) == pytest.approx(tuple(answer.place), abs=1e-9)


# -- what happens to nearest points ------------------------------------------------------------------


def test_a_contact_that_leaves_its_curve_is_an_event() -> None:
    """A disk rolls off the end of a straight curve at a known time and falls on from there."""
    system = disk_above(lambda ground: ground.curve(s, 2 * s, 0, (-1, 1)), disk_x=1.0, disk_y=0.2, disk_x_rate=2.0)
    run = detent.simulate(system, until=1)
    (event,) = [event for event in run.events if event.name == "disk|curve side: slip -> slip" or "open" in event.name]
    assert event.time == pytest.approx(0.5, abs=1e-12)


def test_a_disk_comes_from_beyond_the_end_of_a_curve() -> None:
    """What is nearest beyond the end is followed straight on, so that nothing is missed when it comes back."""
    flat = lambda ground: ground.curve(s, s, 0 * s, (0, 9))  # noqa: E731
    system = disk_above(flat, disk_x=-3.0, disk_y=1.2, disk_x_rate=10.0)
    run = detent.simulate(system, until=0.7)
    assert run["s of disk|curve side"][0] == pytest.approx(-3.0, abs=1e-12)
    assert run.events[0].name == "disk|curve side: open -> slip"
    assert run.events[0].time == pytest.approx(math.sqrt(2 / G), abs=1e-12)


def test_a_disk_that_flies_over_waves_is_nearest_to_one_after_another() -> None:
    waves = lambda ground: ground.curve(s, s, sympy.cos(3 * s) / 2, (-20, 20))  # noqa: E731
    system = disk_above(waves, None, 1.0, disk_x=0.3, disk_y=3.0, disk_x_rate=3.0)
    run = detent.simulate(system, until=3, rtol=1e-10)
    kinds = Counter(event.kind for event in run.events)
    assert kinds["nearest"] >= 3
    assert kinds["impact"] >= 2
    assert run.audit.smallest_gap > -1e-12
    assert run.audit.energy_balance < 1e-12
    u = np.linspace(-12, 12, 48001)
    for time in np.linspace(0, 3, 301):
        there = run.at(time)
        squares = (u - there.disk_x) ** 2 + (np.cos(3 * u) / 2 - there.disk_y) ** 2
        assert math.sqrt(squares.min()) - 0.2 > -1e-6


@pytest.mark.parametrize("seed", [1, 5])
def test_a_ball_that_flies_over_bumps_in_space_does_not_pass_through_them(seed: int) -> None:
    start = np.random.default_rng(seed).uniform(-1.5, 1.5, 4)
    system = detent.System("ball")
    x, y, z = system.coordinates("x", "y", "z")
    ground = system.ground
    place = system.origin.offset("place", x * ground.x + y * ground.y + z * ground.z)
    ball = system.particle("ball", place, 1)
    system.gravity(-G * ground.z)
    system.start(x=start[2], y=start[3], z=2.0, x_rate=start[0], y_rate=start[1])
    bumps = ground.surface((a, b), a, b, 0.3 * sympy.cos(2 * a) * sympy.cos(2 * b), ((-8, 8), (-8, 8)))
    system.contact("ball|bumps", ball.sphere(0.15), bumps, impact=detent.Poisson(1))
    run = detent.simulate(system, until=1.5)
    assert {event.kind for event in run.events} == {"impact", "nearest"}
    assert run.audit.energy_balance < 1e-12
    across, up = np.meshgrid(np.linspace(-6, 6, 601), np.linspace(-6, 6, 601))
    height = 0.3 * np.cos(2 * across) * np.cos(2 * up)
    for time in np.linspace(0, 1.5, 61):
        there = run.at(time)
        squares = (across - there.x) ** 2 + (up - there.y) ** 2 + (height - there.z) ** 2
        assert math.sqrt(squares.min()) - 0.15 > -1e-6


@pytest.mark.parametrize("options", [{"formulation": "multipliers"}, {"embedding": "numeric"}, {"embedding": "live"}])
def test_every_way_to_run_follows_nearest_points(options: dict[str, Any]) -> None:
    def system() -> detent.System:
        return disk_above(lambda g: g.curve(s, s, s**2 / 2, (-2, 2)), 0.3, 0.5, disk_x=0.7, disk_y=1.5)

    expected = detent.simulate(system(), until=1.5, rtol=1e-11)
    run = detent.simulate(system(), until=1.5, rtol=1e-11, **options)
    assert run["disk_x"][-1] == pytest.approx(expected["disk_x"][-1], abs=1e-8)
    assert run["s of disk|curve side"][-1] == pytest.approx(expected["s of disk|curve side"][-1], abs=1e-8)


# -- bad input ---------------------------------------------------------------------------------------


def refused(system: detent.System, **options: Any) -> str:
    with pytest.raises(detent.DetentError) as caught:
        detent.simulate(system, until=1, **options)
    return str(caught.value)


def test_a_curve_that_stands_still_is_refused() -> None:
    told = refused(disk_above(lambda ground: ground.curve(s, s**3, s**2, (-1, 1)), disk_y=2.0))
    assert "it stands still at s = 0, so that it has no normal there" in told
    told = refused(disk_above(lambda ground: ground.curve(s, s, sympy.sqrt(s), (-1, 1)), disk_y=2.0))
    assert "it has no point or no slope at s = -1" in told


def test_a_start_with_two_nearest_points_is_refused_unless_one_is_named() -> None:
    valley = lambda ground: ground.curve(s, s, 3 * s**2, (-1, 1))  # noqa: E731
    told = refused(disk_above(valley, disk_y=1.3))
    assert "several points of its curve or surface are equally near" in told
    assert "s of disk|curve side = -0.614636 and s of disk|curve side = 0.614636" in told
    system = disk_above(valley, disk_y=1.3)
    simulation = detent.Simulation(system, start={"s of disk|curve side": 0.5})
    simulation.advance(0.01)
    assert simulation.result()["s of disk|curve side"][0] == pytest.approx(0.6146363, abs=1e-6)


def test_a_start_in_the_middle_of_a_circle_is_refused() -> None:
    hollow = lambda ground: ground.curve(s, sympy.cos(s), sympy.sin(s), ROUND, closed=True, inside=True)  # noqa: E731
    assert "no point of its curve or surface is nearer than all around it" in refused(disk_above(hollow))


def test_a_disk_that_touches_in_two_places_is_refused_with_pair_and_place() -> None:
    valley = lambda ground: ground.curve(s, s, 3 * s**2, (-1, 1))  # noqa: E731
    told = refused(disk_above(valley, disk_x=0.4, disk_y=1.3))
    assert "contact 'disk|curve side' is followed at s of disk|curve side = " in told
    assert "its shapes are to touch at another place too" in told


def test_two_pieces_of_a_curve_hold_a_disk_in_two_places() -> None:
    """What the message above advises: y = 3 s^2 holds a disk of radius 1/5 at s = +-sqrt(r^2 - 1/36)."""
    system = disk_above(lambda ground: ground.curve(s, s, 3 * s**2, (0, 1)), 0.5, disk_x=0.05, disk_y=1.0)
    disk = system.bodies["disk"]
    left = system.ground.curve(s, s, 3 * s**2, (-1, 0))
    system.contact("disk|left", disk.circle(0.2), left, friction=detent.Coulomb(0.5))
    run = detent.simulate(system, until=2)
    touch = math.sqrt(0.04 - 1 / 36)
    assert run.final.disk_y == pytest.approx(3 * touch**2 + 1 / 6, abs=1e-9)
    assert run.final.disk_x == pytest.approx(0, abs=1e-9)


# -- random profiles ---------------------------------------------------------------------------------


def test_disks_on_random_profiles_go_where_a_second_method_says() -> None:
    verdicts = [verdict(random_case(7, number)) for number in (0, 1, 2, 11, 33)]
    assert not [told for told in verdicts if told.startswith("wrong")]
    assert verdicts.count("right") >= 3


@pytest.mark.slow
@pytest.mark.parametrize("part", range(10))
def test_many_disks_on_random_profiles_go_where_a_second_method_says(part: int) -> None:
    verdicts = {number: verdict(random_case(7, number)) for number in range(30 * part, 30 * part + 30)}
    print(Counter(told.split(":")[0] for told in verdicts.values()))
    assert not {number: told for number, told in verdicts.items() if told.startswith("wrong")}
