"""Expressions as a model is given them."""

from __future__ import annotations

from typing import Any

import sympy

from detent.errors import DetentError


def read_expression(where: str, value: Any) -> Any:
    """The SymPy expression that a value stands for: a number, a quantity, or an expression in them.

    Text is refused, because SymPy would run it as Python. ``where`` names the part of the model in the message.

    >>> read_expression("body 'arm'", 2)
    2
    >>> read_expression("body 'arm'", "m")
    Traceback (most recent call last):
    ...
    detent.errors.DetentError: body 'arm': found 'm' where an expression was expected; use numbers and \
the system's own quantities
    """
    try:
        made = sympy.sympify(value, strict=True)
    except sympy.SympifyError:
        made = None
    if not isinstance(made, sympy.Expr) or made.is_Matrix:
        raise DetentError(
            f"{where}: found {value!r} where an expression was expected; use numbers and the system's own quantities"
        )
    return made
