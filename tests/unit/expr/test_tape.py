"""The tape: no value is overwritten while it is still needed, and its name depends on its content alone."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from detent.errors import ExpressionError
from detent.expr import operation as op
from detent.expr.evaluate import evaluate_nodes
from detent.expr.graph import Graph
from detent.expr.table import Table
from detent.expr.tape import SINCOS, STATE, TIME, VALUES, build_tape
from detent.jit.program import Program
from tests.unit.expr.recipes import LEAVES, Recipe, on_graph, recipes, same_number

INPUTS = {"x": (STATE, 0), "y": (VALUES, 0), "z": (TIME, 0)}


@given(recipes(tuple(on_graph(Graph())), 40), st.tuples(*[st.floats(-3, 3)] * 3), st.data())
@settings(max_examples=150)
def test_reused_slots_never_overwrite_a_live_value(
    recipe: Recipe, at: tuple[float, float, float], data: st.DataObject
) -> None:
    nodes = recipe.nodes(Graph())
    chosen = data.draw(st.lists(st.sampled_from(nodes), min_size=1, max_size=6))
    expected = evaluate_nodes(chosen, dict(zip(LEAVES, at, strict=True)))
    found = Program(build_tape(chosen, INPUTS))(at[2], np.array([at[0]]), np.array([at[1]]))
    assert all(map(same_number, found.tolist(), expected))


def test_slots_are_reused() -> None:
    graph = Graph()
    node = graph.leaf("x")
    for number in range(100):
        node = graph.function(op.SIN, node * (number + 2.0))
    tape = build_tape([node], INPUTS)
    assert len(tape) == 200
    # One input, a hundred constants, and two at a time for the chain itself.
    assert tape.slots <= 1 + 100 + 3


def test_an_output_asked_for_twice_and_a_bare_input_are_outputs_too() -> None:
    graph = Graph()
    x, y = graph.leaf("x"), graph.leaf("y")
    program = Program(build_tape([x, x * y, x * y, graph.constant(7.0)], INPUTS))
    assert program(0.0, np.array([2.0]), np.array([3.0])).tolist() == [2.0, 6.0, 6.0, 7.0]


def test_a_tape_without_outputs_runs() -> None:
    assert Program(build_tape([], {}))(0.0, np.zeros(0), np.zeros(0)).tolist() == []


def test_a_sine_and_a_cosine_of_one_angle_are_one_instruction() -> None:
    graph = Graph()
    x = graph.leaf("x")
    sine, cosine = graph.function(op.SIN, x + 1.0), graph.function(op.COS, x + 1.0)
    tape = build_tape([cosine * cosine, sine], INPUTS)
    assert tape.code[:, 0].tolist().count(SINCOS) == 1
    assert len(tape) == 3
    found = Program(tape)(0.0, np.array([0.4]), np.zeros(1))
    assert found.tolist() == evaluate_nodes([cosine * cosine, sine], {"x": 0.4})


def test_a_leaf_without_a_place_is_named() -> None:
    with pytest.raises(ExpressionError, match="'w' has no value at run time; it is not a state, parameter or input"):
        build_tape([Graph().leaf("w")], INPUTS)


def test_equal_tapes_have_equal_keys_and_different_ones_do_not() -> None:
    def key(factor: float, heights: list[float], place: int = 0) -> str:
        graph = Graph()
        x = graph.leaf("x")
        table = Table("profile", [0, 1, 2, 3], heights)
        return build_tape([graph.lookup(table, x) * factor], {"x": (STATE, place)}).key

    base = key(2.5, [0, 1, 4, 9])
    assert key(2.5, [0, 1, 4, 9]) == base
    assert len({base, key(2.6, [0, 1, 4, 9]), key(2.5, [0, 1, 4, 8]), key(2.5, [0, 1, 4, 9], 1)}) == 4


MODEL = """
import sympy, detent
from detent.formulation.compiled import compile_system
system = detent.System("arms")
m, l, k = system.parameters(m=1, l=2, k=3)
a, b, c = system.coordinates("a", "b", "c")
first = system.ground.rotated("first", a)
second = first.rotated("second", b, about="x")
tip = system.origin.offset("tip", l*first.x + (l + c)*second.y)
system.body("bar", tip, second, mass=m, inertia=(1, 2, 3 - sympy.Rational(1, 2)))
system.gravity(-9.81*system.ground.y)
bump = sympy.Piecewise((a*b*c, (a > b) & (b > c)), (sympy.Min(a, b), True))
system.potential("stops", k*sympy.Max(a, b, c, 0)**2 + bump)
print(compile_system(system).rates.tape.key)
"""


def test_the_key_of_a_model_is_the_same_in_every_process() -> None:
    found = set()
    for seed in ("1", "4242"):
        done = subprocess.run(
            [sys.executable, "-c", MODEL],
            capture_output=True,
            text=True,
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
            check=True,
        )
        found.add(done.stdout)
    assert len(found) == 1
