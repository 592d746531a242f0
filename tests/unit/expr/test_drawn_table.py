"""Functions that are drawn during a run: the same bits as tables that were known before, in every tier."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import CubicSpline

from detent.errors import ExpressionError
from detent.expr.derivative import partial
from detent.expr.drawn_table import DrawnTable, drawn_numbers
from detent.expr.evaluate import evaluate_nodes
from detent.expr.graph import Graph
from detent.expr.table import Table
from detent.expr.tape import STATE, VALUES, build_tape
from detent.jit.program import Program

AT = [0.0, 0.7, 1.1, 2.0, 3.5]
HEIGHTS = [0.2, -0.4, 1.0, 0.9, -2.0]


def programs() -> tuple[Program, Program, DrawnTable]:
    """All derivatives of a table that is drawn, and of one that was known; the same number of values before each."""
    graph = Graph()
    x, drawn, known = graph.leaf("x"), DrawnTable("drawn", most=8), Table("known", AT, HEIGHTS)
    inputs = {"x": (STATE, 0), **{name: (VALUES, 3 + number) for number, name in enumerate(drawn.names)}}
    orders = range(4)
    return (
        Program(build_tape([graph.lookup(drawn, x, order) for order in orders], inputs)),
        Program(build_tape([graph.lookup(known, x, order) for order in orders], inputs)),
        drawn,
    )


def test_what_is_drawn_has_the_bits_of_what_was_known() -> None:
    ours, known, table = programs()
    data = Table("known", AT, HEIGHTS).data.tolist()
    values = np.array([7.0, 8.0, 9.0, *data, *[0.0] * (len(table.names) - len(data))])
    states = np.linspace(-1.0, 5.0, 201)[:, None]
    expected = known.over(np.zeros(201), states, values)
    np.testing.assert_array_equal(ours.over(np.zeros(201), states, values), expected)
    ours.compile()
    np.testing.assert_array_equal(ours.over(np.zeros(201), states, values), expected)


def test_it_can_be_drawn_again_with_other_numbers_of_points() -> None:
    ours, _, table = programs()
    ours.compile()
    for count in range(2, 9):
        at = np.linspace(0.0, 1.0, count)
        (numbers,) = drawn_numbers([table], at.tolist(), [[2.0 * each] for each in at])
        found = ours(0.0, np.array([0.3]), np.array([0.0, 0.0, 0.0, *numbers]))
        np.testing.assert_allclose(found, [0.6, 2.0, 0.0, 0.0], rtol=0, atol=1e-11)


def test_its_numbers_are_known_to_depend_on_what_it_depends_on() -> None:
    graph = Graph()
    x, table = graph.leaf("x"), DrawnTable("path", most=3)
    node = graph.lookup(table, 0.5)  # of a constant it is no constant
    assert node.leaves & graph.leaf("path_0").leaves
    (numbers,) = drawn_numbers([table], [0.0, 1.0], [[1.0], [3.0]])
    assert evaluate_nodes(
        [node, partial(graph.lookup(table, x), x)], dict(zip(table.names, numbers, strict=True), x=9.0)
    ) == [
        2.0,
        2.0,
    ]
    with pytest.raises(ExpressionError, match="how 'path' changes with the numbers it is drawn by"):
        partial(node, graph.leaf("path_3"))


def test_numbers_that_do_not_stand_together_are_refused() -> None:
    graph = Graph()
    table = DrawnTable("path", most=2)
    inputs = {"x": (STATE, 0), **{name: (VALUES, 2 * number) for number, name in enumerate(table.names)}}
    with pytest.raises(ExpressionError, match="not values one after another"):
        build_tape([graph.lookup(table, graph.leaf("x"))], inputs)


def test_splines_are_those_of_scipy() -> None:
    random = np.random.default_rng(20)
    tables = [DrawnTable("x", most=16), DrawnTable("y", most=16)]
    for _ in range(200):
        count = int(random.integers(2, 17))
        at, heights = np.cumsum(random.uniform(0.05, 1.0, count)), random.normal(size=(count, 2))
        found, expected = drawn_numbers(tables, at.tolist(), heights.tolist()), CubicSpline(at, heights).c
        for column, numbers in enumerate(found):
            parts = numbers[2 + count : 2 + count + 4 * (count - 1)].reshape(-1, 4).T
            # The equations of slopes are dominated by their diagonal but for the ends: rounding grows little.
            np.testing.assert_allclose(parts, expected[:, :, column], rtol=0, atol=1e-12 * np.abs(expected).max())
