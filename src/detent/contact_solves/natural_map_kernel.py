"""Motions from forces, and the natural map, whose fixed points are the solutions of a cone problem.

The map of Alart and Curnier, contact by contact, with y = lambda - rho u:

    lambda_n <- max(lower, y_n),    lambda_t <- the point nearest to y_t of the disk of radius mu lambda_n

or -mu lambda_n d where the direction of slip d is given. rho is the inverse of a contact's mean G, so that what the map
changes is a force.
"""

from __future__ import annotations

import math
from typing import Final

from detent.contact_solves.cone_frame import CONE
from detent.jit.intrinsics import as_doubles, as_words, called, inlined, record_reader

as_cone: Final = record_reader(CONE)


@called
def size_contacts(head):
    """Use the rows as they are given; the size rho of each contact."""
    head.factors, head.width, head.freely, head.by_speed = head.rows, head.speeds, head.free, 0
    d, n = head.dimension, head.speeds
    rows, sizes, largest = as_doubles(head.rows), as_doubles(head.sizes), 0.0
    for contact in range(head.contacts):
        trace = 0.0
        for place in range(contact * d * n, (contact + 1) * d * n):
            trace += rows[place] * rows[place]
        sizes[contact] = trace / d
        largest = max(largest, trace / d)
    for contact in range(head.contacts):  # what nothing moves has the size of the others
        mean = sizes[contact] if sizes[contact] > 0.0 else largest
        sizes[contact] = 1.0 / mean if mean > 0.0 else 1.0


@called
def is_given_finite(head):
    """Whether every number that is given is one."""
    m, rows, bias, total = head.contacts * head.dimension, as_doubles(head.rows), as_doubles(head.bias), 0.0
    for place in range(m * head.speeds):
        total += abs(rows[place])
    for i in range(m):
        total += abs(bias[i]) + abs(as_doubles(head.forces)[i])
    for contact in range(head.contacts):
        total += abs(as_doubles(head.friction)[contact]) + abs(as_doubles(head.lower)[contact])
    return total < math.inf


@called
def push(head, forces, speed):
    """speed = J^T lambda."""
    m, n, rows = head.contacts * head.dimension, head.width, as_doubles(head.factors)
    for j in range(n):
        speed[j] = 0.0
    for i in range(m):
        if forces[i] != 0.0:
            for j in range(n):
                speed[j] += rows[i * n + j] * forces[i]


@called
def _sum_by_speed(head, speed, motions):
    n, rows, free, carried = head.width, as_doubles(head.factors), as_doubles(head.freely), as_doubles(head.carried)
    for i in range(head.contacts * head.dimension):
        total = 0.0
        for j in range(n):
            total += rows[i * n + j] * (speed[j] + free[j])
        motions[i] = total + carried[i]


@called
def motions_from(head, speed, motions):
    """u = J speed + b, or J (speed + a) + c."""
    m, n, rows, bias = head.contacts * head.dimension, head.width, as_doubles(head.factors), as_doubles(head.bias)
    if head.by_speed == 1:
        _sum_by_speed(head, speed, motions)
        return
    for i in range(m):
        total = 0.0
        for j in range(n):
            total += rows[i * n + j] * speed[j]
        motions[i] = total + bias[i]


@called
def update_motions(head):
    """u of the forces that the record holds."""
    speed = as_doubles(head.speed)
    push(head, as_doubles(head.forces), speed)
    motions_from(head, speed, as_doubles(head.motions))


@inlined
def slides_on_a_ray(head, contact):
    """Whether the direction of friction is known beforehand, or there is none."""
    return as_words(head.given)[contact] == 1 or as_doubles(head.friction)[contact] == 0.0


@called
def nearest(head, contact, forces, motions, size, out):
    """The natural map of one contact, from its part of ``forces`` and ``motions`` into its part of ``out``."""
    d, mu = head.dimension, as_doubles(head.friction)[contact]
    first = contact * d
    normal = max(as_doubles(head.lower)[contact], forces[first] - size * motions[first])
    out[first] = normal
    if as_words(head.given)[contact] == 1:
        directions = as_doubles(head.directions)
        for i in range(1, d):
            out[first + i] = -mu * normal * directions[contact * (d - 1) + i - 1]
        return
    square = 0.0
    for i in range(1, d):
        out[first + i] = forces[first + i] - size * motions[first + i]
        square += out[first + i] * out[first + i]
    length, radius = math.sqrt(square), mu * normal
    if length > radius:
        for i in range(1, d):
            out[first + i] *= radius / length


@called
def largest_force(head):
    forces, largest = as_doubles(head.forces), 0.0
    for i in range(head.contacts * head.dimension):
        largest = max(largest, abs(forces[i]))
    return largest


@called
def asked_force(head):
    """The largest force that the bias of one contact alone would ask for."""
    bias, sizes, d, largest = as_doubles(head.bias), as_doubles(head.sizes), head.dimension, 0.0
    for i in range(head.contacts * d):
        largest = max(largest, sizes[i // d] * abs(bias[i]))
    return largest


@called
def loading_force(head):
    """The largest force that what is free to move would ask for, of one contact alone: it is there though all falls."""
    bias, carried, sizes = as_doubles(head.bias), as_doubles(head.carried), as_doubles(head.sizes)
    d, largest = head.dimension, 0.0
    for i in range(head.contacts * d):
        largest = max(largest, sizes[i // d] * abs(bias[i] - carried[i]))
    return largest


@called
def moved_by(head, contact):
    """How far the natural map moves the force of a contact; infinitely where a number is none."""
    forces, out, d = as_doubles(head.forces), as_doubles(head.trial), head.dimension
    nearest(head, contact, forces, as_doubles(head.motions), as_doubles(head.sizes)[contact], out)
    moved, total = 0.0, 0.0
    for i in range(contact * d, (contact + 1) * d):
        moved = max(moved, abs(out[i] - forces[i]))
        total += abs(out[i]) + abs(forces[i])
    return moved if total < math.inf else math.inf


@called
def residual(head):
    """How far the natural map moves any force, over the largest of them."""
    worst = 0.0
    for contact in range(head.contacts):
        worst = max(worst, moved_by(head, contact))
    if worst == 0.0:
        return 0.0
    return worst / max(largest_force(head), 1e-300)


@called
def rounding_in_forces(head, contact):
    """What the rounding of the bias makes of a force."""
    return as_doubles(head.sizes)[contact] * head.rounding


@called
def clip(head):
    """Take what rounding left outside of the cones to them."""
    forces, d = as_doubles(head.forces), head.dimension
    lower, friction = as_doubles(head.lower), as_doubles(head.friction)
    for contact in range(head.contacts):
        first, square = contact * d, 0.0
        forces[first] = max(lower[contact], forces[first])
        for i in range(1, d):
            square += forces[first + i] * forces[first + i]
        length, radius = math.sqrt(square), friction[contact] * forces[first]
        if length > radius:
            for i in range(1, d):
                forces[first + i] *= radius / length
