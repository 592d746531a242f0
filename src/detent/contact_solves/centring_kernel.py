"""Of all forces that do the same, those well inside of the cones.

Where the rows of the contacts that carry follow from one another, forces may change and move nothing: a box on its
face, a ball in a groove. What is reported is the analytic centre, the forces that maximise

    sum of log(mu^2 lambda_n^2 - |lambda_t|^2) + log(lambda_n - lower)        over the contacts that stick
    sum of log(lambda_n - lower)                                              over those that slip, on their rays

with J^T lambda, and so every motion, kept. The maximum is unique, so it is symmetric where the scene is: equal loads
under a box, and no friction where none is needed. Least squares would not do: in a groove they leave the cones.

Where bodies are jammed, forces may grow without bound and there is no maximum: then the sum of lambda_n/s is taken off,
with s the force that the bias asks for; what remains has a maximum, as unique and as symmetric.

Newton's method with the step 1/(1 + delta), delta the length of the step in the norm of the curvature, never leaves the
cones (Nesterov and Nemirovskii). It begins with cones that are shifted until the forces are inside, and takes the shift
back; contacts which no forces can bring inside keep theirs. A step solves for as many unknowns as there are exchanges,
forces that move nothing: with E their rows, H the curvature and g the gradient of each contact,

    d_lambda = E^T z,    E H E^T z = E g

so motions stay as they are, however near forces are to the edges of all cones: there a box begins to slide.

Where contacts slide on their rays, what holds them (u_n = 0, and u_t = 0 of those that stick) may leave a choice though
every one of them moves something: a box that slides and spins on its face is braked by whichever corner carries. Then
the centre is that of all forces under which what holds goes on to hold (:func:`centre_held_forces`), and the motion is
the one that it gives.
"""

from __future__ import annotations

import math
from typing import Final

from detent.algebra.rank_kernel import basic_solution, null_vector, reduce_by_rank
from detent.contact_solves.cone_frame import STICK
from detent.contact_solves.natural_map_kernel import asked_force, largest_force, slides_on_a_ray, update_motions
from detent.contact_solves.status_solve_kernel import length_of, list_unknowns, project_vectors
from detent.jit.intrinsics import as_doubles, as_words, called, inlined

_NOTHING: Final = 1e-11
"""A pivot this small is none, where columns have length one."""
_NO_CURVATURE: Final = 1e-15
"""The same, where second derivatives are one."""
_AT_THE_EDGE: Final = 1e-8
"""Forces that stay this close to the edge of a cone, over the largest force, are at it."""
_UNBOUNDED: Final = 1e4
"""Forces that have grown by so much grow without bound."""
_MOST_SHIFTS: Final = 60
_MOST_STEPS: Final = 50
_FREE: Final = 0
_FIXED: Final = 1
_IDLE: Final = 2
"""What becomes of the forces of a contact: they may change, they must not, no exchange changes them."""


@called
def _list_free(head):
    """The unknowns of contacts that are free, and what each pushes; how many."""
    d, owner, columns, fixed = head.dimension, as_words(head.owner), as_doubles(head.columns), as_words(head.fixed)
    left = 0
    for unknown in range(list_unknowns(head, False)):
        if fixed[owner[unknown]] != _FREE:
            continue
        owner[left] = owner[unknown]
        for i in range(d):
            columns[left * d + i] = columns[unknown * d + i]
        left += 1
    project_vectors(head, left, columns, as_doubles(head.pushed))
    return left


@called
def _read_what_holds(head):
    """The rows that hold, of contacts whose forces are fixed too, each of length one; how many."""
    n, reading, count = head.width, as_doubles(head.read), list_unknowns(head, False)
    project_vectors(head, count, as_doubles(head.equations), reading)
    for i in range(count):
        length = length_of(reading, i * n, n)
        for k in range(n if length > 0.0 else 0):
            reading[i * n + k] /= length
    return count


@called
def _write_pushes(head, rows, count, held):
    """What the free unknowns do, each scaled to push by one: to the ``rows`` that hold, or to each speed."""
    n, pushed, reading = head.width, as_doubles(head.pushed), as_doubles(head.read)
    matrix, scale = as_doubles(head.matrix), as_doubles(head.step)
    for j in range(count):
        length = length_of(pushed, j * n, n)
        scale[j] = 1.0 / length if length > 0.0 else 1.0
        for i in range(rows):
            moves = 0.0 if held else pushed[j * n + i]
            for k in range(n if held else 0):
                moves += reading[i * n + k] * pushed[j * n + k]
            matrix[i * count + j] = scale[j] * moves


