"""The cone problem of a few contacts, in the plane and in space (:mod:`detent.contact_solves.cone_frame` states it).

First what held is tried: one linear solve, and a look at every condition. Then, in the plane, Lemke's method from
several starts; in space, and where Lemke found nothing, Newton's method on the natural map from a list of starts, the
last of which replace cones by pyramids; at last all statuses, where these are few. Every method only proposes statuses:
forces are then solved for by corrections, so that an answer is right to rounding, or there is none.
"""

from __future__ import annotations

import math
from typing import Final

from detent.contact_solves.attempt_kernel import is_solution, statuses_hold
from detent.contact_solves.centring_kernel import centre_forces
from detent.contact_solves.cone_frame import (
    FACES,
    NONE,
    NOT_CONVERGED,
    OPEN,
    SLIP,
    SOLVED,
    STICK,
    UNKNOWN,
)
from detent.contact_solves.enumeration_kernel import any_holds, is_countable, is_few, others_hold
from detent.contact_solves.lemke_kernel import find_statuses, may_all_part
from detent.contact_solves.natural_map_kernel import (
    as_cone,
    asked_force,
    clip,
    is_given_finite,
    largest_force,
    moved_by,
    residual,
    rounding_in_forces,
    size_contacts,
    slides_on_a_ray,
    update_motions,
)
from detent.contact_solves.proximal_newton_kernel import classify, step_nearer, sweep
from detent.contact_solves.pyramid_kernel import find_statuses_of_pyramids
from detent.contact_solves.refinement_kernel import refine_directions, rounding_in_motions
from detent.contact_solves.status_solve_kernel import length_of
from detent.jit.intrinsics import ADDRESSES, as_doubles, as_words, called, inlined, kernel

_COVERS: Final = 13
"""Vectors that Lemke's method begins with, one after the other, while it ends in rays."""
_RANDOM_STARTS: Final = 12
_MOST_PROXIMAL: Final = 8
_AT_REST: Final = 1e-11
"""A motion this small, in forces over the largest force, is none."""


@called
def _keep_first(head):
    """What held before, for it is written over."""
    forces, slip = as_doubles(head.forces), as_doubles(head.slip)
    first_forces, first_slip = as_doubles(head.first_forces), as_doubles(head.first_slip)
    for i in range(head.contacts * head.dimension):
        first_forces[i] = forces[i]
    for i in range(head.contacts * (head.dimension - 1)):
        first_slip[i] = slip[i]


@inlined
def _at_rest(head, contact, scale):
    """A motion of a contact up to this, as a force, is none; ``scale`` is the largest force."""
    return _AT_REST * scale + 2.0 * rounding_in_forces(head, contact)


@called
def _any_turns_back(head):
    """Whether a slip that begins goes against its direction: where nothing presses, no force tells that it does."""
    d, slip, motions, scale = head.dimension, as_doubles(head.slip), as_doubles(head.motions), largest_force(head)
    for contact in range(head.contacts):
        along = 0.0
        for i in range(d - 1):
            along += slip[contact * (d - 1) + i] * motions[contact * d + 1 + i]
        slips = as_words(head.pressed)[contact] == 1 and as_words(head.modes)[contact] == SLIP
        begins = slips and not slides_on_a_ray(head, contact)
        if begins and as_doubles(head.sizes)[contact] * along < -_at_rest(head, contact, scale):
            return True
    return False


@called
def _what_held_holds(head):
    """Whether the statuses that were given do."""
    pressed, modes, statuses = as_words(head.pressed), as_words(head.modes), as_words(head.statuses)
    for contact in range(head.contacts):
        if statuses[contact] == UNKNOWN:
            return False
        pressed[contact] = 0 if statuses[contact] == OPEN else 1
        modes[contact] = STICK if statuses[contact] == STICK else SLIP
    return statuses_hold(head) and not _any_turns_back(head)


