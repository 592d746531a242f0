"""A long tape is several functions of machine code, and gives the bits that the interpreter gives."""

from __future__ import annotations

import llvmlite.binding as llvm
import numpy as np
import pytest

from detent.expr import operation as op
from detent.expr.graph import Graph, Node
from detent.expr.table import Table
from detent.expr.tape import STATE, TIME, VALUES, Tape, build_tape
from detent.jit import linker
from detent.jit.calling import call_once
from detent.jit.kernels import KERNELS
from detent.jit.module_text import SYMBOL, TABLE_SYMBOL, module_text
from detent.jit.program import Program
from tests.unit.jit.bits import bits


def random_tape(seed: int, length: int) -> Tape:
    """Operations on what came before, near and far: slots are used again, and values are read long after."""
    random = np.random.default_rng(seed)
    graph = Graph()
    table = Table("profile", [0.0, 1.0, 2.5, 3.0, 7.0], [1.0, -2.0, 0.5, 4.0, 1.0], "periodic")
    made: list[Node] = [graph.leaf(name) for name in ("t", "x", "y", "p")]
    for _ in range(length):
        near = random.random() < 0.7
        a, b, c = (made[int(k)] for k in random.integers(max(0, len(made) - 20) if near else 0, len(made), 3))
        word = random.choice(["add", "multiply", "sincos", "table", "select", "tanh"])
        if word == "add":
            made.append(a - 0.75 * b)
        elif word == "multiply":
            made.append(graph.function(op.TANH, a * b) + 0.5)
        elif word == "sincos":
            made += [graph.function(op.SIN, a), graph.function(op.COS, a)]
        elif word == "table":
            made.append(graph.lookup(table, a))
        elif word == "select":
            made.append(graph.select(graph.function2(op.LESS, a, b), c, a))
        else:
            made.append(graph.function(op.TANH, a))
    outputs = [made[int(k)] for k in random.integers(0, len(made), 30)]
    outputs += [made[-1], made[0], made[1], made[3], graph.constant(2.5), made[-1]]
    return build_tape(outputs, {"t": (TIME, 0), "x": (STATE, 0), "y": (STATE, 1), "p": (VALUES, 0)})


def by_machine(tape: Tape, part: int, time: float, state: np.ndarray, values: np.ndarray) -> np.ndarray:
    code = bytes(linker.target().emit_object(llvm.parse_assembly(module_text(tape, part))))
    table = {TABLE_SYMBOL: KERNELS.address("table_function")}
    library, out = linker.link(code, exports=[SYMBOL], imports=table), np.full(len(tape.outputs), np.nan)
    call_once(np.array([library[SYMBOL], 0], dtype=np.int64), time, state, values, out)
    return out


@pytest.mark.parametrize("seed", range(6))
def test_parts_of_any_length_give_the_bits_of_the_interpreter(seed: int) -> None:
    tape = random_tape(seed, 120)
    state, values = np.random.default_rng(seed).normal(size=2), np.array([0.37])
    expected = bits(Program(tape)(0.3, state, values))
    for part in (1, 7, 40, len(tape.code) - 1, len(tape.code)):
        assert (bits(by_machine(tape, part, 0.3, state, values)) == expected).all(), part


def test_no_function_is_longer_than_a_part() -> None:
    tape = random_tape(1, 500)
    text = module_text(tape, 100)
    assert text.count("define internal void @part") == -(-len(tape.code) // 100)
    assert module_text(tape, len(tape.code)).count("define") == 1
