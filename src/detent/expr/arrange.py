"""A sum in the order of operations that takes fewest of them: common factors in front, like terms put together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Final, TypeAlias, final

from detent.expr.sums import NOTHING, Atom, Exponent, Product, Sum, content, product_of

Term: TypeAlias = "tuple[Fraction, tuple[tuple[Atom | Arranged, Exponent], ...]]"
Kind: TypeAlias = Callable[[Atom], bool]
"""Tells atoms of one kind from others: masses, speeds, functions."""
DEEPEST: Final = 2
"""Parentheses inside one another that are looked for."""


@final
class Arranged:
    """Terms, each a number and factors: atoms, or others of this kind in parentheses."""

    __slots__ = ("cost", "terms")

    def __init__(self, terms: tuple[Term, ...]) -> None:
        self.terms = terms
        cost = max(len(terms) - 1, 0)
        for number, factors in terms:
            above, inside = int(number.numerator not in (1, -1)), int(number.denominator != 1)
            for factor, exponent in factors:
                if exponent > 0:
                    above += 1
                else:
                    inside += 1
                if exponent not in (1, -1):
                    inside += 1
                inside += factor.cost
            cost += inside + (above - 1 if above > 1 else 0)
        self.cost: int = cost
        """The number of operations."""


def arranged(value: Sum, kinds: Sequence[Kind], depth: int = 0) -> Arranged:
    """The shortest of a few ways to write a sum: as it is, with a common factor, or by atoms of one of the kinds.

    >>> from detent.expr.sums import Name, Sums
    >>> sums = Sums()
    >>> a, b, x = (sums.name(name) for name in "abx")
    >>> arranged(sums.times(x, sums.plus(a, b)), []).cost
    2
    """
    if len(value) < 2:
        return _flat(value)
    number, product, rest = content(value)
    ways = [_flat(value), _in_front(number, product, _flat(rest))]
    if depth < DEEPEST and len(value) > 2:
        ways += [_in_front(number, product, _by(rest, kind, kinds, depth)) for kind in kinds]
    return min(ways, key=lambda way: way.cost)


def _flat(value: Sum) -> Arranged:
    return Arranged(tuple((number, product) for product, number in value.terms.items()))


def _in_front(number: Fraction, product: Product, inside: Arranged) -> Arranged:
    if number == 1 and product == NOTHING:
        return inside
    if len(inside.terms) == 1:
        ((own, factors),) = inside.terms
        return Arranged(((number * own, (*product, *factors)),))
    if abs(number) == 1 and product == NOTHING:
        return Arranged(tuple((number * own, factors) for own, factors in inside.terms))
    return Arranged(((number, (*product, (inside, 1))),))


def _by(value: Sum, kind: Kind, kinds: Sequence[Kind], depth: int) -> Arranged:
    """Terms that are the same in the atoms of a kind put together."""
    together: dict[Product, dict[Product, Fraction]] = {}
    for product, number in value.terms.items():
        same = tuple(pair for pair in product if kind(pair[0]))
        other = tuple(pair for pair in product if not kind(pair[0]))
        together.setdefault(same, {})[other] = number
    others = [each for each in kinds if each is not kind]
    terms = []
    for same, inside in together.items():
        if same == NOTHING:
            terms += list(arranged(Sum(inside), others, depth + 1).terms)
            continue
        number, product, rest = content(Sum(inside))
        terms += list(_in_front(number, product_of(same, product), arranged(rest, others, depth + 1)).terms)
    return Arranged(tuple(terms))
