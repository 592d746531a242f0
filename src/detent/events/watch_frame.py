"""What the exclusion kernel knows of the guards of a mode: records with named fields, each a word of eight bytes."""

from __future__ import annotations

from typing import Final

import numpy as np

MOST_DEGREE: Final = 7
"""Of the interpolants: 3 (rk4), 4 (dopri5), 7 (dop853)."""
COEFFICIENTS: Final = MOST_DEGREE + 1
LEAF: Final = 24
"""Numbers per leaf in a piece: Bernstein's coefficients of its value, and of its first and second derivative."""
FIRST: Final = 8
SECOND: Final = 16
TAIL: Final = 6
"""Then of each piece: where it begins and ends, and bounds of the guard's value and rate at its end."""
ANCHOR: Final = 8
"""Numbers per instruction: bounds of value and rate at the start of a piece, twice for what has two results."""
LEVELS: Final = 64
"""A step is halved at most so often: beyond 50 a piece is an instant."""

WATCH: Final = np.dtype(
    [
        (name, np.int64)
        for name in (
            "certified",  # 0: nothing is known of the guard between the ends of a step
            "cubic",  # CUBIC, STRAIGHT or 0: whether its values and rates at both ends say what it does between them
            "kinks",  # whether its rate may jump
            "walk", "walk_anchored",  # the addresses of the kernels that walk the tape
            "code", "length", "jets", "flags", "tables",
            "outputs", "output_count", "ends",  # its values: their slots, and bounds of each at both ends of a step
            "leaves", "leaf_count",  # (slot, number among the leaves of the mode)
            "clock",  # the slot of the time, or -1
            "values", "value_count",  # (slot, number) of each run-time value
            "drawn", "drawn_count",  # (number, first run-time value) of each table that is drawn during a run
            "pieces",
            "anchors",  # bounds of all that the tape works out at the start of a piece, then what the time is known to
            "affine",  # the cell that gives a factor for each leaf and the time, then the rest; 0 if there is none
            "factors",
        )
    ]
)  # fmt: skip
"""One tape, walked with intervals: a guard, what a mode requires, or all of them together."""

CERTIFICATE: Final = np.dtype(
    [
        (name, np.int64)
        for name in (
            "count",  # guards, then what the mode requires
            "leaves", "leaf_count",  # the places in the state of what guards read; beyond its width: of its rate
            "coefficients",  # of each leaf
            "rounding", "tolerance", "interpolation",  # how far its value may be off by three measures
            "relative",  # the relative tolerance of the integration
            "screen",  # the watch of all that are not affine, or 0
            "screened",  # for each the number of its output there, or -1
            "shared",  # one word: whether the screen has followed all of them to second order
            "watches",  # the address of the watch of each
            "twins",  # for each of what is required: n + 1 if it is guard n, -(n + 1) if it is its negative; or 0
            "kept",  # one word each: the sign that it was shown to keep
            "found",  # numbers that pass between kernels
            "slack",  # by how much each was off zero at the last jump, as long as it is within that
            "end_slack",  # the same at the end of the step, should it be accepted
            "end_signs",  # one word each: the last sure sign within the step
            "near",  # one word each: AWAY, APPROACHES or DEPARTS
            "near_times",  # when it came near
            "far",  # one word each: whether it is far from zero over the whole step
        )
    ]
)  # fmt: skip
"""All that is watched in a mode."""

CUBIC, STRAIGHT = 1, 2
"""By what a guard is followed of which nothing is known between the ends of a step: a cubic through its values and
rates there; that, and its rate at the start by itself."""

# -- what an exclusion has found, in parts of the step ----------------------------------------------------
SURE: Final = 0
"""The last place before the change at which the sign was sure."""
PLACE: Final = 1
"""The first place after it at which it is."""
FLIP: Final = 2
"""A change before it that is not looked for; -1 if there is none."""
FOUND: Final = 4

# -- how a guard stands to zero, with the state known to the tolerance of the integration ---------------------
AWAY: Final = 0
APPROACHES: Final = 1
"""It has come near zero, and has not passed it."""
DEPARTS: Final = 2
"""It began there, or was there at an event."""