@called
def _make_square(head):
    """Rows L with L L^T = J J^T, no longer than there are rows, by Householder's reflections: J = L Q, and Q a."""
    m, n, rows, square = (
        head.contacts * head.dimension, head.speeds, as_doubles(head.rows), as_doubles(head.square_rows),
    )  # fmt: skip
    free = as_doubles(head.square_free)
    for i in range(m * n):
        square[i] = rows[i]
    for j in range(n):
        free[j] = as_doubles(head.free)[j]
    for i in range(m):
        length = length_of(square, i * n + i, n - i)
        if length == 0.0:
            continue
        pivot = -length if square[i * n + i] > 0.0 else length
        square[i * n + i] -= pivot
        norm = length * length + abs(length * (square[i * n + i] + pivot))  # half the square of the reflected vector
        for other in range(i + 1, m):
            total = 0.0
            for j in range(i, n):
                total += square[i * n + j] * square[other * n + j]
            for j in range(i, n):
                square[other * n + j] -= total / norm * square[i * n + j]
        total = 0.0
        for j in range(i, n):
            total += square[i * n + j] * free[j]
        for j in range(i, n):
            free[j] -= total / norm * square[i * n + j]
        square[i * n + i] = pivot
        for j in range(i + 1, n):
            square[i * n + j] = 0.0
    for i in range(m):
        for j in range(m):
            square[i * m + j] = square[i * n + j]
    head.factors, head.width, head.freely = head.square_rows, m, head.square_free


@called
def _clear_forces(head):
    forces = as_doubles(head.forces)
    for i in range(head.contacts * head.dimension):
        forces[i] = 0.0


@inlined
def _next_random(seed):
    """Park and Miller's sequence."""
    return (16807 * seed) % 2147483647


@called
def _draw_cover(head, attempt, seed):
    """The covering vector of an attempt: ones, then random ones; the seed of the next."""
    cover = as_doubles(head.cover)
    for i in range(head.contacts * (3 if head.dimension == 2 else FACES + 2)):
        seed = _next_random(seed)
        cover[i] = 1.0 if attempt == 0 else 0.05 + seed / 2147483647.0
    return seed


@called
def _solve_by_lemke(head):
    """In the plane."""
    seed = 12345
    for attempt in range(_COVERS):
        seed = _draw_cover(head, attempt, seed)
        if find_statuses(head):
            _clear_forces(head)
            if statuses_hold(head):
                return True
    return False


@called
def _approach(head):
    """Proximal steps from the forces of the record, until the statuses they propose hold."""
    m, forces, last = head.contacts * head.dimension, as_doubles(head.forces), as_doubles(head.last_forces)
    eagerness = 10.0
    for _ in range(_MOST_PROXIMAL):
        if not step_nearer(head, eagerness):
            if eagerness <= 0.1:
                return False
            eagerness = max(eagerness / 10.0, 0.1)
            continue
        for i in range(m):
            last[i] = forces[i]
        update_motions(head)
        classify(head, 1.0)
        if statuses_hold(head):
            return True
        for i in range(m):
            forces[i] = last[i]
        eagerness = min(10.0 * eagerness, 1e5)
    return False


@called
def _solve_by_pyramids(head):
    """In space: what pyramids say, to begin with."""
    seed = 12345
    for attempt in range(_COVERS):
        seed = _draw_cover(head, attempt, seed)
        if find_statuses_of_pyramids(head):
            _clear_forces(head)
            if statuses_hold(head):
                return True
            clip(head)
            if _approach(head):
                return True
    return False


@called
def _rests(head):
    """Whether nothing moves at any contact."""
    for contact in range(head.contacts):
        as_words(head.pressed)[contact], as_words(head.modes)[contact] = 1, STICK
    _clear_forces(head)
    return statuses_hold(head)


@called
def _sweep_from_first(head, times):
    """Forces as they were, made better by some sweeps."""
    for i in range(head.contacts * head.dimension):
        as_doubles(head.forces)[i] = as_doubles(head.first_forces)[i]
    clip(head)
    sweep(head, times)


