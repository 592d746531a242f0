"""Which speeds depend on which: Gauss's elimination with complete pivoting.

Each row is scaled to its largest coefficient first. Of several pivots of one size the one in the first row, then in the
first column, is taken, so that the choice does not depend on anything but the numbers.
"""

from __future__ import annotations

from numba import types

from detent.algebra.decomposition_frame import RANK_TOLERANCE
from detent.algebra.elimination_kernel import subtract_row
from detent.jit.abi import WORD
from detent.jit.intrinsics import as_doubles, as_words, called, kernel


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


@called
def choose_from_rows(head):
    """The choice for the rows B u + C = 0 of a record, into CHOSEN: its rows in order, then columns. The rank."""
    n, m = head.speeds, head.rows
    rows, constant, work = as_doubles(head.B), as_doubles(head.C), as_doubles(head.choice)
    for i in range(m):
        for j in range(n):
            work[i * (n + 1) + j] = rows[i * n + j]
        work[i * (n + 1) + n] = constant[i]
    return choose(work, m, n, as_words(head.chosen), as_words(head.chosen + WORD * m))


@called
def take_partition(chosen, m, other):
    """Write the choice that was made into a record: its rows in order, the speeds that depend, and all others."""
    order, dependent, independent = as_words(other.order), as_words(other.dependent), as_words(other.independent)
    for k in range(m):
        order[k], dependent[k] = chosen[k], chosen[m + k]
    place = 0
    for column in range(other.speeds):
        if not _is_among(dependent, m, column):
            independent[place] = column
            place += 1


@kernel(types.int64(types.int64, types.int64, types.int64, types.int64, types.int64))
def choose_pivots(work, m, n, order, columns):
    """As :func:`choose`, with everything given by its address."""
    return choose(as_doubles(work), m, n, as_words(order), as_words(columns))
