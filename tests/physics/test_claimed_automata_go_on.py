"""Automata with contacts whose modes the kernel has claimed: gone on with from files, live, and with what is added."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import detent
from detent.simulation.claimed_running import ClaimedRunning
from tests.physics.contact_scenes import ball
from tests.physics.random_automata import UNTIL, random_automaton
from tests.physics.test_automata_with_contacts import caught_disk, gripper, hopper
from tests.physics.test_claimed_modes import made_in_python

FIXED: dict[str, Any] = {"method": "rk4", "step": 1e-3, "embedding": "symbolic"}


def bits(simulation: detent.Simulation) -> tuple[bytes, str, list[str]]:
    """Where a run stands, and what happened; remarks are made once in each run, also in one that goes on."""
    told = [repr(event) for event in simulation.result().events if event.kind != "remark"]
    return simulation._context.instant.state.tobytes(), simulation.mode, told


def runs_claimed(simulation: detent.Simulation) -> bool:
    running = simulation._standing.mode.running
    return isinstance(running, ClaimedRunning) and running.own is None


# -- checkpoints ------------------------------------------------------------------------------------


def check_resumed(make: Callable[[], detent.Automaton], stops: list[float], until: float, folder: Path) -> int:
    """Gone on with from files at some times, a run ends as if nothing had been written; how often it stood in a mode
    as it was claimed."""
    whole, claimed = detent.Simulation(make(), **FIXED), 0
    for number, stop in enumerate(stops):
        whole.advance(stop)
        claimed += runs_claimed(whole)
        whole.checkpoint(folder / f"{number}.json")
    whole.advance(until)
    for number in range(len(stops)):
        rest = detent.resume(make(), folder / f"{number}.json")
        for stop in (*stops[number + 1 :], until):  # a step ends there, too
            rest.advance(stop)
        state, mode, events = bits(rest)
        assert (state, mode) == bits(whole)[:2]
        assert events == bits(whole)[2][-len(events) :] or not events
    return claimed


@pytest.mark.parametrize(
    ("make", "stops"),
    [
        (lambda: hopper(0.2, 8.0), [0.1, 0.205, 0.225, 0.3, 0.5]),
        (lambda: caught_disk(0.8, 0.5, 0.2), [0.1, 0.21, 0.3, 0.51, 0.6]),
    ],
)
def test_a_claimed_mode_of_an_automaton_goes_on_from_a_file_to_the_same_bits(
    make: Callable[[], detent.Automaton], stops: list[float], tmp_path: Path
) -> None:
    assert check_resumed(make, stops, 0.9, tmp_path) >= 2


def resumes(seed: int, folder: Path) -> bool:
    """Whether a random automaton could be run to its end; if so, it goes on from files."""
    stops = np.sort(np.random.default_rng(seed).uniform(0, UNTIL, 4)).tolist()
    try:
        check_resumed(lambda: random_automaton(seed), stops, UNTIL, folder)
    except detent.DetentError:
        return False
    return True


def test_a_random_automaton_goes_on_from_a_file_to_the_same_bits(tmp_path: Path) -> None:
    assert resumes(2, tmp_path)


@pytest.mark.slow
def test_many_random_automata_go_on_from_files_to_the_same_bits(tmp_path: Path) -> None:
    assert sum(resumes(seed, tmp_path) for seed in range(100)) > 50


# -- live -------------------------------------------------------------------------------------------


def replays(seed: int) -> bool:
    """Whether a random automaton could be run live to its end; if so, it is replayed to the same bits."""
    try:
        live = detent.Live(random_automaton(seed), clock=detent.SimulatedClock())
        live.advance(UNTIL)
    except detent.DetentError:
        return False
    assert live.recording.replay().final.values.tobytes() == live.state.values.tobytes()
    return True


def test_a_random_automaton_is_replayed_to_the_same_bits() -> None:
    assert replays(2)


@pytest.mark.slow
def test_many_random_automata_are_replayed_to_the_same_bits() -> None:
    assert sum(replays(seed) for seed in range(100)) > 50


# -- what is added and changed ----------------------------------------------------------------------


def test_a_transition_added_in_a_claimed_mode_is_taken_there_and_in_those_that_were_left() -> None:
    """As if it had been declared: the run stands in a claimed mode, and comes back later to one that it has left."""

    def added(automaton: detent.Automaton) -> None:
        time = automaton.system.time
        automaton.mode("through", contacts=[])
        automaton.transition("shot", "flight", "through", when=time >= 0.62)

    whole = hopper(0.2, 8.0)
    added(whole)
    theirs = detent.Simulation(whole, **FIXED)
    theirs.advance(0.8)
    ours = detent.Simulation(hopper(0.2, 8.0), **FIXED)
    ours.advance(0.205)
    assert runs_claimed(ours)
    assert ours.automaton is not None
    added(ours.automaton)
    ours.advance(0.8)
    assert ours.mode == theirs.mode == "through"
    one, other = ours.result().events, theirs.result().events
    assert [event.name for event in one] == [event.name for event in other]
    np.testing.assert_allclose(one.times, other.times, rtol=0, atol=1e-12)
    np.testing.assert_allclose(ours._context.instant.state, theirs._context.instant.state, rtol=0, atol=1e-10)


def test_contacts_that_come_and_go_in_a_claimed_mode_lead_where_those_of_python_lead(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def steered() -> detent.Run:
        system = ball(0.3)
        body, ground = system.bodies["ball"], system.ground
        system.force("wind", body, 3 * ground.x, active=False)
        automaton = detent.Automaton(system)
        calm, windy = automaton.mode("calm"), automaton.mode("windy", loads=["wind"])
        automaton.transition("wind rises", calm, windy, when=system.time >= 0.6)
        simulation = detent.Simulation(automaton, embedding="symbolic")
        simulation.advance(0.7)
        simulation.contact("ball|wall", body.point(), ground.line(at=(0.3, 0), along="y"), impact=detent.Poisson(0.5))
        simulation.advance(1.5)
        simulation.release("ball|floor")
        simulation.advance(1.7)
        return simulation.result()

    ours = steered()
    made_in_python(monkeypatch)
    theirs = steered()
    assert len(ours.events) == len(theirs.events)
    assert [event.name for event in ours.events] == [event.name for event in theirs.events]
    np.testing.assert_allclose(ours.events.times, theirs.events.times, rtol=0, atol=1e-9)
    assert ours.x[-1] == pytest.approx(theirs.x[-1], abs=1e-9)
    assert ours.y[-1] < 0.0


@pytest.mark.parametrize("make", [lambda: gripper(6.0), lambda: hopper(0.2, 8.0), lambda: random_automaton(2)])
def test_the_automaton_as_visited_is_drawn_as_with_modes_made_in_python(
    make: Callable[[], detent.Automaton], monkeypatch: pytest.MonkeyPatch
) -> None:
    def drawn() -> str:
        automaton = make()
        return str(detent.draw_automaton(automaton, run=detent.simulate(automaton, until=1.0)).text())

    ours = drawn()
    made_in_python(monkeypatch)
    assert ours == drawn()
