"""Contacts that seize together: an impact without collision of all that touch (Painleve's paradox of several).

A ball that slides along two others may be jammed by the friction of both, though each of them alone would let it slide.
Where the forces of all that touch are about to be unsteady (:mod:`detent.contact_solves.steadiness_kernel`) they grow
without bound, together; in a time below rounding some slip is over, or something is thrown off. What seizes alone does
so first, by its own law (:mod:`detent.contact_solves.seizing_kernel`).
"""

from __future__ import annotations

from typing import Final

from detent.contact_solves.cone_frame import OPEN, SLIP, STICK
from detent.contact_solves.contact_rows_kernel import slip_of, status_place
from detent.contact_solves.natural_map_kernel import size_contacts
from detent.contact_solves.seizing_kernel import driven_in, most_driven, nearness, slip_changes, tell_seizing
from detent.contact_solves.settle_impact_kernel import finish_pushing, push_driven
from detent.contact_solves.steadiness_kernel import is_steady
from detent.contact_solves.turn_kernel import pose_all
from detent.jit.abi import OK, WORD
from detent.jit.intrinsics import as_doubles, as_words, called

_BISECTIONS: Final = 24
_BEYOND: Final = 0.1
"""Contacts seize by friction that is larger by this part of what counts as near than the one that is just unsteady."""


@called
def _is_steady_with(cone, count, factor):
    """Whether what touches would be steady with friction larger by a factor."""
    friction = as_doubles(cone.friction)
    for place in range(count):
        friction[place] *= factor
    steady = is_steady(cone)
    for place in range(count):
        friction[place] /= factor
    return steady


@called
def _slowest_slip(head, count):
    """Of what slides; 0 where nothing does."""
    members, still, slowest = as_words(head.members), as_words(head.still), 0.0
    for place in range(count):
        slip, _ = slip_of(head, members[place])
        if still[members[place]] == 0 and (slowest == 0.0 or slip < slowest):
            slowest = slip
    return slowest


@called
def _critical_factor(head, cone, count, near, values):
    """By how much more friction what touches is unsteady: from 1 on, and 0 where it is not ``near`` that."""
    discrete, members = as_doubles(values + WORD * head.first_discrete), as_words(head.members)
    pose_all(head, cone, count, values, True)
    statuses, pressed, modes = as_words(cone.statuses), as_words(cone.pressed), as_words(cone.modes)
    for place in range(cone.contacts):
        held = statuses[place] if place >= count else discrete[status_place(head, members[place])]
        pressed[place] = 0 if held == OPEN else 1
        modes[place] = STICK if statuses[place] == STICK else SLIP
    size_contacts(cone)
    low, high = 1.0, 1.0 + near
    if not _is_steady_with(cone, count, low):
        return low
    if _is_steady_with(cone, count, high):
        return 0.0
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        if _is_steady_with(cone, count, middle):
            low = middle
        else:
            high = middle
    return high + _BEYOND * near


@called
def seize_together(head, cone, count, near, time, values, state):
    """An impact without collision of all that touch; whether there is one.

    With ``near`` their friction still leaves them a motion, and must be near to what does not.
    """
    slowest, contact, factor = _slowest_slip(head, count), most_driven(head, cone, count), 1.0
    if contact >= 0 and near:
        factor = _critical_factor(head, cone, count, nearness(head, slowest, time), values)
    if contact < 0 or factor == 0.0:
        return False
    driven_in(head, cone, count, contact)
    tell_seizing(head, contact)
    if push_driven(head, count, factor, slowest) != OK or not slip_changes(head, count):
        return False
    finish_pushing(head, state)
    return True
