"""Forces in space by Newton's method on the natural map, made regular by steps that stay near the last forces.

With l0 the last forces and y = l0 - rho u, the map l(u) is smooth but for edges; F(v) = v - J^T l(J v + b) = 0 is
solved by Newton's method, and l0 = l after that: the proximal point of Alart and Curnier's equations. A small rho makes
each of these problems easy, a large one makes few of them necessary.
"""

from __future__ import annotations

import math
from typing import Final

from detent.algebra.elimination_kernel import solve
from detent.contact_solves.cone_frame import SLIP, STICK
from detent.contact_solves.natural_map_kernel import motions_from, nearest, push, slides_on_a_ray
from detent.jit.intrinsics import as_doubles, as_words, called

_MOST_STEPS: Final = 25
_MOST_HALVINGS: Final = 10
_CLOSE: Final = 1e-10
"""How small F has to be, over the speeds it is made of, until the next proximal step, or the last of all."""


@called
def _missing(head, speed, eagerness):
    """F into ``slope``, l into ``trial``; the length of F over that of J^T l."""
    motions, last, out = as_doubles(head.motions), as_doubles(head.proximal), as_doubles(head.trial)
    sizes, slope = as_doubles(head.sizes), as_doubles(head.slope)
    motions_from(head, speed, motions)
    for contact in range(head.contacts):
        nearest(head, contact, last, motions, eagerness * sizes[contact], out)
    push(head, out, slope)
    missed, whole = 0.0, 0.0
    for j in range(head.width):
        whole += slope[j] * slope[j]
        slope[j] = speed[j] - slope[j]
        missed += slope[j] * slope[j]
    return math.sqrt(missed), math.sqrt(whole)


@called
def _derivative(head, contact, size, block):
    """-dl/du of a contact, at the motions in the record, as d x d numbers."""
    d, mu, first = head.dimension, as_doubles(head.friction)[contact], contact * head.dimension
    last, motions, lower = as_doubles(head.proximal), as_doubles(head.motions), as_doubles(head.lower)[contact]
    for i in range(d * d):
        block[i] = 0.0
    normal = last[first] - size * motions[first]
    presses = normal > lower
    if presses:
        block[0] = size
    normal = max(normal, lower)
    if slides_on_a_ray(head, contact):
        directions = as_doubles(head.directions)
        for i in range(1, d):
            if presses and mu > 0.0:
                block[i * d] = -size * mu * directions[contact * (d - 1) + i - 1]
        return
    square = 0.0
    for i in range(1, d):
        y = last[first + i] - size * motions[first + i]
        square += y * y
    length = math.sqrt(square)
    for i in range(1, d):
        if length <= mu * normal:
            block[i * d + i] = size
            continue
        h = (last[first + i] - size * motions[first + i]) / length
        if presses:
            block[i * d] = size * mu * h
        for j in range(1, d):
            other = (last[first + j] - size * motions[first + j]) / length
            same = 1.0 if i == j else 0.0
            block[i * d + j] = size * mu * normal / length * (same - h * other)


@called
def _write_matrix(head, eagerness):
    """I + J^T H J."""
    d, n, rows, matrix = head.dimension, head.width, as_doubles(head.factors), as_doubles(head.matrix)
    block, sizes = as_doubles(head.block), as_doubles(head.sizes)
    for i in range(n * n):
        matrix[i] = 0.0
    for i in range(n):
        matrix[i * n + i] = 1.0
    for contact in range(head.contacts):
        _derivative(head, contact, eagerness * sizes[contact], block)
        first = contact * d
        for a in range(d):
            for b in range(d):
                if block[a * d + b] != 0.0:
                    _add_product(matrix, rows, n, first + a, first + b, block[a * d + b])


@called
def _add_product(matrix, rows, n, one, other, factor):
    """matrix += factor row_one^T row_other."""
    for i in range(n):
        product = factor * rows[one * n + i]
        if product != 0.0:
            for j in range(n):
                matrix[i * n + j] += product * rows[other * n + j]


@called
def _newton(head, eagerness):
    """Speeds for which F is about zero, from those in ``speed``; whether they were found."""
    n, speed, slope, step = head.width, as_doubles(head.speed), as_doubles(head.slope), as_doubles(head.step)
    missed, whole = _missing(head, speed, eagerness)
    for _ in range(_MOST_STEPS):
        if missed <= _CLOSE * whole:
            return True
        _write_matrix(head, eagerness)
        for j in range(n):
            step[j] = slope[j]
        if solve(as_doubles(head.matrix), n, step, 1) == 0:
            return False
        before, taken = missed, 0.0
        fraction = 1.0
        for _ in range(_MOST_HALVINGS):
            for j in range(n):
                speed[j] -= (fraction - taken) * step[j]
            taken = fraction
            missed, whole = _missing(head, speed, eagerness)
            if missed < before * (1.0 - 0.1 * fraction) or missed <= _CLOSE * whole:
                break
            fraction *= 0.5
        if not missed < before and not missed <= _CLOSE * whole:
            return False
    return missed <= _CLOSE * whole


@called
def step_nearer(head, eagerness):
    """One proximal step from the forces in the record; whether it succeeded, else the forces are as they were."""
    forces, last, out = as_doubles(head.forces), as_doubles(head.proximal), as_doubles(head.trial)
    m = head.contacts * head.dimension
    for i in range(m):
        last[i] = forces[i]
    push(head, forces, as_doubles(head.speed))
    if not _newton(head, eagerness):
        return False
    for i in range(m):
        forces[i] = out[i]
    return True


@called
def sweep(head, times):
    """Gauss's and Seidel's iteration: each contact by itself, one after the other, from the forces in the record."""
    d, n, rows, forces = head.dimension, head.width, as_doubles(head.factors), as_doubles(head.forces)
    motions, speed, out, bias = (
        as_doubles(head.motions), as_doubles(head.speed), as_doubles(head.trial), as_doubles(head.bias),
    )  # fmt: skip
    push(head, forces, speed)
    for _ in range(times):
        for contact in range(head.contacts):
            for i in range(contact * d, (contact + 1) * d):
                total = 0.0
                for j in range(n):
                    total += rows[i * n + j] * speed[j]
                motions[i] = total + bias[i]
            nearest(head, contact, forces, motions, as_doubles(head.sizes)[contact], out)
            for i in range(contact * d, (contact + 1) * d):
                change = out[i] - forces[i]
                forces[i] = out[i]
                if change != 0.0:
                    for j in range(n):
                        speed[j] += change * rows[i * n + j]


@called
def classify(head, eagerness):
    """Statuses and directions that the natural map says, from forces and motions in the record."""
    d, forces, motions = head.dimension, as_doubles(head.forces), as_doubles(head.motions)
    pressed, modes, slip = as_words(head.pressed), as_words(head.modes), as_doubles(head.slip)
    for contact in range(head.contacts):
        first, size = contact * d, eagerness * as_doubles(head.sizes)[contact]
        normal, lower = forces[first] - size * motions[first], as_doubles(head.lower)[contact]
        pressed[contact] = 1 if normal > lower else 0
        square = 0.0
        for i in range(1, d):
            y = forces[first + i] - size * motions[first + i]
            square += y * y
        length = math.sqrt(square)
        modes[contact] = STICK if length <= as_doubles(head.friction)[contact] * max(normal, lower) else SLIP
        if modes[contact] == SLIP and not slides_on_a_ray(head, contact):
            for i in range(1, d):
                slip[contact * (d - 1) + i - 1] = (size * motions[first + i] - forces[first + i]) / length
