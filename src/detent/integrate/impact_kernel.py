"""The impact map of constraints, by dense algebra: ready as soon as the constraints' own program exists.

    M (u+ - u-) = B^T P,        B u+ + C = -e (B u- + C)

as one system for u+ and P, so that speeds which move no mass of their own may take part. Rows that follow from others
get no impulse. Equations and unknowns are brought to one size first, so that it does not matter in which units mass is
measured.
"""

from __future__ import annotations

import math
from typing import Final

from detent.integrate.impact_frame import (
    CHOSEN,
    CONSTRAINTS,
    CONTRADICTION,
    COORDINATES,
    GAIN,
    GIVEN,
    IMPULSES,
    MATRIX,
    NO_RESTITUTION,
    RESTITUTION,
    RESTITUTIONS,
    RIGHT,
    ROWS,
    ROWS_GIVEN,
    SCALES,
    SIGNALS,
    SPEEDS,
    UNSOLVED,
)
from detent.jit.intrinsics import ADDRESSES, as_doubles, as_words, call, called, kernel, read_word

_NOTHING: Final = 1e-11
"""A pivot this small is none, where the largest number of each equation is about one."""
_LOG_2: Final = math.log(2.0)


@called
def _write_equations(head, u):
    """M u+ - B^T P = M u- above, B u+ = -C - e (B u- + C) below."""
    n_q, n, n_s, m = head[COORDINATES], head[SPEEDS], head[SIGNALS], head[ROWS]
    given, rows, restitution = as_doubles(head[GIVEN]), as_doubles(head[ROWS_GIVEN]), as_doubles(head[RESTITUTIONS])
    matrix, right = as_doubles(head[MATRIX]), as_doubles(head[RIGHT])
    size, first = n + m, n_q + n + n_s + 1 + n
    for i in range(n):
        right[i] = 0.0
        for j in range(n):
            a, b = max(i, j), min(i, j)
            value = given[first + a * (a + 1) // 2 + b]
            matrix[i * size + j] = value
            right[i] += value * u[j]
        for k in range(m):
            matrix[i * size + n + k] = -rows[k * n + i]
    for k in range(m):
        constant, velocity = rows[m * n + k], rows[m * n + k]
        for j in range(n):
            matrix[(n + k) * size + j] = rows[k * n + j]
            velocity += rows[k * n + j] * u[j]
        for j in range(m):
            matrix[(n + k) * size + n + j] = 0.0
        right[n + k] = -constant - restitution[k] * velocity


@called
def _power(largest):
    """The power of two that brings a number to about one, 0 where there is none: it costs no rounding."""
    if not 0.0 < largest < math.inf:
        return 0.0
    return math.pow(2.0, -math.floor(math.log(largest) / _LOG_2 + 0.5))


@called
def _choose_scales(head):
    """For a speed the root of its inertia, for a row its largest factor; for a speed without inertia the same of B."""
    n, m = head[SPEEDS], head[ROWS]
    matrix, scales, size = as_doubles(head[MATRIX]), as_doubles(head[SCALES]), head[SPEEDS] + head[ROWS]
    for i in range(size):
        scales[i] = _power(math.sqrt(max(0.0, matrix[i * size + i])))
    for last in range(2):  # first rows of speeds with inertia, then those of speeds without any alone
        for k in range(n, n + m):
            largest = 0.0
            for j in range(n):
                largest = max(largest, abs(matrix[k * size + j]) * scales[j])
            scales[k] = _power(largest)
            if last == 1 and scales[k] == 0.0:
                scales[k] = 1.0
        for i in range(n):
            largest = 0.0
            for k in range(n, n + m):
                largest = max(largest, abs(matrix[k * size + i]) * scales[k])
            if scales[i] == 0.0:
                scales[i] = _power(largest)
            if last == 1 and scales[i] == 0.0:
                scales[i] = 1.0


@called
def _equilibrate(head):
    """Scale equations and unknowns by the same numbers, so that what is small is small in any units."""
    size = head[SPEEDS] + head[ROWS]
    matrix, right, scales = as_doubles(head[MATRIX]), as_doubles(head[RIGHT]), as_doubles(head[SCALES])
    _choose_scales(head)
    for i in range(size):
        right[i] *= scales[i]
        for j in range(size):
            matrix[i * size + j] *= scales[i] * scales[j]


@called
def _energy(head, u):
    """u^T M u / 2."""
    n = head[SPEEDS]
    given, first = as_doubles(head[GIVEN]), head[COORDINATES] + n + head[SIGNALS] + 1 + n
    total = 0.0
    for i in range(n):
        for j in range(n):
            a, b = max(i, j), min(i, j)
            total += 0.5 * given[first + a * (a + 1) // 2 + b] * u[i] * u[j]
    return total


@called
def _judge(head, before, after):
    """0, or what is wrong with an impact that was worked out."""
    n, m = head[SPEEDS], head[ROWS]
    rows, restitution = as_doubles(head[ROWS_GIVEN]), as_doubles(head[RESTITUTIONS])
    still = True
    for k in range(m):
        still = still and rows[m * n + k] == 0.0
        if not 0.0 <= restitution[k] <= 1.0:
            return NO_RESTITUTION
    energy = _energy(head, before)
    return GAIN if still and _energy(head, after) > (1.0 + 1e-9) * energy + 1e-300 else 0


@called
def _eliminate(size, matrix, right, chosen):
    """Gauss's elimination with the largest pivot of each column; chosen[j] is its row, -1 where there is none."""
    done = 0
    for j in range(size):
        best = done
        for i in range(done, size):
            if abs(matrix[i * size + j]) > abs(matrix[best * size + j]):
                best = i
        chosen[j] = -1
        if done == size or not abs(matrix[best * size + j]) > _NOTHING:
            continue
        for k in range(size):
            matrix[best * size + k], matrix[done * size + k] = matrix[done * size + k], matrix[best * size + k]
        right[best], right[done] = right[done], right[best]
        for i in range(done + 1, size):
            factor = matrix[i * size + j] / matrix[done * size + j]
            if factor != 0.0:
                for k in range(j, size):
                    matrix[i * size + k] -= factor * matrix[done * size + k]
                right[i] -= factor * right[done]
        chosen[j] = done
        done += 1
    return done


@called
def _substitute(size, matrix, right, chosen):
    """The solution into ``right`` by column, zero where there was no pivot; how far the rows left over miss zero."""
    done = 0
    for j in range(size):
        if chosen[j] >= 0:
            done += 1
    missed = 0.0
    for i in range(done, size):
        missed = max(missed, abs(right[i]))
    for back in range(size):
        j = size - 1 - back
        row = chosen[j]
        if row < 0:
            continue
        total = right[row]
        for k in range(j + 1, size):
            if chosen[k] >= 0:
                total -= matrix[row * size + k] * right[chosen[k]]
        right[row] = total / matrix[row * size + j]
    return missed


@kernel(ADDRESSES)
def strike(context, time, state, values, out):
    """out = the state after an impact against the constraints that ``context`` describes."""
    head = as_words(context)
    n_q, n, m = head[COORDINATES], head[SPEEDS], head[ROWS]
    given, result = as_doubles(state), as_doubles(out)
    for i in range(n_q + n + head[SIGNALS] + 1):
        result[i] = given[i]
    status = call(read_word(head[UNSOLVED]), as_words(head[UNSOLVED])[1], time, state, values, head[GIVEN])
    if status == 0:
        cell = as_words(head[CONSTRAINTS])
        status = call(read_word(head[CONSTRAINTS]), cell[1], time, state, values, head[ROWS_GIVEN])
    if status == 0:
        cell = as_words(head[RESTITUTION])
        status = call(read_word(head[RESTITUTION]), cell[1], time, state, values, head[RESTITUTIONS])
    if status != 0:
        return status
    size = n + m
    matrix, right, chosen = as_doubles(head[MATRIX]), as_doubles(head[RIGHT]), as_words(head[CHOSEN])
    _write_equations(head, as_doubles(state + 8 * n_q))
    _equilibrate(head)
    scale = 0.0
    for i in range(size):
        scale = max(scale, abs(right[i]))
    _eliminate(size, matrix, right, chosen)
    missed = _substitute(size, matrix, right, chosen)
    if not missed <= 1e-8 * scale:
        return CONTRADICTION
    impulses, scales = as_doubles(head[IMPULSES]), as_doubles(head[SCALES])
    for j in range(size):
        value = scales[j] * right[chosen[j]] if chosen[j] >= 0 else 0.0
        if j < n:
            result[n_q + j] = value
        else:
            impulses[j - n] = value
    return _judge(head, as_doubles(state + 8 * n_q), as_doubles(out + 8 * n_q))
