"""From the graph back to SymPy, for people to read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any, Final

import sympy

from detent.expr import operation as op
from detent.expr.elementary import Operation
from detent.expr.graph import Node, in_order
from detent.expr.tabulated import _function_class


def _builder(operation: Operation) -> Callable[..., Any]:
    form = operation.sympy
    return getattr(sympy, form) if isinstance(form, str) else partial(form, sympy)


_BUILDERS: Final = {number: _builder(operation) for number, operation in op.OPERATIONS.items()}


def to_sympy(nodes: list[Node], symbols: Mapping[str, Any], bound: Mapping[Node, Node] | None = None) -> list[Any]:
    """SymPy expressions of nodes; ``symbols`` gives what stands for each leaf, unless it is ``bound`` to another node.

    >>> from detent.expr.graph import Graph
    >>> graph = Graph()
    >>> to_sympy([graph.leaf("m") * 0.5], {"m": sympy.Symbol("m")})
    [m/2]
    """
    made: dict[Node, Any] = {}
    stands_for = bound or {}
    for node in in_order(nodes, stands_for):
        arguments = [made[argument] for argument in node.arguments]
        if node in stands_for:
            made[node] = made[stands_for[node]]
        elif node.operation == op.CONSTANT:
            made[node] = readable_number(node.value)
        elif node.operation == op.LEAF:
            made[node] = symbols[node.name]
        elif node.table is not None:
            made[node] = _function_class(*node.table)(arguments[0])
        else:
            made[node] = _BUILDERS[node.operation](*arguments)
    return [made[node] for node in nodes]


def readable_number(value: float) -> Any:
    """The simple fraction that a float came from, if there is one with the same bits; otherwise the float.

    >>> readable_number(1 / 3), sympy.latex(readable_number(9.81))
    (1/3, '9.81')
    """
    fraction = Fraction(value).limit_denominator(99)
    if float(fraction) == value:
        return sympy.Rational(fraction.numerator, fraction.denominator)
    return sympy.Float(value)


def tree_size(node: Node, limit: int = 10**9) -> int:
    """The number of operations a node has when written out in full, shared parts counted each time.

    >>> from detent.expr.graph import Graph
    >>> x = Graph().leaf("x")
    >>> tree_size((x + 1) * (x + 1))
    3
    """
    sizes: dict[Node, int] = {}
    for part in in_order([node]):
        own = 0 if part.operation in (op.CONSTANT, op.LEAF) else 1
        sizes[part] = min(limit, own + sum(sizes[argument] for argument in part.arguments))
    return sizes[node]
