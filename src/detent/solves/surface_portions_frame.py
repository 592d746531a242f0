"""What is known of the portions of a surface, and where the kernels find it."""

from __future__ import annotations

from typing import Final

import numpy as np

PLACE: Final = 0
RADIUS: Final = 3
NORMAL: Final = 4
HALF: Final = 7
NODE: Final = 8
"""Of each portion: a sphere around all its places (its radius is negative where nothing of the portion is on the
surface), a unit vector and how far normals are turned from it at most, rad; how many numbers that are. The place of a
point is where the middle of a ball is that touches it."""

SPEEDS: Final = 0
TURNINGS: Final = 2
POINT: Final = 4
OFF: Final = 7
STRETCHES: Final = 8
BENDS: Final = 12
VARY: Final = 21
MOST: Final = 30
QUARTERS: Final = 33
LEAF: Final = 34
"""Of each of the smallest: how fast places and normals change with each coordinate at most; its middle, and how far its
points are from there; dr/da . dr/da at least, dr/db . dr/db at least, dr/da . dr/db in the middle and what it is off
that at most; the second slopes in the middle, of a, of both and of b; how much their components vary, and how large
they are at most; the number of the first of its four quarters among the smallest, 0 where it is not cut; how many
numbers that are."""

AWAY: Final = 0
HEIGHT: Final = 3
MOVING: Final = 4
SPINNING: Final = 5
STANCE: Final = 6
"""The middle of a ball along the axes of the surface, or the normal of a plane and how high the origin of the surface
is above it; how fast that middle or that height changes, and how fast the plane turns; how many numbers that are."""
SPOT: Final = 6
"""The place of a point of a surface and its unit normal, along its own axes."""

SURFACE: Final = np.dtype(
    [
        *(
            (name, np.int64)
            for name in (
                "nodes",  # of all portions: the whole, then its quarters, then theirs
                "leaves",  # of the smallest, the coordinate a first; then of quarters of those that turn much
                "levels",  # how often the whole is cut into quarters
                "spot",  # the cell that gives a place
                "first", "second",  # the places of the coordinates in the state
                "closed",  # of which the last portion is next to the first: 1, 2 or both
                "level",  # whether it may touch a plane
            )
        ),
        *((name, np.float64) for name in ("low", "width", "other_low", "other_width")),  # of the smallest
        ("size", np.float64),  # no point is farther from the origin
    ]
)  # fmt: skip
"""A surface, cut into quarters again and again."""

BOUND: Final = 0
DEPTH: Final = 1
ROW: Final = 2
COLUMN: Final = 3
LOW: Final = 4
OTHER_LOW: Final = 5
WIDTH: Final = 6
OTHER_WIDTH: Final = 7
NUMBER: Final = 8
"""A portion that is to be looked at: the time before which it is not met, how often the whole was cut to have it, which
one it is then (of the smallest, which it is a part of), where it begins and how wide it is; its number among the
smallest."""
