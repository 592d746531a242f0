"""What is known of the portions of a curve, and where the kernels find it."""

from __future__ import annotations

from typing import Final

import numpy as np

X: Final = 0
Y: Final = 1
RADIUS: Final = 2
NORMAL_X: Final = 3
NORMAL_Y: Final = 4
HALF: Final = 5
BEND: Final = 6
NODE: Final = 7
"""Of each portion: a circle around all its points (its radius is negative where nothing of the portion is on the
curve), a unit vector and how far normals are turned from it at most, rad, and how much it sticks out at least, 1/m; how
many numbers that are."""
SPEED: Final = 0
TURNING: Final = 1
BEGIN: Final = 2
SPAN: Final = 3
LEAF: Final = 4
"""Of each of the smallest: how fast points and normals change with the coordinate at most, where it begins and how wide
it is; how many numbers that are."""

PLACE: Final = 0
AXES: Final = 2
MOVING: Final = 6
SPINNING: Final = 7
STANCE: Final = 8
"""How the first curve stands to the second: its origin, its x and its y axis along the axes of the second; how fast
that origin moves and how fast those axes turn; how many numbers that are. What is round stands first, as its middle."""
SPOT: Final = 4
"""A point of a curve and its unit normal, along its own axes."""

PORTIONS: Final = np.dtype(
    [
        *(
            (name, np.int64)
            for name in (
                "nodes",  # of all portions: the whole is number 1, the halves of number k are 2 k and 2 k + 1
                "leaves",  # of the smallest
                "count",  # how many of these there are, a power of two
                "spot",  # the cell that gives a point
                "column",  # the place of the coordinate in the state
                "closed",  # whether the last portion is next to the first
                "straight",  # whether it goes on straight beyond its ends
                "level",  # whether it is a straight face, which has no end
            )
        ),
        ("low", np.float64),  # where the first of them begins
        ("span", np.float64),  # of all of them together
        ("size", np.float64),  # no point is farther from the origin
    ]
)
"""A curve, cut into halves again and again."""

TABLE: Final = np.dtype(
    [
        *(
            (name, np.int64)
            for name in (
                "count",  # of smallest portions
                "begins", "widths",  # of each
                "spots",  # the points and normals in their middle
                "over", "middle",  # bounds over all of them, and in their middle
                "nodes", "leaves",  # what is made known of them
                "walks",  # what walks the tape of the curve: WALKS, whose boxes are all of them, then their middles
                "spot", "column",  # the cell that gives a point and its normal, by the coordinate in a state
            )
        ),
        ("offset", np.float64),  # how far the middle of what is round is from the points that it touches
        *((name, np.float64) for name in ("low", "span")),  # where the first portion begins, how wide all are
        *((name, np.float64) for name in ("lowest", "highest")),  # the range of the curve
        ("sharpest", np.float64),  # by how much normals turn from that in the middle of a smallest portion at most, rad
        ("size", np.float64),  # no point is farther from the origin
    ]
)  # fmt: skip
"""What the tables of a curve are made from."""

NUMBER: Final = 6
LOW: Final = 7
WIDTH: Final = 8
ITEM: Final = 9
"""A portion that is to be looked at: its circle and its normals as above, along the axes of the second curve; its
number among all, where it begins and how wide it is; how many numbers that are."""
PAIR: Final = 2 * ITEM + 1
"""Two of them, and the time before which they do not meet."""
MARKS: Final = 10
"""So many numbers tell which portions are around the followed points."""
ROOM: Final = 256
"""So many pairs may wait to be looked at."""
