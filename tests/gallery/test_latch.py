"""The latch: caught when the harmonic swing says, held without moving, released when the catch gives way."""

from __future__ import annotations

import math

import numpy as np
import pytest

import detent
from detent.gallery.latch import build, catch_time, frequency, swing_angle
from detent.results.event import Event

EMBEDDINGS = ["symbolic", "numeric", "live"]
LEVER = {"m": 0.2, "length": 0.15, "k": 0.06}
W = frequency(**LEVER)


def changes(run: detent.Run) -> list[Event]:
    """The transitions and impacts of a run."""
    return [event for event in run.events if event.kind in ("impact", "transition")]


@pytest.mark.parametrize("embedding", EMBEDDINGS)
def test_it_is_caught_when_the_harmonic_swing_reaches_the_catch(embedding: str) -> None:
    run = build().simulate(parameters={"rise": 0}, rtol=1e-10, embedding=embedding)
    (caught,) = changes(run)
    assert (caught.name, caught.kind, caught.target) == ("caught", "impact", "held")
    assert caught.time == pytest.approx(catch_time(-1.0, 0.5, **LEVER), abs=1e-9)
    assert run.mode == "held"


@pytest.mark.parametrize("embedding", EMBEDDINGS)
def test_the_pull_changes_the_swing_and_overcomes_the_grip(embedding: str) -> None:
    run = build().simulate(rtol=1e-10, embedding=embedding)
    caught, released = changes(run)
    assert swing_angle(caught.time, -1.0, 0.01, **LEVER) == pytest.approx(0.5, abs=1e-9)
    assert (released.name, released.kind, released.target) == ("released", "transition", "swing")
    assert released.time == pytest.approx((0.05 - 0.06 * 0.5) / 0.01, abs=1e-12)
    assert run.audit.energy_balance < 1e-9
    assert run.audit.position_residual < 1e-14


def test_the_catch_takes_all_of_the_kinetic_energy_and_no_other() -> None:
    run = build().simulate(parameters={"rise": 0}, rtol=1e-10)
    (caught,) = changes(run)
    inertia = LEVER["m"] * LEVER["length"] ** 2 / 3
    speed = W * math.sqrt(1 - 0.5**2)
    assert caught.details["energy"] == pytest.approx(-inertia * speed**2 / 2, rel=1e-8)
    assert caught.details["impulse of catch"] == pytest.approx(-inertia * speed, rel=1e-8)


def test_what_is_held_does_not_move_and_the_catch_bears_spring_and_pull() -> None:
    run = build().simulate(rtol=1e-10)
    held = ~np.isnan(run.reactions["catch"])
    np.testing.assert_allclose(run.angle[held], 0.5, rtol=1e-15)
    assert np.ptp(run.angle[held]) == 0.0
    assert (run.rate[held] == 0.0).all()
    np.testing.assert_allclose(run.reactions["catch"][held], 0.06 * 0.5 + 0.01 * run.t[held], rtol=1e-12)


def test_a_pull_that_switches_releases_it_at_that_instant_and_it_is_caught_again() -> None:
    on, off = 1.0, 1.2
    pull = detent.Held([0, on, off], [0, 0.03, 0])
    run = build().simulate(inputs={"pull": pull}, parameters={"rise": 0}, rtol=1e-10)
    _, released, caught = changes(run)
    assert [event.name for event in changes(run)] == ["caught", "released", "caught"]
    assert released.time == on
    # Pulled from rest at 0.5 about the angle -0.03/k, then free from where it is when the pull ends.
    turned = W * (off - on)
    angle, rate = -0.5 + math.cos(turned), -W * math.sin(turned)
    amplitude, phase = math.hypot(angle, rate / W), math.atan2(-rate / W, angle)
    again = off + (2 * math.pi - math.acos(0.5 / amplitude) - phase) / W
    assert caught.time == pytest.approx(again, abs=1e-9)
    assert run.mode == "held"


def test_a_catch_that_cannot_hold_lets_go_at_once_but_takes_the_speed() -> None:
    run = build().simulate(parameters={"grip": 0.02, "rise": 0}, rtol=1e-10, until=0.5)
    caught, released = changes(run)
    assert caught.time == released.time
    expected = 0.5 * math.cos(W * (0.5 - caught.time))
    assert run.final.angle == pytest.approx(expected, abs=1e-9)
    assert run.mode == "swing"


def test_a_lever_that_starts_beyond_the_catch_is_refused() -> None:
    with pytest.raises(detent.DetentError, match=r"swing"):
        build().simulate(start={"angle": 1})
