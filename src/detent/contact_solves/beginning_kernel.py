"""How contacts begin to slide that share their forces.

A cone problem leaves open how these are shared, and where what held gives way it finds the forces with which it held
to the last: far from those in the middle of their cones, by which it slides
(:mod:`~detent.contact_solves.share_kernel`). Along the directions of the former the latter might turn a slip back at
once. So directions are looked for that go with the forces as they will be shared: with normal forces N_i in the
friction, the acceleration w is the minimum of

    |w|^2/2 - f w + sum of mu N_i |J_t w + c_t|        over what keeps the contacts closed,

the sum being over all that is still. That is strictly convex: there is one, some contacts stick in it, and those that
slide do so against their friction. It is found by Newton's method with |v| made smooth, sqrt(v^2 + delta^2), for
smaller and smaller delta. It begins with forces shared as without friction, so that what is alike begins alike; then
they are shared along what comes out, until neither changes. Where that comes to nothing, as where by some of these
forces all would hold, it begins with the directions that the cone solver found.
"""

from __future__ import annotations

import math
from typing import Final

from detent.algebra.factorisation_kernel import factorise, in_triangle, solve_factorised
from detent.contact_solves.centring_kernel import centre_held_forces
from detent.contact_solves.cone_frame import OPEN, SLIP, STICK
from detent.contact_solves.natural_map_kernel import size_contacts
from detent.contact_solves.status_solve_kernel import length_of, solve_statuses
from detent.contact_solves.steadiness_kernel import is_steady
from detent.jit.intrinsics import as_doubles, as_words, called, inlined

_FOLLOWS: Final = 1e-10
"""A row of which the others leave less than this part follows from them."""
_SMOOTHEST: Final = 0.1
_SMOOTHINGS: Final = 14
"""Parts of the largest acceleration: delta begins with the first, and is ten times smaller so many times."""
_MOST_STEPS: Final = 30
_SMALL: Final = 1e-14
"""A step is short that is this part of the loads."""
_HALVINGS: Final = 30
_NONE: Final = 1e-12
"""An acceleration of slip that is this part of what it is without friction is none."""
_STANDS: Final = 1e-7
"""What begins slower than this part of the fastest does not slide: it is what the others turn about."""
_MOST_ROUNDS: Final = 40
_FREE: Final = 1
_GIVEN: Final = 2
"""Of what is still: whether the direction in which it would slide was not given, or was."""
_SAME: Final = 1e-11
"""Directions that change by no more than this are known."""


@inlined
def _begins(head, contact):
    """Whether a contact is still, and may begin to slide in a direction that is to be found."""
    return as_words(head.begins)[contact] != 0


# -- what holds ----------------------------------------------------------------------------------------------------


@called
def _hold_row(head, kept, row):
    """Keep a row at no acceleration, unless it follows from those that are; how many there are then."""
    n, first = head.speeds, kept * head.speeds
    rows, held = as_doubles(head.rows), as_doubles(head.read)
    levels, base = as_doubles(head.gradient), as_doubles(head.slope)
    level, whole = -as_doubles(head.carried)[row], length_of(rows, row * n, n)
    for j in range(n):
        held[first + j] = rows[row * n + j]
    for _ in range(2):
        for k in range(kept):
            along = 0.0
            for j in range(n):
                along += held[first + j] * held[k * n + j]
            for j in range(n):
                held[first + j] -= along * held[k * n + j]
            level -= along * levels[k]
    length = length_of(held, first, n)
    if length <= _FOLLOWS * whole:
        return kept
    levels[kept] = level / length
    for j in range(n):
        held[first + j] /= length
        base[j] += levels[kept] * held[first + j]
    return kept + 1


@called
def _hold(head):
    """The rows that hold, made orthonormal, into ``read``, and the acceleration that they ask for into ``slope``; how
    many there are."""
    d, base, statuses, kept = head.dimension, as_doubles(head.slope), as_words(head.statuses), 0
    for j in range(head.speeds):
        base[j] = 0.0
    for contact in range(head.contacts):
        holds = statuses[contact] == STICK and not _begins(head, contact)
        for i in range(0 if statuses[contact] == OPEN else d if holds else 1):
            kept = _hold_row(head, kept, contact * d + i)
    return kept


@called
def _free_of(head, kept, vector, first):
    """Leave of a vector what moves nothing that holds."""
    n, held = head.speeds, as_doubles(head.read)
    for k in range(kept):
        along = 0.0
        for j in range(n):
            along += vector[first + j] * held[k * n + j]
        for j in range(n):
            vector[first + j] -= along * held[k * n + j]


