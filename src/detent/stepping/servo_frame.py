"""What the servo kernel shares with whoever steers it: when steps are due, what hands do, what came of it."""

from __future__ import annotations

from enum import IntEnum
from typing import Final, final

import numpy as np

AXES: Final = 3
"""A hand has a place along each of so many axes."""
SAMPLE: Final = 1 + AXES
"""What a hand says at a time: whether it holds on (1 or 0), and where it is."""


@final
class ServoStage(IntEnum):
    """How far the servo has come with its next step.

    >>> ServoStage(0).name
    'WAITING'
    """

    WAITING = 0
    """It is not due yet."""
    DUE = 1
    """It is due and has not begun: changes from outside are made now."""
    STEPPING = 2
    """It has begun."""
    WOKEN = 3
    """It is not due yet, and another thread has something to be done first; what that takes counts with the step."""


ASKED: Final = 1
ASKED_LONG: Final = 2
"""Something is to be done between two steps: at once, or, as it takes long, not shortly before one is due."""

SERVO: Final = np.dtype(
    [
        *(
            (name, np.int64)
            for name in (
                "advance",  # the address of the kernel that takes steps; 0 where there is nothing to do but to wait
                "clock", "clock_context",  # the cell of the clock
                "period",  # ns
                "stage",  # a Stage
                "number",  # steps taken
                "last",  # return when so many have been taken
                "due",  # when the next one is due, by the clock, ns; 0: as soon as the clock has been read
                "began",  # the thread's processor time when it became due, or was woken before, ns
                "asked",  # another thread has something to be done between two steps (ASKED, or ASKED_LONG)
                "put_off",  # 1 where the step that was due then came first
                "missed",  # deadlines that have passed without the step that was due before them
                "own_worst", "own_worst_number",  # the longest own computing time of a step, ns; of which step
                "own_total",
                "own_over",  # steps whose own computing time was longer than the period
                "keeps",  # 1: return when the record is full, and when hands have moved; 0: let go of what is in it
                "moved",  # 1 where it has returned because hands have moved
                "recheck",  # the phase in which guards are looked at again
                "hands",  # how many there are
                "hand_table",  # the address of their rows (HAND)
                "posted",  # samples that were posted
                "seen",  # of these, the last that was taken up
                "inbox", "inbox_room",  # the address of samples, and room for how many; each is SAMPLE numbers a hand
                "held",  # the address of the sample that holds
                "diary", "diary_room",  # the address of samples that were taken up, each after the number of its step
                "written",  # how many there are in all; the last of them are in the diary
                "forces",  # the address of the cell that works out what hands feel, AXES numbers a hand
                "courses", "course_room", "course_width",  # the address of a row for each step of late
            )
        ),
        ("start", np.float64),  # the time of the simulation at which step 0 begins, s
        ("seconds", np.float64),  # the period
    ]
)  # fmt: skip
"""Written by whoever makes it, then by the kernel; ``asked`` and ``posted`` are published by other threads."""

HAND: Final = np.dtype(
    [
        ("grip", np.int64),  # the place among the values of whether it holds on
        ("places", np.int64),  # the address of those of its position, then those of its velocity, along each axis
        ("filtered", np.int64),  # the address of where it is taken to be, along each axis
        ("gain", np.float64),  # of the filter: the part of the way to the sample that is gone in a period
        ("holds", np.float64),  # whether it held on in the step before
    ]
)

COURSE: Final = ("time", "own", "late", "mode")
"""What a row of the course begins with: the time reached (s), own computing time and how long after it was due the step
was finished (both s), the number of the mode; then what hands feel, where they are, and the state."""
