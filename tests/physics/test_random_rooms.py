"""Disks and points in rooms whose walls shake, slide and turn bounce when and where closed forms say.

Laws are expressions of the time and of the approach speed; a contact may be left out for a while, by the modes of an
automaton or from outside.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import detent
from tests.physics.random_rooms import Room, Told, followed, random_room, simulated

UNTIL, MOST = 3.0, 25
NUDGE, GROWN = 1e-9, 1e5
"""The start is moved by so much (m) to see how errors grow; it is not looked further where they grow more than this."""
WITHIN = 1e-12
"""What one event adds: rounding of places and times of some units, and of what follows from them."""


def nudged(room: Room) -> Room:
    balls = [replace(ball, place=(ball.place[0] + NUDGE, ball.place[1] - NUDGE / 2)) for ball in room.balls]
    return replace(room, balls=tuple(balls))


def known(room: Room) -> tuple[list[Told], list[float], float]:
    """What is known of a room: its impacts, by how much errors have grown at each, and until when."""
    told, until = followed(room, UNTIL, MOST)
    others, _ = followed(nudged(room), UNTIL, MOST)
    kept, growth = list[Told](), list[float]()
    for one, other in zip(told, others, strict=False):
        off = max(abs(one.time - other.time), float(np.abs(one.state - other.state).max())) / NUDGE
        if one.name != other.name or off > GROWN:
            break
        kept.append(one)
        growth.append(max([off, *growth[-1:]]))
    if len(kept) < len(told):
        until = told[len(kept)].time
    before = kept[-1].time if kept else 0.0
    return kept, growth, before + 0.9 * (until - before)


def check(seed: int) -> int:
    """How many impacts there were."""
    room = random_room(seed)
    told, growth, until = known(room)
    if until < 0.05:
        return 0
    run = simulated(room, until, 1e-12)
    found = [event for event in run.events if event.kind == "impact"]
    names = [event.name.split(":")[0].removesuffix(" side") for event in found]
    assert names == [each.name for each in told], (seed, room.way, found, told)
    for event, expected, grown in zip(found, told, growth, strict=True):
        assert event.time == pytest.approx(expected.time, abs=WITHIN * (1 + grown) * 100), (seed, event)
        assert after(run, room, event.time) == pytest.approx(expected.state, abs=WITHIN * (1 + grown) * 100), seed
    return len(found)


def after(run: detent.Run, room: Room, time: float) -> list[float]:
    """Velocities and spins just after an instant."""
    node = int(np.searchsorted(run.time, time, side="right")) - 1
    spins = [run[f"b{k}_angle_rate"][node] if ball.inertia is not None else 0.0 for k, ball in enumerate(room.balls)]
    return [run[f"b{k}_{name}_rate"][node] for k in range(len(room.balls)) for name in "xy"] + spins


@pytest.mark.parametrize("seed", range(12))
def test_a_random_room(seed: int) -> None:
    assert check(seed) > 3


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 1100, 50))
def test_a_thousand_random_rooms(first: int) -> None:
    assert sum(check(seed) for seed in range(first, first + 50)) > 300
