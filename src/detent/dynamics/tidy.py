"""Light tidying of expressions that are shown: never another value, only fewer operations."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

import sympy

from detent.model.quantity import Acceleration, Parameter

TIDIED_UP_TO: Final = 150
"""Operations in an entry that is still tidied; larger ones are left as they come."""


def tidied(expression: Any, masses: list[Any]) -> Any:
    """The same expression written shorter, where little work finds such a form; otherwise as it is.

    >>> a, b, x = sympy.symbols("a b x")
    >>> tidied(a*sympy.cos(x)**2 + a*sympy.sin(x)**2 + b*(x + 1)**2 - b*x**2, [])
    a + 2*b*x + b
    """
    if expression.is_Atom or sympy.count_ops(expression) > TIDIED_UP_TO:
        return expression
    flat = sympy.expand(expression, power_base=False, power_exp=False, log=False)
    accelerations = sorted(flat.atoms(Acceleration), key=str)
    if accelerations:
        parts = sympy.collect(flat, accelerations, evaluate=False)
        return sympy.Add(*(_factored(symbol, part, masses) for symbol, part in parts.items()))
    flat = _without_squares(flat)
    functions = flat.atoms(sympy.sin, sympy.cos)
    moving = [symbol for symbol in flat.free_symbols if not isinstance(symbol, Parameter)]
    shortest = min([expression, flat, *(_grouped(flat, by) for by in (functions, moving, masses))], key=sympy.count_ops)
    return min(shortest, sympy.factor_terms(shortest), sympy.factor_terms(flat), key=sympy.count_ops)


def _factored(symbol: Any, part: Any, masses: list[Any]) -> Any:
    """A factor of u', its sign in front, so that it reads as the entry of M."""
    if symbol != 1 and part.could_extract_minus_sign():
        return -symbol * tidied(-part, masses)
    return symbol * tidied(part, masses)


def _grouped(expression: Any, by: Iterable[Any]) -> Any:
    """Terms that are the same in some symbols or functions put together, with one factor each."""
    kept = sorted(by, key=sympy.default_sort_key)
    groups: dict[Any, list[Any]] = {}
    for term in sympy.Add.make_args(expression):
        factor, same = term.as_independent(*kept, as_Add=False)
        groups.setdefault(same, []).append(factor)
    return sympy.Add(*(same * sympy.factor_terms(sympy.Add(*factors)) for same, factors in groups.items()))


def _without_squares(expression: Any) -> Any:
    """cos^2 + sin^2 = 1, used wherever it makes the expression shorter."""
    for sine in sorted(expression.atoms(sympy.sin), key=sympy.default_sort_key):
        cosine = sympy.cos(sine.args[0])
        for old, new in ((cosine**2, 1 - sine**2), (sine**2, 1 - cosine**2)):
            if expression.has(old):
                expression = min(expression, sympy.expand(expression.subs(old, new)), key=sympy.count_ops)
    return expression
