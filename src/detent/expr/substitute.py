"""Replace leaves by other nodes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from detent.expr import operation as op
from detent.expr.graph import Graph, Node, in_order


def substitute(node: Node, replacements: Mapping[Node, Node]) -> Node:
    """The expression with some leaves replaced, folded as far as that allows.

    >>> from detent.expr.graph import Graph
    >>> graph = Graph()
    >>> x, y = graph.leaf("x"), graph.leaf("y")
    >>> substitute(x * y + y, {x: graph.zero}) is y
    True
    """
    made: dict[Node, Node] = {}
    for part in in_order([node]):
        if part in replacements:
            made[part] = replacements[part]
        elif not part.arguments:
            made[part] = part
        else:
            made[part] = _rebuild(part, [made[argument] for argument in part.arguments])
    return made[node]


def transplanted(nodes: Sequence[Node], graph: Graph) -> list[Node]:
    """The same expressions on another graph; leaves of the same name are the same.

    >>> from detent.expr.graph import Graph
    >>> one, other = Graph(), Graph()
    >>> transplanted([one.leaf("x") * 2.0], other)[0] is other.leaf("x") * 2.0
    True
    """
    made: dict[Node, Node] = {}
    for part in in_order(nodes):
        if part.operation == op.LEAF:
            made[part] = graph.leaf(part.name)
        elif part.operation == op.CONSTANT:
            made[part] = graph.constant(part.value)
        else:
            made[part] = _rebuild(part, [made[argument] for argument in part.arguments])
    return [made[node] for node in nodes]


def _rebuild(node: Node, arguments: list[Node]) -> Node:
    if all(new is old for new, old in zip(arguments, node.arguments, strict=True)):
        return node
    graph = arguments[0].graph
    if node.table is not None:
        return graph.lookup(node.table[0], arguments[0], node.table[1])
    return graph.apply(node.operation, *arguments)
