"""A tabulated function whose numbers are run-time values: drawn while a run goes on, its programs compiled before."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, TypeAlias, final

from detent.expr.spline import put_spline
from detent.expr.table import Table
from detent.expr.table_value import table_value

if TYPE_CHECKING:
    import numpy as np

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
        self.names = tuple(f"{name}_{number}" for number in range(table_length(most - 1)))
        self.key = f"drawn {name} {most}"

    def value(self, arguments: Sequence[float], order: int) -> float:
        """The value, or a derivative, at the first of ``arguments``; the others are its numbers."""
        return float(table_value(arguments[1:], float(arguments[0]), order))

    def __repr__(self) -> str:
        return f"DrawnTable({self.name!r}, most={self.most})"


def table_length(pieces: float) -> int:
    """How many numbers of a table count, by the first of them: how many pieces there are.

    >>> (numbers,) = drawn_numbers([DrawnTable("path", most=4)], [0, 1], [[0], [2]])
    >>> len(numbers), table_length(numbers[0])
    (18, 8)
    """
    return 3 + 5 * int(pieces)


def drawn_numbers(
    tables: Sequence[DrawnTable], at: Sequence[float], rows: Sequence[Sequence[float]]
) -> list[np.ndarray]:
    """The numbers of tables that go through points together: where they are, and a row of values for each.

    Numbers that are not needed are zero.
    """
    import numpy as np  # slow to import

    made = []
    for table, heights in zip(tables, zip(*rows, strict=True), strict=True):
        numbers = [0.0] * len(table.names)
        put_spline(len(at), at, heights, numbers)
        made.append(np.array(numbers))
    return made


AnyTable: TypeAlias = Table | DrawnTable
"""A function by points that are known when it is declared, or are drawn during a run."""
