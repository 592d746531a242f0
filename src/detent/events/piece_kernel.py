"""What bounds of a guard tell about a piece of a step: its value at both ends, and value, rate and second rate between
them. Rates are per unit of the piece."""

from __future__ import annotations

from typing import Final

from detent.events.enclosure_frame import INFINITE
from detent.jit.abi import EPSILON
from detent.jit.intrinsics import called, inlined

_BAND: Final = 16.0
"""A guard that stays within so many times what its ends are known to is zero."""
_ROUNDED: Final = 8.0 * EPSILON
"""A difference of bounds that is no larger than this part of them may be rounding alone."""

Bounds = tuple[float, float]


@inlined
def sure_sign(value: Bounds) -> int:
    """The sign that bounds leave no doubt of; 0 if they do."""
    if value[0] > 0.0:
        return 1
    return -1 if value[1] < 0.0 else 0


@inlined
def _turned(sign: int, bounds: Bounds) -> Bounds:
    return bounds if sign > 0 else (-bounds[1], -bounds[0])


@called
def keeps_sign(sign: int, left: Bounds, right: Bounds, rate: Bounds, bend: Bounds) -> bool:
    """Whether a guard that has a sign at both ends has it between them: by its rate, then by its second rate."""
    a, b = _turned(sign, left)[0], _turned(sign, right)[0]
    low, high = _turned(sign, rate)
    if low >= 0.0 or high <= 0.0:
        return True
    if low > -INFINITE and high < INFINITE:
        r = min(1.0, max(0.0, (a - b + high) / (high - low)))  # up to r by the rate from the left, then from the right
        if a + low * r > _ROUNDED * a and b - high * (1.0 - r) > _ROUNDED * (b + high):
            return True
    most = max(0.0, _turned(sign, bend)[1])
    if not most < INFINITE:
        return False
    r = 0.5 - (b - a) / most if most > 0.0 else -1.0
    if r <= 0.0 or r >= 1.0:
        return True
    return a + (b - a) * r - 0.5 * most * r * (1.0 - r) > _ROUNDED * (a + b + most)


@called
def _departs(sign: int, value: Bounds, rate: Bounds, bend: Bounds) -> bool:
    """Whether a guard that is zero within rounding at an end keeps to the side ``sign`` away from it, or passes to the
    other one by no more than that rounding."""
    least, bent = _turned(sign, rate)[0], _turned(sign, bend)[0]
    if not bent > -INFINITE:
        return False
    if bent <= 0.0:
        return least > 0.0 and least + 0.5 * bent >= 0.0
    if least >= 0.0:
        return True
    lowest = least + 0.5 * bent if -least > bent else -0.5 * least * least / bent
    return lowest + _turned(sign, value)[1] > 0.0


@called
def _is_band(left: Bounds, right: Bounds, whole: Bounds, rate: Bounds, bend: Bounds) -> bool:
    """Whether a guard that is zero within rounding at both ends is so between them."""
    ends = max(max(abs(left[0]), abs(left[1])), max(abs(right[0]), abs(right[1])))
    bow = min(0.5 * max(abs(rate[0]), abs(rate[1])), 0.125 * max(abs(bend[0]), abs(bend[1])))
    most = min(max(abs(whole[0]), abs(whole[1])), ends + bow)
    return bow < INFINITE and most <= _BAND * max(left[1] - left[0], right[1] - right[0])  # a jump is no band


@inlined
def wider(bounds: Bounds, band: float) -> Bounds:
    """Bounds of what may be off by a band."""
    return bounds[0] - band, bounds[1] + band


@inlined
def scaled_bounds(bounds: Bounds, by: float) -> Bounds:
    """Bounds times a number that is not negative; anything where that is none."""
    low, high = bounds[0] * by, bounds[1] * by
    if not low <= high:
        return -INFINITE, INFINITE
    return low, high


@called
def is_simple(
    left: Bounds, left_rate: Bounds, right: Bounds, right_rate: Bounds, whole: Bounds, rate: Bounds,
    bend: Bounds, near: bool,
) -> bool:  # fmt: skip
    """Whether a piece holds no zero, or at most one change of sign, or only zeros; rates are per unit of the piece."""
    before, after = sure_sign(left), sure_sign(right)
    if whole[0] > 0.0 or whole[1] < 0.0:
        return True
    low, high = rate
    if bend[0] > -INFINITE:
        low = max(low, max(left_rate[0] + min(bend[0], 0.0), right_rate[0] - max(bend[1], 0.0)))
    if bend[1] < INFINITE:
        high = min(high, min(left_rate[1] + max(bend[1], 0.0), right_rate[1] - min(bend[0], 0.0)))
    if before == after and before != 0:
        return keeps_sign(before, left, right, (low, high), bend)
    if near:
        return False
    if low >= 0.0 or high <= 0.0:
        return True
    if before * after < 0:
        return bend[0] >= 0.0 or bend[1] <= 0.0
    if before == 0 and after == 0:
        return _is_band(left, right, whole, (low, high), bend)
    if before == 0:
        return _departs(after, left, left_rate, bend)
    return _departs(before, right, (-right_rate[1], -right_rate[0]), bend)


@inlined
def may_be_zero(value: Bounds) -> bool:
    """Whether it may be zero; one that may be anything is not."""
    return -INFINITE < value[0] <= 0.0 <= value[1] < INFINITE
