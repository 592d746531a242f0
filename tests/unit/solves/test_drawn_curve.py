"""How many points of a drawn curve are looked at: by how much it turns."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from detent.errors import ValueProblem
from detent.expr.drawn_table import DrawnTable, drawn_numbers, table_length
from detent.solves.drawn_curve import drawn_curve


def samples(at: np.ndarray, places: np.ndarray) -> int:
    return drawn_curve(at.tolist(), places.tolist(), table_length(len(at) - 1)).samples


def expected(at: np.ndarray, places: np.ndarray) -> int:
    """A quarter of a radian from one to the next on average, 0.7 where it turns fastest."""
    spline, whole, fastest = CubicSpline(at, places), 0.0, 0.0
    for low, high in pairwise(at):
        ways = spline(np.linspace(low, high, 9), 1)
        units = ways / np.linalg.norm(ways, axis=1)[:, None]
        turned = np.linalg.norm(np.diff(units, axis=0), axis=1)
        whole, fastest = whole + turned.sum(), max(fastest, turned.max() * 8 / (high - low))
    return math.ceil(min(max(whole / 0.25, fastest / 0.7, 32), 1024))


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


@pytest.mark.parametrize("seed", range(20))
def test_its_numbers_are_those_of_the_tables_that_the_system_declares(seed: int) -> None:
    random = np.random.default_rng(seed)
    count = int(random.integers(2, 17))
    at, places = np.cumsum(random.uniform(0.01, 1.0, count)).tolist(), random.normal(size=(count, 2)).tolist()
    tables = [DrawnTable("x", 16), DrawnTable("y", 16)]
    found = drawn_curve(at, places, len(tables[0].names)).numbers
    assert found.tobytes() == np.concatenate(drawn_numbers(tables, at, places)).tobytes()


def test_tables_without_room_are_refused() -> None:
    with pytest.raises(ValueProblem, match="through 3 points has no room in tables of 8"):
        drawn_curve([0.0, 0.5, 1.0], [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)], 8)
