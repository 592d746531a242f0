"""A live run that cannot go on says why; its replay is the run up to there, and says the same."""

from __future__ import annotations

import math

import pytest
import sympy

import detent
from detent.simulation.live import Live
from detent.stepping.servo_clock import SimulatedClock


def jammed_cam() -> tuple[Live, float]:
    """A follower that is latched while it is off its cam, and struck by the cam; when that is."""
    made = detent.example("cam-follower")
    live = Live(made.system, clock=SimulatedClock())
    live.advance(0.04)
    live.latch("held", made.system["lift"])
    return live, live.state.lift


def test_a_follower_that_is_latched_stops_its_cam_and_the_replay_says_so_too() -> None:
    """The cam meets it where -d cos(w t) = lift again, a turn later."""
    live, lift = jammed_cam()
    with pytest.raises(detent.SimulationError) as caught:
        live.advance(0.1)
    run = live.recording.replay()
    assert run.outcome.word == "impact"
    assert str(caught.value).endswith(run.message)
    assert "('held') nothing gives way" in run.message
    values = detent.example("cam-follower").system.parameter_values
    d, w = (float(value) for symbol, value in values.items() if symbol.name in ("d", "w"))
    assert run.final.time == pytest.approx((2 * math.pi + math.acos(-lift / d)) / w, rel=1e-9)
    assert live.time == pytest.approx(0.089, abs=1e-12)
    assert run.at(live.time).lift == live.state.lift


def test_a_live_run_that_has_ended_is_not_changed_any_more() -> None:
    """Else the replay would do something else before the same step."""
    live, _ = jammed_cam()
    with pytest.raises(detent.SimulationError):
        live.advance(0.1)
    with pytest.raises(detent.DetentError, match=r"set: this live run has ended, .* nothing gives way .* begin anew"):
        live.set(w=1)
    with pytest.raises(detent.DetentError, match="release: this live run has ended"):
        live.release("held")
    assert live.recording.replay().outcome.word == "impact"


def test_a_change_that_leaves_no_motion_is_replayed_up_to_where_it_was_made() -> None:
    system = detent.System("bead")
    x, k = system.coordinates("x"), system.parameters(k=4)
    bead = system.particle("bead", system.origin.offset("bead", x * system.ground.x), mass=1)
    system.force("pull", bead.center, sympy.sqrt(k) * system.ground.x)
    live = Live(system, clock=SimulatedClock())
    live.advance(0.5)
    live.set(k=-1)
    with pytest.raises(detent.SimulationError, match="stopped being a number"):
        live.advance(0.1)
    run = live.recording.replay()
    assert run.outcome.word == "not-a-number"
    assert run.final.values.tobytes() == live.state.values.tobytes()
    assert run.final.x == pytest.approx(0.25, rel=1e-12)  # 2 t^2/2


def test_a_mode_is_named_right_after_a_latch_has_come_among_contacts() -> None:
    """Modes have other numbers then than those that the last step wrote down."""
    made = detent.example("cam-follower")
    live = Live(made.system, clock=SimulatedClock())
    live.advance(0.027)
    live.latch("held", made.system["lift"])
    assert live.mode == "held"


def test_live_runs_and_recordings_are_told_in_one_line() -> None:
    live, _ = jammed_cam()
    assert repr(live) == "<live run of 'cam and follower': standing at t = 0.04, mode 'held'>"
    with pytest.raises(detent.SimulationError):
        live.advance(0.1)
    assert repr(live.recording) == "<recording of 'cam and follower': 89 steps, 1 changes, up to where it failed>"
