"""Exact derivatives on the graph.

Every derivative is directional: the rates of some leaves are given, the rate of a node follows by
the chain rule. A partial derivative gives one leaf the rate 1; a total time derivative gives the
time the rate 1, each coordinate its q' and each signal its s'.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from detent.errors import ExpressionError
from detent.expr import operation as op
from detent.expr.graph import Graph, Node


class Derivative:
    """The derivative along given leaf rates, remembered node by node.

    >>> graph = Graph()
    >>> x, y = graph.leaf("x"), graph.leaf("y")
    >>> along_x = Derivative(graph, {x: graph.one})
    >>> along_x(x * x * y) is 2 * x * y
    True
    """

    def __init__(self, graph: Graph, rates: Mapping[Node, Node]) -> None:
        self._graph = graph
        self._known: dict[Node, Node] = dict(rates)
        self._moving = 0
        for leaf in rates:
            self._moving |= leaf.leaves

    def add(self, leaf: Node, rate: Node) -> None:
        """Give one more leaf its rate; the leaf must be new, so that nothing worked out before depends on it."""
        self._known[leaf] = rate
        self._moving |= leaf.leaves

    def forget(self) -> None:
        """Let go of the rates of young nodes."""
        for node in [each for each in list(self._known) if self._graph.is_young(each)]:
            self._known.pop(node, None)

    def __call__(self, node: Node) -> Node:
        """The rate of the node."""
        if not node.leaves & self._moving:
            return self._graph.zero
        known, moving, zero = self._known, self._moving, self._graph.zero
        stack = [node]
        while stack:
            top = stack[-1]
            if top in known:
                stack.pop()
                continue
            rates = []
            for argument in top.arguments:
                if (rate := known.get(argument)) is not None:
                    rates.append(rate)
                elif argument.leaves & moving:
                    stack.append(argument)
                else:
                    rates.append(zero)
            if stack[-1] is top:  # none is waited for
                known[top] = self._rule(top, rates)
                stack.pop()
        return known[node]

    def _rule(self, node: Node, rates: Sequence[Node]) -> Node:
        graph = self._graph
        if node.operation == op.LEAF:
            return graph.zero
        if node.table is not None:
            table, order = node.table
            if not all(rate.is_zero for rate in rates[1:]):
                raise ExpressionError(f"how '{table.name}' changes with the numbers it is drawn by is not known")
            return graph.multiply(graph.lookup(table, node.arguments[0], order + 1), rates[0])
        return op.OPERATIONS[node.operation].rate(graph, node, rates)


def partial(node: Node, leaf: Node) -> Node:
    """The partial derivative of a node with respect to one leaf.

    >>> graph = Graph()
    >>> x = graph.leaf("x")
    >>> partial(graph.function(op.SIN, x), x) is graph.function(op.COS, x)
    True
    """
    return Derivative(node.graph, {leaf: node.graph.one})(node)
