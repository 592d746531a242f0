"""No operation is forgotten in any of the tables: each has a value everywhere, a derivative, and a form in SymPy.

The list comes from the module of operations itself, so that a new one fails here until all of it is there.
"""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import sympy

from detent.expr import operation as op
from detent.expr.derivative import Derivative, partial
from detent.expr.evaluate import evaluate
from detent.expr.from_sympy import FromSympy
from detent.expr.graph import Graph, Node
from detent.expr.table import Table
from detent.expr.tape import STATE, build_tape
from detent.expr.to_sympy import to_sympy
from detent.jit.native import module_text
from detent.jit.program import Program

KINDS = [kind for kind in op.NAMES if kind not in (op.CONSTANT, op.LEAF)]
PLACES = [{"x": 0.3, "y": 0.7, "z": -0.4}, {"x": 0.8, "y": 0.4, "z": 0.6}, {"x": 0.5, "y": 0.5, "z": 0.1}]
"""Inside the domain of every operation; x below, above and equal to y."""
LOGIC = (op.BOTH, op.EITHER, op.NOT, op.SELECT)


def node_of(graph: Graph, kind: int) -> Node:
    """One operation on leaves; what takes conditions takes comparisons of them."""
    x, y, z = (graph.leaf(name) for name in "xyz")
    arithmetic = {op.ADD: graph.add, op.SUBTRACT: graph.subtract, op.MULTIPLY: graph.multiply, op.DIVIDE: graph.divide,
                  op.POWER: graph.power}  # fmt: skip
    less, more = graph.function2(op.LESS, x, y), graph.function2(op.LESS, z, x)
    if kind in arithmetic:
        return arithmetic[kind](x, y)
    if kind == op.TABLE:
        return graph.lookup(Table("profile", [0.0, 0.25, 0.5, 0.75, 1.0], [1.0, 0.5, 2.0, 1.0, 3.0], "linear"), x)
    if kind in LOGIC:
        made = {op.NOT: lambda: graph.complement(less), op.SELECT: lambda: graph.select(less, x * z, y)}
        return made.get(kind, lambda: graph.function2(kind, less, more))()
    if kind == op.NEGATE:
        return -x
    return graph.function(kind, x) if kind in op.UNARY_FUNCTIONS else graph.function2(kind, x, y)


def every() -> Any:
    return pytest.mark.parametrize("kind", KINDS, ids=lambda kind: op.NAMES[kind])


@every()
def test_it_is_what_the_graph_makes(kind: int) -> None:
    assert node_of(Graph(), kind).operation == kind


@every()
def test_the_interpreter_gives_its_value(kind: int) -> None:
    node = node_of(Graph(), kind)
    program = Program(build_tape([node], {name: (STATE, number) for number, name in enumerate("xyz")}))
    for place in PLACES:
        found = program(0.0, np.array(list(place.values())), np.zeros(1))[0]
        # Numba and Python call the same library; pow may be another one, off by its last bit.
        assert found == pytest.approx(evaluate([node], place)[0], rel=2**-51)


@every()
def test_it_has_machine_code(kind: int) -> None:
    node = node_of(Graph(), kind)
    assert "ret i64" in module_text(build_tape([node], {name: (STATE, number) for number, name in enumerate("xyz")}))


@every()
def test_its_derivative_is_the_slope(kind: int) -> None:
    graph = Graph()
    node, step = node_of(graph, kind), 1e-5
    for place in PLACES[:2]:  # a minimum has no slope where both are the same
        for name in "xyz":
            beyond, before = ({**place, name: place[name] + sign * step} for sign in (1, -1))
            slope = (evaluate([node], beyond)[0] - evaluate([node], before)[0]) / (2 * step)
            # The difference is off by step^2 f'''/6 (f''' below 100 here) and by the rounding of f over the step.
            assert evaluate([partial(node, graph.leaf(name))], place)[0] == pytest.approx(slope, abs=1e-8)


@every()
def test_it_goes_to_sympy_and_back(kind: int) -> None:
    graph = Graph()
    node, symbols = node_of(graph, kind), {name: sympy.Symbol(name, real=True) for name in "xyz"}
    (written,) = to_sympy([node], symbols)
    back = FromSympy(graph, {symbols[name]: graph.leaf(name) for name in "xyz"})(written)
    for place in PLACES:
        assert evaluate([back], place)[0] == pytest.approx(evaluate([node], place)[0], rel=1e-14)


def test_an_operation_without_a_rule_is_an_error_and_not_a_slope_of_zero() -> None:
    graph = Graph()
    for arguments in ([graph.leaf("x")], [graph.leaf("x"), graph.leaf("y")]):
        unknown: Any = SimpleNamespace(operation=max(op.NAMES) + 1, arguments=arguments, table=None)
        with pytest.raises(NotImplementedError, match="has no derivative"):
            Derivative(graph, {graph.leaf("x"): graph.one, graph.leaf("y"): graph.one})._rule(unknown)


def test_an_operation_that_the_interpreter_does_not_know_gives_no_number() -> None:
    node = node_of(Graph(), op.ATAN2)
    tape = build_tape([node], {name: (STATE, number) for number, name in enumerate("xyz")})
    tape.code[:, 0] = 1000
    assert math.isnan(Program(tape)(0.0, np.ones(3), np.zeros(1))[0])
    with pytest.raises(NotImplementedError, match="has no machine code"):
        module_text(tape)
