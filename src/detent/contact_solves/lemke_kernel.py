"""Statuses of contacts in the plane by Lemke's method for problems of linear complementarity.

Three unknowns z >= 0 a contact, each with a w >= 0 of which one is zero (Glocker's form of Coulomb's law):

    z: lambda_n - lower,   mu lambda_n + lambda_t,   the speed of slip to the left
    w: u_n,                the slip to the right,     mu lambda_n - lambda_t

one, lambda_n - lower, where the direction of slip is given. Ties between rows are decided lexicographically: nearly
every problem of contact has rows that are zero, and pivots chosen otherwise go round in circles.

Without friction G is positive semidefinite, and then a ray proves that no motion keeps all contacts from closing.
"""

from __future__ import annotations

import math
from typing import Final

from detent.algebra.elimination_kernel import subtract_row
from detent.contact_solves.cone_frame import SLIP, STICK
from detent.contact_solves.natural_map_kernel import slides_on_a_ray
from detent.contact_solves.status_solve_kernel import use_direction
from detent.jit.intrinsics import as_doubles, as_words, called, inlined

_NOTHING: Final = 1e-11
"""An entry this small is no pivot, where entries are about one."""
_TIE: Final = 1e-12
_PIVOTS: Final = 20
"""Pivots per unknown; more than three have not been seen to help."""


@inlined
def _is_single(head, contact, frictionless):
    """Whether a contact has one unknown."""
    return frictionless or slides_on_a_ray(head, contact)


@called
def _column(head, contact, place, frictionless, first, second):
    """J^T of the force that goes with one of a contact's unknowns, into the working speed; (lambda_n, lambda_t)."""
    mu, slip = as_doubles(head.friction)[contact], as_doubles(head.slip)
    normal, tangential = 0.0, 0.0
    if place == 0:
        normal = 1.0
        if not frictionless and head.dimension == 2:
            tangential = -mu * slip[contact] if slides_on_a_ray(head, contact) else -mu
    elif place == 1:
        tangential = 1.0
    n, rows, speed = head.width, as_doubles(head.factors), as_doubles(head.speed)
    for j in range(n):
        speed[j] = first * normal * rows[contact * head.dimension * n + j]
    if tangential != 0.0:
        for j in range(n):
            speed[j] += second * tangential * rows[(contact * head.dimension + 1) * n + j]


@called
def _row_times_speed(head, row):
    n, rows, speed, total = head.width, as_doubles(head.factors), as_doubles(head.speed), 0.0
    for j in range(n):
        total += rows[row * n + j] * speed[j]
    return total


@called
def _write_column(head, unknown, contact, place, frictionless, size):
    """The column of -M of one unknown."""
    width, d, sizes = 2 * size + 2, head.dimension, as_doubles(head.sizes)
    tableau, at = as_doubles(head.tableau), 1 + size + unknown
    force = math.sqrt(sizes[contact])
    _column(head, contact, place, frictionless, force, force)
    row = 0
    for other in range(head.contacts):
        motion = math.sqrt(sizes[other])
        tableau[row * width + at] = -motion * _row_times_speed(head, other * d)
        if _is_single(head, other, frictionless):
            row += 1
            continue
        tableau[(row + 1) * width + at] = -motion * _row_times_speed(head, other * d + 1)
        tableau[(row + 2) * width + at] = 0.0
        if other == contact:
            mu = as_doubles(head.friction)[contact]
            if place == 0:
                tableau[(row + 2) * width + at] = -2.0 * mu
            elif place == 1:
                tableau[(row + 2) * width + at] = 1.0
            else:
                tableau[(row + 1) * width + at] = -1.0
        row += 3


@called
def _write_right(head, size, frictionless):
    """q: motions and slack of the forces that the lower bounds ask for; brought to the size of one."""
    width, d, n, tableau = 2 * size + 2, head.dimension, head.width, as_doubles(head.tableau)
    sizes, lower, mu = as_doubles(head.sizes), as_doubles(head.lower), as_doubles(head.friction)
    bias, total, speed, row = as_doubles(head.bias), as_doubles(head.slope), as_doubles(head.speed), 0
    for j in range(n):
        total[j] = 0.0
    for contact in range(head.contacts):
        if lower[contact] > 0.0:
            _column(head, contact, 0, frictionless, lower[contact], lower[contact])
            for j in range(n):
                total[j] += speed[j]
    for j in range(n):
        speed[j] = total[j]
    largest = 0.0
    for contact in range(head.contacts):
        scale, at = math.sqrt(sizes[contact]), contact * d
        tableau[row * width] = scale * (bias[at] + _row_times_speed(head, at))
        largest = max(largest, abs(tableau[row * width]))
        if not _is_single(head, contact, frictionless):
            tableau[(row + 1) * width] = scale * (bias[at + 1] + _row_times_speed(head, at + 1))
            tableau[(row + 2) * width] = 2.0 * mu[contact] * lower[contact] / scale
            largest = max(largest, abs(tableau[(row + 1) * width]), tableau[(row + 2) * width])
            row += 2
        row += 1
    for i in range(size):
        tableau[i * width] /= max(largest, 1e-300)