@called
def _draw_forces(head, seed):
    """Forces inside of the cones, at random; the seed of the next."""
    forces, d, scale = as_doubles(head.forces), head.dimension, asked_force(head)
    for i in range(head.contacts * d):
        seed = _next_random(seed)
        forces[i] = scale * (seed / 2147483647.0 if i % d == 0 else 2.0 * seed / 2147483647.0 - 1.0)
    clip(head)
    return seed


@called
def _solve_by_newton(head):
    """From one start after the other."""
    _sweep_from_first(head, 30)
    if _approach(head) or _rests(head) or _approach(head):
        return True
    _sweep_from_first(head, 300)
    if _approach(head):
        return True
    _clear_forces(head)
    if _approach(head):
        return True
    seed = 12345
    for _ in range(_RANDOM_STARTS):
        seed = _draw_forces(head, seed)
        if _approach(head):
            return True
    return False


@called
def _write_slip(head, contact, slipping):
    """The direction of a slip that begins: that of the motion, or against friction, whichever is the larger as a force.

    They are the same, but for one rounding that both have: slip that hardly begins is nothing but that across its way,
    and a direction from it would push a box aside by more than it slides.
    """
    d, slip, forces, motions = (
        head.dimension, as_doubles(head.slip), as_doubles(head.forces), as_doubles(head.motions),
    )  # fmt: skip
    first, braking = contact * d, length_of(forces, contact * d + 1, d - 1)
    against = d == 3 and braking > as_doubles(head.sizes)[contact] * slipping
    for i in range(1, d):
        way = -forces[first + i] / braking if against else motions[first + i] / slipping
        slip[contact * (d - 1) + i - 1] = way


@called
def _settle(head, clean):
    """Statuses from the motions of a solution, ``clean`` or not. A contact without force that was open stays so."""
    d, forces, motions, sizes = (
        head.dimension, as_doubles(head.forces), as_doubles(head.motions), as_doubles(head.sizes),
    )  # fmt: skip
    pressed, modes, scale = as_words(head.pressed), as_words(head.modes), largest_force(head)
    for contact in range(head.contacts):
        small = _at_rest(head, contact, scale)
        first, normal = contact * d, forces[contact * d] - as_doubles(head.lower)[contact]
        touches = sizes[contact] * motions[first] <= small
        was_open = as_words(head.statuses)[contact] == OPEN
        pressed[contact] = 1 if touches and not (was_open and normal <= small) else 0
        slipping = length_of(motions, first + 1, d - 1)
        if clean:
            small = sizes[contact] * rounding_in_motions(head) + 2.0 * rounding_in_forces(head, contact)
        modes[contact] = STICK
        if slides_on_a_ray(head, contact) or sizes[contact] * slipping > small:
            modes[contact] = SLIP
        if sizes[contact] * slipping > small and as_words(head.given)[contact] == 0:
            _write_slip(head, contact, slipping)


@called
def _centre_if_it_holds(head):
    """Centre the forces for the statuses of the motions."""
    m, forces, last = head.contacts * head.dimension, as_doubles(head.forces), as_doubles(head.last_forces)
    for i in range(m):
        last[i] = forces[i]
    centre_forces(head)
    if not is_solution(head):
        for i in range(m):
            forces[i] = last[i]
        update_motions(head)


@called
def _write_statuses(head):
    """What each contact does. Where neither force nor motion says, it does what it did."""
    d, forces, statuses, modes = (
        head.dimension, as_doubles(head.forces), as_words(head.statuses), as_words(head.modes),
    )  # fmt: skip
    slip, first_slip, lower = as_doubles(head.slip), as_doubles(head.first_slip), as_doubles(head.lower)
    scale = largest_force(head)
    for contact in range(head.contacts):
        small = _at_rest(head, contact, scale)
        slides = statuses[contact] == STICK and modes[contact] == SLIP
        idle = statuses[contact] in (SLIP, STICK) and forces[contact * d] <= small and not slides
        if as_words(head.pressed)[contact] == 0 and lower[contact] == 0.0:
            statuses[contact] = OPEN
        elif not idle:
            statuses[contact] = modes[contact]
        goes = as_doubles(head.sizes)[contact] * length_of(as_doubles(head.motions), contact * d + 1, d - 1) > small
        if (idle and not goes) or statuses[contact] != SLIP:
            for i in range(contact * (d - 1), (contact + 1) * (d - 1)):
                slip[i] = first_slip[i]


