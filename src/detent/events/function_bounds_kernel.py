"""Functions of one value with intervals: over [a, b], bounds of f, f' and f'', and what is wrong there.

Bounds are rounded outward; what is wrong is UNDEFINED, POLE or 0.
"""

from __future__ import annotations

import math
from typing import Any, Final

from detent.events.enclosure_frame import INFINITE, POLE, UNDEFINED
from detent.events.interval_kernel import (
    above,
    below,
    cosine,
    exponential,
    hyperbolic,
    inverse,
    minus,
    product,
    sine,
    square,
    well_above,
    well_below,
)
from detent.expr import operation as op
from detent.jit.intrinsics import called

_EPSILON_SQUARED: Final = 2.0**-104
"""What the logarithm may be wrong by where its value is 0."""


@called
def _sine(a: float, b: float) -> tuple[Any, Any, Any, int]:
    value, slope = sine(a, b), cosine(a, b)
    return value, slope, (-value[1], -value[0]), 0


@called
def _cosine(a: float, b: float) -> tuple[Any, Any, Any, int]:
    value, turned = cosine(a, b), sine(a, b)
    return value, (-turned[1], -turned[0]), (-value[1], -value[0]), 0


@called
def _root(a: float, b: float) -> tuple[Any, Any, Any, int]:
    if not b >= 0.0:
        return (-INFINITE, INFINITE), (-INFINITE, INFINITE), (-INFINITE, INFINITE), UNDEFINED
    flag = UNDEFINED if a < 0.0 else 0
    low, high = (max(0.0, well_below(math.sqrt(a))) if a > 0.0 else 0.0), well_above(math.sqrt(b))
    if low <= 0.0:
        least = well_below(0.5 / high) if flag == 0 and high > 0.0 else -INFINITE
        return (low, high), (least, INFINITE), (-INFINITE, 0.0 if flag == 0 else INFINITE), flag
    bend = well_below(-0.25 / (low * low * low)), well_above(-0.25 / (high * high * high))
    return (low, high), (well_below(0.5 / high), well_above(0.5 / low)), bend, flag


@called
def _tangent(a: float, b: float) -> tuple[Any, Any, Any, int]:
    k = math.floor(a / math.pi + 0.5)
    inside = a > (k - 0.5) * math.pi + 1e-15 * (1.0 + abs(a)) and b < (k + 0.5) * math.pi - 1e-15 * (1.0 + abs(b))
    if not inside:
        return (-INFINITE, INFINITE), (-INFINITE, INFINITE), (-INFINITE, INFINITE), POLE
    low, high = well_below(math.tan(a)), well_above(math.tan(b))
    x, y = square(low, high)
    slope = below(1.0 + x), above(1.0 + y)
    x, y = product(low, high, slope[0], slope[1])
    return (low, high), slope, (2.0 * x, 2.0 * y), 0


@called
def _arc_sine(a: float, b: float) -> tuple[Any, Any, Any, int]:
    anything = (-INFINITE, INFINITE)
    if not (a <= 1.0 and b >= -1.0):
        return anything, anything, anything, UNDEFINED
    flag = UNDEFINED if a < -1.0 or b > 1.0 else 0
    c, d = max(a, -1.0), min(b, 1.0)
    value = well_below(math.asin(c)), well_above(math.asin(d))
    x, y = square(c, d)
    low, high = below(1.0 - y), above(1.0 - x)
    if not low > 0.0:
        return value, (1.0, INFINITE), anything, flag
    w, z = well_below(math.sqrt(low)), well_above(math.sqrt(high))
    x, y = product(c, d, well_below(1.0 / (z * z * z)), well_above(1.0 / (w * w * w)))
    return value, (well_below(1.0 / z), well_above(1.0 / w)), (x, y), flag


