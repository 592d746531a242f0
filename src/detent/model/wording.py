"""Expressions of a model as they were written, for labels and sheets of equations."""

from __future__ import annotations

from typing import Any

import sympy

from detent.model.contact_measure import ContactMeasure
from detent.model.measure import Measure
from detent.model.quantity import Reaction


def all_digits(expression: Any) -> str:
    """An expression as it would be written in a model, without zeros that say nothing.

    >>> import detent
    >>> all_digits(-0.5 * detent.System("example").reaction("floor"))
    '-0.5*reaction(floor)'
    """
    named = sympy.sympify(expression).atoms(Measure, Reaction, ContactMeasure)
    known = {symbol: sympy.Symbol(_as_written(symbol)) for symbol in named}
    return str(sympy.sstr(sympy.sympify(expression).xreplace(known), full_prec=False))


def latex_words(expression: Any) -> str:
    r"""An expression as LaTeX, without zeros that say nothing.

    >>> import detent
    >>> print(latex_words(detent.System("example").reaction("left foot")))
    \lambda_{\mathrm{left\ foot}}
    """
    return str(sympy.latex(sympy.sympify(expression), full_prec=False))


def _as_written(symbol: Measure | Reaction | ContactMeasure) -> str:
    """Names that hold spaces, as calls: ``tip.along(ground.y)``."""
    if isinstance(symbol, Reaction):
        return f"reaction({symbol.name.removeprefix('reaction of ')})"
    if isinstance(symbol, ContactMeasure):
        return "{}({})".format(*symbol.name.split(" of ", 1))
    if symbol.level == "position" and symbol.point is not None and symbol.other is not None:
        origin = "" if symbol.other.parent is None else f", {symbol.other.name}"
        return f"{symbol.point.name}.along({symbol.direction!r}{origin})"
    return f"[{symbol.name}]"
