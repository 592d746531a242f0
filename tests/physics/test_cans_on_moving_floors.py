"""A can goes along with its floor until it must slide, tip or leave, and lies flat at once where the floor strikes."""

from __future__ import annotations

import math

import numpy as np
import pytest

import detent
from tests.physics.carried_cans import KINDS, NAMES, Carried, random_carried

BOUNCES = "can|floor end 1: bounce"
"""What closes is the rim; where it does not lean its face strikes."""
NEAR = 1e-9
"""Positions and times, relative to those of the motion; steps are as exact as 1e-11."""


def is_beside(run: detent.Run, can: Carried, time: float, aside: np.ndarray) -> bool:
    """Whether the can stands upright, away from the place of the floor where it began by so much."""
    expected = can.place(time) + aside
    expected[2] += can.numbers["H"]
    found = np.array([run.final[f"can_{axis}"] for axis in "xyz"]) / can.units[0]
    upright = math.hypot(run.final.can_qx, run.final.can_qy) < 1e-9
    return bool(upright and np.abs(found - expected).max() < NEAR * max(1.0, np.abs(expected).max()))


def told(run: detent.Run) -> list[detent.Event]:
    return [event for event in run.events if event.kind in ("transition", "impact")]


def goes_along(can: Carried) -> str:
    """One that begins with the velocity of its floor."""
    until = 1.0
    word, when = can.first(until)
    if word == "unclear":
        return word
    run = can.run(until if word == "stays" else 1.01 * when)
    if run.outcome.word != "completed":
        return f"refused: {run.message[:200]}"
    events = told(run)
    if word == "stays":
        if events:
            return f"wrong: {len(events)} events, {events[0].name} at {events[0].time / can.units[1]}"
        return "right" if is_beside(run, can, until, np.zeros(3)) else "wrong: elsewhere"
    if not events or events[0].name != NAMES[word]:
        return f"wrong: {word} expected at {when}, {events[0].name if events else 'nothing'} found"
    at = events[0].time / can.units[1]
    if abs(at - when) > NEAR * when:
        return f"wrong: {word} at {at}, expected {when}"
    if word == "tips":
        tip = np.array([run.discrete[f"tip of can|floor rim 1.{number}"][-1] for number in (1, 2)])
        way = can.weight(when)[:2]
        if np.abs(tip - way / np.hypot(*way)).max() > 1e-7:
            return f"wrong: tips along {tip}, expected {way / np.hypot(*way)}"
    return "right"


def is_struck(can: Carried) -> str:
    """One at rest that a floor strikes from below: it goes on with it, or bounces until it does."""
    speed, e, g = can.numbers["vz"], can.numbers.get("e", 0.0), can.numbers["g"] * math.cos(can.numbers["tilt"])
    rests = 2 * e * speed / (g * (1 - e))
    run = can.run(rests + 0.3)
    if run.outcome.word != "completed":
        return f"refused: {run.message[:200]}"
    events = told(run)
    if not events or events[0].kind != "impact" or events[0].time != 0.0:
        return f"wrong: no impact at the start but {events[:1]}"
    if e == 0.0:
        if [event.name for event in events] != ["at the start, can|floor end 1: open -> stick"]:
            return f"wrong: {len(events)} events, {[event.name for event in events[:3]]}"
    else:
        zeno = run.events.of_kind("zeno")
        if len(zeno) != 1 or abs(zeno[0].details["accumulates at"] / can.units[1] - rests) > 1e-6 * rests:
            return f"wrong: {[event.details['accumulates at'] / can.units[1] for event in zeno]}, expected {rests}"
        if len(events) > 1 and abs(events[1].time / can.units[1] - 2 * e * speed / g) > NEAR:
            return f"wrong: {events[1].name} at {events[1].time / can.units[1]}"
        if {event.name for event in events[1:]} - {BOUNCES}:
            return f"wrong: { ({event.name for event in events[1:]}) }"
    return "right" if is_beside(run, can, rests + 0.3, np.zeros(3)) else "wrong: elsewhere"


