"""A tape: the nodes some outputs need, as a straight list of instructions.

The tape is what both tiers run. The interpreter walks it at once; LLVM turns the same instructions,
in the same order, into machine code, so both give the same bits.

Slots of the working array, in this order: the inputs the tape reads, its constants, intermediate
values (reused as soon as nothing reads them any more, to stay in the processor's cache).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from detent.errors import ExpressionError
from detent.expr import operation as op
from detent.expr.graph import Node, in_order
from detent.expr.table import Table

TIME: Final = 0
STATE: Final = 1
VALUES: Final = 2
"""The banks of inputs: the time, the state vector, the run-time values (parameters, inputs, discrete states)."""

SINCOS: Final = 33
"""Sine and cosine of one argument at once: destination, argument, second destination."""


@dataclass(frozen=True, eq=False)
class Tape:
    """Instructions, constants and tables for one vector function out = F(t, x, values)."""

    loads: np.ndarray
    """(bank, index, slot) of each input read."""
    constants: np.ndarray
    first_constant: int
    code: np.ndarray
    """(operation, destination, a, b, c) per instruction; slots, or for TABLE b = table number and c = order."""
    tables: tuple[np.ndarray, ...]
    outputs: np.ndarray
    """The slot of each output."""
    slots: int

    def __len__(self) -> int:
        """The number of instructions."""
        return len(self.code)

    @property
    def key(self) -> str:
        """A name for the content: equal for equal tapes, in any process on any day."""
        digest = hashlib.sha256()
        for array in (self.loads, self.constants, self.code, self.outputs, *self.tables):
            digest.update(str(array.shape).encode())
            digest.update(np.ascontiguousarray(array).tobytes())
        return digest.hexdigest()


def build_tape(
    outputs: Iterable[Node], inputs: Mapping[str, tuple[int, int]], bound: Mapping[Node, Node] | None = None
) -> Tape:
    """The tape of some outputs; ``inputs`` says where each leaf's value is found, as (bank, index).

    A leaf in ``bound`` is not an input: it stands for another node, whose value it takes.

    >>> from detent.expr.graph import Graph
    >>> graph = Graph()
    >>> x, m = graph.leaf("x"), graph.leaf("m")
    >>> tape = build_tape([x * m, graph.function(op.SIN, x)], {"x": (STATE, 0), "m": (VALUES, 0)})
    >>> len(tape)
    2
    """
    stands_for = bound or {}
    ordered = in_order(asked := list(outputs), stands_for)
    wanted = [_source(node, stands_for) for node in asked]
    leaves = [node for node in ordered if node.operation == op.LEAF and node not in stands_for]
    constants = [node for node in ordered if node.operation == op.CONSTANT]
    slot: dict[Node, int] = {node: number for number, node in enumerate([*leaves, *constants])}
    loads = []
    for leaf in leaves:
        if leaf.name not in inputs:
            raise ExpressionError(f"'{leaf.name}' has no value at run time; it is not a state, parameter or input")
        loads.append((*inputs[leaf.name], slot[leaf]))
    steps = [node for node in ordered if node.operation not in (op.LEAF, op.CONSTANT)]
    code, tables, slots = _Allocation(slot, steps, wanted, stands_for).instructions()
    return Tape(
        loads=np.array(loads, dtype=np.int32).reshape(-1, 3),
        constants=np.array([node.value for node in constants], dtype=np.float64),
        first_constant=len(leaves),
        code=np.array(code, dtype=np.int32).reshape(-1, 5),
        tables=tuple(tables),
        outputs=np.array([slot[node] for node in wanted], dtype=np.int32),
        slots=slots,
    )


def _source(node: Node, bound: Mapping[Node, Node]) -> Node:
    """The node whose value another one takes: what a bound leaf stands for in the end, or the node itself."""
    while node in bound:
        node = bound[node]
    return node


class _Allocation:
    """Gives every step a slot, and the slot back once its value has been read for the last time."""

    def __init__(
        self, slot: dict[Node, int], steps: Sequence[Node], outputs: Sequence[Node], bound: Mapping[Node, Node]
    ) -> None:
        self.slot = slot
        self.bound = bound
        self.steps = steps
        self.slots = len(slot)
        self.free: list[int] = []
        self.readers: dict[Node, int] = {}
        for node in steps:
            for argument in self._sources(node):
                self.readers[argument] = self.readers.get(argument, 0) + 1
        self.kept = set(slot) | set(outputs)
        self.partners = _sine_cosine_pairs(steps)
        self.tables: dict[str, int] = {}
        self.data: list[np.ndarray] = []

    def instructions(self) -> tuple[list[tuple[int, int, int, int, int]], list[np.ndarray], int]:
        # A node that already has a slot is the second half of a sine and cosine pair.
        code = [self._instruction(node) for node in self.steps if node not in self.slot]
        return code, self.data, self.slots

    def _instruction(self, node: Node) -> tuple[int, int, int, int, int]:
        sources = self._sources(node)
        a, b, c = ([self.slot[argument] for argument in sources] + [0, 0])[:3]
        partner = self.partners.get(node)
        # Destinations are taken before sources are given back: an instruction never overwrites what it
        # still reads, which a two-result instruction otherwise could.
        target = self._take(node)
        second = self._take(partner) if partner is not None else 0
        for argument in sources:
            self._release(argument, 2 if partner is not None else 1)
        if partner is not None:
            sine, cosine = (target, second) if node.operation == op.SIN else (second, target)
            return (SINCOS, sine, a, cosine, 0)
        if node.table is not None:
            return (op.TABLE, target, a, self._table(node.table[0]), node.table[1])
        return (node.operation, target, a, b, c)

    def _sources(self, node: Node) -> Sequence[Node]:
        return [_source(argument, self.bound) for argument in node.arguments] if self.bound else node.arguments

    def _take(self, node: Node) -> int:
        if self.free:
            chosen = self.free.pop()
        else:
            chosen = self.slots
            self.slots += 1
        self.slot[node] = chosen
        return chosen

    def _release(self, argument: Node, times: int) -> None:
        self.readers[argument] -= times
        if self.readers[argument] == 0 and argument not in self.kept:
            self.free.append(self.slot[argument])

    def _table(self, table: Table) -> int:
        if table.key not in self.tables:
            self.tables[table.key] = len(self.data)
            self.data.append(table.data)
        return self.tables[table.key]


def _sine_cosine_pairs(steps: Sequence[Node]) -> dict[Node, Node]:
    """Sines and cosines of one argument, each mapped to the other."""
    cosines = {node.arguments[0]: node for node in steps if node.operation == op.COS}
    pairs = {}
    for node in steps:
        if node.operation == op.SIN and node.arguments[0] in cosines:
            cosine = cosines[node.arguments[0]]
            pairs[node], pairs[cosine] = cosine, node
    return pairs
