"""Motion on drawn profiles: a cubic spline is smooth enough to keep energy, and exact where the curve is a cubic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy
from numpy.typing import NDArray

import detent
from detent import System
from detent.expr.table import BEYOND_CODES, Beyond, Table
from tests.physics.bounds import accumulated

KNOTS = np.linspace(-2, 2, 17)


def drawn(function: Callable[[NDArray[np.float64]], NDArray[np.float64]], beyond: Beyond = "linear") -> Any:
    """The SymPy function through points of a function at the knots."""
    return detent.tabulated("drawn", KNOTS.tolist(), function(KNOTS).tolist(), beyond)


def wave(beyond: Beyond) -> Table:
    """A table of two waves of a cosine."""
    return Table("wave", KNOTS.tolist(), np.cos(np.pi * KNOTS).tolist(), beyond)


def bead(height: Any) -> System:
    """A bead of 1 kg on the curve y = height(x)."""
    system = System("bead on a curve")
    x = system.coordinates(x=1)
    place = system.origin.offset("bead", x * system.ground.x + height(x) * system.ground.y)
    system.particle("bead", place, 1)
    system.gravity(-9.81 * system.ground.y)
    return system


def test_a_bead_on_a_drawn_track_keeps_its_energy() -> None:
    track = drawn(lambda x: 0.4 * x**2 + 0.1 * np.sin(5 * x))
    run = detent.simulate(bead(track), until=5, rtol=1e-10)
    assert np.ptp(run.x) > 1
    assert run.audit.energy_balance < accumulated(run)


def test_a_drawn_parabola_is_the_parabola() -> None:
    """The spline through points of a parabola is that parabola, so the motion is the same but for rounding."""
    table = detent.simulate(bead(drawn(lambda x: x**2 / 2)), until=3, rtol=1e-11)
    curve = detent.simulate(bead(lambda x: x**2 / 2), until=3, rtol=1e-11)
    assert table.final.x == pytest.approx(curve.final.x, abs=10 * accumulated(curve))
    assert table.final.x_rate == pytest.approx(curve.final.x_rate, abs=10 * accumulated(curve))


@pytest.mark.parametrize("beyond", BEYOND_CODES)
def test_value_slope_and_curvature_have_no_jump_at_the_points(beyond: Beyond) -> None:
    table = wave(beyond)
    inside = KNOTS if beyond == "periodic" else KNOTS[1:-1]
    gap = 1e-9
    for order, steepest in ((0, np.pi), (1, np.pi**2), (2, 2 * np.pi**3)):
        for knot in inside:
            # What a smooth function changes by over the gap, with room for the spline's own slopes.
            assert abs(table(knot + gap, order) - table(knot - gap, order)) < 4 * gap * steepest


@pytest.mark.parametrize("beyond", BEYOND_CODES)
def test_each_derivative_is_the_slope_of_the_one_before(beyond: Beyond) -> None:
    table = wave(beyond)
    h = 1e-5
    for x in (-3.3, -1.9, 0.02, 1.55, 2.7):
        for order in (0, 1, 2):
            slope = (table(x + h, order) - table(x - h, order)) / (2 * h)
            # On a cubic the central difference errs by h^2 f'''/6, and by rounding.
            assert slope == pytest.approx(table(x, order + 1), abs=h**2 * 200 + 1e-14 * 100 / h)


def test_beyond_the_points_a_linear_profile_goes_straight_on() -> None:
    """A ramp of 45 degrees: the bead leaves the drawn part and keeps its acceleration, g/2 along x."""
    ramp = detent.tabulated("ramp", [0, 1, 2, 3], [0, -1, -2, -3])
    run = detent.simulate(bead(ramp), until=2, start={"x": 0}, rtol=1e-11)
    assert run.final.x > 4
    assert run.final.x == pytest.approx(9.81 / 2 * 2**2 / 2, rel=10 * accumulated(run))


def test_a_cam_drives_its_follower_as_its_derivatives_say() -> None:
    """A follower prescribed by a periodic table of time: the spring behind it does the work that the audit counts."""
    angles = np.linspace(0, 2 * np.pi, 33)
    heights = 0.1 * (1 - np.cos(angles))
    heights[-1] = heights[0]
    cam = detent.tabulated("cam", angles.tolist(), heights.tolist(), beyond="periodic")
    system = System("cam")
    x = system.coordinates("x")
    follower = system.origin.offset("follower", cam(3 * system.time) * system.ground.x)
    mass = follower.offset("mass", (1 + x) * system.ground.x)
    system.particle("mass", mass, 0.5)
    system.spring("spring", x, 40)
    run = detent.simulate(system, until=4, rtol=1e-10)
    assert np.ptp(run.x) > 0.01
    assert np.abs(run.work).max() > 0.01
    assert run.audit.energy_balance < accumulated(run)


def test_sympy_sees_the_derivatives() -> None:
    x = sympy.Symbol("x")
    curve = drawn(lambda x: x**3)
    assert float(curve(x).diff(x).subs(x, 0.7)) == pytest.approx(3 * 0.7**2, rel=1e-12)
    assert float(curve(x**2).diff(x).subs(x, 0.7)) == pytest.approx(6 * 0.7**5, rel=1e-12)
    assert float(curve(x).diff(x, 3).subs(x, 0.7)) == pytest.approx(6, rel=1e-10)
    assert curve(x).diff(x, 4) == 0
