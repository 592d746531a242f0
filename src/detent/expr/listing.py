"""Expressions on a graph as a reader gets them: a list of parts with names, and lines that use them.

Whatever occurs more than once and is longer than a few operations, or would make a line too long to read, becomes a
part with a number of its own and is written once. Nothing is left out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final, TypeAlias, final

from detent.expr import operation as op
from detent.expr.angles import angles_joined
from detent.expr.arrange import Arranged, Kind, arranged
from detent.expr.drawn_table import AnyTable
from detent.expr.graph import Node, in_order
from detent.expr.sums import MOST_TERMS, Atom, Exponent, Function, Group, Name, Number, Sum, Sums

FEW_TERMS: Final = 4
"""Products of sums with more terms are not multiplied out where parts are shared."""
SHORT: Final = 250
"""Operations on a sheet that is read without shared parts."""
WORTH_A_NAME: Final = 5
"""Operations in what is named when it occurs again."""
SAVED: Final = 8
"""Operations that a name must save where what it stands for is shorter than that."""
IN_LINE: Final = 5
"""What occurs once is written in its line if it has at most the limit's share of operations: one part in so many."""
SHARED: Final = 3
"""Factors in the terms of what is kept together when more than one expression uses it."""


@final
@dataclass(frozen=True)
class NamedQuantity:
    """A quantity, by the name that it has in the graph."""

    name: str


@final
@dataclass(frozen=True)
class Constant:
    """A number that is no fraction."""

    value: float


@final
@dataclass(frozen=True)
class Reference:
    """A part of the listing, by its number from 1."""

    number: int


@final
@dataclass(frozen=True)
class FunctionCall:
    """An operation that is not arithmetic, or a tabulated function."""

    operation: int
    arguments: tuple[Total, ...]
    table: tuple[AnyTable, int] | None


@final
@dataclass(frozen=True)
class Term:
    """A number times factors with their exponents."""

    number: Fraction
    factors: tuple[tuple[Factor, Exponent], ...]


@final
@dataclass(frozen=True)
class Total:
    """A sum of terms, in the order in which they are written."""

    terms: tuple[Term, ...]

    @cached_property
    def operations(self) -> int:
        """How many there are in it.

        >>> Total((Term(Fraction(1, 2), ((NamedQuantity("m"), 1), (NamedQuantity("v"), 2))),)).operations
        3
        """
        return max(len(self.terms) - 1, 0) + sum(map(_term_operations, self.terms))

    @property
    def is_zero(self) -> bool:
        return not self.terms


Factor: TypeAlias = NamedQuantity | Constant | Reference | FunctionCall | Total


@final
@dataclass(frozen=True)
class Listing:
    """Parts, each made of quantities and of parts before it, and the lines that they are for."""

    parts: tuple[Total, ...]
    lines: tuple[Total, ...]

    @property
    def operations(self) -> int:
        """The number of operations that are written."""
        return sum(total.operations for total in (*self.parts, *self.lines))

    def values(self, at: Mapping[str, float]) -> list[float]:
        """The values of the lines, worked out from what is written.

        >>> from detent.expr.graph import Graph
        >>> x = Graph().leaf("x")
        >>> listing([(x + 1) * (x - 1)]).values({"x": 3.0})
        [8.0]
        """
        known: list[float] = []
        for part in self.parts:
            known.append(_value(part, at, known))
        return [_value(line, at, known) for line in self.lines]


def listing(
    outputs: Iterable[Node],
    bound: Mapping[Node, Node] | None = None,
    *,
    kinds: Sequence[Kind] = (),
    rank: Callable[[str], int] = lambda name: 0,
    limit: int = 200,
    share: bool = False,
) -> Listing:
    """Write some nodes. ``bound``: what leaves stand for; ``kinds``: what terms may be put together by; ``rank``: where
    a quantity stands in a product; ``share``: keep together what several expressions use.

    >>> from detent.expr.graph import Graph
    >>> graph = Graph()
    >>> x, y = graph.leaf("x"), graph.leaf("y")
    >>> listing([(x + y) * x - x * y]).lines[0].terms[0].factors
    ((NamedQuantity(name='x'), 2),)
    """
    wanted = list(outputs)
    sums = Sums(FEW_TERMS if share else MOST_TERMS)
    known = _sums(sums, wanted, bound or {}, share)
    return _ListingWriter(sums, kinds, rank, limit).listing([known[node] for node in wanted])


