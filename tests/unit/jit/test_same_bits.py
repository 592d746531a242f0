"""The interpreter and the machine code of one tape give the same bits, whatever the numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import detent
from detent.expr import operation as op
from detent.expr.graph import Graph
from detent.expr.table import Table
from detent.expr.tape import STATE, TIME, VALUES, build_tape
from detent.formulation.compiled import compile_system
from detent.jit.program import Program
from tests.unit.expr.recipes import Recipe, on_graph, recipes
from tests.unit.jit.bits import bits

SPECIAL = [
    0.0, -0.0, 1.0, -1.0, 0.5, 2.0, math.pi, -math.pi / 2, 1e-300, -1e-300, 5e-324, -5e-324, 2.2250738585072014e-308,
    1e300, -1e300, 1.7976931348623157e308, math.inf, -math.inf, math.nan, 1e22, 710.0, -745.2, 0.9999999999999999,
]  # fmt: skip


def every_operation() -> Program:
    graph = Graph()
    x, y, z = (graph.leaf(name) for name in "xyz")
    outputs = [graph.apply(entry.number, *(x, y, z)[: entry.arity]) for entry in op.OPERATIONS.values()]
    table = [0.0, 1.0, 2.5, 3.0, 7.0], [1.0, -2.0, 0.5, 4.0, 1.0]
    for beyond in ("linear", "hold", "periodic"):
        outputs += [graph.lookup(Table("profile", *table, beyond), x, order) for order in range(4)]
    return Program(build_tape(outputs, {"x": (STATE, 0), "y": (STATE, 1), "z": (VALUES, 0)}))


def test_every_operation_on_random_and_special_values() -> None:
    program = every_operation()
    random = np.random.default_rng(7)
    wild = random.integers(0, 2**64, size=400, dtype=np.uint64).view(np.float64)
    numbers = np.concatenate([SPECIAL, wild, random.normal(size=200), 10 * random.normal(size=200)])
    states = np.concatenate(
        [np.array([[a, b] for a in SPECIAL for b in SPECIAL]), np.stack([numbers, random.permutation(numbers)], axis=1)]
    )
    times, values = np.zeros(len(states)), np.array([-3.25])
    slow = program.over(times, states, values)
    assert not program.is_native
    program.compile()
    assert program.is_native
    fast = program.over(times, states, values)
    names = [entry.name for entry in op.OPERATIONS.values()]
    for column in np.flatnonzero((bits(slow) != bits(fast)).any(axis=0)):
        row = int(np.flatnonzero(bits(slow)[:, column] != bits(fast)[:, column])[0])
        name = names[column] if column < len(names) else "table"
        pytest.fail(f"{name}{tuple(states[row])}: {slow[row, column]!r} interpreted, {fast[row, column]!r} native")


@given(recipes(tuple(on_graph(Graph())), 40), st.lists(st.tuples(*[st.floats(width=64)] * 3), min_size=1, max_size=8))
@settings(max_examples=60)
def test_random_tapes(recipe: Recipe, points: list[tuple[float, float, float]]) -> None:
    program = Program(build_tape(recipe.nodes(Graph()), {"x": (STATE, 0), "y": (STATE, 1), "z": (TIME, 0)}))
    rows = np.array(points)
    slow = program.over(rows[:, 2], rows[:, :2], np.zeros(0))
    program.compile()
    assert np.array_equal(bits(program.over(rows[:, 2], rows[:, :2], np.zeros(0))), bits(slow))


def test_the_rates_of_a_chain_of_seven_links() -> None:
    system = detent.System("chain of seven")
    joint, frame = system.origin, system.ground
    for number in range(7):
        frame = frame.rotated(f"link{number}", system.coordinates(f"q{number}"))
        system.body(f"link{number}", joint.offset(f"c{number}", -frame.y / 2), frame, mass=1, inertia=1 / 12)
        joint = joint.offset(f"joint{number}", -frame.y)
    system.gravity(-9.81 * system.ground.y)
    tape = compile_system(system).rates.tape
    program = Program(tape)
    random = np.random.default_rng(1)
    states, times = random.normal(size=(500, 15)), np.zeros(500)
    slow = program.over(times, states, np.zeros(0))
    program.compile()
    assert np.array_equal(program.over(times, states, np.zeros(0)).view(np.uint64), slow.view(np.uint64))
    assert np.isfinite(slow).all()


def test_an_overflow_is_infinite_and_an_undefined_value_is_nan_in_both() -> None:
    graph = Graph()
    x = graph.leaf("x")
    outputs = [1.0 / x, graph.function(op.LOG, x), graph.function(op.SQRT, x - 1.0), graph.function(op.EXP, 1e3 - x)]
    program = Program(build_tape(outputs, {"x": (STATE, 0)}))
    for _ in range(2):
        found = program(0.0, np.zeros(1), np.zeros(0)).tolist()
        assert found[0] == math.inf
        assert found[1] == -math.inf
        assert math.isnan(found[2])
        assert found[3] == math.inf
        program.compile()
