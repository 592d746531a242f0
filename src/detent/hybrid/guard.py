"""Guards and conditions: scalar expressions whose sign decides."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

import sympy
from sympy.core.relational import GreaterThan, LessThan, Relational, StrictGreaterThan, StrictLessThan
from sympy.logic.boolalg import BooleanFunction

from detent.errors import DetentError
from detent.model.expression import read_expression
from detent.model.quantity import StatusState

DIRECTIONS: Final = {"falling": -1, "either": 0, "rising": 1}


@dataclass(frozen=True)
class Guard:
    """An expression and the direction in which its sign must change.

    >>> import detent
    >>> x = detent.System("example").coordinates("x")
    >>> guard = read_guard("transition 'stop'", x <= 2, None)
    >>> guard
    Guard(expression=x - 2, direction='falling')
    >>> print(guard)
    x <= 2
    """

    expression: Any
    direction: str
    written: Any = field(default=None, compare=False, repr=False)
    """The inequality that it was written as, where it was one."""

    def __str__(self) -> str:
        if self.written is not None:
            return str(self.written)
        if self.direction == "either":
            return f"{self.expression} = 0"
        return f"{self.expression} {'<' if self.direction == 'falling' else '>'} 0"


def read_guard(where: str, when: Any, direction: str | None) -> Guard:
    """The guard that an expression and a direction stand for, or an inequality that becomes true."""
    if isinstance(when, Relational):
        if direction is not None:
            raise DetentError(f"{where}: the inequality {when} says its direction already; leave direction out")
        if _is_whole(when):
            return Guard(_of_whole_numbers(when), "rising", when)
        if not isinstance(when, (GreaterThan, LessThan, StrictGreaterThan, StrictLessThan)):
            raise DetentError(f"{where}: found {when}; use <, <=, > or >=, or an expression that passes zero")
        difference = _real(where, when.lhs - when.rhs)
        return Guard(difference, "falling" if isinstance(when, (LessThan, StrictLessThan)) else "rising", when)

    if isinstance(when, BooleanFunction):
        remedy = (
            "add a transition for each part"
            if isinstance(when, sympy.Or)
            else "give one part as when and the others as condition_before=[...], in a transition for each part that "
            "may be the last to become true"
        )
        raise DetentError(f"{where}: found {when}, but a guard is one inequality that becomes true; {remedy}")
    if isinstance(when, (list, tuple)):
        raise DetentError(
            f"{where}: found {len(when)} guards, but there is one; give the others as condition_before=[...], or add a "
            "transition for each"
        )
    chosen = "either" if direction is None else direction
    if chosen not in DIRECTIONS:
        raise DetentError(f"{where}: the direction is {direction!r}; use one of {', '.join(DIRECTIONS)}")
    return Guard(_real(where, when), chosen)


class Conditions(tuple[Any, ...]):
    """Expressions that must not be negative, with what each was written as.

    >>> import detent
    >>> x = detent.System("example").coordinates("x")
    >>> read_conditions("mode 'low'", [x <= 2, x]).written
    (x <= 2, x >= 0)
    """

    written: tuple[Any, ...]

    @classmethod
    def of(cls, pairs: Iterable[tuple[Any, Any]]) -> Conditions:
        """Conditions of expressions, each with what it was written as."""
        both = tuple(pairs)
        made = cls(expression for expression, _ in both)
        made.written = tuple(written for _, written in both)
        return made

    def __reduce__(self) -> Any:
        return _conditions, (tuple(self), self.written)


def _conditions(expressions: tuple[Any, ...], written: tuple[Any, ...]) -> Conditions:
    return Conditions.of(zip(expressions, written, strict=True))


def read_conditions(where: str, given: Any) -> Conditions:
    """Expressions that must not be negative, from inequalities, expressions or a list of them.

    >>> import detent
    >>> x = detent.System("example").coordinates("x")
    >>> read_conditions("mode 'low'", [x <= 2, x])
    (2 - x, x)
    """
    if given is None:
        return Conditions.of(())
    parts = given if isinstance(given, (list, tuple)) else [given]
    flat = [arg for part in parts for arg in (part.args if isinstance(part, sympy.And) else [part])]
    return Conditions.of((_condition(where, part), _as_written(part)) for part in flat)


def _as_written(part: Any) -> Any:
    """A condition as an inequality."""
    return part if isinstance(part, Relational) else GreaterThan(part, 0, evaluate=False)


def _is_whole(relation: Any) -> bool:
    """Whether both sides of a relation are whole numbers: made of such numbers and of statuses of contacts."""
    if not isinstance(relation, Relational):
        return False
    difference = relation.lhs - relation.rhs
    statuses = difference.free_symbols
    if not statuses or not all(isinstance(symbol, StatusState) for symbol in statuses):
        return False
    polynomial = difference.as_poly(*statuses)
    return polynomial is not None and all(factor.is_integer for factor in polynomial.coeffs())


def _of_whole_numbers(relation: Any) -> Any:
    """What is positive where a relation of whole numbers holds, and negative where it does not: never zero."""
    difference, half = relation.lhs - relation.rhs, sympy.Rational(1, 2)
    if isinstance(relation, sympy.Eq):
        return half - sympy.Abs(difference)
    if isinstance(relation, sympy.Ne):
        return sympy.Abs(difference) - half
    rises = isinstance(relation, (GreaterThan, StrictGreaterThan))
    strict = isinstance(relation, (StrictGreaterThan, StrictLessThan))
    return (difference if rises else -difference) + (-half if strict else half)


def _condition(where: str, part: Any) -> Any:
    if _is_whole(part):
        return _of_whole_numbers(part)
    if isinstance(part, (LessThan, StrictLessThan)):
        return _real(where, part.rhs - part.lhs)
    if isinstance(part, (GreaterThan, StrictGreaterThan)):
        return _real(where, part.lhs - part.rhs)
    if isinstance(part, (Relational, bool)) or part in (sympy.true, sympy.false):
        raise DetentError(
            f"{where}: found the condition {part}; use inequalities with <, <=, > or >=, or an expression that must "
            "not be negative"
        )
    if isinstance(part, BooleanFunction):
        raise DetentError(
            f"{where}: found {part}, but conditions are inequalities that hold together; that one of two holds is "
            "sympy.Max(a, b) >= 0, and for a transition each part may have one of its own"
        )
    return _real(where, part)


def _real(where: str, value: Any) -> Any:
    made = read_expression(where, value)
    if made.has(sympy.I, sympy.nan) or made.is_real is False:
        raise DetentError(f"{where}: {made} is not real; use an expression whose sign can be told")
    return made
