"""The parts of which sheets of equations are made, whatever the mode."""

from __future__ import annotations

from collections.abc import Mapping

from detent.dynamics.quantities import Quantities
from detent.dynamics.quantity_names import QuantityNames
from detent.dynamics.sheet import Block, Matrix, SheetLine, Statement, Statements, statement
from detent.expr.graph import Node
from detent.expr.latex_name import latex_name
from detent.model.row import Row
from detent.model.wording import all_digits, latex_words


def rates_of(quantities: Quantities, names: QuantityNames) -> Block:
    """The rates of coordinates and signals; where a speed is a rate by its name there is nothing to say."""
    symbols = [*quantities.coordinates, *quantities.signals]
    nodes = [*quantities.q_rates, *quantities.s_rates]
    lines = [
        SheetLine(f"{symbol.name}'", latex_name(symbol.name, dots=1), node)
        for symbol, node in zip(symbols, nodes, strict=True)
        if names.rate_of.get(node.name) != symbol.name
    ]
    return Block("", tuple(lines))


def speeds_of(numbers: Mapping[str, int], names: QuantityNames, symbol: str) -> Statements:
    """Which speed has which number in M and f; text has their names there."""
    listed = r",\ ".join(names.latex(name) for name in numbers)
    return Statements("", (Statement("", rf"{symbol} &= \left({listed}\right)"),) if numbers else ())


def mass_and_forcing(
    mass: list[list[Node]],
    forcing: list[Node],
    numbers: Mapping[str, int],
    names: QuantityNames,
    *,
    reduced: bool = False,
    symmetric: bool = True,
    pushed: bool = False,
) -> Matrix:
    """M u' = f; ``reduced``: over the independent speeds; ``pushed``: by reactions, which are told beside it."""
    M, f, M_tex, f_tex = ("M~", "f~", r"\tilde{M}", r"\tilde{f}") if reduced else ("M", "f", "M", "f")
    heading = "M~ u_i' = f~" if reduced else "M u' = f + B^T lambda" if pushed else "M u' = f"
    if len(numbers) > 1:
        heading += f"{', M symmetric' if symmetric else ''}; zeros are left out"
    places = list(numbers.items())
    separator = "," if len(places) > 9 else ""
    entries = [
        SheetLine(
            f"{M}[{names.text(a)}, {names.text(b)}]", rf"{M_tex}_{{{i}{separator}{j}}}", mass[i - 1][j - 1], False
        )
        for a, i in places
        for b, j in places
        if j >= i or not symmetric
    ]
    column = [SheetLine(f"{f}[{names.text(a)}]", rf"{f_tex}_{{{i}}}", forcing[i - 1]) for a, i in places]
    return Matrix(heading, tuple(entries), tuple(column), M_tex, symmetric)


def told_row(row: Row, kept: bool = True) -> Statement:
    """A row as it was written; ``kept`` unless the others imply it."""
    text, latex = f"{all_digits(row.expression)} = 0", f"{latex_words(row.expression)} = 0"
    for slide in row.sliding:
        text += f", sliding along {all_digits(slide.slip)} with friction {all_digits(slide.coefficient)}"
        latex += rf",\quad \mu = {latex_words(slide.coefficient)}\ \mathrm{{along}}\ {latex_words(slide.slip)}"
    if not kept:
        text, latex = f"{text}, which the others imply", rf"{latex}\ \mathrm{{(which\ the\ others\ imply)}}"
    return statement(row.name, text, latex)
