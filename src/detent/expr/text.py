"""Numbers and expressions that come from text, read by an allow-list and never run as Python.

The text is parsed to a syntax tree; every node of the tree must be one of the few kinds below, every
name one that is offered. Nothing is ever passed to ``eval``.
"""

from __future__ import annotations

import ast
import math
import operator
import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

from detent.errors import ExpressionError, listed
from detent.expr import operation as op
from detent.expr.operation import OPERATIONS

if TYPE_CHECKING:
    from detent.expr.elementary import Operation
    from detent.expr.graph import Graph, Node

LONGEST_TEXT: Final = 2000
DEEPEST_TREE: Final = 60
LARGEST_POWER: Final = 1000
"""Whole powers below this are kept as such, so that they have derivatives everywhere."""

CONSTANTS: Final[dict[str, float]] = {"pi": math.pi}
"""Not e, which is a restitution or an eccentricity more often than exp(1)."""

FUNCTIONS: Final[dict[str, Callable[..., float]]] = {
    **{operation.text: operation.python for operation in OPERATIONS.values() if operation.text},
    "min": min, "max": max, "radians": math.radians, "degrees": math.degrees,
}  # fmt: skip
"""Those of the table that have a name in text; of the least and the largest, text has any number of arguments."""

_BINARY: Final[dict[type[ast.operator], Callable[[float, float], float]]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv, ast.Pow: math.pow,
}  # fmt: skip


def number_from_text(text: str, names: Mapping[str, float] | None = None) -> float:
    """The finite value of an arithmetic text such as ``pi/12`` or ``2*sqrt(3)``.

    ``names`` offers further values by name.

    >>> number_from_text("pi/12 + 2*sqrt(m)", {"m": 4.0})
    4.261799387799149
    >>> number_from_text("__import__('os')")
    Traceback (most recent call last):
    ...
    detent.errors.ExpressionError: in '__import__('os')': the function '__import__' is not offered; \
use one of sqrt, sin, cos, ..., min, max, radians, degrees
    """
    reader = _Reader(text, _Floats(names or {}))
    try:
        value = reader.value(reader.tree(), 0)
    except (ValueError, ZeroDivisionError, OverflowError, TypeError) as error:
        raise ExpressionError(f"'{reader.shown}' has no value ({error}); check its numbers") from None
    if not math.isfinite(value):
        raise ExpressionError(f"'{reader.shown}' is {value}; a finite number is needed")
    return value


def node_from_text(text: str, graph: Graph, named: Callable[[str], Node | None]) -> Node:
    """An expression from text on a graph: arithmetic as :func:`number_from_text` reads it, with quantities in it.

    ``named`` gives the node of a quantity by its name, None where there is none. A name that is no plain word is
    quoted; a part of something is written with a dot.

    >>> from detent.expr.graph import Graph
    >>> graph = Graph()
    >>> node_from_text("2*x**2 + 'reaction of floor' - tip.y", graph, graph.leaf).leaves.bit_count()
    3
    >>> node_from_text("open('x')", graph, graph.leaf)
    Traceback (most recent call last):
    ...
    detent.errors.ExpressionError: in 'open('x')': the function 'open' is not offered; \
use one of sqrt, sin, cos, ..., min, max, radians, degrees
    """
    reader = _Reader(text, _Nodes(graph, named))
    try:
        return reader.value(reader.tree(), 0)
    except (ValueError, ZeroDivisionError, OverflowError, TypeError) as error:
        raise ExpressionError(f"'{reader.shown}' has no value ({error}); check its numbers") from None


def symbolic(text: str, named: Callable[[str], Any]) -> Any:
    """An expression from text in SymPy, read as :func:`node_from_text` reads it; ``named`` gives symbols, or None.

    >>> from sympy import Symbol
    >>> symbolic("2*sin(x) - 'the height'", Symbol)
    -the height + 2.0*sin(x)
    """
    reader = _Reader(text, _Symbols(named))
    try:
        return reader.value(reader.tree(), 0)
    except (ValueError, ZeroDivisionError, OverflowError, TypeError) as error:
        raise ExpressionError(f"'{reader.shown}' has no value ({error}); check its numbers") from None


