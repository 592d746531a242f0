"""Derivatives on the graph are exact: against the complex step, against SymPy, along a motion."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from detent.expr import operation as op
from detent.expr.derivative import Derivative, partial
from detent.expr.evaluate import evaluate_nodes
from detent.expr.graph import Graph, Node
from detent.expr.table import Table
from detent.expr.to_sympy import to_sympy

ROUNDING = 2.0**-52

COMPLEX: dict[int, Callable[[complex], complex]] = {
    op.SQRT: cmath.sqrt, op.SIN: cmath.sin, op.COS: cmath.cos, op.TAN: cmath.tan, op.ASIN: cmath.asin,
    op.ACOS: cmath.acos, op.ATAN: cmath.atan, op.EXP: cmath.exp, op.LOG: cmath.log, op.SINH: cmath.sinh,
    op.COSH: cmath.cosh, op.TANH: cmath.tanh,
}  # fmt: skip


@pytest.mark.parametrize("kind", COMPLEX, ids=lambda kind: op.NAMES[kind])
@given(st.floats(0.01, 0.95))
def test_functions_of_one_value_against_the_complex_step(kind: int, at: float) -> None:
    graph = Graph()
    x = graph.leaf("x")
    step = 1e-30
    expected = COMPLEX[kind](complex(at, step)).imag / step
    # The slope of asin and acos loses a digit near 1, where 1 - x^2 cancels.
    assert evaluate_nodes([partial(graph.function(kind, x), x)], {"x": at})[0] == pytest.approx(
        expected, rel=40 * ROUNDING
    )


@pytest.mark.parametrize(
    ("build", "reference"),
    [
        (lambda g, x, y: x + y, lambda x, y: x + y),
        (lambda g, x, y: x - y, lambda x, y: x - y),
        (lambda g, x, y: x * y, lambda x, y: x * y),
        (lambda g, x, y: x / y, lambda x, y: x / y),
        (lambda g, x, y: -x, lambda x, y: -x),
        (lambda g, x, y: x**y, lambda x, y: x**y),
        (lambda g, x, y: x**3, lambda x, y: x**3),
        (lambda g, x, y: x**-2.5, lambda x, y: x**-2.5),
        (lambda g, x, y: x**0.3, lambda x, y: x**0.3),
        (lambda g, x, y: g.power(2.0, x), lambda x, y: 2.0**x),
    ],
    ids=["add", "subtract", "multiply", "divide", "negate", "power", "cube", "half power", "any power", "exponential"],
)
@pytest.mark.parametrize("along", ["x", "y"])
@given(st.floats(0.1, 3.0), st.floats(0.1, 3.0))
def test_arithmetic_against_the_complex_step(
    build: Callable[..., Node], reference: Callable[..., complex], along: str, x: float, y: float
) -> None:
    graph = Graph()
    leaves = graph.leaf("x"), graph.leaf("y")
    step = 1e-30
    moved = (complex(x, step), complex(y)) if along == "x" else (complex(x), complex(y, step))
    expected = reference(*moved).imag / step
    rate = partial(build(graph, *leaves), graph.leaf(along))
    assert evaluate_nodes([rate], {"x": x, "y": y})[0] == pytest.approx(expected, rel=40 * ROUNDING, abs=1e-300)


@pytest.mark.parametrize("along", ["x", "y"])
@given(st.floats(-3.0, 3.0), st.floats(0.2, 3.0))
def test_atan2_turns_as_the_angle_of_a_vector(along: str, x: float, y: float) -> None:
    graph = Graph()
    node = graph.function2(op.ATAN2, graph.leaf("y"), graph.leaf("x"))
    expected = (-y if along == "x" else x) / (x * x + y * y)
    rate = partial(node, graph.leaf(along))
    assert evaluate_nodes([rate], {"x": x, "y": y})[0] == pytest.approx(expected, rel=8 * ROUNDING, abs=1e-300)


@pytest.mark.parametrize(
    ("build", "expected"),
    [
        (lambda g, x: g.function(op.ABSOLUTE, x), lambda x: math.copysign(1.0, x)),
        (lambda g, x: g.function(op.SIGN, x), lambda x: 0.0),
        (lambda g, x: g.function2(op.MINIMUM, x, 3.0 * x - 1.0), lambda x: 1.0 if x < 3 * x - 1 else 3.0),
        (lambda g, x: g.function2(op.MAXIMUM, x, 3.0 * x - 1.0), lambda x: 1.0 if x > 3 * x - 1 else 3.0),
        (
            lambda g, x: g.select(g.function2(op.LESS, x, g.constant(0.4)), 5.0 * x, -x),
            lambda x: 5.0 if x < 0.4 else -1.0,
        ),
        (lambda g, x: g.function2(op.LESS_EQUAL, x, g.constant(0.4)), lambda x: 0.0),
        (lambda g, x: g.complement(g.function2(op.EQUAL, x, g.constant(0.4))), lambda x: 0.0),
    ],
    ids=["absolute", "sign", "minimum", "maximum", "select", "comparison", "not"],
)
@pytest.mark.parametrize("at", [-2.25, -0.5, 0.25, 0.45, 1.75])
def test_piecewise_operations_differentiate_piece_by_piece(
    build: Callable[..., Node], expected: Callable[[float], float], at: float
) -> None:
    graph = Graph()
    x = graph.leaf("x")
    assert evaluate_nodes([partial(build(graph, x), x)], {"x": at})[0] == expected(at)


@pytest.mark.parametrize("order", [0, 1, 2])
def test_a_table_differentiates_to_its_own_derivatives(order: int) -> None:
    graph = Graph()
    x = graph.leaf("x")
    table = Table("wave", np.linspace(0, 6, 9).tolist(), np.sin(np.linspace(0, 6, 9)).tolist())
    rate = partial(graph.lookup(table, 2.0 * x, order), x)
    for at in (0.1, 1.3, 2.9):
        assert evaluate_nodes([rate], {"x": at})[0] == 2.0 * table(2.0 * at, order + 1)
    assert partial(graph.lookup(table, x, 3), x) is graph.zero


EXPRESSIONS = [
    lambda g, x, y, z: g.function(op.SIN, x * y) / (z * z + 1.0) + g.function(op.EXP, -x) * y,
    lambda g, x, y, z: g.function(op.SQRT, x * x + y * y + z * z) ** 3 - g.function(op.TANH, x - y),
    lambda g, x, y, z: g.function2(op.ATAN2, x + z, y) * g.function(op.LOG, z * z + 2.0),
    lambda g, x, y, z: g.power(x * x + 1.0, y / 3.0) - g.function(op.COSH, g.function(op.COS, z) * x),
    lambda g, x, y, z: g.function(op.ASIN, x / 9.0) * g.function(op.ACOS, y / 9.0) / g.function(op.ATAN, z + 4.0),
    lambda g, x, y, z: g.function(op.TAN, x / 4.0) * g.function(op.SINH, y) - (x - y) ** -2.5 * z,
]


@pytest.mark.parametrize("number", range(len(EXPRESSIONS)))
def test_composed_derivatives_against_sympy(number: int) -> None:
    graph = Graph()
    leaves = [graph.leaf(name) for name in "xyz"]
    node = EXPRESSIONS[number](graph, *leaves)
    symbols = {name: sympy.Symbol(name) for name in "xyz"}
    values = {"x": 1.7, "y": 0.4, "z": -0.8}
    at = {symbols[name]: sympy.Float(value, 40) for name, value in values.items()}
    expression = to_sympy([node], symbols)[0]
    for leaf in leaves:
        first = partial(node, leaf)
        found = evaluate_nodes([first, partial(first, leaves[0])], values)
        slope = expression.diff(symbols[leaf.name])
        exact = [float(slope.evalf(30, subs=at)), float(slope.diff(symbols["x"]).evalf(30, subs=at))]
        # Some tens of roundings, of terms that nearly cancel here and there.
        assert found == pytest.approx(exact, rel=1e-13, abs=1e-14)


def test_a_total_derivative_follows_the_motion() -> None:
    graph = Graph()
    t, q, m = graph.leaf("t"), graph.leaf("q"), graph.leaf("m")
    node = m * graph.function(op.SIN, q) * t
    along = Derivative(graph, {t: graph.one, q: graph.leaf("u")})
    # Along q(t) = t^2 at t = 1.5: u = 3, and m sin(t^2) t has the rate m (sin(t^2) + 2 t^2 cos(t^2)).
    found = evaluate_nodes([along(node)], {"t": 1.5, "q": 2.25, "u": 3.0, "m": 2.0})[0]
    assert found == pytest.approx(2.0 * (math.sin(2.25) + 4.5 * math.cos(2.25)), rel=8 * ROUNDING)


def test_what_does_not_move_has_no_rate() -> None:
    graph = Graph()
    x, y = graph.leaf("x"), graph.leaf("y")
    along = Derivative(graph, {x: graph.one})
    assert along(y * y) is graph.zero
    assert along(graph.constant(3.0)) is graph.zero
    assert along(x * y) is y


def test_a_deep_expression_needs_no_deep_stack() -> None:
    graph = Graph()
    x = graph.leaf("x")
    node = x
    for _ in range(10_000):
        node = graph.function(op.SIN, node) + x
    assert math.isfinite(evaluate_nodes([partial(node, x)], {"x": 0.3})[0])
