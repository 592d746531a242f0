"""What the kernels of :mod:`detent.solves.constraint_solve` find in their context, and the reasons they return."""

from __future__ import annotations

from typing import Final

SINGULAR_CONSTRAINT: Final = 2
"""Reason: the dependent speeds cannot be solved for."""
PARADOX: Final = 3
"""Reason: friction lets no acceleration, or several, satisfy the contact (Painleve)."""

RESELECT_ABOVE: Final = 2.0
"""Chosen by pivoting, the entries of D are about one; past this bound other speeds make better independent ones.
Choosing costs a microsecond; a bead on a circle takes a fifth fewer steps with this bound than with 4."""

AT_CHANGE_POINT: Final = 1e-6
"""Closer to a change point than this (the smallest pivot, relative to the largest entry that its row has had) positions
cannot tell its branches apart: they leave it as x y = 0 does, so that a rounding of 1e-16 hides 1e-8 in x and in y."""
NEAR_CHANGE_POINT: Final = 0.02
"""Closer than this the rates of dependent speeds are rounding, 1e-16 over the third power of the distance, more than
what a polynomial through better places gives."""

RATES: Final = 0
REACTIONS: Final = 1
"""What the kernel writes."""

# Words of the context: cells, sizes (ROWS of constraints), addresses of arrays, and what is wanted.
(
    UNSOLVED, CONSTRAINTS, COORDINATES, SPEEDS, SIGNALS, ROWS, SLIDES, WANTED, QUATERNION_COUNT,
    DEPENDENT, INDEPENDENT, ORDER, QUATERNIONS, ASKING, FLAG, BOUND, CROSSING, SCALE,
    STATE, GIVEN, B, C, PHI, TURN, GAMMA, REACTION, SQUARE, D, PUSH, REST, M, MOVED, REDUCED, FREE, RATE, UNUSED,
    CHOICE, CHOSEN,
) = range(38)  # fmt: skip


def working_arrays(n_q: int, n: int, n_s: int, m: int) -> dict[int, int]:
    """The size of each array that a kernel works in; B to REACTION lie in a row, as a program writes them."""
    p = n - m
    return {
        STATE: n_q + n + n_s + 1,
        GIVEN: n_q + 2 * n + n_s + 1 + n * (n + 1) // 2,
        B: m * n,
        C: m,
        PHI: m,
        TURN: (n_q + n_s) * n,
        GAMMA: m,
        REACTION: m * n,
        SQUARE: m * m,
        D: m * (p + 1),
        PUSH: m * (p + 1),
        REST: m,
        M: n * n,
        MOVED: n * p,
        REDUCED: p * p,
        FREE: n,
        RATE: n,
        UNUSED: n_q + n + n_s + 1,
        CHOICE: m * (n + 1),
        CHOSEN: 2 * m,
    }
