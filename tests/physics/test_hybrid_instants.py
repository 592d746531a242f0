"""What must happen at one instant: impacts together, what a mode requires, guards that rest at zero, reactions.

Rules 3 to 11 of event_semantics.md where they are easily broken; every answer is a closed form.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import sympy

import detent
from tests.unit.hybrid.models import EXACT, moving, particle, taken

GRAVITY = 9.81
CLOSE = 1e-10
SETTINGS: list[dict[str, Any]] = [{}, {"method": "dopri5"}, {"method": "rk4", "step": 2.0}, {"rtol": 1e-4}]


# -- balls on a line -------------------------------------------------------------------------------------


def line_of_balls(
    places: Sequence[float], speeds: Sequence[float], masses: Sequence[float], restitution: float, says_where: bool
) -> detent.Automaton:
    """Points on a line that strike their neighbours; the flight may require that none passes another."""
    system = detent.System("balls")
    names = [f"x{number}" for number in range(len(places))]
    balls = [system.coordinates(**{name: place}) for name, place in zip(names, places, strict=True)]
    for name, ball, mass in zip(names, balls, masses, strict=True):
        system.particle(name, system.origin.offset(name, ball * system.ground.x), mass=mass)
    system.start(**{f"{name}_rate": speed for name, speed in zip(names, speeds, strict=True)})
    gaps = [right - left for left, right in pairwise(balls)]
    for number, gap in enumerate(gaps):
        system.constrain(detent.holonomic(f"gap {number}", gap), active=False)
    automaton = detent.Automaton(system)
    flight = automaton.mode("flight", where=[gap >= 0 for gap in gaps] if says_where else None)
    for number, gap in enumerate(gaps):
        impact = detent.Impact(f"gap {number}", restitution=restitution)
        automaton.transition(f"strike {number}", flight, flight, when=gap <= 0, reset=impact)
    return automaton


def final_speeds(run: detent.Run, count: int) -> list[float]:
    return [float(run.final[f"x{number}_rate"]) for number in range(count)]


@pytest.mark.parametrize("says_where", [False, True])
def test_a_ball_struck_from_both_sides_at_one_instant_stays_and_throws_both_back(says_where: bool) -> None:
    """1, 0, -1 m/s of equal balls: three blows at t = 1, after which it is -1, 0, 1 m/s."""
    run = detent.simulate(line_of_balls([-1, 0, 1], [1, 0, -1], [1, 1, 1], 1.0, says_where), until=3)
    assert [name for name, _ in taken(run)] in (
        ["strike 0", "strike 1", "strike 0"],
        ["strike 1", "strike 0", "strike 1"],
    )
    assert [t for _, t in taken(run)] == pytest.approx([1.0] * 3, abs=CLOSE)
    assert final_speeds(run, 3) == pytest.approx([-1, 0, 1], abs=1e-12)
    assert run.final.x0 == pytest.approx(-2, abs=CLOSE)


@pytest.mark.parametrize("says_where", [False, True])
@pytest.mark.parametrize("count", [3, 4, 7])
def test_a_blow_passes_through_touching_balls_at_one_instant(count: int, says_where: bool) -> None:
    """Newton's cradle: gaps that rest at zero, with no derivative, until the blow arrives; the last ball leaves."""
    places = [-1.0, *[0.0] * (count - 1)]
    automaton = line_of_balls(places, [2.0, *[0.0] * (count - 1)], [1] * count, 1.0, says_where)
    run = detent.simulate(automaton, until=1.5)
    assert [name for name, _ in taken(run)] == [f"strike {number}" for number in range(count - 1)]
    assert [t for _, t in taken(run)] == pytest.approx([0.5] * (count - 1), abs=CLOSE)
    assert final_speeds(run, count) == pytest.approx([0.0] * (count - 1) + [2.0], abs=1e-12)
    assert run.final[f"x{count - 1}"] == pytest.approx(2.0, abs=CLOSE)


