"""The interpolant of a step by its coefficients in Bernstein's basis: the motion stays within their hull."""

from __future__ import annotations

from typing import Any

from detent.events.watch_frame import FIRST, MOST_DEGREE, SECOND
from detent.jit.intrinsics import called, inlined


@called
def elevate(degree: int, start: float, change: float, r: Any, out: Any, at: int) -> None:
    """The coefficients of the nested form of dense output (:class:`detent.results.trajectory.Trajectory`).

    s^i (1 - s)^j is the sum over k of C(n - i - j, k - i) / C(n, k) B_k. ``r`` holds r3 to r8.
    """
    r3, r4, r5, r6, r7, r8 = r
    out[at], out[at + degree] = start, start + change
    if degree == 3:
        out[at + 1] = start + (change + r3) / 3.0
        out[at + 2] = start + (2.0 * change + r3 + r4) / 3.0
    elif degree == 4:
        out[at + 1] = start + (change + r3) / 4.0
        out[at + 2] = start + change / 2.0 + r3 / 3.0 + r4 / 6.0 + r5 / 6.0
        out[at + 3] = start + (3.0 * change + r3 + r4) / 4.0
    else:
        out[at + 1] = start + (change + r3) / 7.0
        out[at + 2] = start + (6.0 * change + 5.0 * r3 + r4 + r5) / 21.0
        out[at + 3] = start + (15.0 * change + 10.0 * r3 + 4.0 * r4 + 3.0 * r5 + r6 + r7) / 35.0
        out[at + 4] = start + (20.0 * change + 10.0 * r3 + 6.0 * r4 + 3.0 * r5 + 2.0 * r6 + r7 + r8) / 35.0
        out[at + 5] = start + (15.0 * change + 5.0 * r3 + 4.0 * r4 + r5 + r6) / 21.0
        out[at + 6] = start + (6.0 * change + r3 + r4) / 7.0


@called
def to_rate(degree: int, step: float, out: Any, at: int) -> None:
    """The coefficients of a polynomial become those of its derivative with respect to time, of the same degree."""
    last = 0.0
    for j in range(degree):
        slope = degree * (out[at + j + 1] - out[at + j]) / step
        out[at + j] = (j * last + (degree - j) * slope) / degree
        last = slope
    out[at + degree] = last


@inlined
def hull(numbers: Any, at: int, count: int) -> tuple[float, float]:
    low, high = numbers[at], numbers[at]
    for j in range(1, count):
        low, high = min(low, numbers[at + j]), max(high, numbers[at + j])
    return low, high


@called
def derive(degree: int, numbers: Any, at: int) -> tuple[float, float]:
    """The coefficients of the first and second derivative beside those of a leaf; their largest sizes."""
    first, second = 0.0, 0.0
    for j in range(degree):
        slope = degree * (numbers[at + j + 1] - numbers[at + j])
        numbers[at + FIRST + j], first = slope, max(first, abs(slope))
    for j in range(degree - 1):
        bend = (degree - 1) * (numbers[at + FIRST + j + 1] - numbers[at + FIRST + j])
        numbers[at + SECOND + j], second = bend, max(second, abs(bend))
    return first, second


@inlined
def _halve(numbers: Any, at: int, to: int, count: int) -> None:
    """De Casteljau's scheme at the middle: the left half goes to ``to``, the right half stays where it was."""
    numbers[to] = numbers[at]
    for r in range(1, count):
        for j in range(count - r):
            numbers[at + j] = 0.5 * (numbers[at + j] + numbers[at + j + 1])
        numbers[to + r] = numbers[at]


@called
def halve_leaf(degree: int, numbers: Any, at: int, to: int) -> None:
    """A leaf's value and derivatives over a piece, halved; each as a polynomial of its own, lest digits are lost."""
    _halve(numbers, at, to, degree + 1)
    _halve(numbers, at + FIRST, to + FIRST, degree)
    _halve(numbers, at + SECOND, to + SECOND, degree - 1)


assert MOST_DEGREE < FIRST  # room for the coefficients of a leaf
