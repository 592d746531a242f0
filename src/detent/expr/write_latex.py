"""What is listed, as LaTeX for mathematics mode."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Final, final

from detent.expr import operation as op
from detent.expr.elementary import complete
from detent.expr.latex_name import latex_name
from detent.expr.listing import Constant, Factor, FunctionCall, NamedQuantity, Reference, Term, Total
from detent.expr.sums import SIMPLE, Exponent

WIDTH: Final = 100
"""Characters on a line before it is broken; what only steers LaTeX is not counted."""
_STEERS: Final = re.compile(r"\\(left|right|mathrm|frac|dot|ddot|begin|end|cases)\b|[{}_^\\&]|\s")
_HALF: Final = Fraction(1, 2)
_WORDS: Final = (r"\mathrm", r"\dot{\mathrm", r"\ddot{\mathrm")


def _called(name: str) -> Callable[..., str]:
    return lambda *arguments: rf"{name}\left({', '.join(arguments)}\right)"


def _between(sign: str) -> Callable[[str, str], str]:
    return lambda a, b: f"{a} {sign} {b}"


def _chosen(condition: str, a: str, b: str) -> str:
    return rf"\begin{{cases}}{a} & {condition} \\ {b} & \mathrm{{otherwise}}\end{{cases}}"


_RAISED: Final = {
    op.SIN: r"\sin", op.COS: r"\cos", op.TAN: r"\tan", op.SINH: r"\sinh", op.COSH: r"\cosh", op.TANH: r"\tanh",
}  # fmt: skip
"""Functions whose powers are written on their name."""
_CALLS: Final[dict[int, Callable[..., str]]] = {
    **{number: _called(name) for number, name in _RAISED.items()},
    op.ASIN: _called(r"\arcsin"), op.ACOS: _called(r"\arccos"), op.ATAN: _called(r"\arctan"),
    op.ATAN2: _called(r"\mathrm{atan2}"), op.LOG: _called(r"\ln"), op.SIGN: _called(r"\mathrm{sign}"),
    op.MINIMUM: _called(r"\min"), op.MAXIMUM: _called(r"\max"),
    op.SQRT: lambda a: rf"\sqrt{{{a}}}", op.EXP: lambda a: f"e^{{{a}}}",
    op.ABSOLUTE: lambda a: rf"\left|{a}\right|", op.POWER: lambda a, b: rf"\left({a}\right)^{{{b}}}",
    op.ADD: _between("+"), op.SUBTRACT: _between("-"), op.MULTIPLY: _between(r"\cdot"),
    op.DIVIDE: lambda a, b: rf"\frac{{{a}}}{{{b}}}", op.NEGATE: lambda a: f"-{a}",
    op.LESS: _between("<"), op.LESS_EQUAL: _between(r"\leq"), op.EQUAL: _between("="),
    op.BOTH: _between(r"\wedge"), op.EITHER: _between(r"\vee"), op.NOT: lambda a: rf"\neg\left({a}\right)",
    op.SELECT: _chosen,
}  # fmt: skip
complete("LaTeX", _CALLS, op.OPERATIONS)
_CLOSED: Final = frozenset({op.SQRT, op.ABSOLUTE, *_RAISED}) | {
    op.ASIN, op.ACOS, op.ATAN, op.ATAN2, op.LOG, op.SIGN, op.MINIMUM, op.MAXIMUM, op.NOT,
}  # fmt: skip
"""Calls that stand in a product as they are."""


@final
class LatexWriter:
    r"""Writes totals; ``named`` says how a quantity is set.

    >>> from detent.expr.graph import Graph
    >>> from detent.expr.listing import listing
    >>> graph = Graph()
    >>> m, v, tilt = (graph.leaf(name) for name in ("m", "v", "tilt"))
    >>> print(LatexWriter(latex_name).total(listing([0.5 * m * v * v - m * tilt]).lines[0]))
    \frac{1}{2} m v^{2} - m \, \mathrm{tilt}
    """

    def __init__(self, named: Callable[[str], str]) -> None:
        self.named = named

    def reference(self, number: int) -> str:
        """How a part is called."""
        return f"z_{{{number}}}"

    def total(self, total: Total) -> str:
        return _joined(self._signed(total))

    def lines(self, total: Total) -> list[str]:
        """A total on as many lines as it needs."""
        whole = self.total(total)
        if _width(whole) <= WIDTH:
            return [whole]
        if len(total.terms) == 1:
            return self._opened(total.terms[0]) or [whole]
        return _packed(self._signed(total))

    def _opened(self, term: Term) -> list[str] | None:
        """A product with a sum at its end, whose parentheses reach over several lines."""
        *others, (last, exponent) = term.factors or ((Constant(1.0), 1),)
        if not isinstance(last, Total) or exponent != 1:
            return None
        front = "-" if term.number < 0 else ""
        if others or abs(term.number) != 1:
            front += self._term(Term(abs(term.number), tuple(others))) + r"\,"
        first, *more = _packed(self._signed(last))
        lines = [rf"{front}\Bigl({first}", *more]
        lines[-1] += r"\Bigr)"
        return lines

    def _signed(self, total: Total) -> list[tuple[str, str]]:
        return [("-" if term.number < 0 else "+", self._term(term)) for term in total.terms]

    def _term(self, term: Term) -> str:
        """A term without its sign; sums in parentheses stand beside the fraction, not on it."""
        number = abs(term.number)
        simple = number.denominator <= SIMPLE
        above, beside = self._upper(term)
        below = [self._power(factor, -exponent, alone=_alone(term, number)) for factor, exponent in term.factors
                 if exponent < 0]  # fmt: skip
        if not below:
            whole = [_number(number)] if number != 1 or not (above or beside) else []
            return _beside([*whole, *above, *beside])
        front = [str(number.numerator)] if simple and number.numerator != 1 else [] if simple else [_number(number)]
        lower = [*([str(number.denominator)] if simple and number.denominator != 1 else []), *below]
        fraction = rf"\frac{{{_beside([*front, *above]) or '1'}}}{{{_beside(lower)}}}"
        return " ".join([fraction, *beside])

    def _upper(self, term: Term) -> tuple[list[str], list[str]]:
        above = [(factor, exponent) for factor, exponent in term.factors if exponent > 0]
        plain = [self._power(factor, exponent) for factor, exponent in above if not isinstance(factor, Total)]
        sums = [self._power(factor, exponent) for factor, exponent in above if isinstance(factor, Total)]
        return plain, sums

    def _power(self, factor: Factor, exponent: Exponent, alone: bool = False) -> str:
        if exponent == _HALF:
            return rf"\sqrt{{{self._bare(factor)}}}"
        if exponent == 1:
            return self._bare(factor) if alone else self._factor(factor)
        if isinstance(factor, FunctionCall) and factor.operation in _RAISED and factor.table is None:
            inside = self.total(factor.arguments[0])
            return rf"{_RAISED[factor.operation]}^{{{exponent}}}\left({inside}\right)"
        text = self._factor(factor)
        if isinstance(factor, FunctionCall):
            text = rf"\left({text}\right)"
        return f"{text}^{{{exponent}}}"

    def _bare(self, factor: Factor) -> str:
        return self.total(factor) if isinstance(factor, Total) else self._factor(factor)

    def _factor(self, factor: Factor) -> str:
        match factor:
            case NamedQuantity(name):
                return self.named(name)
            case Constant(value):
                return r"\pi" if 3 < value < 4 else r"\infty" if value > 0 else r"\left(-\infty\right)"
            case Reference(number):
                return self.reference(number)
            case FunctionCall(operation, arguments, table):
                inside = [self.total(argument) for argument in arguments]
                if table is not None:
                    return rf"{latex_name(table[0].name)}{chr(39) * table[1]}\left({inside[0]}\right)"
                text = _CALLS[operation](*inside)
                return text if operation in _CLOSED else rf"\left({text}\right)"
        return rf"\left({self.total(factor)}\right)"


def _alone(term: Term, number: Fraction) -> bool:
    """Whether one factor is all that stands below a fraction's line."""
    return number.denominator == 1 and sum(exponent < 0 for _, exponent in term.factors) == 1


def _beside(factors: list[str]) -> str:
    """Factors of a product; words stand apart from one another."""
    words = any(factor.startswith(_WORDS) for factor in factors)
    return (r" \, " if words else " ").join(factors)


def _joined(signed: list[tuple[str, str]]) -> str:
    if not signed:
        return "0"
    (sign, first), *rest = signed
    return " ".join([f"-{first}" if sign == "-" else first, *(f"{s} {text}" for s, text in rest)])


def _packed(signed: list[tuple[str, str]]) -> list[str]:
    """Terms on lines that are not too wide."""
    lines = [_joined(signed[:1])]
    for sign, text in signed[1:]:
        if _width(lines[-1]) + _width(text) > WIDTH:
            lines.append(f"{sign} {text}")
        else:
            lines[-1] += f" {sign} {text}"
    return lines


def _width(text: str) -> int:
    return len(_STEERS.sub("", text))


def _number(number: Fraction) -> str:
    if number.denominator == 1:
        return str(number.numerator)
    if number.denominator <= SIMPLE:
        return rf"\frac{{{number.numerator}}}{{{number.denominator}}}"
    mantissa, _, power = repr(float(number)).partition("e")
    return rf"{mantissa} \cdot 10^{{{int(power)}}}" if power else mantissa
