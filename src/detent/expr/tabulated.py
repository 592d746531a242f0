"""Tabulated functions as SymPy sees them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy

from detent.expr.drawn_table import AnyTable, DrawnTable
from detent.expr.table import Beyond, Table


class TabulatedFunction(sympy.Function):
    """The common base of the functions that :func:`tabulated` makes; differentiates to its own derivatives."""

    table: AnyTable
    order: int
    nargs = 1

    @classmethod
    def eval(cls, x: Any) -> Any:
        return None

    def fdiff(self, argindex: int = 1) -> Any:
        if self.order >= 3:
            return sympy.Integer(0)
        return _function_class(self.table, self.order + 1)(self.args[0])

    def _eval_evalf(self, prec: int) -> Any:
        if isinstance(self.table, DrawnTable):
            return None
        x = self.args[0].evalf()
        return sympy.Float(self.table(float(x), self.order)) if x.is_number and x.is_real else None

    def _latex(self, printer: Any, exp: str | None = None) -> str:
        text = rf"\operatorname{{{self.table.name}}}{chr(39) * self.order}\left({printer._print(self.args[0])}\right)"
        return text if exp is None else rf"\left({text}\right)^{{{exp}}}"


def _function_class(table: AnyTable, order: int) -> type[TabulatedFunction]:
    primes = "_" + "d" * order if order else ""
    # The table's content is part of the class name's identity only through the class itself: one class per
    # table and order, remembered on the table, so that equal calls are equal expressions.
    remembered: dict[int, type[TabulatedFunction]] = table.__dict__.setdefault("_functions", {})
    if order not in remembered:
        remembered[order] = type(table.name + primes, (TabulatedFunction,), {"table": table, "order": order})
    return remembered[order]


def tabulated(
    name: str, at: Sequence[float], values: Sequence[float], beyond: Beyond = "linear"
) -> type[TabulatedFunction]:
    """A SymPy function through the given points: a cubic spline, with exact derivatives up to the third.

    ``beyond`` says how it goes on outside the points: ``"linear"``, ``"hold"`` or ``"periodic"``.

    >>> import sympy
    >>> q = sympy.Symbol("q")
    >>> cam = tabulated("cam", [0, 1, 2, 3], [0, 1, 4, 9])
    >>> cam(q).diff(q)
    cam_d(q)
    >>> float(cam(0)), round(float(cam(1.5)), 12)
    (0.0, 2.25)
    """
    return _function_class(Table(name, at, values, beyond), 0)


def drawn_function(table: DrawnTable) -> type[TabulatedFunction]:
    """A function that is drawn during a run, as SymPy sees it.

    >>> import sympy
    >>> q = sympy.Symbol("q")
    >>> drawn_function(DrawnTable("path", most=4))(q).diff(q)
    path_d(q)
    """
    return _function_class(table, 0)
