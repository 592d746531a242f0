"""What the kernels of :mod:`detent.solves.gathered_rows` find in their context."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np

from detent.solves.constraint_frame import constraint_arrays

PART: Final = np.dtype([(name, np.int64) for name in ("row", "slides", "reaction", "first_value", "value_count")])
"""A row that holds where some run-time values are as they must be: its number in the program of all rows, whether it
slides, where its reaction stands among those of all rows, and which rows of VALUE must be so."""

VALUE: Final = np.dtype([("place", np.int64), ("value", np.float64)])
"""A run-time value by its place, and what it must be."""

GATHERED: Final = np.dtype(
    [
        (name, np.int64)
        for name in (
            "head",  # the record of the constraints that hold now (detent.solves.constraint_frame.CONSTRAINED)
            "program", "joined", "all_rows",  # the cell of all rows, where it writes, how many these are
            "parts", "part_count", "values",
            "most",  # how many rows may hold at a time
            "held", "held_count",  # the parts that hold now
            "kept",  # of each row that is solved for: which of these it is
            "before",  # where those that were kept before are put aside
            "sharing",  # the place of the value that tells whether rows may follow from one another
            "shares",  # whether they may, as it was chosen last
            "shared_rates", "shared_slack",  # cells that run where they do; 0 where they never do
            "free_rates",  # the cell that runs where no row holds
            "reaction_count", "slack",  # how many reactions there are in all, and where the slack stands among them
        )
    ]
)  # fmt: skip
"""Rows of constraints of which others hold at other times."""


@lru_cache(maxsize=8)
def gathering_room(n_q: int, n: int, n_s: int, most: int) -> dict[str, int]:
    """The size of each working array of the constraints, whichever rows of ``most`` hold.

    >>> gathering_room(3, 3, 0, 2)["D"], gathering_room(3, 3, 0, 8)["B"]
    (4, 24)
    """
    each = [constraint_arrays(n_q, n, n_s, m) for m in range(min(most, n) + 1)]
    room = {name: max(sizes[name] for sizes in each) for name in each[0]}
    whole = constraint_arrays(n_q, n, n_s, most)
    return room | {name: whole[name] for name in ("B", "C", "phi", "turn", "gamma", "reaction", "choice", "chosen")}
