"""How many points of a drawn curve are looked at: by how much it turns."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from detent.expr.drawn_table import DrawnTable, drawn_numbers
from detent.solves.following import samples_of_curve


def samples(at: np.ndarray, places: np.ndarray) -> int:
    tables = [DrawnTable("x", len(at)), DrawnTable("y", len(at))]
    x, y = drawn_numbers(tables, at.tolist(), places.tolist())
    return samples_of_curve(x, y)


def expected(at: np.ndarray, places: np.ndarray) -> int:
    """A quarter of a radian from one to the next on average, 0.7 where it turns fastest."""
    ways = CubicSpline(at, places)(np.linspace(0, 1, 257), 1)
    units = ways / np.linalg.norm(ways, axis=1)[:, None]
    turned = np.linalg.norm(np.diff(units, axis=0), axis=1)
    wanted = max(turned.sum() / 0.25, turned.max() * 257 / 0.7)
    return math.ceil(min(max(wanted, 32), 1024))


@pytest.mark.parametrize("seed", range(40))
def test_random_curves_are_looked_at_as_closely_as_they_turn(seed: int) -> None:
    random = np.random.default_rng(seed)
    at = np.concatenate([[0.0], np.sort(random.uniform(0.01, 0.99, int(random.integers(2, 14)))), [1.0]])
    places = random.normal(size=(len(at), 2))
    assert samples(at, places) == expected(at, places)


def test_five_turns_of_a_spiral_take_126_points() -> None:
    at = np.linspace(0.0, 1.0, 60)
    angle = 10 * math.pi * at
    places = np.column_stack([(2 + at) * np.cos(angle), (2 + at) * np.sin(angle)])
    assert samples(at, places) == pytest.approx(10 * math.pi / 0.25, rel=0.02)


def test_a_curve_that_stands_still_at_a_place_has_no_way_there() -> None:
    assert samples_of_curve(np.array([1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]), np.zeros(8)) == 32
