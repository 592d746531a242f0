"""From the graph back to SymPy, for people to read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Final

import sympy

from detent.expr import operation as op
from detent.expr.graph import Node, in_order
from detent.expr.tabulated import _function_class

_BUILDERS: Final[dict[int, Callable[..., Any]]] = {
    op.ADD: lambda a, b: a + b,
    op.SUBTRACT: lambda a, b: a - b,
    op.MULTIPLY: lambda a, b: a * b,
    op.DIVIDE: lambda a, b: a / b,
    op.NEGATE: lambda a: -a,
    op.POWER: sympy.Pow,
    op.SQRT: sympy.sqrt,
    op.SIN: sympy.sin,
    op.COS: sympy.cos,
    op.TAN: sympy.tan,
    op.ASIN: sympy.asin,
    op.ACOS: sympy.acos,
    op.ATAN: sympy.atan,
    op.ATAN2: sympy.atan2,
    op.EXP: sympy.exp,
    op.LOG: sympy.log,
    op.SINH: sympy.sinh,
    op.COSH: sympy.cosh,
    op.TANH: sympy.tanh,
    op.ABSOLUTE: sympy.Abs,
    op.SIGN: sympy.sign,
    op.MINIMUM: sympy.Min,
    op.MAXIMUM: sympy.Max,
    op.LESS: sympy.Lt,
    op.LESS_EQUAL: sympy.Le,
    op.EQUAL: sympy.Eq,
    op.BOTH: sympy.And,
    op.EITHER: sympy.Or,
    op.NOT: sympy.Not,
    op.SELECT: lambda condition, a, b: sympy.Piecewise((a, condition), (b, True)),
}


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
            made[node] = _function_class(*node.table)(*arguments)
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