@called
def _find_exchanges(head, held):
    """Forces, rows of ``exchanges``, that move nothing, or nothing that is ``held``; how many there are."""
    n, d, m = head.width, head.dimension, head.contacts * head.dimension
    rows = _read_what_holds(head) if held else n
    count = _list_free(head)
    matrix, scale = as_doubles(head.matrix), as_doubles(head.step)
    order, right, x = as_words(head.order), as_doubles(head.right), as_doubles(head.unknowns)
    columns, owner, exchanges = as_doubles(head.columns), as_words(head.owner), as_doubles(head.exchanges)
    _write_pushes(head, rows, count, held)
    for i in range(rows):
        right[i] = 0.0
    rank = reduce_by_rank(matrix, rows, count, right, order, _NOTHING)
    for found in range(count - rank):
        null_vector(matrix, count, rank, rank + found, order, x)
        first = found * m
        for i in range(m):
            exchanges[first + i] = 0.0
        for j in range(count):
            for i in range(d):
                exchanges[first + owner[j] * d + i] += scale[j] * x[j] * columns[j * d + i]
        length = length_of(exchanges, first, m)
        for i in range(m):
            exchanges[first + i] /= length
    return count - rank


@called
def _mark_idle(head, exchanges):
    """Contacts that no exchange changes have no part in it."""
    d, m, fixed, rows = head.dimension, head.contacts * head.dimension, as_words(head.fixed), as_doubles(head.exchanges)
    for contact in range(head.contacts):
        largest = 0.0
        for found in range(exchanges):
            for i in range(contact * d, (contact + 1) * d):
                largest = max(largest, abs(rows[found * m + i]))
        if fixed[contact] == _FREE and largest <= _NOTHING:
            fixed[contact] = _IDLE


@inlined
def _has_cone(head, contact):
    """Whether friction is free within a cone; else the contact has a ray."""
    return as_words(head.modes)[contact] == STICK and not slides_on_a_ray(head, contact)


@called
def _slack(head, contact):
    """By how much the normal force could fall."""
    d, forces, mu = head.dimension, as_doubles(head.forces), as_doubles(head.friction)[contact]
    normal, slack = forces[contact * d], math.inf
    if as_words(head.pressed)[contact] == 1:
        slack = normal - as_doubles(head.lower)[contact]
    if _has_cone(head, contact):
        slack = min(slack, normal - length_of(forces, contact * d + 1, d - 1) / mu)
    return slack


@called
def _least_slack(head):
    fixed, least = as_words(head.fixed), math.inf
    for contact in range(head.contacts):
        if fixed[contact] == _FREE:
            least = min(least, _slack(head, contact))
    return least


@called
def _differentiate(head, contact, shift, weight, slope, block):
    """Of what is maximised: the gradient by the forces of one contact, and minus the second derivatives."""
    d, forces, mu = head.dimension, as_doubles(head.forces), as_doubles(head.friction)[contact]
    first = contact * d
    for i in range(d):
        slope[i] = 0.0
        for j in range(d):
            block[i * d + j] = 0.0
    if _has_cone(head, contact):
        normal = forces[first] + shift
        inside = mu * mu * normal * normal
        slope[0] = 2.0 * mu * mu * normal
        for i in range(1, d):
            inside -= forces[first + i] * forces[first + i]
            slope[i] = -2.0 * forces[first + i]
        for i in range(d):
            slope[i] /= inside
        for i in range(d):
            for j in range(d):
                block[i * d + j] = slope[i] * slope[j]
            block[i * d + i] -= (2.0 * mu * mu if i == 0 else -2.0) / inside
    if as_words(head.pressed)[contact] == 1:
        above = forces[first] - as_doubles(head.lower)[contact] + shift
        slope[0] += 1.0 / above - weight
        block[0] += 1.0 / (above * above)


@called
def _write_equations(head, exchanges, shift, weight):
    """Of what is maximised, by how much of each exchange is added: the gradient, and minus the second derivatives."""
    d, m, fixed, rows = head.dimension, head.contacts * head.dimension, as_words(head.fixed), as_doubles(head.exchanges)
    matrix, right = as_doubles(head.matrix), as_doubles(head.right)
    slope, block = as_doubles(head.trial), as_doubles(head.block)
    for one in range(exchanges):
        right[one] = 0.0
        for other in range(exchanges):
            matrix[one * exchanges + other] = 0.0
    for contact in range(head.contacts):
        if fixed[contact] != _FREE:
            continue
        _differentiate(head, contact, shift, weight, slope, block)
        for one in range(exchanges):
            for i in range(d):
                part = rows[one * m + contact * d + i]
                right[one] += part * slope[i]
                for j in range(d):
                    factor = part * block[i * d + j]
                    if factor != 0.0:
                        for other in range(exchanges):
                            matrix[one * exchanges + other] += factor * rows[other * m + contact * d + j]


