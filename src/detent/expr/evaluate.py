"""Plain evaluation of graph nodes, one at a time: for folding constants and for checking values.

Slow and obvious; the interpreter and the native code are tested against it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from detent.expr import operation as op
from detent.expr.graph import Node, in_order


def apply_operation(operation: int, values: tuple[float, ...]) -> float:
    """One operation on numbers.

    >>> apply_operation(op.ADD, (1.0, 2.0))
    3.0
    """
    return op.OPERATIONS[operation].python(*values)


def evaluate_nodes(
    outputs: Iterable[Node], values: Mapping[str, float], bound: Mapping[Node, Node] | None = None
) -> list[float]:
    """The outputs' values for given leaf values; NaN where a value does not exist (0/0, log of -1).

    >>> from detent.expr.graph import Graph
    >>> graph = Graph()
    >>> evaluate_nodes([graph.leaf("x") * 3 + 1], {"x": 2.0})
    [7.0]
    """
    wanted, stands_for = list(outputs), bound or {}
    known: dict[Node, float] = {}
    for node in in_order(wanted, stands_for):
        if node in stands_for:
            known[node] = known[stands_for[node]]
        elif node.operation == op.CONSTANT:
            known[node] = node.value
        elif node.operation == op.LEAF:
            known[node] = values[node.name]
        else:
            arguments = tuple(known[argument] for argument in node.arguments)
            try:
                if node.table is not None:
                    known[node] = node.table[0].value(arguments, node.table[1])
                else:
                    known[node] = apply_operation(node.operation, arguments)
            except (ValueError, OverflowError, ZeroDivisionError):
                known[node] = math.nan
    return [known[node] for node in wanted]
