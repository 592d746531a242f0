"""A slip in space that has begun goes where friction turns it.

While it is straight (:mod:`detent.contact_solves.write_statuses_kernel`) friction is along the direction in which it
began. Where friction just gives way the slip gains little, and what loads change across that direction meanwhile is as
much as that: the slip is aside. Friction along it as it is then would turn it, in a time in which nothing else happens,
and until then forces would be none that the motion asks for. What is aside is taken from it instead.
"""

from __future__ import annotations

import math
from typing import Final

from detent.contact_solves.cone_frame import SLIP
from detent.contact_solves.contact_rows_kernel import KINETIC, STATIC, STRAIGHT, coefficient, slip_place, status_place
from detent.contact_solves.members_kernel import place_of_member
from detent.contact_solves.settle_frame import Reason
from detent.contact_solves.settle_impact_kernel import begin_pushing, finish_pushing, list_resting, push_rows
from detent.contact_solves.status_choice_kernel import solve_members
from detent.jit.abi import OK, WORD
from detent.jit.intrinsics import as_doubles, as_words, called

_ASIDE: Final = 1e-6
"""What is aside by no more than this part is what the direction of so slow a slip is known to."""


@called
def _was_straight(head, trigger, values):
    """Whether what happens is that a slip is not straight any more, with as much friction as held it.

    Where forces are shared slips begin together, and each is along the motion of all.
    """
    k, before = trigger.contact, as_doubles(values + WORD * head.first_discrete)
    if head.dimension != 3 or trigger.reason != Reason.TURNS or trigger.turn >= 0:
        return False
    straight = before[status_place(head, k)] == SLIP and before[slip_place(head, k, STRAIGHT)] != 0.0
    return (
        straight
        and before[head.sharing_place] == 0.0
        and 0.0 < coefficient(head, STATIC, k) == coefficient(head, KINETIC, k)
    )


@called
def _direction(head, cone, count, trigger, values):
    """Where a slip would go that began now, two components along its rows; zero where it would not begin."""
    k = trigger.contact
    place, still = place_of_member(head, count, k), as_words(head.still)
    still[k] = 1
    outcome = solve_members(head, cone, count, trigger, values)
    still[k] = 0
    if outcome != OK or as_words(cone.statuses)[place] != SLIP:
        return 0.0, 0.0
    motions = as_doubles(cone.motions)
    first, second = motions[3 * place + 1], motions[3 * place + 2]
    size = math.sqrt(first * first + second * second)
    return (first / size, second / size) if size > 0.0 else (0.0, 0.0)


@called
def align(head, cone, count, trigger, values, state):
    """Take from a slip that has begun what is aside of where friction turns it; whether it was."""
    k = trigger.contact
    if place_of_member(head, count, k) < 0 or not _was_straight(head, trigger, values):
        return False
    first, second = _direction(head, cone, count, trigger, values)
    row, speed = k * head.dimension, as_doubles(head.speed)
    along = first * speed[row + 1] + second * speed[row + 2]
    aside = abs(first * speed[row + 2] - second * speed[row + 1])
    if along <= 0.0 or aside <= _ASIDE * along:
        return False
    right, owner, scale = as_doubles(cone.right), as_words(cone.owner), as_doubles(cone.step)
    as_words(head.still)[k] = 1
    total = list_resting(head, cone, count, -1)
    as_words(head.still)[k] = 0
    for i in range(total):
        wanted = along * (first if owner[i] == row + 1 else second)
        right[i] = scale[i] * (wanted - speed[owner[i]]) if row < owner[i] <= row + 2 else 0.0
    begin_pushing(head)
    push_rows(head, cone, total)
    finish_pushing(head, state)
    return True
