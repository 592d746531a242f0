"""Closed loops: rows that say too much, too little or the opposite; starts; no freedom; dead points."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from sympy import cos, sin

import detent
from detent import DetentError, ModelError, System
from detent.results.outcome import Outcome
from detent.solves.constraint_frame import RESELECT_ABOVE
from tests.physics.bounds import accumulated

EMBEDDINGS = ["symbolic", "numeric", "live"]


ASSEMBLED = {"crank": math.pi / 2, "link": 0.5139, "swing": 1.7004, "crank_rate": 3.0}
"""To four digits: the coupler's end and the rocker's top are both at (1.7416, 1.9832)."""


def four_bar(coupler: float = 2.0, rocker: float = 2.0, **start: float) -> tuple[System, Any, Any]:
    """Crank 1, coupler and rocker on a base of 2; returns the two points that close it."""
    system = System("four-bar")
    crank, link, swing = system.coordinates("crank", "link", "swing")
    frames = [system.ground.rotated(name, angle) for name, angle in (("c", crank), ("l", link), ("s", swing))]
    pin = system.origin.offset("pin", frames[0].x)
    foot = system.origin.offset("foot", 2 * system.ground.x)
    system.body("crank", system.origin.offset("mc", frames[0].x / 2), frames[0], 1, 0.1)
    system.body("link", pin.offset("ml", coupler / 2 * frames[1].x), frames[1], 2, 0.5)
    system.body("rocker", foot.offset("ms", rocker / 2 * frames[2].x), frames[2], 1, 0.3)
    system.gravity(-9.81 * system.ground.y)
    system.start(**(start or ASSEMBLED))
    return system, pin.offset("end", coupler * frames[1].x), foot.offset("top", rocker * frames[2].x)


@pytest.mark.parametrize("embedding", EMBEDDINGS)
def test_a_row_that_can_never_be_violated_is_dropped_and_named(embedding: str) -> None:
    # In a plane nothing can move along z: the row says nothing.
    system, end, top = four_bar()
    system.constrain(detent.joined("closed", end, top))
    run = detent.simulate(system, 1, embedding=embedding)
    assert [event.name for event in run.events.of_kind("redundant")] == [
        "'closed.z' follows from the other constraints and was dropped"
    ]
    assert set(run.reactions) == {"closed.x", "closed.y"}


@pytest.mark.parametrize("embedding", EMBEDDINGS)
def test_a_doubled_row_is_dropped_and_named(embedding: str) -> None:
    system, end, top = four_bar()
    system.constrain(detent.joined("closed", end, top, along="xy"))
    alone = detent.simulate(system, 2, rtol=1e-10, embedding=embedding)
    apart = end.along(system.ground.x) - top.along(system.ground.x)
    system.constrain(detent.holonomic("again", 3 * apart))
    run = detent.simulate(system, 2, rtol=1e-10, embedding=embedding)
    dropped = run.events.of_kind("redundant")
    assert len(dropped) >= 1
    assert "'again' follows from the other constraints" in dropped[0].name or "'closed.x' follows" in dropped[0].name
    assert run.final.crank == pytest.approx(alone.final.crank, abs=1e-8)
    assert run.audit.position_residual < 1e-12


def test_contradictory_constraints_are_an_error_by_name() -> None:
    system, end, top = four_bar()
    system.constrain(detent.joined("closed", end, top, along="xy"))
    system.constrain(detent.motion("drive", system["crank"].rate - 3))
    system.constrain(detent.motion("other drive", system["crank"].rate - 2))
    with pytest.raises(
        DetentError, match=r"no speeds satisfy the constraint '(other )?drive' together with the others"
    ):
        detent.simulate(system, 1)


def test_a_contradiction_during_the_run_is_an_error_by_name_and_leaves_the_run_as_it_was() -> None:
    system, end, top = four_bar()
    system.constrain(detent.joined("closed", end, top, along="xy"))
    simulation = detent.Simulation(system)
    simulation.advance(0.3)
    simulation.constrain(detent.motion("drive", system["crank"].rate - 3))
    before = simulation.state.as_dict()
    with pytest.raises(DetentError, match=r"'(other )?drive' contradicts the others"):
        simulation.constrain(detent.motion("other drive", system["crank"].rate - 2))
    assert simulation.active == ("closed", "drive")
    assert simulation.state.as_dict() == before
    simulation.advance(0.4)
    assert simulation.state.crank_rate == pytest.approx(3, abs=1e-12)


def test_a_quantity_of_another_system_or_none_at_all_is_named() -> None:
    system, _, _ = four_bar()
    other = System("elsewhere").coordinates("elsewhere")
    system.constrain(detent.holonomic("wrong", system["crank"] - other))
    with pytest.raises(DetentError, match="'elsewhere' is not part of this system"):
        detent.simulate(system, 1)


def test_a_configuration_constraint_with_a_speed_is_sent_to_motion() -> None:
    system, _, _ = four_bar()
    system.constrain(detent.holonomic("brake", system["crank"].rate))
    with pytest.raises(ModelError, match=r"constraint 'brake': it holds speeds.*use detent\.motion"):
        detent.simulate(system, 1)


def test_a_motion_constraint_must_be_linear_in_the_speeds() -> None:
    system, _, _ = four_bar()
    system.constrain(detent.motion("square", system["crank"].rate ** 2 - 1))
    with pytest.raises(DetentError, match=r"constraint 'square'.*linear"):
        detent.simulate(system, 1)


def test_a_loop_that_cannot_close_says_which_row_and_by_how_much() -> None:
    # The pin never comes closer to the foot than 1, and coupler and rocker together reach 0.8.
    system, end, top = four_bar(coupler=0.4, rocker=0.4)
    system.constrain(detent.joined("closed", end, top, along="xy"))
    with pytest.raises(
        DetentError, match=r"constraint 'closed\.[xy]' cannot be met from this start.*violates it by \d"
    ):
        detent.simulate(system, 1)


@pytest.mark.parametrize("crank", [0.3, 1.5, 2.8])
def test_a_start_is_completed_from_the_crank_alone(crank: float) -> None:
    system, end, top = four_bar(crank=crank, crank_rate=3.0)
    system.constrain(detent.joined("closed", end, top, along="xy"))
    run = detent.simulate(system, 0)
    assert run.start["crank"] == pytest.approx(crank, abs=1e-12)
    assert run.start["crank_rate"] == pytest.approx(3, abs=1e-12)
    assert run.audit.position_residual < 1e-12
    assert run.audit.velocity_residual < 1e-12
    ends = [math.cos(crank) + 2 * math.cos(run.start["link"]), 2 + 2 * math.cos(run.start["swing"])]
    assert ends[0] == pytest.approx(ends[1], abs=1e-12)


def test_a_slightly_wrong_start_is_brought_to_the_nearest_that_fits() -> None:
    system, end, top = four_bar()
    system.constrain(detent.joined("closed", end, top, along="xy"))
    exact = detent.simulate(system, 0).start
    near = {name: exact[name] + 1e-3 for name in ("crank", "link", "swing")}
    found = detent.simulate(system, 0, start=near).start
    assert all(abs(found[name] - near[name]) < 2e-3 for name in near)
    assert detent.simulate(system, 0, start=near).audit.position_residual < 1e-12


@pytest.mark.parametrize("embedding", EMBEDDINGS)
def test_without_freedom_the_system_stands_still_and_says_so(embedding: str) -> None:
    system, end, top = four_bar(**ASSEMBLED | {"crank_rate": 0.0})
    system.constrain(detent.joined("closed", end, top, along="xy"))
    system.constrain(detent.holonomic("lock", system["crank"] - math.pi / 2))
    run = detent.simulate(system, 2, embedding=embedding)
    (locked,) = run.events.of_kind("locked")
    assert "no freedom" in locked.name
    for name in ("crank", "link", "swing"):
        assert np.ptp(run[name]) < 1e-14
    # The lock must carry the weight: its torque is what a virtual turn of the crank would do to the potential energy.
    start, shift = run.start["crank"], 1e-5
    heights = []
    for crank in (start - shift, start + shift):
        moved = {name: run.start[name] for name in ("link", "swing")} | {"crank": crank}
        moved_system, a, b = four_bar(**ASSEMBLED | {"crank_rate": 0.0})
        moved_system.constrain(detent.joined("closed", a, b, along="xy"))
        moved_system.constrain(detent.holonomic("lock", moved_system["crank"] - crank))
        heights.append(detent.simulate(moved_system, 0, start=moved).potential[0])
    expected = (heights[1] - heights[0]) / (2 * shift)
    assert run.reactions["lock"][-1] == pytest.approx(expected, rel=1e-6)


def test_a_driven_system_without_freedom_follows_its_drive() -> None:
    system, end, top = four_bar(**ASSEMBLED | {"crank_rate": 0.0})
    system.constrain(detent.joined("closed", end, top, along="xy"))
    course = math.pi / 2 + 0.4 * sin(3 * system.time)
    system.constrain(detent.prescribed("drive", system["crank"], course))
    run = detent.simulate(system, 3, rtol=1e-10)
    np.testing.assert_allclose(run.crank, math.pi / 2 + 0.4 * np.sin(3 * run.t), rtol=0, atol=1e-13)
    assert np.ptp(run.work) > 0.1
    assert run.audit.energy_balance < 1e-8


@pytest.mark.parametrize("embedding", EMBEDDINGS)
def test_a_singular_closure_goes_on_where_it_can(embedding: str) -> None:
    """A parallelogram with unequal sides passes the line where it could fold."""
    system = System("parallelogram with a heavy side")
    a, b, c = system.coordinates(a=0.2, b=0, c=0)
    first, second = system.ground.rotated("first", a), system.ground.rotated("second", a + b)
    coupler = system.ground.rotated("coupler", c)
    system.body("first", system.origin.offset("m1", first.x / 2), first, 5, 0.1)
    foot = system.origin.offset("foot", 2 * system.ground.x)
    system.body("second", foot.offset("m2", second.x / 2), second, 1, 0.1)
    tip = system.origin.offset("tip", first.x)
    system.body("coupler", tip.offset("m3", coupler.x), coupler, 1, 0.3)
    gap = tip.offset("end", 2 * coupler.x).position(foot.offset("top", second.x))
    system.constrain(detent.holonomic("closed", x=gap.dot(system.ground.x), y=gap.dot(system.ground.y)))
    system.start(a_rate=4)
    run = detent.simulate(system, 5, rtol=1e-10, embedding=embedding)
    assert run.final.a - run.start["a"] > 4 * math.pi  # at least four times through the line
    np.testing.assert_allclose(run.b, 0, atol=1e-9)
    assert run.audit.energy_balance < 1e-8


def test_independent_speeds_are_chosen_again_without_a_jump() -> None:
    system = System("bead on a circle")
    x, y = system.coordinates(x=1, y=0)
    system.particle("bead", system.origin.offset("bead", x * system.ground.x + y * system.ground.y), mass=1)
    system.constrain(detent.holonomic("circle", (x**2 + y**2 - 1) / 2))
    system.start(y_rate=2)
    run = detent.simulate(system, 10, rtol=1e-12)
    chosen = run.events.of_kind("reselection")
    assert len(chosen) == pytest.approx(20 / (math.pi / 2), abs=2)  # once in every quarter of a turn
    assert {event.name for event in chosen} == {"independent: x_rate", "independent: y_rate"}
    # Dependent speeds are up to RESELECT_ABOVE times the independent ones, and so are their errors; what is lost in
    # the speed becomes an angle that twenty radians magnify.
    bound = 20 * RESELECT_ABOVE * accumulated(run)
    np.testing.assert_allclose(run.x, np.cos(2 * run.t), rtol=0, atol=bound)
    np.testing.assert_allclose(run.y, np.sin(2 * run.t), rtol=0, atol=bound)
    np.testing.assert_allclose(run.reactions["circle"], -4, rtol=0, atol=bound)
    for event in chosen:
        states = run.trajectory.state[run.t == event.time]
        np.testing.assert_allclose(states, np.broadcast_to(states[0], states.shape), rtol=0, atol=1e-14)


def test_a_constraint_that_ends_in_a_dead_point_stops_with_its_name() -> None:
    """Two bars that must keep their ends apart further than they reach: driven beyond it the loop cannot follow."""
    system = System("stretched arm")
    a, b = system.coordinates(a=0.8, b=-1.6)
    upper = system.ground.rotated("upper", a)
    lower = upper.rotated("lower", b)
    elbow = system.origin.offset("elbow", upper.x)
    system.particle("elbow", elbow, mass=1)
    system.particle("hand", elbow.offset("hand", lower.x), mass=1)
    reach = system.points["hand"].along(system.ground.x)
    system.constrain(detent.prescribed("pull", reach, 2 * cos(0.8) + 0.5 * system.time))
    with pytest.raises(detent.SimulationError, match="the rank of 'pull' is lost, so that several motions") as caught:
        detent.simulate(system, 5)
    assert caught.value.run is not None
    assert caught.value.run.outcome in (Outcome.SINGULAR_CONSTRAINT, Outcome.STEP_TOO_SMALL, Outcome.NOT_A_NUMBER)
    assert caught.value.run.final.time < (2 - 2 * math.cos(0.8)) / 0.5 + 1e-6
