"""Interval arithmetic, rounded outward: every result holds all that its arguments can give.

An interval is two numbers, (low, high). Sums, products and quotients are right to half a unit in the last place and are
widened by one; functions of the C library are taken to be right to four.
"""

from __future__ import annotations

import math
from typing import Any, Final

from detent.events.enclosure_frame import INFINITE
from detent.jit.abi import EPSILON
from detent.jit.intrinsics import called, inlined

_TINY: Final = 1e-300
_LIBRARY: Final = 4.0 * EPSILON
"""What a function of the C library may be wrong by, relative to its value."""
_FAR: Final = 1e9
"""Beyond this argument a sine is taken to be anything."""
_LARGEST_EXPONENT: Final = 709.0


@inlined
def below(x: float) -> float:
    return x - (abs(x) * EPSILON + _TINY)


@inlined
def above(x: float) -> float:
    return x + (abs(x) * EPSILON + _TINY)


@inlined
def well_below(x: float) -> float:
    return x - (abs(x) * _LIBRARY + _TINY)


@inlined
def well_above(x: float) -> float:
    return x + (abs(x) * _LIBRARY + _TINY)


@called
def _product_of_infinities(a: float, b: float, c: float, d: float) -> tuple[float, float]:
    """As :func:`product` where one of the four products is not a number: 0 times infinity counts as 0."""
    low, high = INFINITE, -INFINITE
    for k in range(4):
        p = (a if k < 2 else b) * (c if k % 2 == 0 else d)
        if math.isnan(p):
            p = 0.0
        low, high = min(low, p), max(high, p)
    if math.isnan(a + b + c + d) and (math.isnan(a) or math.isnan(b) or math.isnan(c) or math.isnan(d)):
        return -INFINITE, INFINITE
    return low, high


@inlined
def product(a: float, b: float, c: float, d: float) -> tuple[float, float]:
    """[a, b] * [c, d]. What is nowhere negative stays so."""
    p, q, r, s = a * c, a * d, b * c, b * d
    total = p + q + r + s
    if total != total:
        return _product_of_infinities(a, b, c, d)
    low, high = below(min(min(p, q), min(r, s))), above(max(max(p, q), max(r, s)))
    return (max(0.0, low) if a >= 0.0 and c >= 0.0 else low), high


@inlined
def square(a: float, b: float) -> tuple[float, float]:
    """[a, b]^2."""
    p, q = a * a, b * b
    if a <= 0.0 <= b:
        return 0.0, above(max(p, q))
    return max(0.0, below(min(p, q))), above(max(p, q))


@inlined
def plus(a: float, b: float, c: float, d: float) -> tuple[float, float]:
    """[a, b] + [c, d]. What is nowhere negative stays so: its root has a value."""
    return (max(0.0, below(a + c)) if a >= 0.0 and c >= 0.0 else below(a + c)), above(b + d)


@inlined
def minus(a: float, b: float, c: float, d: float) -> tuple[float, float]:
    """[a, b] - [c, d]."""
    return below(a - d), above(b - c)


@inlined
def inverse(c: float, d: float) -> tuple[float, float]:
    """1 / [c, d], where zero is not between them."""
    return below(1.0 / d), above(1.0 / c)


@called
def sine(a: float, b: float) -> tuple[float, float]:
    if not b - a < 2.0 * math.pi or abs(a) > _FAR or abs(b) > _FAR:
        return -1.0, 1.0
    slack = 1e-15 * (1.0 + abs(a) + abs(b))
    k = math.ceil((a - slack) / math.pi - 0.5)  # the first turning point, (k + 1/2) pi
    x, y = math.sin(a), math.sin(b)
    low, high = well_below(min(x, y)) - EPSILON * EPSILON, well_above(max(x, y)) + EPSILON * EPSILON
    if (k + 0.5) * math.pi <= b + slack:
        if k % 2 == 0:
            high = 1.0
        else:
            low = -1.0
        if (k + 1.5) * math.pi <= b + slack:
            low, high = -1.0, 1.0
    return max(low, -1.0), min(high, 1.0)


@called
def cosine(a: float, b: float) -> tuple[float, float]:
    if not b - a < 2.0 * math.pi or abs(a) > _FAR or abs(b) > _FAR:
        return -1.0, 1.0
    slack = 1e-15 * (1.0 + abs(a) + abs(b))
    k = math.ceil((a - slack) / math.pi)  # the first turning point, k pi
    x, y = math.cos(a), math.cos(b)
    low, high = well_below(min(x, y)) - EPSILON * EPSILON, well_above(max(x, y)) + EPSILON * EPSILON
    if k * math.pi <= b + slack:
        if k % 2 == 0:
            high = 1.0
        else:
            low = -1.0
        if (k + 1.0) * math.pi <= b + slack:
            low, high = -1.0, 1.0
    return max(low, -1.0), min(high, 1.0)


@called
def exponential(a: float, b: float) -> tuple[float, float]:
    high = well_above(math.exp(b)) if b < _LARGEST_EXPONENT else INFINITE
    return max(0.0, well_below(math.exp(min(a, _LARGEST_EXPONENT)))), high


