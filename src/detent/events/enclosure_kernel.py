"""A tape walked with intervals: bounds of its values over a piece of the motion, and of their derivatives along it.

Every slot holds a *jet*, six numbers: bounds of the value, of the first and of the second derivative with respect to
the step's parameter in [0, 1]. The order says how many of the three are worked out. Where a function has a kink,
its slope is the hull of both sides and its bend is unbounded; where it may jump, both are. A flag of a slot says
whether it moves along the piece, whether it may have no value somewhere in it (UNDEFINED), or a pole (POLE).
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from detent.events.enclosure_frame import FLAWED, INFINITE, JET, MOVING, POLE, UNDEFINED
from detent.events.function_bounds_kernel import FUNCTIONS, logarithm, nothing_known
from detent.events.interval_kernel import (
    above,
    below,
    cosine,
    exponential,
    inverse,
    minus,
    plus,
    product,
    sine,
    square,
    table_range,
    well_above,
    well_below,
)
from detent.events.watch_kernel import as_watch
from detent.expr import operation as op
from detent.expr.elementary import complete
from detent.expr.instruction import SINCOS
from detent.jit.function_switch import switched
from detent.jit.intrinsics import ADDRESSES, as_doubles, as_halfwords, as_words, called, inlined, kernel

# -- what becomes of a jet --------------------------------------------------------------------------------


@inlined
def _stands_still(jets: Any, t: int) -> None:
    jets[t + 2] = jets[t + 3] = jets[t + 4] = jets[t + 5] = 0.0


@inlined
def _goes_anywhere(jets: Any, t: int) -> None:
    jets[t + 2] = jets[t + 4] = -INFINITE
    jets[t + 3] = jets[t + 5] = INFINITE


@inlined
def _is_anything(jets: Any, t: int) -> None:
    jets[t], jets[t + 1] = -INFINITE, INFINITE
    _goes_anywhere(jets, t)


@inlined
def _copy(jets: Any, flags: Any, to: int, of: int) -> None:
    for i in range(JET):
        jets[JET * to + i] = jets[JET * of + i]
    flags[to] = flags[of]


@called
def _chain(jets: Any, t: int, s: int, order: int, moving: bool, value: Any, slope: Any, bend: Any) -> None:
    """The jet of f(a) at t from that of a at s, by the ranges of f, f' and f''."""
    a, b, c, d = jets[s + 2], jets[s + 3], jets[s + 4], jets[s + 5]
    jets[t], jets[t + 1] = value
    if not moving:
        _stands_still(jets, t)
        return
    if order > 0:
        jets[t + 2], jets[t + 3] = product(slope[0], slope[1], a, b)
    if order > 1:
        x, y = square(a, b)
        x, y = product(bend[0], bend[1], x, y)
        u, v = product(slope[0], slope[1], c, d)
        jets[t + 4], jets[t + 5] = plus(x, y, u, v)


# -- arithmetic -------------------------------------------------------------------------------------------


@called
def _square(jets: Any, t: int, s: int, order: int) -> None:
    a, b, c, d, e, f = jets[s], jets[s + 1], jets[s + 2], jets[s + 3], jets[s + 4], jets[s + 5]
    jets[t], jets[t + 1] = square(a, b)
    if order > 0:
        x, y = product(a, b, c, d)
        jets[t + 2], jets[t + 3] = 2.0 * x, 2.0 * y
    if order > 1:
        x, y = product(a, b, e, f)
        u, v = square(c, d)
        x, y = plus(x, y, u, v)
        jets[t + 4], jets[t + 5] = 2.0 * x, 2.0 * y


@called
def _product(jets: Any, t: int, s: int, r: int, order: int) -> None:
    a, b, c, d = jets[s], jets[s + 1], jets[r], jets[r + 1]
    jets[t], jets[t + 1] = product(a, b, c, d)
    if order == 0:
        return
    e, f, g, h = jets[s + 2], jets[s + 3], jets[r + 2], jets[r + 3]
    x, y = product(a, b, g, h)
    u, v = product(c, d, e, f)
    if order > 1:
        k, m = product(a, b, jets[r + 4], jets[r + 5])
        p, q = product(c, d, jets[s + 4], jets[s + 5])
        k, m = plus(k, m, p, q)
        p, q = product(e, f, g, h)
        jets[t + 4], jets[t + 5] = plus(k, m, 2.0 * p, 2.0 * q)
    jets[t + 2], jets[t + 3] = plus(x, y, u, v)


