"""Which speeds depend on which: chosen from the numbers of B at the present state.

Gaussian elimination with complete pivoting. The pivot columns become the dependent speeds, which makes
the factors D of the independent ones as small as can be had cheaply; rows without a pivot are redundant
if they hold by themselves and contradictory if they do not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

RANK_TOLERANCE = 1e-9
"""A pivot smaller than this part of its row's largest entry counts as zero: far above rounding, far below any
configuration one could step over unnoticed."""

CONSISTENCY_TOLERANCE = 1e-7
"""A redundant row may be violated by this much, relative to the size of its terms."""


@dataclass(frozen=True)
class Partition:
    """Rows kept and dropped, and speeds by number."""

    rows: tuple[int, ...]
    """The independent rows, in the order in which they were eliminated."""
    dependent: tuple[int, ...]
    """The dependent speed of each of those rows."""
    independent: tuple[int, ...]
    redundant: tuple[int, ...]
    contradictory: tuple[int, ...]


def choose_partition(B: np.ndarray, C: np.ndarray, scale: float = 1.0) -> Partition:
    """Split the speeds for the rows B u + C = 0; ``scale`` is the size of the speeds, for judging C.

    >>> chosen = choose_partition(np.array([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0]]), np.zeros(2))
    >>> chosen.dependent, chosen.independent, chosen.redundant
    ((1,), (0, 2), (1,))
    """
    work = [[*line, constant] for line, constant in zip(B.tolist(), C.tolist(), strict=True)]
    for line in work:
        largest = max(map(abs, line[:-1]), default=0.0) or 1.0
        line[:] = [value / largest for value in line]
    rows, columns = list(range(B.shape[0])), list(range(B.shape[1]))
    kept, dependent = [], []
    while rows and columns:
        size, row, column = max((abs(work[i][j]), -i, -j) for i in rows for j in columns)
        row, column = -row, -column
        if size <= RANK_TOLERANCE:
            break
        rows.remove(row)
        columns.remove(column)
        kept.append(row)
        dependent.append(column)
        pivots = work[row]
        for other in rows:
            factor = work[other][column] / pivots[column]
            if factor != 0.0:
                work[other] = [a - factor * b for a, b in zip(work[other], pivots, strict=True)]
    contradictory = [r for r in rows if abs(work[r][-1]) > CONSISTENCY_TOLERANCE * max(1.0, scale)]
    return Partition(
        rows=tuple(kept),
        dependent=tuple(dependent),
        independent=tuple(columns),
        redundant=tuple(r for r in rows if r not in contradictory),
        contradictory=tuple(contradictory),
    )