def is_left(can: Carried) -> str:
    """One at rest below which a floor falls: they meet again where the can has fallen as far."""
    speed, g = -can.numbers["vz"], can.numbers["g"]
    run = can.run(2.001 * speed / g)
    if run.outcome.word != "completed":
        return f"refused: {run.message[:200]}"
    events = told(run)
    if len(events) == 0 or abs(events[0].time / can.units[1] - 2 * speed / g) > NEAR:
        return f"wrong: {[(event.name, event.time / can.units[1]) for event in events[:3]]}, expected {2 * speed / g}"
    expected = [BOUNCES if "e" in can.numbers else "can|floor end 1: open -> stick"]
    names = [event.name for event in events]
    return "right" if names == expected else f"wrong: {names[:3]}"


def is_rubbed(can: Carried) -> str:
    """One at rest below which a floor begins to move sideways: friction takes it along."""
    speed, pull = math.hypot(can.numbers["vx"], can.numbers["vy"]), can.numbers["mu"] * can.numbers["g"]
    run = can.run(1.5 * speed / pull)
    if run.outcome.word != "completed":
        return f"refused: {run.message[:200]}"
    events = told(run)
    if [event.name for event in events] != ["can|floor end 1: slip -> stick"]:
        return f"wrong: {len(events)} events, {[event.name for event in events[:3]]}"
    if abs(events[0].time / can.units[1] - speed / pull) > NEAR * speed / pull:
        return f"wrong: at {events[0].time / can.units[1]}, expected {speed / pull}"
    behind = -0.5 * speed / pull * np.array([can.numbers["vx"], can.numbers["vy"], 0.0])
    return "right" if is_beside(run, can, 1.5 * speed / pull, behind) else "wrong: elsewhere"


def is_smooth(can: Carried) -> str:
    """One without friction: it slides down whatever the floor does along itself."""
    run = can.run(0.5)
    if run.outcome.word != "completed":
        return f"refused: {run.message[:200]}"
    if told(run):
        return f"wrong: {[event.name for event in told(run)[:3]]}"
    slid = can.velocity(0.0) * 0.5 - can.place(0.5)
    slid[0] += can.numbers["g"] * math.sin(can.numbers["tilt"]) / 8
    slid[2] = 0.0
    return "right" if is_beside(run, can, 0.5, slid) else "wrong: elsewhere"


JUDGES = dict(zip(KINDS, (goes_along, goes_along, is_struck, is_left, is_rubbed, is_smooth), strict=True))


def verdicts(kind: str, seeds: range) -> list[str]:
    """What became of each: right, unclear, refused: why, or wrong: how."""
    return [JUDGES[kind](random_carried(kind, seed)) for seed in seeds]


@pytest.mark.parametrize("kind", KINDS)
def test_a_can_goes_along_with_its_floor_until_it_must_not(kind: str) -> None:
    found = verdicts(kind, range(3))
    assert set(found) <= {"right", "unclear"}
    assert "right" in found


def test_a_can_that_its_floor_strikes_lies_flat_at_once() -> None:
    """What points of its rim opposite to one another did left a tilting of 1e-15 rad/s, by which it was on its rim."""
    numbers = {"R": 0.2, "H": 0.3, "m": 1.0, "g": 9.81, "mu": 0.5, "tilt": 0.0, "vz": 1.0}
    run = Carried("struck", numbers, False, (1.0, 1.0, 1.0)).run(0.05)
    assert [event.name for event in run.events] == ["at the start, can|floor end 1: open -> stick"]
    assert run.final.can_z == pytest.approx(0.35, abs=1e-15)
    assert len(run.time) < 10


@pytest.mark.slow
@pytest.mark.parametrize("first", range(3, 303, 100))
@pytest.mark.parametrize("kind", KINDS)
def test_hundreds_of_cans_on_floors_that_move(kind: str, first: int) -> None:
    found = verdicts(kind, range(first, first + 100))
    assert set(found) <= {"right", "unclear"}
    assert found.count("right") >= 60
