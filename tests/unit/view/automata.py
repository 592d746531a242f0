"""Automata and runs made by hand, for tests of what is drawn of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

import detent
from detent.results import Event, EventLog, Run, sample_run


def ball() -> detent.Automaton:
    """A bouncing ball: a self-transition that accumulates, and a mode that only its accumulation leads to."""
    system = detent.System("ball")
    height = system.coordinates("height")
    system.particle("ball", system.origin.offset("ball", height * system.ground.y), mass=1)
    floor = system.constrain(detent.holonomic("floor", height), active=False)
    automaton = detent.Automaton(system)
    flight = automaton.mode("flight", where=height >= 0)
    rest = automaton.mode("rest", constraints=[floor])
    bounce = detent.Impact(floor, restitution=0.5)
    automaton.transition("bounce", flight, flight, when=height <= 0, reset=bounce, accumulates=rest)
    return automaton


def block() -> detent.Automaton:
    """A block that sticks, slips either way, and is caught: every part that a transition can have."""
    system = detent.System("block")
    x, v0 = system.coordinates("x"), system.parameters(v0=0.123456789)
    u = system.speeds(u=x.rate)
    side = system.discrete("side", 1)
    body = system.particle("block", system.origin.offset("block", x * system.ground.x), mass=1)
    system.force("push", body, side * system.ground.x, active=False)
    system.constrain(detent.motion("grip", u), active=False)
    hold = system.reaction("grip")
    automaton = detent.Automaton(system)
    stuck = automaton.mode("stuck", constraints=["grip"])
    slides = automaton.mode("slides", loads=["push"])
    caught = automaton.mode("caught", constraints=["grip"])
    automaton.transition("slips forth", stuck, slides, when=hold <= -1, reset={side: 1})
    automaton.transition("slips back", stuck, slides, when=hold >= 1, reset={side: -1})
    automaton.transition(
        "sticks", slides, stuck, when=u, condition_before=x <= 2, condition_after=[hold <= 1, hold >= -1]
    )
    automaton.transition("is caught", slides, caught, when=x >= 2 + v0, reset=[detent.Impact(), slow_down])
    return automaton


def slow_down(moment: detent.Moment) -> dict[str, float]:
    return {"u": moment["u"] / 2}


def run_of(events: Sequence[Event], mode: str, until: float) -> Run:
    """A run with these events; its motion is that of a thrown stone, stretched to end at ``until``."""
    stone = sample_run()
    time = np.array(stone.trajectory.time) * until / 1.25
    return replace(stone, events=EventLog(events), mode=mode, trajectory=replace(stone.trajectory, time=time))


def ball_run() -> Run:
    """Three bounces at 1, 2 and 2.5 s, Zeno at 3 s, at rest until 5 s."""
    bounces = [Event(time, "impact", "bounce", "flight", "flight") for time in (1.0, 2.0, 2.5)]
    return run_of([*bounces, Event(3.0, "zeno", "bounce", "flight", "rest")], "rest", 5.0)


def block_run() -> Run:
    """Stuck until 1 s, slides until 3 s, stuck until 4 s, slides until 8 s; never caught."""
    return run_of(
        [
            Event(0.0, "start", "start values had to change", "", ""),
            Event(1.0, "transition", "slips forth", "stuck", "slides"),
            Event(2.0, "input", "push changes", "slides", "slides"),
            Event(3.0, "transition", "sticks", "slides", "stuck"),
            Event(4.0, "transition", "slips forth", "stuck", "slides"),
        ],
        "slides",
        8.0,
    )
