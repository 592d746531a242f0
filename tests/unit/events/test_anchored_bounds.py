"""Bounds from where a piece begins hold what the motion does in it, and narrow with a power of its width."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from numpy.typing import NDArray

from detent.events.enclosure_frame import FLAWED, JET
from detent.events.kernels import TAPE_BOUNDS
from detent.events.watch import Watch
from detent.expr import operation as op
from detent.expr.graph import Graph, Node
from detent.expr.tape import STATE, build_tape
from detent.jit.address import raw_address
from detent.jit.kernel_library import WORD_TYPE
from tests.unit.events.test_bounds_of_every_operation import jet_of

NAMES = ("angle", "spin", "speed")
PIECES, SAMPLES = 200, 20


def slip_direction(graph: Graph) -> tuple[Node, Node]:
    """A slip whose terms cancel, speed - spin cos(angle), and the direction of what is left of it, as an angle."""
    angle, spin, speed = map(graph.leaf, NAMES)
    along = graph.subtract(speed, graph.multiply(spin, graph.apply(op.COS, angle)))
    across = graph.multiply(graph.constant(1e-4), graph.apply(op.SIN, angle))
    return along, graph.apply(op.ATAN2, across, along)


class Walked:
    """The jets of a node over [0, w] of a motion, by either walk."""

    def __init__(self, node: Node) -> None:
        tape = build_tape([node], {name: (STATE, number) for number, name in enumerate(NAMES)})
        self._watch = Watch(tape, {number: number for number in range(len(NAMES))})
        self._loads, self._out = tape.loads.tolist(), int(tape.outputs[0])
        record, slots = self._watch.record, tape.slots
        self._jets = np.ctypeslib.as_array(
            ctypes.cast(int(record["jets"][0]), ctypes.POINTER(ctypes.c_double)), (slots, JET)
        )
        self._flags = np.ctypeslib.as_array(
            ctypes.cast(int(record["flags"][0]), ctypes.POINTER(ctypes.c_int64)), (slots,)
        )

    def _walk(self, kernel: str, motions: NDArray[np.float64], width: float, order: int) -> list[float]:
        for _, leaf, slot in self._loads:
            c0, c1, c2 = motions[leaf]
            jet = jet_of(np.array([c0, c1 * width, c2 * width**2]))
            self._jets[slot] = [*jet[:2], *(value / max(width, 1e-300) for value in jet[2:4]), 2 * c2, 2 * c2]
            if width == 0.0:
                self._jets[slot, 2:4] = c1
        call = TAPE_BOUNDS.function(kernel, WORD_TYPE, ctypes.c_double, WORD_TYPE, WORD_TYPE, WORD_TYPE)
        call(raw_address(self._watch.record), width, order, 0, 0)
        assert not self._flags[self._out] & FLAWED
        return [float(value) for value in self._jets[self._out]]

    def plain(self, motions: NDArray[np.float64], width: float) -> list[float]:
        return self._walk("walk_watch", motions, width, 2)

    def anchored(self, motions: NDArray[np.float64], width: float) -> list[float]:
        self._walk("walk_anchored", motions, 0.0, 0)
        return self._walk("walk_anchored", motions, width, 2)


def motion(random: np.random.Generator) -> NDArray[np.float64]:
    """A ball that spins fast and slips little: its slip is 1e-4 to 1e-3, by terms of 30."""
    angle, turning, spin = random.uniform(0.2, 1.2), random.uniform(-3, 3), 30.0
    made = np.array([[angle, turning, random.normal()], [spin, random.normal(), random.normal()], [0.0, 0.0, 0.0]])
    fall = random.normal() * 1e-4 - spin * np.sin(angle) * turning + made[1, 1] * np.cos(angle)
    made[2] = spin * np.cos(angle) + random.uniform(1e-4, 1e-3), fall, random.normal()
    return made


@pytest.mark.parametrize("which", [0, 1])
def test_they_hold_every_sample(which: int) -> None:
    walked, random = Walked(slip_direction(Graph())[which]), np.random.default_rng(which)
    for _ in range(PIECES):
        motions, width = motion(random), 10.0 ** random.uniform(-8, -6)
        jet = walked.anchored(motions, width)
        for s in np.linspace(0.0, width, SAMPLES):
            angle, spin, speed = (c0 + (c1 + c2 * s) * s for c0, c1, c2 in motions)
            along = speed - spin * np.cos(angle)
            value = along if which == 0 else np.arctan2(1e-4 * np.sin(angle), along)
            slack = 64 * 2.0**-52 * (30.0 if which == 0 else 30.0 / 1e-4)  # the sample's own rounding
            assert jet[0] - slack <= value <= jet[1] + slack


def test_they_narrow_with_a_power_of_the_width_where_terms_cancel() -> None:
    """Plain bounds of the direction are as wide as the terms move, by the slip; these are narrower by the square."""
    walked, random = Walked(slip_direction(Graph())[1]), np.random.default_rng(3)
    for _ in range(20):
        motions = motion(random)
        plain, anchored = (walk(motions, 1e-7) for walk in (walked.plain, walked.anchored))
        assert anchored[1] - anchored[0] < 0.02 * (plain[1] - plain[0])
        assert anchored[0] >= plain[0]
        assert anchored[1] <= plain[1]


def test_a_jump_is_not_narrowed_away() -> None:
    """A value that may jump has no rate, and keeps its plain bounds."""
    graph = Graph()
    angle, spin, speed = map(graph.leaf, NAMES)
    jumps = graph.apply(op.SELECT, graph.apply(op.LESS, angle, graph.constant(1.0)), spin, speed)
    walked = Walked(jumps)
    motions = np.array([[0.9, 1.0, 0.0], [2.0, 0.0, 0.0], [5.0, 0.0, 0.0]])
    jet = walked.anchored(motions, 0.5)
    assert jet[0] <= 2.0
    assert jet[1] >= 5.0
