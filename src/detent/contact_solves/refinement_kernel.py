"""Directions of slips that begin together, to rounding: how fast they begin may be as small as that allows.

A box that its friction hardly lets go slides by what forces and loads leave of one another. If the directions of its
corners turn against one another no force and no moment tells: they are found from how their motions turn, over how fast
these are. So what rounding leaves in the motions counts by that, 1e-16 over 1e-7, unless it is a motion of the bodies
as well, which friction answers: a is added to J^T lambda speed by speed, before rows read the sum,

    u = J (J^T lambda + a) + c,

and directions are corrected until they no longer turn. Where they begin at angles that are not small beside the root of
how fast slip begins, each correction of such a slip leaves two thirds of them: there are many.

What is left in the motions then is what equations do not hold by. The smallest change of speeds after which they do
takes it off everywhere: also where contacts touch and carry nothing yet, whose directions no force tells.
"""

from __future__ import annotations

import math
from typing import Final

from detent.contact_solves.attempt_kernel import is_solution
from detent.contact_solves.natural_map_kernel import update_motions
from detent.contact_solves.status_solve_kernel import (
    correct_once,
    is_loaded,
    length_of,
    list_unknowns,
    project_vectors,
    turns,
)
from detent.jit.abi import EPSILON
from detent.jit.intrinsics import as_doubles, as_words, called

_MOST_CORRECTIONS: Final = 100
_STANDS: Final = 2.0 * EPSILON
"""A direction that turns by no more stands."""
_NEAR: Final = 1e-10
"""Where corrections are no more than this each is much smaller than the one before, until they are rounding."""
_ROUNDING: Final = 64.0 * EPSILON
"""What forces leave of motions, over the largest without them, where they cancel."""
_FOLLOWS: Final = 1e-10
"""An equation of which the others leave less than this part follows from them."""


@called
def rounding_in_motions(head):
    """What rounding makes of motions: forces cancel those that there are without them."""
    bias, largest = as_doubles(head.bias), 0.0
    for i in range(head.contacts * head.dimension):
        largest = max(largest, abs(bias[i]))
    return _ROUNDING * largest


@called
def _begin_together(head):
    """Whether there is more than one direction to be found."""
    count = 0
    for contact in range(head.contacts):
        count += 1 if turns(head, contact) and is_loaded(head, contact) else 0
    return count > 1


@called
def _copy(source, target, count):
    for i in range(count):
        target[i] = source[i]


@called
def _turn_until_they_stand(head):
    """Corrections until directions no longer turn, but for rounding; whether that came."""
    before = math.inf
    for _ in range(_MOST_CORRECTIONS):
        turned = correct_once(head, list_unknowns(head, True))
        if turned <= _STANDS or 0.5 * before <= turned <= _NEAR:
            return True
        before = turned
    return False


@called
def _product(one, first, other, second, count):
    total = 0.0
    for j in range(count):
        total += one[first + j] * other[second + j]
    return total


@called
def _miss(head, unknown):
    """How far an equation is from holding."""
    d, equations, motions = head.dimension, as_doubles(head.equations), as_doubles(head.motions)
    return _product(equations, unknown * d, motions, as_words(head.owner)[unknown] * d, d)


@called
def _find_change(head, change):
    """The smallest change of speeds after which all equations hold, by Gram and Schmidt."""
    n, rows, missed, kept = head.width, as_doubles(head.read), as_doubles(head.right), 0
    count = list_unknowns(head, True)
    project_vectors(head, count, as_doubles(head.equations), rows)
    for j in range(n):
        change[j] = 0.0
    for unknown in range(count):
        left, whole = _miss(head, unknown), length_of(rows, unknown * n, n)
        for j in range(n):
            rows[kept * n + j] = rows[unknown * n + j]
        for _ in range(2):
            for other in range(kept):
                along = _product(rows, kept * n, rows, other * n, n)
                left -= along * missed[other]
                for j in range(n):
                    rows[kept * n + j] -= along * rows[other * n + j]
        length = length_of(rows, kept * n, n)
        if length <= _FOLLOWS * whole:
            continue
        missed[kept] = left / length
        for j in range(n):
            rows[kept * n + j] /= length
            change[j] -= missed[kept] * rows[kept * n + j]
        kept += 1


@called
def _take_rounding_off(head):
    """Make the motions those that the equations leave; whether that is rounding, else they stay as they are."""
    m, n, rows, motions = (
        head.contacts * head.dimension, head.width, as_doubles(head.factors), as_doubles(head.motions),
    )  # fmt: skip
    change, most = as_doubles(head.slope), rounding_in_motions(head)
    _find_change(head, change)
    for i in range(m):
        if not abs(_product(rows, i * n, change, 0, n)) <= most:
            return False
    for i in range(m):
        motions[i] += _product(rows, i * n, change, 0, n)
    return True


@called
def refine_directions(head):
    """Directions of the slips that begin in a solution, and its motions, to rounding; whether they are known to that.

    Else the solution is as it was.
    """
    if head.parted == 0 or not _begin_together(head):
        return False
    m, tangential = head.contacts * head.dimension, head.contacts * (head.dimension - 1)
    forces, slip = as_doubles(head.forces), as_doubles(head.slip)
    kept, ways = as_doubles(head.last_forces), as_doubles(head.other_motions)
    _copy(forces, kept, m)
    _copy(slip, ways, tangential)
    head.by_speed = 1
    update_motions(head)
    known = _turn_until_they_stand(head) and is_solution(head) and _take_rounding_off(head)
    head.by_speed = 0
    if not known:
        _copy(kept, forces, m)
        _copy(ways, slip, tangential)
        update_motions(head)
    return known