@called
def _write_ways(head, kept):
    """Of what begins to slide, what moves it and leaves alone what holds, into ``pushed``; what it has besides."""
    n, d, rows, ways, besides = (
        head.speeds, head.dimension, as_doubles(head.rows), as_doubles(head.pushed), as_doubles(head.trial),
    )  # fmt: skip
    for contact in range(head.contacts):
        for row in range(contact * d + 1, (contact + 1) * d if _begins(head, contact) else 0):
            besides[row] = as_doubles(head.carried)[row]
            for j in range(n):
                ways[row * n + j] = rows[row * n + j]
                besides[row] += rows[row * n + j] * as_doubles(head.slope)[j]
            _free_of(head, kept, ways, row * n)


@called
def _write_loads(head, kept, loads):
    """The acceleration without the friction of what begins to slide."""
    n, d, rows, free, forces = (
        head.speeds, head.dimension, as_doubles(head.rows), as_doubles(head.free), as_doubles(head.forces),
    )  # fmt: skip
    statuses = as_words(head.statuses)
    for j in range(n):
        loads[j] = free[j]
        for contact in range(head.contacts):
            slid = statuses[contact] == SLIP and not _begins(head, contact)
            for row in range(contact * d + 1, (contact + 1) * d if slid else 0):
                loads[j] += rows[row * n + j] * forces[row]
    _free_of(head, kept, loads, 0)


# -- the minimum ---------------------------------------------------------------------------------------------------


@called
def _slips(head, contact, way):
    """How a contact begins to slide with an acceleration, its two parts."""
    n, ways, besides, first = head.speeds, as_doubles(head.pushed), as_doubles(head.trial), contact * head.dimension + 1
    one, other = besides[first], besides[first + 1]
    for j in range(n):
        one += ways[first * n + j] * way[j]
        other += ways[(first + 1) * n + j] * way[j]
    return one, other


@inlined
def _limit(head, contact):
    return as_doubles(head.friction)[contact] * max(0.0, as_doubles(head.forces)[contact * head.dimension])


@called
def _objective(head, loads, way, smooth):
    total = 0.0
    for j in range(head.speeds):
        total += (0.5 * way[j] - loads[j]) * way[j]
    for contact in range(head.contacts):
        if _begins(head, contact):
            one, other = _slips(head, contact, way)
            total += _limit(head, contact) * math.sqrt(one * one + other * other + smooth * smooth)
    return total


@called
def _write_step(head, loads, way, smooth, step):
    """Newton's step, and the square of the slope; negative where the curvature cannot be factorised."""
    n, d, ways, triangle = head.speeds, head.dimension, as_doubles(head.pushed), as_doubles(head.matrix)
    for i in range(n):
        step[i] = loads[i] - way[i]
        for j in range(i + 1):
            triangle[in_triangle(i, j)] = 1.0 if i == j else 0.0
    for contact in range(head.contacts):
        if not _begins(head, contact):
            continue
        one, other = _slips(head, contact, way)
        size = math.sqrt(one * one + other * other + smooth * smooth)
        limit, first = _limit(head, contact), contact * d + 1
        one, other = one / size, other / size
        for i in range(n):
            a, b = ways[first * n + i], ways[(first + 1) * n + i]
            step[i] -= limit * (one * a + other * b)
            across = (a * (1.0 - one * one) - b * one * other, b * (1.0 - other * other) - a * one * other)
            for j in range(i + 1):
                bent = across[0] * ways[first * n + j] + across[1] * ways[(first + 1) * n + j]
                triangle[in_triangle(i, j)] += limit / size * bent
    falls = 0.0
    for i in range(n):
        falls += step[i] * step[i]
    if not factorise(triangle, n):
        return -1.0
    solve_factorised(triangle, n, step)
    return falls


@called
def _descend(head, loads, way, smooth, step):
    """The minimum for one smoothness, from a start on."""
    n, size = head.speeds, length_of(loads, 0, head.speeds)
    for _ in range(_MOST_STEPS):
        if _write_step(head, loads, way, smooth, step) <= (_SMALL * size) ** 2:
            return
        before, part = _objective(head, loads, way, smooth), 1.0
        for j in range(n):
            way[j] += step[j]
        for _ in range(_HALVINGS):
            if _objective(head, loads, way, smooth) <= before:
                break
            part *= 0.5
            for j in range(n):
                way[j] -= part * step[j]


@called
def _fastest(head, way):
    fastest = 0.0
    for contact in range(head.contacts):
        if _begins(head, contact):
            one, other = _slips(head, contact, way)
            fastest = max(fastest, math.sqrt(one * one + other * other))
    return fastest


@called
def _turn(head, way, fastest):
    """Take what slides, and its directions; by how much they turn, and one where something else slides than did."""
    slip, given, statuses, turned = as_doubles(head.slip), as_words(head.given), as_words(head.statuses), 0.0
    for contact in range(head.contacts):
        if not _begins(head, contact):
            continue
        one, other = _slips(head, contact, way)
        size, first = math.sqrt(one * one + other * other), 2 * contact
        given[contact] = 0 if size <= _STANDS * fastest else 1
        does = SLIP if given[contact] == 1 else STICK
        turned = 1.0 if statuses[contact] != does else turned
        statuses[contact] = does
        if does == STICK:
            continue
        turned = max(turned, abs(one / size - slip[first]), abs(other / size - slip[first + 1]))
        slip[first], slip[first + 1] = one / size, other / size
    return turned


