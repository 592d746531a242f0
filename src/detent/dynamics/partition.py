"""Which speeds depend on which: chosen from the numbers of B at the present state.

Gaussian elimination with complete pivoting. The pivot columns become the dependent speeds, which makes
the factors D of the independent ones as small as can be had cheaply; rows without a pivot are redundant
if they hold by themselves and contradictory if they do not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from detent.jit.address import address_of
from detent.jit.kernel_library import WORD_TYPE
from detent.solves.kernels import CONSTRAINT_SOLVE

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


def choose_partition(B: np.ndarray, C: np.ndarray, scale: float = 1.0, reaction: np.ndarray | None = None) -> Partition:
    """Split the speeds for the rows B u + C = 0; ``scale`` is the size of the speeds, for judging C.

    ``reaction`` are the rows B' along which reactions push, where some slide.

    >>> chosen = choose_partition(np.array([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0]]), np.zeros(2))
    >>> chosen.dependent, chosen.independent, chosen.redundant
    ((1,), (0, 2), (1,))
    >>> choose_partition(np.array([[1.0, 2.0]]), np.zeros(1), reaction=np.array([[1.0, 0.0]])).dependent
    (0,)
    """
    m, n = B.shape
    room = np.empty(m * (2 * n + 1))
    work, pushes = room[: m * (n + 1)].reshape(m, n + 1), room[m * (n + 1) :].reshape(m, n)
    work[:, :n], work[:, n], pushes[:] = B, C, B if reaction is None else reaction
    chosen = np.empty((2, max(m, 1)), dtype=np.int64)
    pivots = CONSTRAINT_SOLVE.function("choose_pivots", WORD_TYPE, WORD_TYPE, WORD_TYPE, WORD_TYPE, WORD_TYPE)
    rank = pivots(*(address_of(room), m, n), *(address_of(row, np.int64) for row in chosen))
    kept, dependent = chosen[0, :rank].tolist(), chosen[1, :rank].tolist()
    rows = [r for r in range(m) if r not in kept]
    columns = [r for r in range(n) if r not in dependent]
    contradictory = [r for r in rows if abs(work[r, -1]) > CONSISTENCY_TOLERANCE * max(1.0, scale)]
    return Partition(
        rows=tuple(kept),
        dependent=tuple(dependent),
        independent=tuple(columns),
        redundant=tuple(r for r in rows if r not in contradictory),
        contradictory=tuple(contradictory),
    )
