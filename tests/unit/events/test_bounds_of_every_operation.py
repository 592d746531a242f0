"""Bounds along a piece of a motion hold what the motion does there: the values, their first and second derivatives.

The samples have 40 digits, so nothing is allowed for rounding: a bound holds a sample, or it is wrong.
"""

from __future__ import annotations

import math
from typing import Any

import mpmath
import numpy as np
import pytest
from numpy.typing import NDArray

from detent.events.enclosure_frame import FLAWED, JET, MOVING
from detent.expr import operation as op
from detent.expr.derivative import Derivative
from detent.expr.elementary import Operation
from detent.expr.graph import Graph, Node
from detent.expr.tape import STATE, build_tape
from detent.jit.address import raw_address
from detent.jit.kernel_library import WORD_TYPE, KernelLibrary
from tests.unit.expr.operations import LEAVES, WIDE, every, exact_values, node_of

KERNELS = KernelLibrary("bounds, for tests", {"enclose_tape": "tests.unit.events.enclosing_kernel"})
PIECES, SAMPLES = 25, 40
"""Random pieces of motion per operation, and samples of each."""


def piece(entry: Operation, random: np.random.Generator) -> NDArray[np.float64]:
    """Coefficients of each leaf's motion c0 + c1 s + c2 s^2, for s in [0, 1]; one in two leaves the domain."""
    low, high = max(entry.domain[0], -WIDE), min(entry.domain[1], WIDE)
    scale = 10.0 ** random.uniform(-3.0, 0.3)
    made = random.uniform(-1.0, 1.0, size=(len(LEAVES), 3)) * scale
    made[:, 0] = random.uniform(-WIDE, WIDE, size=len(LEAVES))
    made[0, 0] = random.uniform(low, high)
    return made


def jet_of(motion: NDArray[np.float64]) -> list[float]:
    """Bounds of a leaf's motion, and of its derivatives: what the stepper's interpolant gives to the kernel."""
    c0, c1, c2 = map(float, motion)
    turning = [-c1 / (2.0 * c2)] if c2 and 0.0 < -c1 / (2.0 * c2) < 1.0 else []
    values = [c0 + (c1 + c2 * s) * s for s in (0.0, 1.0, *turning)]
    slack = 8.0 * 2.0**-52 * (abs(c0) + abs(c1) + abs(c2))
    ends = [c1, c1 + 2.0 * c2]
    return [min(values) - slack, max(values) + slack, min(ends) - slack, max(ends) + slack, 2.0 * c2, 2.0 * c2]


def enclosed(node: Node, motions: NDArray[np.float64], order: int) -> tuple[list[float], int]:
    """The jet and the flags of a node."""
    tape = build_tape([node], {name: (STATE, number) for number, name in enumerate(LEAVES)})
    jets, flags = np.zeros((tape.slots, JET)), np.zeros(tape.slots, dtype=np.int64)
    jets[tape.first_constant : tape.first_constant + len(tape.constants), :2] = tape.constants[:, None]
    for _, leaf, slot in tape.loads.tolist():
        jets[slot], flags[slot] = jet_of(motions[leaf]), MOVING
    code, none = np.ascontiguousarray(tape.code), np.zeros(1, dtype=np.int64)
    call = KERNELS.function("enclose_tape", *[WORD_TYPE] * 6)
    call(order, raw_address(code), len(tape), raw_address(jets), raw_address(flags), raw_address(none))
    return jets[tape.outputs[0]].tolist(), int(flags[tape.outputs[0]])


def along(graph: Graph, node: Node) -> list[Node]:
    """The node and its first two derivatives along a motion of the leaves."""
    rates: dict[Node, Node] = {}
    for name in LEAVES:
        rates[graph.leaf(name)], rates[graph.leaf(name + "'")] = graph.leaf(name + "'"), graph.leaf(name + "''")
    moved = Derivative(graph, rates)
    return [node, moved(node), moved(moved(node))]


def sampled(nodes: list[Node], motions: NDArray[np.float64], s: float) -> list[Any] | None:
    """The values of nodes at a place of the piece; None where there are none."""
    values = {}
    for name, motion in zip(LEAVES, motions.tolist(), strict=True):
        c0, c1, c2 = map(mpmath.mpf, motion)
        values |= {name: c0 + (c1 + c2 * s) * s, name + "'": c1 + 2 * c2 * s, name + "''": 2 * c2}
    try:
        found = exact_values(nodes, values)
    except (ZeroDivisionError, ValueError, TypeError):  # mpmath compares no complex numbers
        return None
    return None if any(isinstance(value, mpmath.mpc) for value in found) else found


@every()
@pytest.mark.parametrize("order", [0, 1, 2])
def test_bounds_hold_every_sample(entry: Operation, order: int) -> None:
    graph, random = Graph(), np.random.default_rng(entry.number)
    nodes = along(graph, node_of(graph, entry))
    narrow = 0
    with mpmath.workdps(40):
        for _ in range(PIECES):
            motions = piece(entry, random)
            jet, flags = enclosed(nodes[0], motions, order)
            narrow += math.isfinite(jet[1] - jet[0]) and not flags & FLAWED
            for s in random.uniform(size=SAMPLES).tolist():
                found = sampled(nodes[: order + 1], motions, s)
                if found is None:
                    assert flags & FLAWED
                    continue
                for i, value in enumerate(found):
                    assert jet[2 * i] <= value <= jet[2 * i + 1], (motions, s, i)
    assert narrow > PIECES // 4, "bounds that say nothing hold everything"


def test_an_operation_without_an_entry_may_be_anything_and_may_have_no_value() -> None:
    graph = Graph()
    motions = np.ones((len(LEAVES), 3))
    tape = build_tape([graph.apply(op.SIN, graph.leaf("x"))], {"x": (STATE, 0)})
    jets, flags = np.zeros((tape.slots, JET)), np.zeros(tape.slots, dtype=np.int64)
    jets[0] = jet_of(motions[0])
    code = np.array([[1000, 1, 0, 0, 0]], dtype=np.int32)
    call = KERNELS.function("enclose_tape", *[WORD_TYPE] * 6)
    call(2, raw_address(code), 1, raw_address(jets), raw_address(flags), 0)
    assert jets[1].tolist() == [-math.inf, math.inf] * 3
    assert flags[1] & FLAWED
