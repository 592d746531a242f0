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
    leaves = [node for node in ordered if node.operation == op.LEAF and node not in stands_for]
    constants = [node for node in ordered if node.operation == op.CONSTANT]
    steps = [node for node in ordered if node.operation not in (op.LEAF, op.CONSTANT)]
    number = {node: place for place, node in enumerate([*leaves, *constants, *steps])}
    loads = []
    for leaf in leaves:
        if leaf.name not in inputs:
            raise ExpressionError(f"'{leaf.name}' has no value at run time; it is not a state, parameter or input")
        loads.append((*inputs[leaf.name], number[leaf]))
    number.update({node: number[_source(node, stands_for)] for node in ordered if node in stands_for})
    wanted = [number[node] for node in asked]
    code, tables, slot, slots = _allocate(number, steps, len(leaves) + len(constants), wanted)
    return Tape(
        loads=np.array(loads, dtype=np.int32).reshape(-1, 3),
        constants=np.array([node.value for node in constants], dtype=np.float64),
        first_constant=len(leaves),
        code=np.array(code, dtype=np.int32).reshape(-1, 5),
        tables=tuple(tables.data),
        drawn=tables.drawn(inputs),
        outputs=np.array([slot[each] for each in wanted], dtype=np.int32),
        slots=slots,
    )


def _source(node: Node, bound: Mapping[Node, Node]) -> Node:
    """The node whose value another one takes: what a bound leaf stands for in the end, or the node itself."""
    while node in bound:
        node = bound[node]
    return node


def _allocate(
    number: Mapping[Node, int], steps: Sequence[Node], first: int, outputs: Sequence[int]
) -> tuple[list[int], _Tables, list[int], int]:
    """Instructions, one after another; tables; the slot of each node by its number; how many slots there are.

    ``number`` has numbers for inputs and constants, which are their slots, and from ``first`` on for the steps. Every
    step gets a slot, given back once it was read for the last time. The loop is what embedding a constraint waits for,
    hence lists by number and no tables by node, the local names, and no calls but where they are rare.
    """
    sources = [tuple(map(number.__getitem__, node.arguments)) for node in steps]
    readers = [1] * first + [0] * len(steps)  # inputs, constants and outputs are never given back
    for reads in sources:
        for source in reads:
            readers[source] += 1
    for output in outputs:
        readers[output] += 1
    partners = _sine_cosine_pairs(steps, number)
    tables = _Tables()
    free: list[int] = []
    slot, slots = [*range(first), *[-1] * len(steps)], first
    code: list[int] = []
    for place, (node, reads) in enumerate(zip(steps, sources, strict=True), first):
        if slot[place] >= 0:
            continue  # the second half of a sine and cosine pair
        operation, partner, places = node.operation, None, [slot[source] for source in reads]
        if operation == op.SIN or operation == op.COS:
            partner = partners.get(place)
        # Destinations are taken before sources are given back: an instruction never overwrites what it still
        # reads, which a two-result instruction otherwise could.
        for made in (place,) if partner is None else (place, partner):
            if free:
                slot[made] = free.pop()
            else:
                slot[made] = slots
                slots += 1
        for source in reads:
            left = readers[source] = readers[source] - (1 if partner is None else 2)
            if left == 0:
                free.append(slot[source])
        target = slot[place]
        if partner is not None:
            other = slot[partner]
            sine, cosine = (target, other) if operation == op.SIN else (other, target)
            code += (SINCOS, sine, places[0], cosine, 0)
        elif node.table is not None:
            code += (op.TABLE, target, places[0], tables.number(node.table[0]), node.table[1])
        elif len(places) == 2:
            code += (operation, target, places[0], places[1], 0)
        else:
            code += (operation, target, *places, *(0, 0)[len(places) - 1 :])
    return code, tables, slot, slots


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


def _sine_cosine_pairs(steps: Sequence[Node], number: Mapping[Node, int]) -> dict[int, int]:
    """Sines and cosines of one argument, each mapped to the other, by their numbers."""
    cosines = {node.arguments[0]: node for node in steps if node.operation == op.COS}
    pairs = {}
    for node in steps:
        if node.operation == op.SIN and node.arguments[0] in cosines:
            sine, cosine = number[node], number[cosines[node.arguments[0]]]
            pairs[sine], pairs[cosine] = cosine, sine
    return pairs
