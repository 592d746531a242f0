"""What the kernels find that keep coordinates of nearest points where they belong, and what they tell."""

from __future__ import annotations

from typing import Final

import numpy as np

MOST_COORDINATES: Final = 2
"""Of one nearest point: of a point on a surface, or of one on each of two curves."""

APART: Final = 0
GAP: Final = 1
DOMAIN: Final = 2
NEAREST: Final = 3
RANGES: Final = 4
"""What the program of a place gives: ``apart``, the gap, what is not negative on the curve or patch, what is positive
at a minimum; then the lowest and highest value of each coordinate, the equations, and their slopes row by row."""

LOOKED: Final = ("time", "free", "moving", "turning", "x", "y", "z", "angle")
FOLLOWED: Final = np.dtype(
    [
        *(
            (name, np.int64)
            for name in (
                "program",  # the cell that gives all this
                "apart",  # the cell that gives ``apart`` alone
                "coordinates",  # how many there are
                "first", "second",  # their places in the state
                "samples", "other_samples",  # how many values of each are looked at
                "off_range",  # whether any may leave its range
                "lasting",  # whether there is always a nearest point, and one only
                "is_round",  # whether a ball, a disk or a point touches, or a ring
                "portions",  # of two curves, or a curve and what touches it: two of PORTIONS; else 0
                "surface",  # of a surface: what is known of it, SURFACE; else 0
                "stance",  # the cell that gives how they stand to one another; 0 where they touch nowhere else
            )
        ),
        # Where it was last looked at, and where the last accepted step ended: the time, how long from there the shapes
        # touch nowhere else than around the point that is followed, how fast points come nearer and normals turn, and
        # where one shape is as seen from the other, and how it is turned; faces and planes are at zero.
        *((f"{when}_{name}", np.float64) for when in ("seen", "kept") for name in LOOKED),
        ("size", np.float64),  # how large the curve or surface is
        ("slack", np.float64),  # by how much a coordinate may be off within a step where NEAREST is 1; 0 where by none
        ("least_slack", np.float64),  # and by how much it may at least: the tolerance of all else
        ("seen_nearest", np.float64),  # NEAREST where it was last corrected
    ]
)  # fmt: skip
"""A place whose nearest point is followed."""

FOLLOWING: Final = np.dtype(
    [
        *(
            (name, np.int64)
            for name in (
                "places", "count",  # a table of FOLLOWED
                "width",  # of the state
                "projection",  # the cell that corrects all else; 0 where there is none
                "given", "trial",  # where programs write; a state to be tried
                "looked",  # where programs of a point that is looked at write
                "around",  # which portions are around the point that is followed
                "stance",  # where that is written
                "waiting",  # pairs of portions that are to be looked at
                "stop",  # the word that stops the stepper; 0 where nothing may be asked
                "culprit",  # the place of which the last reason was told
                "jumping",  # the place where another point is nearer, or -1
                "absolute",  # the absolute tolerances of the state; 0 where no step is judged by them
            )
        ),
        ("jump_first", np.float64),  # its coordinates
        ("jump_second", np.float64),
    ]
)  # fmt: skip
"""What the kernels find in their context."""


def outputs(coordinates: int) -> int:
    """How many numbers the program of a place gives."""
    return RANGES + 3 * coordinates + coordinates**2