def shortest(plain: Listing, shared: Listing) -> Listing:
    """The plain listing, unless that is long and has half as many operations again."""
    return plain if plain.operations <= max(SHORT, 1.5 * shared.operations) else shared


# -- from the graph to sums ------------------------------------------------------------------------


def _sums(sums: Sums, outputs: Sequence[Node], bound: Mapping[Node, Node], share: bool) -> dict[Node, Sum]:
    ordered = in_order(outputs, bound)
    readers: dict[Node, int] = {}
    for node in ordered:
        for argument in (bound[node],) if node in bound else node.arguments:
            readers[argument] = readers.get(argument, 0) + 1
    for node in outputs:
        readers[node] = readers.get(node, 0) + 1
    known: dict[Node, Sum] = {}
    for node in ordered:
        made = known[bound[node]] if node in bound else _sum(sums, node, known)
        if share and readers[node] > 1 and len(made) > 1 and sum(map(len, made.terms)) > SHARED:
            made = sums.group(angles_joined(sums, made))
        known[node] = made
    return {node: angles_joined(sums, known[node]) for node in outputs}


def _sum(sums: Sums, node: Node, known: Mapping[Node, Sum]) -> Sum:
    arguments = tuple(known[argument] for argument in node.arguments)
    match node.operation:
        case op.CONSTANT:
            return sums.constant(node.value)
        case op.LEAF:
            return sums.name(node.name)
        case op.ADD:
            return sums.plus(arguments[0], arguments[1])
        case op.SUBTRACT:
            return sums.minus(arguments[0], arguments[1])
        case op.NEGATE:
            return sums.minus(Sum({}), arguments[0])
        case op.MULTIPLY:
            return sums.times(arguments[0], arguments[1])
        case op.DIVIDE:
            return sums.times(arguments[0], sums.power(angles_joined(sums, arguments[1]), -1))
    shown = arguments if node.table is None else arguments[:1]
    return sums.function(node.operation, tuple(angles_joined(sums, each) for each in shown), node.table)


# -- from sums to what is written ------------------------------------------------------------------


