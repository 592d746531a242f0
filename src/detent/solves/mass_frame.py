"""What the kernel of :class:`detent.solves.mass_solve.MassSolve` finds in its context."""

from __future__ import annotations

from typing import Final

import numpy as np

UNCONSTRAINED: Final = np.dtype(
    [
        (name, np.int64)
        for name in (
            "program",  # the cell that gives M and f
            "coordinates", "speeds", "signals",  # how many there are
            "given",  # where the program puts what it gives
        )
    ]
)  # fmt: skip
