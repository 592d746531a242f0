"""Modes and transitions of a run, counted from its events."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from detent.results import Event, EventLog, Run
from detent.results.visits import Passage, Stay, Visit, passages, stays, visits


def with_events(stone: Run, mode: str, *events: Event) -> Run:
    return replace(stone, events=EventLog(events), mode=mode)


def test_visits_follow_one_another_and_cover_the_run(stone: Run) -> None:
    run = with_events(
        stone, "b",
        Event(0.25, "transition", "go", "a", "b"), Event(0.5, "impact", "hit", "b", "a"),
        Event(0.5, "transition", "go", "a", "b"), Event(0.75, "impact", "hop", "b", "b"),
    )  # fmt: skip
    found = visits(run)
    assert found == (Visit("a", 0.0, 0.25), Visit("b", 0.25, 0.5), Visit("a", 0.5, 0.5), Visit("b", 0.5, 1.25))
    assert sum(visit.duration for visit in found) == run.t[-1] - run.t[0]


def test_times_in_modes_add_up_to_the_run(stone: Run) -> None:
    run = with_events(stone, "a", Event(0.25, "transition", "go", "a", "b"), Event(1.0, "transition", "back", "b", "a"))
    assert stays(run) == {"a": Stay(2, 0.5), "b": Stay(1, 0.75)}


def test_a_self_transition_is_counted_and_ends_no_visit(stone: Run) -> None:
    assert visits(stone) == (Visit("flight", 0.0, 1.25),)
    assert passages(stone) == {Passage("impact", "floor", "flight", "flight"): (1.0,)}


def test_what_changes_no_mode_and_is_no_transition_is_not_counted(stone: Run) -> None:
    run = with_events(
        stone, "a", Event(0.0, "start", "moved", "", ""), Event(0.5, "reselection", "independent: u1", "a", "a"),
        Event(0.5, "input", "push", "a", "a"),
    )  # fmt: skip
    assert passages(run) == {}
    assert visits(run) == (Visit("a", 0.0, 1.25),)


def test_a_run_that_kept_some_times_only_still_has_all_its_visits(stone: Run) -> None:
    kept = replace(
        stone.trajectory, time=np.array([0.75, 1.0]), state=stone.trajectory.state[:2], rate=np.zeros((2, 3)),
        dense=None,
    )  # fmt: skip
    run = replace(
        stone, trajectory=kept, kinetic=np.zeros(2), potential=np.zeros(2), mode="b",
        events=EventLog([Event(0.5, "transition", "go", "a", "b")]),
    )  # fmt: skip
    assert [visit.duration for visit in visits(run)] == [0.0, 0.5]