@called
def logarithm(a: float, b: float) -> tuple[Any, Any, Any, int]:
    anything = (-INFINITE, INFINITE)
    if not b > 0.0:
        return anything, anything, anything, UNDEFINED
    high = well_above(math.log(b)) + _EPSILON_SQUARED
    if a <= 0.0:
        return (-INFINITE, high), (0.0, INFINITE), (-INFINITE, 0.0), UNDEFINED
    slope = inverse(a, b)
    x, y = square(slope[0], slope[1])
    return (well_below(math.log(a)) - _EPSILON_SQUARED, high), slope, (-y, -x), 0


@called
def _absolute(a: float, b: float) -> tuple[Any, Any, Any, int]:
    if a > 0.0:
        return (a, b), (1.0, 1.0), (0.0, 0.0), 0
    if b < 0.0:
        return (-b, -a), (-1.0, -1.0), (0.0, 0.0), 0
    return (0.0, max(-a, b)), (-1.0, 1.0), (-INFINITE, INFINITE), 0


@called
def _sign(a: float, b: float) -> tuple[Any, Any, Any, int]:
    if a > 0.0 or b < 0.0:
        side = 1.0 if a > 0.0 else -1.0
        return (side, side), (0.0, 0.0), (0.0, 0.0), 0
    return (-1.0, 1.0), (-INFINITE, INFINITE), (-INFINITE, INFINITE), 0


@called
def _arc_cosine(a: float, b: float) -> tuple[Any, Any, Any, int]:
    value, slope, bend, flag = _arc_sine(a, b)
    half_low, half_high = below(0.5 * math.pi), above(0.5 * math.pi)
    x, y = minus(half_low, half_high, value[0], value[1])
    return (x, y), (-slope[1], -slope[0]), (-bend[1], -bend[0]), flag


@called
def _arc_tangent(a: float, b: float) -> tuple[Any, Any, Any, int]:
    x, y = square(a, b)
    slope = well_below(1.0 / above(1.0 + y)), well_above(1.0 / below(1.0 + x))
    x, y = square(slope[0], slope[1])
    x, y = product(-2.0 * b, -2.0 * a, x, y)
    return (well_below(math.atan(a)), well_above(math.atan(b))), slope, (x, y), 0


@called
def _exponential(a: float, b: float) -> tuple[Any, Any, Any, int]:
    value = exponential(a, b)
    return value, value, value, 0


@called
def _hyperbolic_sine(a: float, b: float) -> tuple[Any, Any, Any, int]:
    low, high, least, most = hyperbolic(a, b)
    return (low, high), (least, most), (low, high), 0


@called
def _hyperbolic_cosine(a: float, b: float) -> tuple[Any, Any, Any, int]:
    low, high, least, most = hyperbolic(a, b)
    return (least, most), (low, high), (least, most), 0


@called
def _hyperbolic_tangent(a: float, b: float) -> tuple[Any, Any, Any, int]:
    low, high = well_below(math.tanh(a)), well_above(math.tanh(b))
    x, y = square(low, high)
    slope = max(0.0, below(1.0 - y)), above(1.0 - x)
    x, y = product(-2.0 * high, -2.0 * low, slope[0], slope[1])
    return (low, high), slope, (x, y), 0


@called
def nothing_known(a: float, b: float) -> tuple[Any, Any, Any, int]:
    anything = (-INFINITE, INFINITE)
    return anything, anything, anything, UNDEFINED


FUNCTIONS: Final = {
    op.SQRT: _root, op.SIN: _sine, op.COS: _cosine, op.TAN: _tangent, op.ASIN: _arc_sine, op.ACOS: _arc_cosine,
    op.ATAN: _arc_tangent, op.EXP: _exponential, op.LOG: logarithm, op.SINH: _hyperbolic_sine,
    op.COSH: _hyperbolic_cosine, op.TANH: _hyperbolic_tangent, op.ABSOLUTE: _absolute, op.SIGN: _sign,
}  # fmt: skip
"""The bounds of each function of one value."""
