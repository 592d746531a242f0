"""Gauss's elimination with complete pivoting, for equations of which some may follow from others."""

from __future__ import annotations

from detent.algebra.elimination_kernel import exchange_rows, subtract_row
from detent.jit.intrinsics import called


@called
def reduce_by_rank(matrix, rows, columns, right, order, least):
    """Eliminate in place, the largest entry first; how many pivots above ``least`` there are.

    Columns change places: ``order`` says which each was, those of the pivots first. ``right`` goes along, a number per
    row.
    """
    for j in range(columns):
        order[j] = j
    for done in range(min(rows, columns)):
        size, row, column = least, -1, -1
        for i in range(done, rows):
            for j in range(done, columns):
                if abs(matrix[i * columns + j]) > size:
                    size, row, column = abs(matrix[i * columns + j]), i, j
        if row < 0:
            return done
        exchange_rows(matrix, columns, done, row)
        right[done], right[row] = right[row], right[done]
        order[done], order[column] = order[column], order[done]
        for i in range(rows):
            k = i * columns
            matrix[k + done], matrix[k + column] = matrix[k + column], matrix[k + done]
        for i in range(done + 1, rows):
            factor = matrix[i * columns + done] / matrix[done * columns + done]
            if factor != 0.0:
                subtract_row(matrix, columns, i, factor, done, done)
                right[i] -= factor * right[done]
    return min(rows, columns)


@called
def basic_solution(matrix, columns, rank, right, order, x):
    """After :func:`reduce_by_rank`: the solution in which unknowns without a pivot are zero."""
    for j in range(columns):
        x[j] = 0.0
    for i in range(rank - 1, -1, -1):
        total = right[i]
        for k in range(i + 1, rank):
            total -= matrix[i * columns + k] * x[order[k]]
        x[order[i]] = total / matrix[i * columns + i]


@called
def null_vector(matrix, columns, rank, free, order, x):
    """After :func:`reduce_by_rank`: the solution of A x = 0 in which unknown ``order[free]``, without a pivot, is 1."""
    for j in range(columns):
        x[j] = 0.0
    x[order[free]] = 1.0
    for i in range(rank - 1, -1, -1):
        total = -matrix[i * columns + free]
        for k in range(i + 1, rank):
            total -= matrix[i * columns + k] * x[order[k]]
        x[order[i]] = total / matrix[i * columns + i]
