"""Laws of the graph: one node for one expression, and folding that never changes a value."""

from __future__ import annotations

import math
import threading

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from detent.errors import ExpressionError
from detent.expr import operation as op
from detent.expr.evaluate import evaluate_nodes
from detent.expr.graph import Graph, Node, in_order
from detent.expr.substitute import substitute
from detent.expr.table import Table
from tests.unit.expr.recipes import IN_FLOATS, LEAVES, Recipe, on_graph, recipes, same_number

EXACT = tuple(IN_FLOATS)
WHOLE = st.fixed_dictionaries({name: st.integers(-6, 6).map(float) for name in LEAVES})


@given(recipes(EXACT, 12), WHOLE)
def test_folding_never_changes_a_value(recipe: Recipe, values: dict[str, float]) -> None:
    expected = recipe.floats(values)
    # Beyond this whole numbers and their halves are no longer exact, and rounding may depend on the form.
    assume(all(abs(value) < 2.0**40 and (value * 2.0**12).is_integer() for value in expected))
    nodes = recipe.nodes(Graph())
    assert evaluate_nodes(nodes, values) == expected


@given(recipes(EXACT, 12), WHOLE)
def test_a_function_of_a_folded_value_is_the_function_of_the_value(recipe: Recipe, values: dict[str, float]) -> None:
    argument = recipe.floats(values)[-1]
    assume(abs(argument) < 2.0**40 and (argument * 2.0**12).is_integer())
    graph = Graph()
    node = recipe.nodes(graph)[-1]
    for kind, function in [(op.SIN, math.sin), (op.COS, math.cos), (op.ATAN, math.atan), (op.TANH, math.tanh)]:
        assert evaluate_nodes([graph.function(kind, node)], values)[0] == function(argument)


@given(recipes([*EXACT, "sin", "cos", "ratio", "root", "atan2"], 20))
def test_the_same_recipe_twice_is_the_same_nodes(recipe: Recipe) -> None:
    graph = Graph()
    first = recipe.nodes(graph)
    size = len(graph)
    second = recipe.nodes(graph)
    assert all(a is b for a, b in zip(first, second, strict=True))
    assert len(graph) == size


@given(recipes([*EXACT, "sin", "ratio"], 20))
def test_no_two_nodes_are_the_same_operation_on_the_same_arguments(recipe: Recipe) -> None:
    ordered = in_order(recipe.nodes(Graph()))
    forms = [(n.operation, n.arguments, n.name, n.value) for n in ordered if n.operation != op.LEAF]
    assert len(set(forms)) == len(forms)
    seen: set[Node] = set()
    for node in ordered:
        assert seen.issuperset(node.arguments)
        seen.add(node)


def test_zeros_ones_and_signs_disappear() -> None:
    graph = Graph()
    x, y = graph.leaf("x"), graph.leaf("y")
    assert x + 0 is x
    assert x * 1 is x
    assert x - x is graph.zero
    assert x * 0 is graph.zero
    assert x / x is graph.one
    assert x**0 is graph.one
    assert x**1 is x
    assert graph.negate(-x) is x
    assert x + (-y) is x - y
    assert -(x - y) is y - x
    assert (-x) * (-y) is x * y
    assert (-x) / y is -(x / y)
    assert graph.function(op.SIN, -x) is -graph.function(op.SIN, x)
    assert graph.function(op.COS, -x) is graph.function(op.COS, x)
    assert x + y is y + x
    assert x * y is y * x
    assert graph.function2(op.MINIMUM, x, x) is x
    assert graph.select(graph.one, x, y) is x
    assert graph.select(graph.zero, x, y) is y


def test_there_is_one_zero() -> None:
    graph = Graph()
    assert graph.constant(-0.0) is graph.zero
    assert math.copysign(1.0, graph.constant(-0.0).value) == 1.0


@pytest.mark.parametrize("twice", range(-9, 10))
def test_whole_and_half_powers_are_products_and_roots(twice: int) -> None:
    graph = Graph()
    node = graph.leaf("x") ** (twice / 2)
    assert not any(part.operation == op.POWER for part in in_order([node]))
    # Five products, a root and a division round once each.
    assert evaluate_nodes([node], {"x": 1.7})[0] == pytest.approx(1.7 ** (twice / 2), rel=7 * 2.3e-16)


