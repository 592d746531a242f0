"""What the kernels of :mod:`detent.solves.constraint_solve` find in their context, and the reasons they return."""

from __future__ import annotations

from typing import Final

import numpy as np

SINGULAR_CONSTRAINT: Final = 2
"""Reason: the dependent speeds cannot be solved for."""
PARADOX: Final = 3
"""Reason: friction lets no acceleration, or several, satisfy the contact (Painleve)."""

RESELECT_ABOVE: Final = 2.0
"""Chosen by pivoting, the entries of D are about one; past this bound other speeds make better independent ones.
Choosing costs a microsecond; a bead on a circle takes a fifth fewer steps with this bound than with 4."""

AT_CHANGE_POINT: Final = 1e-6
"""Closer to a change point than this (the smallest pivot, relative to the sizes that row and column have had) positions
cannot tell its branches apart: they leave it as x y = 0 does, so that a rounding of 1e-16 hides 1e-8 in x and in y."""
NEAR_CHANGE_POINT: Final = 0.02
"""Closer than this the rates of dependent speeds are rounding, 1e-16 over the third power of the distance, more than
what a polynomial through better places gives."""

SIZES: Final = 3
"""How many sizes are kept of each row and column: the one that counts, the last one, the largest that steps led to."""

RATES: Final = 0
REACTIONS: Final = 1
"""What the kernel writes."""

WORKING: Final = (
    "state", "given", "B", "C", "phi", "turn", "gamma", "reaction", "square", "D", "push", "rest", "M", "moved",
    "reduced", "free", "rate", "unused", "choice", "chosen",
)  # fmt: skip
"""The arrays that a kernel works in; B to reaction lie in a row, as a program writes them."""

CONSTRAINED: Final = np.dtype(
    [
        (name, np.int64)
        for name in (
            "unsolved", "constraints",  # cells
            "coordinates", "speeds", "signals", "rows",  # how many there are; rows of constraints
            "slides", "wanted",  # whether rows slide; RATES or REACTIONS
            "dependent", "independent", "order",  # addresses of the numbers of speeds and rows
            "quaternions", "quaternion_count",
            "asking", "flag", "bound", "crossing", "scale",
            "newton", "looking",  # cells that correct nearest points, and look for nearer ones; 0 where there are none
            "keeping",  # the cell that chooses anew which rows are kept, where others follow from them; 0 where all are
            *WORKING,
        )
    ]
)  # fmt: skip
"""What the kernels of a constrained mode find in their context: sizes, and addresses of arrays."""


def program_arrays(n_q: int, n: int, n_s: int, m: int) -> dict[str, int]:
    """The arrays that a kernel gives its programs, with their sizes; B to reaction lie in a row, as one writes them.

    >>> program_arrays(2, 2, 0, 1)["B"]
    2
    """
    return {
        "state": n_q + n + n_s + 1,
        "given": n_q + 2 * n + n_s + 1 + n * (n + 1) // 2,
        "B": m * n,
        "C": m,
        "phi": m,
        "turn": (n_q + n_s) * n,
        "gamma": m,
        "reaction": m * n,
    }


def constraint_arrays(n_q: int, n: int, n_s: int, m: int) -> dict[str, int]:
    """The size of each of them."""
    p = n - m
    return {
        **program_arrays(n_q, n, n_s, m),
        "square": m * m,
        "D": m * (p + 1),
        "push": m * (p + 1),
        "rest": m,
        "M": n * n,
        "moved": n * p,
        "reduced": p * p,
        "free": n,
        "rate": n,
        "unused": n_q + n + n_s + 1,
        "choice": m * (2 * n + 1),
        "chosen": 2 * m,
    }
