"""Equations of which some may follow from others, A x = b with m rows: null space and pseudoinverse.

By QR, Householder's reflections of the rows, the longest that is left first; where rows are missing in rank the factor
that is left is taken apart once more (a complete orthogonal decomposition), so that the solution is that of the
pseudoinverse. By SVD, Jacobi's rotations of the columns (Hestenes 1958): A V = U S. By LU, Gauss's elimination with
complete pivoting: its null vectors have ones and zeros in the unknowns without a pivot, and what it solves for is the
basic solution, not the smallest.

Golub and Van Loan, Matrix Computations, sections 5.1, 5.4, 5.5 and 8.6.
"""

from __future__ import annotations

import math
from typing import Final

from detent.algebra.decomposition_frame import DECOMPOSITION, LU, QR, RANK_TOLERANCE
from detent.algebra.elimination_kernel import exchange_rows
from detent.algebra.rank_kernel import basic_solution, null_vector, reduce_by_rank
from detent.jit.intrinsics import as_doubles, as_words, called, record_reader

as_decomposition: Final = record_reader(DECOMPOSITION)

_SWEEPS: Final = 30
"""Rotations converge quadratically; a dozen sweeps suffice for hundreds of columns."""
_ORTHOGONAL: Final = 1e-15
"""Columns whose cosine is smaller are orthogonal."""


# -- reflections ----------------------------------------------------------------------------------


@called
def _length(a, first, last):
    total = 0.0
    for j in range(first, last):
        total += a[j] * a[j]
    return math.sqrt(total)


@called
def _reflect(a, n, k, factor, x, at):
    """The k-th reflection of ``a`` applied to the row that begins at ``x[at]``."""
    total = x[at + k]
    for j in range(k + 1, n):
        total += a[k * n + j] * x[at + j]
    total *= factor
    x[at + k] -= total
    for j in range(k + 1, n):
        x[at + j] -= total * a[k * n + j]


@called
def _longest_left(a, m, n, norms, k):
    """The row of which most is left, relative to what it was; -1 where nothing is."""
    best, size = -1, RANK_TOLERANCE
    for i in range(k, m):
        left = _length(a, i * n + k, i * n + n)
        if left > size * norms[i]:
            best, size = i, left / norms[i]
    return best


@called
def orthogonalise(a, m, n, norms, order, factors):
    """P A = L Q^T in place: L left of and on the diagonal, the reflections of Q right of it. The rank."""
    for i in range(m):
        norms[i], order[i] = _length(a, i * n, i * n + n), i
    for k in range(min(m, n)):
        best = _longest_left(a, m, n, norms, k)
        if best < 0:
            return k
        exchange_rows(a, n, k, best)
        norms[k], norms[best] = norms[best], norms[k]
        order[k], order[best] = order[best], order[k]
        first, length = a[k * n + k], _length(a, k * n + k, k * n + n)
        pivot = -length if first > 0.0 else length
        factors[k] = (pivot - first) / pivot
        for j in range(k + 1, n):
            a[k * n + j] /= first - pivot
        a[k * n + k] = pivot
        for i in range(k + 1, m):
            _reflect(a, n, k, factors[k], a, i * n)
    return min(m, n)


@called
def _turn_back(a, n, rank, factors, x):
    """x <- Q x."""
    for k in range(rank - 1, -1, -1):
        _reflect(a, n, k, factors[k], x, 0)


@called
def _turn(a, n, rank, factors, x):
    """x <- Q^T x."""
    for k in range(rank):
        _reflect(a, n, k, factors[k], x, 0)


@called
def _solve_lower(a, n, size, x):
    """L x = b in place, L in the lower triangle."""
    for i in range(size):
        total = x[i]
        for j in range(i):
            total -= a[i * n + j] * x[j]
        x[i] = total / a[i * n + i]


@called
def _solve_upper(a, n, size, x):
    """L^T x = b in place."""
    for i in range(size - 1, -1, -1):
        total = x[i]
        for j in range(i + 1, size):
            total -= a[j * n + i] * x[j]
        x[i] = total / a[i * n + i]


