"""Where the kernel of an impact with friction finds what it needs, and why it finds no answer."""

from __future__ import annotations

from typing import Final

import numpy as np

FRICTION_STRUCK: Final = np.dtype(
    [
        (name, np.int64)
        for name in (
            "unsolved",  # the cell that gives q', f, s', power, its factors of u', and M (detent.solves.mass_solve)
            "constraints",  # the cell that gives B row by row, C, and more that is not needed here
            "coefficients",  # the cell that gives restitution, friction and static friction
            "coordinates", "speeds", "signals", "rows",  # how many there are; rows that the constraints' cell gives
            "normal", "along",  # which of these rows are struck
            "given", "rows_given", "numbers",  # where M and f are put, the constraints, the coefficients
            "matrix", "yields",  # M, and what an impulse along each row does to the speeds, row by row of speeds
            "single",  # a SINGLE_IMPACT (detent.contact_solves.single_impact_frame)
            "impulses",  # where the impulses are left: of the normal, then along
            "discrete", "discrete_count",  # the first discrete state among the values, and how many there are
            "direction",  # which of them becomes the direction of slip; -1 for none
        )
    ]
)  # fmt: skip
"""What the kernel finds in its context: sizes, and addresses."""

WITHOUT_INERTIA: Final = 34
"""The status of an impact with friction where speeds move no mass."""
NO_FRICTION_IMPACT: Final = 35
"""The status of an impact with friction that cannot be worked out."""
