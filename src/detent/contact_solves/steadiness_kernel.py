"""Whether the forces of a solution are steady: what can be followed, of several motions.

With statuses as they are, forces answer to what they do by a matrix E G B: B pushes along a normal with its friction, E
reads what must not move. Without friction that slides it is that of a mass, and its determinant is positive. Where
friction makes that negative (one contact: W_nn < mu W_nt), a force draws in what it should push apart: the least change
of it would grow without bound, and nothing follows such a motion. Signs of determinants of all solutions add up to a
number that does not depend on the loads (the degree of the map), so where such a solution is, others mostly are.
"""

from __future__ import annotations

from typing import Final

from detent.algebra.elimination_kernel import exchange_rows, largest_in_column, subtract_row
from detent.contact_solves.cone_frame import SLIP
from detent.contact_solves.natural_map_kernel import slides_on_a_ray
from detent.contact_solves.status_solve_kernel import is_loaded, list_unknowns, write_equations
from detent.jit.intrinsics import as_doubles, as_words, called

_NOTHING: Final = 1e-12
"""A pivot this small is none, where rows and columns have length one."""
_GIVES: Final = 1e-9
"""By so much, of its own length, every row gives to its force: forces that change and move nothing have a sign then."""


@called
def _any_slides(head):
    """Whether anything carries that slides against friction."""
    modes, friction, slides = as_words(head.modes), as_doubles(head.friction), False
    for contact in range(head.contacts):
        slips = modes[contact] == SLIP or slides_on_a_ray(head, contact)
        slides = slides or (slips and is_loaded(head, contact) and friction[contact] > 0.0)
    return slides


@called
def _sign_of_determinant(matrix, n):
    """-1, 1, or 0 where rounding alone would tell; the matrix is written over."""
    sign = 1
    for column in range(n):
        best = largest_in_column(matrix, n, column, column, n)
        pivot = matrix[best * n + column]
        if not abs(pivot) > _NOTHING:
            return 0
        if (pivot < 0.0) != (best != column):
            sign = -sign
        exchange_rows(matrix, n, best, column)
        for i in range(column + 1, n):
            subtract_row(matrix, n, i, matrix[i * n + column] / pivot, column, column)
    return sign


@called
def is_steady(head):
    """Whether the solution in the record can be followed: where forces are not unique, as if contacts gave a little."""
    if not _any_slides(head):
        return True
    count, matrix = list_unknowns(head, False), as_doubles(head.matrix)
    write_equations(head, count)
    for i in range(count):
        matrix[i * count + i] += _GIVES
    return _sign_of_determinant(matrix, count) >= 0