@pytest.mark.parametrize("seed", range(3))
def test_a_blow_passes_through_touching_balls_of_falling_mass(seed: int) -> None:
    """Each blow passes on 2 m/(m + m') of the speed; with masses that fall in one ratio r each ball is left with
    (1 - r)/(1 + r) of what struck it, more than the ball behind it, so that nothing strikes twice."""
    random = np.random.default_rng(seed)
    masses = (random.uniform(0.2, 3) * random.uniform(0.3, 0.9) ** np.arange(5)).tolist()
    run = detent.simulate(line_of_balls([-1.0, 0, 0, 0, 0], [1.0, 0, 0, 0, 0], masses, 1.0, True), until=2)
    arriving, speeds = 1.0, []
    for one, two in pairwise(masses):
        speeds.append((one - two) / (one + two) * arriving)
        arriving *= 2 * one / (one + two)
    assert [name for name, _ in taken(run)] == [f"strike {number}" for number in range(4)]
    assert final_speeds(run, 5) == pytest.approx([*speeds, arriving], abs=1e-12)


@pytest.mark.parametrize("says_where", [False, True])
def test_a_ball_that_flies_into_a_corner_strikes_both_walls_and_comes_back(says_where: bool) -> None:
    system = detent.System("corner")
    x, y = system.coordinates(x=1.0, y=2.0)
    system.particle("ball", system.origin.offset("ball", x * system.ground.x + y * system.ground.y), mass=1)
    system.start(x_rate=-1.0, y_rate=-2.0)
    automaton = detent.Automaton(system)
    flight = automaton.mode("flight", where=[x >= 0, y >= 0] if says_where else None)
    for name, distance in (("left", x), ("floor", y)):
        system.constrain(detent.holonomic(name, distance), active=False)
        automaton.transition(name, flight, flight, when=distance <= 0, reset=detent.Impact(name, restitution=1))
    run = detent.simulate(automaton, until=2)
    assert sorted(taken(run)) == [("floor", pytest.approx(1.0, abs=CLOSE)), ("left", pytest.approx(1.0, abs=CLOSE))]
    assert (run.final.x, run.final.y) == pytest.approx((1.0, 2.0), abs=CLOSE)


# -- what a mode requires, through accumulations -----------------------------------------------------------


def two_on_a_floor(restitution: float, says_where: bool) -> detent.Automaton:
    """Two balls side by side that fall together: each bounce of the one is at the instant of the other's."""
    system = detent.System("two balls")
    automaton = detent.Automaton(system)
    heights = [system.coordinates(**{name: 1.0}) for name in ("y1", "y2")]
    for name, height in zip(("one", "two"), heights, strict=True):
        system.particle(name, system.origin.offset(name, height * system.ground.y), mass=1)
        system.constrain(detent.holonomic(f"under {name}", height), active=False)
    system.gravity(-GRAVITY * system.ground.y)
    flight = automaton.mode("flight", where=[height >= 0 for height in heights] if says_where else None)
    rest = automaton.mode("rest", ["under one", "under two"])
    for name, height in zip(("one", "two"), heights, strict=True):
        impact = detent.Impact(f"under {name}", restitution=restitution)
        automaton.transition(f"bounce {name}", flight, flight, when=height <= 0, reset=impact, accumulates=rest)
    return automaton


@pytest.mark.parametrize("restitution", [0.3, 0.5, 0.7])
@pytest.mark.parametrize("says_where", [False, True])
def test_bounces_of_two_balls_at_the_same_instants_accumulate_together(restitution: float, says_where: bool) -> None:
    """The last of the bounces of both is at sqrt(2 h/g) (1 + e)/(1 - e)."""
    last = math.sqrt(2 / GRAVITY) * (1 + restitution) / (1 - restitution)
    run = detent.simulate(two_on_a_floor(restitution, says_where), until=last + 0.5)
    assert run.mode == "rest"
    (zeno,) = run.events.of_kind("zeno")
    assert zeno.time == pytest.approx(last, rel=1e-12)
    bounces = [[t for name, t in taken(run) if name == f"bounce {which}"][:10] for which in ("one", "two")]
    fall = math.sqrt(2 / GRAVITY)
    known = [fall * (1 + 2 * sum(restitution**k for k in range(1, n + 1))) for n in range(10)]
    np.testing.assert_allclose(bounces, [known, known], rtol=1e-12)