Value = TypeVar("Value")


class _Algebra(Protocol[Value]):
    """What numbers, names and operations of a text stand for."""

    quotes: bool
    """Whether names may be quoted, and have parts."""

    def constant(self, value: float) -> Value: ...

    def named(self, name: str) -> Value | None: ...

    def known(self) -> str:
        """Which names there are, in words; nothing where that is said elsewhere."""

    def negated(self, value: Value) -> Value: ...

    def binary(self, kind: type[ast.operator], left: Value, right: Value) -> Value: ...

    def function(self, name: str, arguments: list[Value]) -> Value: ...


class _Floats:
    """Everything is a number."""

    quotes = False

    def __init__(self, names: Mapping[str, float]) -> None:
        self._names = {**CONSTANTS, **names}

    def constant(self, value: float) -> float:
        return value

    def named(self, name: str) -> float | None:
        return self._names.get(name)

    def known(self) -> str:
        return f"; known are {listed(self._names)}"

    def negated(self, value: float) -> float:
        return -value

    def binary(self, kind: type[ast.operator], left: float, right: float) -> float:
        return _BINARY[kind](left, right)

    def function(self, name: str, arguments: list[float]) -> float:
        return float(FUNCTIONS[name](*arguments))


class _Nodes:
    """Everything is a node of a graph, whose names somebody knows."""

    quotes = True

    def __init__(self, graph: Graph, named: Callable[[str], Node | None]) -> None:
        self._graph, self._named = graph, named

    def constant(self, value: float) -> Node:
        return self._graph.constant(value)

    def named(self, name: str) -> Node | None:
        return self._graph.constant(CONSTANTS[name]) if name in CONSTANTS else self._named(name)

    def known(self) -> str:
        return ""

    def negated(self, value: Node) -> Node:
        return -value

    def binary(self, kind: type[ast.operator], left: Node, right: Node) -> Node:
        graph = self._graph
        if kind is ast.Pow:
            return graph.power(left, right)
        return graph.apply(_OPERATIONS[kind], left, right)

    def function(self, name: str, arguments: list[Node]) -> Node:
        graph = self._graph
        if name in _FOLDED:
            first, *rest = arguments
            for other in rest:
                first = graph.function2(_FOLDED[name], first, other)
            return first
        if name in _SCALED:
            (angle,) = arguments
            return graph.multiply(angle, _SCALED[name])
        operation = _BY_TEXT[name]
        if len(arguments) != operation.arity:
            raise TypeError(f"{name} takes {operation.arity} arguments, not {len(arguments)}")
        return graph.apply(operation.number, *arguments)


class _Symbols:
    """Everything is an expression of SymPy's, whose symbols somebody knows."""

    quotes = True

    def __init__(self, named: Callable[[str], Any]) -> None:
        self._named = named

    def constant(self, value: float) -> Any:
        import sympy

        return sympy.Float(value)  # never an integer, whose powers may be of any length

    def named(self, name: str) -> Any:
        import sympy

        return getattr(sympy, name) if name in CONSTANTS else self._named(name)

    def known(self) -> str:
        return ""

    def negated(self, value: Any) -> Any:
        return -value

    def binary(self, kind: type[ast.operator], left: Any, right: Any) -> Any:
        import sympy

        if kind is not ast.Pow:
            return self._applied(OPERATIONS[_OPERATIONS[kind]], left, right)
        whole = right.is_Float and abs(right) < LARGEST_POWER and float(right).is_integer() and left.free_symbols
        return sympy.Pow(left, sympy.Integer(int(right)) if whole else right)

    def function(self, name: str, arguments: list[Any]) -> Any:
        import sympy

        if name in _FOLDED:
            return {"min": sympy.Min, "max": sympy.Max}[name](*arguments)
        if name in _SCALED:
            (angle,) = arguments
            return angle * _SCALED[name]
        return self._applied(_BY_TEXT[name], *arguments)

    def _applied(self, operation: Operation, *arguments: Any) -> Any:
        import sympy

        if len(arguments) != operation.arity:
            raise TypeError(f"{operation.name} takes {operation.arity} arguments, not {len(arguments)}")
        if isinstance(operation.sympy, str):
            return getattr(sympy, operation.sympy)(*arguments)
        return operation.sympy(sympy, *arguments)


