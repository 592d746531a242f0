"""Products of sines and cosines that add up to one sine or cosine.

    cos a cos b + sin a sin b = cos(a - b),        sin a cos b + cos a sin b = sin(a + b),        and with other signs

Of equal angles that is cos^2 + sin^2 = 1. Each rule is used only where it takes away a term.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from detent.expr import operation as op
from detent.expr.sums import Atom, Function, Product, Sum, Sums, product_of

_OTHER: Final = {op.SIN: op.COS, op.COS: op.SIN}


def angles_joined(sums: Sums, value: Sum) -> Sum:
    """The same sum with fewer terms, where two of them are one.

    >>> sums = Sums()
    >>> a, b = sums.name("a"), sums.name("b")
    >>> sine, cosine = (sums.function(number, (a,)) for number in (op.SIN, op.COS))
    >>> squares = sums.plus(sums.times(sine, sine), sums.times(cosine, cosine))
    >>> angles_joined(sums, sums.times(b, squares)) == b
    True
    """
    found: Sum | None = value
    while found is not None:
        value, found = found, _step(sums, found)
    return value


def _step(sums: Sums, value: Sum) -> Sum | None:
    """One pair of terms made one; None where there is none."""
    for product, number in value.terms.items():
        for first, second, rest in _pairs(product):
            partner = _with(sums, rest, first, second)
            if partner is None or partner == product:
                continue
            other = value.terms.get(partner)
            if other is None or abs(other) != abs(number):
                continue
            left = Sum({p: n for p, n in value.terms.items() if p not in (product, partner)})
            made = sums.times(Sum({rest: Fraction(1)}), _one(sums, first, number, second, other))
            return sums.plus(left, made)
    return None


def _pairs(product: Product) -> list[tuple[Function, Function, Product]]:
    """Two factors of a product that are sines or cosines, the same one twice too, and what is left of it."""
    angles = [(atom, exponent) for atom, exponent in product if _is_angle(atom) and exponent >= 1]
    found = []
    for i, (first, power) in enumerate(angles):
        assert isinstance(first, Function)
        for second, _ in angles[i if power >= 2 else i + 1 :]:
            assert isinstance(second, Function)
            found.append((first, second, product_of(product_of(product, ((first, -1),)), ((second, -1),))))
    return found


def _is_angle(atom: Atom) -> bool:
    return isinstance(atom, Function) and atom.operation in _OTHER


def _with(sums: Sums, rest: Product, first: Function, second: Function) -> Product | None:
    """The product that has cosines where this has sines, and sines where it has cosines."""
    swapped = [sums.function(_OTHER[f.operation], f.arguments) for f in (first, second)]
    whole = product_of(*(next(iter(each.terms)) for each in swapped))
    return product_of(rest, whole)


def _one(sums: Sums, first: Function, number: Fraction, second: Function, other: Fraction) -> Sum:
    """number f(a) g(b) + other f'(a) g'(b), of sines and cosines, with numbers of equal size."""
    a, b = first.arguments[0], second.arguments[0]
    same = number == other
    if first.operation == second.operation:
        in_front = number if first.operation == op.COS else other  # of the cosines
        inside = sums.minus(a, b) if same else sums.plus(a, b)
        made = _wave(sums, op.COS, inside)
    else:
        sine, cosine = (a, b) if first.operation == op.SIN else (b, a)
        in_front = number
        inside = sums.plus(sine, cosine) if same else sums.minus(sine, cosine)
        made = _wave(sums, op.SIN, inside)
    return Sum({product: value * in_front for product, value in made.terms.items()})


def _wave(sums: Sums, operation: int, inside: Sum) -> Sum:
    """A sine or cosine, or its value at zero."""
    if inside.is_zero:
        return sums.constant(1.0 if operation == op.COS else 0.0)
    return sums.function(operation, (inside,))