def stack(masses: Sequence[float], restitutions: Sequence[float], says_where: bool) -> detent.Automaton:
    """A ball that bounces on a ball that bounces on the floor, until both lie still: two contacts, coupled."""
    system = detent.System("stack")
    low, high = system.coordinates(low=0.5, high=1.0)
    for name, height, mass in zip(("low", "high"), (low, high), masses, strict=True):
        system.particle(name, system.origin.offset(name, height * system.ground.y), mass=mass)
    system.gravity(-GRAVITY * system.ground.y)
    system.constrain(detent.holonomic("floor", low), active=False)
    system.constrain(detent.holonomic("contact", high - low), active=False)
    automaton = detent.Automaton(system)
    flight = automaton.mode("flight", where=[low >= 0, high - low >= 0] if says_where else None)
    low_still, together = automaton.mode("low still", ["floor"]), automaton.mode("together", ["contact"])
    still = automaton.mode("still", ["floor", "contact"])
    on_floor, on_contact = (
        detent.Impact(name, restitution=restitution)
        for name, restitution in zip(("floor", "contact"), restitutions, strict=True)
    )
    automaton.transition("low strikes", flight, flight, when=low <= 0, reset=on_floor, accumulates=low_still)
    automaton.transition("high strikes", flight, flight, when=high - low <= 0, reset=on_contact, accumulates=together)
    automaton.transition("lands", low_still, low_still, when=high - low <= 0, reset=on_contact, accumulates=still)
    automaton.transition("both land", together, together, when=low <= 0, reset=on_floor, accumulates=still)
    return automaton


@pytest.mark.parametrize(("masses", "restitutions"), [
    ((1.0, 1.0), (0.5, 0.5)), ((2.0, 1.0), (0.3, 0.6)), ((1.0, 0.2), (0.6, 0.2)), ((3.0, 1.0), (0.4, 0.4)),
])  # fmt: skip
def test_what_a_mode_requires_changes_nothing_in_a_run_that_keeps_to_it(
    masses: tuple[float, float], restitutions: tuple[float, float]
) -> None:
    """The bounces of a stack, coupled and accumulating, are the same with and without ``where``."""
    plain = detent.simulate(stack(masses, restitutions, says_where=False), until=4)
    watched = detent.simulate(stack(masses, restitutions, says_where=True), until=4)
    assert plain.mode == watched.mode == "still"
    assert taken(plain) == taken(watched)
    assert plain.audit.energy_balance < 1e-8


@pytest.mark.parametrize("says_where", [False, True])
@pytest.mark.parametrize("light", [0.9, 0.7, 0.1])
def test_a_ball_that_rides_on_a_heavier_one_is_thrown_up_when_that_strikes_the_floor(
    light: float, says_where: bool
) -> None:
    """Elastic, touching as they fall: v (3 M - m)/(M + m) for the upper, v (M - 3 m)/(M + m) for the lower."""
    heavy = 3.0
    automaton = stack((heavy, light), (1.0, 1.0), says_where)
    fall = math.sqrt(2 * 0.5 / GRAVITY)
    run = detent.simulate(automaton, fall + 1e-3, start={"low": 0.5, "high": 0.5})
    assert [name for name, _ in taken(run)] == ["low strikes", "high strikes"]
    assert [t for _, t in taken(run)] == pytest.approx([fall, fall], abs=CLOSE)
    arrives = GRAVITY * fall
    thrown = arrives * (3 * heavy - light) / (heavy + light) - GRAVITY * 1e-3
    left = arrives * (heavy - 3 * light) / (heavy + light) - GRAVITY * 1e-3
    assert (run.final.high_rate, run.final.low_rate) == pytest.approx((thrown, left), abs=1e-9)


# -- what a mode requires, along the motion ---------------------------------------------------------------


def stopped_by_where(automaton: detent.Automaton, until: float, mode: str, **settings: Any) -> float:
    """When a run stopped because its mode's ``where`` ceased to hold."""
    with pytest.raises(detent.SimulationError, match=rf"'{mode}'.*(where|requires)") as caught:
        detent.simulate(automaton, until, **settings)
    assert caught.value.run is not None
    return float(caught.value.run.t[-1])


@pytest.mark.parametrize("height", [1e-3, 1.0, 50.0])
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_a_ball_without_a_floor_stops_the_run_where_it_goes_through(height: float, settings: dict[str, Any]) -> None:
    system, y = particle(x=height)
    system.force("weight", system.bodies["mass"], -GRAVITY * system.ground.x)
    automaton = detent.Automaton(system)
    automaton.mode("flight", where=y >= 0)
    fall = math.sqrt(2 * height / GRAVITY)
    assert stopped_by_where(automaton, 5 * fall, "flight", **settings) == pytest.approx(fall, abs=CLOSE)


