"""Statuses of contacts in space, about: cones become pyramids, and Lemke's method solves what is then linear.

Unknowns z >= 0 of a contact, each with a w >= 0 of which one is zero (Stewart and Trinkle 1996), d_j the faces:

    z: lambda_n - lower,   beta_j with lambda_t = sum beta_j d_j,   the speed of slip gamma
    w: u_n,                gamma + d_j.u_t,                         mu lambda_n - sum beta_j

one, lambda_n - lower, where the direction of slip is given. What it finds is as far from a solution as the pyramid from
the cone: a good start where others lead nowhere, above all where several contacts slide already.
"""

from __future__ import annotations

import math
from typing import Final

from detent.contact_solves.cone_frame import FACES, SLIP, STICK
from detent.contact_solves.lemke_kernel import follow_path, value_of
from detent.contact_solves.natural_map_kernel import motions_from, slides_on_a_ray
from detent.contact_solves.status_solve_kernel import use_direction
from detent.jit.intrinsics import as_doubles, as_words, called

_TURN: Final = 2.0 * math.pi / FACES


@called
def _push_unknown(head, contact, place, factor):
    """J^T of the force of an unknown, times a factor, onto the working speed."""
    n, rows, speed, slip = head.width, as_doubles(head.factors), as_doubles(head.speed), as_doubles(head.slip)
    mu, first = as_doubles(head.friction)[contact], 3 * contact * n
    normal, one, other = 0.0, 0.0, 0.0
    if place == 0:
        normal = factor
        if slides_on_a_ray(head, contact):
            one, other = -factor * mu * slip[2 * contact], -factor * mu * slip[2 * contact + 1]
    elif place <= FACES:
        one, other = factor * math.cos(place * _TURN), factor * math.sin(place * _TURN)
    for j in range(n):
        speed[j] += normal * rows[first + j] + one * rows[first + n + j] + other * rows[first + 2 * n + j]


@called
def _write_motions(head, at, factor, with_bias):
    """Rows of u_n and d_j.u_t of all contacts for the working speed, into a column of the tableau."""
    size, motions, bias = _size(head), as_doubles(head.motions), as_doubles(head.bias)
    tableau, width, row = as_doubles(head.tableau), 2 * size + 2, 0
    motions_from(head, as_doubles(head.speed), motions)
    for contact in range(head.contacts):
        scale, first = factor * math.sqrt(as_doubles(head.sizes)[contact]), 3 * contact
        if not with_bias:
            for i in range(first, first + 3):
                motions[i] -= bias[i]
        tableau[row * width + at] = scale * motions[first]
        row += 1
        if slides_on_a_ray(head, contact):
            continue
        for face in range(1, FACES + 1):
            along = math.cos(face * _TURN) * motions[first + 1] + math.sin(face * _TURN) * motions[first + 2]
            tableau[row * width + at] = scale * along
            row += 1
        tableau[row * width + at] = 0.0
        row += 1


@called
def _size(head):
    size = 0
    for contact in range(head.contacts):
        size += 1 if slides_on_a_ray(head, contact) else FACES + 2
    return size


@called
def _clear_speed(head):
    speed = as_doubles(head.speed)
    for j in range(head.width):
        speed[j] = 0.0


@called
def _write_right(head, size):
    """q, of the forces that the lower bounds ask for, brought to the size of one."""
    tableau, width, row, largest = as_doubles(head.tableau), 2 * size + 2, 0, 0.0
    lower, sizes = as_doubles(head.lower), as_doubles(head.sizes)
    _clear_speed(head)
    for contact in range(head.contacts):
        _push_unknown(head, contact, 0, lower[contact])
    _write_motions(head, 0, 1.0, True)
    for contact in range(head.contacts):
        if not slides_on_a_ray(head, contact):
            row += FACES + 1
            radius = as_doubles(head.friction)[contact] * lower[contact]
            tableau[row * width] = radius / math.sqrt(sizes[contact])
        row += 1
    for i in range(size):
        largest = max(largest, abs(tableau[i * width]))
    for i in range(size):
        tableau[i * width] /= max(largest, 1e-300)


@called
def _write_column(head, unknown, first, contact, place, size):
    """The column of -M of one unknown; ``first`` is that of the contact's first one."""
    tableau, width, at = as_doubles(head.tableau), 2 * size + 2, 1 + size + unknown
    _clear_speed(head)
    _push_unknown(head, contact, place, math.sqrt(as_doubles(head.sizes)[contact]))
    _write_motions(head, at, -1.0, False)
    if slides_on_a_ray(head, contact):
        return
    last = (first + FACES + 1) * width + at
    if place == 0:
        tableau[last] = -as_doubles(head.friction)[contact]
    elif place <= FACES:
        tableau[last] = 1.0
    else:
        for face in range(1, FACES + 1):
            tableau[(first + face) * width + at] = -1.0


@called
def _write_tableau(head):
    size = _size(head)
    tableau, width, unknown = as_doubles(head.tableau), 2 * size + 2, 0
    for contact in range(head.contacts):
        use_direction(head, contact)
    _write_right(head, size)
    for contact in range(head.contacts):
        first = unknown
        for place in range(1 if slides_on_a_ray(head, contact) else FACES + 2):
            _write_column(head, unknown, first, contact, place, size)
            unknown += 1
    for i in range(size):
        for j in range(size):
            tableau[i * width + 1 + j] = 1.0 if i == j else 0.0
        tableau[i * width + width - 1] = -as_doubles(head.cover)[i]
        as_words(head.basis)[i] = i
    return size


@called
def _take_statuses(head, size):
    """Statuses and directions that the last basis says; forces are left as they are."""
    pressed, modes, slip, unknown = as_words(head.pressed), as_words(head.modes), as_doubles(head.slip), 0
    for contact in range(head.contacts):
        pressed[contact] = 1 if value_of(head, size, unknown) >= 0.0 else 0
        modes[contact] = SLIP
        if slides_on_a_ray(head, contact):
            unknown += 1
            continue
        one, other = 0.0, 0.0
        for face in range(1, FACES + 1):
            share = max(0.0, value_of(head, size, unknown + face))
            one -= share * math.cos(face * _TURN)
            other -= share * math.sin(face * _TURN)
        length = math.sqrt(one * one + other * other)
        if value_of(head, size, unknown + FACES + 1) <= 0.0 or length == 0.0:
            modes[contact] = STICK
        else:
            slip[2 * contact], slip[2 * contact + 1] = one / length, other / length
        unknown += FACES + 2


@called
def find_statuses_of_pyramids(head):
    """Statuses of contacts in space, about, into the record; False at a ray. ``cover`` is what to begin with."""
    size = _write_tableau(head)
    if not follow_path(head, size):
        return False
    _take_statuses(head, size)
    return True