class _ListingWriter:
    def __init__(self, sums: Sums, kinds: Sequence[Kind], rank: Callable[[str], int], limit: int) -> None:
        self.sums, self.kinds, self.rank, self.limit = sums, kinds, rank, limit
        self._arranged: dict[Sum, Arranged] = {}
        self._uses: dict[Group, int] = {}
        self._inside: dict[Group, Total] = {}
        self._numbers: dict[Group, int] = {}
        self._calls: dict[Function, FunctionCall] = {}
        self._parts: dict[Total, Reference] = {}

    def listing(self, lines: Sequence[Sum]) -> Listing:
        for line in lines:
            self._count(self._arrange(line))
        written = tuple(self._divided(self._total(self._arrange(line))) for line in lines)
        return repeated_named(Listing(tuple(self._parts), written))

    def _divided(self, total: Total) -> Total:
        """The same with sums named until it is no longer than the limit, as far as there are sums in it."""
        if total.operations <= self.limit:
            return total
        terms = [Term(term.number, tuple((self._apart(f), e) for f, e in term.factors)) for term in total.terms]
        pieces = _pieces(terms, self.limit)
        if len(pieces) in (1, len(terms)):
            return Total(tuple(terms))
        return self._divided(Total(tuple(self._piece(piece) for piece in pieces)))

    def _apart(self, factor: Factor) -> Factor:
        """A sum that takes a large part of a line as a name."""
        if isinstance(factor, Total) and factor.operations > self.limit // IN_LINE:
            return self._named(self._divided(factor))
        return factor

    def _piece(self, terms: list[Term]) -> Term:
        return terms[0] if len(terms) == 1 else Term(Fraction(1), ((self._named(Total(tuple(terms))), 1),))

    def _named(self, total: Total) -> Reference:
        if total not in self._parts:
            self._parts[total] = Reference(len(self._parts) + 1)
        return self._parts[total]

    def _arrange(self, value: Sum) -> Arranged:
        if value not in self._arranged:
            self._arranged[value] = arranged(value, self.kinds)
        return self._arranged[value]

    def _count(self, written: Arranged) -> None:
        """How often each group is used; a group that is used again is written only once."""
        waiting = [written]
        while waiting:
            for _, factors in waiting.pop().terms:
                for factor, _ in factors:
                    if isinstance(factor, Arranged):
                        waiting.append(factor)
                    elif isinstance(factor, Function):
                        waiting += [self._arrange(argument) for argument in factor.arguments]
                    elif isinstance(factor, Group):
                        self._uses[factor] = self._uses.get(factor, 0) + 1
                        if self._uses[factor] == 1:
                            waiting.append(self._arrange(factor.inside))

    def _total(self, written: Arranged) -> Total:
        terms: list[Term] = []
        for number, factors in written.terms:
            made = []
            for factor, exponent in factors:
                new = self._factor(factor)
                if isinstance(new, Total) and Fraction(exponent).denominator == 1 and _mostly_negative(new):
                    new, number = self._negated(new), -number if exponent % 2 else number
                made.append((new, exponent))
            match made:
                case [(Total(terms=inner), 1)] if abs(number) == 1:  # parentheses that say nothing
                    terms += [Term(number * term.number, term.factors) for term in inner]
                case _:
                    terms.append(Term(number, tuple(sorted(made, key=self._place))))
        return self._sorted(terms)

    def _negated(self, total: Total) -> Total:
        return self._sorted([Term(-term.number, term.factors) for term in total.terms])

    def _sorted(self, terms: list[Term]) -> Total:
        """Terms in the order of their factors, a positive one first."""
        terms.sort(key=lambda term: tuple((*self._place(each), -each[1]) for each in term.factors))
        first = next((n for n, term in enumerate(terms) if term.number > 0), 0)
        return Total((terms[first], *terms[:first], *terms[first + 1 :]) if terms else ())

    def _place(self, factor: tuple[Factor, Exponent]) -> tuple[int, str, int]:
        match factor[0]:
            case NamedQuantity(name):
                return (self.rank(name), name, 0)
            case Constant():
                return (-1, "", 0)
            case Reference(number):
                return (40, "", number)
            case FunctionCall() as call:
                return (50, _call_key(call), 0)
        return (60, "", 0)

    def _factor(self, factor: Atom | Arranged) -> Factor:
        if isinstance(factor, Arranged):
            return self._total(factor)
        if isinstance(factor, Name):
            return NamedQuantity(factor.name)
        if isinstance(factor, Number):
            return Constant(factor.value)
        if isinstance(factor, Function):
            if factor not in self._calls:
                arguments = tuple(self._total(self._arrange(argument)) for argument in factor.arguments)
                self._calls[factor] = FunctionCall(factor.operation, arguments, factor.table)
            return self._calls[factor]
        assert isinstance(factor, Group)
        return self._group(factor)

    def _group(self, group: Group) -> Factor:
        if group in self._numbers:
            return Reference(self._numbers[group])
        if group not in self._inside:
            self._inside[group] = self._total(self._arrange(group.inside))
        inside = self._inside[group]
        size = inside.operations
        again = self._uses[group] > 1 and size >= WORTH_A_NAME
        if not again and size <= self.limit // IN_LINE:
            return inside
        reference = self._named(self._divided(inside))
        self._numbers[group] = reference.number
        return reference


def _mostly_negative(total: Total) -> bool:
    return 2 * sum(term.number < 0 for term in total.terms) > len(total.terms)


def _pieces(terms: Sequence[Term], most: int) -> list[list[Term]]:
    """Terms in their order, in pieces of no more operations than most, each of at least one term."""
    pieces: list[list[Term]] = [[]]
    for term in terms:
        if pieces[-1] and Total((*pieces[-1], term)).operations > most:
            pieces.append([])
        pieces[-1].append(term)
    return pieces


def _call_key(call: FunctionCall) -> str:
    name = op.NAMES[call.operation]
    return f"{_angle_key(call.arguments[0])} {name}" if call.arguments else name


def _angle_key(total: Total) -> str:
    names = [factor.name for term in total.terms for factor, _ in term.factors if isinstance(factor, NamedQuantity)]
    return f"{len(total.terms)} {' '.join(names)}"


# -- what is repeated ------------------------------------------------------------------------------


