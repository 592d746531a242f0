"""A sheet of equations: headings and lines over one listing of parts, as text and as LaTeX."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias, final

from detent.dynamics.quantity_names import QuantityNames
from detent.expr.graph import Node, in_order
from detent.expr.latex_name import upright
from detent.expr.listing import Listing, Total, listing, shortest
from detent.expr.write_latex import LatexWriter
from detent.expr.write_text import TextWriter

MATRIX_UP_TO: Final = 60
"""Operations in a matrix that is set as a matrix; a larger one is listed entry by entry."""
WIDEST_MATRIX: Final = 4
MULTIPLIED_UP_TO: Final = 1000
"""Nodes of a graph whose sums are multiplied out to see whether that is shorter; of larger ones it never is."""


@final
@dataclass(frozen=True)
class SheetLine:
    """left = node; a line whose value is zero may say nothing."""

    text: str
    latex: str
    node: Node
    even_if_zero: bool = True


@final
@dataclass(frozen=True)
class Block:
    """Lines under a heading; in text they are indented where there is one."""

    heading: str
    lines: tuple[SheetLine, ...]


@final
@dataclass(frozen=True)
class Matrix:
    """A square matrix and a column: the entries row by row, of a symmetric one those on its diagonal and above."""

    heading: str
    entries: tuple[SheetLine, ...]
    column: tuple[SheetLine, ...]
    symbol: str
    """LaTeX for the whole of it."""
    symmetric: bool

    @property
    def lines(self) -> tuple[SheetLine, ...]:
        return (*self.entries, *self.column)

    @property
    def size(self) -> int:
        return len(self.column)


@final
@dataclass(frozen=True)
class Statement:
    """A line that is told, not derived: ``roll: u1 + u2 = 0``."""

    text: str
    latex: str


@final
@dataclass(frozen=True)
class Statements:
    """Statements under a heading."""

    heading: str
    statements: tuple[Statement, ...]


Part: TypeAlias = Block | Matrix | Statements


@final
class Sheet:
    """Parts of a page, with every expression that several lines share written once before them."""

    def __init__(
        self, title: str, parts: Sequence[Part], names: QuantityNames, bound: Mapping[Node, Node], limit: int
    ) -> None:
        self.title, self.parts, self.names, self.limit = title, tuple(parts), names, limit
        self._bound = bound

    @cached_property
    def listing(self) -> Listing:
        """Shared expressions and lines, the lines in the order of the parts."""
        nodes = [line.node for line in self._lines()]
        shared = self._listed(nodes, share=True)
        if len(in_order(nodes, self._bound)) > MULTIPLIED_UP_TO:
            return shared
        return shortest(self._listed(nodes, share=False), shared)

    def _listed(self, nodes: list[Node], share: bool) -> Listing:
        names = self.names
        return listing(nodes, self._bound, kinds=names.kinds, rank=names.rank, limit=self.limit, share=share)

    def values(self, at: Mapping[str, float]) -> dict[str, float]:
        """The value of every line by its left side in text, worked out from what is written."""
        lefts = (line.text for line in self._lines())
        return dict(zip(lefts, self.listing.values(at), strict=True))

    def _lines(self) -> Iterator[SheetLine]:
        return (line for part in self.parts if not isinstance(part, Statements) for line in part.lines)

    def _written(self) -> Iterator[tuple[Part, list[tuple[SheetLine, Total]]]]:
        totals = iter(self.listing.lines)
        for part in self.parts:
            yield part, [] if isinstance(part, Statements) else [(line, next(totals)) for line in part.lines]

    # -- as text -----------------------------------------------------------------------------

    def text(self) -> str:
        """The whole sheet."""
        writer = TextWriter(self.names.text)
        paragraphs = [[self.title]]
        if self.listing.parts:
            named = [f"  {writer.reference(n)} = {writer.total(t)}" for n, t in enumerate(self.listing.parts, 1)]
            paragraphs.append(["shared expressions", *named])
        for part, pairs in self._written():
            lines = [f"{line.text} = {writer.total(total)}" for line, total in _said(pairs)]
            if isinstance(part, Statements):
                lines = [statement.text for statement in part.statements if statement.text]
            if part.heading:
                lines = [part.heading, *(f"  {line}" for line in lines)]
            paragraphs += [lines] if lines else []
        return "\n\n".join("\n".join(lines) for lines in paragraphs)

    # -- as LaTeX ----------------------------------------------------------------------------

    def latex(self) -> str:
        """The whole sheet, for mathematics mode."""
        return "\\begin{aligned}\n" + " \\\\\n".join(self.latex_lines()) + "\n\\end{aligned}"

    def latex_lines(self) -> list[str]:
        """Its lines, aligned at ``&``."""
        writer = LatexWriter(self.names.latex)
        lines: list[str] = []
        for number, total in enumerate(self.listing.parts, 1):
            lines += _aligned(writer.reference(number), writer.lines(total))
        for part, pairs in self._written():
            if isinstance(part, Statements):
                lines += [statement.latex for statement in part.statements]
                continue
            if isinstance(part, Matrix):
                entries, pairs = pairs[: len(part.entries)], pairs[len(part.entries) :]
                if _fits(part, entries):
                    lines.append(f"{part.symbol} &= {_set(writer, part, [total for _, total in entries])}")
                else:
                    pairs = [*entries, *pairs]
            lines += [each for line, total in _said(pairs) for each in _aligned(line.latex, writer.lines(total))]
        return lines


def _said(pairs: list[tuple[SheetLine, Total]]) -> list[tuple[SheetLine, Total]]:
    """Lines that say something."""
    return [(line, total) for line, total in pairs if line.even_if_zero or not total.is_zero]


def _aligned(left: str, right: list[str]) -> list[str]:
    first, *rest = right
    return [f"{left} &= {first}", *(rf"&\quad {more}" for more in rest)]


def _fits(matrix: Matrix, pairs: list[tuple[SheetLine, Total]]) -> bool:
    return 1 < matrix.size <= WIDEST_MATRIX and sum(total.operations for _, total in pairs) <= MATRIX_UP_TO


def _set(writer: LatexWriter, matrix: Matrix, entries: list[Total]) -> str:
    values = iter(entries)
    cells: dict[tuple[int, int], str] = {}
    for r in range(matrix.size):
        for s in range(r if matrix.symmetric else 0, matrix.size):
            cells[r, s] = writer.total(next(values))
            if matrix.symmetric:
                cells[s, r] = cells[r, s]
    rows = [" & ".join(cells[r, s] for s in range(matrix.size)) for r in range(matrix.size)]
    return r"\begin{bmatrix}" + r" \\ ".join(rows) + r"\end{bmatrix}"


def statement(name: str, text: str, latex: str) -> Statement:
    r"""Something that holds, after its name.

    >>> statement("roll", "u1 + u2 = 0", "u_{1} + u_{2} = 0").latex
    '\\mathrm{roll}:\\quad & u_{1} + u_{2} = 0'
    """
    return Statement(f"{name}: {text}", rf"{upright(name)}:\quad & {latex}")
