"""Plain evaluation of graph nodes, one at a time: for folding constants and for checking values.

Slow and obvious; the interpreter and the native code are tested against it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Final

from detent.expr import operation as op
from detent.expr.graph import Node, in_order


def _sign(x: float) -> float:
    return float(x > 0.0) - float(x < 0.0)


_FUNCTIONS: Final[dict[int, Callable[..., float]]] = {
    op.ADD: lambda a, b: a + b,
    op.SUBTRACT: lambda a, b: a - b,
    op.MULTIPLY: lambda a, b: a * b,
    op.DIVIDE: lambda a, b: a / b,
    op.NEGATE: lambda a: -a,
    op.POWER: math.pow,
    op.SQRT: math.sqrt,
    op.SIN: math.sin,
    op.COS: math.cos,
    op.TAN: math.tan,
    op.ASIN: math.asin,
    op.ACOS: math.acos,
    op.ATAN: math.atan,
    op.ATAN2: math.atan2,
    op.EXP: math.exp,
    op.LOG: math.log,
    op.SINH: math.sinh,
    op.COSH: math.cosh,
    op.TANH: math.tanh,
    op.ABSOLUTE: abs,
    op.SIGN: _sign,
    op.MINIMUM: lambda a, b: a if a < b else b,
    op.MAXIMUM: lambda a, b: a if a > b else b,
    op.LESS: lambda a, b: float(a < b),
    op.LESS_EQUAL: lambda a, b: float(a <= b),
    op.EQUAL: lambda a, b: float(a == b),
    op.BOTH: lambda a, b: float(a != 0.0 and b != 0.0),
    op.EITHER: lambda a, b: float(a != 0.0 or b != 0.0),
    op.NOT: lambda a: float(a == 0.0),
    op.SELECT: lambda condition, a, b: a if condition != 0.0 else b,
}


def apply(operation: int, values: tuple[float, ...]) -> float:
    """One operation on numbers.

    >>> apply(op.ADD, (1.0, 2.0))
    3.0
    """
    return _FUNCTIONS[operation](*values)


def evaluate(
    outputs: Iterable[Node], values: Mapping[str, float], bound: Mapping[Node, Node] | None = None
) -> list[float]:
    """The outputs' values for given leaf values; NaN where a value does not exist (0/0, log of -1).

    >>> from detent.expr.graph import Graph
    >>> graph = Graph()
    >>> evaluate([graph.leaf("x") * 3 + 1], {"x": 2.0})
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
                    known[node] = node.table[0](arguments[0], node.table[1])
                else:
                    known[node] = apply(node.operation, arguments)
            except (ValueError, OverflowError, ZeroDivisionError):
                known[node] = math.nan
    return [known[node] for node in wanted]
