"""SymPy in, the graph, SymPy out: every supported function keeps its value; what is not supported is named."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Abs, And, Eq, Max, Min, Ne, Not, Or, Piecewise, Rational, S, sign, sqrt
from sympy.abc import x, y, z

import detent
from detent.errors import ExpressionError
from detent.expr.evaluate import evaluate_nodes
from detent.expr.from_sympy import FUNCTIONS, RECIPROCALS, SUPPORTED, FromSympy
from detent.expr.graph import Graph, Node
from detent.expr.to_sympy import readable_number, to_sympy, tree_size

SYMBOLS = {"x": x, "y": y, "z": z}

ARITHMETIC = [
    x + y - 3 * z / 7,
    x * y / (z**2 + 1),
    x**2 / y**3 * z**-1,
    (x + 2) ** Rational(3, 2),
    1 / sqrt(x + 5),
    x**y,
    2**x,
    (x**2 + 1) ** 0.3,
    sympy.pi * x + sympy.E,
    Rational(1, 3) * x + sympy.Float("0.1"),
    sqrt(2) * x,
    Abs(x - 2) * sign(y - 1),
    Min(x, y, z, 1),
    Max(x, y, -z),
    sympy.atan2(x - S.One / 8, y - 2),
    sympy.exp(-x) * sympy.log(y + 4),
]

CONDITIONS = [
    x < y, x <= y, x > y, x >= y, Eq(x, y), Ne(x, y),
    And(x < y, y < z), Or(x < y, z < y), Not(And(x < y, y < z)), And(Or(x < 1, y < 1), Not(Eq(x, z)), z > S.Half),
    S.true, S.false,
]  # fmt: skip

AT = st.tuples(*[st.sampled_from([0.25, 0.5, 0.75, 1.0, 1.5, 2.0])] * 3)


def converter() -> FromSympy:
    graph = Graph()
    return FromSympy(graph, {symbol: graph.leaf(name) for name, symbol in SYMBOLS.items()})


def direct(expression: Any, at: tuple[float, float, float]) -> float:
    """SymPy's own value with thirty digits."""
    exact = {symbol: Rational(value) for symbol, value in zip((x, y, z), at, strict=True)}
    return float(expression.subs(exact).evalf(30))


def value(node: Node, at: tuple[float, float, float]) -> float:
    return evaluate_nodes([node], dict(zip("xyz", at, strict=True)))[0]


@pytest.mark.parametrize("expression", ARITHMETIC, ids=str)
@given(AT)
@settings(max_examples=20)
def test_arithmetic_keeps_its_value_there_and_back(expression: Any, at: tuple[float, float, float]) -> None:
    convert = converter()
    node = convert(expression)
    expected = direct(expression, at)
    assert value(node, at) == pytest.approx(expected, rel=4e-15, abs=1e-15)
    again = convert(to_sympy([node], SYMBOLS)[0])
    assert value(again, at) == pytest.approx(expected, rel=4e-15, abs=1e-15)


@pytest.mark.parametrize("function", [*FUNCTIONS, *RECIPROCALS], ids=lambda function: function.__name__)
@pytest.mark.parametrize("at", [0.125, 0.5, 0.875])
def test_every_supported_function_keeps_its_value_there_and_back(function: Any, at: float) -> None:
    convert = converter()
    arity = FUNCTIONS[function].arity if function in FUNCTIONS else 1
    written, place = function(*(x, y)[:arity]), (at, 0.75, 0)
    node = convert(written)
    expected = direct(written, place)
    assert value(node, place) == pytest.approx(expected, rel=2e-15)
    again = convert(to_sympy([node], SYMBOLS)[0])
    assert value(again, place) == pytest.approx(expected, rel=2e-15)


@pytest.mark.parametrize("condition", CONDITIONS, ids=str)
@given(AT)
@settings(max_examples=20)
def test_piecewise_chooses_as_sympy_does(condition: Any, at: tuple[float, float, float]) -> None:
    expression = Piecewise((x + 10, condition), (y - 10, z > 1), (z, True))
    convert = converter()
    node = convert(expression)
    assert value(node, at) == direct(expression, at)
    assert value(convert(to_sympy([node], SYMBOLS)[0]), at) == direct(expression, at)


def test_equal_expressions_become_one_node() -> None:
    convert = converter()
    assert convert(x * y + x * y * 2) is convert(3 * x * y)
    assert convert((x + y) ** 2) is convert((y + x) * (x + y))
    assert convert(2) is convert(sympy.Integer(2))
    assert convert(2) is convert(2.0)


