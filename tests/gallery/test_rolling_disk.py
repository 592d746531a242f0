"""The rolling disk: stable when fast, in a circle when leaning, and never losing energy."""

from __future__ import annotations

import math

import numpy as np
import pytest

import detent
from detent.gallery.rolling_disk import circling, growth
from tests.physics.bounds import accumulated

DISK = {"axial": 0.5, "diametral": 0.25}
HOOP = {"axial": 1.0, "diametral": 0.5}


@pytest.mark.parametrize(("shape", "part"), [(DISK, 3.0), (HOOP, 4.0)], ids=["disk", "hoop"])
@pytest.mark.parametrize("faster", [0.98, 1.02])
def test_upright_rolling_is_stable_just_above_the_critical_speed(
    shape: dict[str, float], part: float, faster: float
) -> None:
    r, g, small = 0.5, 9.81, 1e-6
    v = faster * math.sqrt(g * r / part)
    squared = growth(v, r, g=g, **shape)
    assert (squared < 0) == (faster > 1)
    start = {"lean": small, "spin_rate": v / r, "yaw_rate": -shape["axial"] / shape["diametral"] * v / r * small}
    run = detent.example("rolling-disk").simulate(
        until=5, start=start, parameters={"r": r, "g": g, **shape}, rtol=1e-12, atol=1e-20
    )  # fmt: skip
    rate = np.sqrt(complex(squared))
    expected = small * np.cosh(rate * run.t).real
    # What the linear law leaves out is smaller by the square of the lean; the run's own error grows as the lean does.
    bound = np.abs(expected).max() * (1e-8 + 100 * accumulated(run))
    np.testing.assert_allclose(run.lean, expected, rtol=0, atol=bound)
    assert (np.abs(run.lean).max() < 1.001 * small) == (faster > 1)


@pytest.mark.parametrize("embedding", ["symbolic", "numeric", "live"])
def test_a_leaning_disk_goes_round_in_a_circle(embedding: str) -> None:
    lean, yaw_rate = 0.4, -3.0
    spin = circling(lean, yaw_rate, 0.5, g=9.81, **DISK)
    start = {"lean": lean, "yaw_rate": yaw_rate, "spin_rate": spin}
    run = detent.example("rolling-disk").simulate(until=5, start=start, rtol=1e-12, embedding=embedding)
    bound = 1e3 * accumulated(run)  # the circle is stable: what is lost does not grow faster than the time
    np.testing.assert_allclose(run.lean, lean, rtol=0, atol=bound)
    np.testing.assert_allclose(run.yaw, yaw_rate * run.t, rtol=0, atol=bound)
    radius = 0.5 * abs(spin / yaw_rate)
    np.testing.assert_allclose(np.hypot(run.x, run.y + radius), radius, rtol=0, atol=bound)
    assert run.audit.velocity_residual < 1e-12


def test_the_energy_stays_and_the_contact_does_not_slip() -> None:
    run = detent.example("rolling-disk").simulate(until=1000, rtol=1e-11, start={"yaw_rate": 1, "lean": 0.3})
    assert run.audit.energy_balance < accumulated(run)
    assert run.audit.velocity_residual < 1e-12
    np.testing.assert_allclose(run.x_rate, 0.5 * run.spin_rate * np.cos(run.yaw), rtol=0, atol=1e-12)
    np.testing.assert_allclose(run.y_rate, 0.5 * run.spin_rate * np.sin(run.yaw), rtol=0, atol=1e-12)


def test_the_force_of_the_floor_keeps_the_disk_on_its_circle() -> None:
    lean, yaw_rate = 0.4, -3.0
    spin = circling(lean, yaw_rate, 0.5, g=9.81, **DISK)
    start = {"lean": lean, "yaw_rate": yaw_rate, "spin_rate": spin}
    run = detent.example("rolling-disk").simulate(until=2, start=start, rtol=1e-12)
    # The centre runs on a circle at the speed r (spin' + yaw' sin(lean)); the floor gives its centripetal force.
    push = 0.5 * (spin + yaw_rate * math.sin(lean)) * yaw_rate
    found = np.array([run.reactions["rolling.x"], run.reactions["rolling.y"]])
    expected = push * np.array([-np.sin(run.yaw), np.cos(run.yaw)])
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8)
