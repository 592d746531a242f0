"""Automata that grow, fail and are stopped while they run; runs in several threads."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import detent
from detent.simulation.automaton_director import AutomatonDirector
from tests.unit.hybrid.models import ball, moving, oscillator, taken


def test_a_transition_that_is_added_does_not_inherit_the_sign_of_another_mode() -> None:
    """The mode left before had more guards: what stood in their places says nothing about the new ones."""
    _, x, automaton, first = moving()
    second = automaton.mode("second")
    for number, place in enumerate((10, 20, -5)):
        automaton.transition(f"far {number}", first, first, when=x - place)
    automaton.transition("go", first, second, when=x - 0.5)
    automaton.transition("later", second, second, when=x - 30)
    simulation = detent.Simulation(automaton)
    simulation.advance(1)
    for name, guard in (("passed", x + 1), ("far away", x - 40), ("negative", -x - 1), ("next", x - 1.5)):
        automaton.transition(name, second, second, when=guard)
    simulation.advance(2)
    assert [event.name for event in simulation.events] == ["go", "next"]


def test_a_new_transition_fires_only_when_its_guard_crosses_from_then_on() -> None:
    _, x, automaton, mode = moving()
    simulation = detent.Simulation(automaton)
    simulation.advance(1)
    automaton.transition("too late", mode, mode, when=x >= 0.5)
    automaton.transition("in time", mode, mode, when=x >= 1.5)
    simulation.advance(2)
    assert [event.name for event in simulation.events if event.kind != "remark"] == ["in time"]


def test_modes_and_transitions_may_be_added_by_another_thread() -> None:
    failures: list[BaseException] = []
    for _ in range(5):
        _, x, automaton, mode = moving()
        simulation = detent.Simulation(automaton, method="rk4", step=1e-4)

        def add(model: detent.Automaton = automaton, source: Any = mode, place: Any = x) -> None:
            try:
                for number in range(25):
                    target = model.mode(f"mode {number}")
                    model.transition(f"stay {number}", source, source, when=place - 100 - number)
                    model.transition(f"go {number}", source, target, when=place - 200 - number)
            except BaseException as error:
                failures.append(error)

        adding = threading.Thread(target=add)
        adding.start()
        try:
            simulation.advance(1)
        finally:
            adding.join()
        simulation.advance(1.1)
        assert isinstance(simulation._director, AutomatonDirector)
        assert len(simulation._director._tables.transitions) == 50
    assert failures == []


@pytest.mark.parametrize("name", ["conveyor-pendulum", "kneed-walker", "detent-escapement"])
def test_runs_of_one_automaton_in_several_threads_do_not_meet(name: str) -> None:
    example = detent.example(name)
    found: dict[int, detent.Run] = {}

    def go(number: int) -> None:
        found[number] = example.simulate(until=2.0)

    threads = [threading.Thread(target=go, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    alone = example.simulate(until=2.0)
    assert sorted(found) == [0, 1, 2]
    for run in found.values():
        assert run.trajectory.state.tobytes() == alone.trajectory.state.tobytes()
        assert run.events == alone.events


def test_live_runs_of_one_automaton_in_several_threads_take_the_same_transitions() -> None:
    """Each prepares its modes in the background, on one graph, while all of them run."""
    example = detent.example("conveyor-pendulum")
    alone = [name for name, _ in taken(example.simulate(until=3.0))]
    found: list[list[str]] = []

    def go() -> None:
        for _ in range(3):
            found.append([name for name, _ in taken(example.simulate(until=3.0, embedding="live"))])

    threads = [threading.Thread(target=go) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [alone] * 9


def test_an_automaton_that_grows_in_one_run_grows_in_the_other() -> None:
    _, x, automaton, mode = moving()
    runs = [detent.Simulation(automaton) for _ in range(2)]
    runs[0].advance(0.5)
    automaton.transition("late", mode, mode, when=x - 1)
    for simulation in runs:
        simulation.advance(2)
        assert [event.time for event in simulation.events] == pytest.approx([1.0], abs=1e-14)


# -- failures -------------------------------------------------------------------------------------------


def test_a_reset_that_failed_can_be_tried_again() -> None:
    """Nothing of it stays, not the discrete states that a step before it set."""
    system, x, automaton, mode = moving()
    count = system.discrete("count", 0)
    tries: list[float] = []

    def fails_first(moment: detent.Moment) -> dict[str, float]:
        tries.append(moment["count"])
        if len(tries) == 1:
            raise ValueError("not yet")
        return {"x": 5.0}

    automaton.transition("leap", mode, mode, when=x >= 0.5, reset=[{count: count + 1}, fails_first])
    simulation = detent.Simulation(automaton)
    with pytest.raises(detent.DetentError, match="failed: ValueError: not yet"):
        simulation.advance(1)
    assert (simulation.state.x, simulation.value(count), simulation.events) == (pytest.approx(0.5), 0.0, [])
    simulation.advance(1)
    assert (simulation.state.x, simulation.value(count)) == (pytest.approx(5.5), 1.0)
    assert tries == [1.0, 1.0]
    assert [event.name for event in simulation.events] == ["leap"]


def test_an_interrupt_inside_a_reset_ends_the_run_before_it() -> None:
    _, x, automaton, mode = moving()

    def interrupted(moment: detent.Moment) -> None:
        raise KeyboardInterrupt

    automaton.transition("leap", mode, mode, when=x >= 0.5, reset=interrupted)
    simulation = detent.Simulation(automaton)
    for _ in range(2):  # and it stays ended
        with pytest.raises(detent.SimulationError, match=r"stopped at t = 0\.5 of 1") as caught:
            simulation.advance(1)
        assert caught.value.run is not None
        assert caught.value.run.outcome.word == "interrupted"
        assert caught.value.run.final.x == pytest.approx(0.5)
        assert len(caught.value.run.events) == 0


def test_a_run_of_too_many_steps_keeps_its_events() -> None:
    _, x, automaton, mode = oscillator()
    automaton.transition("pass", mode, mode, when=x)
    with pytest.raises(detent.SimulationError, match="more steps than allowed") as caught:
        detent.simulate(automaton, 1000, most_steps=50)
    run = caught.value.run
    assert run is not None
    expected = np.arange(0.5, run.final.time / np.pi) * np.pi
    np.testing.assert_allclose([time for _, time in taken(run)], expected, atol=1e-7)
    assert detent.simulate(automaton, 1000, most_steps=50, check=False).outcome.word == "too-many-steps"


def test_rows_added_during_a_run_have_room_for_their_impulses() -> None:
    """400 rows come while the run goes on, in the middle of an excursion too; earlier impulses stay as they were."""
    system, x, automaton, moving_on = moving()
    system.constrain(detent.holonomic("stop", x - 0.5), active=False)
    automaton.transition("bounce", moving_on, moving_on, when=x >= 0.5, reset=detent.Impact("stop", restitution=1))
    simulation = detent.Simulation(automaton)
    simulation.advance(1)
    rows = {f"row{number}": x + 0.5 for number in range(400)}

    def add(_: Any) -> None:
        wall = automaton.mode("wall", [detent.holonomic("wall", **rows)])
        automaton.transition("strike", back, wall, when=x <= -0.5, reset=detent.Impact())

    back = automaton.mode("back")
    automaton.transition("turn", moving_on, back, when=x <= -0.25, reset=[detent.Impact("stop", restitution=1), add])
    automaton.transition("again", back, back, when=x >= 0.5, reset=detent.Impact("stop", restitution=1))
    simulation.advance(3.5)
    events = [event for event in simulation.events if event.kind in ("transition", "impact")]
    assert [event.name for event in events] == ["bounce", "turn", "again", "strike"]
    assert [event.details["impulse of stop"] for event in events[:3]] == pytest.approx([-2.0, 2.0, -2.0], rel=1e-12)
    impulses = [value for name, value in events[-1].details.items() if name.startswith("impulse of wall.row")]
    assert len(impulses) == 400
    assert sum(impulses) == pytest.approx(1.0, rel=1e-12)
    assert simulation.mode == "wall"
    assert simulation.state["x_rate"] == 0.0


def test_an_impact_is_given_room_for_all_its_impulses() -> None:
    automaton = ball(0.5)
    simulation = detent.Simulation(automaton)
    assert isinstance(simulation._director, AutomatonDirector)
    impacts = simulation._director._tables.plans.impacts
    strike = impacts.map_of("bounce", "flight", detent.Impact("floor"), (), (), np.zeros(3))
    with pytest.raises(
        ValueError, match="leaves 1 impulses and was given 0 numbers of type float64; give a contiguous"
    ):
        strike.map.leave_impulses_in(np.zeros(0))
    with pytest.raises(ValueError, match="of type int64"):
        strike.map.leave_impulses_in(np.zeros(1, dtype=np.int64))
