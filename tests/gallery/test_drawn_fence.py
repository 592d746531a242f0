"""The fence that is drawn on the way, as a contact: the published times, and those of the arc it is drawn after."""

from __future__ import annotations

import math

import numpy as np
import pytest

import detent
from detent.gallery.drawn_fence import POINTS, arc, build

R, r, LENGTH, TILT = 20.0, 1.0, 25.0, math.pi / 12


@pytest.fixture(scope="module")
def run() -> detent.Run:
    return build().simulate()


def times_of(run: detent.Run, name: str) -> list[float]:
    return [event.time for event in run.events if name in event.name]


def test_the_published_times_come_out(run: detent.Run) -> None:
    """7.7 s and 9.0 s (Gillespie and others 2006, section 6.2)."""
    on, off = times_of(run, "disk|fence")
    assert (round(on, 1), round(off, 1)) == (7.7, 9.0)


def test_they_are_those_of_the_arc_to_the_error_of_a_spline(run: detent.Run) -> None:
    """A cubic spline through points of an arc, h apart, is off by 5/384 h^4/R^3 (Hall and Meyer 1976), at its ends by
    some ten times as much, and its slope by h^3/(24 R^3) times as much more."""
    exact = detent.example("adjustable-fence").simulate(rtol=1e-10)
    on, off = times_of(run, "disk|fence")
    reached, left = (event.time for event in exact.events.of_kind("transition"))
    spacing = LENGTH / (POINTS - 1)
    slope = 10 * spacing**3 / (24 * R**3)
    assert times_of(run, "disk|ramp")[0] == pytest.approx(reached, abs=1e-9)
    # The first touch is a kink of that slope in the way; from P to the touch the gap opens and closes again.
    assert reached <= on <= reached + 2 * slope * 19.6 / 9.8
    assert off == pytest.approx(left, abs=(LENGTH / 15.0) * slope)


def test_nothing_is_lost_where_ramp_and_fence_meet(run: detent.Run) -> None:
    energy = run["energy"]
    assert np.ptp(energy) < 1e-6 * abs(energy).max() + 196.0 * (10 * (LENGTH / 15) ** 3 / (24 * R**3)) ** 2 * 10


def test_the_disk_falls_freely_from_the_end_of_the_ramp_to_the_fence(run: detent.Run) -> None:
    """Below the line of the ramp by g cos(tilt) t^2/2: the ramp, once left, holds it no more."""
    assert [event.name for event in run.events if event.kind != "input"] == [
        "disk|ramp piece 1: slip -> open", "disk|fence side: open -> slip", "disk|fence side: slip -> open",
    ]  # fmt: skip
    left, touched = times_of(run, "disk|ramp")[0], times_of(run, "disk|fence")[0]
    fallen = -9.8 * math.cos(TILT) * (touched - left) ** 2 / 2
    at = run.at(touched)
    assert at["q2"] * math.cos(TILT) - at["q1"] * math.sin(TILT) == pytest.approx(fallen, abs=1e-13)


def test_a_fence_that_comes_too_late_is_not_met() -> None:
    run = build().simulate(parameters={"known": 9.0})
    assert times_of(run, "disk|fence side") == []
    assert run.final.q2 < -20.0


def test_the_arc_goes_from_its_far_end_to_the_ramp() -> None:
    places = np.array(arc({"tilt": TILT, "L": 75.0, "R": R, "Lf": LENGTH}))
    assert places[-1] == pytest.approx([-75 * math.cos(TILT), -75 * math.sin(TILT)], abs=1e-12)
    center = places[-1] + R * np.array([-math.sin(TILT), math.cos(TILT)])
    assert np.hypot(*(places - center).T) == pytest.approx(np.full(POINTS, R), abs=1e-12)


def test_bad_values_are_named() -> None:
    with pytest.raises(detent.DetentError, match=r"the fence is drawn at known = -1\.0 .*make known zero or later"):
        build().simulate(parameters={"known": -1.0})
