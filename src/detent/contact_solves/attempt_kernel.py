"""Whether statuses hold: forces for them are worked out, every condition is looked at, and whether they are steady."""

from __future__ import annotations

from typing import Final

from detent.contact_solves.centring_kernel import centre_forces
from detent.contact_solves.natural_map_kernel import largest_force, moved_by, rounding_in_forces
from detent.contact_solves.status_solve_kernel import solve_statuses
from detent.contact_solves.steadiness_kernel import is_steady
from detent.jit.intrinsics import called

ACCEPTED: Final = 1e-12
"""The natural map may move a force so far, over the largest force. Rounding moves it by 1e-16 to 1e-14."""


@called
def is_solution(head):
    """Whether forces and motions of the record solve the problem."""
    scale = largest_force(head)
    for contact in range(head.contacts):
        if not moved_by(head, contact) <= ACCEPTED * scale + 2.0 * rounding_in_forces(head, contact):
            return False
    return True


@called
def _solve(head):
    """Whether the statuses in ``pressed`` and ``modes`` have forces that solve the problem.

    Where forces are not unique, those found first may lie outside of the cones though others do not.
    """
    if not solve_statuses(head):
        return False
    if is_solution(head):
        return True
    centre_forces(head)
    return head.not_unique > 0 and is_solution(head)


@called
def statuses_hold(head):
    """Whether the statuses in ``pressed`` and ``modes`` do; forces and motions are left in the record.

    While only steady ones are looked for, it is kept in ``unsteady`` that others were found.
    """
    if not _solve(head):
        return False
    if head.steadily == 0 or is_steady(head):
        return True
    head.unsteady = 1
    return False
