"""Every operation of the table, on leaves and on numbers of many digits; what tests of all operations share."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any, Final

import mpmath
import numpy as np
import pytest

from detent.expr import operation as op
from detent.expr.elementary import Operation, Smoothness
from detent.expr.graph import Graph, Node, in_order

LEAVES: Final = ("x", "y", "z")
WIDE: Final = 3.0
"""How far from zero arguments are drawn, where an operation has a value that far out."""


def every(*kinds: Smoothness) -> Any:
    """A test for each operation, or for each of some smoothness."""
    chosen = [entry for entry in op.OPERATIONS.values() if not kinds or entry.smoothness in kinds]
    return pytest.mark.parametrize("entry", chosen, ids=lambda entry: entry.name)


def node_of(graph: Graph, entry: Operation) -> Node:
    """The operation on leaves; where it takes conditions, on comparisons of them."""
    x, y, z = (graph.leaf(name) for name in LEAVES)
    less, more = graph.function2(op.LESS, x, y), graph.function2(op.LESS, z, x)
    conditions = {op.BOTH: (less, more), op.EITHER: (less, more), op.NOT: (less,), op.SELECT: (less, x * z, y)}
    return graph.apply(entry.number, *conditions.get(entry.number, (x, y, z)[: entry.arity]))


def inside(entry: Operation, random: np.random.Generator) -> dict[str, float]:
    """Values of the leaves inside the operation's domain."""
    low, high = max(entry.domain[0], -WIDE), min(entry.domain[1], WIDE)
    margin = (high - low) / 64
    return {"x": random.uniform(low + margin, high - margin), **{n: random.uniform(-WIDE, WIDE) for n in LEAVES[1:]}}


def exact(entry: Operation) -> Callable[..., Any]:
    """The operation on mpmath's numbers: a function of Python's math is mpmath's, what is written out works on both."""
    if entry.number == op.POWER:
        return operator.pow
    known = getattr(entry.python, "__module__", None) == "math"
    return getattr(mpmath, entry.python.__name__) if known else entry.python


def exact_values(nodes: list[Node], values: Mapping[str, Any]) -> list[Any]:
    """The values of nodes in mpmath's numbers, to its present precision."""
    known: dict[Node, Any] = {}
    for node in in_order(nodes):
        if node.operation == op.LEAF:
            known[node] = mpmath.mpf(values[node.name])
        elif node.operation == op.CONSTANT:
            known[node] = mpmath.mpf(node.value)
        else:
            known[node] = exact(op.OPERATIONS[node.operation])(*(known[argument] for argument in node.arguments))
    return [known[node] for node in nodes]
