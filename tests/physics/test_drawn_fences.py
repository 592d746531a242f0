"""Fences drawn while a disk moves: Example 2 of Gillespie and others (2006) by hand, against closed forms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import detent

G, RADIUS, MASS = 9.81, 0.1, 2.0


def disk(friction: float | None = None, **settings: Any) -> tuple[detent.System, Any]:
    """A disk above a fence that is not drawn yet."""
    system = detent.System("disk over a fence")
    x, y, turn = system.coordinates(x=0, y=1, turn=0)
    center = system.origin.offset("center", x * system.ground.x + y * system.ground.y)
    body = system.body("disk", center, system.ground.rotated("disk", turn), MASS, MASS * RADIUS**2 / 2)
    system.gravity(-G * system.ground.y)
    law = None if friction is None else detent.Coulomb(friction)
    fence = system.ground.drawing("fence", points=settings.pop("points", 16))
    system.contact("disk|fence", body.circle(RADIUS), fence, friction=law, impact=detent.Plastic())
    return system, body


def arc(radius: float, first: float, last: float, count: int = 16) -> list[tuple[float, float]]:
    """Points of a circle about the origin, by angles from the downward vertical, from left to right."""
    angles = np.linspace(first, last, count)
    return [(radius * math.sin(angle), -radius * math.cos(angle)) for angle in angles.tolist()]


@pytest.mark.parametrize("slope", [0.0, -0.3, 0.5])
def test_a_straight_fence_is_met_when_free_fall_says_so_and_ridden_down_the_slope(slope: float) -> None:
    system, _ = disk()
    simulation = detent.Simulation(system, embedding="symbolic", rtol=1e-10)
    simulation.advance(0.2)
    simulation.draw("fence", [(-3, -3 * slope), (3, 3 * slope)])
    simulation.advance(0.8)
    angle = math.atan(slope)
    struck = math.sqrt(2 * (1 - RADIUS / math.cos(angle)) / G)
    impact = simulation.events.of_kind("impact")[0]
    assert impact.time == pytest.approx(struck, abs=1e-9)
    along = -G * struck * math.sin(angle)  # what a plastic impact leaves of the fall
    speed = along - G * math.sin(angle) * (0.8 - struck)
    state = simulation.state
    np.testing.assert_allclose(
        [state.x_rate, state.y_rate], [speed * math.cos(angle), speed * math.sin(angle)], rtol=0, atol=1e-8
    )
    assert simulation.reactions()["disk|fence side.normal"] == pytest.approx(MASS * G * math.cos(angle), rel=1e-9)


def test_a_disk_rolls_down_a_drawn_fence_with_two_thirds_of_the_acceleration() -> None:
    system, _ = disk(friction=1.0)
    simulation = detent.Simulation(system, embedding="symbolic", rtol=1e-10)
    simulation.draw("fence", [(-3, 0.9), (0, 0.0), (3, -0.9)])
    simulation.advance(0.6)
    first = simulation.state
    simulation.advance(0.8)
    last, angle = simulation.state, math.atan(0.3)
    assert simulation.mode == "disk|fence side: roll"
    gained = math.hypot(last.x_rate, last.y_rate) - math.hypot(first.x_rate, first.y_rate)
    assert gained == pytest.approx(2 / 3 * G * math.sin(angle) * 0.2, abs=1e-7)


def test_in_a_drawn_bowl_the_reaction_is_that_of_circular_motion() -> None:
    """m v^2 / (R - r) + m g cos(angle), with v from the energy: the spline is a circle to some (R/n)^4 of its size."""
    system, _ = disk()
    inner = 2.0 - RADIUS
    simulation = detent.Simulation(
        system,
        embedding="symbolic",
        rtol=1e-10,
        start={"x": inner * math.sin(-1.0), "y": -inner * math.cos(1.0) + 1e-3},
    )
    simulation.draw("fence", arc(2.0, -1.5, 1.5))
    simulation.advance(0.6)
    state = simulation.state
    angle = math.atan2(state.x, -state.y)
    speed = math.hypot(state.x_rate, state.y_rate)
    # Between knots of a circle a spline is off by at most 5/384 h^4 of the fourth derivative, its curvature by 3/8 h^2.
    h = 3.0 / 15
    off = 5 / 384 * h**4 * 2.0
    assert math.hypot(state.x, state.y) == pytest.approx(inner, abs=2 * off)
    expected = MASS * speed**2 / inner + MASS * G * math.cos(angle)
    assert simulation.reactions()["disk|fence side.normal"] == pytest.approx(expected, rel=3 / 8 * h**2)


def test_a_disk_flies_off_the_end_of_a_drawn_fence() -> None:
    system, _ = disk()
    simulation = detent.Simulation(system, embedding="symbolic", rtol=1e-10, start={"x_rate": 1.0})
    simulation.draw("fence", [(-1, 0), (1, 0)])
    simulation.advance(1.2)
    left = [event for event in simulation.events if "side: slip -> open" in event.name]
    assert left[0].time == pytest.approx(1.0, abs=1e-9)
    assert simulation.state.y < RADIUS


def test_nothing_is_touched_before_it_is_drawn_and_after_it_is_erased() -> None:
    system, _ = disk()
    simulation = detent.Simulation(system, embedding="symbolic", rtol=1e-10)
    simulation.advance(0.6)  # through where a curve that is not drawn stands
    assert simulation.state.y == pytest.approx(1 - G * 0.6**2 / 2, abs=1e-9)
    simulation.draw("fence", [(-1, -2), (1, -2)])
    simulation.advance(0.9)
    assert (simulation.mode, round(simulation.state.y, 9)) == ("disk|fence side: slip", -1.9)
    simulation.erase("fence")
    simulation.advance(1.0)
    assert simulation.mode == "free"
    assert simulation.state.y == pytest.approx(-1.9 - G * 0.1**2 / 2, abs=1e-9)


def test_a_fence_that_is_drawn_anew_lets_go_of_what_was_on_it() -> None:
    system, _ = disk()
    simulation = detent.Simulation(system, embedding="symbolic", rtol=1e-10)
    simulation.draw("fence", [(-1, 0.5), (0, 0.5), (1, 0.5)])
    simulation.advance(0.5)
    simulation.draw("fence", [(-1, 0), (1, 0)])
    simulation.advance(1.0)
    assert round(simulation.state.y, 9) == RADIUS
    fell = math.sqrt(2 * 0.5 / G)
    assert simulation.events.of_kind("impact")[-1].time == pytest.approx(0.5 + fell, abs=1e-9)


def test_a_drawn_function_holds_what_is_bound_to_it() -> None:
    """A bead on y = x^2/2 turns as its energy says; three points draw a parabola."""
    system = detent.System("bead")
    x, y = system.coordinates(x=0, y=0)
    system.particle("bead", system.origin.offset("bead", x * system.ground.x + y * system.ground.y), mass=1)
    system.gravity(-G * system.ground.y)
    path = system.drawn("path", points=6)
    system.constrain(detent.holonomic("on the path", y - path(x)), active=False)
    simulation = detent.Simulation(system, embedding="symbolic", rtol=1e-11, start={"x_rate": 2.0, "y": 0.0})
    simulation.draw("path", [(-2, 2), (0, 0), (2, 2)])
    simulation.constrain("on the path")
    simulation.advance(0.7)
    state = simulation.state
    assert state.y == pytest.approx(state.x**2 / 2, abs=1e-12)
    energy = (state.x_rate**2 + state.y_rate**2) / 2 + G * state.y
    assert energy == pytest.approx(2.0, rel=1e-9)


def test_a_drawn_function_that_no_longer_holds_is_refused_and_stays_as_it_was() -> None:
    system = detent.System("bead")
    x, y = system.coordinates(x=0.5, y=0)
    system.particle("bead", system.origin.offset("bead", x * system.ground.x + y * system.ground.y), mass=1)
    path = system.drawn("path")
    system.constrain(detent.holonomic("on the path", y - path(x)))
    simulation = detent.Simulation(system, start={"x_rate": 1.0})
    simulation.advance(0.1)
    with pytest.raises(detent.DetentError, match="cannot be imposed"):
        simulation.draw("path", [(0, 1), (1, 1)])
    simulation.advance(0.2)
    assert simulation.state.y == 0.0


def test_a_live_run_with_drawn_fences_is_replayed_to_the_same_bytes_and_shared_as_one_page(tmp_path: Path) -> None:
    system, body = disk(friction=0.3)
    hand = detent.couple("hand", body, stiffness=50, damping=2)
    live = detent.Live(system, couplers=[hand], clock=detent.SimulatedClock())
    live.advance(0.1)
    live.draw("fence", [(-1, 0.3), (0, 0.1), (1, 0.2), (2, 0.6)])
    live.advance(0.4)
    live.grab(hand)
    live.move(hand, (0.5, 0.4, 0))
    live.advance(0.2)
    live.draw("fence", [(-1, 0), (2, -0.2)])
    live.let_go(hand)
    live.advance(0.4)
    live.erase("fence")
    live.advance(0.1)
    run = live.recording.replay()
    assert run.final.values.tobytes() == live.state.values.tobytes()
    assert [event.name for event in run.events.of_kind("input")][:1] == ["draw fence"]
    assert len(run.events.of_kind("impact")) >= 2
    detent.animate(run, tmp_path / "live.html")
    page = (tmp_path / "live.html").read_text()
    assert "<script" in page
    assert "src=" not in page  # nothing is fetched


@pytest.mark.parametrize(
    ("points", "told"),
    [
        ([(0, 0)], "drawn through 1 points; give 2 to 4"),
        ([(k, 0) for k in range(5)], "drawn through 5 points; give 2 to 4"),
        ([(0, 0), (0, 0), (1, 0)], "the same point twice in a row"),
        ([(0, 0), (1, math.nan)], "not finite"),
        ([(0, 0), 3], "give pairs of numbers"),
        ([(-1, 1), (1, 1)], r"overlap by 0\.1 m; draw it clear of what moves"),
    ],
)
def test_what_cannot_be_drawn_is_refused_and_nothing_changes(points: Sequence[Any], told: str) -> None:
    system, _ = disk(points=4)
    simulation = detent.Simulation(system, embedding="symbolic")
    with pytest.raises(detent.DetentError, match=told):
        simulation.draw("fence", points)
    simulation.advance(0.1)
    assert simulation.state.y == pytest.approx(1 - G * 0.1**2 / 2, abs=1e-9)


def test_other_mistakes_with_drawings_are_told() -> None:
    system, _ = disk(points=4)
    path = system.drawn("path")
    assert str(path(system["x"])) == "path_y(x)"
    simulation = detent.Simulation(system)
    with pytest.raises(detent.DetentError, match="'fense'"):
        simulation.draw("fense", [(0, 0), (1, 0)])
    with pytest.raises(detent.DetentError, match="do not go on to the right"):
        simulation.draw("path", [(1, 0), (0, 0)])
    with pytest.raises(detent.DetentError, match="cannot be erased"):
        simulation.erase("path")
    with pytest.raises(detent.DetentError, match="declared twice"):
        system.drawn("fence")
    with pytest.raises(detent.DetentError, match="a whole number from 2 to 256"):
        system.drawn("other", points=1)


def test_a_declared_latch_holds_onto_a_drawn_path_wherever_it_is_imposed() -> None:
    """A point without weight keeps its kinetic energy along the path, less what the plastic impact takes."""
    system = detent.System("bead")
    x, y = system.coordinates(x=0, y=0)
    system.particle("bead", system.origin.offset("bead", x * system.ground.x + y * system.ground.y), mass=1)
    path = system.drawn("path", points=4)
    system.latch("on the path", y - path(x))
    live = detent.Live(system, start={"x_rate": 1.0, "y_rate": 0.5}, clock=detent.SimulatedClock())
    live.advance(0.2)
    before = live.state
    live.draw("path", [(-2, 2), (0, 0), (2, 2)])  # y = x^2/2
    live.latch("on the path")
    live.advance(0.5)
    state, slope = live.state, before.x
    along = (before.x_rate + slope * before.y_rate) / math.hypot(1.0, slope)  # what is left of the velocity
    assert state.y - state.x**2 / 2 == pytest.approx(before.y - before.x**2 / 2, abs=1e-12)
    assert math.hypot(state.x_rate, state.y_rate) == pytest.approx(along, rel=1e-9)
    with pytest.raises(detent.DetentError, match="holds already"):
        live.latch("on the path")
    live.release("on the path")
    live.advance(0.1)
    live.latch("on the path")
    live.advance(0.1)
    assert live.recording.replay().final.values.tobytes() == live.state.values.tobytes()
    with pytest.raises(detent.DetentError, match="latch"):
        live.latch("on the pat")
