"""The impact map of constraints, by dense algebra: ready as soon as the constraints' own program exists.

    M (u+ - u-) = B^T P,        B u+ + C = -e (B u- + C)

as one system for u+ and P, so that speeds which move no mass of their own may take part. Where rows follow from others
P is not unique, and the one with the smallest sum of squares is taken. Equations and unknowns are brought to one size
first, so that it does not matter in which units mass is measured.
"""

from __future__ import annotations

import math
from typing import Final

from detent.algebra.elimination_kernel import exchange_rows, largest_in_column, subtract_row
from detent.algebra.factorisation_kernel import in_triangle
from detent.jit.abi import WORD
from detent.jit.intrinsics import (
    ADDRESSES,
    as_doubles,
    as_words,
    call_cell,
    called,
    kernel,
    record_reader,
)
from detent.solves.impact_frame import CONTRADICTION, GAIN, NO_RESTITUTION, STRUCK

_as_struck: Final = record_reader(STRUCK)

_NOTHING: Final = 1e-11
"""A pivot this small is none, where the largest number of each equation is about one."""
_LOG_2: Final = math.log(2.0)


@called
def _write_equations(head, u):
    """M u+ - B^T P = M u- above, B u+ = -C - e (B u- + C) below."""
    n_q, n, n_s, m = head.coordinates, head.speeds, head.signals, head.rows
    given, rows, restitution = as_doubles(head.given), as_doubles(head.rows_given), as_doubles(head.restitutions)
    matrix, right = as_doubles(head.matrix), as_doubles(head.right)
    size, first = n + m, n_q + n + n_s + 1 + n
    for i in range(n):
        right[i] = 0.0
        for j in range(n):
            value = given[first + in_triangle(i, j)]
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
    n, m = head.speeds, head.rows
    matrix, scales, size = as_doubles(head.matrix), as_doubles(head.scales), head.speeds + head.rows
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
    size = head.speeds + head.rows
    matrix, right, scales = as_doubles(head.matrix), as_doubles(head.right), as_doubles(head.scales)
    _choose_scales(head)
    for i in range(size):
        right[i] *= scales[i]
        for j in range(size):
            matrix[i * size + j] *= scales[i] * scales[j]


@called
def _energy(head, u):
    """u^T M u / 2."""
    n = head.speeds
    given, first = as_doubles(head.given), head.coordinates + n + head.signals + 1 + n
    total = 0.0
    for i in range(n):
        for j in range(n):
            total += 0.5 * given[first + in_triangle(i, j)] * u[i] * u[j]
    return total


@called
def _judge(head, before, after):
    """0, or what is wrong with an impact that was worked out."""
    n, m = head.speeds, head.rows
    rows, restitution = as_doubles(head.rows_given), as_doubles(head.restitutions)
    still = True
    for k in range(m):
        still = still and rows[m * n + k] == 0.0
        if not 0.0 <= restitution[k] <= 1.0:
            return NO_RESTITUTION
    energy = _energy(head, before)
    return GAIN if still and _energy(head, after) > (1.0 + 1e-9) * energy + 1e-300 else 0


@called
def _pivot(head, done, row, column, first):
    """Eliminate a column from the equations after the ``done``-th, which becomes ``row``; from column ``first`` on."""
    size, matrix, right = head.speeds + head.rows, as_doubles(head.matrix), as_doubles(head.right)
    exchange_rows(matrix, size, row, done)
    right[row], right[done] = right[done], right[row]
    for i in range(done + 1, size):
        factor = matrix[i * size + column] / matrix[done * size + column]
        if factor != 0.0:
            subtract_row(matrix, size, i, factor, done, first)
            right[i] -= factor * right[done]
            matrix[i * size + column] = 0.0
    as_words(head.chosen)[done] = column


@called
def _eliminate(head):
    """Gauss's elimination; how many pivots there are. chosen[i] is the column of the i-th, then of those without any.

    Speeds come in their order, each with its largest number; then impulses, the largest number of all first, so that
    no small pivot is taken where a larger one would do, whatever the order of the rows.
    """
    n, size = head.speeds, head.speeds + head.rows
    matrix, chosen, done = as_doubles(head.matrix), as_words(head.chosen), 0
    for j in range(n):
        best = largest_in_column(matrix, size, j, done, size)
        if abs(matrix[best * size + j]) > _NOTHING:
            _pivot(head, done, best, j, j)
            done += 1
    for _ in range(n, size):
        best, column, largest = -1, -1, _NOTHING
        for i in range(done, size):
            for j in range(n, size):
                if abs(matrix[i * size + j]) > largest:
                    best, column, largest = i, j, abs(matrix[i * size + j])
        if best < 0:
            break
        _pivot(head, done, best, column, n)
        done += 1
    left = done
    for j in range(size):
        has_pivot = False
        for i in range(done):
            has_pivot = has_pivot or chosen[i] == j
        if not has_pivot:
            chosen[left] = j
            left += 1
    return done


