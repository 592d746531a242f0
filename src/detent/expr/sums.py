"""Sums of products, in which expressions are written for people.

A :class:`Sum` holds each product once, with an exact number in front, so what is equal comes together and what cancels
is gone. It is no computer algebra: products of sums are multiplied out only while they stay short, and are otherwise
kept as a :class:`Group` in parentheses, which may get a name of its own (:mod:`detent.expr.listing`).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import reduce
from typing import Final, TypeAlias, final

from detent.expr import operation as op
from detent.expr.drawn_table import AnyTable

Exponent: TypeAlias = int | Fraction
Product: TypeAlias = tuple[tuple["Atom", Exponent], ...]
"""Atoms with their exponents, in the order in which the atoms were made."""

NOTHING: Final[Product] = ()
"""The product that is one."""
MOST_TERMS: Final = 40
"""A product of sums is multiplied out while it has no more terms than this."""
ADDED: Final = 4
"""Sums are added up while they have no more than so many times these terms: much of them may cancel later."""
SIMPLE: Final = 99
"""Denominators of numbers that are written as fractions."""


class Atom:
    """What products are made of; made once by :class:`Sums`, compared by identity."""

    __slots__ = ("cost", "serial")
    serial: int
    cost: int
    """About how many operations it takes to write it."""


@final
class Name(Atom):
    """A quantity, by its name."""

    __slots__ = ("name",)
    name: str


@final
class Number(Atom):
    """A number that is no fraction: pi, infinity."""

    __slots__ = ("value",)
    value: float


@final
class Function(Atom):
    """An operation of the table, or a tabulated function, of sums."""

    __slots__ = ("arguments", "operation", "table")
    operation: int
    arguments: tuple[Sum, ...]
    table: tuple[AnyTable, int] | None


@final
class Group(Atom):
    """A sum that is kept together."""

    __slots__ = ("inside",)
    inside: Sum


class Sum:
    """Products and their numbers. Never changed once made."""

    __slots__ = ("_key", "terms")

    def __init__(self, terms: Mapping[Product, Fraction]) -> None:
        self.terms = terms
        self._key: frozenset[tuple[Product, Fraction]] | None = None

    @property
    def key(self) -> frozenset[tuple[Product, Fraction]]:
        """Equal for equal sums."""
        if self._key is None:
            self._key = frozenset(self.terms.items())
        return self._key

    @property
    def number(self) -> Fraction | None:
        """The number that it is, if it is one."""
        if not self.terms:
            return Fraction(0)
        return self.terms.get(NOTHING) if len(self.terms) == 1 else None

    @property
    def is_zero(self) -> bool:
        return not self.terms

    def __len__(self) -> int:
        return len(self.terms)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sum) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)


ZERO: Final = Sum({})
ONE: Final = Sum({NOTHING: Fraction(1)})


class Sums:
    """Makes sums, and the atoms in them.

    >>> sums = Sums()
    >>> x, y = sums.name("x"), sums.name("y")
    >>> both = sums.plus(x, y)
    >>> sums.times(both, sums.minus(x, y)) == sums.minus(sums.times(x, x), sums.times(y, y))
    True
    """

    def __init__(self, most_terms: int = MOST_TERMS) -> None:
        self.most_terms = most_terms
        self._made: dict[object, Atom] = {}

    # -- atoms -------------------------------------------------------------------------------

    def _kept(self, key: object, atom: Atom, cost: int = 0) -> Atom:
        atom.serial, atom.cost = len(self._made), cost
        self._made[key] = atom
        return atom

    def name(self, name: str) -> Sum:
        """A quantity."""
        atom = self._made.get(("name", name))
        if atom is None:
            made = Name()
            made.name = name
            atom = self._kept(("name", name), made)
        return _alone(atom)

    def constant(self, value: float) -> Sum:
        """A number, as it was most likely written: a simple fraction, a multiple of pi, a decimal."""
        if math.isinf(value):
            return self._number(value)
        turn = Fraction(value / math.pi).limit_denominator(SIMPLE)
        if turn and float(turn) * math.pi == value:
            return Sum({self._number(math.pi).terms.__iter__().__next__(): turn})
        return Sum({NOTHING: exact(value)}) if value else ZERO

    def _number(self, value: float) -> Sum:
        atom = self._made.get(("number", value))
        if atom is None:
            made = Number()
            made.value = value
            atom = self._kept(("number", value), made)
        return _alone(atom)

    def function(self, operation: int, arguments: tuple[Sum, ...], table: tuple[AnyTable, int] | None = None) -> Sum:
        """An operation that is not arithmetic; signs come out of sines and cosines."""
        if operation == op.SQRT:
            return self.power(arguments[0], Fraction(1, 2))
        if operation in op.ODD or operation in op.EVEN:
            inside = arguments[0]
            if _leads_negative(inside):
                made = self._function(operation, (scaled(inside, Fraction(-1)),), table)
                return scaled(made, Fraction(-1)) if operation in op.ODD else made
        return self._function(operation, arguments, table)

    def _function(self, operation: int, arguments: tuple[Sum, ...], table: tuple[AnyTable, int] | None) -> Sum:
        key = ("function", operation, arguments, None if table is None else (table[0].key, table[1]))
        atom = self._made.get(key)
        if atom is None:
            made = Function()
            made.operation, made.arguments, made.table = operation, arguments, table
            atom = self._kept(key, made, 1 + sum(map(_size, arguments)))
        return _alone(atom)

    def group(self, inside: Sum) -> Sum:
        """The same value, kept together: the factor that its terms have in common, times a group."""
        if len(inside) < 2:
            return inside
        number, product, rest = content(inside)
        return Sum({product_of(product, ((self.together(rest), 1),)): number})

    def together(self, inside: Sum) -> Group:
        """A sum of several terms as one atom."""
        atom = self._made.get(("group", inside))
        if atom is None:
            made = Group()
            made.inside = inside
            atom = self._kept(("group", inside), made, len(inside))
        assert isinstance(atom, Group)
        return atom

    # -- arithmetic --------------------------------------------------------------------------

    def plus(self, first: Sum, second: Sum, sign: int = 1) -> Sum:
        """first + sign second."""
        if len(first) + len(second) > ADDED * self.most_terms and min(len(first), len(second)) > 1:
            first, second = self.group(first), self.group(second)
        terms = dict(first.terms)
        for product, number in second.terms.items():
            total = terms.get(product, 0) + sign * number
            if total:
                terms[product] = Fraction(total)
            else:
                del terms[product]
        return Sum(terms)

    def minus(self, first: Sum, second: Sum) -> Sum:
        return self.plus(first, second, -1)

    def times(self, first: Sum, second: Sum) -> Sum:
        """The product, multiplied out if that is short."""
        if len(first) > 1 and len(second) > 1 and len(first) * len(second) > self.most_terms:
            first, second = self.group(first), self.group(second)
        if len(first) > 1 and len(second) == 1:
            first, second = second, first
        if len(first) == 1 and len(second) > 1:
            first, second = self._cancelled(first, second)
        terms: dict[Product, Fraction] = {}
        for a, x in first.terms.items():
            for b, y in second.terms.items():
                product = product_of(a, b)
                total = terms.get(product, 0) + x * y
                if total:
                    terms[product] = Fraction(total)
                else:
                    del terms[product]
        return Sum(terms)

    def _cancelled(self, single: Sum, several: Sum) -> tuple[Sum, Sum]:
        """A product with a group below, and the same sum above: both go."""
        ((product, number),) = single.terms.items()
        if not any(isinstance(atom, Group) and exponent < 0 for atom, exponent in product):
            return single, several
        common, factor, rest = content(several)
        atom = self._made.get(("group", rest))
        if atom is None or not any(a is atom and e <= -1 for a, e in product):
            return single, several
        return Sum({product_of(product, ((atom, 1),)): number}), Sum({factor: common})

    def power(self, base: Sum, exponent: Exponent) -> Sum:
        """A whole or half power; of several terms, that of a group."""
        if len(base) == 1:
            ((product, number),) = base.terms.items()
            whole = Fraction(exponent).denominator == 1
            if whole:
                return Sum({powered(product, exponent): number ** int(exponent)})
            if number == 1 and len(product) == 1 and product[0][1] == 1:
                return Sum({((product[0][0], exponent),): Fraction(1)})
        if not base.terms:
            return self._function(op.POWER, (base, Sum({NOTHING: Fraction(exponent)})), None)
        if len(base) > 1 and Fraction(exponent).denominator == 1:
            number, product, rest = content(base)
            group = ((self.together(rest), exponent),)
            return Sum({product_of(powered(product, exponent), group): number ** int(exponent)})
        return Sum({((self.together(base), exponent),): Fraction(1)})


# -- products and numbers ---------------------------------------------------------------------


def exact(value: float) -> Fraction:
    """The fraction that a number was most likely written as.

    >>> exact(1 / 3), exact(9.81)
    (Fraction(1, 3), Fraction(981, 100))
    """
    simple = Fraction(value).limit_denominator(SIMPLE)
    return simple if float(simple) == value else Fraction(repr(value))


def product_of(first: Product, second: Product) -> Product:
    """The product of two products."""
    if not first or not second:
        return first or second
    exponents: dict[Atom, Exponent] = dict(first)
    for atom, exponent in second:
        exponents[atom] = exponents.get(atom, 0) + exponent
    kept = [pair for pair in exponents.items() if pair[1] != 0]
    return tuple(sorted(kept, key=_by_serial))


def powered(product: Product, exponent: Exponent) -> Product:
    """A power of a product."""
    return tuple((atom, each * exponent) for atom, each in product)


def scaled(value: Sum, factor: Fraction) -> Sum:
    """A number times a sum."""
    return Sum({product: number * factor for product, number in value.terms.items()}) if factor else ZERO


def content(value: Sum) -> tuple[Fraction, Product, Sum]:
    """The number and the product that all terms have in common, and what is left; its first number is positive."""
    common = _common(list(value.terms.values()))
    if _leads_negative(value):
        common = -common
    least: dict[Atom, Exponent] | None = None
    for product in value.terms:
        own = dict(product)
        least = own if least is None else {a: min(e, own[a]) for a, e in least.items() if a in own}
        if not least:
            break
    shared = tuple(sorted(((a, e) for a, e in (least or {}).items()), key=_by_serial))
    if not shared and common == 1:
        return common, NOTHING, value
    inverse = powered(shared, -1)
    return common, shared, Sum({product_of(p, inverse): n / common for p, n in value.terms.items()})


def _common(numbers: list[Fraction]) -> Fraction:
    """A positive number that comes out of all; decimals come out only where they are all the same."""
    if all(number.denominator <= SIMPLE for number in numbers):
        common: Fraction = reduce(_common_number, numbers)
        return abs(common)
    sizes = {abs(number) for number in numbers}
    return sizes.pop() if len(sizes) == 1 else Fraction(1)


def _common_number(a: Fraction, b: Fraction) -> Fraction:
    """The largest number of which both are whole multiples."""
    below = math.lcm(a.denominator, b.denominator)
    return Fraction(math.gcd(a.numerator * (below // a.denominator), b.numerator * (below // b.denominator)), below)


def _leads_negative(value: Sum) -> bool:
    """Whether the first of the terms has a negative number, in an order that the number does not change."""
    first = min(value.terms, key=_order, default=None)
    return first is not None and value.terms[first] < 0


def _size(value: Sum) -> int:
    """About the number of operations."""
    factors = sum(len(product) + sum(atom.cost for atom, _ in product) for product in value.terms)
    return max(factors - 1, 0)


def _order(product: Product) -> tuple[tuple[int, Exponent], ...]:
    return tuple((atom.serial, exponent) for atom, exponent in product)


def _by_serial(pair: tuple[Atom, Exponent]) -> int:
    return pair[0].serial


def _alone(atom: Atom) -> Sum:
    return Sum({((atom, 1),): Fraction(1)})


def added(parts: Iterable[Sum]) -> Sum:
    """All terms of some sums in one, however many they are."""
    terms: dict[Product, Fraction] = {}
    for part in parts:
        for product, number in part.terms.items():
            terms[product] = terms.get(product, Fraction(0)) + number
    return Sum({product: number for product, number in terms.items() if number})
