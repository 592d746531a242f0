"""Where the impact kernel finds what it needs, and why it finds no answer."""

from __future__ import annotations

from typing import Final

import numpy as np

STRUCK: Final = np.dtype(
    [
        (name, np.int64)
        for name in (
            "unsolved",  # the cell that gives q', f, s', power, its factors of u', and M (detent.solves.mass_solve)
            "constraints",  # the cell that gives B row by row, C, and more that is not needed here
            "restitution",  # the cell that gives the restitution of each row; 0 where all of it is plastic
            "coordinates", "speeds", "signals", "rows",  # how many there are
            "given", "rows_given", "restitutions",  # where M and f are put, the constraints, the restitutions
            "matrix", "right", "chosen",  # the equations, their right-hand side, the columns of the pivots
            "scales",  # by how much each equation and unknown is scaled
            "exchanges",  # the ways in which rows may exchange impulses
            "impulses",  # where the impulses are left
        )
    ]
)  # fmt: skip
"""What the kernel finds in its context: sizes, and addresses."""

CONTRADICTION: Final = 31
"""The status of an impact against rows that contradict one another."""
NO_RESTITUTION: Final = 32
"""The status of an impact with a restitution that is not between 0 and 1."""
GAIN: Final = 33
"""The status of an impact that would gain energy, though nothing it strikes moves."""
