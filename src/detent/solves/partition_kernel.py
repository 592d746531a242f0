"""Which speeds depend on which: Gauss's elimination with complete pivoting.

Each row is scaled to its largest coefficient first. Of several pivots of one size the one in the first row, then in the
first column, is taken, so that the choice does not depend on anything but the numbers.
"""

from __future__ import annotations

from typing import Final

from numba import types

from detent.algebra.elimination_kernel import subtract_row
from detent.jit.intrinsics import as_doubles, as_words, called, kernel

RANK_TOLERANCE: Final = 1e-9
"""A pivot smaller than this part of its row's largest entry counts as zero: far above rounding, far below any
configuration one could step over unnoticed."""


@called
def _is_among(numbers, count, value):
    found = False
    for k in range(count):
        found = found or numbers[k] == value
    return found


@called
def _scale(work, m, width):
    for i in range(m):
        largest = 0.0
        for j in range(width - 1):
            largest = max(largest, abs(work[i * width + j]))
        if largest == 0.0:
            largest = 1.0
        for j in range(width):
            work[i * width + j] /= largest


@called
def choose(work, m, n, order, columns):
    """Eliminate the rows B | C in ``work``; the k-th pivot is in row order[k] and column columns[k]. The rank."""
    width = n + 1
    _scale(work, m, width)
    for rank in range(min(m, n)):
        size, row, column = -1.0, -1, -1
        for i in range(m):
            if _is_among(order, rank, i):
                continue
            for j in range(n):
                if not _is_among(columns, rank, j) and abs(work[i * width + j]) > size:
                    size, row, column = abs(work[i * width + j]), i, j
        if not size > RANK_TOLERANCE:
            return rank
        order[rank], columns[rank] = row, column
        for i in range(m):
            if _is_among(order, rank + 1, i):
                continue
            factor = work[i * width + column] / work[row * width + column]
            if factor != 0.0:
                subtract_row(work, width, i, factor, row, 0)
    return min(m, n)


@kernel(types.int64(types.int64, types.int64, types.int64, types.int64, types.int64))
def choose_pivots(work, m, n, order, columns):
    """As :func:`choose`, with everything given by its address."""
    return choose(as_doubles(work), m, n, as_words(order), as_words(columns))