_OPERATIONS: Final[dict[type[ast.operator], int]] = {
    ast.Add: op.ADD, ast.Sub: op.SUBTRACT, ast.Mult: op.MULTIPLY, ast.Div: op.DIVIDE,
}  # fmt: skip
_FOLDED: Final = {"min": op.MINIMUM, "max": op.MAXIMUM}
_SCALED: Final = {"radians": math.pi / 180.0, "degrees": 180.0 / math.pi}
_BY_TEXT: Final = {operation.text: operation for operation in OPERATIONS.values() if operation.text}


class _Reader(Generic[Value]):
    def __init__(self, text: str, algebra: _Algebra[Value]) -> None:
        self.text, self.algebra = text.strip(), algebra
        self.shown = _short(text)
        """The text as messages quote it."""

    def tree(self) -> ast.expr:
        if len(self.text) > LONGEST_TEXT:
            raise ExpressionError(f"an expression of {len(self.text)} characters; at most {LONGEST_TEXT} are read")
        if not self.text.isascii():
            # Python reads letters that look alike as the same name; a list of names means just these letters.
            raise ExpressionError(f"{self.shown!a} holds characters that are not ASCII; write pi for the number")
        try:
            with warnings.catch_warnings():  # what Python has to say about odd literals is not for our user
                warnings.simplefilter("ignore")
                return ast.parse(self.text, mode="eval").body
        except (SyntaxError, ValueError, MemoryError, RecursionError):
            raise ExpressionError(
                f"'{self.shown}' is not an arithmetic expression; write something like 0.3, pi/12 or 2*sqrt(3)"
            ) from None

    def value(self, node: ast.expr, depth: int) -> Value:
        if depth > DEEPEST_TREE:
            raise ExpressionError(f"'{self.shown}' is nested more than {DEEPEST_TREE} deep; write it shorter")
        match node:
            case ast.Constant(value=bool()):
                pass
            case ast.Constant(value=int() | float() as value):
                return self.algebra.constant(float(value))
            case ast.Name(id=name):
                return self._named(name)
            case ast.Constant(value=str() as name) if self.algebra.quotes:
                return self._named(name)
            case ast.Attribute() if self.algebra.quotes and (path := _path(node)) is not None:
                return self._named(path)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self.algebra.negated(self.value(operand, depth + 1))
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self.value(operand, depth + 1)
            case ast.BinOp(left=left, op=kind, right=right) if type(kind) in _BINARY:
                return self.algebra.binary(type(kind), self.value(left, depth + 1), self.value(right, depth + 1))
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                self._check_function(name)
                return self.algebra.function(name, [self.value(argument, depth + 1) for argument in arguments])
        raise ExpressionError(
            f"in '{self.shown}': {_short(ast.get_source_segment(self.text, node) or '')!r} is not allowed; "
            "numbers, names, + - * / ** and the usual functions are"
        )

    def _named(self, name: str) -> Value:
        found = self.algebra.named(name)
        if found is None:
            raise ExpressionError(f"in '{self.shown}': '{name}' has no value here{self.algebra.known()}")
        return found

    def _check_function(self, name: str) -> None:
        if name not in FUNCTIONS:
            raise ExpressionError(
                f"in '{self.shown}': the function '{name}' is not offered; use one of {', '.join(FUNCTIONS)}"
            )


def _path(node: ast.expr) -> str | None:
    """A name with parts, such as tip.velocity.x; None where it is something else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    above = _path(node.value) if isinstance(node, ast.Attribute) else None
    return None if above is None or not isinstance(node, ast.Attribute) else f"{above}.{node.attr}"


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