@pytest.mark.parametrize("divisor", [2.0**-1074, -(2.0**-1073), 2.0**-1024, 2.0**-1023, 0.25, 8.0, 2.0**1023, 3.0])
@pytest.mark.parametrize("x", [5e-324, 1e-310, 0.7, 1.3e300])
def test_division_by_a_constant_is_the_division(x: float, divisor: float) -> None:
    graph = Graph()
    assert evaluate_nodes([graph.leaf("x") / divisor], {"x": x})[0] == x / divisor


def test_leaf_names_are_those_an_expression_depends_on() -> None:
    graph = Graph()
    x, y, z = map(graph.leaf, LEAVES)
    assert graph.leaf_names(x * z + 1) == ("x", "z")
    assert graph.leaf_names(y - y) == ()


def test_an_unfoldable_constant_is_refused_with_its_value() -> None:
    graph = Graph()
    for make, word in [
        (lambda: graph.function(op.LOG, -1.0), "log"),
        (lambda: graph.function(op.SQRT, -2.0), "sqrt"),
        (lambda: graph.power(-8.0, 1 / 3), "power"),
        (lambda: graph.function(op.EXP, 1000.0), "exp"),
    ]:
        with pytest.raises(ExpressionError, match=rf"{word}\(.*check the constants"):
            make()
    with pytest.raises(ExpressionError, match="divides by the constant zero; rewrite"):
        graph.leaf("x") / 0
    with pytest.raises(ExpressionError, match="constant NaN; check the numbers"):
        graph.constant(math.nan)


def test_nodes_made_in_several_threads_are_still_one_each() -> None:
    graph = Graph()
    x = graph.leaf("x")
    results: list[list[Node]] = []

    def make() -> None:
        made = [x]
        for number in range(2000):
            made.append(made[-1] * x + number % 7)
        results.append(made)

    threads = [threading.Thread(target=make) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(a is b for other in results[1:] for a, b in zip(results[0], other, strict=True))


@given(recipes([*EXACT, "sin", "ratio", "both", "not", "either", "sign", "atan2"], 15), WHOLE)
def test_substituting_nodes_for_leaves_is_composition(recipe: Recipe, values: dict[str, float]) -> None:
    graph = Graph()
    node = recipe.nodes(graph)[-1]
    x, y, _ = map(graph.leaf, LEAVES)
    changed = substitute(node, {x: y + 1, y: graph.constant(2.0)})
    inner = {**values, "x": values["y"] + 1.0, "y": 2.0}
    expected, found = evaluate_nodes([node], inner)[0], evaluate_nodes([changed], values)[0]
    if math.isnan(expected) or abs(expected) > 2.0**40:
        return
    # Constants that were leaves may be folded in another order: a few roundings of values up to 2^40.
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-12) or same_number(found, expected)


def test_substitution_reaches_into_tables_and_selections() -> None:
    graph = Graph()
    x, y = graph.leaf("x"), graph.leaf("y")
    table = Table("profile", [0, 1, 2, 3], [0, 1, 4, 9])
    node = graph.select(graph.function2(op.LESS, x, y), graph.lookup(table, x, 1), graph.function2(op.ATAN2, x, y))
    changed = substitute(node, {x: y / 2})
    assert changed is graph.select(
        graph.function2(op.LESS, y / 2, y), graph.lookup(table, y / 2, 1), graph.function2(op.ATAN2, y / 2, y)
    )
    assert substitute(node, {}) is node


def test_a_sum_and_a_dot_product_keep_their_order() -> None:
    graph = Graph()
    x, y, z = map(graph.leaf, LEAVES)
    assert graph.sum([x, y, z]) is (x + y) + z
    assert graph.dot([x, graph.zero, y], [y, z, z]) is x * y + y * z


def test_every_operation_has_a_name_for_messages() -> None:
    graph = Graph()
    for name, make in on_graph(graph).items():
        assert repr(make(graph.leaf("x"), graph.leaf("y"), graph.leaf("z"))), name
    assert repr(graph.leaf("x")) == "x"
    assert repr(graph.constant(2.5)) == "2.5"
