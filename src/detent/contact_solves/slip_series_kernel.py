"""Slip that turns, in space: its Taylor series.

With the slip r, its direction (c, s) and a time of its own, dp = r dtau, the equations of slip become polynomial,

    c' = -s h,    s' = c h,    r' = g r,    v_n' = r k,    p' = r,    work' = r v_n,    k = a - mu b.(c, s),

and stay regular where slip stops, which takes forever; but long before that slip follows a line
(:func:`detent.contact_solves.slip_kernel.follows_a_line`), and is left to it. Their Taylor series follow term by term
from products of series. A step goes as far as the last terms are below rounding; the end of a stage is a root of the
polynomial, as exact as the step itself.
"""

from __future__ import annotations

import math
from typing import Final

from detent.contact_solves.impact_laws_kernel import IMPULSE, SPEED, left_to_restore, restitution_measure
from detent.contact_solves.polynomial_kernel import crossing, value_at
from detent.contact_solves.rest_kernel import plane_length
from detent.contact_solves.single_impact_frame import COMPRESSION, ORDER, SERIES, ImpactEnd
from detent.contact_solves.slip_kernel import strength
from detent.contact_solves.stage_kernel import account, end_stage
from detent.jit.abi import EPSILON, WORD
from detent.jit.intrinsics import as_doubles, called, inlined

_C, _S, _R, _V, _P, _P_1, _P_2, _WORK, _F_1, _F_2, _H, _G, _K = range(SERIES)
"""The number of each series."""
_NEAR: Final = 1e-8
"""An angle whose square is rounding."""


@inlined
def _series(room, number):
    return as_doubles(room + WORD * (ORDER + 1) * number)


@inlined
def _begin(head, room):
    """The constant terms."""
    _series(room, _C)[0], _series(room, _S)[0] = head.s_1, head.s_2
    _series(room, _R)[0], _series(room, _V)[0] = head.slip, head.v_n
    _series(room, _P)[0] = _series(room, _P_1)[0] = _series(room, _P_2)[0] = _series(room, _WORK)[0] = 0.0


@inlined
def _drive(head, room, unit, j):
    """The j-th terms of f, h, g and k, from those of c and s up to there."""
    c, s, f_1, f_2 = _series(room, _C), _series(room, _S), _series(room, _F_1), _series(room, _F_2)
    mu = head.friction
    f_1[j] = -unit * mu * (head.W_11 * c[j] + head.W_12 * s[j])
    f_2[j] = -unit * mu * (head.W_12 * c[j] + head.W_22 * s[j])
    k = -unit * mu * (head.W_n1 * c[j] + head.W_n2 * s[j])
    if j == 0:
        f_1[0] += unit * head.W_n1
        f_2[0] += unit * head.W_n2
        k += unit * head.W_nn
    h, g = 0.0, 0.0
    for i in range(j + 1):
        h += c[i] * f_2[j - i] - s[i] * f_1[j - i]
        g += c[i] * f_1[j - i] + s[i] * f_2[j - i]
    _series(room, _H)[j], _series(room, _G)[j], _series(room, _K)[j] = h, g, k


@inlined
def _next_terms(head, room, unit, j):
    """The terms j + 1 of what changes, from the j-th of its rates."""
    c, s, r, v = _series(room, _C), _series(room, _S), _series(room, _R), _series(room, _V)
    h, g, k = _series(room, _H), _series(room, _G), _series(room, _K)
    turn_c, turn_s, growth, rise, along, across, work = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for i in range(j + 1):
        turn_c -= s[i] * h[j - i]
        turn_s += c[i] * h[j - i]
        growth += r[i] * g[j - i]
        rise += r[i] * k[j - i]
        along += r[i] * c[j - i]
        across += r[i] * s[j - i]
        work += r[i] * v[j - i]
    part = 1.0 / (j + 1)
    c[j + 1], s[j + 1], r[j + 1], v[j + 1] = part * turn_c, part * turn_s, part * growth, part * rise
    _series(room, _P)[j + 1], _series(room, _WORK)[j + 1] = part * unit * r[j], part * unit * work
    _series(room, _P_1)[j + 1] = -part * unit * head.friction * along
    _series(room, _P_2)[j + 1] = -part * unit * head.friction * across


@called
def _expand(head, room):
    """All series. Time is in units of 1/|f|, so that terms are of one size whatever the masses."""
    unit = 1.0 / strength(head)
    _begin(head, room)
    for j in range(ORDER):
        _drive(head, room, unit, j)
        _next_terms(head, room, unit, j)
    k, c, s, mu = _series(room, _K), _series(room, _C), _series(room, _S), head.friction
    k[ORDER] = -unit * mu * (head.W_n1 * c[ORDER] + head.W_n2 * s[ORDER])