@pytest.mark.parametrize(("required", "expected"), [
    (lambda x, t: x <= 3, 3.0),
    (lambda x, t: sympy.Abs(x - 5) >= sympy.Float(1e-3), 5 - 1e-3),
    (lambda x, t: (x - 2) * (x - sympy.Float(2.001)) >= 0, 2.0),
    (lambda x, t: sympy.sin(x) >= sympy.Float(-0.5), math.pi + math.asin(0.5)),
    (lambda x, t: 1 - sympy.exp(-(((x - 6) / sympy.Float(0.01)) ** 2)) - sympy.Float(0.5) >= 0,
     6 - 0.01 * math.sqrt(math.log(2))),
    (lambda x, t: sympy.Piecewise((1, x < 7), (-1, x < sympy.Float(7.000001)), (1, True)) >= 0, 7.0),
    (lambda x, t: 4 - t >= 0, 4.0),
])  # fmt: skip
def test_what_a_mode_requires_is_watched_along_the_motion(required: Callable[..., Any], expected: float) -> None:
    """Along x = t, in one long step."""
    system, x = particle(x_rate=1.0)
    automaton = detent.Automaton(system)
    automaton.mode("moving", where=required(x, system.time))
    assert stopped_by_where(automaton, 10.0, "moving") == pytest.approx(expected, abs=CLOSE)


@pytest.mark.parametrize("required", [
    lambda x: (x - 2) ** 2,
    lambda x: sympy.Abs(x - 5),
    lambda x: (x - 2) ** 4,
    lambda x: x >= 0,
    lambda x: x <= 11,
])  # fmt: skip
def test_what_a_mode_requires_may_be_touched(required: Callable[..., Any]) -> None:
    system, x = particle(x_rate=1.0)
    automaton = detent.Automaton(system)
    automaton.mode("moving", where=required(x))
    assert detent.simulate(automaton, 10.0).final.x == pytest.approx(10.0, abs=CLOSE)


def test_a_transition_whose_condition_does_not_hold_lets_nothing_through_what_the_mode_requires() -> None:
    system, x = particle(x_rate=1.0)
    automaton = detent.Automaton(system)
    mode, after = automaton.mode("moving", where=x <= 2), automaton.mode("after")
    automaton.transition("stops", mode, after, when=x >= 2, condition_before=system.time <= 1)
    assert stopped_by_where(automaton, 5.0, "moving") == pytest.approx(2.0, abs=CLOSE)


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize(("required", "expected"), [
    (lambda x: 3 - x, 3.0),
    (lambda x: sympy.sin(x) + sympy.Float(0.5), math.pi + math.asin(0.5)),
    (lambda x: (x - 2) * (x - sympy.Float(2.001)), 2.0),
    (lambda x: sympy.Abs(x - 5) - sympy.Float(1e-3), 5 - 1e-3),
])  # fmt: skip
def test_what_a_mode_requires_holds_though_a_guard_looks_at_the_same_from_the_other_side(
    required: Callable[..., Any], expected: float, side: int
) -> None:
    """The guard, the same or its negative, waits for what is required to become true, and so misses that it ceases."""
    system, x = particle(x_rate=1.0)
    automaton = detent.Automaton(system)
    mode = automaton.mode("moving", where=required(x) >= 0)
    automaton.transition("back", mode, mode, when=side * required(x), direction="rising" if side > 0 else "falling")
    assert stopped_by_where(automaton, 10.0, "moving") == pytest.approx(expected, abs=CLOSE)


def test_a_transition_at_the_edge_of_what_its_mode_requires_is_taken() -> None:
    system, x = particle(x_rate=1.0)
    automaton = detent.Automaton(system)
    mode, after = automaton.mode("moving", where=x <= 2), automaton.mode("after")
    automaton.transition("arrives", mode, after, when=x >= 2)
    run = detent.simulate(automaton, 5.0)
    assert taken(run) == [("arrives", pytest.approx(2.0, abs=CLOSE))]


