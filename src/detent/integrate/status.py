"""Why a stepper returned."""

from __future__ import annotations

from enum import IntEnum
from typing import final


@final
class Status(IntEnum):
    """Why a stepper returned.

    >>> Status.DONE.failed, Status.STEP_TOO_SMALL.failed
    (False, True)
    """

    DONE = 0
    """The end that was asked for has been reached, exactly."""
    BUFFER_FULL = 1
    """There is no room for another step; call again to go on."""
    STOPPED = 2
    """Another thread asked to stop; call again to go on."""
    NOT_A_NUMBER = 3
    """The state or its rate is not finite, however short the step."""
    STEP_TOO_SMALL = 4
    """The error asks for steps that the time cannot resolve."""
    PROGRAM_STATUS = 5
    """A program gave a reason not to go on, however short the step."""

    @property
    def failed(self) -> bool:
        """Whether the integration cannot go on from here."""
        return self >= Status.NOT_A_NUMBER