@called
def _scale(jets: Any, t: int, s: int, r: int, order: int) -> None:
    """The product of what stands still at s and what moves at r."""
    a, b = jets[s], jets[s + 1]
    for i in range(order + 1):
        jets[t + 2 * i], jets[t + 2 * i + 1] = product(a, b, jets[r + 2 * i], jets[r + 2 * i + 1])


@called
def _divide(jets: Any, flags: Any, operation: int, to: int, one: int, other: int, third: int, order: int) -> None:
    t, s, r = JET * to, JET * one, JET * other
    c, d = jets[r], jets[r + 1]
    flags[to] = flags[one] | flags[other]
    if not (c > 0.0 or d < 0.0):
        flags[to] |= POLE
        _is_anything(jets, t)
        return
    i, j = inverse(c, d)
    f, g = product(jets[s], jets[s + 1], i, j)
    p, q, u, v = 0.0, 0.0, 0.0, 0.0
    if order > 0:
        x, y = product(f, g, jets[r + 2], jets[r + 3])
        x, y = minus(jets[s + 2], jets[s + 3], x, y)
        p, q = product(x, y, i, j)
    if order > 1:
        x, y = product(p, q, 2.0 * jets[r + 2], 2.0 * jets[r + 3])
        x, y = minus(jets[s + 4], jets[s + 5], x, y)
        u, v = product(f, g, jets[r + 4], jets[r + 5])
        x, y = minus(x, y, u, v)
        u, v = product(x, y, i, j)
    jets[t], jets[t + 1], jets[t + 2], jets[t + 3], jets[t + 4], jets[t + 5] = f, g, p, q, u, v


@called
def _negate(jets: Any, flags: Any, operation: int, to: int, one: int, other: int, third: int, order: int) -> None:
    t, s = JET * to, JET * one
    flags[to] = flags[one]
    for i in range(order + 1):
        jets[t + 2 * i], jets[t + 2 * i + 1] = -jets[s + 2 * i + 1], -jets[s + 2 * i]


@called
def _add(jets: Any, flags: Any, operation: int, to: int, one: int, other: int, third: int, order: int) -> None:
    flags[to] = flags[one] | flags[other]
    for i in range(order + 1):
        t, s, r = JET * to + 2 * i, JET * one + 2 * i, JET * other + 2 * i
        jets[t], jets[t + 1] = plus(jets[s], jets[s + 1], jets[r], jets[r + 1])


@called
def _subtract(jets: Any, flags: Any, operation: int, to: int, one: int, other: int, third: int, order: int) -> None:
    flags[to] = flags[one] | flags[other]
    for i in range(order + 1):
        t, s, r = JET * to + 2 * i, JET * one + 2 * i, JET * other + 2 * i
        jets[t], jets[t + 1] = minus(jets[s], jets[s + 1], jets[r], jets[r + 1])


@called
def _multiply(jets: Any, flags: Any, operation: int, to: int, one: int, other: int, third: int, order: int) -> None:
    t, s, r, first, second = JET * to, JET * one, JET * other, flags[one], flags[other]
    flags[to] = first | second
    if one == other:
        _square(jets, t, s, order)
    elif second & MOVING == 0:
        _scale(jets, t, r, s, order)
    elif first & MOVING == 0:
        _scale(jets, t, s, r, order)
    else:
        _product(jets, t, s, r, order)


# -- functions of one value -------------------------------------------------------------------------------


_function = switched(FUNCTIONS, nothing_known)


@called
def _of_one(jets: Any, flags: Any, operation: int, to: int, one: int, other: int, third: int, order: int) -> None:
    t, s = JET * to, JET * one
    value, slope, bend, flag = _function(operation, (jets[s], jets[s + 1]))
    flags[to] = flags[one] | flag
    _chain(jets, t, s, order, flags[one] & MOVING != 0, value, slope, bend)


@called
def _sine_cosine(jets: Any, flags: Any, to: int, one: int, other: int, order: int) -> None:
    s, moving = JET * one, flags[one] & MOVING != 0
    x, y = sine(jets[s], jets[s + 1]), cosine(jets[s], jets[s + 1])
    flags[to] = flags[other] = flags[one]
    _chain(jets, JET * to, s, order, moving, x, y, (-x[1], -x[0]))
    _chain(jets, JET * other, s, order, moving, y, (-x[1], -x[0]), (-y[1], -y[0]))


