"""What happens at one instant, attacked: simultaneous, repeated, coincident and pointless transitions."""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from sympy import Piecewise, cos, sign, sin

import detent
from tests.unit.hybrid.models import EXACT, ball, balls, moving, oscillator, particle, taken

METHODS: list[dict[str, Any]] = [{}, {"method": "rk4", "step": 0.1}, {"method": "rk4", "step": 0.07}]


# -- simultaneous ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("count", [2, 3, 4])
def test_however_many_strike_at_one_instant_none_falls_through_the_floor(count: int) -> None:
    restitutions = [1.0, 0.9, 0.8, 0.7][:count]
    run = detent.simulate(balls([5.0] * count, restitutions), 1.5)
    assert [name for name, _ in taken(run)] == [f"bounce {number}" for number in range(1, count + 1)]
    assert len({time for _, time in taken(run)}) == 1
    for number, restitution in enumerate(restitutions, 1):
        # Up with e times 10 m/s for half a second.
        assert run.final[f"y{number}"] == pytest.approx(5 * restitution - 1.25, abs=1e-12)


@pytest.mark.parametrize("order", list(permutations(range(3))))
@pytest.mark.parametrize("gap", [1e-15, 1e-14, 1e-13, 1e-12, 1e-9])
def test_a_hair_apart_all_are_taken(order: tuple[int, ...], gap: float) -> None:
    heights = [5.0 * (1 + gap * place) for place in order]
    run = detent.simulate(balls(heights, [1.0] * 3), 1.5)
    assert len(taken(run)) == 3
    np.testing.assert_allclose([run.final[f"y{n}"] for n in (1, 2, 3)], 3.75, atol=1e-8)
    if gap > 64 * 2**-52:  # nearer ones are one instant, in the order of declaration
        expected = [f"bounce {number + 1}" for number in np.argsort(heights)]
        assert [name for name, _ in taken(run)] == expected


def test_accumulations_at_one_instant_are_all_completed() -> None:
    """Two equal balls come to rest together: the second one still has its impacts when the first one rests."""
    automaton = balls([1.0, 1.0], [0.5, 0.5])
    y1, y2 = automaton.system.coordinate_list
    modes = {number: automaton.mode(f"{number} rests", [f"under {number}"]) for number in (1, 2)}
    both = automaton.mode("both rest", ["under 1", "under 2"])
    flight = automaton.modes["flight"]
    del automaton.transitions[:]
    for number, y in ((1, y1), (2, y2)):
        impact, other = detent.Impact(f"under {number}", restitution=0.5), 3 - number
        automaton.transition(f"bounce {number}", flight, flight, when=y <= 0, reset=impact, accumulates=modes[number])
        automaton.transition(f"last {number}", modes[other], modes[other], when=y <= 0, reset=impact, accumulates=both)
    run = detent.simulate(automaton, 3)
    assert run.mode == "both rest"
    for event in run.events.of_kind("zeno"):
        assert event.time == pytest.approx(3 * math.sqrt(0.2), abs=1e-13)
    assert run.audit.energy_balance < 1e-13
    assert abs(run.final.y2) < 1e-15


# -- energy ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("restitution", [0.0, 0.3, 0.9])
def test_what_is_lost_in_coming_to_rest_is_booked_once(restitution: float) -> None:
    run = detent.simulate(ball(restitution, accumulates=True), 20)
    assert run.mode == "rest"
    assert run.work[-1] == pytest.approx(0.0, abs=1e-12)  # the weight's 10 J went into the floor
    assert run.audit.energy_balance < 1e-12


