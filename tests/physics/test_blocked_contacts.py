"""Shapes that are driven into what constraints hold: where something can give way it does, else it is said what cannot.

A disk, or a ball, is held to a straight line or to its place by constraints at random angles, and a wall comes at a
speed w. Held to a line with direction d it is carried along: n . (s d) = w, n being the wall's normal. Held to its
place, nothing moves: the run ends where the wall touches.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import detent

RADIUS, AWAY = 0.1, 0.5


def walled(seed: int, held_to: str) -> tuple[detent.System, float, np.ndarray, float]:
    """A disk that is held to a ``line`` or a ``place``; the wall's speed, the line, and what the wall makes of it."""
    random = np.random.default_rng(seed)
    speed, mass = random.uniform(0.2, 3.0), random.uniform(0.1, 10.0)
    system = detent.System("held disk")
    x, y, turn = system.coordinates("x", "y", "turn")
    center = system.origin.offset("center", x * system.ground.x + y * system.ground.y)
    disk = system.body("disk", center, system.ground.rotated("disk", turn), mass, mass * RADIUS**2 / 2)
    first, angle = random.uniform(0.0, 2 * math.pi, 2)
    line = np.array([-math.sin(first), math.cos(first)])
    system.constrain("first", x * math.cos(first) + y * math.sin(first))
    if held_to == "place":
        second = first + random.uniform(0.3, 2.8)
        system.constrain("second", random.uniform(0.1, 9.0) * (x * math.cos(second) + y * math.sin(second)))
    wall = system.ground.rotated("wall", angle)
    corner = system.origin.offset("corner", (speed * system.time - AWAY) * wall.y)
    friction = [None, detent.Coulomb(random.uniform(0.05, 0.2))][random.integers(2)]
    system.contact("disk|wall", disk.circle(RADIUS), wall.line(at=corner), friction=friction, impact=detent.Plastic())
    return system, speed, line, float(line @ np.array([-math.sin(angle), math.cos(angle)]))


def check_carried(seed: int) -> bool:
    """Whether the wall meets the line steeply enough for friction not to hold the disk; it is carried then."""
    system, speed, line, along = walled(seed, "line")
    if abs(along) < 0.5:
        return False
    met = (AWAY - RADIUS) / speed
    run = detent.simulate(system, until=1.5 * met)
    expected = 0.5 * met * speed / along * line
    assert np.abs(np.array([run.final.x, run.final.y]) - expected).max() < 1e-9 * np.abs(expected).max()
    return True


def check_blocked(seed: int) -> None:
    system, speed, _, _ = walled(seed, "place")
    with pytest.raises(detent.SimulationError) as caught:
        detent.simulate(system, until=10.0)
    run = caught.value.run
    assert run is not None
    assert run.outcome.word == "impact"
    assert "with what holds besides ('first', 'second') nothing gives way to it; release a constraint" in str(
        run.message
    )
    assert run.final.time == pytest.approx((AWAY - RADIUS) / speed, rel=1e-12)


def test_a_wall_carries_what_is_held_to_a_line_and_cannot_move_what_is_held_to_its_place() -> None:
    assert sum(check_carried(seed) for seed in range(8)) > 3
    for seed in range(8):
        check_blocked(seed)


@pytest.mark.slow
def test_many_walls_carry_what_can_move_and_none_moves_what_cannot() -> None:
    assert sum(check_carried(seed) for seed in range(1000)) > 500
    for seed in range(1000):
        check_blocked(seed)


@pytest.mark.parametrize("places", [1, 2])
def test_a_plate_comes_down_on_balls_that_are_held_in_space(places: int) -> None:
    """Two that are touched at once are struck together; the message names one of them."""
    system = detent.System("held balls")
    for number in range(places):
        joint = system.free(f"ball{number}", system.origin, system.ground)
        ball = system.body(f"ball{number}", joint.point, joint.frame, 2, (0.1, 0.1, 0.1))
        place = joint.point.position()
        for axis in "xyz":
            along = place.dot(getattr(system.ground, axis))
            system.constrain(f"{axis}{number}", along - (3 * number if axis == "x" else 0))
        plate = system.origin.offset(f"plate{number}", (1 - system.time) * system.ground.z)
        system.contact(
            f"ball|plate {number}", ball.sphere(0.25), system.ground.plane(at=plate, normal="-z"),
            friction=detent.Coulomb(0.5), impact=detent.Poisson(0.5),
        )  # fmt: skip
    with pytest.raises(detent.SimulationError, match=r"at t = 0.75, contact 'ball\|plate 0': .* nothing gives way"):
        detent.simulate(system, until=2.0)


def test_two_driven_shapes_that_meet_are_told_to_have_no_coordinates_to_give_way() -> None:
    system = detent.System("press")
    x = system.coordinates("x")
    system.particle("stone", system.origin.offset("stone", (x + 5) * system.ground.x), mass=1)
    tool = system.origin.offset("tool", (1 - system.time) * system.ground.y)
    system.contact("tool|floor", system.ground.circle(0.2, at=tool), system.ground.line())
    with pytest.raises(detent.SimulationError, match="with the coordinates that there are nothing gives way"):
        detent.simulate(system, until=2.0)
