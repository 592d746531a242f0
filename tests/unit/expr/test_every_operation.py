"""What the table says of an operation is true of it, and no operation is forgotten anywhere.

The list is the table itself, so that a new entry fails here until all of it is there. Bounds are checked in
``tests/unit/events/test_bounds_of_every_operation.py``.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import mpmath
import numpy as np
import pytest
import sympy

from detent.errors import ExpressionError
from detent.expr import operation as op
from detent.expr.derivative import partial
from detent.expr.elementary import LibraryCall, Operation, Parity, Smoothness, complete
from detent.expr.evaluate import apply_operation, evaluate_nodes
from detent.expr.from_sympy import RECIPROCALS, FromSympy
from detent.expr.graph import Graph, _maker
from detent.expr.instruction import SINCOS
from detent.expr.tape import STATE, build_tape
from detent.expr.text import number_from_text
from detent.expr.to_sympy import to_sympy
from detent.jit.module_text import module_text
from detent.jit.program import Program
from tests.unit.expr.operations import LEAVES, every, exact_values, inside, node_of
from tests.unit.jit.bits import bits

INPUTS = {name: (STATE, number) for number, name in enumerate(LEAVES)}
ROUNDING = 2.0**-52


def of_one(entry: Operation) -> bool:
    return entry.arity == 1 and entry.smoothness is not Smoothness.CONDITION


def of_one_value() -> Any:
    chosen = [entry for entry in op.OPERATIONS.values() if of_one(entry)]
    return pytest.mark.parametrize("entry", chosen, ids=lambda entry: entry.name)


@every()
def test_its_number_is_its_constant(entry: Operation) -> None:
    assert getattr(op, entry.name.replace(" ", "_").upper()) == entry.number
    assert op.OPERATIONS[entry.number] is entry


@every()
def test_it_is_what_the_graph_makes(entry: Operation) -> None:
    node = node_of(Graph(), entry)
    assert node.operation == entry.number
    assert len(node.arguments) == entry.arity


@every()
def test_its_value_is_that_of_many_digits(entry: Operation) -> None:
    node, random = node_of(Graph(), entry), np.random.default_rng(entry.number)
    with mpmath.workdps(40):
        for _ in range(100):
            place = inside(entry, random)
            (expected,) = exact_values([node], place)
            # Functions of the C library are right to a few units in the last place.
            assert evaluate_nodes([node], place)[0] == pytest.approx(float(expected), rel=4 * ROUNDING)


@every()
def test_the_interpreter_and_the_machine_code_give_the_same_bits(entry: Operation) -> None:
    random = np.random.default_rng(entry.number)
    wild = random.integers(0, 2**64, size=(300, 3), dtype=np.uint64).view(np.float64)
    states = np.concatenate([[list(inside(entry, random).values()) for _ in range(300)], wild])
    program = Program(build_tape([node_of(Graph(), entry)], INPUTS))
    slow = program.over(np.zeros(len(states)), states, np.zeros(1))
    program.compile()
    assert np.array_equal(bits(slow), bits(program.over(np.zeros(len(states)), states, np.zeros(1))))


@every()
def test_the_interpreter_gives_its_value(entry: Operation) -> None:
    node, random = node_of(Graph(), entry), np.random.default_rng(entry.number)
    places = [inside(entry, random) for _ in range(100)]
    states = np.array([list(place.values()) for place in places])
    found = Program(build_tape([node], INPUTS)).over(np.zeros(len(states)), states, np.zeros(1))[:, 0]
    # Numba and Python call the same library; pow may be another one, off by its last bit.
    assert found == pytest.approx([evaluate_nodes([node], place)[0] for place in places], rel=2 * ROUNDING)


@every()
def test_its_derivative_is_the_slope(entry: Operation) -> None:
    graph = Graph()
    node, random = node_of(graph, entry), np.random.default_rng(entry.number)
    with mpmath.workdps(60):
        step = mpmath.mpf(10) ** -20
        for place in (inside(entry, random) for _ in range(20)):
            for name in LEAVES:
                rate = exact_values([partial(node, graph.leaf(name))], place)[0]
                beyond, before = (exact_values([node], {**place, name: place[name] + side * step}) for side in (1, -1))
                # The difference is off by step^2 f'''/6 and by 60 digits' rounding over the step; a number that is
                # written out in a derivative is a double.
                assert abs((beyond[0] - before[0]) / (2 * step) - rate) < 2 * ROUNDING * abs(rate) + 1e-30


@every(Smoothness.SMOOTH)
def test_its_derivative_is_that_of_sympy(entry: Operation) -> None:
    graph, random = Graph(), np.random.default_rng(entry.number)
    node, symbols = node_of(graph, entry), {name: sympy.Symbol(name, real=True) for name in LEAVES}
    (written,) = to_sympy([node], symbols)
    for place in (inside(entry, random) for _ in range(5)):
        at = {symbols[name]: sympy.Float(value, 40) for name, value in place.items()}
        for name in LEAVES:
            with mpmath.workdps(40):
                found = exact_values([partial(node, graph.leaf(name))], place)[0]
            expected = written.diff(symbols[name]).evalf(30, subs=at)
            # A number that is written out in a derivative is a double.
            assert abs(sympy.Float(found, 30) - expected) <= 2 * ROUNDING * abs(expected) + 1e-25


@every()
def test_it_goes_to_sympy_and_back(entry: Operation) -> None:
    graph, random = Graph(), np.random.default_rng(entry.number)
    node, symbols = node_of(graph, entry), {name: sympy.Symbol(name, real=True) for name in LEAVES}
    (written,) = to_sympy([node], symbols)
    back = FromSympy(graph, {symbols[name]: graph.leaf(name) for name in LEAVES})(written)
    for place in (inside(entry, random) for _ in range(20)):
        assert evaluate_nodes([back], place)[0] == pytest.approx(evaluate_nodes([node], place)[0], rel=1e-14)


@every()
def test_one_over_it_has_the_name_that_the_table_gives(entry: Operation) -> None:
    if not entry.reciprocal:
        assert entry.number not in RECIPROCALS.values()
        return
    x, graph = sympy.Symbol("x"), Graph()
    node = FromSympy(graph, {x: graph.leaf("x")})(getattr(sympy, entry.reciprocal)(x))
    assert evaluate_nodes([node], {"x": 0.7})[0] == 1.0 / apply_operation(entry.number, (0.7,))


@of_one_value()
def test_parity(entry: Operation) -> None:
    graph = Graph()
    x, found = graph.leaf("x"), []
    for at in (0.3, 0.7):
        value, mirrored = (evaluate_nodes([node_of(graph, entry)], {"x": side * at})[0] for side in (1, -1))
        found.append({Parity.EVEN: mirrored == value, Parity.ODD: mirrored == -value})
    for parity in (Parity.EVEN, Parity.ODD):
        assert all(each[parity] for each in found) == (entry.parity is parity)
    plain, turned = graph.apply(entry.number, x), graph.apply(entry.number, -x)
    assert (turned is plain) == (entry.parity is Parity.EVEN)
    if entry.number != op.NEGATE:
        assert (turned is -plain) == (entry.parity is Parity.ODD)


@of_one_value()
def test_it_has_values_inside_its_domain_and_none_outside(entry: Operation) -> None:
    random = np.random.default_rng(entry.number)
    for _ in range(100):
        x = inside(entry, random)["x"]
        assert math.isfinite(apply_operation(entry.number, (x,)))
    program = Program(build_tape([node_of(Graph(), entry)], INPUTS))
    for end, side in zip(entry.domain, (-1, 1), strict=True):
        if math.isfinite(end):
            beyond = end + side * 0.01
            with pytest.raises(ValueError, match=r"math domain error|expected a"):
                apply_operation(entry.number, (beyond,))
            assert math.isnan(program(0.0, np.array([beyond, 0.0, 0.0]), np.zeros(1))[0])
            with pytest.raises(ExpressionError, match="has no finite real value"):
                Graph().apply(entry.number, Graph().constant(beyond))


@every()
def test_of_equal_arguments_a_lattice_makes_the_same_again(entry: Operation) -> None:
    if entry.arity != 2:
        assert not entry.lattice
        return
    for value in (0.0, 1.0):
        assert not entry.lattice or apply_operation(entry.number, (value, value)) == value
    graph = Graph()
    x, y = graph.leaf("x"), graph.leaf("y")
    assert (graph.apply(entry.number, x, x) is x) == entry.lattice
    if entry.lattice:
        for a, b in [(0.0, 1.0), (1.0, 0.0)]:
            assert apply_operation(entry.number, (a, b)) == apply_operation(entry.number, (b, a))
    assert graph.apply(entry.number, x, y).operation == entry.number


@every(Smoothness.STEPPED, Smoothness.CONDITION)
def test_what_only_jumps_has_no_slope(entry: Operation) -> None:
    graph = Graph()
    assert all(partial(node_of(graph, entry), graph.leaf(name)) is graph.zero for name in LEAVES)


@every(Smoothness.CONDITION)
def test_a_condition_is_one_or_zero(entry: Operation) -> None:
    node, random = node_of(Graph(), entry), np.random.default_rng(entry.number)
    assert {evaluate_nodes([node], inside(entry, random))[0] for _ in range(100)} <= {0.0, 1.0}


@every()
def test_the_text_of_a_number_can_call_it(entry: Operation) -> None:
    if entry.text:
        values = (0.5, 0.25, 0.75)[: entry.arity]
        assert number_from_text(f"{entry.text}({', '.join(map(str, values))})") == apply_operation(entry.number, values)


# -- what is not in the table -------------------------------------------------------------------------------


def test_an_operation_without_an_entry_gives_no_number_and_has_no_machine_code() -> None:
    tape = build_tape([node_of(Graph(), op.OPERATIONS[op.ATAN2])], INPUTS)
    tape.code[:, 0] = 1000
    assert math.isnan(Program(tape)(0.0, np.ones(3), np.zeros(1))[0])
    with pytest.raises(NotImplementedError, match="the instruction 1000, which has no machine code"):
        module_text(tape)


@pytest.mark.parametrize("taken", [op.CONSTANT, op.SIN, op.TABLE, SINCOS])
def test_a_number_is_given_once(taken: int) -> None:
    again = replace(op.OPERATIONS[op.COS], number=taken, name="again")
    with pytest.raises(ValueError, match=f"again has the number {taken}, which is that of .*; give it one of its own"):
        op._entered(again)


def test_what_is_registered_by_operation_has_every_operation_and_no_other() -> None:
    some = {number: op.OPERATIONS[number] for number in (op.SIN, op.LESS_EQUAL)}
    assert complete("colour", {op.SIN: "red", op.LESS_EQUAL: "blue"}, some) == {op.SIN: "red", op.LESS_EQUAL: "blue"}
    with pytest.raises(NotImplementedError, match="no colour is registered for less equal; there must be one for each"):
        complete("colour", {op.SIN: "red"}, some)
    with pytest.raises(NotImplementedError, match=r"registered for \[77\], which are not operations; enter them"):
        complete("colour", {op.SIN: "red", op.LESS_EQUAL: "blue", 77: "green"}, some)


def test_the_graph_makes_no_function_of_three_values_by_itself() -> None:
    with pytest.raises(NotImplementedError, match="cos has 3 arguments; give it a maker of its own"):
        _maker(replace(op.OPERATIONS[op.COS], arity=3))


def test_a_function_of_the_c_library_is_called_by_its_own_name() -> None:
    """What a kernel may refer to is read off these names."""
    called = {entry.machine.function for entry in op.OPERATIONS.values() if isinstance(entry.machine, LibraryCall)}
    assert {"tan", "pow", "atan2", "llvm.sin.f64"} <= called