@pytest.mark.parametrize("beyond", ["linear", "hold", "periodic"])
def test_a_tabulated_function_and_its_derivatives_there_and_back(beyond: Any) -> None:
    at = np.linspace(0, 2 * math.pi, 13)
    heights = np.sin(at)
    heights[-1] = heights[0]
    profile = detent.tabulated("profile", at.tolist(), heights.tolist(), beyond=beyond)
    expression = profile(2 * x)
    convert = converter()
    for order in range(4):
        node = convert(expression)
        for where in (-1.0, 0.2, 1.7, 3.0, 5.5):
            expected = 2.0**order * profile.table(2 * where, order)
            assert value(node, (where, 0, 0)) == pytest.approx(expected, rel=1e-14, abs=1e-14)
        assert convert(to_sympy([node], SYMBOLS)[0]) is node
        expression = expression.diff(x)
    assert expression == 0


def test_a_tabulated_function_of_a_number_is_a_constant() -> None:
    profile = detent.tabulated("profile", [0, 1, 2, 3], [0, 1, 4, 9])
    node = converter()(profile(S(3) / 2) * x)
    assert value(node, (2.0, 0, 0)) == pytest.approx(4.5, rel=1e-15)


def test_two_tables_of_one_name_are_not_mixed_up() -> None:
    first = detent.tabulated("profile", [0, 1, 2, 3], [0, 1, 4, 9])
    second = detent.tabulated("profile", [0, 1, 2, 3], [0, 1, 8, 27])
    assert first(x) != second(x)
    convert = converter()
    assert value(convert(first(x) - second(x)), (2.0, 0, 0)) == pytest.approx(-4.0)


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        (sympy.erf(x), "erf"),
        (sympy.Function("f")(x), "f"),
        (sympy.gamma(x + 1), "gamma"),
        (sympy.besselj(0, x), "besselj"),
        (sympy.Integral(x, x), "Integral"),
        (sympy.Derivative(sympy.Function("f")(x), x), "Derivative"),
        (sympy.floor(x), "floor"),
        (sympy.Heaviside(x), "Heaviside"),
    ],
)
def test_an_unsupported_function_is_named_together_with_what_is_supported(expression: Any, name: str) -> None:
    with pytest.raises(ExpressionError) as caught:
        converter()(2 * expression + 1)
    assert f"'{name}' in '" in str(caught.value)
    assert SUPPORTED in str(caught.value)
    for word in ("sin", "atan2", "Piecewise", "detent.tabulated"):
        assert word in SUPPORTED


def test_an_unknown_symbol_is_named_together_with_those_that_exist() -> None:
    with pytest.raises(ExpressionError, match=r"'w' is not part of this system; its names are x, y, z\. Declare it"):
        converter()(x + sympy.Symbol("w"))


@pytest.mark.parametrize(
    "constant", [sympy.I, sqrt(-2), sympy.oo, -sympy.oo, sympy.zoo, sympy.nan, S(10) ** 400], ids=str
)
def test_a_constant_that_is_no_finite_real_number_is_refused(constant: Any) -> None:
    with pytest.raises(ExpressionError, match="is not a finite real number; expressions must be real"):
        converter()(constant)
    if constant is not sympy.nan:
        with pytest.raises(ExpressionError):
            converter()(sympy.Mul(constant, x, evaluate=False))


def test_an_open_piecewise_is_refused_with_the_remedy() -> None:
    with pytest.raises(ExpressionError, match=r"has no value where none of its conditions holds; end the Piecewise"):
        converter()(Piecewise((x, x > 0)))


def test_an_unsupported_condition_is_named_together_with_those_that_are() -> None:
    with pytest.raises(ExpressionError, match=r"condition .* is not supported; use <, <=, >, >=, Eq, Ne, And, Or, Not"):
        converter()(Piecewise((x, sympy.Xor(x > 0, y > 0)), (y, True)))


def test_a_long_expression_is_cut_short_in_a_message() -> None:
    with pytest.raises(ExpressionError) as caught:
        converter()(sympy.erf(sum(x**n * y for n in range(60))))
    assert len(str(caught.value)) < 350


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_readable_number_is_the_same_number(number: float) -> None:
    assert float(readable_number(number)) == number


def test_tree_size_counts_shared_parts_each_time_and_stops_at_the_limit() -> None:
    graph = Graph()
    node = graph.leaf("x") + 1.0
    for _ in range(100):
        node = node * node
    assert tree_size(node, limit=10**6) == 10**6
