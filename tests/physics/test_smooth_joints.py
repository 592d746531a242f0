"""A ball goes from piece to piece of a track that joins smoothly: nothing strikes, and nothing accumulates."""

from __future__ import annotations

import math

import numpy as np
import pytest

import detent

HARD = (9, 10, 15, 17, 18, 26, 30, 31, 44)
"""Tracks on which a joint was a bounce, or transitions followed one another without end."""


def valley(seed: int) -> detent.System:
    """A ball on a slope, then bends to the left and straight pieces in turn, each along the end of the last one."""
    random = np.random.default_rng(seed)
    system = detent.System(f"track {seed}")
    r, mu, e = random.uniform(0.05, 0.15), float(random.choice([0.0, 0.3, 0.8])), float(random.choice([0, 0.3, 0.7]))
    joint = system.planar("ball", system.origin, system.ground)
    ball = system.body("ball", joint.point, joint.frame, 1, 0.4 * r * r)
    system.gravity(-9.81 * system.ground.y)
    start, angle = np.array([-1.0, 0.5]), -random.uniform(0.2, 0.7)
    along, up = along_and_up(angle)
    place = start + random.uniform(0.6, 1.2) * along
    pieces: list[object] = [tuple(map(float, place))]
    bends = int(random.integers(1, 4))
    for number in range(bends):
        radius, turn = random.uniform(0.4, 1.0), random.uniform(0.1, 0.5)
        center = place + radius * along_and_up(angle)[1]
        pieces.append(detent.Turn(tuple(map(float, center)), turn))
        angle += turn
        way, back = along_and_up(angle)
        place = center - radius * back + (random.uniform(0.2, 0.6) if number < bends - 1 else 30.0) * way
        pieces.append(tuple(map(float, place)))
    speed, at = random.uniform(0.0, 2.0), start + 0.1 * along + r * up
    system.start(ball_x=at[0], ball_y=at[1], ball_angle_rate=-speed / r)
    system.start(ball_x_rate=speed * along[0], ball_y_rate=speed * along[1])
    friction = detent.Coulomb(mu) if mu else None
    track = system.ground.track(tuple(start), *pieces)
    system.contact("ball|track", ball.circle(r), track, friction=friction, impact=detent.Poisson(e))
    return system


def along_and_up(angle: float) -> tuple[np.ndarray, np.ndarray]:
    return np.array([math.cos(angle), math.sin(angle)]), np.array([-math.sin(angle), math.cos(angle)])


def check(seed: int) -> None:
    """It passes joints by transitions alone, one each, and keeps its energy where it rolls or nothing rubs."""
    run = detent.simulate(valley(seed), until=2)
    assert not [event.name for event in run.events if event.kind in ("impact", "zeno")]
    over = [event for event in run.events if "open ->" in event.name]
    assert all("-> open" in event.name for event in over)  # one piece takes over from another, at one instant
    assert len({event.time for event in over}) == len(over) >= 1
    assert run.audit.energy_balance < 1e-8
    track = run.contacts["ball|track"]
    closed = np.stack([track[name].status > 0 for name in track])
    assert (closed.sum(axis=0) == 1).all()


@pytest.mark.parametrize("seed", [*range(4), *HARD])
def test_a_ball_rolls_over_smooth_joints(seed: int) -> None:
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4, 304))
def test_a_ball_rolls_over_smooth_joints_of_many_tracks(seed: int) -> None:
    check(seed)