@called
def _substitute(head, done):
    """The unknown of each pivot into ``right``; how far the equations left over miss zero."""
    size = head.speeds + head.rows
    matrix, right, chosen = as_doubles(head.matrix), as_doubles(head.right), as_words(head.chosen)
    missed = 0.0
    for i in range(done, size):
        missed = max(missed, abs(right[i]))
    for back in range(done):
        i = done - 1 - back
        total = right[i]
        for k in range(i + 1, done):
            total -= matrix[i * size + chosen[k]] * right[k]
        right[i] = total / matrix[i * size + chosen[i]]
    return missed


@called
def _exchange(head, done, free, exchange):
    """The impulses that go with one of the ``free``-th column and move nothing, B^T z = 0."""
    n, m, size = head.speeds, head.rows, head.speeds + head.rows
    matrix, chosen, scales = as_doubles(head.matrix), as_words(head.chosen), as_doubles(head.scales)
    for j in range(m):
        exchange[j] = 0.0
    exchange[chosen[free] - n] = 1.0
    for back in range(done):
        i = done - 1 - back
        if chosen[i] < n:  # speeds have no part in it: M du = B^T z and B du = 0 leave none
            break
        total = -matrix[i * size + chosen[free]]
        for k in range(i + 1, done):
            total -= matrix[i * size + chosen[k]] * exchange[chosen[k] - n]
        exchange[chosen[i] - n] = total / matrix[i * size + chosen[i]]
    for j in range(m):
        exchange[j] *= scales[n + j]


@called
def _normalise(count, exchange):
    """Length one, whatever units the numbers are in."""
    largest = 0.0
    for j in range(count):
        largest = max(largest, abs(exchange[j]))
    total = 0.0
    for j in range(count):
        exchange[j] /= largest
        total += exchange[j] * exchange[j]
    for j in range(count):
        exchange[j] /= math.sqrt(total)


@called
def _take_out(count, along, vector):
    """Leave nothing of a vector along another one of length one."""
    total = 0.0
    for j in range(count):
        total += along[j] * vector[j]
    for j in range(count):
        vector[j] -= total * along[j]


@called
def _share(head, done):
    """Where rows follow from others, of all impulses that do the same those with the smallest sum of squares.

    So equally stiff supports share a load; equal rows get equal impulses, in whatever order they are declared. It is
    what remains when all exchanges between the rows, made orthogonal by Gram and Schmidt, are taken out.
    """
    n, m = head.speeds, head.rows
    chosen, impulses, found = as_words(head.chosen), as_doubles(head.impulses), 0
    for free in range(done, n + m):
        if chosen[free] < n:
            continue
        exchange = as_doubles(head.exchanges + WORD * found * m)
        _exchange(head, done, free, exchange)
        _normalise(m, exchange)
        for _ in range(2):  # once more, for what rounding left
            for other in range(found):
                _take_out(m, as_doubles(head.exchanges + WORD * other * m), exchange)
        _normalise(m, exchange)
        found += 1
    for _ in range(2):
        for other in range(found):
            _take_out(m, as_doubles(head.exchanges + WORD * other * m), impulses)


@called
def _write_result(head, done, result):
    """The speeds after the impact, and the impulses; 0 where nothing says what they are."""
    n, m = head.speeds, head.rows
    right, chosen, scales = as_doubles(head.right), as_words(head.chosen), as_doubles(head.scales)
    impulses = as_doubles(head.impulses)
    for i in range(n + m):
        value = scales[chosen[i]] * right[i] if i < done else 0.0
        if chosen[i] < n:
            result[head.coordinates + chosen[i]] = value
        else:
            impulses[chosen[i] - n] = value
    _share(head, done)


@kernel(ADDRESSES)
def strike(context, time, state, values, out):
    """out = the state after an impact against the constraints that ``context`` describes."""
    head = _as_struck(context)
    n_q, n, m = head.coordinates, head.speeds, head.rows
    given, result = as_doubles(state), as_doubles(out)
    for i in range(n_q + n + head.signals + 1):
        result[i] = given[i]
    status = call_cell(head.unsolved, time, state, values, head.given)
    if status == 0:
        status = call_cell(head.constraints, time, state, values, head.rows_given)
    if status == 0 and head.restitution != 0:
        status = call_cell(head.restitution, time, state, values, head.restitutions)
    if status != 0:
        return status
    _write_equations(head, as_doubles(state + WORD * n_q))
    _equilibrate(head)
    right, scale = as_doubles(head.right), 0.0
    for i in range(n + m):
        scale = max(scale, abs(right[i]))
    done = _eliminate(head)
    if not _substitute(head, done) <= 1e-8 * scale:
        return CONTRADICTION
    _write_result(head, done, result)
    return _judge(head, as_doubles(state + WORD * n_q), as_doubles(out + WORD * n_q))