@called
def hyperbolic(a: float, b: float) -> tuple[float, float, float, float]:
    """The ranges of the hyperbolic sine and cosine."""
    p, q = max(a, -_LARGEST_EXPONENT), min(b, _LARGEST_EXPONENT)
    low = well_below(math.sinh(min(p, q))) if a > -_LARGEST_EXPONENT else -INFINITE
    high = well_above(math.sinh(max(p, q))) if b < _LARGEST_EXPONENT else INFINITE
    near = 0.0 if a <= 0.0 <= b else min(abs(a), abs(b))
    far = max(abs(a), abs(b))
    most = well_above(math.cosh(far)) if far < _LARGEST_EXPONENT else INFINITE
    return low, high, max(1.0, well_below(math.cosh(min(near, _LARGEST_EXPONENT)))), most


# -- splines: the data of detent.expr.table.Table ---------------------------------------------------------


@inlined
def _derived(a: float, b: float, c: float, d: float, order: int) -> tuple[float, float, float, float]:
    """The coefficients, highest first, of a derivative of a cubic."""
    if order == 0:
        return a, b, c, d
    if order == 1:
        return 0.0, 3.0 * a, 2.0 * b, c
    if order == 2:
        return 0.0, 0.0, 6.0 * a, 2.0 * b
    return 0.0, 0.0, 0.0, (6.0 * a if order == 3 else 0.0)


@called
def _over_segments(data: Any, low: float, high: float, order: int) -> tuple[float, float, int]:
    """The range of a spline's derivative over [low, high] within its knots, and how many segments that touches."""
    count = int(data[0])
    first, last = 0, count - 1
    while first < last:
        middle = (first + last + 1) // 2
        if data[2 + middle] <= low:
            first = middle
        else:
            last = middle - 1
    least, most, touched, k = INFINITE, -INFINITE, 0, first
    while k < count and (data[2 + k] <= high or k == first):
        at, knot, after = 3 + count + 4 * k, data[2 + k], data[3 + k]
        p, q = max(low, knot) - knot, min(high, after) - knot
        a, b, c, d = _derived(data[at], data[at + 1], data[at + 2], data[at + 3], order)
        w = q - p  # Bernstein's coefficients on [p, q]
        value, slope, bend = ((a * p + b) * p + c) * p + d, (3.0 * a * p + 2.0 * b) * p + c, 3.0 * a * p + b
        second, third = value + slope * w / 3.0, value + (2.0 * slope + bend * w) * w / 3.0
        end = ((a * q + b) * q + c) * q + d
        rounding = 8.0 * EPSILON * (abs(d) + (abs(c) + (abs(b) + abs(a) * abs(q)) * abs(q)) * abs(q))
        least = min(least, min(min(value, second), min(third, end)) - rounding)
        most = max(most, max(max(value, second), max(third, end)) + rounding)
        touched, k = touched + 1, k + 1
    return least, most, touched


@called
def _over_periods(data: Any, low: float, high: float, order: int) -> tuple[float, float, int]:
    """As :func:`table_range` for a table that repeats."""
    first, last = data[2], data[2 + int(data[0])]
    period = last - first
    if not high - low < period:
        return _over_segments(data, first, last, order)
    shift = period * math.floor((low - first) / period)
    a, b = low - shift, high - shift
    a, b = a - 4.0 * EPSILON * (abs(low) + abs(a)), b + 4.0 * EPSILON * (abs(high) + abs(b))
    least, most, touched = _over_segments(data, max(a, first), min(b, last), order)
    if a < first:
        other, another, more = _over_segments(data, a + period, last, order)
        least, most, touched = min(least, other), max(most, another), touched + more
    if b > last:
        other, another, more = _over_segments(data, first, min(b - period, last), order)
        least, most, touched = min(least, other), max(most, another), touched + more
    return least, most, touched


@called
def table_range(data: Any, low: float, high: float, order: int) -> tuple[float, float, int]:
    """The range of a table's derivative over [low, high], and how many smooth parts that touches."""
    if int(data[1]) == 2:
        return _over_periods(data, low, high, order)
    first, last = data[2], data[2 + int(data[0])]
    least, most, touched = INFINITE, -INFINITE, 0
    if high >= first and low <= last:
        least, most, touched = _over_segments(data, max(low, first), min(high, last), order)
    for side in range(2):
        end, far = (first, low) if side == 0 else (last, high)
        if far >= first if side == 0 else far <= last:
            continue
        value, value_high, _ = _over_segments(data, end, end, 0)
        slope, slope_high, _ = _over_segments(data, end, end, 1)
        if int(data[1]) == 1:
            slope, slope_high = 0.0, 0.0
        x, y = (slope, slope_high) if order == 1 else (0.0, 0.0)
        if order == 0:
            near = min(high, end) if side == 0 else max(low, end)
            x, y = product(slope, slope_high, below(min(far, near) - end), above(max(far, near) - end))
            x, y = plus(value, value_high, x, y)
        least, most, touched = min(least, x), max(most, y), touched + 1
    return least, most, touched