# -- functions of more values ------------------------------------------------------------------------------


@called
def _constant_power(a: float, b: float, n: float) -> tuple[Any, Any, Any, int]:
    """x ** n for a number n that is not whole, or large: products serve for the others."""
    anything = (-INFINITE, INFINITE)
    if not b > 0.0:
        return anything, anything, anything, UNDEFINED
    flag = UNDEFINED if a < 0.0 else 0
    if a <= 0.0 and n < 0.0:
        return anything, anything, anything, flag | POLE
    low = max(a, 0.0)
    x, y = math.pow(low, n), math.pow(b, n)
    value = max(0.0, well_below(min(x, y))), well_above(max(x, y))
    slope, bend = anything, anything
    if a > 0.0 or n >= 1.0:
        x, y = math.pow(low, n - 1.0), math.pow(b, n - 1.0)
        slope = product(n, n, max(0.0, well_below(min(x, y))), well_above(max(x, y)))
    if a > 0.0 or n >= 2.0:
        x, y = math.pow(low, n - 2.0), math.pow(b, n - 2.0)
        factor = n * (n - 1.0)
        bend = product(below(factor), above(factor), max(0.0, well_below(min(x, y))), well_above(max(x, y)))
    return value, slope, bend, flag


@called
def _whole_power(a: float, b: float, n: float) -> tuple[float, float, int]:
    """The range of x ** n for a whole number n, and flags."""
    if n == 0.0:
        return 1.0, 1.0, 0
    if n < 0.0 and a <= 0.0 <= b:
        return -INFINITE, INFINITE, POLE
    x, y = math.pow(a, n), math.pow(b, n)
    low, high = well_below(min(x, y)), well_above(max(x, y))
    if n == 2.0 * math.floor(0.5 * n) and a <= 0.0 <= b:
        low = 0.0
    return low, high, 0


@called
def _power(jets: Any, flags: Any, operation: int, to: int, one: int, other: int, third: int, order: int) -> None:
    """a ** b: the exponent stands still, or the base is positive."""
    t, s, e = JET * to, JET * one, JET * other
    a, b, c, d = jets[s], jets[s + 1], jets[e], jets[e + 1]
    flags[to] = flags[one] | flags[other]
    if flags[other] & MOVING == 0 and c == d:
        if c == math.floor(c):
            low, high, flag = _whole_power(a, b, c)
            x, y, _ = _whole_power(a, b, c - 1.0)
            u, v, _ = _whole_power(a, b, c - 2.0)
            slope = product(c, c, x, y) if c != 0.0 else (0.0, 0.0)
            factor = c * (c - 1.0)
            bend = product(below(factor), above(factor), u, v) if factor != 0.0 else (0.0, 0.0)
            value = (low, high)
        else:
            value, slope, bend, flag = _constant_power(a, b, c)
        flags[to] |= flag
        _chain(jets, t, s, order, flags[one] & MOVING != 0, value, slope, bend)
        return
    if not a > 0.0:
        flags[to] |= UNDEFINED
        _is_anything(jets, t)
        return
    log, slope, _, _ = logarithm(a, b)
    x, y = product(log[0], log[1], c, d)
    f, g = exponential(x, y)
    u, v = product(jets[e + 2], jets[e + 3], log[0], log[1])  # v' = v (b' log a + b a'/a)
    x, y = product(jets[s + 2], jets[s + 3], slope[0], slope[1])
    x, y = product(x, y, c, d)
    u, v = plus(u, v, x, y)
    jets[t], jets[t + 1] = f, g
    jets[t + 2], jets[t + 3] = product(f, g, u, v)
    jets[t + 4], jets[t + 5] = -INFINITE, INFINITE


@called
def _angle(a: float, b: float, c: float, d: float) -> tuple[float, float, bool]:
    """The range of the angle of points (x, y) with y in [a, b], x in [c, d]; whether it is in one piece."""
    if c > 0.0:
        low, high = math.atan2(a, c if a < 0.0 else d), math.atan2(b, d if b < 0.0 else c)
    elif a > 0.0:
        low, high = math.atan2(a if d > 0.0 else b, d), math.atan2(a if c < 0.0 else b, c)
    elif b < 0.0:
        low, high = math.atan2(b if c < 0.0 else a, c), math.atan2(b if d > 0.0 else a, d)
    else:
        return well_below(-math.pi), well_above(math.pi), False
    return well_below(low), well_above(high), True


