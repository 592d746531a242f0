"""All statuses of a few contacts, one after the other: what else would hold, or that nothing does.

In the plane this is all there is. In space a direction of slip is an unknown, found from four to begin with; that no
solution is found then proves nothing, but leaves little.
"""

from __future__ import annotations

from typing import Final

from detent.contact_solves.attempt_kernel import statuses_hold
from detent.contact_solves.cone_frame import MOST_COMBINATIONS, MOST_COUNTED, QUICKLY_COUNTED, SLIP, STICK
from detent.contact_solves.natural_map_kernel import largest_force, slides_on_a_ray
from detent.jit.intrinsics import as_doubles, as_words, called, inlined

_DIFFERENT: Final = 1e-9
"""Motions differ by more than this, in forces over the largest force."""


@inlined
def _ways(head, contact):
    """What a contact that carries may do: stick, or slip in so many directions; one thing where it slides."""
    if slides_on_a_ray(head, contact):
        return 1
    return 3 if head.dimension == 2 else 5


@inlined
def _choices(head, contact):
    """How many statuses a contact may have: pressed in any way, and open, or in any way with its least force."""
    ways = _ways(head, contact)
    return 2 * ways if as_doubles(head.lower)[contact] > 0.0 else 1 + ways


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
def is_quickly_counted(head):
    """The same where that must not take long."""
    return _combinations(head) <= QUICKLY_COUNTED[head.dimension - 2]


@called
def _set_combination(head, number):
    """Statuses of a combination, and no forces to begin with."""
    pressed, modes, slip = as_words(head.pressed), as_words(head.modes), as_doubles(head.slip)
    d, forces = head.dimension, as_doubles(head.forces)
    for contact in range(head.contacts):
        choices, ways = _choices(head, contact), _ways(head, contact)
        choice, number = number % choices, number // choices
        pressed[contact] = 1 if choice < ways else 0
        way = choice % ways
        modes[contact] = STICK if way == 0 and ways > 1 else SLIP
        if way > 0 and d == 2:
            slip[contact] = 1.0 if way == 1 else -1.0
        elif way > 0:
            slip[2 * contact] = (1.0, 0.0, -1.0, 0.0)[way - 1]
            slip[2 * contact + 1] = (0.0, 1.0, 0.0, -1.0)[way - 1]
        for i in range(contact * d, (contact + 1) * d):
            forces[i] = 0.0


@called
def any_holds(head):
    """Take the first combination that holds; False where none does."""
    for number in range(_combinations(head)):
        _set_combination(head, number)
        if statuses_hold(head):
            return True
    return False


@called
def others_hold(head):
    """Whether a combination with motions other than ``other_motions`` holds. What the record holds is lost."""
    motions, others, d = as_doubles(head.motions), as_doubles(head.other_motions), head.dimension
    for number in range(_combinations(head)):
        _set_combination(head, number)
        if not statuses_hold(head):
            continue
        largest = 0.0
        for i in range(head.contacts * d):
            largest = max(largest, as_doubles(head.sizes)[i // d] * max(abs(motions[i]), abs(others[i])))
        scale = max(largest_force(head), largest)
        for i in range(head.contacts * d):
            if as_doubles(head.sizes)[i // d] * abs(motions[i] - others[i]) > _DIFFERENT * scale:
                return True
    return False
