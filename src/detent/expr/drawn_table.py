"""A tabulated function whose numbers are run-time values: drawn while a run goes on, its programs compiled before."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypeAlias, final

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

    Numbers that are not needed are zero. These are the splines of :class:`detent.expr.table.Table`, by fewer steps and
    in plain Python: whoever draws waits for them, and what calls NumPy for a handful of numbers waits longer.
    """
    import numpy as np  # slow to import

    widths, made = [after - before for before, after in pairwise(at)], []
    for table, heights in zip(tables, zip(*rows, strict=True), strict=True):
        rises = [(after - before) / width for (before, after), width in zip(pairwise(heights), widths, strict=True)]
        used = [float(len(widths)), 0.0, *at]
        for width, rise, (here, there), height in zip(
            widths, rises, pairwise(_slopes(widths, rises)), heights, strict=False
        ):
            bend = (here + there - 2.0 * rise) / width
            used += (bend / width, (rise - here) / width - bend, here, height)
        numbers = np.zeros(len(table.names))
        numbers[: len(used)] = used
        made.append(numbers)
    return made


def _slopes(widths: Sequence[float], rises: Sequence[float]) -> list[float]:
    """The slopes at the knots of a cubic spline with two continuous derivatives, and three at the knots next to the
    ends ("not a knot"): of two points a line, of three a parabola.

    Each is tied to its neighbours alone, and so they are eliminated from one end to the other.
    """
    if len(rises) == 1:
        return [rises[0], rises[0]]
    pivot, beside, right = _end(widths, rises)
    ratios, reduced = [beside / pivot], [right / pivot]
    for before, after, rise, next_rise in zip(widths, widths[1:], rises, rises[1:], strict=False):
        pivot = 2.0 * (before + after) - after * ratios[-1]
        reduced.append((3.0 * (after * rise + before * next_rise) - after * reduced[-1]) / pivot)
        ratios.append(before / pivot)
    pivot, beside, right = _end(widths[::-1], rises[::-1])
    slopes = [(right - beside * reduced[-1]) / (pivot - beside * ratios[-1])]
    for ratio, known in zip(ratios[::-1], reduced[::-1], strict=True):
        slopes.append(known - ratio * slopes[-1])
    return slopes[::-1]


def _end(widths: Sequence[float], rises: Sequence[float]) -> tuple[float, float, float]:
    """The row of the slope at the first knot: its own coefficient, that of its neighbour, and what they give."""
    if len(rises) == 2:  # both ends say the same: the third derivative is nowhere but zero
        return 1.0, 1.0, 2.0 * rises[0]
    a, b = widths[:2]
    return b, a + b, ((a + 2.0 * (a + b)) * b * rises[0] + a * a * rises[1]) / (a + b)


AnyTable: TypeAlias = Table | DrawnTable
"""A function by points that are known when it is declared, or are drawn during a run."""
