"""A particle in the corner of a wall and a floor that is shaken slides along the wall as the floor moves.

The floor holds it, so that its slip along the wall is known whatever the forces are: it turns where the floor does. How
the wall and friction at the floor share what pushes sideways is not unique; that the wall brakes is.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy

import detent

UNTIL = 3.0
G = 9.81


def corner(seed: int) -> tuple[detent.System, list[float]]:
    """The corner of a seed, and when its floor turns."""
    random = np.random.default_rng(seed)
    system = detent.System(f"corner {seed}")
    ground, (x, y) = system.ground, system.coordinates("x", "y")
    mass, sideways, often, phase, height, wall, mu = (
        float(value) for value in random.uniform((0.2, 1, 2, 0, -2, -2, 0.05), (3, 9, 9, 6, 2, 2, 0.4))
    )
    size = float(random.uniform(0.1, 0.45)) * G / often**2  # it never lets go
    body = system.particle("body", system.origin.offset("body", x * ground.x + y * ground.y), mass=mass)
    system.gravity(-sideways * ground.x - G * ground.y)
    system.start(x=wall, y=height + size * math.sin(phase), y_rate=size * often * math.cos(phase))
    at = system.origin.offset("floor", (height + size * sympy.sin(often * system.time + phase)) * ground.y)
    friction = detent.Coulomb(mu)
    system.contact("floor", body.point(), ground.line(at=at), friction=friction)
    system.contact("wall", body.point(), ground.line(at=(wall, 0), along=(0, -1)), friction=friction)
    turns = [((k + 0.5) * math.pi - phase) / often for k in range(12)]
    return system, [turn for turn in turns if 0 < turn < UNTIL]


def check(seed: int) -> None:
    system, turns = corner(seed)
    run = detent.simulate(system, until=UNTIL, rtol=1e-11, atol=1e-13, most_bytes=3_000_000)
    found = run.events.of_kind("transition")
    assert [event.name for event in found] == ["wall: slip turns"] * len(turns)
    assert [event.time for event in found] == pytest.approx(turns, abs=1e-11)
    wall = run.contacts["wall"]
    assert (wall.friction * wall.slip).max() < 1e-12  # what rubs takes energy
    assert wall.normal.min() > 0


def test_slip_turns_where_the_floor_does_and_friction_never_drives() -> None:
    for seed in range(40):
        check(seed)


@pytest.mark.slow
def test_slip_turns_where_the_floor_does_in_hundreds_of_corners() -> None:
    for seed in range(40, 400):
        check(seed)
