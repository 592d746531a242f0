"""A coefficient that leaves its range while shapes touch ends the run there: friction that is negative would drive."""

from __future__ import annotations

import math
from typing import Any

import pytest
import sympy

import detent

G = 9.81


def disk(friction: detent.Coulomb, system: detent.System, speed: float, spin: float = 0.0) -> detent.Run:
    joint = system.planar("disk", system.origin, system.ground)
    body = system.body("disk", joint.point, joint.frame, mass=1, inertia=0.1)
    system.gravity(-G * system.ground.y)
    system.start(disk_y=0.5, disk_x_rate=speed, disk_angle_rate=spin)
    system.contact("disk|floor", body.circle(0.5), system.ground.line(), friction=friction)
    return detent.simulate(system, until=1, check=False)


def ends_by_law(run: detent.Run, time: float) -> None:
    assert run.outcome.word == "forbidden"
    assert run.time[-1] == pytest.approx(time, abs=1e-9)
    for words in ("contact 'disk|floor", "out of its range", "friction must not be negative"):
        assert words in run.message


def test_friction_that_falls_to_zero_along_the_way_ends_a_slide_there() -> None:
    """x'' = -(mu - x) g from x = 0 with v: x = mu where tanh(k t) = mu k/v, with k^2 = g."""
    system = detent.System("disk")
    joint = system.planar("block", system.origin, system.ground)
    block = system.body("block", joint.point, joint.frame, mass=1, inertia=0.1)
    system.gravity(-G * system.ground.y)
    system.start(block_x_rate=2, block_y=0.2)
    shape = block.polygon((-1, -0.2), (1, -0.2), (1, 0.2), (-1, 0.2))
    friction = detent.Coulomb(0.3 - system["block_x"])
    system.contact("disk|floor", shape, system.ground.line(), friction=friction)
    run = detent.simulate(system, until=1, check=False)
    k = math.sqrt(G)
    ends_by_law(run, math.atanh(0.3 * k / 2) / k)


@pytest.mark.parametrize(
    ("kinetic", "more", "ends"),
    [
        (lambda t: 0.3 - t, {}, 0.3),
        (lambda t: 0.2, {"static": lambda t: 0.5 - t}, 0.3),
        (lambda t: 0.5, {"rolling": lambda t: 0.05 - t / 10}, 0.5),
    ],
)
def test_a_law_of_time_ends_a_roll_where_it_leaves_its_range(kinetic: Any, more: dict[str, Any], ends: float) -> None:
    system = detent.System("disk")
    law = detent.Coulomb(kinetic(system.time), **{name: each(system.time) for name, each in more.items()})
    ends_by_law(disk(law, system, speed=2, spin=-4), ends)


@pytest.mark.parametrize("space", [False, True])
def test_laws_that_stay_in_their_ranges_go_on(space: bool) -> None:
    """Friction that touches zero, or falls with the speed of slip, which has no rate at its end in space."""
    system = detent.System("disk")
    fading = 0.2 + 0.1 * sympy.exp(-system.slip_speed)
    if not space:
        assert (
            disk(detent.Coulomb((system.time - sympy.Rational(1, 2)) ** 2 / 2), system, speed=3).outcome.word
            == "completed"
        )
        return
    joint = system.free("ball", system.origin, system.ground)
    ball = system.body("ball", joint.point, joint.frame, mass=1, inertia=(0.1, 0.1, 0.1))
    system.gravity(-G * system.ground.z)
    system.start(ball_z=0.5, ball_x_rate=2)
    system.contact("ball|floor", ball.sphere(0.5), system.ground.plane(), friction=detent.Coulomb(fading, static=0.3))
    run = detent.simulate(system, until=1)
    assert [event.name for event in run.events] == ["ball|floor: slip -> roll"]


def test_coefficients_count_where_shapes_touch() -> None:
    """In flight a law may give anything."""
    system = detent.System("disk")
    joint = system.planar("disk", system.origin, system.ground)
    body = system.body("disk", joint.point, joint.frame, mass=1, inertia=0.1)
    system.gravity(-G * system.ground.y)
    system.start(disk_y=2.5)
    friction = detent.Coulomb(system.time - sympy.Rational(1, 2))
    system.contact("disk|floor", body.circle(0.5), system.ground.line(), friction=friction)
    assert detent.simulate(system, until=1).outcome.word == "completed"
