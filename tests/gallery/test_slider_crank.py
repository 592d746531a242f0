"""The slider-crank against its closed form at every angle."""

from __future__ import annotations

import numpy as np
import pytest

import detent
from detent.gallery.slider_crank import crank_rate, inertia, slider_position
from tests.physics.bounds import accumulated


@pytest.mark.parametrize("embedding", ["symbolic", "numeric", "live"])
def test_the_slider_and_the_crank_follow_the_closed_form(embedding: str) -> None:
    run = detent.example("slider-crank").simulate(rtol=1e-11, embedding=embedding)
    crank, rod = run.parameters["crank"], run.parameters["rod"]
    np.testing.assert_allclose(run.slider, [slider_position(a, crank, rod) for a in run.angle], rtol=0, atol=1e-14)
    expected = [crank_rate(a, 0.5, 4.0, **run.parameters) for a in run.angle]
    np.testing.assert_allclose(run.angle_rate, expected, rtol=accumulated(run))
    assert run.audit.position_residual < 1e-12
    assert run.audit.velocity_residual < 1e-12
    assert run.audit.energy_balance < 1e-8


def test_the_time_of_a_turn_is_the_integral_over_the_angle() -> None:
    values = {"crank": 1.0, "rod": 3.0, "m_crank": 1.0, "m_rod": 2.0, "m_slider": 3.0}
    angles = 0.5 + 2 * np.pi * np.arange(4096) / 4096
    # The trapezoidal rule converges faster than any power for a periodic function.
    turn = 2 * np.pi * np.mean([1 / crank_rate(a, 0.5, 4.0, **values) for a in angles])
    run = detent.example("slider-crank").simulate(until=turn, rtol=1e-12)
    assert abs(run.final.angle - 0.5 - 2 * np.pi) < 10 * accumulated(run)


def test_the_kinetic_energy_is_that_of_the_closed_form() -> None:
    run = detent.example("slider-crank").simulate(until=2, rtol=1e-11)
    expected = [inertia(a, **run.parameters) * w**2 / 2 for a, w in zip(run.angle, run.angle_rate, strict=True)]
    np.testing.assert_allclose(run.kinetic, expected, rtol=1e-13)


def test_the_start_is_completed_from_the_crank_alone() -> None:
    run = detent.example("slider-crank").simulate(until=0, start={"angle": 2.5})
    assert abs(run.start["angle"] - 2.5) < 1e-12
    assert abs(run.start["slider"] - slider_position(2.5, 1, 3)) < 1e-12
    assert abs(run.start["slope"] + np.arcsin(np.sin(2.5) / 3)) < 1e-12


def test_a_rod_that_is_too_short_is_refused_with_what_is_missing() -> None:
    # The pin is 1 above the slider's line and the rod reaches only 0.4: 0.6 is missing in the row hinge.y.
    with pytest.raises(detent.DetentError, match=r"'hinge.*cannot be met from this start"):
        detent.example("slider-crank").simulate(until=1, parameters={"rod": 0.4}, start={"angle": np.pi / 2})


def test_nothing_drifts_in_a_thousand_seconds() -> None:
    run = detent.example("slider-crank").simulate(until=1000, rtol=1e-12)
    assert run.audit.position_residual < 1e-12
    assert run.audit.velocity_residual < 1e-12
    assert run.audit.energy_balance < 1e-8
