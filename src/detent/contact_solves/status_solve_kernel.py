"""Forces from statuses: which equations hold is known, and they are solved by corrections, to rounding.

A contact that is pressed has u_n = 0, one that is not has lambda_n = lower. One that sticks has u_t = 0. One that slips
has lambda_t = -mu lambda_n d: in the plane d is 1 or -1; in space it is turned until u_t lies along it, which is an
equation for an angle, with no division by |u_t|. So the unknowns are few, and the equations linear but for the angles.
Equations that follow from others leave the forces that they do not determine as they were.
"""

from __future__ import annotations

import math
from typing import Final

from detent.algebra.rank_kernel import basic_solution, reduce_by_rank
from detent.contact_solves.cone_frame import SLIP, STICK
from detent.contact_solves.natural_map_kernel import largest_force, slides_on_a_ray, update_motions
from detent.jit.intrinsics import as_doubles, as_words, called, inlined

_NOTHING: Final = 1e-12
"""A pivot this small is none, where rows and columns have length one."""
_ROUNDING: Final = 2.0**-51
_MOST_CORRECTIONS: Final = 16


@inlined
def is_loaded(head, contact):
    """Whether there is any force."""
    return as_words(head.pressed)[contact] == 1 or as_doubles(head.lower)[contact] > 0.0


@inlined
def turns(head, contact):
    """Whether the direction of slip is an unknown."""
    return head.dimension == 3 and as_words(head.modes)[contact] == SLIP and not slides_on_a_ray(head, contact)


@called
def use_direction(head, contact):
    """Where the direction of slip is given, it is."""
    d, slip, directions = head.dimension, as_doubles(head.slip), as_doubles(head.directions)
    if as_words(head.given)[contact] == 1:
        for i in range(contact * (d - 1), (contact + 1) * (d - 1)):
            slip[i] = directions[i]


@called
def put_on_ray(head, contact):
    """lambda_t = -mu lambda_n d."""
    d, forces, slip = head.dimension, as_doubles(head.forces), as_doubles(head.slip)
    factor = -as_doubles(head.friction)[contact] * forces[contact * d]
    for i in range(1, d):
        forces[contact * d + i] = factor * slip[contact * (d - 1) + i - 1]


@called
def _begin(head):
    """Forces as the statuses ask for, as far as these say it at once."""
    d, forces, lower = head.dimension, as_doubles(head.forces), as_doubles(head.lower)
    modes, pressed = as_words(head.modes), as_words(head.pressed)
    for contact in range(head.contacts):
        use_direction(head, contact)
        if pressed[contact] == 0:
            forces[contact * d] = lower[contact]
        if not is_loaded(head, contact):
            for i in range(1, d):
                forces[contact * d + i] = 0.0
        elif modes[contact] == SLIP or slides_on_a_ray(head, contact):
            put_on_ray(head, contact)


@called
def _add_unknown(head, count, contact):
    d, columns, equations = head.dimension, as_doubles(head.columns), as_doubles(head.equations)
    as_words(head.owner)[count] = contact
    as_doubles(head.extra)[count] = 0.0
    for i in range(d):
        columns[count * d + i] = 0.0
        equations[count * d + i] = 0.0


@called
def _add_normal(head, count, contact):
    """u_n = 0, by a force along the normal, or along the ray on which the contact slides."""
    d, mu, slip = head.dimension, as_doubles(head.friction)[contact], as_doubles(head.slip)
    _add_unknown(head, count, contact)
    columns, equations = as_doubles(head.columns), as_doubles(head.equations)
    columns[count * d], equations[count * d] = 1.0, 1.0
    if as_words(head.modes)[contact] == SLIP or slides_on_a_ray(head, contact):
        for i in range(1, d):
            columns[count * d + i] = -mu * slip[contact * (d - 1) + i - 1]


@called
def _add_angle(head, count, contact):
    """u_t has no part across the direction of slip, by turning that; its unknown is mu lambda_n times the angle."""
    mu, slip = as_doubles(head.friction)[contact], as_doubles(head.slip)
    forces, motions = as_doubles(head.forces), as_doubles(head.motions)
    _add_unknown(head, count, contact)
    columns, equations = as_doubles(head.columns), as_doubles(head.equations)
    x, y = slip[2 * contact], slip[2 * contact + 1]
    columns[3 * count + 1], columns[3 * count + 2] = y, -x
    equations[3 * count + 1], equations[3 * count + 2] = y, -x
    along = x * motions[3 * contact + 1] + y * motions[3 * contact + 2]
    as_doubles(head.extra)[count] = along / _radius(head, mu * forces[3 * contact])


@called
def _radius(head, radius):
    """Of a circle on which a force turns; where there is none, the force is about to grow."""
    return radius if radius > 0.0 else max(largest_force(head), 1e-300)


@called
def list_unknowns(head, with_angles):
    """Unknowns, each with its equation; how many. Without angles: forces that may change and leave statuses alone."""
    d, modes, pressed, count = head.dimension, as_words(head.modes), as_words(head.pressed), 0
    for contact in range(head.contacts):
        if pressed[contact] == 1:
            _add_normal(head, count, contact)
            count += 1
        if not is_loaded(head, contact) or slides_on_a_ray(head, contact):
            continue
        if modes[contact] == STICK:
            for i in range(1, d):
                _add_unknown(head, count, contact)
                as_doubles(head.columns)[count * d + i], as_doubles(head.equations)[count * d + i] = 1.0, 1.0
                count += 1
        elif d == 3 and with_angles:
            _add_angle(head, count, contact)
            count += 1
    return count


