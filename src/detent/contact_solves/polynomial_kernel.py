"""Polynomials on [0, h], as coefficients from the constant on: their values, and where they first rise to a level."""

from __future__ import annotations

from detent.jit.intrinsics import called, inlined


@inlined
def value_at(series, order, x):
    """c_0 + c_1 x + ... by Horner's rule."""
    total = series[order]
    for back in range(order):
        total = total * x + series[order - 1 - back]
    return total


@called
def crossing(series, order, level, low, high):
    """Where a series crosses a level between two places on different sides of it; Newton's method, held by halving."""
    rises = value_at(series, order, high) > level
    x = 0.5 * (low + high)
    for _ in range(200):
        value, slope = series[order], 0.0
        for back in range(order):
            slope = slope * x + value
            value = value * x + series[order - 1 - back]
        value -= level
        if value == 0.0:
            return x
        if (value > 0.0) == rises:
            high = x
        else:
            low = x
        nearer = x - value / slope if slope != 0.0 else low
        if not low < nearer < high:
            nearer = 0.5 * (low + high)
        if nearer == x or not low < nearer < high:
            break
        x = nearer
    return x
