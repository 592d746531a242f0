"""Every bump of a curve is found, however narrow, or the curve is refused."""

from __future__ import annotations

import math
from typing import Any

import pytest
import sympy

import detent
from detent.contact.bumps import bumps_of

s = sympy.Symbol("s")


def curve(y: Any, between: tuple[float, float] = (-2, 2)) -> Any:
    return detent.System("curve").ground.curve(s, s, y, between)


@pytest.mark.parametrize("at", [0.0, 0.3001, -1.23456])
@pytest.mark.parametrize("width", [1e-3, 1e-5, 1e-7])
def test_a_needle_sticks_out_between_its_inflections(at: float, width: float) -> None:
    """Those of h exp(-((s - a)/w)^2) are at a +- w/sqrt(2), where its slope is h/w sqrt(2/e)."""
    high = 0.2
    bumps = bumps_of(curve(high * sympy.exp(-(((s - at) / width) ** 2)) + 0.05 * sympy.cos(s)))
    assert bumps is not None
    needle = next(bump for bump in bumps if bump.lowest < at < bump.highest)
    for end in (at - needle.lowest, needle.highest - at):
        assert 0.5 * width < end < width / math.sqrt(2) * (1 + 1e-4)
    assert needle.turning == pytest.approx(2 * math.atan(high / width * math.sqrt(2 / math.e)), rel=2e-3)
    assert len(bumps) == 3  # and the hill on both sides of it


def test_how_a_ridge_turns_does_not_hang_on_where_it_is_looked_at() -> None:
    """A roof y = -b sqrt(a^2 + s^2), rounded by far less than what is between two samples, turns by 2 atan(b)."""
    for at in (0.0, 0.00123):
        (bump,) = bumps_of(curve(-0.5 * sympy.sqrt(1e-10 + (s - at) ** 2))) or ()
        assert bump.lowest < at < bump.highest
        assert bump.turning == pytest.approx(2 * math.atan(0.5), rel=1e-4)


def test_what_cancels_is_told_all_the_same() -> None:
    """The second slope of log cosh is 1/cosh^2, as a difference of numbers that are nearly one."""
    (bump,) = bumps_of(curve(-0.3 * sympy.log(sympy.cosh(s / 0.1)), (-2, 3))) or ()
    assert bump.turning == pytest.approx(2 * math.atan(3), rel=1e-4)


@pytest.mark.parametrize("y", [-sympy.Abs(s) / 2, -sympy.sqrt(1e-18 + s**2) / 2, sympy.Max(s, 0.3 * s)])
def test_a_curve_with_a_corner_is_refused_with_a_face(y: Any) -> None:
    system = detent.System("plank")
    joint = system.planar("plank", system.origin, system.ground)
    body = system.body("plank", joint.point, joint.frame, mass=1, inertia=1)
    plank = body.polygon((-1, -0.1), (1, -0.1), (1, 0.1), (-1, 0.1))
    with pytest.raises(detent.DetentError, match=r"contact 'plank\|curve'.*corner where its parameter is .*two curves"):
        system.contact("plank|curve", plank, system.ground.curve(s, s, y, (-2, 2)))
    with pytest.raises(detent.DetentError, match="two curves"):
        system.contact("line|curve", body.line(), system.ground.curve(s, s, y, (-2, 2)))


def test_a_curve_that_bounds_do_not_tell_of_is_refused() -> None:
    with pytest.raises(detent.DetentError, match=r"could not be told by bounds around s = .*; write its expressions"):
        bumps_of(curve(1e-3 * sympy.cos(1e6 * s)))
