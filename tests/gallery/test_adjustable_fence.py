"""The adjustable fence: learned on the way, reached and left when the closed forms say."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import quad

import detent
from detent.gallery.adjustable_fence import build
from tests.physics.bounds import accumulated

EMBEDDINGS = ["symbolic", "numeric", "live"]
G, TILT, R, r, L, LENGTH = 9.8, math.pi / 12, 20.0, 1.0, 75.0, 25.0
REACHED = math.sqrt(2 * L / (G * math.sin(TILT)))
SPEED = G * math.sin(TILT) * REACHED


def speed_on_fence(angle: float, radius: float = R) -> float:
    """The speed of the centre (m/s) where the fence has turned by an angle, from the energy."""
    rise = (radius - r) * (math.cos(TILT) - math.cos(angle - TILT))
    return math.sqrt(SPEED**2 - 2 * G * rise)


def time_on_fence(angle: float, radius: float = R) -> float:
    """How long the centre takes (s) from P to an angle of the fence."""
    return float(quad(lambda a: (radius - r) / speed_on_fence(a, radius), 0, angle, epsabs=1e-13, epsrel=1e-13)[0])


@pytest.mark.parametrize("embedding", EMBEDDINGS)
def test_the_published_times_come_out(embedding: str) -> None:
    run = build().simulate(rtol=1e-10, embedding=embedding)
    on, off = run.events.of_kind("transition")
    assert [(e.source, e.target) for e in (on, off)] == [("ramp", "fence"), ("fence", "free")]
    np.testing.assert_allclose([on.time, off.time], [7.6901440750645, 8.977288745166], rtol=0, atol=1e-9)
    for event, speed in ((on, 19.505486312848), (off, 15.021491467558)):
        now = run.at(event.time)
        assert math.hypot(now.u1, now.u2) == pytest.approx(speed, abs=1e-8)


def test_the_times_and_speeds_are_those_of_the_energy() -> None:
    run = build().simulate(rtol=1e-11)
    on, off = run.events.of_kind("transition")
    assert on.time == pytest.approx(REACHED, abs=1e-12)
    assert off.time == pytest.approx(REACHED + time_on_fence(LENGTH / R), abs=10 * accumulated(run))
    now = run.at(off.time)
    assert math.hypot(now.u1, now.u2) == pytest.approx(speed_on_fence(LENGTH / R), rel=accumulated(run))


@pytest.mark.parametrize("embedding", EMBEDDINGS)
def test_energy_and_constraints_are_kept(embedding: str) -> None:
    run = build().simulate(rtol=1e-10, embedding=embedding)
    assert run.audit.energy_balance < accumulated(run)
    assert run.audit.position_residual < 1e-12
    assert run.audit.velocity_residual < 1e-12
    assert np.ptp(run.q3) == 0.0


def test_the_force_on_the_disk_is_normal_and_jumps_to_that_of_the_arc() -> None:
    run = build().simulate(rtol=1e-11)
    x, y = (run.reactions[f"ramp.{axis}"] for axis in "xy")
    there = ~np.isnan(x)
    np.testing.assert_allclose((y * math.cos(TILT) - x * math.sin(TILT))[there], G * math.cos(TILT), rtol=1e-10)
    np.testing.assert_allclose((x * math.cos(TILT) + y * math.sin(TILT))[there], 0.0, rtol=0, atol=1e-10)
    x, y = (run.reactions[f"fence.{axis}"] for axis in "xy")
    there = ~np.isnan(x)
    slope = ((run.q4 - L) / R - TILT)[there]
    expected = [G * math.cos(a) + speed_on_fence(a + TILT) ** 2 / (R - r) for a in slope]
    np.testing.assert_allclose(x[there] * np.sin(slope) + y[there] * np.cos(slope), expected, rtol=1e-8)
    np.testing.assert_allclose(x[there] * np.cos(slope) - y[there] * np.sin(slope), 0.0, rtol=0, atol=1e-10)


def test_only_the_path_rate_jumps_at_the_fence() -> None:
    run = build().simulate(rtol=1e-10)
    on = run.events.of_kind("transition")[0]
    before, after = (run.trajectory.state[np.flatnonzero(run.t == on.time)[place]] for place in (0, -1))
    names = run.layout.names
    changed = {name: after[i] / before[i] for i, name in enumerate(names) if abs(after[i] - before[i]) > 1e-12}
    assert changed == pytest.approx({"u4": R / (R - r)}, rel=1e-12)


def test_the_fence_is_not_known_before_its_time() -> None:
    example = build()
    assert example.automaton is not None
    assert len(example.simulate(until=7).events) == 0
    assert list(example.automaton.modes) == ["ramp", "free"]


def test_the_same_example_runs_again_to_the_same_bits() -> None:
    example = build()
    first, second = example.simulate(), example.simulate()
    assert first.events == second.events
    np.testing.assert_array_equal(first.trajectory.state, second.trajectory.state)
    late = example.simulate(parameters={"known": 8})
    assert [event.name for event in late.events] == ["ramp ends"]


def test_a_fence_that_comes_too_late_is_missed() -> None:
    run = build().simulate(parameters={"known": 8}, rtol=1e-10)
    (left,) = run.events.of_kind("transition")
    assert (left.name, left.target) == ("ramp ends", "free")
    flown = run.final.time - REACHED
    assert run.final.u2 == pytest.approx(-SPEED * math.sin(TILT) - G * flown, rel=1e-9)
    assert run.final.q4 == pytest.approx(L, rel=1e-12)


def test_a_long_shallow_fence_sends_the_disk_back_up_the_ramp() -> None:
    radius = 30.0
    run = build().simulate(parameters={"R": radius, "Lf": 60}, until=23, rtol=1e-11)
    on, back = run.events.of_kind("transition")[:2]
    assert (back.name, back.target) == ("back on the ramp", "ramp")
    now = run.at(back.time)
    assert math.hypot(now.u1, now.u2) == pytest.approx(SPEED, rel=accumulated(run))
    top = run.at(back.time + on.time)  # what went down comes up again, and there it stands
    assert abs(top.q4) < 1e3 * accumulated(run)
    assert abs(top.u4) < 1e3 * accumulated(run)


def test_past_the_vertical_the_disk_lifts_off_where_the_normal_force_ends_and_lands_plastically() -> None:
    radius = 10.0
    run = build().simulate(parameters={"R": radius, "Lf": 30}, until=12, rtol=1e-11)
    changes = [event for event in run.events if event.kind in ("transition", "impact")]
    assert [event.name for event in changes[:3]] == ["reaches the fence", "lifts off the fence", "lands"]
    # v^2 = -(R - r) g cos(a), a the slope of the fence there, with v^2 from the energy.
    cosine = (2 * G * (radius - r) * math.cos(TILT) - SPEED**2) / (3 * G * (radius - r))
    turned = (run.at(changes[1].time).q4 - L) / radius
    assert math.cos(turned - TILT) == pytest.approx(cosine, abs=1e-9)
    before, after = (np.flatnonzero(run.t == changes[2].time)[place] for place in (0, -1))
    across = -run.u1[before] * math.sin(TILT) + run.u2[before] * math.cos(TILT)
    assert across < -1
    assert run.kinetic[after] - run.kinetic[before] == pytest.approx(-(across**2) / 2, rel=1e-9)


@pytest.mark.parametrize("values", [{"known": -1}, {"R": 0.5}, {"Lf": 0}])
def test_a_fence_that_cannot_be_is_refused(values: dict[str, float]) -> None:
    with pytest.raises(detent.ValueProblem, match=r"known zero or later, R greater than the disk's radius r = 1\.0"):
        build().simulate(parameters=values)
