"""States and rates as the kernels that solve for constraints read and write them, whatever they do in between."""

from __future__ import annotations

from typing import Final

from detent.jit.intrinsics import as_doubles, called, inlined

_ROUNDING: Final = 1e-15
_NO_NUMBER: Final = 1e300


@inlined
def copy_state(head, source, target):
    """The whole state, with the work done on it, from one address to another."""
    given, x = as_doubles(source), as_doubles(target)
    for i in range(head.coordinates + head.speeds + head.signals + 1):
        x[i] = given[i]


@inlined
def largest_of(numbers, count):
    """The largest of some numbers without their signs."""
    worst = 0.0
    for i in range(count):
        worst = max(worst, abs(numbers[i]))
    return worst


@inlined
def is_settled(worst, before):
    """Whether residuals are as good as they get, or nothing that another correction could mend."""
    return worst <= _ROUNDING or worst > 0.5 * before or not worst < _NO_NUMBER


@called
def write_plain_rates(head, out):
    """out = (q', u', s', power) but for the power of reactions."""
    n_q, n, n_s = head.coordinates, head.speeds, head.signals
    given, rate = as_doubles(head.given), as_doubles(head.rate)
    for i in range(n_q + n + n_s):
        out[i] = given[i]
    for j in range(n):
        out[n_q + j] = rate[j]
    power = n_q + n + n_s
    total = given[power]
    for j in range(n):
        total += given[power + 1 + j] * rate[j]
    out[power] = total
