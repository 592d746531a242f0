"""Gauss's elimination. Matrices lie row by row, each row as wide as its caller says.

How pivots are looked for differs from caller to caller, and with it what may be lost to rounding; how a row is taken
from another does not.
"""

from __future__ import annotations

from detent.jit.intrinsics import called, inlined


@inlined
def exchange_rows(matrix, width, one, other):
    """Each row where the other was."""
    for j in range(width):
        matrix[one * width + j], matrix[other * width + j] = matrix[other * width + j], matrix[one * width + j]


@inlined
def subtract_row(matrix, width, row, factor, other, first):
    """row -= factor * other, from the column ``first`` on."""
    for j in range(first, width):
        matrix[row * width + j] -= factor * matrix[other * width + j]


@inlined
def largest_in_column(matrix, width, column, first, last):
    """The row from ``first`` to before ``last`` with the largest entry of a column; of equal ones the first."""
    best = first
    for i in range(first + 1, last):
        if abs(matrix[i * width + column]) > abs(matrix[best * width + column]):
            best = i
    return best


@inlined
def _solve_one(a, b, k):
    """One equation, as :func:`solve` does it."""
    pivot = a[0]
    if not abs(pivot) > 1e-300:
        return 0
    for j in range(k):
        b[j] = b[j] / pivot
    return -1 if pivot < 0.0 else 1


@inlined
def _solve_two(a, b, k):
    """Two equations, as :func:`solve` does them, operation by operation."""
    sign = 1
    if abs(a[2]) > abs(a[0]):
        sign = -1
        exchange_rows(a, 2, 1, 0)
        exchange_rows(b, k, 1, 0)
    first = a[0]
    if not abs(first) > 1e-300:
        return 0
    factor = a[2] / first
    last = a[3]
    if factor != 0.0:
        last -= factor * a[1]
        for j in range(k):
            b[k + j] -= factor * b[j]
    if not abs(last) > 1e-300:
        return 0
    for j in range(k):
        b[k + j] = b[k + j] / last
        b[j] = (b[j] - a[1] * b[k + j]) / first
    if first < 0.0:
        sign = -sign
    return -sign if last < 0.0 else sign


@called
def solve(a, n, b, k):
    """A X = B in place, with row pivoting; B has k columns. The sign of det A, 0 where it is singular.

    One or two equations, most of what contacts and joints ask for, go without the loops: the same operations.
    """
    if n == 1:
        return _solve_one(a, b, k)
    if n == 2:
        return _solve_two(a, b, k)
    sign = 1
    for column in range(n):
        best = largest_in_column(a, n, column, column, n)
        pivot = a[best * n + column]
        if not abs(pivot) > 1e-300:
            return 0
        if pivot < 0.0:
            sign = -sign
        if best != column:
            sign = -sign
            exchange_rows(a, n, best, column)
            exchange_rows(b, k, best, column)
        for i in range(column + 1, n):
            factor = a[i * n + column] / pivot
            if factor != 0.0:
                subtract_row(a, n, i, factor, column, column + 1)
                subtract_row(b, k, i, factor, column, 0)
    for i in range(n - 1, -1, -1):
        for j in range(k):
            total = b[i * k + j]
            for c in range(i + 1, n):
                total -= a[i * n + c] * b[c * k + j]
            b[i * k + j] = total / a[i * n + i]
    return sign


@called
def last_pivot(matrix, m, n):
    """The size of the last pivot of m rows and n columns, with complete pivoting, in place; 0 where there are fewer."""
    size = 0.0
    for rank in range(min(m, n)):
        size, row, column = 0.0, rank, rank
        for i in range(rank, m):
            for j in range(rank, n):
                if abs(matrix[i * n + j]) > size:
                    size, row, column = abs(matrix[i * n + j]), i, j
        if size == 0.0:
            return 0.0
        exchange_rows(matrix, n, rank, row)
        for i in range(m):
            matrix[i * n + rank], matrix[i * n + column] = matrix[i * n + column], matrix[i * n + rank]
        for i in range(rank + 1, m):
            subtract_row(matrix, n, i, matrix[i * n + rank] / matrix[rank * n + rank], rank, rank)
    return size
