"""A curve that is drawn: the numbers by which it goes through points, and how it turns. Whoever draws waits for it."""

from __future__ import annotations

import math
from typing import Any, Final

from detent.expr.spline import put_spline
from detent.jit.abi import WORD
from detent.jit.intrinsics import ADDRESSES, as_doubles, called, kernel

_TINY: Final = 1e-300
_PARTS: Final = 8
"""How a piece turns is seen from one of so many parts of it to the next: its way is a parabola."""

_put_spline: Final = called(put_spline)


@kernel(ADDRESSES)
def draw_curve(context: int, width: float, points: int, told: int, out: int) -> int:
    """Put down the numbers of x and, ``width`` later, of y, and tell how much the way of the curve turns in all and how
    fast at most.

    ``context`` says through how many points it goes; ``points`` has how far along each is, then every x, then every y.
    """
    count, later = context, WORD * int(width)
    for axis in range(2):
        heights = as_doubles(points + WORD * count * (1 + axis))
        _put_spline(count, as_doubles(points), heights, as_doubles(out + axis * later))
    turning, along, coefficients = as_doubles(told), as_doubles(points), WORD * (2 + count)
    turning[0], turning[1] = 0.0, 0.0
    before_x, before_y = 0.0, 0.0
    for piece in range(count - 1):
        x, y = (
            as_doubles(out + coefficients + 4 * WORD * piece),
            as_doubles(out + later + coefficients + 4 * WORD * piece),
        )
        part = (along[piece + 1] - along[piece]) / _PARTS
        for k in range(_PARTS + 1):
            way_x, way_y = _slope(x, k * part), _slope(y, k * part)
            length = max(math.sqrt(way_x * way_x + way_y * way_y), _TINY)
            way_x, way_y = way_x / length, way_y / length
            if k > 0:
                turned = math.sqrt((way_x - before_x) ** 2 + (way_y - before_y) ** 2)
                turning[0], turning[1] = turning[0] + turned, max(turning[1], turned / part)
            before_x, before_y = way_x, way_y
    return 0


@called
def _slope(cubic: Any, step: float) -> Any:
    return (3.0 * cubic[0] * step + 2.0 * cubic[1]) * step + cubic[2]