@called
def _atan2(jets: Any, flags: Any, operation: int, to: int, one: int, other: int, third: int, order: int) -> None:
    t, s, e = JET * to, JET * one, JET * other
    a, b, c, d = jets[s], jets[s + 1], jets[e], jets[e + 1]
    flags[to] = flags[one] | flags[other]
    low, high, in_one_piece = _angle(a, b, c, d)
    if not in_one_piece:
        if a <= 0.0 <= b and c <= 0.0 <= d:
            flags[to] |= UNDEFINED
        _goes_anywhere(jets, t)
        jets[t], jets[t + 1] = low, high
        return
    ya, yb, yc, yd = jets[s + 2], jets[s + 3], jets[s + 4], jets[s + 5]
    xa, xb, xc, xd = jets[e + 2], jets[e + 3], jets[e + 4], jets[e + 5]
    jets[t], jets[t + 1] = low, high
    if order == 0 or flags[to] & MOVING == 0:
        _stands_still(jets, t)
        return
    p, q = product(c, d, ya, yb)
    u, v = product(a, b, xa, xb)
    p, q = minus(p, q, u, v)
    x, y = square(a, b)
    u, v = square(c, d)
    x, y = plus(x, y, u, v)
    i, j = inverse(max(x, 1e-300), y)
    p, q = product(p, q, i, j)
    jets[t + 2], jets[t + 3] = p, q
    x, y = product(c, d, yc, yd)
    u, v = product(a, b, xc, xd)
    x, y = minus(x, y, u, v)
    u, v = product(c, d, xa, xb)
    k, m = product(a, b, ya, yb)
    u, v = plus(u, v, k, m)
    u, v = product(p, q, 2.0 * u, 2.0 * v)
    x, y = minus(x, y, u, v)
    jets[t + 4], jets[t + 5] = product(x, y, i, j)


@called
def _table(jets: Any, flags: Any, to: int, one: int, data: Any, derivative: int, order: int) -> None:
    s = JET * one
    a, b, moving = jets[s], jets[s + 1], flags[one] & MOVING != 0
    flags[to] = flags[one]
    if not (a > -INFINITE and b < INFINITE):
        flags[to] |= UNDEFINED
        _is_anything(jets, JET * to)
        return
    low, high, parts = table_range(data, a, b, derivative)
    slope, bend = (-INFINITE, INFINITE), (-INFINITE, INFINITE)
    if moving and order > 0:
        # The spline has two continuous derivatives, beyond its ends one if it goes on in a line, none if it is held.
        beyond = int(data[1]) != 2 and (a < data[2] or b > data[2 + int(data[0])])
        continuous = 2 if not beyond else (0 if int(data[1]) == 1 else 1)
        if parts == 1 or derivative <= continuous:
            x, y, _ = table_range(data, a, b, derivative + 1)
            slope = (x, y)
        if parts == 1 or derivative < continuous:
            x, y, _ = table_range(data, a, b, derivative + 2)
            bend = (x, y)
    _chain(jets, JET * to, s, order, moving, (low, high), slope, bend)


# -- comparisons and choices ------------------------------------------------------------------------------


@called
def _compare(jets: Any, flags: Any, operation: int, to: int, one: int, other: int, third: int, order: int) -> None:
    """Comparisons and logic: 1, 0, or between them where it depends."""
    t, s, r = JET * to, JET * one, JET * other
    a, b, c, d = jets[s], jets[s + 1], jets[r], jets[r + 1]
    yes, no = a > 0.0 or b < 0.0, a == 0.0 and b == 0.0
    sure, never = False, False
    flags[to] = flags[one]
    if operation == op.NOT:
        sure, never = no, yes
    else:
        flags[to] |= flags[other]
        also, neither = c > 0.0 or d < 0.0, c == 0.0 and d == 0.0
        if operation == op.LESS or operation == op.LESS_EQUAL:
            sure, never = b < c, a > d
        elif operation == op.EQUAL:
            sure, never = a == b and c == d and a == c, b < c or a > d
        elif operation == op.BOTH:
            sure, never = yes and also, no or neither
        elif operation == op.EITHER:
            sure, never = yes or also, no and neither
    jets[t], jets[t + 1] = (1.0 if sure else 0.0), (0.0 if never else 1.0)
    if sure or never:
        _stands_still(jets, t)
    else:
        _goes_anywhere(jets, t)


