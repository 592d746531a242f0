"""Rows of constraints in coordinates in which M is one: what all kernels of :mod:`detent.solves.full_solve` begin with.

M = L L^T; in the coordinates y = L^T u the mass is one and the rows are C = B L^-T, so that the smallest change by mass
is the smallest by length, and the pseudoinverse of C finds it whether or not some rows follow from others.
"""

from __future__ import annotations

from typing import Final

from detent.algebra.decomposition_kernel import as_decomposition, decompose
from detent.algebra.elimination_kernel import solve
from detent.algebra.factorisation_kernel import factorise, in_triangle, solve_lower
from detent.jit.intrinsics import as_doubles, as_words, called, record_reader
from detent.solves import full_frame as at

as_numbers: Final = record_reader(at.NUMBERS)
_SINGULAR_PIVOT: Final = 1e-13
"""A pivot of M that is smaller, relative to the entry it came from, is rounding."""


@called
def _is_definite(head, lower):
    """Factorise M, which stands in ``triangle``; whether it could be."""
    n, triangle, given = head.speeds, as_doubles(head.triangle), as_doubles(head.given)
    if not factorise(triangle, n):
        return False
    for i in range(n):
        pivot = triangle[in_triangle(i, i)]
        if not pivot * pivot > _SINGULAR_PIVOT * given[lower + in_triangle(i, i)]:
            return False
    return True


@called
def factorise_mass(head):
    """M = L L^T. Where M is singular, s B^T B is added, which changes no smallest change: s, or -1 where that fails."""
    n, m = head.speeds, head.rows
    given, triangle, rows = as_doubles(head.given), as_doubles(head.triangle), as_doubles(head.B)
    lower = head.coordinates + 2 * n + head.signals + 1
    size = n * (n + 1) // 2
    for k in range(size):
        triangle[k] = given[lower + k]
    if _is_definite(head, lower):
        return 0.0
    mass, bound = 0.0, 0.0
    for i in range(n):
        mass += given[lower + in_triangle(i, i)]
    for k in range(m * n):
        bound += rows[k] * rows[k]
    if not bound > 0.0:
        return -1.0
    scale = mass / bound if mass > 0.0 else 1.0
    for i in range(n):
        for j in range(i + 1):
            total = given[lower + in_triangle(i, j)]
            for r in range(m):
                total += scale * rows[r * n + i] * rows[r * n + j]
            triangle[in_triangle(i, j)] = total
    return scale if factorise(triangle, n) else -1.0


@called
def weight_rows(head, rows, out):
    """C = B L^-T, row by row."""
    n, triangle = head.speeds, as_doubles(head.triangle)
    for i in range(head.rows):
        for j in range(n):
            out[i * n + j] = rows[i * n + j]
        solve_lower(triangle, n, out, i * n)


@called
def take_apart(head, rows):
    """Take all of some rows apart."""
    d = as_decomposition(head.decomposition)
    matrix = as_doubles(d.matrix)
    d.rows = head.rows
    for k in range(head.rows * head.speeds):
        matrix[k] = rows[k]
    decompose(d)


@called
def take_configurations_apart(head):
    """The same with the weighted rows that bind the configuration."""
    n, d = head.speeds, as_decomposition(head.decomposition)
    matrix, weighted, numbers = as_doubles(d.matrix), as_doubles(head.weighted), as_words(head.configurations)
    d.rows = head.configuration_count
    for i in range(head.configuration_count):
        for j in range(n):
            matrix[i * n + j] = weighted[numbers[i] * n + j]
    decompose(d)


@called
def along_row(rows, i, n, x):
    total = 0.0
    for j in range(n):
        total += rows[i * n + j] * x[j]
    return total


@called
def push_sign(head):
    """(C C'^T) lambda = rest, solved in ``rest``: the sign of the determinant."""
    n, m = head.speeds, head.rows
    weighted, pushed, square = as_doubles(head.weighted), as_doubles(head.pushed), as_doubles(head.square)
    weight_rows(head, as_doubles(head.B), weighted)
    weight_rows(head, as_doubles(head.reaction), pushed)
    for i in range(m):
        for k in range(m):
            total = 0.0
            for j in range(n):
                total += weighted[i * n + j] * pushed[k * n + j]
            square[i * m + k] = total
    return solve(square, m, as_doubles(head.rest), 1)


@called
def velocity_residuals(head, x, out):
    """B u + C."""
    n_q, n, m = head.coordinates, head.speeds, head.rows
    rows, constant = as_doubles(head.B), as_doubles(head.C)
    for i in range(m):
        total = constant[i]
        for j in range(n):
            total += rows[i * n + j] * x[n_q + j]
        out[i] = total
