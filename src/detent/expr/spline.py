"""The numbers of a cubic spline through points, in Python and in compiled code."""

from __future__ import annotations

from typing import Any


def put_spline(count: int, at: Any, heights: Any, numbers: Any) -> None:
    """Put down a spline as :attr:`detent.expr.table.Table.data` is laid out, going on in a line beyond its points.

    It goes through heights at so many places and has two continuous derivatives, at the knots next to the ends three
    ("not a knot"): of two points it is a line, of three a parabola. The slope at each knot is tied to its neighbours
    alone, and so slopes are eliminated from one end to the other; what is known of each waits where the coefficients of
    its piece come to stand. Kernels compile this very function, so there is one of it.

    >>> numbers = [0.0] * 13
    >>> put_spline(3, [0.0, 1.0, 2.0], [0.0, 1.0, 4.0], numbers)
    >>> numbers[:5], numbers[9:]
    ([2.0, 0.0, 0.0, 1.0, 2.0], [0.0, 1.0, 2.0, 1.0])
    """

    def end(width: float, next_width: float, rise: float, next_rise: float) -> tuple[float, float, float]:
        """The row of the slope at an end: its own coefficient, that of its neighbour, and what they give."""
        if count == 3:  # both ends say the same: the third derivative is nowhere but zero
            return 1.0, 1.0, 2.0 * rise
        both = width + next_width
        right = ((width + 2.0 * both) * next_width * rise + width * width * next_rise) / both
        return next_width, both, right

    numbers[0], numbers[1] = count - 1.0, 0.0
    for k in range(count):
        numbers[2 + k] = at[k]
    first, last = 2 + count, 2 + count + 4 * (count - 2)
    for k in range(count - 1):
        piece = first + 4 * k
        numbers[piece] = at[k + 1] - at[k]
        numbers[piece + 1] = (heights[k + 1] - heights[k]) / numbers[piece]
    there = numbers[first + 1]
    numbers[first + 2], numbers[first + 3] = 0.0, there
    if count > 2:
        pivot, beside, right = end(numbers[first], numbers[first + 4], numbers[first + 1], numbers[first + 5])
        numbers[first + 2], numbers[first + 3] = beside / pivot, right / pivot
        for piece in range(first + 4, last + 4, 4):
            before, after = numbers[piece - 4], numbers[piece]
            pivot = 2.0 * (before + after) - after * numbers[piece - 2]
            right = 3.0 * (after * numbers[piece - 3] + before * numbers[piece + 1])
            numbers[piece + 2], numbers[piece + 3] = before / pivot, (right - after * numbers[piece - 1]) / pivot
        pivot, beside, right = end(numbers[last], numbers[last - 4], numbers[last + 1], numbers[last - 3])
        there = (right - beside * numbers[last + 3]) / (pivot - beside * numbers[last + 2])
    for k in range(count - 2, -1, -1):
        piece = first + 4 * k
        width, rise, here = numbers[piece], numbers[piece + 1], numbers[piece + 3] - numbers[piece + 2] * there
        bend = (here + there - 2.0 * rise) / width
        numbers[piece], numbers[piece + 1] = bend / width, (rise - here) / width - bend
        numbers[piece + 2], numbers[piece + 3] = here, heights[k]
        there = here
