"""Contacts that are read off a live run are those that a run of it tells afterwards."""

from __future__ import annotations

import numpy as np
import pytest

import detent
from detent.simulation.live_touches import LiveTouches


@pytest.mark.parametrize(
    ("name", "seconds"),
    [("disk-on-ramp-contact", 0.1), ("rocking-block", 0.3), ("v-groove", 0.7), ("bouncing-ball-contact", 0.2)],
)
def test_points_and_forces_are_those_of_the_run(name: str, seconds: float) -> None:
    """Slipping, sticking, sharing their forces, open: by another solver than that of the run, to its rounding."""
    live = detent.Live(detent.example(name).system, clock=detent.SimulatedClock())
    live.advance(seconds)
    now = LiveTouches(live).now()
    assert now is not None
    run = live.recording.replay()
    courses = {course.place: course for contact in run.contacts.values() for course in contact.values()}
    for number, place in enumerate(now.names):
        course = courses[place]
        assert now.closed[number] == (course.status[-1] > 0)
        if now.closed[number]:
            np.testing.assert_allclose(now.points[number], course.point[-1], atol=1e-15)
        size = np.linalg.norm(course.force[-1])
        np.testing.assert_allclose(now.forces[number], course.force[-1], atol=1e-12 * max(1.0, size))
    assert now.closed.any() == (live.mode != "free")


def test_without_contacts_there_is_nothing_to_read() -> None:
    live = detent.Live(detent.example("kneed-walker").automaton, clock=detent.SimulatedClock())
    assert LiveTouches(live).now() is None
