"""A tabulated function whose numbers are run-time values: drawn while a run goes on, its programs compiled before."""

from __future__ import annotations

from collections.abc import Sequence
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
        self.names = tuple(f"{name}_{number}" for number in range(3 + 5 * (most - 1)))
        self.key = f"drawn {name} {most}"

    def value(self, arguments: Sequence[float], order: int) -> float:
        """The value, or a derivative, at the first of ``arguments``; the others are its numbers."""
        return float(table_value(arguments[1:], float(arguments[0]), order))

    def __repr__(self) -> str:
        return f"DrawnTable({self.name!r}, most={self.most})"


def drawn_numbers(
    tables: Sequence[DrawnTable], at: Sequence[float], rows: Sequence[Sequence[float]]
) -> list[np.ndarray]:
    """The numbers of tables that go through points together: where they are, and a row of values for each.

    Numbers that are not needed are zero. These are the splines of :class:`detent.expr.table.Table`, by fewer steps:
    whoever draws waits for them.
    """
    import numpy as np  # slow to import

    knots, heights = np.array(at, float), np.array(rows, float)
    widths = np.diff(knots)[:, None]
    rises, slopes = np.diff(heights, axis=0) / widths, _slopes(knots, heights)
    bends = (slopes[:-1] + slopes[1:] - 2.0 * rises) / widths
    parts = np.stack([bends / widths, (rises - slopes[:-1]) / widths - bends, slopes[:-1], heights[:-1]], axis=1)
    made = []
    for number, table in enumerate(tables):
        numbers = np.zeros(len(table.names))
        used = [len(at) - 1.0, 0.0, *knots.tolist(), *parts[:, :, number].ravel().tolist()]
        numbers[: len(used)] = used
        made.append(numbers)
    return made


def _slopes(knots: np.ndarray, heights: np.ndarray) -> np.ndarray:
    """The slopes at the knots of cubic splines with two continuous derivatives, and three at the knots next to the
    ends ("not a knot"): of two points a line, of three a parabola."""
    import numpy as np

    n, h = len(knots), np.diff(knots)
    rises = np.diff(heights, axis=0) / h[:, None]
    if n == 2:
        return np.asarray(np.repeat(rises, 2, axis=0))
    matrix, right = np.zeros((n, n)), np.zeros_like(heights)
    inner = np.arange(1, n - 1)
    matrix[inner, inner - 1], matrix[inner, inner], matrix[inner, inner + 1] = h[1:], 2.0 * (h[:-1] + h[1:]), h[:-1]
    right[1:-1] = 3.0 * (h[1:, None] * rises[:-1] + h[:-1, None] * rises[1:])
    if n == 3:  # both conditions are one: the third derivative is nowhere but zero
        matrix[0, :2], right[0] = 1.0, 2.0 * rises[0]
        matrix[2, 1:], right[2] = 1.0, 2.0 * rises[1]
    else:
        for end, a, b, first, second in ((0, h[0], h[1], 0, 1), (n - 1, h[-1], h[-2], -1, -2)):
            step = 1 if end == 0 else -1
            matrix[end, end], matrix[end, end + step] = b, a + b
            right[end] = ((a + 2.0 * (a + b)) * b * rises[first] + a * a * rises[second]) / (a + b)
    return np.linalg.solve(matrix, right)


def spline_slopes(numbers: np.ndarray, at: np.ndarray) -> np.ndarray:
    """The slopes of a spline between its ends, by its numbers: many at once."""
    import numpy as np

    count = int(numbers[0])
    knots, coefficients = numbers[2 : 3 + count], numbers[3 + count : 3 + 5 * count].reshape(count, 4)
    interval = np.clip(np.searchsorted(knots, at, "right") - 1, 0, count - 1)
    a, b, c, _ = coefficients[interval].T
    step = at - knots[interval]
    return np.asarray((3.0 * a * step + 2.0 * b) * step + c)


AnyTable: TypeAlias = Table | DrawnTable
"""A function by points that are known when it is declared, or are drawn during a run."""
