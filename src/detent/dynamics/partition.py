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
    count, size = B.shape
    work = np.hstack([B, C[:, None]]).astype(float)
    largest = np.maximum(np.abs(B).max(axis=1, initial=0.0), 1e-300)
    work /= largest[:, None]
    rows, columns = list(range(count)), list(range(size))
    kept, dependent = [], []
    while rows and columns:
        block = np.abs(work[np.ix_(rows, columns)])
        at = int(block.argmax())
        i, j = divmod(at, len(columns))
        if block[i, j] <= RANK_TOLERANCE:
            break
        row, column = rows.pop(i), columns.pop(j)
        kept.append(row)
        dependent.append(column)
        for other in rows:
            work[other] -= work[row] * (work[other, column] / work[row, column])
    contradictory = [r for r in rows if abs(work[r, -1]) > CONSISTENCY_TOLERANCE * max(1.0, scale)]
    return Partition(
        rows=tuple(kept),
        dependent=tuple(dependent),
        independent=tuple(columns),
        redundant=tuple(r for r in rows if r not in contradictory),
        contradictory=tuple(contradictory),
    )
