"""What the kernels of :mod:`detent.algebra.decomposition_kernel` find: a matrix, and room to take it apart."""

from __future__ import annotations

from typing import Final

import numpy as np

QR: Final = 0
SVD: Final = 1
LU: Final = 2

RANK_TOLERANCE: Final = 1e-9
"""What is left of a row, relative to the row, or of a singular value, relative to the largest, that counts as nothing:
far above rounding, far below any configuration that one could step over unnoticed."""

ROOM: Final = ("matrix", "norms", "order", "factors", "other", "other_order", "other_norms", "other_factors", "work")
"""The arrays; ``order`` and ``other_order`` hold words."""

DECOMPOSITION: Final = np.dtype([(name, np.int64) for name in ("kind", "rows", "columns", "rank", *ROOM)])


def room(m: int, n: int) -> dict[str, int]:
    """The size of each array for m rows and n columns."""
    largest = max(m, n, 1)
    return {
        "matrix": m * n,
        "norms": largest,
        "order": largest,
        "factors": largest,
        "other": max(n * n, m * m, m * n),
        "other_order": largest,
        "other_norms": largest,
        "other_factors": largest,
        "work": 2 * largest,
    }
