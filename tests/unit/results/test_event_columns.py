"""Events kept as columns read as if each were an object of its own."""

from __future__ import annotations

import numpy as np

from detent.results.event import Event, EventLog, append_event
from detent.results.event_columns import EventSort, GrowingEvents

MIXED = [
    Event(0.0, "start", "moved: x", "", ""),
    Event(0.5, "impact", "floor", "flight", "flight", {"energy": -1.5, "impulse of floor": 2.0}),
    Event(0.5, "transition", "stops", "flight", "rest", {"why": "slow", "speed": 0.25}),
    Event(0.75, "impact", "floor", "flight", "flight", {"energy": -0.5, "impulse of floor": 1.0}),
    Event(1.0, "impact", "wall", "flight", "flight"),
]


def test_what_was_put_down_is_read_again() -> None:
    log = EventLog(MIXED)
    assert list(log) == MIXED
    assert log == EventLog(MIXED)
    assert hash(log) == hash(EventLog(MIXED))
    assert log[-1] == MIXED[-1]
    assert list(log[1:4:2]) == MIXED[1:4:2]
    assert [dict(event.details) for event in log] == [event.details for event in MIXED]


def test_some_events_are_found_by_name_and_kind() -> None:
    log = EventLog(MIXED)
    assert list(log.named("floor")) == [MIXED[1], MIXED[3]]
    assert list(log.of_kind("impact")) == [MIXED[1], MIXED[3], MIXED[4]]
    assert list(log.of_kind("impact").named("floor")[1:]) == [MIXED[3]]
    assert log.times.tolist() == [0.0, 0.5, 0.5, 0.75, 1.0]
    assert log.counts == {"start": 1, "impact": 3, "transition": 1}
    assert log.of_kind("impact").counts == {"impact": 3}


def test_many_at_once_are_the_same_as_one_by_one() -> None:
    floor, wall = (
        EventSort("impact", "floor", "a", "b", ("energy", "impulse")),
        EventSort("transition", "wall", "b", "a"),
    )
    events = GrowingEvents()
    append_event(events, MIXED[2])
    numbers = np.array(
        [events.number_of(wall), events.number_of(floor), events.number_of(wall), events.number_of(floor)]
    )
    details = {events.number_of(floor): np.array([[1.0, 2.0], [3.0, 4.0]]), events.number_of(wall): np.empty((2, 0))}
    events.extend(np.array([1.0, 2.0, 3.0, 4.0]), numbers, details)
    expected = [
        MIXED[2],
        Event(1.0, "transition", "wall", "b", "a"),
        Event(2.0, "impact", "floor", "a", "b", {"energy": 1.0, "impulse": 2.0}),
        Event(3.0, "transition", "wall", "b", "a"),
        Event(4.0, "impact", "floor", "a", "b", {"energy": 3.0, "impulse": 4.0}),
    ]
    assert list(EventLog.of(events.columns)) == expected


def test_events_that_are_let_go_leave_the_others_as_they_were() -> None:
    events = GrowingEvents()
    for number in range(200):
        append_event(
            events, Event(number, "transition", f"number {number}", "a", "b", {"n": number, "word": f"w{number}"})
        )
    before = EventLog.of(events.columns)
    size = events.nbytes
    events.forget_before(190.0)
    assert [event.details["word"] for event in EventLog.of(events.columns)] == [f"w{n}" for n in range(190, 200)]
    assert (len(events), events.let_go) == (10, 190)
    assert events.nbytes < size / 10
    assert [event.name for event in before] == [f"number {number}" for number in range(200)]