@inlined
def _largest(one, other, j):
    """The larger of the j-th terms of two series."""
    return max(abs(one[j]), abs(other[j]))


@called
def _step(head, room):
    """How far the last two terms of all series are below rounding, each relative to what it is added to.

    Products of series converge more slowly than their factors; so what is worked out of them counts too.
    """
    step, size = math.inf, head.size
    impulse, work = size / strength(head), size * size / strength(head)
    for j in range(ORDER - 1, ORDER + 1):
        largest = max(
            _largest(_series(room, _C), _series(room, _S), j),
            _largest(_series(room, _R), _series(room, _V), j) / size,
            _largest(_series(room, _P_1), _series(room, _P_2), j) / (impulse * max(1.0, head.friction)),
            abs(_series(room, _WORK)[j]) / work,
        )
        if largest > 0.0:
            step = min(step, math.pow(EPSILON / largest, 1.0 / j))
    return step


@called
def _until_approach_turns(head, room, step):
    """Not beyond where slip passes the direction of b: between such places v_n turns at most once.

    Only where friction could make v_n fall at all.
    """
    most = plane_length(head.W_n1, head.W_n2)
    if head.friction * most <= head.W_nn:
        return step
    c, s, across = _series(room, _C), _series(room, _S), _series(room, _F_1)  # f is not needed any more
    for j in range(ORDER + 1):
        across[j] = head.W_n1 * s[j] - head.W_n2 * c[j]
    before, after = across[0], value_at(across, ORDER, step)
    if abs(before) > _NEAR * most and before * after < 0.0:
        return crossing(across, ORDER, 0.0, 0.0, step)
    return step


@called
def _reaches(room, level, sign, step):
    """Where v_n first comes to a level, from below (``sign`` 1) or above (-1); infinite where it does not on the step.

    It turns at most once on the way. What starts at the level and goes away from it may come back to it.
    """
    v, k = _series(room, _V), _series(room, _K)
    first, last = sign * k[0], sign * value_at(k, ORDER, step)
    if first >= 0.0 and sign * (v[0] - level) >= 0.0:
        return 0.0
    low, high = 0.0, step
    if first >= 0.0 > last:
        high = crossing(k, ORDER, 0.0, 0.0, step)
    elif first < 0.0 < last:
        low = crossing(k, ORDER, 0.0, 0.0, step)
    elif first < 0.0:
        return math.inf
    if sign * (value_at(v, ORDER, high) - level) < 0.0:
        return math.inf
    return crossing(v, ORDER, level, low, high)


@called
def _restored_at(head, room, step):
    """Where all is given back."""
    left, kind = left_to_restore(head), restitution_measure(head)
    if kind == SPEED:
        return _reaches(room, head.v_n + left, 1.0, step)
    series = _series(room, _P) if kind == IMPULSE else _series(room, _WORK)
    if left <= 0.0:
        return 0.0
    return crossing(series, ORDER, left, 0.0, step) if value_at(series, ORDER, step) >= left else math.inf


@called
def _move(head, room, x):
    """To a place on the step."""
    account(head, value_at(_series(room, _P), ORDER, x), value_at(_series(room, _WORK), ORDER, x))
    head.P_1 += value_at(_series(room, _P_1), ORDER, x)
    head.P_2 += value_at(_series(room, _P_2), ORDER, x)
    head.v_n = value_at(_series(room, _V), ORDER, x)
    head.slip = value_at(_series(room, _R), ORDER, x)
    c, s = value_at(_series(room, _C), ORDER, x), value_at(_series(room, _S), ORDER, x)
    size = plane_length(c, s)
    head.s_1, head.s_2 = c / size, s / size


@called
def slip_along_a_curve(head, room):
    """One step of slip, to the end of the stage if that comes first."""
    _expand(head, room)
    step = _until_approach_turns(head, room, _step(head, room))
    if not 0.0 < step < math.inf:
        head.outcome = ImpactEnd.NOT_CONVERGED
        return
    if head.stage == COMPRESSION:
        restored, falls = _reaches(room, 0.0, 1.0, step), math.inf
    else:
        falls = _reaches(room, 0.0, -1.0, step)
        restored = _restored_at(head, room, min(step, falls))
    ends = min(restored, falls)
    _move(head, room, min(step, ends))
    if ends < math.inf:
        end_stage(head, falls < restored)