def test_a_rod_that_comes_to_rest_on_its_end_keeps_the_balance() -> None:
    system = detent.System("rod")
    x, y, q = system.coordinates(x=0.0, y=2.0, q=0.71)
    frame = system.ground.rotated("rod", q)
    center = system.origin.offset("center", x * system.ground.x + y * system.ground.y)
    end = center.offset("end", -0.5 * frame.x + 0.1 * frame.y)
    system.body("rod", center=center, frame=frame, mass=2.3, inertia=0.17)
    system.gravity(-9.81 * system.ground.y)
    system.start(x_rate=0.3, q_rate=1.7)
    height = end.along(system.ground.y)
    system.constrain(detent.holonomic("floor", height), active=False)
    automaton = detent.Automaton(system)
    flight, stand = automaton.mode("flight"), automaton.mode("stand", ["floor"])
    automaton.transition("hit", flight, flight, when=height <= 0, reset=detent.Impact("floor"), accumulates=stand)
    automaton.transition("off", stand, flight, when=system.reaction("floor") <= 0)
    run = detent.simulate(automaton, 2)
    assert len(run.events.of_kind("zeno")) > 0
    assert run.audit.energy_balance < 1e-9


# -- the same guard more than once ----------------------------------------------------------------------


def test_one_guard_in_several_transitions_and_directions() -> None:
    """Of those that fire together the first declared is taken; then the guard stands on its other side."""
    _, x, automaton, mode = oscillator()
    automaton.transition("down", mode, mode, when=x - 0.5, direction="falling")
    automaton.transition("up", mode, mode, when=x - 0.5, direction="rising")
    automaton.transition("any", mode, mode, when=x - 0.5)
    run = detent.simulate(automaton, 4 * math.pi, **EXACT)
    third = math.pi / 3
    expected = [third, 2 * math.pi - third, 2 * math.pi + third, 4 * math.pi - third]
    assert [name for name, _ in taken(run)] == ["down", "up", "down", "up"]
    np.testing.assert_allclose([time for _, time in taken(run)], expected, atol=1e-11)


def test_many_transitions_without_effect_are_all_noted() -> None:
    _, x, automaton, mode = oscillator()
    for number in range(10):
        automaton.transition(f"at {number}", mode, mode, when=x - number / 10)
    run = detent.simulate(automaton, 2 * math.pi, **EXACT)
    expected = [(math.acos(n / 10), f"at {n}") for n in range(10)]
    expected += [(2 * math.pi - time, name) for time, name in expected]
    assert [name for name, _ in taken(run)] == [name for _, name in sorted(expected)]
    np.testing.assert_allclose([time for _, time in taken(run)], [time for time, _ in sorted(expected)], atol=1e-11)


def test_a_guard_that_came_back_in_another_mode_fires_again() -> None:
    """x leaps back and forth across 0.5; the mode between the leaps does not watch that guard, but it was crossed."""
    system, x, automaton, here = moving()
    count = system.discrete("count", 0)
    there, end = automaton.mode("there"), automaton.mode("end")
    automaton.transition("ends", here, end, when=x >= 0.5, condition_before=count >= 3)
    automaton.transition("to", here, there, when=x >= 0.5, reset={x: 0.2, count: count + 1})
    automaton.transition("fro", there, here, when=x <= 0.3, reset={x: 0.8})
    run = detent.simulate(automaton, 1)
    assert [name for name, _ in taken(run)] == [*["to", "fro"] * 3, "ends"]
    assert len({time for _, time in taken(run)}) == 1


@pytest.mark.parametrize("count", [1, 99, 100, 101])
def test_a_hundred_transitions_may_follow_one_another(count: int) -> None:
    """Rule 12. A sign is flipped again and again, each time by the transition that watches for it."""
    system, x, automaton, mode = moving()
    side, taken_so_far = system.discrete("side", 1), system.discrete("taken_so_far", 0)
    flip = {side: -side, taken_so_far: taken_so_far + 1}
    automaton.transition("begin", mode, mode, when=x >= 0.5, reset=flip)
    for direction in ("falling", "rising"):
        more = {"condition_before": taken_so_far <= count - 1, "direction": direction}
        automaton.transition(f"flip {direction}", mode, mode, when=side, reset=flip, **more)
    if count > 100:
        with pytest.raises(detent.SimulationError, match="more than 100 transitions followed one another"):
            detent.simulate(automaton, 1)
        return
    run = detent.simulate(automaton, 1)
    assert len(taken(run)) == run["taken_so_far"][-1] == count


# -- clocks and inputs ----------------------------------------------------------------------------------


