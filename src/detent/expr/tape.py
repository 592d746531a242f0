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
from typing import TypeAlias

import numpy as np

from detent.errors import ExpressionError
from detent.expr import operation as op
from detent.expr.drawn_table import AnyTable, DrawnTable
from detent.expr.graph import Node, in_order
from detent.expr.instruction import SINCOS, STATE, TIME, VALUES

__all__ = ["SINCOS", "STATE", "TIME", "VALUES", "Tape", "build_tape"]


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
    """The numbers of each table; none of those whose numbers are run-time values."""
    drawn: np.ndarray
    """(table number, index of its first number among the values) of each of these."""
    outputs: np.ndarray
    """The slot of each output."""
    slots: int

    def __len__(self) -> int:
        """The number of instructions."""
        return len(self.code)

    def reads_values(self, first: int, last: int) -> bool:
        """Whether it reads run-time values of the places from ``first`` to below ``last``, one by one or as a table."""
        read = [*self.loads[self.loads[:, 0] == VALUES, 1].tolist(), *self.drawn[:, 1].tolist()]
        return any(first <= place < last for place in read)

    @property
    def key(self) -> str:
        """A name for the content: equal for equal tapes, in any process on any day."""
        digest = hashlib.sha256()
        for array in (self.loads, self.constants, self.code, self.outputs, self.drawn, *self.tables):
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
    code, tables, slots = _allocate(slot, steps, wanted, stands_for)
    return Tape(
        loads=np.array(loads, dtype=np.int32).reshape(-1, 3),
        constants=np.array([node.value for node in constants], dtype=np.float64),
        first_constant=len(leaves),
        code=np.array(code, dtype=np.int32).reshape(-1, 5),
        tables=tuple(tables.data),
        drawn=tables.drawn(inputs),
        outputs=np.array([slot[node] for node in wanted], dtype=np.int32),
        slots=slots,
    )


def _source(node: Node, bound: Mapping[Node, Node]) -> Node:
    """The node whose value another one takes: what a bound leaf stands for in the end, or the node itself."""
    while node in bound:
        node = bound[node]
    return node


Instruction: TypeAlias = tuple[int, int, int, int, int]


def _allocate(
    slot: dict[Node, int], steps: Sequence[Node], outputs: Sequence[Node], bound: Mapping[Node, Node]
) -> tuple[list[Instruction], _Tables, int]:
    """Instructions, tables and number of slots: every step gets a slot, given back once it was read for the last time.

    ``slot`` holds the slots of inputs and constants, and is filled up. The loop is what embedding a constraint waits
    for, hence the local names and no calls but where they are rare.
    """
    sources = [node.arguments for node in steps]
    if bound:
        sources = [tuple(_source(a, bound) if a in bound else a for a in reads) for reads in sources]
    readers: dict[Node, int] = {}
    for reads in sources:
        for argument in reads:
            readers[argument] = readers.get(argument, 0) + 1
    for node in (*slot, *outputs):  # never given back
        readers[node] = readers.get(node, 0) + 1
    partners = _sine_cosine_pairs(steps)
    tables = _Tables()
    free: list[int] = []
    slots = len(slot)
    code: list[Instruction] = []
    for node, reads in zip(steps, sources, strict=True):
        if node in slot:
            continue  # the second half of a sine and cosine pair
        places = [slot[argument] for argument in reads]
        partner = partners.get(node)
        # Destinations are taken before sources are given back: an instruction never overwrites what it still
        # reads, which a two-result instruction otherwise could.
        for made in (node,) if partner is None else (node, partner):
            if free:
                slot[made] = free.pop()
            else:
                slot[made] = slots
                slots += 1
        for argument in reads:
            left = readers[argument] = readers[argument] - (1 if partner is None else 2)
            if left == 0:
                free.append(slot[argument])
        target, first = slot[node], places[0]
        if partner is not None:
            other = slot[partner]
            sine, cosine = (target, other) if node.operation == op.SIN else (other, target)
            code.append((SINCOS, sine, first, cosine, 0))
        elif node.table is not None:
            code.append((op.TABLE, target, first, tables.number(node.table[0]), node.table[1]))
        else:
            second = places[1] if len(places) > 1 else 0
            code.append((node.operation, target, first, second, places[2] if len(places) > 2 else 0))
    return code, tables, slots


class _Tables:
    """The tables of a tape, each once."""

    def __init__(self) -> None:
        self.data: list[np.ndarray] = []
        self._numbers: dict[str, int] = {}
        self._drawn: list[tuple[int, DrawnTable]] = []

    def number(self, table: AnyTable) -> int:
        if table.key not in self._numbers:
            self._numbers[table.key] = len(self.data)
            if isinstance(table, DrawnTable):
                self._drawn.append((len(self.data), table))
                self.data.append(np.zeros(0))
            else:
                self.data.append(table.data)
        return self._numbers[table.key]

    def drawn(self, inputs: Mapping[str, tuple[int, int]]) -> np.ndarray:
        """(number, index of the first value) of each table that is drawn during a run."""
        pairs = []
        for number, table in self._drawn:
            first = inputs[table.names[0]][1]
            if [inputs[name] for name in table.names] != [(VALUES, first + k) for k in range(len(table.names))]:
                raise ExpressionError(f"the numbers of the drawn '{table.name}' are not values one after another")
            pairs.append((number, first))
        return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def _sine_cosine_pairs(steps: Sequence[Node]) -> dict[Node, Node]:
    """Sines and cosines of one argument, each mapped to the other."""
    cosines = {node.arguments[0]: node for node in steps if node.operation == op.COS}
    pairs = {}
    for node in steps:
        if node.operation == op.SIN and node.arguments[0] in cosines:
            cosine = cosines[node.arguments[0]]
            pairs[node], pairs[cosine] = cosine, node
    return pairs