@pytest.mark.parametrize("part", [0.2, 0.65, 0.7, 0.8, 0.85, 0.9, 0.96, 0.98])
@pytest.mark.parametrize("rtol", [1e-6, 1e-9, 1e-12])
def test_a_transition_at_the_edge_is_taken_though_the_step_ends_where_the_mode_is_allowed_again(
    part: float, rtol: float
) -> None:
    """A stone through a height on the way up and on the way down, in one step: (v -+ sqrt(v^2 - 2 g h))/g."""
    speed, gravity = 7.0, 9.81
    height = part * speed**2 / (2 * gravity)
    system, x = particle(x_rate=speed)
    system.force("weight", system.bodies["mass"], -gravity * system.ground.x)
    automaton = detent.Automaton(system)
    below, above = automaton.mode("below", where=x <= height), automaton.mode("above", where=x >= height)
    automaton.transition("up", below, above, when=x >= height)
    automaton.transition("down", above, below, when=x <= height)
    run = detent.simulate(automaton, 2 * speed / gravity, rtol=rtol)
    there = math.sqrt(speed**2 - 2 * gravity * height)
    assert taken(run) == [
        ("up", pytest.approx((speed - there) / gravity, abs=CLOSE)),
        ("down", pytest.approx((speed + there) / gravity, abs=CLOSE)),
    ]


def test_a_run_that_what_its_mode_requires_has_stopped_can_be_had_without_an_error() -> None:
    system, x = particle(x_rate=1.0)
    automaton = detent.Automaton(system)
    automaton.mode("moving", where=x <= 2)
    run = detent.simulate(automaton, 5.0, check=False)
    assert run.t[-1] == pytest.approx(2.0, abs=CLOSE)
    assert run.outcome.word != "completed"


# -- guards that rest at zero ------------------------------------------------------------------------------


def resting(push: Callable[[Any, detent.System], Any]) -> detent.Automaton:
    """Two blocks that touch and rest; a flag at t = 0.5 enters the mode anew; then one is pushed into the other."""
    system = detent.System("touching")
    left, right = system.coordinates(left=0.0, right=0.0)
    for name, place in (("left", left), ("right", right)):
        system.particle(name, system.origin.offset(name, place * system.ground.x), mass=1)
    system.force("push", system.bodies["left"], push(system.time, system) * system.ground.x)
    automaton = detent.Automaton(system)
    before, touching, after = (automaton.mode(name) for name in ("before", "touching", "after"))
    automaton.transition("begins", before, touching, when=system.time >= 0.5)
    automaton.transition("presses", touching, after, when=right - left <= 0)
    return automaton


def test_a_guard_at_rest_on_zero_fires_when_a_push_sets_in() -> None:
    automaton = resting(lambda t, system: system.input("push", detent.Held([0, 1], [0, 3])))
    assert taken(detent.simulate(automaton, until=2)) == [
        ("begins", pytest.approx(0.5, abs=CLOSE)),
        ("presses", pytest.approx(1.0, abs=CLOSE)),
    ]


def test_a_guard_at_rest_on_zero_fires_when_a_push_grows() -> None:
    """The gap is -(t - 1)^3/6: what the integration allows itself, 1e-11 m, hides it for (6e-11)^(1/3) s."""
    automaton = resting(lambda t, system: sympy.Max(0, t - 1))
    (_, (name, time)) = taken(detent.simulate(automaton, until=2, rtol=1e-9, atol=1e-11))
    assert name == "presses"
    assert time == pytest.approx(1.0, abs=2 * (6e-11) ** (1 / 3))


def test_a_guard_at_rest_on_zero_does_not_fire_when_it_is_pulled_away() -> None:
    automaton = resting(lambda t, system: system.input("push", detent.Held([0, 1], [0, -3])))
    assert [name for name, _ in taken(detent.simulate(automaton, until=2))] == ["begins"]


# -- reactions -------------------------------------------------------------------------------------------


def glued(lift: Callable[[Any], Any]) -> detent.Automaton:
    """A block of 1 kg held on a floor that can only push, with a force that lifts it."""
    system = detent.System("glued")
    x, y = system.coordinates("x", "y")
    system.start(x_rate=1.0)
    block = system.particle("block", system.origin.offset("b", x * system.ground.x + y * system.ground.y), mass=1)
    system.gravity(-GRAVITY * system.ground.y)
    system.force("lift", block, lift(system.time) * system.ground.y)
    system.constrain(detent.holonomic("floor", y), active=False)
    automaton = detent.Automaton(system)
    on, off = automaton.mode("on", ["floor"]), automaton.mode("off")
    automaton.transition("lets go", on, off, when=system.reaction("floor") <= 0)
    return automaton


