"""Exact derivatives on the graph.

Every derivative is directional: the rates of some leaves are given, the rate of a node follows by
the chain rule. A partial derivative gives one leaf the rate 1; a total time derivative gives the
time the rate 1, each coordinate its q' and each signal its s'.
"""

from __future__ import annotations

from collections.abc import Mapping

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
        known = self._known
        stack = [node]
        while stack:
            top = stack[-1]
            if top in known:
                stack.pop()
                continue
            waiting = [a for a in top.arguments if a not in known and a.leaves & self._moving]
            if waiting:
                stack.extend(waiting)
            else:
                known[top] = self._rule(top)
                stack.pop()
        return known[node]

    def _rate(self, node: Node) -> Node:
        return self._known[node] if node.leaves & self._moving else self._graph.zero

    def _rule(self, node: Node) -> Node:
        graph, kind, arguments = self._graph, node.operation, node.arguments
        if kind == op.LEAF or kind in op.PIECEWISE_CONSTANT:
            return graph.zero
        rates = [self._rate(argument) for argument in arguments]
        if len(arguments) == 1:
            return graph.multiply(_slope(graph, node, arguments[0]), rates[0])
        if kind == op.SELECT:
            return graph.select(arguments[0], rates[1], rates[2])
        return self._rule_of_two(node, rates)

    def _rule_of_two(self, node: Node, rates: list[Node]) -> Node:
        graph, kind = self._graph, node.operation
        a, b = node.arguments
        if kind == op.ADD:
            return graph.add(*rates)
        if kind == op.SUBTRACT:
            return graph.subtract(*rates)
        if kind == op.MULTIPLY:
            return graph.add(graph.multiply(rates[0], b), graph.multiply(a, rates[1]))
        if kind == op.DIVIDE:
            return graph.divide(graph.subtract(rates[0], graph.multiply(node, rates[1])), b)
        if kind == op.POWER:
            return _power_rate(graph, node, rates)
        if kind == op.ATAN2:
            return graph.divide(graph.subtract(graph.multiply(b, rates[0]), graph.multiply(a, rates[1])), a * a + b * b)
        if kind == op.MINIMUM:
            return graph.select(graph.function2(op.LESS, a, b), *rates)
        if kind == op.MAXIMUM:
            return graph.select(graph.function2(op.LESS, b, a), *rates)
        raise _no_rule(kind)


def _power_rate(graph: Graph, node: Node, rates: list[Node]) -> Node:
    base, exponent = node.arguments
    from_base = graph.multiply(graph.multiply(exponent, graph.power(base, exponent - 1.0)), rates[0])
    if rates[1].is_zero:
        return from_base
    return graph.add(from_base, graph.multiply(graph.multiply(node, graph.function(op.LOG, base)), rates[1]))


def _slope(graph: Graph, node: Node, a: Node) -> Node:
    """The derivative of a function of one value with respect to that value."""
    kind = node.operation
    if node.table is not None:
        table, order = node.table
        return graph.lookup(table, a, order + 1)
    match kind:
        case op.NEGATE:
            return graph.constant(-1.0)
        case op.SQRT:
            return graph.divide(graph.constant(0.5), node)
        case op.SIN:
            return graph.function(op.COS, a)
        case op.COS:
            return graph.negate(graph.function(op.SIN, a))
        case op.TAN:
            return node * node + 1.0
        case op.ASIN:
            return 1.0 / graph.function(op.SQRT, 1.0 - a * a)
        case op.ACOS:
            return -1.0 / graph.function(op.SQRT, 1.0 - a * a)
        case op.ATAN:
            return 1.0 / (a * a + 1.0)
        case op.EXP:
            return node
        case op.LOG:
            return 1.0 / a
        case op.SINH:
            return graph.function(op.COSH, a)
        case op.COSH:
            return graph.function(op.SINH, a)
        case op.TANH:
            return 1.0 - node * node
        case op.ABSOLUTE:
            return graph.function(op.SIGN, a)
    raise _no_rule(kind)


def _no_rule(kind: int) -> NotImplementedError:
    """An operation that was added without its derivative: a slope of zero would be wrong in silence."""
    return NotImplementedError(f"the operation '{op.NAMES.get(kind, kind)}' has no derivative; write its rule here")


def partial(node: Node, leaf: Node) -> Node:
    """The partial derivative of a node with respect to one leaf.

    >>> graph = Graph()
    >>> x = graph.leaf("x")
    >>> partial(graph.function(op.SIN, x), x) is graph.function(op.COS, x)
    True
    """
    return Derivative(node.graph, {leaf: node.graph.one})(node)
