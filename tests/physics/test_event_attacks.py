"""Ways in which events were once lost, or taken that were not: long steps, waving guards, other units."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from sympy import cos

import detent


def times(run: detent.Run, name: str) -> list[float]:
    return [event.time for event in run.events.named(name)]


def ball(height: float = 1.0, restitution: float = 1.0, **settings: Any) -> detent.Run:
    system = detent.System("ball")
    y = system.coordinates(y=height)
    system.particle("ball", system.origin.offset("ball", y * system.ground.y), mass=1)
    system.gravity(-9.81 * system.ground.y)
    floor = system.constrain(detent.holonomic("floor", y), active=False)
    automaton = detent.Automaton(system)
    flight = automaton.mode("flight", where=y >= 0)
    automaton.transition("bounce", flight, flight, when=y <= 0, reset=detent.Impact(floor, restitution=restitution))
    automaton.transition("passes down", flight, flight, when=y - height / 2 <= 0)
    return detent.simulate(automaton, **settings)


@pytest.mark.parametrize("until", [31.62, 316.2, 3162.0])
def test_no_bounce_is_lost_however_long_the_run_and_its_steps(until: float) -> None:
    run = ball(until=until)
    fall = math.sqrt(2 / 9.81)
    assert len(run.events.named("bounce")) == int((until / fall + 1) / 2)


def test_the_second_of_two_crossings_is_found_where_only_it_is_looked_for() -> None:
    run = ball(until=10)
    passes, bounces = times(run, "passes down"), times(run, "bounce")
    assert len(passes) == len(bounces) == 11
    assert all(before < after for before, after in zip(passes, bounces, strict=True))


@pytest.mark.parametrize("height", [1e-6, 1e-3, 1e3, 1e6])
def test_a_ball_bounces_in_any_unit_of_length(height: float) -> None:
    fall = math.sqrt(2 * height / 9.81)
    run = ball(height, until=10 * fall)
    np.testing.assert_allclose(times(run, "bounce"), [fall * (2 * k + 1) for k in range(5)], rtol=1e-12)


def test_a_rocking_block_loses_what_housner_says_at_every_impact() -> None:
    """omega+/omega- = 1 - 1.5 sin^2(alpha) for a uniform block; it passes on to its other corner at each impact."""
    width, height = 0.25, 1.0
    alpha = math.atan2(width, height)
    system = detent.System("block")
    x, y, tilt = system.coordinates(x=0.0, y=height / 2, tilt=0.0)
    frame = system.ground.rotated("block", tilt)
    center = system.origin.offset("center", x * system.ground.x + y * system.ground.y)
    system.body("block", center=center, frame=frame, mass=1, inertia=(width**2 + height**2) / 12)
    system.gravity(-9.81 * system.ground.y)
    corners = {s: center.offset(s, sign * width / 2 * frame.x - height / 2 * frame.y) for s, sign in
               (("left", -1), ("right", 1))}  # fmt: skip
    for side, sign in (("left", -1), ("right", 1)):
        place = corners[side]
        system.constrain(
            detent.holonomic(side, x=place.along(system.ground.x) - sign * width / 2, y=place.along(system.ground.y)),
            active=False,
        )
    automaton = detent.Automaton(system)
    left, right, rest = (
        automaton.mode(*given) for given in (("on left", ["left"]), ("on right", ["right"]), ("rest",))
    )
    automaton.transition("to right", left, right, when=tilt <= 0, reset=detent.Impact(), accumulates=rest)
    automaton.transition("to left", right, left, when=tilt >= 0, reset=detent.Impact(), accumulates=rest)
    run = detent.simulate(automaton, until=3, mode="on left", start={"tilt": 0.5 * alpha}, rtol=1e-11)
    assert len(run.events.of_kind("impact")) > 3
    for event in run.events.of_kind("impact"):
        before, after = run.tilt_rate[run.t == event.time]
        assert after / before == pytest.approx(1 - 1.5 * math.sin(alpha) ** 2, rel=1e-9)


def test_a_reset_is_measured_by_what_it_concerns() -> None:
    """A coordinate of another body at 1e8 m does not excuse a landing at 4 m/s."""
    system = detent.System("two")
    y, far = system.coordinates(y=1.0, far=1e8)
    for name, q in (("ball", y), ("far", far)):
        system.particle(name, system.origin.offset(name, q * system.ground.y), mass=1)
    system.force("weight", system.bodies["ball"], -9.81 * system.ground.y)
    floor = system.constrain(detent.holonomic("floor", y), active=False)
    automaton = detent.Automaton(system)
    flight, landed = automaton.mode("flight"), automaton.mode("landed", [floor])
    automaton.transition("lands", flight, landed, when=y <= 0)
    with pytest.raises(detent.SimulationError, match="'floor'"):
        detent.simulate(automaton, until=1)


def test_each_accumulation_counts_its_own() -> None:
    system = detent.System("ball")
    y = system.coordinates(y=1.0)
    system.particle("ball", system.origin.offset("ball", y * system.ground.y), mass=1)
    system.gravity(-9.81 * system.ground.y)
    floor = system.constrain(detent.holonomic("floor", y), active=False)
    kick = system.input("kick", detent.Held([0, 4], [0, 1]))
    automaton = detent.Automaton(system)
    flight, rest = automaton.mode("flight"), automaton.mode("rest", [floor])
    automaton.transition("bounce", flight, flight, when=y <= 0, accumulates=rest,
                         reset=detent.Impact(floor, restitution=0.5))  # fmt: skip
    automaton.transition("kicked", rest, flight, when=kick - 0.5 >= 0, reset={"y_rate": 5})
    run = detent.simulate(automaton, until=8)
    counts = [event.details["count"] for event in run.events.of_kind("zeno")]
    assert len(counts) == 2
    assert counts[0] + counts[1] == len(run.events.named("bounce").of_kind("impact"))


@pytest.mark.parametrize("offset", [0.2, 0.77, 0.93, 0.995, 0.9999])
@pytest.mark.parametrize("speed", [3.0, 10.7])
def test_a_guard_that_waves_in_a_motion_of_one_long_step_is_followed(offset: float, speed: float) -> None:
    system = detent.System("disk")
    q = system.coordinates("q")
    system.body("disk", center=system.origin, frame=system.ground.rotated("disk", q), mass=1, inertia=1)
    system.start(q_rate=speed)
    automaton = detent.Automaton(system)
    spin = automaton.mode("spin")
    automaton.transition("low", spin, spin, when=cos(q) + offset <= 0)
    run = detent.simulate(automaton, until=100)
    first = math.acos(-offset)
    expected = np.arange(first, 100 * speed, 2 * math.pi) / speed
    np.testing.assert_allclose(times(run, "low"), expected, rtol=1e-9)