def test_a_floor_that_pulls_at_the_start_lets_go_at_once() -> None:
    """-15 N at t = 0: free from there, y = 15 t^2/2."""
    run = detent.simulate(glued(lambda t: GRAVITY + 15), until=1)
    assert taken(run) == [("lets go", 0.0)]
    assert run.final.y == pytest.approx(7.5, abs=CLOSE)


def test_a_floor_that_pulls_at_the_start_does_not_wait_for_the_load_to_pass() -> None:
    """The load falls to the weight at t = 1; the block has left long before."""
    run = detent.simulate(glued(lambda t: GRAVITY + 15 - 15 * t), until=1)
    assert taken(run)[0] == ("lets go", 0.0)
    assert run.final.y == pytest.approx(15 / 2 - 15 / 6, abs=CLOSE)


def pulsed(pulse: Callable[[Any], Any], **settings: Any) -> list[float]:
    """When the force of a floor under a block changes its sign while the pulse lifts; the block stays held."""
    system = detent.System("held")
    x, y = system.coordinates("x", "y")
    system.start(x_rate=1.0)
    block = system.particle("block", system.origin.offset("b", x * system.ground.x + y * system.ground.y), mass=1)
    system.gravity(-GRAVITY * system.ground.y)
    system.force("lift", block, pulse(system.time) * system.ground.y)
    system.constrain(detent.holonomic("floor", y), active=False)
    automaton = detent.Automaton(system)
    held = automaton.mode("held", ["floor"])
    automaton.transition("passes", held, held, when=system.reaction("floor"))
    return [event.time for event in detent.simulate(automaton, until=6, **settings).events.named("passes")]


@pytest.mark.parametrize("width", [1.0, 0.3, 0.1])
@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_a_pulse_of_a_tenth_of_a_second_that_a_constraint_holds_is_noticed(
    width: float, settings: dict[str, Any]
) -> None:
    assert_pulse_is_noticed(width, settings)


@pytest.mark.parametrize("width", [0.03, 0.01, 1e-3])
def test_a_pulse_that_a_constraint_holds_is_noticed_however_short(width: float) -> None:
    assert_pulse_is_noticed(width, {})


def assert_pulse_is_noticed(width: float, settings: dict[str, Any]) -> None:
    """g = 20 exp(-((t - 3)/w)^2) at 3 -+ w sqrt(ln(20/g)); nothing moves, so that no step is shortened for it."""
    half = width * math.sqrt(math.log(20 / GRAVITY))
    found = pulsed(lambda t: 20 * sympy.exp(-(((t - 3) / sympy.Float(width)) ** 2)), **settings)
    assert found == pytest.approx([3 - half, 3 + half], abs=CLOSE)


def test_a_pulse_that_sets_in_at_once_is_noticed() -> None:
    found = pulsed(lambda t: sympy.Piecewise((0, t < 2), (20, t < sympy.Float(2.1)), (0, True)))
    assert found == pytest.approx([2.0, 2.1], abs=CLOSE)


# -- guards that are true already --------------------------------------------------------------------------


def remarks(run: detent.Run) -> list[tuple[str, float]]:
    """What is remarked on, by the name of the transition, and when."""
    return [(event.name.split(":")[0], event.time) for event in run.events.of_kind("remark")]


def test_a_guard_that_is_true_when_its_mode_is_entered_is_remarked_on_and_does_not_fire() -> None:
    _, x, automaton, first = moving()
    second, third = automaton.mode("second"), automaton.mode("third")
    automaton.transition("goes on", first, second, when=x >= 1)
    automaton.transition("low", second, third, when=x <= 5)
    run = detent.simulate(automaton, until=4)
    assert run.mode == "second"
    assert [name for name, _ in taken(run)] == ["goes on"]
    assert remarks(run) == [("low", pytest.approx(1.0, abs=CLOSE))]


def test_a_guard_that_is_true_at_the_start_of_a_run_is_remarked_on() -> None:
    _, x, automaton, first = moving()
    second = automaton.mode("second")
    automaton.transition("low", first, second, when=x <= 5)
    run = detent.simulate(automaton, until=4)
    assert run.mode == "moving"
    assert remarks(run) == [("low", 0.0)]


def test_a_guard_that_is_still_to_become_true_is_not_remarked_on() -> None:
    _, x, automaton, first = moving()
    second = automaton.mode("second")
    automaton.transition("far", first, second, when=x >= 2)
    automaton.transition("either way", first, second, when=x + 1)
    assert remarks(detent.simulate(automaton, until=4, **EXACT)) == []
