"""Why a stepper returned."""

from __future__ import annotations

from enum import IntEnum
from typing import final


@final
class Status(IntEnum):
    """Why a stepper returned; below zero, what only kernels tell one another.

    >>> Status.DONE.failed, Status.STEP_TOO_SMALL.failed
    (False, True)
    """

    GO_ON = -1
    """There is no reason to return."""
    NONE_FIRED = -2
    """No transition is left that could be taken at this instant."""
    REFUSED = -3
    """The condition in the mode that would be entered does not hold."""
    STUCK = -4
    """A transition leaves its own guard where it was: the next one would come at once, and so on without end."""

    DONE = 0
    """The end that was asked for has been reached, exactly."""
    BUFFER_FULL = 1
    """There is no room for another step; call again to go on."""
    STOPPED = 2
    """Another thread asked to stop; call again to go on."""
    RESET_NEEDED = 3
    """A transition's reset must be worked out by the caller; call again with the state after it."""
    MODE_NEEDED = 4
    """A transition leads to a mode that is not ready; call again when it is."""
    NOT_A_NUMBER = 5
    """The state or its rate is not finite, however short the step."""
    STEP_TOO_SMALL = 6
    """The error asks for steps that the time cannot resolve."""
    PROGRAM_STATUS = 7
    """A program gave a reason not to go on, however short the step."""
    GUARD_NOT_A_NUMBER = 8
    """A guard or a condition is not a number."""
    RESET_VIOLATES = 9
    """The state after a reset does not satisfy the constraints of the mode that is entered."""
    FORBIDDEN = 10
    """A mode was entered where it may not be."""
    TOO_MANY_JUMPS = 11
    """Transition followed transition at one instant, beyond the limit."""
    ACCUMULATES = 12
    """Transitions come faster and faster without end, and nothing says what follows."""

    GUARD_UNRESOLVED = 13
    """A guard waves faster than steps can follow."""
    TOO_MANY_CALLS = 14
    """The equations were evaluated more often than was allowed."""
    NO_PROGRESS = 15
    """Many thousands of steps have led no farther than 1.5e-8 of the time."""

    @property
    def failed(self) -> bool:
        """Whether the integration cannot go on from here."""
        return self >= Status.NOT_A_NUMBER
