"""From SymPy, the language users write, to the graph."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

import sympy
from sympy.core.relational import Relational
from sympy.logic.boolalg import Boolean

from detent.errors import ExpressionError, listed
from detent.expr import operation as op
from detent.expr.elementary import Operation, Smoothness
from detent.expr.graph import Graph, Node
from detent.expr.tabulated import TabulatedFunction

_NAMED: Final = [
    o for o in op.OPERATIONS.values() if isinstance(o.sympy, str) and o.smoothness is not Smoothness.CONDITION
]

FUNCTIONS: Final[dict[type, Operation]] = {getattr(sympy, str(operation.sympy)): operation for operation in _NAMED}
"""Functions of SymPy that are an operation."""

RECIPROCALS: Final[dict[type, int]] = {
    getattr(sympy, operation.reciprocal): operation.number for operation in _NAMED if operation.reciprocal
}

SUPPORTED: Final = (
    f"numbers, names, + - * /, powers, {', '.join(str(o.sympy) for o in _NAMED)}, "
    "Piecewise with comparisons, detent.tabulated"
)


class FromSympy:
    """Turns SymPy expressions into nodes of one graph; equal subexpressions are turned once.

    ``leaves`` gives the node of each symbol. A symbol that is not in it is reported by name.

    >>> graph = Graph()
    >>> x = sympy.Symbol("x")
    >>> convert = FromSympy(graph, {x: graph.leaf("x")})
    >>> convert(sympy.sqrt(x**2 + 1)).graph is graph
    True
    """

    def __init__(self, graph: Graph, leaves: Mapping[sympy.Symbol, Node]) -> None:
        self.graph = graph
        self._known: dict[Any, Node] = dict(leaves)
        self._names = [str(symbol) for symbol in leaves]
        self.resolve: Callable[[Any], Node | None] = lambda symbol: None
        """Asked for the node of a symbol that is not known yet."""

    def define(self, symbol: sympy.Symbol, node: Node) -> None:
        """Give one more symbol its node."""
        self._known[symbol] = node
        self._names.append(str(symbol))

    def forget(self) -> None:
        """Let go of the expressions whose nodes are young; symbols stay."""
        known, is_young = self._known, self.graph.is_young
        for expression in [each for each, node in list(known.items()) if is_young(node)]:
            if not getattr(expression, "is_Symbol", False):
                known.pop(expression, None)

    def __call__(self, expression: Any) -> Node:
        """The node of a SymPy expression, or of a plain number."""
        if isinstance(expression, (int, float)):
            return self.graph.constant(expression)
        known = self._known.get(expression)
        if known is None:
            plain = expression if isinstance(expression, sympy.Basic) else sympy.sympify(expression)
            known = self._known[expression] = self._convert(plain)
        return known

    def _convert(self, expression: Any) -> Node:
        if expression.is_Symbol:
            found = self.resolve(expression)
            if found is not None:
                return found
            raise ExpressionError(
                f"'{expression}' is not part of this system; its names are {listed(self._names, 20)}. "
                "Declare it as a parameter, coordinate, speed, signal or input of the same system"
            )
        if expression.is_Add:
            return self.graph.sum(self(term) for term in expression.args)
        if expression.is_Mul:
            return self._product(expression)
        if expression.is_Pow:
            return self.graph.power(self(expression.base), self(expression.exp))
        if isinstance(expression, (Relational, Boolean)):
            return self._condition(expression)
        if expression.is_number and not expression.has(TabulatedFunction):
            return self._number(expression)
        return self._function(expression)

    def _number(self, expression: Any) -> Node:
        plain = expression.is_Rational or expression.is_Float
        value = complex(float(expression) if plain else expression.evalf(17))
        if value.imag != 0.0 or not math.isfinite(value.real):
            raise ExpressionError(f"'{_short(expression)}' is not a finite real number; expressions must be real")
        return self.graph.constant(value.real)

    def _product(self, expression: Any) -> Node:
        graph = self.graph
        above, below = graph.one, graph.one
        for factor in expression.args:
            if factor.is_Pow and factor.exp.is_number and factor.exp.is_negative:
                below = graph.multiply(below, graph.power(self(factor.base), self(-factor.exp)))
            else:
                above = graph.multiply(above, self(factor))
        return above if below is graph.one else graph.divide(above, below)

    def _function(self, expression: Any) -> Node:
        graph, kind, arguments = self.graph, expression.func, expression.args
        if kind in FUNCTIONS:
            return self._operation(FUNCTIONS[kind], expression)
        if kind in RECIPROCALS:
            return graph.divide(graph.one, graph.function(RECIPROCALS[kind], self(arguments[0])))
        if kind is sympy.Piecewise:
            return self._piecewise(expression)
        if kind is sympy.Derivative and (worked_out := expression.doit()) != expression:
            return self(worked_out)
        if isinstance(expression, TabulatedFunction):
            return graph.lookup(expression.table, self(arguments[0]), expression.order)
        raise ExpressionError(
            f"'{kind.__name__}' in '{_short(expression)}' is not supported; supported are {SUPPORTED}"
        )

    def _operation(self, operation: Operation, expression: Any) -> Node:
        if operation.lattice:
            return self._folded(operation.number, expression, self)
        return self.graph.apply(operation.number, *(self(argument) for argument in expression.args))

    def _folded(self, operation: int, expression: Any, convert: Callable[[Any], Node]) -> Node:
        """An operation of any number of arguments, two by two."""
        # SymPy keeps them in a set; their order must not depend on it.
        first, *rest = (convert(argument) for argument in sorted(expression.args, key=sympy.default_sort_key))
        for node in rest:
            first = self.graph.function2(operation, first, node)
        return first

    def _piecewise(self, expression: Any) -> Node:
        *pieces, (last, always) = expression.args
        if always != sympy.true:
            raise ExpressionError(
                f"'{_short(expression)}' has no value where none of its conditions holds; "
                "end the Piecewise with a piece (value, True)"
            )
        result = self(last)
        for value, condition in reversed(pieces):
            result = self.graph.select(self._condition(condition), self(value), result)
        return result

    def _condition(self, expression: Any) -> Node:
        graph = self.graph
        if expression in (sympy.true, sympy.false):
            return graph.one if expression == sympy.true else graph.zero
        if isinstance(expression, (sympy.And, sympy.Or)):
            operation = op.BOTH if isinstance(expression, sympy.And) else op.EITHER
            return self._folded(operation, expression, self._condition)
        if isinstance(expression, sympy.Not):
            return graph.complement(self._condition(expression.args[0]))
        if isinstance(expression, sympy.ITE):  # which SymPy makes of a Piecewise in the condition of another
            return self._condition(expression.to_nnf(simplify=False))
        if isinstance(expression, Relational) and expression.rel_op in _COMPARISONS:
            return _COMPARISONS[expression.rel_op](graph, self(expression.lhs), self(expression.rhs))
        raise ExpressionError(
            f"the condition '{_short(expression)}' is not supported; use <, <=, >, >=, Eq, Ne, And, Or, Not"
        )


_COMPARISONS: Final[dict[str, Callable[[Graph, Node, Node], Node]]] = {
    "<": lambda graph, a, b: graph.function2(op.LESS, a, b),
    "<=": lambda graph, a, b: graph.function2(op.LESS_EQUAL, a, b),
    ">": lambda graph, a, b: graph.function2(op.LESS, b, a),
    ">=": lambda graph, a, b: graph.function2(op.LESS_EQUAL, b, a),
    "==": lambda graph, a, b: graph.function2(op.EQUAL, a, b),
    "!=": lambda graph, a, b: graph.complement(graph.function2(op.EQUAL, a, b)),
}


def _short(expression: Any) -> str:
    text = str(expression)
    return text if len(text) <= 60 else text[:57] + "..."
