"""All statuses of a few contacts, one after the other: what else would hold, or that nothing does.

In the plane this is all there is. In space a direction of slip is an unknown, found from four to begin with; that no
solution is found then proves nothing, but leaves little.
"""

from __future__ import annotations

from typing import Final

from detent.contact_solves.attempt_kernel import holds
from detent.contact_solves.cone_frame import MOST_COMBINATIONS, MOST_COUNTED, SLIP, STICK
from detent.contact_solves.natural_map_kernel import largest_force, slides_on_a_ray
from detent.jit.intrinsics import as_doubles, as_words, called, inlined

_DIFFERENT: Final = 1e-9
"""Motions differ by more than this, in forces over the largest force."""


@inlined
def _choices(head, contact):
    """How many statuses a contact may have, each direction of slip for itself."""
    if slides_on_a_ray(head, contact):
        return 2
    return 4 if head.dimension == 2 else 6


@called
def _combinations(head):
    count = 1
    for contact in range(head.contacts):
        count *= _choices(head, contact)
    return count


@called
def is_few(head):
    """Whether all statuses can be tried before nothing is found."""
    return _combinations(head) <= MOST_COMBINATIONS


@called
def is_countable(head):
    """Whether all statuses can be tried to see if there are several solutions."""
    return _combinations(head) <= MOST_COUNTED


@called
def _set_combination(head, number):
    """Statuses of a combination: open, sticks, slips one way or another; open or sliding where that is given."""
    pressed, modes, slip = as_words(head.pressed), as_words(head.modes), as_doubles(head.slip)
    d, forces = head.dimension, as_doubles(head.forces)
    for contact in range(head.contacts):
        choices = _choices(head, contact)
        choice, number = number % choices, number // choices
        pressed[contact] = 1 if choice > 0 else 0
        modes[contact] = STICK if choice == 1 and choices > 2 else SLIP
        if choice >= 2 and d == 2:
            slip[contact] = 1.0 if choice == 2 else -1.0
        elif choice >= 2:
            slip[2 * contact] = (1.0, 0.0, -1.0, 0.0)[choice - 2]
            slip[2 * contact + 1] = (0.0, 1.0, 0.0, -1.0)[choice - 2]
        for i in range(contact * d, (contact + 1) * d):
            forces[i] = 0.0


@called
def any_holds(head):
    """Take the first combination that holds; False where none does."""
    for number in range(_combinations(head)):
        _set_combination(head, number)
        if holds(head):
            return True
    return False


@called
def others_hold(head):
    """Whether a combination with motions other than ``other_motions`` holds. What the record holds is lost."""
    motions, others, d = as_doubles(head.motions), as_doubles(head.other_motions), head.dimension
    for number in range(_combinations(head)):
        _set_combination(head, number)
        if not holds(head):
            continue
        largest = 0.0
        for i in range(head.contacts * d):
            largest = max(largest, as_doubles(head.sizes)[i // d] * max(abs(motions[i]), abs(others[i])))
        scale = max(largest_force(head), largest)
        for i in range(head.contacts * d):
            if as_doubles(head.sizes)[i // d] * abs(motions[i] - others[i]) > _DIFFERENT * scale:
                return True
    return False
