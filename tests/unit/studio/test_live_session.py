"""A live run in the studio, by a clock that never waits: hands, latches, parameters, fences and paths."""

import numpy as np
import pytest

import detent
from detent.errors import DetentError, UnknownNameError, ValueProblem
from detent.gallery.drawn_fence import arc
from detent.gallery.example import Example
from detent.stepping.servo_clock import SimulatedClock
from detent.studio.live_session import LiveSession


def values_of(example):
    return {s.name: float(value) for s, value in example.system.parameter_values.items() if value is not None}


def session_of(name):
    example = detent.example(name)
    return LiveSession(example, values_of(example), clock=SimulatedClock())


@pytest.fixture
def falling():
    """A disk of radius 0.1 m in the plane, which falls from rest at y = 1."""
    system = detent.System("falling disk")
    g = system.parameters(g=9.81)
    x, y, turn = system.coordinates(x=0, y=1, turn=0)
    center = system.origin.offset("center", x * system.ground.x + y * system.ground.y)
    system.body("disk", center, system.ground.rotated("disk", turn), 1, 0.005)
    system.gravity(-g * system.ground.y)
    return LiveSession(Example("falling disk", system, 1.0), {"g": 9.81}, clock=SimulatedClock())


def test_a_body_follows_the_hand(falling):
    falling.live.set(g=0.0)
    falling.grab("disk")
    falling.move("disk", (0.3, 0.7, 0.0))
    falling.live.advance(2)
    assert [falling.live.state.x, falling.live.state.y] == pytest.approx([0.3, 0.7], abs=1e-6)
    assert np.abs(falling.force).max() < 1e-3
    falling.let_go()
    assert falling.held is None


def test_a_held_body_hangs_by_its_weight(falling):
    falling.grab("disk")
    falling.live.advance(3)
    # The coupler is stretched by m g/K, with K = m 20^2.
    assert falling.live.state.y == pytest.approx(1.0 - 9.81 / 400, abs=1e-6)
    assert falling.force == pytest.approx([0.0, -9.81, 0.0], abs=1e-3)


def test_the_disk_rides_a_slope_that_is_drawn_while_it_falls(falling):
    falling.live.advance(0.1)
    name = falling.draw_fence("disk", [(-2, 1), (0, 0), (4, -2)])
    falling.live.advance(1)
    run = falling.replay()
    # The slope is tan = 1/2; it is met when y - r/cos = -x/2, from y = 1 - g t^2/2 at x = 0.
    cos, sin, g = 2 / 5**0.5, 1 / 5**0.5, 9.81
    met = next(event for event in run.events if event.kind == "impact")
    time = (2 * (1 - 0.1 / cos) / g) ** 0.5
    assert met.time == pytest.approx(time, abs=1e-9)
    # What is left of g t is its part along the slope; from then on it slides with g sin.
    along = g * time * sin + g * sin * (run.t[-1] - time)
    assert [run.final.x_rate, run.final.y_rate] == pytest.approx([along * cos, -along * sin], rel=1e-9)
    normal = max(place.normal[-1] for place in run.contacts[name].values())
    assert normal == pytest.approx(g * cos, rel=1e-9)
    assert run.final.values.tobytes() == falling.live.state.values.tobytes()


def test_the_disk_swings_in_an_arc_that_is_drawn(falling):
    """Places on a circle of 1 m about (0, 1.2): a pendulum of 0.9 m, whose energy stays."""
    angles = np.linspace(np.pi + 0.1, 2 * np.pi - 0.1, 7)
    falling.live.set(g=0.0)
    falling.draw_fence("disk", [(np.cos(a), 1.2 + np.sin(a)) for a in angles])
    falling.grab("disk")
    falling.move("disk", (0.5, 0.4, 0.0))
    falling.live.advance(2)
    falling.let_go()
    falling.live.set(g=9.81)
    falling.live.advance(3)
    run = falling.replay()
    away = np.hypot(run["x"], run["y"] - 1.2)
    swings = run.t > 2.0
    assert away[swings].max() == pytest.approx(0.9, abs=1e-9)
    assert away[swings].min() == pytest.approx(0.9, abs=1e-9)
    energy = run["energy"][swings]
    assert np.ptp(energy) < 1e-9 * np.abs(energy).max()


def test_a_fence_that_is_taken_away_no_longer_holds(falling):
    name = falling.draw_fence("disk", [(-1, 0.5), (1, 0.5)])
    falling.live.advance(1)
    assert falling.live.state.y == pytest.approx(0.6, abs=1e-9)
    falling.unlatch(name)
    falling.live.advance(0.2)
    assert falling.live.state.y == pytest.approx(0.6 - 9.81 * 0.02, abs=1e-9)
    assert falling.drawn == {}


