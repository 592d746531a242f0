"""The largest number that a value is worked out from, by what it counts for in it: what its rounding goes by."""

from __future__ import annotations

from detent.expr import operation as op
from detent.expr.graph import Node, in_order

_FOLLOWED = (op.ADD, op.SUBTRACT, op.NEGATE, op.MULTIPLY)


def largest_part(node: Node, moving: int) -> Node:
    """max |d node/d part . part| over all that sums and products of a node are made of, and that moves.

    What a node changes with a leaf does not tell it: (y + h cos a) - h cos a is y by its slopes, and as it is worked
    out it is known to the rounding of h. ``moving`` is a bit set of leaves.

    >>> from detent.expr.evaluate import evaluate_nodes
    >>> from detent.expr.graph import Graph
    >>> graph = Graph()
    >>> y, a, h = (graph.leaf(name) for name in "yah")
    >>> high = h * graph.function(op.COS, a)
    >>> node = (y + high) - high
    >>> evaluate_nodes([largest_part(node, y.leaves | a.leaves)], {"y": 0.0, "a": 0.0, "h": 4.0})
    [4.0]
    """
    graph, largest = node.graph, node.graph.zero
    weights = {node: graph.one}
    for each in reversed(in_order([node])):
        if each not in weights or not each.leaves & moving:
            continue
        if each is not node:
            size = graph.function(op.ABSOLUTE, weights[each] * each)
            largest = graph.function2(op.MAXIMUM, largest, size)
        if each.operation in _FOLLOWED:
            for argument, slope in zip(each.arguments, _slopes(each), strict=True):
                weights[argument] = weights.get(argument, graph.zero) + weights[each] * slope
    return largest


def _slopes(node: Node) -> tuple[Node, ...]:
    """What a sum or a product changes with each of its arguments."""
    graph = node.graph
    if node.operation == op.MULTIPLY:
        return node.arguments[::-1]
    return {op.ADD: (graph.one, graph.one), op.SUBTRACT: (graph.one, -graph.one)}.get(node.operation, (-graph.one,))
