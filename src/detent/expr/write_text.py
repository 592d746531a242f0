"""What is listed, as plain text that reads like Python."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Final, final

from detent.expr import operation as op
from detent.expr.elementary import complete
from detent.expr.listing import Constant, Factor, FunctionCall, NamedQuantity, Reference, Term, Total
from detent.expr.sums import SIMPLE, Exponent

_HALF: Final = Fraction(1, 2)


def _called(name: str) -> Callable[..., str]:
    return lambda *arguments: f"{name}({', '.join(arguments)})"


def _between(sign: str) -> Callable[[str, str], str]:
    return lambda a, b: f"({a} {sign} {b})"


_CALLS: Final[dict[int, Callable[..., str]]] = {
    **{number: _called(operation.text) for number, operation in op.OPERATIONS.items() if operation.text},
    op.ADD: _between("+"), op.SUBTRACT: _between("-"), op.MULTIPLY: _between("*"), op.DIVIDE: _between("/"),
    op.NEGATE: lambda a: f"(-({a}))", op.POWER: lambda a, b: f"({a})**({b})",
    op.SIGN: _called("sign"), op.MINIMUM: _called("min"), op.MAXIMUM: _called("max"),
    op.LESS: _between("<"), op.LESS_EQUAL: _between("<="), op.EQUAL: _between("=="),
    op.BOTH: _between("and"), op.EITHER: _between("or"), op.NOT: lambda a: f"(not {a})",
    op.SELECT: lambda condition, a, b: f"({a} if {condition} else {b})",
}  # fmt: skip
complete("text", _CALLS, op.OPERATIONS)


@final
class TextWriter:
    """Writes totals; ``named`` says how a quantity is called.

    >>> from detent.expr.graph import Graph
    >>> from detent.expr.listing import listing
    >>> graph = Graph()
    >>> m, v, r = (graph.leaf(name) for name in "mvr")
    >>> TextWriter(str).total(listing([0.5 * m * v * v / r - m * 9.81]).lines[0])
    'm*(v**2/(2*r) - 9.81)'
    """

    def __init__(self, named: Callable[[str], str]) -> None:
        self.named = named

    def reference(self, number: int) -> str:
        """How a part is called."""
        return f"z{number}"

    def total(self, total: Total) -> str:
        if total.is_zero:
            return "0"
        text = ""
        for term in total.terms:
            sign = ("-" if term.number < 0 else "") if not text else " - " if term.number < 0 else " + "
            text += sign + self._term(term)
        return text

    def _term(self, term: Term) -> str:
        """A term without its sign."""
        number = abs(term.number)
        above = [(factor, exponent) for factor, exponent in term.factors if exponent > 0]
        below = [(factor, -exponent) for factor, exponent in term.factors if exponent < 0]
        simple = number.denominator <= SIMPLE
        front = [] if number == 1 or (simple and number.numerator == 1) else [_number(number, simple)]
        upper = [*front, *(self._power(*each) for each in above)] or ["1"]
        lower = [*([str(number.denominator)] if simple and number.denominator != 1 else [])]
        lower += [self._power(*each) for each in below]
        text = "*".join(upper)
        if not lower:
            return text
        return f"{text}/{lower[0]}" if len(lower) == 1 else f"{text}/({'*'.join(lower)})"

    def _power(self, factor: Factor, exponent: Exponent) -> str:
        if exponent == _HALF:
            return f"sqrt({self.total(factor) if isinstance(factor, Total) else self._factor(factor)})"
        text = self._factor(factor)
        if exponent == 1:
            return text
        return f"{text}**{exponent}" if Fraction(exponent).denominator == 1 else f"{text}**({exponent})"

    def _factor(self, factor: Factor) -> str:
        match factor:
            case NamedQuantity(name):
                return self.named(name)
            case Constant(value):
                return "pi" if value > 3 and value < 4 else repr(value)
            case Reference(number):
                return self.reference(number)
            case FunctionCall(operation, arguments, table):
                inside = [self.total(argument) for argument in arguments]
                if table is not None:
                    return f"{table[0].name}{'_' + 'd' * table[1] if table[1] else ''}({inside[0]})"
                return _CALLS[operation](*inside)
        return f"({self.total(factor)})"


def _number(number: Fraction, simple: bool) -> str:
    return str(number.numerator) if simple else repr(float(number))