def repeated_named(written: Listing) -> Listing:
    """The same listing with names for sums in parentheses that occur again and again.

    >>> q, a, b = (NamedQuantity(name) for name in "qab")
    >>> both = Total((Term(Fraction(1), ((a, 2),)), Term(Fraction(1), ((b, 2),))))
    >>> line = Total((Term(Fraction(1), ((q, 1), (both, 1))),))
    >>> len(repeated_named(Listing((), (line,) * 5)).parts)
    1
    """
    counts: dict[Total | FunctionCall, int] = {}
    for total in (*written.parts, *written.lines):
        _count(total, counts)
    parts = set(written.parts)
    worth = {found for found, count in counts.items() if found not in parts and _is_worth(found, count)}
    return _Renaming(worth).listing(written) if worth else written


def _is_worth(found: Total | FunctionCall, count: int) -> bool:
    size = _inside(found)
    if isinstance(found, FunctionCall):
        return count > 1 and size > WORTH_A_NAME
    return count > 1 and (size >= WORTH_A_NAME or (size > 1 and (count - 1) * size >= SAVED))


def _count(total: Total, counts: dict[Total | FunctionCall, int]) -> None:
    for term in total.terms:
        for factor, _ in term.factors:
            if isinstance(factor, Total | FunctionCall):
                counts[factor] = counts.get(factor, 0) + 1
                for inside in (factor,) if isinstance(factor, Total) else factor.arguments:
                    _count(inside, counts)


class _Renaming:
    """Writes a listing once more, with names for some of its sums."""

    def __init__(self, worth: set[Total | FunctionCall]) -> None:
        self.worth = worth
        self.parts: list[Total] = []
        self._old: dict[int, Reference] = {}
        self._new: dict[Total | FunctionCall, Reference] = {}

    def listing(self, written: Listing) -> Listing:
        for number, part in enumerate(written.parts, 1):
            self._old[number] = self._added(self._total(part))
        lines = tuple(map(self._total, written.lines))
        return Listing(tuple(self.parts), lines)

    def _added(self, part: Total) -> Reference:
        self.parts.append(part)
        return Reference(len(self.parts))

    def _total(self, total: Total) -> Total:
        return Total(tuple(Term(t.number, tuple((self._factor(f), e) for f, e in t.factors)) for t in total.terms))

    def _inside(self, factor: Total | FunctionCall) -> Total | FunctionCall:
        if isinstance(factor, Total):
            return self._total(factor)
        return FunctionCall(factor.operation, tuple(map(self._total, factor.arguments)), factor.table)

    def _factor(self, factor: Factor) -> Factor:
        match factor:
            case Reference(number):
                return self._old[number]
            case FunctionCall() | Total():
                if factor not in self.worth:
                    return self._inside(factor)
                if factor not in self._new:
                    inside = self._inside(factor)
                    alone = inside if isinstance(inside, Total) else Total((Term(Fraction(1), ((inside, 1),)),))
                    self._new[factor] = self._added(alone)
                return self._new[factor]
        return factor


# -- what is written ---------------------------------------------------------------------------


def _term_operations(term: Term) -> int:
    above, count = int(term.number.numerator not in (1, -1)), int(term.number.denominator != 1)
    for factor, exponent in term.factors:
        above += exponent > 0
        count += (exponent < 0) + (exponent not in (1, -1)) + _inside(factor)
    return count + max(above - 1, 0)


def _inside(factor: Factor) -> int:
    match factor:
        case Total():
            return factor.operations
        case FunctionCall():
            return 1 + sum(argument.operations for argument in factor.arguments)
    return 0


def _value(total: Total, at: Mapping[str, float], parts: Sequence[float]) -> float:
    value = 0.0
    for term in total.terms:
        product = float(term.number)
        for factor, exponent in term.factors:
            product *= _factor_value(factor, at, parts) ** float(exponent)
        value += product
    return value


def _factor_value(factor: Factor, at: Mapping[str, float], parts: Sequence[float]) -> float:
    match factor:
        case NamedQuantity(name):
            return at[name]
        case Constant(value):
            return value
        case Reference(number):
            return parts[number - 1]
        case Total():
            return _value(factor, at, parts)
        case FunctionCall(operation, arguments, table):
            values = [_value(argument, at, parts) for argument in arguments]
            try:
                if table is not None:
                    return table[0].value([*values, *(at[name] for name in table[0].names)], table[1])
                return op.OPERATIONS[operation].python(*values)
            except (ValueError, OverflowError, ZeroDivisionError):
                return math.nan
