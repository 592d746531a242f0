"""The rules of docs/event_semantics.md, one by one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from sympy import Abs, cos, sin, sqrt

import detent
from tests.unit.hybrid.models import EXACT, particle


def oscillator() -> tuple[detent.System, Any]:
    """x = cos t."""
    system, x = particle(x=1.0)
    system.spring("spring", x, 1)
    return system, x


def times(run: detent.Run, name: str) -> list[float]:
    return [event.time for event in run.events.named(name)]


# -- rules 1 and 2: steps own (t0, t1] ---------------------------------------------------------------


def test_a_guard_that_is_zero_at_the_start_does_not_fire_there() -> None:
    system, x = particle(x_rate=1.0)
    automaton = detent.Automaton(system)
    mode = automaton.mode("moving")
    automaton.transition("zero", mode, mode, when=x)
    assert len(detent.simulate(automaton, until=1).events) == 0


def test_an_event_at_the_very_end_belongs_to_the_run() -> None:
    system, x = particle(x_rate=1.0)
    automaton = detent.Automaton(system)
    mode, after = automaton.mode("moving"), automaton.mode("after")
    automaton.transition("there", mode, after, when=x - 1)
    run = detent.simulate(automaton, until=1)
    assert times(run, "there") == pytest.approx([1.0], abs=1e-15)
    assert run.mode == "after"


def test_a_jump_has_two_nodes_and_at_gives_the_state_after_it() -> None:
    system, x = particle(x_rate=1.0)
    automaton = detent.Automaton(system)
    mode = automaton.mode("moving")
    automaton.transition("back", mode, mode, when=x - 1, direction="rising", reset={x: 0})
    run = detent.simulate(automaton, until=1.5)
    (when,) = times(run, "back")
    assert run.t.tolist().count(when) == 2
    assert run.at(when).x == 0.0
    assert abs(run.final.x - 0.5) < 1e-12


# -- rules 3 to 5: signs -------------------------------------------------------------------------------


@pytest.mark.parametrize(("direction", "expected"), [
    ("falling", [math.pi / 2, 5 * math.pi / 2]),
    ("rising", [3 * math.pi / 2]),
    ("either", [math.pi / 2, 3 * math.pi / 2, 5 * math.pi / 2]),
])  # fmt: skip
def test_directions_of_a_cosine(direction: str, expected: list[float]) -> None:
    system, x = oscillator()
    automaton = detent.Automaton(system)
    mode = automaton.mode("swinging")
    automaton.transition("pass", mode, mode, when=x, direction=direction)
    run = detent.simulate(automaton, until=9, **EXACT)
    np.testing.assert_allclose(times(run, "pass"), expected, atol=1e-11)


def test_a_guard_that_touches_zero_and_turns_back_does_not_fire() -> None:
    system, x = oscillator()
    automaton = detent.Automaton(system)
    mode = automaton.mode("swinging")
    automaton.transition("touch", mode, mode, when=x + 1)  # the cosine reaches -1 and no further
    automaton.transition("near", mode, mode, when=x + 1 + 1e-9)
    run = detent.simulate(automaton, until=20, **EXACT)
    assert times(run, "near") == []
    assert len(times(run, "touch")) % 2 == 0  # rounding may carry it across, but then also back


def test_an_inequality_says_its_own_direction() -> None:
    system, x = oscillator()
    automaton = detent.Automaton(system)
    mode = automaton.mode("swinging")
    automaton.transition("low", mode, mode, when=x <= 0)
    automaton.transition("high", mode, mode, when=x >= 0)
    run = detent.simulate(automaton, until=6, **EXACT)
    np.testing.assert_allclose(times(run, "low"), [math.pi / 2], atol=1e-11)
    np.testing.assert_allclose(times(run, "high"), [3 * math.pi / 2], atol=1e-11)


def test_a_guard_that_leaves_zero_slowly_fires_when_it_comes_back() -> None:
    """g = t^2 (1 - t): zero with its first derivative at the start; its second says that it rises."""
    system, x = particle()
    system.force("push", system.bodies["mass"], (2 - 6 * system.time) * system.ground.x)
    automaton = detent.Automaton(system)
    mode, after = automaton.mode("moving"), automaton.mode("after")
    automaton.transition("back", mode, after, when=x <= 0)
    run = detent.simulate(automaton, until=2, **EXACT)
    np.testing.assert_allclose(times(run, "back"), [1.0], atol=1e-11)


# -- rules 6 and 7: location ------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [1e-1, 1e-3, 1e-6, 1e-9])
def test_two_crossings_inside_one_step_are_both_found(depth: float) -> None:
    """A parabola that dips below zero for a moment, far shorter than the step that a free flight takes."""
    system, x = particle(x=1.0, x_rate=-2.0)
    system.force("push", system.bodies["mass"], 2 * system.ground.x)  # x = 1 - 2 t + t^2, lowest at t = 1
    automaton = detent.Automaton(system)
    mode = automaton.mode("flight")
    automaton.transition("in", mode, mode, when=x - depth <= 0)
    automaton.transition("out", mode, mode, when=x - depth >= 0)
    run = detent.simulate(automaton, until=10)
    half = math.sqrt(depth)
    # The time of a shallow crossing is as uncertain as the rounding of x over its slope.
    tolerance = 1e-13 + 1e-15 / half
    np.testing.assert_allclose(times(run, "in"), [1 - half], atol=tolerance)
    np.testing.assert_allclose(times(run, "out"), [1 + half], atol=tolerance)


@pytest.mark.parametrize("method", ["rk4", "dopri5", "dop853"])
def test_the_state_at_the_event_is_as_exact_as_the_integration(method: str) -> None:
    system, x = oscillator()
    automaton = detent.Automaton(system)
    mode, after = automaton.mode("swinging"), automaton.mode("after")
    automaton.transition("half", mode, after, when=x - 0.5)
    settings: dict[str, Any] = {"step": 0.01} if method == "rk4" else EXACT
    run = detent.simulate(automaton, until=2, method=method, **settings)
    (when,) = times(run, "half")
    error = 1e-10 if method == "rk4" else 1e-12  # 0.01^4 / 120 for rk4
    assert abs(when - math.pi / 3) < error
    assert abs(run.at(when).x - 0.5) < 1e-15
    assert abs(run.at(when).x_rate + math.sqrt(0.75)) < error


def test_of_several_guards_in_one_step_the_first_to_pass_counts() -> None:
    system, x = particle(x_rate=1.0)
    automaton = detent.Automaton(system)
    mode, after = automaton.mode("moving"), automaton.mode("after")
    for place in (3, 1, 2):
        automaton.transition(f"at {place}", mode, after, when=x - place)
    run = detent.simulate(automaton, until=5)
    assert [event.name for event in run.events] == ["at 1"]


# -- rules 8 to 13: excursions ---------------------------------------------------------------------------


def two_balls(first: float, second: float) -> detent.Automaton:
    """Two balls that do not know of each other, above one floor, both elastic."""
    system = detent.System("two balls")
    y1, y2 = system.coordinates(y1=first, y2=second)
    for name, y in (("one", y1), ("two", y2)):
        system.particle(name, system.origin.offset(name, y * system.ground.y), mass=1)
        system.constrain(detent.holonomic(f"under {name}", y), active=False)
    system.gravity(-10 * system.ground.y)
    automaton = detent.Automaton(system)
    flight = automaton.mode("flight")
    for name, y in (("one", y1), ("two", y2)):
        impact = detent.Impact(f"under {name}", restitution=1)
        automaton.transition(f"bounce {name}", flight, flight, when=y <= 0, reset=impact)
    return automaton


def test_simultaneous_impacts_are_both_taken_at_one_instant() -> None:
    run = detent.simulate(two_balls(5.0, 5.0), until=2.5)
    assert [event.name for event in run.events] == ["bounce one", "bounce two"]
    assert run.events[0].time == run.events[1].time == pytest.approx(1.0, abs=1e-14)
    np.testing.assert_allclose([run.final.y1, run.final.y2], 5 - 5 * 0.25, atol=1e-12)


def test_impacts_a_hair_apart_are_taken_in_their_order() -> None:
    run = detent.simulate(two_balls(5.0 * (1 + 1e-12), 5.0), until=1.5)
    assert [event.name for event in run.events] == ["bounce two", "bounce one"]
    assert run.events[1].time > run.events[0].time


def test_a_reset_that_jumps_over_a_guard_fires_it_in_the_same_excursion() -> None:
    system, x = particle(x_rate=1.0)
    automaton = detent.Automaton(system)
    first, second, third = (automaton.mode(name) for name in ("first", "second", "third"))
    automaton.transition("leap", first, second, when=x >= 1, reset={x: 5})
    automaton.transition("beyond", second, third, when=x >= 3)
    run = detent.simulate(automaton, until=2)
    assert [(event.name, round(event.time, 12)) for event in run.events] == [("leap", 1.0), ("beyond", 1.0)]


def test_the_first_declared_whose_conditions_hold_is_taken() -> None:
    system, x = particle(x_rate=1.0)
    automaton = detent.Automaton(system)
    mode, wrong, right, late = (automaton.mode(name) for name in ("moving", "wrong", "right", "late"))
    automaton.transition("before", mode, wrong, when=x - 1, condition_before=x <= 0.5)
    automaton.transition("after", mode, wrong, when=x - 1, reset={x: 2}, condition_after=x <= 1.5)
    automaton.transition("good", mode, right, when=x - 1)
    automaton.transition("late", mode, late, when=x - 1)
    run = detent.simulate(automaton, until=2)
    assert [event.name for event in run.events] == ["good"]
    assert abs(run.final.x - 2) < 1e-12  # what the refused reset did is undone


def test_a_guard_may_speak_of_reactions_and_lets_go_where_the_force_vanishes() -> None:
    """A bead on the inside of a loop, started too slowly to get round, leaves it where N = m (v^2/r - g cos) = 0."""
    system = detent.System("loop")
    x, y = system.coordinates(x=0.0, y=-1.0)
    system.particle("bead", system.origin.offset("bead", x * system.ground.x + y * system.ground.y), mass=1)
    system.gravity(-9.81 * system.ground.y)
    speed = math.sqrt(3.5 * 9.81)
    system.start(x_rate=speed)
    system.constrain(detent.holonomic("loop", 1 - sqrt(x**2 + y**2)), active=False)
    automaton = detent.Automaton(system)
    on, off = automaton.mode("on the loop", ["loop"]), automaton.mode("free")
    automaton.transition("leaves", on, off, when=system.reaction("loop") <= 0)
    run = detent.simulate(automaton, until=1, **EXACT)
    (when,) = times(run, "leaves")
    # v^2 = 3.5 g - 2 g (1 + h), N = v^2 - g h = 0 at the height h = 0.5 above the centre
    assert abs(run.at(when).y - 0.5) < 1e-10


def test_a_reaction_that_pulls_from_the_start_lets_go_at_once() -> None:
    system, x = particle(x=0.0)
    system.force("pull", system.bodies["mass"], 1 * system.ground.x)
    system.constrain(detent.holonomic("stop", x), active=False)
    automaton = detent.Automaton(system)
    away, held = automaton.mode("away"), automaton.mode("held", ["stop"])
    automaton.transition("caught", away, held, when=x - 0.5, direction="rising", reset={x: 0, "x_rate": 0})
    automaton.transition("pulled off", held, away, when=system.reaction("stop") <= 0)
    run = detent.simulate(automaton, until=1.5)
    assert [event.name for event in run.events] == ["caught", "pulled off"]
    assert run.events[0].time == run.events[1].time


def test_an_input_that_switches_takes_a_transition_at_that_instant() -> None:
    system, _ = particle(x_rate=1.0)
    door = system.input("door", detent.Held([0, 0.75], [1, -1]))
    automaton = detent.Automaton(system)
    closed, opened = automaton.mode("closed"), automaton.mode("open")
    automaton.transition("opens", closed, opened, when=door <= 0)
    run = detent.simulate(automaton, until=1)
    assert times(run, "opens") == [0.75]


def test_loads_act_in_the_modes_that_name_them() -> None:
    system, x = particle()
    system.force("push", system.bodies["mass"], 2 * system.ground.x, active=False)
    automaton = detent.Automaton(system)
    pushed, coasting = automaton.mode("pushed", loads=["push"]), automaton.mode("coasting")
    automaton.transition("lets go", pushed, coasting, when=x >= 1)
    run = detent.simulate(automaton, until=2, **EXACT)
    assert abs(run.final.x_rate - 2) < 1e-11  # v^2 = 2 a x = 4 at x = 1
    assert abs(run.final.x - (1 + 2 * (2 - 1))) < 1e-11


def test_discrete_states_count_and_keep_their_history() -> None:
    system, x = oscillator()
    count = system.discrete("count", 0)
    automaton = detent.Automaton(system)
    mode = automaton.mode("swinging")
    automaton.transition("pass", mode, mode, when=x, reset={count: count + 1})
    run = detent.simulate(automaton, until=8, **EXACT)
    assert run.discrete["count"][-1] == 3
    assert sorted(set(run["count"].tolist())) == [0, 1, 2, 3]
    assert run.as_json()["final"]["discrete"] == {"count": 3.0}


def test_swapping_coordinates_swaps_their_rates() -> None:
    system = detent.System("two")
    a, b = system.coordinates(a=0.0, b=5.0)
    for name, q in (("one", a), ("two", b)):
        system.particle(name, system.origin.offset(name, q * system.ground.x), mass=1)
    system.start(a_rate=1.0, b_rate=-2.0)
    automaton = detent.Automaton(system)
    mode, after = automaton.mode("first"), automaton.mode("second")
    automaton.transition("swap", mode, after, when=a - 1, reset=detent.swapped((a, b)))
    run = detent.simulate(automaton, until=1.5)
    np.testing.assert_allclose([run.final.a, run.final.b], [3 - 1, 1 + 0.5], atol=1e-12)


def test_modes_and_transitions_may_be_added_during_the_run() -> None:
    system, x = particle(x_rate=1.0)
    automaton = detent.Automaton(system)
    moving = automaton.mode("moving")
    simulation = detent.Simulation(automaton)
    simulation.advance(1)
    wall = automaton.mode("held", [detent.holonomic("wall", x - 2)])
    automaton.transition("strikes", moving, wall, when=x >= 2, reset=detent.Impact())
    simulation.advance(3)
    assert simulation.mode == "held"
    assert abs(simulation.events[-1].time - 2) < 1e-12
    assert simulation.result().final.x_rate == 0


# -- impacts ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("embedding", ["symbolic", "numeric", "live"])
def test_an_impact_gives_the_model_its_momentum(embedding: Any) -> None:
    """A rod that falls flat onto a peg under its left end: angular momentum about the peg is kept."""
    system = detent.System("rod")
    x, y, angle = system.coordinates(x=0.0, y=0.2, angle=0.0)
    frame = system.ground.rotated("rod", angle)
    center = system.origin.offset("center", x * system.ground.x + y * system.ground.y)
    end = center.offset("end", -0.5 * frame.x)
    system.body("rod", center=center, frame=frame, mass=2, inertia=2 / 12)
    system.gravity(-10 * system.ground.y)
    system.constrain(detent.holonomic("peg", end.along(system.ground.y)), active=False)
    automaton = detent.Automaton(system)
    flight, after = automaton.mode("flight"), automaton.mode("after")
    automaton.transition("peg", flight, after, when=end.along(system.ground.y) <= 0,
                         reset=detent.Impact("peg", restitution=0.6))  # fmt: skip
    run = detent.simulate(automaton, until=0.2001, embedding=embedding, **EXACT)
    (event,) = run.events
    # 1/m_effective = 1/m + (L/2)^2/J = 0.5 + 0.25/(1/6) = 2; v- = -2, P = (1 + e) 2 / 2 = 1.6
    assert event.details["impulse of peg"] == pytest.approx(1.6, rel=1e-12)
    after_it = run.at(event.time)
    assert after_it.y_rate == pytest.approx(-2 + 1.6 / 2, rel=1e-12)
    assert after_it.angle_rate == pytest.approx(-0.5 * 1.6 * 6, rel=1e-12)
    assert event.details["energy"] == pytest.approx(-0.5 * (1 - 0.36) * 4 / 2, rel=1e-12)
    assert run.audit.energy_balance < 1e-12


# -- rule 14: accumulation -------------------------------------------------------------------------------


def test_what_accumulates_is_completed_and_counted() -> None:
    run = detent.example("bouncing-ball").simulate()
    (zeno,) = run.events.of_kind("zeno")
    impacts = run.events.of_kind("impact")
    assert zeno.details["count"] == len(impacts) > 40
    assert zeno.details["accumulates at"] == pytest.approx(2.03873598369011, abs=1e-13)
    assert zeno.time + zeno.details["lost time"] == pytest.approx(zeno.details["accumulates at"], abs=1e-15)


def test_slow_repetition_is_no_accumulation() -> None:
    """Intervals that shrink towards a limit other than zero."""
    system, x = particle()
    system.force("push", system.bodies["mass"], 1 * system.ground.x)
    automaton = detent.Automaton(system)
    mode = automaton.mode("moving")
    automaton.transition("mark", mode, mode, when=sin(x))
    run = detent.simulate(automaton, until=40)
    assert len(run.events.of_kind("zeno")) == 0
    assert len(run.events) == int(800 / math.pi)


# -- rule 15: the same input, the same result ------------------------------------------------------------


@pytest.mark.parametrize("name", ["disk-on-ramp", "conveyor-pendulum", "bouncing-ball", "passive-walker"])
@pytest.mark.parametrize("embedding", ["symbolic", "numeric"])
def test_the_same_run_twice_gives_the_same_bits(name: str, embedding: Any) -> None:
    runs = [detent.example(name).simulate(embedding=embedding, modes=modes) for modes in ("lazy", "ahead", "ahead")]
    formulated = detent.example(name).simulate(embedding=embedding, modes="all")
    first = runs[0]
    for other in (*runs[1:], formulated):
        assert other.trajectory.state.tobytes() == first.trajectory.state.tobytes()
        assert other.t.tobytes() == first.t.tobytes()
        assert other.events == first.events


def test_a_smooth_model_runs_the_same_with_an_automaton_of_one_mode() -> None:
    system, _ = oscillator()
    automaton = detent.Automaton(system)
    automaton.mode("swinging")
    plain, hybrid = detent.simulate(system, until=5), detent.simulate(automaton, until=5)
    assert plain.trajectory.state.tobytes() == hybrid.trajectory.state.tobytes()


def test_guards_of_a_long_chain_have_exact_derivatives() -> None:
    """A measure's rates in the observer agree with differences of its value along the run."""
    example = detent.example("chain", links=4)
    system = example.system
    tip = list(system.points.values())[-1]
    height, low = tip.along(system.ground.y), []
    automaton = detent.Automaton(system)
    mode = automaton.mode("swinging")
    automaton.transition("top", mode, mode, when=height + 2 * cos(0))
    automaton.transition("side", mode, mode, when=tip.along(system.ground.x) - 0.3)
    simulation = detent.Simulation(automaton, embedding="symbolic", **EXACT)
    simulation.advance(0.5)
    seen = simulation.following.memory.start[0].copy()
    samples = []
    for step in (1e-4, 2e-4, 3e-4):
        simulation.advance(0.5 + step)
        low.append(simulation.value(height + 2))
    first = (low[0] - seen["value"]) / 1e-4
    samples.append(abs(first - seen["first"] - 0.5e-4 * seen["second"]))
    assert samples[0] < 1e-5 * max(1.0, abs(seen["first"]))
    assert Abs(seen["second"]) > 0
