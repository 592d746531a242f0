"""The disk on the ramp: the times of the published run, and the closed forms of sliding and rolling."""

from __future__ import annotations

import math

import numpy as np
import pytest

import detent
from detent.gallery.disk_on_ramp import build, sliding_ends
from tests.physics.bounds import accumulated

EMBEDDINGS = ["symbolic", "numeric", "live"]
TILT, G, MU = math.pi / 12, 9.8, 0.2
PUBLISHED = [
    ("slide", "roll", 0.36513805471686),
    ("roll", "slide freely", 1.7195749674483),
    ("slide freely", "slide", 4.1578736158038),
    ("slide", "roll", 6.125464535146),
]


@pytest.mark.parametrize("embedding", EMBEDDINGS)
def test_the_published_times_come_out(embedding: str) -> None:
    run = build().simulate(rtol=1e-10, embedding=embedding)
    changes = run.events.of_kind("transition")
    assert [(event.source, event.target) for event in changes] == [(before, after) for before, after, _ in PUBLISHED]
    np.testing.assert_allclose([event.time for event in changes], [t for *_, t in PUBLISHED], rtol=0, atol=1e-11)
    first, last = run.at(changes[0].time), run.at(changes[3].time)
    np.testing.assert_allclose([first.q1, first.u1], [16.260673652774, 5.3825694066709], rtol=0, atol=1e-11)
    assert last.q1 == pytest.approx(14.670582367968, abs=1e-10)
    assert run.mode == "roll"


@pytest.mark.parametrize("embedding", EMBEDDINGS)
def test_energy_and_constraints_are_kept(embedding: str) -> None:
    run = build().simulate(rtol=1e-10, embedding=embedding)
    assert run.audit.energy_balance < accumulated(run)
    assert run.audit.position_residual < 1e-13
    assert run.audit.velocity_residual < 1e-13
    rolls = ~np.isnan(run.reactions["rolling"])
    assert rolls.any()
    np.testing.assert_allclose((run.u1 + run.u2)[rolls], 0.0, rtol=0, atol=1e-13)


def test_the_normal_force_is_that_of_the_model_and_rolling_stays_in_the_cone() -> None:
    run = build().simulate(rtol=1e-10)
    normal, needed = run.reactions["ramp"], run.reactions["rolling"]
    np.testing.assert_allclose(normal, G * math.cos(TILT), rtol=1e-12)
    rolls = ~np.isnan(needed)
    # m u1' = F - m g sin(tilt) and (J/r^2) u1' = -F give F = m g sin(tilt)/(1 + m r^2/J).
    np.testing.assert_allclose(needed[rolls], G * math.sin(TILT) / 3, rtol=1e-12)
    assert needed[rolls].max() < MU * normal.min()
    assert needed[rolls].max() > MU * G * math.sin(TILT)  # with the printed normal force it could not roll


@pytest.mark.parametrize(("u1", "u2", "side"), [(7.0, -4.0, 1.0), (2.0, -6.0, -1.0), (-1.0, 5.0, 1.0)])
def test_slip_ends_after_the_time_of_constant_forces(u1: float, u2: float, side: float) -> None:
    run = build().simulate(start={"u1": u1, "u2": u2, "side": side}, until=5, rtol=1e-10, parameters={"L": 100})
    expected = sliding_ends(u1 + u2, side, m=1, J=0.5, r=1, tilt=TILT, g=G, mu=MU)
    assert run.events[0].name == "slip ends"
    assert run.events[0].time == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(("more", "name"), [(1 + 1e-9, "slip ends"), (1 - 1e-9, "slip turns")])
def test_it_rolls_only_if_rolling_asks_for_no_more_than_the_cone(more: float, name: str) -> None:
    least = math.tan(TILT) / 3  # F = m g sin(tilt)/3 against N = m g cos(tilt)
    run = build().simulate(until=3, rtol=1e-10, parameters={"mu": more * least, "L": 1000})
    expected = sliding_ends(3.0, 1.0, m=1, J=0.5, r=1, tilt=TILT, g=G, mu=more * least)
    assert [event.name for event in run.events] == [name]
    assert run.events[0].time == pytest.approx(expected, rel=1e-11)


def test_without_friction_above_the_mark_the_spin_stays() -> None:
    run = build().simulate(rtol=1e-10)
    free = (run.t > 1.7195749674483) & (run.t < 4.1578736158038)
    assert free.any()
    np.testing.assert_allclose(run.u2[free], run.u2[free][0], rtol=1e-14)


def test_a_disk_that_starts_rolling_rolls_up_to_the_mark() -> None:
    run = build().simulate(start={"u1": 7, "u2": -7}, mode="roll", rtol=1e-10)
    slowing = G * math.sin(TILT) / 1.5
    expected = (7 - math.sqrt(7**2 - 2 * slowing * (22 - 14))) / slowing
    assert run.events[0].name == "rolls past the mark"
    assert run.events[0].time == pytest.approx(expected, abs=1e-12)


def test_a_disk_above_the_mark_falls_back_to_it() -> None:
    run = build().simulate(start={"q1": 25, "u1": 1, "u2": 0}, mode="slide freely", rtol=1e-10)
    falling = G * math.sin(TILT)
    assert run.events[0].name == "back at the mark"
    assert run.events[0].time == pytest.approx((1 + math.sqrt(1 + 2 * falling * 3)) / falling, abs=1e-12)


def test_a_parameter_that_is_set_takes_effect() -> None:
    run = build().simulate(rtol=1e-10, parameters={"mu": 0.4, "m": 3, "J": 1.5})
    expected = sliding_ends(3.0, 1.0, m=3, J=1.5, r=1, tilt=TILT, g=G, mu=0.4)
    assert run.events[0].time == pytest.approx(expected, abs=1e-12)


def test_a_start_that_slips_against_its_side_is_refused() -> None:
    with pytest.raises(detent.DetentError, match=r"slide"):
        build().simulate(start={"u1": 2, "u2": -6})


def test_a_start_above_the_mark_is_refused() -> None:
    with pytest.raises(detent.DetentError, match=r"slide"):
        build().simulate(start={"q1": 23})
