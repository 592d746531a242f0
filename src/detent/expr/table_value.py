"""The value of a tabulated function, in Python and in compiled code."""

from __future__ import annotations

import math
from typing import Any


def table_value(data: Any, x: float, order: int) -> Any:
    """Evaluate :attr:`detent.expr.table.Table.data` (an array, or in compiled code a pointer).

    The interpreter compiles this very function, so there is one of it.
    """
    count = int(data[0])
    beyond = int(data[1])
    first, last = data[2], data[2 + count]
    slope_only = False
    at = x
    if beyond == 2:
        at = x - (last - first) * math.floor((x - first) / (last - first))
    elif x < first or x > last:
        slope_only = True
        at = first if x < first else last
    low, high = 0, count - 1
    while low < high:
        middle = (low + high + 1) // 2
        if data[2 + middle] <= at:
            low = middle
        else:
            high = middle - 1
    base = 3 + count + 4 * low
    a, b, c, d = data[base], data[base + 1], data[base + 2], data[base + 3]
    step = at - data[2 + low]
    value = ((a * step + b) * step + c) * step + d
    slope = (3.0 * a * step + 2.0 * b) * step + c
    if slope_only:
        if beyond == 1:
            slope = 0.0
        if order == 0:
            return value + slope * (x - at)
        return slope if order == 1 else 0.0
    if order == 0:
        return value
    if order == 1:
        return slope
    if order == 2:
        return 6.0 * a * step + 2.0 * b
    return 6.0 * a if order == 3 else 0.0