@pytest.mark.parametrize("settings", METHODS, ids=str)
def test_a_discrete_clock_ticks_evenly(settings: dict[str, Any]) -> None:
    system, _, automaton, mode = moving()
    clock, other = system.discrete("clock", 0), automaton.mode("other")
    automaton.transition("tick", mode, other, when=system.time - clock >= 0.3, reset={clock: system.time})
    automaton.transition("tock", other, mode, when=system.time - clock >= 0.2, reset={clock: system.time})
    run = detent.simulate(automaton, 5.1, **settings)
    expected = [0.5 * (n // 2) + (0.3 if n % 2 == 0 else 0.5) for n in range(20)]
    np.testing.assert_allclose([time for _, time in taken(run)], expected, atol=20 * 5 * 2**-52)


@pytest.mark.parametrize("settings", METHODS, ids=str)
@pytest.mark.parametrize("place_first", [True, False])
def test_an_event_exactly_where_an_input_switches_is_taken_once(settings: dict[str, Any], place_first: bool) -> None:
    """x passes 0.5 at t = 0.5, where the door opens too: each is one transition, in whatever order."""
    system, x, automaton, mode = moving()
    door = system.input("door", detent.Held([0, 0.5], [1, -1]))
    opened, there = automaton.mode("open"), automaton.mode("there")
    both = [("place", mode, there, x >= 0.5), ("door", mode, opened, door <= 0)]
    for name, source, target, when in both if place_first else both[::-1]:
        automaton.transition(name, source, target, when=when)
    automaton.transition("place then", opened, there, when=x >= 0.5)
    automaton.transition("door then", there, opened, when=door <= 0)
    run = detent.simulate(automaton, 1, **settings)
    assert [name for name, _ in taken(run)] == ["place", "door then"]
    np.testing.assert_allclose([time for _, time in taken(run)], 0.5, atol=1e-15)


@pytest.mark.parametrize("embedding", ["symbolic", "numeric", "live"])
def test_a_reaction_lets_go_of_what_cannot_move(embedding: Any) -> None:
    """Held without any freedom, pushed with F = t: the hold breaks at 0.7 N; then x'' = t."""
    system, x = particle()
    system.force("push", system.bodies["mass"], system.time * system.ground.x)
    system.constrain(detent.holonomic("hold", x), active=False)
    automaton = detent.Automaton(system)
    held, free = automaton.mode("held", ["hold"]), automaton.mode("free")
    automaton.transition("breaks", held, free, when=system.reaction("hold") <= -0.7)
    run = detent.simulate(automaton, 1, embedding=embedding)
    assert taken(run) == [("breaks", pytest.approx(0.7, abs=1e-14))]
    assert run.final.x == pytest.approx(0.7 * 0.3**2 / 2 + 0.3**3 / 6, abs=1e-13)


# -- guards that are hard to follow ---------------------------------------------------------------------


def test_a_guard_of_speeds_that_oscillates_within_a_step_is_followed() -> None:
    """A disk spins freely: one step of any length is exact, and its rim's velocity changes sign many times in it."""
    system = detent.System("disk")
    angle = system.coordinates("angle")
    frame = system.ground.rotated("disk", angle)
    system.body("disk", center=system.origin, frame=frame, mass=1, inertia=1)
    system.start(angle_rate=10.0)
    automaton = detent.Automaton(system)
    mode = automaton.mode("spinning")
    automaton.transition("turns", mode, mode, when=cos(angle) * angle.rate)
    run = detent.simulate(automaton, 10)
    expected = [(n + 0.5) * math.pi / 10 for n in range(32)]
    np.testing.assert_allclose([time for _, time in taken(run)], [time for time in expected if time < 10], atol=1e-12)


@pytest.mark.parametrize("what", ["position", "time"])
def test_a_guard_that_oscillates_thousands_of_times_is_followed(what: str) -> None:
    system, x, automaton, mode = moving()
    automaton.transition("pass", mode, mode, when=sin(300 * (x if what == "position" else system.time)))
    run = detent.simulate(automaton, 10)
    np.testing.assert_allclose([t for _, t in taken(run)], np.arange(1, 955) * math.pi / 300, atol=1e-12)


def test_a_guard_that_a_constraint_holds_at_zero_costs_no_steps() -> None:
    """What it is made of is large, it is zero within rounding: there is nothing to follow."""
    system = detent.System("arms")
    a, b = system.coordinates(a=0.5, b=1.0)
    upper, lower = system.ground.rotated("upper", a), system.ground.rotated("lower", b)
    elbow = system.origin.offset("elbow", -1 * upper.y)
    tip = elbow.offset("tip", -1 * lower.y)
    for name, point in (("first", elbow), ("second", tip)):
        system.particle(name, point, mass=1)
    system.gravity(-10 * system.ground.y)
    height = tip.along(system.ground.y) + math.cos(0.5) + math.cos(1.0)
    system.constrain(detent.holonomic("line", height), active=False)
    steps = []
    for guard in (None, height, math.cos(0.5) + math.cos(1.0) - cos(a) - cos(b)):
        automaton = detent.Automaton(system)
        mode = automaton.mode("sliding", ["line"])
        if guard is not None:
            automaton.transition("lifts", mode, mode, when=guard)
        run = detent.simulate(automaton, 3)
        assert taken(run) == []
        assert run.timing is not None
        steps.append(run.timing.steps)
    assert steps[1] == steps[2] == steps[0]


@pytest.mark.parametrize("settings", [{}, {"method": "rk4", "step": 0.01}], ids=["dop853", "rk4"])
@pytest.mark.parametrize(
    "guard",
    [lambda x: sign(x - 0.5), lambda x: sign(x - 0.5) * (1 + x**2), lambda x: Piecewise((-1 - x, x < 0.5), (2, True))],
    ids=["steps", "bends", "pieces"],
)
def test_a_guard_that_jumps_fires_where_it_jumps(guard: Any, settings: dict[str, Any]) -> None:
    _, x, automaton, mode = moving()
    automaton.transition("jump", mode, mode, when=guard(x))
    run = detent.simulate(automaton, 1, **settings)
    assert taken(run) == [("jump", pytest.approx(0.5, abs=1e-12))]


# -- output ---------------------------------------------------------------------------------------------


def test_asked_for_times_at_a_jump_give_the_state_after_it() -> None:
    system, x, automaton, mode = moving()
    count = system.discrete("count", 0)
    automaton.transition("back", mode, mode, when=x >= 1, reset={x: 0, count: count + 1})
    times = [0.5, *(event.time for event in detent.simulate(automaton, 3.5).events), 3.5]
    run = detent.simulate(automaton, 3.5, times=times)
    np.testing.assert_allclose(run.x, [0.5, 0, 0, 0, 0.5], atol=1e-14)
    assert run["count"].tolist() == [0, 1, 2, 3, 3]


def test_discrete_states_are_saved_and_loaded_with_the_run(tmp_path: Any) -> None:
    system, x, automaton, mode = moving()
    count = system.discrete("count", 0)
    automaton.transition("back", mode, mode, when=x >= 1, reset={x: 0, count: count + 1})
    for number, settings in enumerate(({}, {"times": [0.5, 1.5, 2.5]})):
        run = detent.simulate(automaton, 3.5, **settings)
        run.save(tmp_path / f"{number}.nc")
        again = detent.load(tmp_path / f"{number}.nc")
        assert again["count"].tolist() == run["count"].tolist()
        assert again.as_json()["final"] == run.as_json()["final"]
        assert (again.events, again.mode) == (run.events, run.mode)


@pytest.mark.parametrize("name", ["disk-on-ramp", "conveyor-pendulum", "passive-walker", "latch", "detent-escapement"])
def test_all_embeddings_take_the_same_transitions(name: str) -> None:
    runs = [detent.example(name).simulate(embedding=embedding) for embedding in ("symbolic", "numeric", "live")]
    first = taken(runs[0])
    assert runs[0].rtol is not None
    for run in runs[1:]:
        assert [name for name, _ in taken(run)] == [name for name, _ in first]
        # They differ by rounding, which may change the steps: then by what the tolerance lets through.
        np.testing.assert_allclose([t for _, t in taken(run)], [t for _, t in first], atol=100 * runs[0].rtol)