@called
def _factor_again(d):
    """L^T of m columns, fewer rows: taken apart in its turn where rows follow from others."""
    m, n, rank = d.rows, d.columns, d.rank
    a, other = as_doubles(d.matrix), as_doubles(d.other)
    for k in range(rank):
        for i in range(m):
            other[k * m + i] = a[i * n + k] if i >= k else 0.0
    orthogonalise(
        other, rank, m, as_doubles(d.other_norms), as_words(d.other_order), as_doubles(d.other_factors)
    )  # of full rank


@called
def _smallest_by_reflections(d, b, x):
    m, n, rank = d.rows, d.columns, d.rank
    a, order, work = as_doubles(d.matrix), as_words(d.order), as_doubles(d.work)
    for i in range(m):
        work[i] = b[order[i]]
    for j in range(n):
        x[j] = 0.0
    if rank == m:
        _solve_lower(a, n, rank, work)
        for k in range(rank):
            x[k] = work[k]
    else:
        other, again = as_doubles(d.other), as_words(d.other_order)
        _turn(other, m, rank, as_doubles(d.other_factors), work)
        _solve_upper(other, m, rank, work)
        for k in range(rank):
            x[again[k]] = work[k]
    _turn_back(a, n, rank, as_doubles(d.factors), x)


@called
def _transposed_by_reflections(d, b, x):
    m, n, rank = d.rows, d.columns, d.rank
    a, order, work = as_doubles(d.matrix), as_words(d.order), as_doubles(d.work)
    for j in range(n):
        work[j] = b[j]
    _turn(a, n, rank, as_doubles(d.factors), work)
    if rank == m:
        _solve_upper(a, n, rank, work)
        for i in range(m):
            x[order[i]] = work[i]
        return
    other, again, solved = as_doubles(d.other), as_words(d.other_order), as_doubles(d.norms)
    for i in range(m):
        solved[i] = work[again[i]] if i < rank else 0.0
    _solve_lower(other, m, rank, solved)
    _turn_back(other, m, rank, as_doubles(d.other_factors), solved)
    for i in range(m):
        x[order[i]] = solved[i]


# -- rotations ------------------------------------------------------------------------------------


@called
def _rotate(a, rows, n, p, q, c, s):
    for i in range(rows):
        one, two = a[i * n + p], a[i * n + q]
        a[i * n + p], a[i * n + q] = c * one - s * two, s * one + c * two


@called
def _products(a, rows, n, p, q):
    one, two, both = 0.0, 0.0, 0.0
    for i in range(rows):
        one += a[i * n + p] * a[i * n + p]
        two += a[i * n + q] * a[i * n + q]
        both += a[i * n + p] * a[i * n + q]
    return one, two, both


@called
def _sweep(a, v, m, n, nothing):
    """Rotate every pair of columns once; whether all were orthogonal before."""
    done = True
    for p in range(n - 1):
        for q in range(p + 1, n):
            one, two, both = _products(a, m, n, p, q)
            if abs(both) <= _ORTHOGONAL * math.sqrt(one * two) or abs(both) <= nothing:
                continue
            done = False
            ratio = (two - one) / (2.0 * both)
            t = 1.0 / (abs(ratio) + math.sqrt(1.0 + ratio * ratio))
            if ratio < 0.0:
                t = -t
            c = 1.0 / math.sqrt(1.0 + t * t)
            _rotate(a, m, n, p, q, c, c * t)
            _rotate(v, n, n, p, q, c, c * t)
    return done


@called
def _singular_values(d):
    """A V = U S in place, V in ``other``, the singular values in ``norms``; the rank."""
    m, n = d.rows, d.columns
    a, v, values = as_doubles(d.matrix), as_doubles(d.other), as_doubles(d.norms)
    total = 0.0
    for i in range(m * n):
        total += a[i] * a[i]
    for i in range(n):
        for j in range(n):
            v[i * n + j] = 1.0 if i == j else 0.0
    for _ in range(_SWEEPS):
        if _sweep(a, v, m, n, 1e-32 * total):
            break
    largest, rank = 0.0, 0
    for j in range(n):
        one, _, _ = _products(a, m, n, j, j)
        values[j] = math.sqrt(one)
        largest = max(largest, values[j])
    for j in range(n):
        if values[j] > RANK_TOLERANCE * largest:
            rank += 1
        else:
            values[j] = 0.0
    return rank