@called
def project_vectors(head, count, vectors, out):
    """J^T of each vector, as rows of ``out``."""
    d, n, rows, owner = head.dimension, head.width, as_doubles(head.factors), as_words(head.owner)
    for unknown in range(count):
        first = owner[unknown] * d
        for j in range(n):
            total = 0.0
            for i in range(d):
                total += vectors[unknown * d + i] * rows[(first + i) * n + j]
            out[unknown * n + j] = total


@called
def length_of(vector, first, count):
    square = 0.0
    for j in range(first, first + count):
        square += vector[j] * vector[j]
    return math.sqrt(square)


@called
def _missed(head, count):
    """How far the equations are from holding, in forces, over the largest force; what may be rounding is not counted.

    A direction that is wrong matters by what it does to a force: little where slip is fast and the force is small.
    """
    d, motions, sizes = head.dimension, as_doubles(head.motions), as_doubles(head.sizes)
    owner, equations, extra, worst = as_words(head.owner), as_doubles(head.equations), as_doubles(head.extra), 0.0
    for unknown in range(count):
        total = 0.0
        for i in range(d):
            total += equations[unknown * d + i] * motions[owner[unknown] * d + i]
        beyond = max(0.0, abs(total) - 2.0 * head.rounding)
        worst = max(worst, beyond / max(1.0 / sizes[owner[unknown]], abs(extra[unknown])))
    largest = largest_force(head)
    if worst > 0.0 and largest <= _ROUNDING * worst:
        return 1.0 / _ROUNDING  # nothing carries yet: over no force at all what is missed has no bound
    return worst / largest if worst > 0.0 else 0.0


@called
def write_equations(head, count):
    """E G B x = -E u, every row and column brought to length one; the lengths of columns stay in ``step``."""
    d, n = head.dimension, head.width
    pushed, reading = as_doubles(head.pushed), as_doubles(head.read)
    matrix, right, scale = as_doubles(head.matrix), as_doubles(head.right), as_doubles(head.step)
    owner, equations, motions = as_words(head.owner), as_doubles(head.equations), as_doubles(head.motions)
    project_vectors(head, count, as_doubles(head.columns), pushed)
    project_vectors(head, count, equations, reading)
    for j in range(count):
        length = length_of(pushed, j * n, n)
        scale[j] = 1.0 / length if length > 0.0 else 0.0
    for i in range(count):
        length = length_of(reading, i * n, n)
        shrink = 1.0 / length if length > 0.0 else 0.0
        total = 0.0
        for k in range(d):
            total += equations[i * d + k] * motions[owner[i] * d + k]
        right[i] = -shrink * total
        for j in range(count):
            product = as_doubles(head.extra)[i] if i == j else 0.0
            for k in range(n):
                product += reading[i * n + k] * pushed[j * n + k]
            matrix[i * count + j] = shrink * scale[j] * product
        _shorten(matrix, i, count, right)


@called
def _shorten(matrix, i, count, right):
    """Bring a row whose angle hardly matters to the size of the others."""
    largest = 1.0
    for j in range(count):
        largest = max(largest, abs(matrix[i * count + j]))
    for j in range(count):
        matrix[i * count + j] /= largest
    right[i] /= largest


@called
def _correct(head, count):
    """Take the solution of the equations into the forces and directions; by how much these turn, at most."""
    d, x, scale = head.dimension, as_doubles(head.unknowns), as_doubles(head.step)
    forces, columns, owner = as_doubles(head.forces), as_doubles(head.columns), as_words(head.owner)
    modes, turned = as_words(head.modes), 0.0
    for unknown in range(count):
        contact, change = owner[unknown], scale[unknown] * x[unknown]
        if columns[unknown * d] == 0.0 and turns(head, contact):
            turned = max(turned, abs(_turn(head, contact, change)))
            continue
        for i in range(d):
            forces[contact * d + i] += change * columns[unknown * d + i]
    for contact in range(head.contacts):
        if is_loaded(head, contact) and (modes[contact] == SLIP or slides_on_a_ray(head, contact)):
            put_on_ray(head, contact)
    return turned


@called
def _turn(head, contact, change):
    """Turn the direction of slip, by at most a radian at a time; by what angle."""
    slip, radius = as_doubles(head.slip), as_doubles(head.friction)[contact] * as_doubles(head.forces)[3 * contact]
    angle = max(-1.0, min(1.0, change / _radius(head, radius)))
    x, y, cosine, sine = slip[2 * contact], slip[2 * contact + 1], math.cos(angle), math.sin(angle)
    x, y = cosine * x - sine * y, sine * x + cosine * y
    length = math.sqrt(x * x + y * y)
    slip[2 * contact], slip[2 * contact + 1] = x / length, y / length
    return angle


@called
def correct_once(head, count):
    """A correction of forces, directions and motions by the unknowns that were listed; by how much directions turn."""
    write_equations(head, count)
    matrix, right, order = as_doubles(head.matrix), as_doubles(head.right), as_words(head.order)
    rank = reduce_by_rank(matrix, count, count, right, order, _NOTHING)
    basic_solution(matrix, count, rank, right, order, as_doubles(head.unknowns))
    turned = _correct(head, count)
    update_motions(head)
    return turned


@called
def solve_statuses(head):
    """Forces, directions and motions for the statuses in ``pressed`` and ``modes``; whether equations hold to rounding.

    Begins with the forces that are there.
    """
    _begin(head)
    update_motions(head)
    before = math.inf
    for _ in range(_MOST_CORRECTIONS):
        count = list_unknowns(head, True)
        missed = _missed(head, count)
        if missed <= _ROUNDING or (missed >= 0.5 * before and missed <= 1e-10) or not missed < math.inf:
            break
        before = missed
        correct_once(head, count)
    return missed <= 1e-10
