"""By how much a curve turns that was drawn: whoever draws waits for it."""

from __future__ import annotations

import math
from typing import Final

from detent.expr.table_value import table_value
from detent.jit.intrinsics import ADDRESSES, as_doubles, called, kernel
from detent.solves.following_frame import PIECES

_TINY: Final = 1e-300

_table_value: Final = called(table_value)


@kernel(ADDRESSES)
def turning(context: int, unused: float, first: int, second: int, out: int) -> int:
    """How much the way of a curve, from 0 to 1, turns in all and at most from one of its pieces to the next.

    ``first`` and ``second`` are the numbers of x and y, by address, ``out`` room for both answers. An angle is told by
    how far apart unit vectors are.
    """
    x, y, told = as_doubles(first), as_doubles(second), as_doubles(out)
    whole, sharpest, before_x, before_y = 0.0, 0.0, 0.0, 0.0
    for k in range(PIECES + 1):
        along = k / PIECES
        way_x, way_y = _table_value(x, along, 1), _table_value(y, along, 1)
        length = max(math.sqrt(way_x * way_x + way_y * way_y), _TINY)
        way_x, way_y = way_x / length, way_y / length
        if k > 0:
            turned = math.sqrt((way_x - before_x) ** 2 + (way_y - before_y) ** 2)
            whole, sharpest = whole + turned, max(sharpest, turned)
        before_x, before_y = way_x, way_y
    told[0], told[1] = whole, sharpest
    return 0