@called
def _write_tableau(head, frictionless):
    """q, unit columns of w, -M and the covering vector, a row for each w; how many."""
    size = 0
    for contact in range(head.contacts):
        use_direction(head, contact)
        size += 1 if _is_single(head, contact, frictionless) else 3
    width, tableau, cover, basis = 2 * size + 2, as_doubles(head.tableau), as_doubles(head.cover), as_words(head.basis)
    _write_right(head, size, frictionless)
    unknown = 0
    for contact in range(head.contacts):
        for place in range(1 if _is_single(head, contact, frictionless) else 3):
            _write_column(head, unknown, contact, place, frictionless, size)
            unknown += 1
    for i in range(size):
        for j in range(size):
            tableau[i * width + 1 + j] = 1.0 if i == j else 0.0
        tableau[i * width + width - 1] = -cover[i]
        basis[i] = i
    return size


@called
def _comes_before(tableau, width, size, one, other, column):
    """Whether a row leaves before another: its numbers, over those of the column that enters, are smaller in order."""
    first, second = 1.0 / tableau[one * width + column], 1.0 / tableau[other * width + column]
    for j in range(size + 1):
        a, b = first * tableau[one * width + j], second * tableau[other * width + j]
        if abs(a - b) > _TIE * max(1.0, abs(a), abs(b)):
            return a < b
    return one < other


@called
def _row_that_leaves(head, size, column):
    """-1 where the column is a ray. The artificial unknown leaves as soon as it may."""
    width, tableau, basis, best = 2 * size + 2, as_doubles(head.tableau), as_words(head.basis), -1
    for i in range(size):
        if tableau[i * width + column] > _NOTHING and (
            best < 0 or _comes_before(tableau, width, size, i, best, column)
        ):
            best = i
    if best < 0:
        return -1
    least = tableau[best * width] / tableau[best * width + column]
    for i in range(size):
        if basis[i] == 2 * size and tableau[i * width + column] > _NOTHING:
            ratio = tableau[i * width] / tableau[i * width + column]
            if ratio <= least + _TIE * max(1.0, abs(least)):
                return i
    return best


@called
def _pivot(head, size, row, column):
    width, tableau = 2 * size + 2, as_doubles(head.tableau)
    pivot = tableau[row * width + column]
    for j in range(width):
        tableau[row * width + j] /= pivot
    for i in range(size):
        factor = tableau[i * width + column]
        if i != row and factor != 0.0:
            subtract_row(tableau, width, i, factor, row, 0)
            tableau[i * width + column] = 0.0


@called
def follow_path(head, size):
    """Pivot until the artificial unknown has left; False at a ray."""
    width, tableau, basis = 2 * size + 2, as_doubles(head.tableau), as_words(head.basis)
    row = 0
    for i in range(size):
        tableau[i * width + width - 1] = -tableau[i * width + width - 1]
    for i in range(1, size):
        if _comes_before(tableau, width, size, i, row, width - 1):
            row = i
    for i in range(size):
        tableau[i * width + width - 1] = -tableau[i * width + width - 1]
    if tableau[row * width] >= 0.0:
        return True
    column, entering = width - 1, 2 * size
    for _ in range(_PIVOTS * size):
        leaving = basis[row]
        _pivot(head, size, row, column)
        basis[row] = entering
        if leaving == 2 * size:
            return True
        entering = leaving + size if leaving < size else leaving - size
        column = 1 + entering
        row = _row_that_leaves(head, size, column)
        if row < 0:
            return False
    return False


@called
def value_of(head, size, unknown):
    """An unknown z of the solution; -1 where it is zero because its w is not."""
    tableau, basis = as_doubles(head.tableau), as_words(head.basis)
    for i in range(size):
        if basis[i] == size + unknown:
            return max(0.0, tableau[i * (2 * size + 2)])
    return -1.0


@called
def _take_statuses(head, size):
    """Statuses and directions that the last basis says."""
    pressed, modes, slip, unknown = as_words(head.pressed), as_words(head.modes), as_doubles(head.slip), 0
    for contact in range(head.contacts):
        pressed[contact] = 1 if value_of(head, size, unknown) >= 0.0 else 0
        modes[contact] = SLIP
        if slides_on_a_ray(head, contact):
            unknown += 1
            continue
        right, left = value_of(head, size, unknown + 1) < 0.0, value_of(head, size, unknown + 2) >= 0.0
        if right == left:  # to the right and to the left at once is at rest as well
            modes[contact] = STICK
        else:
            slip[contact] = 1.0 if right else -1.0
        unknown += 3


@called
def find_statuses(head):
    """Statuses of contacts in the plane, into the record; False at a ray. ``cover`` is what to begin with."""
    size = _write_tableau(head, False)
    if not follow_path(head, size):
        return False
    _take_statuses(head, size)
    return True


@called
def may_all_part(head):
    """Whether any motion keeps all contacts from closing; in the plane and in space."""
    cover = as_doubles(head.cover)
    for contact in range(head.contacts):
        cover[contact] = 1.0
    size = _write_tableau(head, True)
    return follow_path(head, size)
