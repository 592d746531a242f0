"""A ball and a ring, the edge of a thin disk: how far they are apart has a closed form, wherever the ball is."""

from __future__ import annotations

import math

import numpy as np
import pytest

import detent
from tests.physics.flying_solids import Pair, along, energy, random_flights, sphere_to_ring, two_solids

G = 9.81


@pytest.fixture(scope="module")
def system() -> detent.System:
    return two_solids(lambda one, other, r, R: (one.sphere(r), other.rim(R)), 0.6, r=0.3, R=0.6)


def fly(system: detent.System, seed: int) -> bool:
    """Whether a ball and a ring that fly at one another met; when they do is as NumPy says, and nothing overlaps."""
    random = np.random.default_rng([seed, 41])
    r, R = (float(value) for value in random.uniform((0.1, 0.3), (0.8, 0.9)))
    pair = Pair(*random_flights(random), sphere_to_ring(r, R))
    if pair.apart(0.0) < 0.05:
        return False
    start = pair.one.start("one") | pair.other.start("other")
    run = detent.simulate(system, until=2, start=start, parameters={"r": r, "R": R}, rtol=1e-10)
    struck = run.events.of_kind("impact")
    if pair.meets is None:
        assert not struck or struck[0].time > 2 - 1e-9 or min(pair.apart(event.time) for event in struck[:1]) < 1e-7
        return False
    assert struck[0].time == pytest.approx(pair.meets, abs=1e-9)
    apart = [pair.distance(*both) for both in zip(along(run, "one"), along(run, "other"), strict=True)]
    assert min(apart) > -1e-9
    assert np.diff(energy(run)).max() < 1e-9
    return True


def test_a_ball_meets_a_ring_when_the_closed_form_says(system: detent.System) -> None:
    assert sum(fly(system, seed) for seed in range(20)) > 10


@pytest.mark.slow
def test_thousands_of_balls_meet_rings_when_the_closed_form_says(system: detent.System) -> None:
    assert sum(fly(system, seed) for seed in range(20, 2020)) > 1000


def leaning(lean: float) -> tuple[detent.System, dict[str, float]]:
    """A ring that is held upright, and a ball that rests on its top, off the highest point by an angle."""
    system = detent.System("ball on a hoop")
    joint = system.free("ball", system.origin, system.ground)
    ball = system.body("ball", joint.point, joint.frame, mass=2, inertia=(0.05, 0.05, 0.05))
    system.gravity(-G * system.ground.z)
    system.contact("ball|hoop", ball.sphere(0.25), system.ground.rim(1, along="y"))
    return system, {"ball_x": 1.25 * math.sin(lean), "ball_z": 1.25 * math.cos(lean)}


def test_a_ball_slides_off_a_hoop_where_a_particle_leaves_a_circle() -> None:
    """From rest at the angle a it leaves where cos = 2/3 cos(a), having fallen by a third of its height."""
    system, start = leaning(0.2)
    run = detent.simulate(system, until=3, start=start, rtol=1e-11)
    left = run.events[0]
    assert left.name == "ball|hoop: slip -> open"
    at = np.searchsorted(run.time, left.time)
    assert run.ball_z[at] == pytest.approx(2 / 3 * 1.25 * math.cos(0.2), abs=1e-7)
    assert run.contacts["ball|hoop"].normal[0] == pytest.approx(2 * G * math.cos(0.2), rel=1e-12)


def test_a_ball_on_the_axis_of_a_ring_touches_all_of_it() -> None:
    system = detent.System("ball in a ring")
    joint = system.free("ball", system.origin, system.ground)
    ball = system.body("ball", joint.point, joint.frame, mass=2, inertia=(0.05, 0.05, 0.05))
    system.gravity(-G * system.ground.z)
    system.contact("ball|ring", ball.sphere(1), system.ground.rim(0.6))
    falls = detent.simulate(system, until=3, start={"ball_z": 1.8}, check=False)
    assert falls.outcome.word == "flat-edge"
    assert falls.time[-1] == pytest.approx(math.sqrt(2 / G), abs=1e-9)


def test_a_ball_falls_through_a_ring_that_is_wider() -> None:
    system = detent.System("ball through a ring")
    joint = system.free("ball", system.origin, system.ground)
    ball = system.body("ball", joint.point, joint.frame, mass=2, inertia=(0.05, 0.05, 0.05))
    system.gravity(-G * system.ground.z)
    system.contact("ball|ring", ball.sphere(0.5), system.ground.rim(0.6))
    run = detent.simulate(system, until=1, start={"ball_z": 2, "ball_x": 0.0999})
    assert len(run.events) == 0
    strikes = detent.simulate(system, until=1, start={"ball_z": 2, "ball_x": 0.1001})
    assert strikes.events[0].kind == "impact"


@pytest.mark.parametrize("radius", [0.0, 0.2])
def test_what_is_exactly_above_the_axis_of_a_cylinder_falls_onto_it(radius: float) -> None:
    system = detent.System("ball on a drum")
    joint = system.free("ball", system.origin, system.ground)
    ball = system.body("ball", joint.point, joint.frame, 1, (0.1, 0.1, 0.1))
    system.gravity(-G * system.ground.z)
    shape = ball.sphere(radius) if radius else ball.point()
    system.contact("ball|drum", shape, system.ground.cylinder(0.5, 1))
    run = detent.simulate(system, until=1, start={"ball_z": 0.5 + radius + 0.3})
    assert run.events[0].time == pytest.approx(math.sqrt(0.6 / G), abs=1e-12)
    assert run.ball_z[-1] == pytest.approx(0.5 + radius, abs=1e-12)