@called
def _smallest_by_rotations(d, b, x):
    m, n, a, v, values = d.rows, d.columns, as_doubles(d.matrix), as_doubles(d.other), as_doubles(d.norms)
    for j in range(n):
        x[j] = 0.0
    for k in range(n):
        if values[k] > 0.0:
            total = 0.0
            for i in range(m):
                total += a[i * n + k] * b[i]
            total /= values[k] * values[k]
            for j in range(n):
                x[j] += v[j * n + k] * total


@called
def _transposed_by_rotations(d, b, x):
    m, n, a, v, values = d.rows, d.columns, as_doubles(d.matrix), as_doubles(d.other), as_doubles(d.norms)
    for i in range(m):
        x[i] = 0.0
    for k in range(n):
        if values[k] > 0.0:
            total = 0.0
            for j in range(n):
                total += v[j * n + k] * b[j]
            total /= values[k] * values[k]
            for i in range(m):
                x[i] += a[i * n + k] * total


# -- elimination ----------------------------------------------------------------------------------


@called
def _eliminated(d, right, transposed):
    """The matrix, or its transpose, eliminated in ``other`` together with a right side in ``work``; the rank."""
    m, n, a, other, work = d.rows, d.columns, as_doubles(d.matrix), as_doubles(d.other), as_doubles(d.work)
    rows, columns = (n, m) if transposed else (m, n)
    largest = 0.0
    for i in range(m):
        for j in range(n):
            other[j * m + i if transposed else i * n + j] = a[i * n + j]
            largest = max(largest, abs(a[i * n + j]))
    for i in range(rows):
        work[i] = right[i]
    return reduce_by_rank(other, rows, columns, work, as_words(d.order), RANK_TOLERANCE * largest)


@called
def _by_elimination(d, b, x, transposed):
    rank = _eliminated(d, b, transposed)
    columns = d.rows if transposed else d.columns
    basic_solution(as_doubles(d.other), columns, rank, as_doubles(d.work), as_words(d.order), x)


# -- whichever ------------------------------------------------------------------------------------


@called
def decompose(d):
    """Take the matrix apart; what it was is lost, except to elimination."""
    if d.kind == QR:
        d.rank = orthogonalise(
            as_doubles(d.matrix), d.rows, d.columns, as_doubles(d.norms), as_words(d.order), as_doubles(d.factors)
        )
        if d.rank < d.rows:
            _factor_again(d)
    elif d.kind == LU:
        zeros = as_doubles(d.norms)
        for i in range(d.rows):
            zeros[i] = 0.0
        d.rank = _eliminated(d, zeros, False)
    else:
        d.rank = _singular_values(d)


@called
def particular(d, b, x):
    """x with A x = b: the smallest in the least squares, by elimination the basic one."""
    if d.kind == QR:
        _smallest_by_reflections(d, b, x)
    elif d.kind == LU:
        _by_elimination(d, b, x, False)
    else:
        _smallest_by_rotations(d, b, x)


@called
def transposed(d, b, x):
    """x with A^T x = b, in the same sense."""
    if d.kind == QR:
        _transposed_by_reflections(d, b, x)
    elif d.kind == LU:
        _by_elimination(d, b, x, True)
    else:
        _transposed_by_rotations(d, b, x)


@called
def null_space(d, basis):
    """Right after :func:`decompose`: columns that span the null space, into a matrix of n rows; how many."""
    n, rank = d.columns, d.rank
    count, column = n - rank, as_doubles(d.work)
    place = 0
    for k in range(count):
        if d.kind == QR:
            for i in range(n):
                column[i] = 1.0 if i == rank + k else 0.0
            _turn_back(as_doubles(d.matrix), n, rank, as_doubles(d.factors), column)
        elif d.kind == LU:
            null_vector(as_doubles(d.other), n, rank, rank + k, as_words(d.order), column)
        else:
            v, values = as_doubles(d.other), as_doubles(d.norms)
            while values[place] > 0.0:
                place += 1
            for i in range(n):
                column[i] = v[i * n + place]
            place += 1
        for i in range(n):
            basis[i * count + k] = column[i]
    return count
