"""Tabulated functions: a spline, what lies beyond it, and what cannot be one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from scipy.interpolate import CubicSpline

import detent
from detent.errors import ExpressionError
from detent.expr.table import Table

KNOTS = np.array([-1.0, 0.5, 0.75, 2.0, 3.5, 4.0])
HEIGHTS = np.array([0.3, -1.0, 2.0, 2.5, 0.1, 0.3])


@pytest.mark.parametrize("beyond", ["linear", "hold", "periodic"])
@pytest.mark.parametrize("order", [0, 1, 2, 3])
@given(at=st.floats(-1.0, 4.0, exclude_max=True))
def test_inside_the_points_it_is_the_cubic_spline(beyond: Any, order: int, at: float) -> None:
    spline = CubicSpline(KNOTS, HEIGHTS, bc_type="periodic" if beyond == "periodic" else "not-a-knot")
    found = Table("profile", KNOTS.tolist(), HEIGHTS.tolist(), beyond)(at, order)
    assert found == pytest.approx(float(spline(at, order)), rel=1e-12, abs=1e-12)


def test_it_goes_through_its_points() -> None:
    table = Table("profile", KNOTS.tolist(), HEIGHTS.tolist())
    assert [table(float(knot)) for knot in KNOTS] == pytest.approx(HEIGHTS.tolist(), abs=1e-14)


@pytest.mark.parametrize(("end", "outward"), [(-1.0, -1.0), (4.0, 1.0)])
def test_linear_goes_on_along_the_tangent(end: float, outward: float) -> None:
    table = Table("profile", KNOTS.tolist(), HEIGHTS.tolist(), "linear")
    at = end + 3.0 * outward
    assert table(at) == pytest.approx(table(end) + 3.0 * outward * table(end, 1), rel=1e-14)
    assert [table(at, 1), table(at, 2), table(at, 3)] == [table(end, 1), 0.0, 0.0]


@pytest.mark.parametrize(("end", "outward"), [(-1.0, -1.0), (4.0, 1.0)])
def test_hold_keeps_the_end_value(end: float, outward: float) -> None:
    table = Table("profile", KNOTS.tolist(), HEIGHTS.tolist(), "hold")
    at = end + 3.0 * outward
    assert [table(at, order) for order in range(4)] == [table(end), 0.0, 0.0, 0.0]


@pytest.mark.parametrize("turns", [-3, -1, 1, 7])
@pytest.mark.parametrize("order", [0, 1, 2, 3])
def test_periodic_repeats_with_its_derivatives(turns: int, order: int) -> None:
    table = Table("profile", KNOTS.tolist(), HEIGHTS.tolist(), "periodic")
    for at in (-0.75, 0.625, 1.25, 3.875):
        assert table(at + 5.0 * turns, order) == table(at, order)


def test_periodic_joins_smoothly() -> None:
    table = Table("cam", KNOTS.tolist(), HEIGHTS.tolist(), "periodic")
    step = 1e-9
    for order in (0, 1, 2):
        assert table(4.0 - step, order) == pytest.approx(table(4.0 + step, order), abs=1e-6)


def test_sympy_sees_the_numbers_and_the_derivatives() -> None:
    q = sympy.Symbol("q")
    cam = detent.tabulated("cam", KNOTS.tolist(), HEIGHTS.tolist())
    assert float(cam(1)) == Table("cam", KNOTS.tolist(), HEIGHTS.tolist())(1.0)
    assert str(cam(q**2).diff(q)) == "2*q*cam_d(q**2)"
    assert str(cam(q).diff(q, 3)) == "cam_ddd(q)"
    assert cam(q).diff(q, 4) == 0
    assert sympy.latex(cam(q).diff(q)) == r"\operatorname{cam}'\left(q\right)"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0, 1, 2], [0, 1, 2]), "table 'cam': found 3 positions and 3 values; give the same number of each, at least"),
        (([0, 1, 2, 3], [0, 1, 2]), "found 4 positions and 3 values"),
        (([0, 1, 1, 3], [0, 1, 2, 3]), "the positions do not increase; sort the points and remove doubles"),
        (([0, 1, math.nan, 3], [0, 1, 2, 3]), "a position or value is not finite; remove or mend that point"),
        (([0, 1, 2, 3], [0, 1, math.inf, 3]), "a position or value is not finite"),
        (([0, 1, 2, 3], [0, 1, 2, 3], "periodic"), "its first value .* differs from its last .*; close the curve"),
        (([0, 1, 2, 3], [0, 1, 2, 3], "mirror"), "beyond is 'mirror'; use one of linear, hold, periodic"),
    ],
)
def test_points_that_make_no_table_are_refused_with_the_remedy(arguments: Any, message: str) -> None:
    with pytest.raises(ExpressionError, match=message):
        detent.tabulated("cam", *arguments)
