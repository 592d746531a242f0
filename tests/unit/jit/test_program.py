"""A program is ready at once, becomes native without anyone stopping, and has its memory to itself."""

from __future__ import annotations

import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from detent.expr import operation as op
from detent.expr.graph import Graph
from detent.expr.tape import STATE, VALUES, Tape, build_tape
from detent.jit.kernels import KERNELS
from detent.jit.program import Program
from detent.stepping.solver import Solver
from detent.stepping.status import Status


def long_tape(steps: int = 300) -> Tape:
    """A chaotic map written out: a wrong intermediate value shows in the result."""
    graph = Graph()
    x, r = graph.leaf("x"), graph.leaf("r")
    node, outputs = x, []
    for number in range(steps):
        node = r * node * (1.0 - node) + 1e-3 * graph.function(op.SIN, node + number)
        outputs.append(node)
    return build_tape(outputs[-5:], {"x": (STATE, 0), "r": (VALUES, 0)})


STATES = np.linspace(0.1, 0.9, 400).reshape(-1, 1)
TIMES = np.zeros(len(STATES))
VALUES_OF_R = np.array([3.9])


def test_a_cell_holds_the_address_and_the_context() -> None:
    program = Program(long_tape())
    assert program.cell.dtype == np.int64
    assert program.cell.shape == (2,)
    assert program.cell[0] == KERNELS.address("interpret")
    context = int(program.cell[1])
    program.compile()
    assert program.cell[0] not in (0, KERNELS.address("interpret"))
    # The interpreter may still be running on it: the context stays as it was.
    assert program.cell[1] == context


def test_compiling_twice_compiles_once() -> None:
    program = Program(long_tape())
    assert program.compile_later() is program.compile_later()
    program.compile_later().result(timeout=60)
    address, seconds = int(program.cell[0]), program.native_seconds
    program.compile()
    assert (int(program.cell[0]), program.native_seconds) == (address, seconds)
    assert seconds is not None
    assert seconds > 0.0


def test_native_code_arrives_while_others_evaluate_and_no_bit_changes() -> None:
    program = Program(long_tape())
    expected = program.over(TIMES, STATES, VALUES_OF_R)
    begun, arrived, wrong, rounds = threading.Event(), threading.Event(), [], [0, 0]

    def evaluate() -> None:
        while not arrived.is_set() or rounds[1] < 50:
            rounds[1 if arrived.is_set() else 0] += 1
            begun.set()
            if not np.array_equal(program.over(TIMES, STATES, VALUES_OF_R), expected):
                wrong.append(program.is_native)
                return

    worker = threading.Thread(target=evaluate)
    worker.start()
    begun.wait()
    program.compile_later().result()
    arrived.set()
    worker.join()
    assert wrong == []
    assert rounds[0] > 0


def test_native_code_arrives_while_a_stepper_runs_and_no_bit_changes() -> None:
    graph = Graph()
    x, v = graph.leaf("x"), graph.leaf("v")
    tape = build_tape([v, -graph.function(op.SIN, x)], {"x": (STATE, 0), "v": (STATE, 1)})

    def final_states(compiles_at: int | None) -> list[bytes]:
        program, pieces = Program(tape), []

        def keep(piece: object) -> None:
            pieces.append(piece)
            if len(pieces) == compiles_at:
                program.compile_later().result(timeout=60)

        solver = Solver(program.cell, width=2, values=np.zeros(0), method="rk4", step=1e-3, owner=program)
        assert solver.start(0.0, [1.0, 0.0]) is Status.DONE
        assert solver.advance(5.0, keep) is Status.DONE
        assert program.is_native is (compiles_at is not None)
        return [piece.state.tobytes() for piece in pieces]

    assert b"".join(final_states(2)) == b"".join(final_states(None))


def test_clones_give_equal_results_at_the_same_time() -> None:
    program = Program(long_tape())
    factors = [3.5, 3.7, 3.8, 3.9]
    expected = [program.over(TIMES, STATES, np.array([r])) for r in factors]
    clones = [program.clone() for _ in factors]
    for native in (False, True):
        if native:
            program.compile()
        assert [clone.is_native for clone in clones] == [native] * len(clones)
        with ThreadPoolExecutor(len(factors)) as pool:
            for _ in range(20):
                found = pool.map(lambda one, r: one.over(TIMES, STATES, np.array([r])), clones, factors)
                assert all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))


def test_a_clone_made_after_compiling_is_native_and_keeps_the_code_alive() -> None:
    program = Program(long_tape())
    expected = program.over(TIMES, STATES, VALUES_OF_R)
    program.compile()
    clone, gone = program.clone(), weakref.ref(program)
    assert clone.is_native
    assert clone.native_seconds == program.native_seconds
    del program
    gc.collect()
    assert gone() is None
    assert np.array_equal(clone.over(TIMES, STATES, VALUES_OF_R), expected)


def test_one_call_and_many_calls_agree() -> None:
    program = Program(long_tape())
    many = program.over(TIMES, STATES, VALUES_OF_R)
    assert np.array_equal(program(0.0, STATES[7], VALUES_OF_R), many[7])
    read_only = STATES[7].copy()
    read_only.setflags(write=False)
    assert np.array_equal(program(0.0, read_only, VALUES_OF_R), many[7])