@called
def _find_directions(head):
    """The directions in which contacts begin to slide, with the normal forces that there are; by how much they turn.

    Negative where nothing slides.
    """
    n, loads, way, step = head.speeds, as_doubles(head.loads), as_doubles(head.way), as_doubles(head.step)
    kept = _hold(head)
    _write_ways(head, kept)
    _write_loads(head, kept, loads)
    for j in range(n):
        way[j] = loads[j]
    most = _fastest(head, way)
    smooth = _SMOOTHEST * most
    for _ in range(_SMOOTHINGS if most > 0.0 else 0):
        _descend(head, loads, way, smooth, step)
        smooth *= 0.1
    fastest = _fastest(head, way)
    return _turn(head, way, fastest) if fastest > _NONE * most else -1.0


# -- with forces that are shared ---------------------------------------------------------------------------------


@called
def _share_along(head):
    """The forces as they are shared by what slides along the directions that there are."""
    pressed, modes, statuses = as_words(head.pressed), as_words(head.modes), as_words(head.statuses)
    slip, directions = as_doubles(head.slip), as_doubles(head.directions)
    for contact in range(head.contacts):
        pressed[contact], modes[contact] = 0 if statuses[contact] == OPEN else 1, statuses[contact]
        slides = _begins(head, contact) and statuses[contact] == SLIP
        for i in range(2 * contact, 2 * contact + 2 if slides else 0):
            directions[i] = slip[i]
    size_contacts(head)
    solve_statuses(head)
    centre_held_forces(head)


@called
def _share_without_friction(head):
    """The normal forces as they would be shared if what is still did not rub."""
    friction, kept, begins = as_doubles(head.friction), as_doubles(head.other_motions), as_words(head.begins)
    for contact in range(head.contacts):
        kept[contact] = friction[contact]
        friction[contact] = 0.0 if begins[contact] != 0 else friction[contact]
    _share_along(head)
    for contact in range(head.contacts):
        friction[contact] = kept[contact]


@called
def _keep_found(head):
    """The directions in which contacts slide that begin to, into ``began``: none where one sticks."""
    began, slip, statuses = as_doubles(head.began), as_doubles(head.slip), as_words(head.statuses)
    for contact in range(head.contacts):
        slides = _begins(head, contact) and statuses[contact] == SLIP
        for i in range(2 * contact, 2 * contact + 2):
            began[i] = slip[i] if slides else 0.0


@called
def _share_as_found(head):
    """What ``began`` says, and the forces as they are shared by that."""
    began, slip = as_doubles(head.began), as_doubles(head.slip)
    for contact in range(head.contacts):
        if not _begins(head, contact):
            continue
        first = 2 * contact
        slides = began[first] != 0.0 or began[first + 1] != 0.0
        as_words(head.statuses)[contact], as_words(head.given)[contact] = SLIP if slides else STICK, 1 if slides else 0
        for i in range(first, first + 2 if slides else first):
            slip[i] = began[i]
    _share_along(head)


@called
def _go_together(head):
    """Find directions and share forces along them in turn, from the forces that there are; whether both stay, and can
    be followed."""
    for _ in range(_MOST_ROUNDS):
        turned = _find_directions(head)
        if turned < 0.0:
            return False
        if turned <= _SAME:
            return bool(is_steady(head))
        _share_along(head)
    return False


@called
def begin_together(head):
    """Where contacts that share their forces begin to slide, let those that are in ``begins`` do so as these will be.

    Their directions may be given, as those of contacts that held: they are to be found all the same. Where none are
    found it is left as it was found by the cone solver.
    """
    begins, given, statuses = as_words(head.begins), as_words(head.given), as_words(head.statuses)
    slip, directions = as_doubles(head.slip), as_doubles(head.directions)
    for contact in range(head.contacts):
        for i in range(2 * contact, 2 * contact + 2 if begins[contact] != 0 and given[contact] == 1 else 0):
            slip[i] = directions[i]
        if begins[contact] != 0:
            begins[contact] = _GIVEN if given[contact] == 1 else _FREE
            given[contact] = 1 if statuses[contact] == SLIP else 0
    _keep_found(head)
    _share_along(head)
    if head.not_unique > 0:
        _share_without_friction(head)
        if not _go_together(head):
            _share_as_found(head)
            if not _go_together(head):
                _share_as_found(head)
    for contact in range(head.contacts):
        given[contact] = 0 if begins[contact] == _FREE else given[contact]