@called
def _take_back(head):
    """Leave what held before where nothing was found."""
    for i in range(head.contacts * head.dimension):
        as_doubles(head.forces)[i] = as_doubles(head.first_forces)[i]
    for i in range(head.contacts * (head.dimension - 1)):
        as_doubles(head.slip)[i] = as_doubles(head.first_slip)[i]


@called
def _blame(head):
    """No solution: the contact to say, and what it means."""
    head.culprit, worst, slides = 0, -1.0, False
    for contact in range(head.contacts):
        slides = slides or as_words(head.given)[contact] == 1
    for contact in range(head.contacts):
        moved = moved_by(head, contact)
        if moved > worst and (not slides or as_words(head.given)[contact] == 1):
            head.culprit, worst = contact, moved
    return NONE if slides or (head.dimension == 2 and is_few(head)) or not may_all_part(head) else NOT_CONVERGED


@called
def look_for_others(head):
    """Tell in ``several`` whether a solution that was found has others beside it, with other motions; it stays."""
    m, forces, motions, slip = (
        head.contacts * head.dimension, as_doubles(head.forces), as_doubles(head.motions), as_doubles(head.slip),
    )  # fmt: skip
    last, others, ways, unique = (
        as_doubles(head.first_forces), as_doubles(head.other_motions), as_doubles(head.first_slip), head.not_unique,
    )  # fmt: skip
    for i in range(m):
        last[i], others[i] = forces[i], motions[i]
    for i in range(head.contacts * (head.dimension - 1)):
        ways[i] = slip[i]
    head.several = 1 if others_hold(head) else 0
    for i in range(m):
        forces[i], motions[i] = last[i], others[i]
    for i in range(head.contacts * (head.dimension - 1)):
        slip[i] = ways[i]
    head.not_unique = unique


@called
def _finish(head):
    """Statuses, and what is to be said of a solution."""
    _write_statuses(head)
    clip(head)
    update_motions(head)
    head.residual = residual(head)
    if head.count == 1 and is_countable(head):
        look_for_others(head)
    return SOLVED


@called
def _solve_anew(head):
    """Whether any method finds statuses that hold."""
    if head.speeds > head.contacts * head.dimension:
        _make_square(head)
    if head.dimension == 2:
        if _solve_by_lemke(head):
            return True
        if is_few(head):
            return any_holds(head)
    if _solve_by_newton(head) or (head.dimension == 3 and _solve_by_pyramids(head)):
        return True
    return is_few(head) and any_holds(head)


@called
def _find(head):
    """Whether there is a solution: what held, or something new."""
    size_contacts(head)
    if _what_held_holds(head):
        refine_directions(head)
        centre_forces(head)
        return True
    if not _solve_anew(head):
        return False
    _settle(head, refine_directions(head))
    _centre_if_it_holds(head)
    return True


@called
def solve_cone(head):
    """Forces, statuses, directions of slip and motions of a problem, into its record; the outcome.

    Of several solutions, where it is asked for, one that can be followed if one is found.
    """
    head.not_unique, head.several, head.culprit, head.residual = 0, 0, -1, math.inf
    head.steadily, head.unsteady = head.steady, 0
    if not is_given_finite(head):
        return NOT_CONVERGED
    _keep_first(head)
    found = _find(head)
    head.steadily = 0
    if not found and head.unsteady == 1:
        head.unsteady = 0
        _take_back(head)
        found = _find(head)
    if found:
        return _finish(head)
    update_motions(head)
    head.residual = residual(head)
    outcome = _blame(head)
    _take_back(head)
    return outcome


@kernel(ADDRESSES)
def solve_cone_problem(context, time, state, values, out):
    """Solve the problem whose record is at ``context``; the outcome."""
    return solve_cone(as_cone(context))