@called
def _step(head, exchanges, shift, weight):
    """One step of Newton; its length in the norm of the curvature."""
    m, rows, forces = head.contacts * head.dimension, as_doubles(head.exchanges), as_doubles(head.forces)
    matrix, right, order, step = (
        as_doubles(head.matrix), as_doubles(head.right), as_words(head.order), as_doubles(head.unknowns),
    )  # fmt: skip
    gradient, scale = as_doubles(head.gradient), as_doubles(head.step)
    _write_equations(head, exchanges, shift, weight)
    for one in range(exchanges):
        curvature = matrix[one * exchanges + one]
        scale[one] = 1.0 / math.sqrt(curvature) if curvature > 0.0 else 1.0
    for one in range(exchanges):
        right[one] *= scale[one]
        gradient[one] = right[one]
        for other in range(exchanges):
            matrix[one * exchanges + other] *= scale[one] * scale[other]
    rank = reduce_by_rank(matrix, exchanges, exchanges, right, order, _NO_CURVATURE)
    basic_solution(matrix, exchanges, rank, right, order, step)
    square = 0.0
    for one in range(exchanges):
        square += gradient[one] * step[one]
    length = math.sqrt(max(0.0, square))
    fraction = 1.0 / (1.0 + length) if length > 0.25 else 1.0
    for one in range(exchanges):
        for i in range(m):
            forces[i] += fraction * scale[one] * step[one] * rows[one * m + i]
    return length


@called
def _centre(head, exchanges, shift, weight, bound, enough):
    """Steps until one is short enough; False where there is no bound."""
    before = math.inf
    for _ in range(_MOST_STEPS):
        length = _step(head, exchanges, shift, weight)
        if not largest_force(head) < bound:
            return False
        if length <= enough or (length < 1e-6 and length >= 0.5 * before):
            return True
        before = length
    return True


@called
def _find_centre(head, exchanges, weight):
    """Centre the forces where any are inside of the cones; the shift that is needed, 0 where they are.

    Negative where they have no bound.
    """
    scale = max(largest_force(head), asked_force(head))
    shift, bound = max(0.1 * scale, -2.0 * _least_slack(head)), _UNBOUNDED * scale
    for _ in range(_MOST_SHIFTS):
        if not _centre(head, exchanges, shift, weight, bound, 0.25):
            return -1.0
        slack = _least_slack(head)
        if slack > _AT_THE_EDGE * scale:
            return 0.0 if _centre(head, exchanges, 0.0, weight, bound, 1e-14) else -1.0
        shift -= 0.9 * (shift + slack)
        if shift + slack < _AT_THE_EDGE * scale:
            break
    return max(shift, 1e-300)


@called
def _fix_at_the_edge(head, shift):
    """Fix the contacts that cannot come inside: those still at the edge of the shifted cones."""
    fixed, scale, worst, least = as_words(head.fixed), largest_force(head), -1, math.inf
    for contact in range(head.contacts):
        if fixed[contact] == _FREE:
            slack = _slack(head, contact)
            if slack < least:
                worst, least = contact, slack
            if slack + shift < 1e-4 * scale:
                fixed[contact] = _FIXED
    if worst >= 0:
        fixed[worst] = _FIXED


@called
def _go_back(head, first):
    """Take the forces that it began with again, unless they are farther outside of the cones than those found.

    Those that a cone problem asks for are inside. Those that only hold what sticks may be anywhere.
    """
    m, forces, kept, scale = (
        head.contacts * head.dimension, as_doubles(head.forces), as_doubles(head.trial), largest_force(head),
    )  # fmt: skip
    found = _least_slack_of_all(head)
    for i in range(m):
        forces[i], kept[i] = first[i], forces[i]
    if _least_slack_of_all(head) < min(found, 0.0) - _AT_THE_EDGE * scale:
        for i in range(m):
            forces[i] = first[i] = kept[i]


@called
def _least_slack_of_all(head):
    least = math.inf
    for contact in range(head.contacts):
        least = min(least, _slack(head, contact))
    return least


@called
def centre_forces(head):
    """Centre the forces of the record, for the statuses in ``pressed`` and ``modes``. Motions stay."""
    _centre_among(head, False)


@called
def centre_held_forces(head):
    """The same among all forces under which the statuses go on to hold; how contacts slide may depend on it."""
    _centre_among(head, True)


@called
def _centre_among(head, held):
    m, forces, first, fixed = (
        head.contacts * head.dimension, as_doubles(head.forces), as_doubles(head.centred), as_words(head.fixed),
    )  # fmt: skip
    for contact in range(head.contacts):
        fixed[contact] = _FREE
    for i in range(m):
        first[i] = forces[i]
    head.not_unique = 0
    for attempt in range(head.contacts + 1):
        exchanges = _find_exchanges(head, held)
        if attempt == 0:
            head.not_unique = exchanges
        if exchanges == 0 or largest_force(head) == 0.0:
            return
        _mark_idle(head, exchanges)
        shift = _find_centre(head, exchanges, 0.0)
        if shift < 0.0:
            for i in range(m):
                forces[i] = first[i]
            shift = _find_centre(head, exchanges, 1.0 / max(asked_force(head), 1e-300))
        if shift == 0.0:
            update_motions(head)
            return
        _fix_at_the_edge(head, shift)
        for contact in range(head.contacts):
            fixed[contact] = _FIXED if fixed[contact] == _FIXED else _FREE
        _go_back(head, first)
