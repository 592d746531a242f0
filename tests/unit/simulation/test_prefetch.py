"""Modes made ready in the background: which, in what order, and without any effect on the result."""

from __future__ import annotations

import math
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import pytest

import detent
from detent.hybrid.mode import Mode
from detent.simulation import prefetch
from detent.simulation.automaton_director import AutomatonDirector
from detent.simulation.prefetch import Prefetcher
from tests.unit.hybrid.models import moving, particle

Task = Callable[[], None]


def at_once(task: Task) -> Future[None]:
    """As the background, but done when it is asked for."""
    task()
    return Future()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The modes that are asked for, in their order; none is prepared."""
    names: list[str] = []

    def note(task: Any) -> Future[None]:
        names.append(task.args[0].name)
        return Future()

    monkeypatch.setattr(prefetch, "in_background", note)
    return names


def fork() -> tuple[detent.Automaton, dict[str, Any]]:
    """A particle at 1 m/s with several things ahead and one behind it."""
    _, x, automaton, mode = moving()
    made = {}
    for name, place in (("third", 3), ("first", 1), ("behind", -1), ("second", 2)):
        made[name] = automaton.transition(f"to {name}", mode, automaton.mode(name), when=x - place)
    automaton.transition("further", "first", automaton.mode("beyond"), when=x - 5)
    return automaton, made


def test_a_guard_is_as_far_away_as_its_value_over_its_rate() -> None:
    automaton, transitions = fork()
    simulation = detent.Simulation(automaton, modes="ahead")
    simulation.advance(0.25)
    assert isinstance(simulation._director, AutomatonDirector)
    prefetcher = simulation._director._prefetcher
    assert prefetcher is not None
    seconds = {name: prefetcher.seconds_to(transition) for name, transition in transitions.items()}
    assert seconds == {
        "first": pytest.approx(0.75),
        "second": pytest.approx(1.75),
        "third": pytest.approx(2.75),
        "behind": math.inf,
    }


def test_what_can_come_next_is_asked_for_once_the_nearest_first(asked: list[str]) -> None:
    automaton, _ = fork()
    simulation = detent.Simulation(automaton, modes="ahead")
    asked.clear()  # before the first step nothing is known of the guards
    assert isinstance(simulation._director, AutomatonDirector)
    prefetcher = simulation._director._prefetcher
    assert prefetcher is not None
    prefetcher._asked.clear()
    simulation.advance(0.5)
    assert asked == ["first", "second", "third", "behind"]
    simulation.advance(1.5)
    assert asked == ["first", "second", "third", "behind", "beyond"]


def test_where_an_accumulation_leads_is_asked_for_too(asked: list[str]) -> None:
    detent.example("bouncing-ball").simulate(modes="ahead", until=0.1)
    assert asked == ["rest"]


def test_nothing_is_asked_for_where_it_is_not_wanted(asked: list[str]) -> None:
    automaton, _ = fork()
    detent.simulate(automaton, 1.5)
    assert asked == []


@pytest.mark.parametrize("embedding", ["symbolic", "numeric"])
@pytest.mark.parametrize("name", ["kneed-walker", "conveyor-pendulum", "detent-escapement"])
def test_the_same_bits_whether_it_is_early_late_or_never(
    monkeypatch: pytest.MonkeyPatch, name: str, embedding: Any
) -> None:
    example, settings = detent.example(name), {"until": 2.0, "embedding": embedding}
    runs = [example.simulate(**settings), example.simulate(**settings, modes="ahead")]
    for background in (at_once, lambda task: Future()):
        monkeypatch.setattr(prefetch, "in_background", background)
        runs.append(detent.example(name).simulate(**settings, modes="ahead"))
    for run in runs[1:]:
        assert run.trajectory.state.tobytes() == runs[0].trajectory.state.tobytes()
        assert run.events == runs[0].events


@pytest.mark.parametrize("embedding", ["symbolic", "numeric"])
def test_the_timing_tells_what_was_ready(monkeypatch: pytest.MonkeyPatch, embedding: Any) -> None:
    monkeypatch.setattr(prefetch, "in_background", at_once)
    run = detent.example("disk-on-ramp").simulate(modes="ahead", embedding=embedding)
    assert run.timing is not None
    told = {mode.mode: mode.prefetched for mode in run.timing.modes}
    assert len(told) > 2
    first = run.timing.modes[0].mode
    assert not told.pop(first)
    assert all(told.values())
    alone = detent.example("disk-on-ramp").simulate(embedding=embedding)
    assert alone.timing is not None
    assert not any(mode.prefetched for mode in alone.timing.modes)


def test_all_modes_are_prepared_before_a_precompiled_run() -> None:
    example = detent.example("disk-on-ramp")
    assert example.automaton is not None
    simulation = detent.Simulation(example.automaton, modes="all", embedding="symbolic")
    assert isinstance(simulation._director, AutomatonDirector)
    assert set(simulation._director._tables.built) == set(example.automaton.modes.values())


def test_what_goes_wrong_in_the_background_does_not_harm_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = detent.example("disk-on-ramp").simulate()

    def fails(self: Prefetcher, mode: Mode, *_: Any) -> None:
        raise RuntimeError(f"no luck with {mode}")

    monkeypatch.setattr(Prefetcher, "_prepare", fails)
    run = detent.example("disk-on-ramp").simulate(modes="ahead")
    assert run.trajectory.state.tobytes() == alone.trajectory.state.tobytes()


def test_a_mode_that_cannot_be_does_not_harm_a_run_that_does_not_enter_it() -> None:
    """Its constraints contradict one another: that is told where it is entered, and not before."""
    system, x = particle(x_rate=1.0)
    automaton = detent.Automaton(system)
    free = automaton.mode("free")
    rails = [detent.holonomic("still", x - 5), detent.holonomic("moving", x - 5 * system.time)]
    automaton.transition("caught", free, automaton.mode("caught", rails), when=x - 5, reset=detent.Impact())
    assert detent.simulate(automaton, 2, modes="ahead").outcome.word == "completed"
    with pytest.raises(detent.DetentError, match=r"transition 'caught'.*contradict"):
        detent.simulate(automaton, 6, modes="ahead")