def test_a_path_holds_the_disk_at_once(falling):
    falling.live.advance(0.1)
    falling.draw_path("disk", [(-1, 0.0), (0, 0.5), (1, 1.0), (2, 1.5)])
    before = falling.live.state
    falling.live.advance(0.3)
    after = falling.live.state
    assert after.y - before.y == pytest.approx((after.x - before.x) / 2, abs=1e-9)
    # Down a slope of 1/2 from what is left of g t along it.
    sin = 1 / 5**0.5
    assert np.hypot(after.x_rate, after.y_rate) == pytest.approx(9.81 * (0.1 + 0.3) * sin, rel=1e-9)


def test_a_path_may_be_drawn_from_either_side_and_must_not_turn_back(falling):
    falling.draw_path("disk", [(2, 1.0), (1, 0.5), (-1, 0.0)])
    with pytest.raises(ValueProblem, match="the path turns back; draw it from one side to the other"):
        falling.draw_path("disk", [(0, 0), (1, 1), (0.5, 2)])


def test_a_latch_holds_what_a_text_says_and_lets_go(falling):
    falling.live.advance(0.1)
    name = falling.latch("y - disk.x/2")
    held = falling.live.state.y
    falling.live.set(g=0.0)
    falling.live.advance(0.2)
    assert falling.live.state.y - falling.live.state.x / 2 == pytest.approx(held, abs=1e-9)
    falling.unlatch(name)
    assert falling.live.mode == "free"
    with pytest.raises(UnknownNameError, match="latch or drawing"):
        falling.unlatch(name)


def test_text_for_a_latch_is_read_by_the_allow_list(falling):
    with pytest.raises(DetentError, match="the function '__import__' is not offered"):
        falling.latch("__import__('os')")
    with pytest.raises(UnknownNameError, match="heigth"):
        falling.latch("heigth")


def test_parameters_are_set_while_it_moves_and_faults_are_told_at_once(falling):
    assert falling.set({"g": "2*pi"}) == ["g"]
    assert falling.live.parameters["g"] == 2 * np.pi
    assert falling.set({"g": "2*pi"}) == []
    with pytest.raises(ValueProblem, match=r"g: .*\nhand_on_disk_damping: "):
        falling.set({"g": "import os", "hand_on_disk_damping": ""})


def test_what_cannot_be_held_is_named(falling):
    with pytest.raises(UnknownNameError, match="body that can be taken hold of"):
        falling.grab("dsik")
    with pytest.raises(UnknownNameError, match="there is no body named 'dsik'"):
        falling.draw_fence("dsik", [(0, 0), (1, 0)])


def test_nothing_is_drawn_for_a_model_in_space():
    with pytest.raises(DetentError, match="does not move in the x-y plane, in which things are drawn"):
        session_of("heavy-top").draw_fence("top", [(0, 0), (1, 0)])


def test_a_particle_rides_as_a_point():
    session = session_of("pendulum")
    session.draw_fence("bob", [(-1, -1.5), (0, -0.9), (1, -1.5)])
    session.live.advance(2)
    assert session.replay().outcome.word == "completed"


def test_an_example_with_a_script_lives_without_it():
    session = session_of("adjustable-fence")
    session.live.advance(0.2)
    assert session.live.mode == "ramp"


def test_a_fence_that_the_model_has_room_for_is_drawn_and_taken_away():
    """Example 2 of Gillespie and others by hand: the published times, 7.7 s and 9.0 s."""
    session = session_of("drawn-fence")
    session.live.advance(7)
    name = session.draw_fence("disk", arc(session.live.parameters)[::-1])  # from the ramp on, as a hand would
    assert name == "fence"
    session.live.advance(2.5)
    run = session.replay()
    times = [event.time for event in run.events if "disk|fence side" in event.name]
    assert [round(time, 1) for time in times] == [7.7, 9.0]
    assert run.final.values.tobytes() == session.live.state.values.tobytes()
    shown = np.array(session.drawn["fence"])
    assert shown[0] == pytest.approx(arc(session.live.parameters)[0], abs=1e-12)
    session.unlatch(name)
    assert session.drawn == {}
    with pytest.raises(ValueProblem, match=r"'fence' is declared with its laws, and friction is 0\.5; leave it 0"):
        session.draw_fence("disk", [(0, -50), (10, -50)], 0.5)
