"""The loop that is closed in flight: no impact, the leading hand's work accounted for, and nothing drifts."""

from __future__ import annotations

import numpy as np
import pytest

import detent
from detent.gallery.closing_loop import tip_motion


def tips(run: detent.Run, links: int) -> tuple[np.ndarray, np.ndarray]:
    rows = np.stack([run[f"{kind}{number}"] for kind in "qu" for number in range(1, links + 1)], axis=1)
    found = np.array([tip_motion(list(row[:links]), list(row[links:]), 1.0) for row in rows])
    return found[:, 0], found[:, 1]


@pytest.mark.parametrize("embedding", ["symbolic", "numeric", "live"])
@pytest.mark.parametrize("links", [3, 4, 6])
def test_the_tip_is_led_to_the_anchor_and_stays(links: int, embedding: str) -> None:
    run = detent.example("closing-loop", links=links).simulate(until=3, rtol=1e-11, embedding=embedding)
    changes = [(event.time, event.target) for event in run.events.of_kind("transition")]
    assert changes == [(0.5, "course"), (1.5, "free"), (1.5, "closed")]
    place, velocity = tips(run, links)
    closed = ~np.isnan(run.reactions["closed.x"])
    np.testing.assert_allclose(place[closed], np.broadcast_to([links / 2, 0], place[closed].shape), atol=1e-12)
    np.testing.assert_allclose(velocity[closed], 0, atol=1e-11)
    assert run.audit.position_residual < 1e-12
    assert run.audit.velocity_residual < 1e-12
    assert run.audit.energy_balance < 1e-8


def test_neither_catch_nor_closing_is_an_impact() -> None:
    run = detent.example("closing-loop").simulate(until=2, rtol=1e-11)
    for event in run.events.of_kind("transition"):
        assert abs(event.details.get("energy", 0.0)) < 1e-20
    for time in (0.5, 1.5):
        states = run.trajectory.state[run.t == time]
        np.testing.assert_allclose(states, np.broadcast_to(states[0], states.shape), rtol=0, atol=1e-11)


def test_the_hand_does_work_and_the_loop_does_none() -> None:
    run = detent.example("closing-loop").simulate(until=4, rtol=1e-11)
    led, closed = (~np.isnan(run.reactions[f"{name}.x"]) for name in ("course", "closed"))
    assert np.ptp(run.work[led]) > 1
    assert np.ptp(run.work[closed]) < 1e-10
    # The work of the hand is the force it must give times the velocity of the tip, summed over the time.
    _, velocity = tips(run, 4)
    power = run.reactions["course.x"][led] * velocity[led, 0] + run.reactions["course.y"][led] * velocity[led, 1]
    done = np.trapezoid(power, run.t[led])
    steps = np.diff(run.t[led]).max()
    assert done == pytest.approx(run.work[led][-1] - run.work[led][0], abs=np.ptp(power) * steps)


def test_two_rods_led_by_both_components_have_no_freedom_left() -> None:
    run = detent.example("closing-loop", links=2).simulate(until=2, rtol=1e-11)
    assert [event.kind for event in run.events if event.time == 0.5] == ["transition", "locked"]
    closed = ~np.isnan(run.reactions["closed.x"])
    assert np.ptp(run.q1[closed]) < 1e-12


def test_one_rod_makes_no_loop() -> None:
    with pytest.raises(detent.ValueProblem, match=r"'links' of 'closing-loop' is 1; .* at least 2 rods"):
        detent.example("closing-loop", links=1)


@pytest.mark.slow
@pytest.mark.parametrize("embedding", ["symbolic", "numeric", "live"])
def test_nothing_drifts_in_a_thousand_seconds(embedding: str) -> None:
    """Of energy each step loses or gains what it errs by; how these add up depends on when native code is taken up."""
    rtol = 1e-12
    run = detent.example("closing-loop").simulate(until=1000, rtol=rtol, embedding=embedding)
    assert run.audit.position_residual < 1e-12
    assert run.audit.velocity_residual < 1e-12
    assert run.audit.energy_balance < rtol * len(run.time)
