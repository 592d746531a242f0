"""Symmetric matrices, as their lower triangle row by row: where an entry is, and Cholesky's factorisation."""

from __future__ import annotations

import math

from detent.jit.intrinsics import called, inlined


@inlined
def in_triangle(one, other):
    """The place of an entry, in whatever order its row and its column are given."""
    row, column = max(one, other), min(one, other)
    return row * (row + 1) // 2 + column


@called
def factorise(triangle, n):
    """A = L L^T in place; False where A is not positive definite."""
    for i in range(n):
        row = in_triangle(i, 0)
        for j in range(i + 1):
            other = in_triangle(j, 0)
            total = triangle[row + j]
            for k in range(j):
                total -= triangle[row + k] * triangle[other + k]
            if i == j:
                if not total > 0.0:
                    return False
                triangle[row + i] = math.sqrt(total)
            else:
                triangle[row + j] = total / triangle[other + j]
    return True


@called
def solve_lower(triangle, n, x, first):
    """L y = x in place, from x[first] on."""
    for i in range(n):
        row, total = in_triangle(i, 0), x[first + i]
        for k in range(i):
            total -= triangle[row + k] * x[first + k]
        x[first + i] = total / triangle[row + i]


@called
def solve_upper(triangle, n, x):
    """L^T y = x in place."""
    for i in range(n - 1, -1, -1):
        total = x[i]
        for k in range(i + 1, n):
            total -= triangle[in_triangle(k, i)] * x[k]
        x[i] = total / triangle[in_triangle(i, i)]


@called
def solve_factorised(triangle, n, b):
    """L L^T x = b in place."""
    solve_lower(triangle, n, b, 0)
    solve_upper(triangle, n, b)
