"""Balls and points in rooms whose walls shake, slide and turn bounce when and where closed forms say.

Laws are expressions of the time and of the approach speed; a contact may be left out for a while, by the modes of an
automaton or from outside.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import detent
from tests.physics.random_rooms import Array, Room, random_room, simulated
from tests.physics.room_flights import Told, followed

UNTIL, MOST = 3.0, 25
NUDGE, GROWN = 1e-9, 1e5
"""The start is moved by so much (m) to see how errors grow; it is not looked further where they grow more than this."""
WITHIN = 1e-10
"""What all events together add, before it grows: 1e-12 each, which is some thousand units of rounding."""


def nudged(room: Room) -> Room:
    balls = [
        replace(ball, place=(ball.place[0] + NUDGE, ball.place[1] - NUDGE / 2, ball.place[2])) for ball in room.balls
    ]
    return replace(room, balls=tuple(balls))


def known(room: Room) -> tuple[list[Told], list[float], float]:
    """What is known of a room: its impacts, by how much errors have grown at each, and until when."""
    told, until = followed(room, UNTIL, MOST)
    if len(told) == MOST:
        told = told[:-1]  # it is where the look ended, to rounding before a run's or after it
    others, _ = followed(nudged(room), UNTIL, MOST)
    kept, growth = list[Told](), list[float]()
    for one, other in zip(told, others, strict=False):
        off = max(
            abs(one.time - other.time), largest(one.velocities - other.velocities), largest(one.spins - other.spins)
        )
        if one.name != other.name or off > GROWN * NUDGE:
            break
        kept.append(one)
        growth.append(max([off / NUDGE, *growth[-1:]]))
    if len(kept) < len(told):
        until = told[len(kept)].time
    before = kept[-1].time if kept else 0.0
    return kept, growth, before + 0.9 * (until - before)


def largest(values: Array) -> float:
    return float(np.abs(values).max())


def check(seed: int, space: bool) -> int:
    """How many impacts there were."""
    room = random_room(seed, space)
    told, growth, until = known(room)
    if until < 0.05:
        return 0
    run = simulated(room, until, 1e-12)
    found = [event for event in run.events if event.kind == "impact"]
    assert [event.name.split(":")[0] for event in found] == [each.name for each in told], (seed, room.way)
    for event, expected, grown in zip(found, told, growth, strict=True):
        within = WITHIN * (1 + grown)
        assert event.time == pytest.approx(expected.time, abs=within), (seed, event)
        for k, ball in enumerate(room.balls):
            velocity, spin = after(run, room, k, event.time)
            assert largest(velocity - expected.velocities[k]) < within, (seed, event)
            assert ball.inertia is None or largest(spin - expected.spins[k]) < within / ball.radius, (seed, event)
    return len(found)


def after(run: detent.Run, room: Room, k: int, time: float) -> tuple[Array, Array]:
    """The velocity and the spin of a ball just after an instant, along the axes of the ground."""
    node = int(np.searchsorted(run.time, time, side="right")) - 1

    def read(*endings: str) -> Array:
        return np.array([run[f"b{k}_{ending}"][node] if f"b{k}_{ending}" in run.names else 0.0 for ending in endings])

    velocity = read("x_rate", "y_rate", "z_rate")
    if not room.space:
        return velocity, np.array([0.0, 0.0, read("angle_rate")[0]])
    own, q = read("wx", "wy", "wz"), read("qw", "qx", "qy", "qz")
    return velocity, own + 2 * q[0] * np.cross(q[1:], own) + 2 * np.cross(q[1:], np.cross(q[1:], own))


@pytest.mark.parametrize(("seed", "space"), [(1, False), (3, False), (4, False), (1, True), (5, True)])
def test_a_random_room(seed: int, space: bool) -> None:
    assert check(seed, space) > 5


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 1100, 50))
@pytest.mark.parametrize("space", [False, True], ids=["plane", "space"])
def test_a_thousand_random_rooms(first: int, space: bool) -> None:
    assert sum(check(seed, space) for seed in range(first, first + 50)) > 300
