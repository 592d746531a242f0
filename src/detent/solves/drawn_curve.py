"""A curve through points that are known only when it is drawn: its numbers, and how closely it is looked at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from detent.errors import ValueProblem
from detent.expr.drawn_table import table_length
from detent.jit.address import raw_address
from detent.jit.arrays import FloatArray
from detent.jit.kernel_library import DOUBLE_TYPE, WORD_TYPE
from detent.solves.following import worth_looking_at
from detent.solves.kernels import FOLLOWING


class DrawnCurve(NamedTuple):
    """The numbers of its tables, first those of x, and at how many points of it a nearest one is looked for."""

    numbers: FloatArray
    samples: int


def drawn_curve(along: Sequence[float], places: Sequence[tuple[float, float]], width: int) -> DrawnCurve:
    """A curve through places (x, y), whose tables have room for ``width`` numbers each.

    >>> line = drawn_curve([0, 1], [(0, 0), (2, 1)], 8)
    >>> line.numbers.tolist()[:8], line.samples
    ([1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0], 32)
    """
    if table_length(len(along) - 1) > width or len(places) != len(along) or len(along) < 2:
        raise ValueProblem(f"a curve through {len(along)} points has no room in tables of {width} numbers")
    points, numbers, told = np.empty((3, len(along))), np.zeros(2 * width), np.empty(2)
    points[0], points[1:] = along, np.array(places).T
    kernel = FOLLOWING.short_function("draw_curve", WORD_TYPE, DOUBLE_TYPE, WORD_TYPE, WORD_TYPE, WORD_TYPE)
    kernel(len(along), float(width), raw_address(points), raw_address(told), raw_address(numbers))
    whole, fastest = told.tolist()
    return DrawnCurve(numbers, worth_looking_at(whole, fastest))
