"""A tabulated function whose numbers are run-time values: drawn while a run goes on, its programs compiled before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias, final

from detent.expr.table import Table, splines_numbers
from detent.expr.table_value import table_value

FEWEST: Final = 2
"""Points that a drawn function goes through, at least: two are a straight line, three a parabola."""


@final
class DrawnTable:
    """A cubic spline through up to ``most`` points, which are not known before a run.

    Its numbers are laid out as those of any :class:`detent.expr.table.Table`, and stand among the run-time values under
    ``names``, one after another. Beyond its points it goes on in a line.

    >>> path = DrawnTable("path", most=4)
    >>> len(path.names), path.names[0]
    (18, 'path_0')
    >>> (numbers,) = drawn_numbers([path], [0, 1, 2], [[0], [1], [4]])
    >>> round(path.value((1.5, *numbers), 0), 12), round(path.value((3.0, *numbers), 1), 12)
    (2.25, 4.0)
    """

    def __init__(self, name: str, most: int) -> None:
        self.name, self.most = name, most
        self.names = tuple(f"{name}_{number}" for number in range(3 + 5 * (most - 1)))
        self.key = f"drawn {name} {most}"

    def value(self, arguments: Sequence[float], order: int) -> float:
        """The value, or a derivative, at the first of ``arguments``; the others are its numbers."""
        return float(table_value(arguments[1:], float(arguments[0]), order))

    def __repr__(self) -> str:
        return f"DrawnTable({self.name!r}, most={self.most})"


def drawn_numbers(
    tables: Sequence[DrawnTable], at: Sequence[float], rows: Sequence[Sequence[float]]
) -> list[list[float]]:
    """The numbers of tables that go through points together: where they are, and a row of values for each.

    Numbers that are not needed are zero.
    """
    import numpy as np  # slow to import

    made = splines_numbers(np.array(at, float), np.array(rows, float), "linear").tolist()
    return [[*row, *[0.0] * (len(table.names) - len(row))] for table, row in zip(tables, made, strict=True)]


AnyTable: TypeAlias = Table | DrawnTable
"""A function by points that are known when it is declared, or are drawn during a run."""