@called
def _select(jets: Any, flags: Any, operation: int, to: int, condition: int, one: int, other: int, order: int) -> None:
    """One of two; what is wrong with the one that is not chosen does no harm."""
    t, s, r = JET * to, JET * one, JET * other
    a, b, asked = jets[JET * condition], jets[JET * condition + 1], flags[condition]
    if a > 0.0 or b < 0.0:
        _copy(jets, flags, to, one)
    elif a == 0.0 and b == 0.0:
        _copy(jets, flags, to, other)
    else:
        flags[to] = flags[one] | flags[other]
        jets[t], jets[t + 1] = min(jets[s], jets[r]), max(jets[s + 1], jets[r + 1])
        _goes_anywhere(jets, t)
    flags[to] |= asked


@called
def _extreme(jets: Any, flags: Any, operation: int, to: int, one: int, other: int, third: int, order: int) -> None:
    """The smaller or the larger of two."""
    t, s, r = JET * to, JET * one, JET * other
    a, b, c, d, either = jets[s], jets[s + 1], jets[r], jets[r + 1], (flags[one] | flags[other]) & FLAWED
    smaller = operation == op.MINIMUM
    if b <= c if smaller else a >= d:
        _copy(jets, flags, to, one)
    elif d <= a if smaller else c >= b:
        _copy(jets, flags, to, other)
    else:
        flags[to] = flags[one] | flags[other]
        jets[t], jets[t + 1] = (min(a, c), min(b, d)) if smaller else (max(a, c), max(b, d))
        jets[t + 2], jets[t + 3] = min(jets[s + 2], jets[r + 2]), max(jets[s + 3], jets[r + 3])
        jets[t + 4], jets[t + 5] = -INFINITE, INFINITE
        if flags[to] & MOVING == 0:
            _stands_still(jets, t)
    flags[to] |= either  # what is not a number decides by the order of the arguments


@called
def _no_operation(jets: Any, flags: Any, operation: int, to: int, one: int, other: int, third: int, order: int) -> None:
    flags[to] = UNDEFINED
    _is_anything(jets, JET * to)


BOUNDS: Final = complete("way to its bounds", {
    op.ADD: _add, op.SUBTRACT: _subtract, op.MULTIPLY: _multiply, op.DIVIDE: _divide, op.NEGATE: _negate,
    op.POWER: _power, op.ATAN2: _atan2,
    **dict.fromkeys([op.MINIMUM, op.MAXIMUM], _extreme),
    **dict.fromkeys([op.LESS, op.LESS_EQUAL, op.EQUAL, op.BOTH, op.EITHER, op.NOT], _compare),
    **dict.fromkeys(FUNCTIONS, _of_one),
    op.SELECT: _select,
}, op.OPERATIONS)  # fmt: skip
"""How the jet of each operation is found; a function of one value has its bounds in :data:`FUNCTIONS`."""
_bound = switched(BOUNDS, _no_operation)


@called
def enclose_one(order: int, code: Any, number: int, jets: Any, flags: Any, tables: Any) -> None:
    """One instruction of a tape; the jets of what it reads are in their slots."""
    at = 5 * number
    operation, to, one, other, third = code[at], code[at + 1], code[at + 2], code[at + 3], code[at + 4]
    if operation == SINCOS:
        _sine_cosine(jets, flags, to, one, other, order)
    elif operation == op.TABLE:  # its order becomes a word: else all would be translated for halfwords once more
        _table(jets, flags, to, one, as_doubles(tables[other]), np.int64(third), order)
    else:
        _bound(operation, (jets, flags, operation, to, one, other, third, order))


@called
def enclose(order: int, code: Any, length: int, jets: Any, flags: Any, tables: Any) -> None:
    """Walk a tape; the jets of its inputs and constants are in their slots."""
    for number in range(length):
        enclose_one(order, code, number, jets, flags, tables)


@kernel(ADDRESSES)
def walk_watch(address: int, time: float, order: int, values: int, out: int) -> int:
    """Walk the tape of a watch, given by its address, to an order."""
    watch = as_watch(address)
    tables, flags = as_words(watch.tables), as_words(watch.flags)
    enclose(order, as_halfwords(watch.code), watch.length, as_doubles(watch.jets), flags, tables)
    return 0
