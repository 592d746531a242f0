"""The ladder: whether it rests, how it slides, and where its top leaves the wall."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq

import detent
from detent.gallery.ladder import build, least_friction, rate_squared, wall_force
from tests.gallery.contact_models import QUICK_AND_SLOW, drawn, happened

G = 9.81
RESTS, SLIDES = "foot|floor: stick, top|wall: stick", "foot|floor: slip, top|wall: slip"


@pytest.mark.parametrize("mu", [0.28, least_friction(math.pi / 3) * (1 + 1e-6)])
def test_with_enough_friction_it_stays_where_it_is(mu: float) -> None:
    run = build().simulate(parameters={"mu": mu}, until=1000)
    assert run.mode == RESTS
    assert happened(run) == []
    assert np.ptp(run.lean[2:]) == 0.0  # rounding of the start values is corrected in the first steps
    assert np.ptp(run.x[2:]) == 0.0


@pytest.mark.parametrize("mu", [0.2, least_friction(math.pi / 3) * (1 - 1e-9)])
def test_with_less_it_slides(mu: float) -> None:
    run = build().simulate(parameters={"mu": mu}, until=0.1)
    assert run.mode == SLIDES
    assert happened(run) == []
    assert run.final.lean < math.pi / 3


def test_at_rest_the_forces_balance_inside_their_cones_and_are_said_not_to_be_unique() -> None:
    run = build().simulate()
    (said,) = run.events.of_kind("shared")
    assert said.name.startswith("the forces of foot|floor, top|wall are not unique")
    floor, along_floor, wall, along_wall = (
        run.reactions[f"{place}.{row}"][-1] for place in ("foot|floor", "top|wall") for row in ("normal", "friction")
    )
    assert floor + abs(along_wall) == pytest.approx(G, rel=1e-12)
    assert wall == pytest.approx(abs(along_floor), rel=1e-12)
    assert abs(along_floor) < 0.28 * floor
    assert abs(along_wall) < 0.28 * wall
    # The moments about the foot: m g L/2 cos = wall L sin + along the wall L cos.
    lever = wall * math.sin(math.pi / 3) + abs(along_wall) * math.cos(math.pi / 3)
    assert lever == pytest.approx(G / 2 * math.cos(math.pi / 3), rel=1e-12)


@QUICK_AND_SLOW
def test_it_rests_or_slides_as_the_angle_of_friction_says_and_leaves_the_wall_where_its_force_ends(count: int) -> None:
    example = build()
    for values in drawn(6, count, lean=(0.5, 1.4), part=(0.0, 1.5)):
        part = values["part"] if values["part"] >= 1 else 0.95 * values["part"]  # nearer to 1 it takes its time
        lean, mu = values["lean"], part * least_friction(values["lean"])
        start = {"x": math.cos(lean), "lean": lean}
        run = example.simulate(start=start, parameters={"mu": mu}, rtol=1e-12, until=3.0)
        if part >= 1:
            assert run.mode == RESTS
            assert happened(run) == []
            continue
        leaves = run.events.of_kind("transition")[0]
        assert leaves.name == "top|wall: slip -> open"
        angle = brentq(wall_force, 1e-3, lean - 1e-6, args=(lean, mu, 1.0, G, 1.0), xtol=1e-15, rtol=1e-14)
        assert run.at(leaves.time).lean == pytest.approx(angle, abs=1e-9)
        sliding = run.t <= leaves.time
        expected = [rate_squared(value, lean, mu, G, 1.0) for value in run.lean[sliding]]
        np.testing.assert_allclose(run.lean_rate[sliding] ** 2, expected, rtol=0, atol=1e-10)
        assert run.audit.energy_balance < 1e-10


def test_without_friction_the_top_comes_off_at_two_thirds_of_its_height() -> None:
    run = build(angle=1.0).simulate(parameters={"mu": 0}, rtol=1e-12, until=0.6)
    leaves = run.events.of_kind("transition")[0]
    assert math.sin(run.at(leaves.time).lean) == pytest.approx(2 / 3 * math.sin(1.0), abs=1e-12)


def test_its_first_acceleration_is_the_closed_form() -> None:
    mu, lean = 0.2, math.pi / 3
    run = build().simulate(parameters={"mu": mu}, rtol=1e-12, until=1e-3)
    expected = -3 / (2 - mu**2) * G * ((1 - mu**2) * math.cos(lean) - 2 * mu * math.sin(lean))
    assert run.lean_rate[-1] / run.t[-1] == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("wrong", [{"angle": 0.0}, {"angle": 2.0}, {"L": 0.0}])
def test_a_ladder_that_does_not_lean_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(detent.ValueProblem, match=r"give an angle between 0 and pi/2 and a length above zero"):
        build(**wrong)
