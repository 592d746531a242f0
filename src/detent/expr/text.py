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
from typing import Final

from detent.errors import ExpressionError, listed
from detent.expr.operation import OPERATIONS

LONGEST_TEXT: Final = 2000
DEEPEST_TREE: Final = 60

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


def number(text: str, names: Mapping[str, float] | None = None) -> float:
    """The finite value of an arithmetic text such as ``pi/12`` or ``2*sqrt(3)``.

    ``names`` offers further values by name.

    >>> number("pi/12 + 2*sqrt(m)", {"m": 4.0})
    4.261799387799149
    >>> number("__import__('os')")
    Traceback (most recent call last):
    ...
    detent.errors.ExpressionError: in '__import__('os')': the function '__import__' is not offered; \
use one of sqrt, sin, cos, tan, asin, acos, atan, atan2, exp, log, sinh, cosh, tanh, abs, min, max, radians, degrees
    """
    reader = _Reader(text, {**CONSTANTS, **(names or {})})
    try:
        value = reader.value(reader.tree(), 0)
    except (ValueError, ZeroDivisionError, OverflowError, TypeError) as error:
        raise ExpressionError(f"'{reader.shown}' has no value ({error}); check its numbers") from None
    if not math.isfinite(value):
        raise ExpressionError(f"'{reader.shown}' is {value}; a finite number is needed")
    return value


class _Reader:
    def __init__(self, text: str, names: Mapping[str, float]) -> None:
        self.text, self.names = text.strip(), names
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

    def value(self, node: ast.expr, depth: int) -> float:
        if depth > DEEPEST_TREE:
            raise ExpressionError(f"'{self.shown}' is nested more than {DEEPEST_TREE} deep; write it shorter")
        match node:
            case ast.Constant(value=bool()):
                pass
            case ast.Constant(value=int() | float() as value):
                return float(value)
            case ast.Name(id=name):
                return self._named(name)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self.value(operand, depth + 1)
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                return self.value(operand, depth + 1)
            case ast.BinOp(left=left, op=kind, right=right) if type(kind) in _BINARY:
                return _BINARY[type(kind)](self.value(left, depth + 1), self.value(right, depth + 1))
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                function = self._function(name)
                return float(function(*(self.value(argument, depth + 1) for argument in arguments)))
        raise ExpressionError(
            f"in '{self.shown}': {_short(ast.get_source_segment(self.text, node) or '')!r} is not allowed; "
            "numbers, names, + - * / ** and the usual functions are"
        )

    def _named(self, name: str) -> float:
        if name not in self.names:
            raise ExpressionError(f"in '{self.shown}': '{name}' has no value here; known are {listed(self.names)}")
        return self.names[name]

    def _function(self, name: str) -> Callable[..., float]:
        if name not in FUNCTIONS:
            raise ExpressionError(
                f"in '{self.shown}': the function '{name}' is not offered; use one of {', '.join(FUNCTIONS)}"
            )
        return FUNCTIONS[name]


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
