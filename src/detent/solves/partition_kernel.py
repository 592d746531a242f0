"""Which speeds depend on which: Gauss's elimination with complete pivoting.

Each row is scaled to its largest coefficient first. Of several pivots of one size the one in the first row, then in the
first column, is taken, so that the choice does not depend on anything but the numbers.

Reactions of rows that slide push along other rows, B', of which the same columns are solved for: the smaller of both
pivots is made as large as can be. The force under the corner of a crate that slides, with its friction, may go through
the centre of mass while the corner is beside it: it turns nothing then, and spin must not be what depends by its row.
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
def _scale(work, m, width, n):
    """Each row by the largest of its first n coefficients."""
    for i in range(m):
        largest = 0.0
        for j in range(n):
            largest = max(largest, abs(work[i * width + j]))
        if largest == 0.0:
            largest = 1.0
        for j in range(width):
            work[i * width + j] /= largest


@called
def _largest_pivot(work, pushes, m, n, order, columns, rank, alone):
    """The next pivot, its row and its column: as large as can be in both matrices, or in the first ``alone``."""
    size, row, column = -1.0, -1, -1
    for i in range(m):
        if _is_among(order, rank, i):
            continue
        for j in range(n):
            here = abs(work[i * (n + 1) + j])
            if not alone:
                here = min(here, abs(pushes[i * n + j]))
            if here > size and not _is_among(columns, rank, j):
                size, row, column = here, i, j
    return size, row, column


@called
def _take_off(work, width, row, column, i):
    """The row of a pivot off another, so that this has nothing in its column; where the pivot is zero it stays."""
    pivot = work[row * width + column]
    factor = work[i * width + column] / pivot if pivot != 0.0 else 0.0
    if factor != 0.0:
        subtract_row(work, width, i, factor, row, 0)


@called
def choose(work, pushes, m, n, order, columns):
    """Eliminate the rows B | C in ``work``, and B' in ``pushes``; the k-th pivot is in row order[k] and column
    columns[k]. The rank."""
    _scale(work, m, n + 1, n)
    _scale(pushes, m, n, n)
    for rank in range(min(m, n)):
        size, row, column = _largest_pivot(work, pushes, m, n, order, columns, rank, False)
        if not size > RANK_TOLERANCE:
            size, row, column = _largest_pivot(work, pushes, m, n, order, columns, rank, True)
        if not size > RANK_TOLERANCE:
            return rank
        order[rank], columns[rank] = row, column
        for i in range(m):
            if not _is_among(order, rank + 1, i):
                _take_off(work, n + 1, row, column, i)
                _take_off(pushes, n, row, column, i)
    return min(m, n)


@called
def choose_from_rows(head):
    """The choice for the rows B u + C = 0 of a record, into CHOSEN: its rows in order, then columns. The rank."""
    n, m = head.speeds, head.rows
    rows, constant, given = as_doubles(head.B), as_doubles(head.C), head.reaction if head.slides != 0 else head.B
    work, pushes, along = as_doubles(head.choice), as_doubles(head.choice + WORD * m * (n + 1)), as_doubles(given)
    for i in range(m):
        for j in range(n):
            work[i * (n + 1) + j] = rows[i * n + j]
            pushes[i * n + j] = along[i * n + j]
        work[i * (n + 1) + n] = constant[i]
    return choose(work, pushes, m, n, as_words(head.chosen), as_words(head.chosen + WORD * m))


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
    """As :func:`choose`, with everything given by its address; after B | C stands B'."""
    pushes = as_doubles(work + WORD * m * (n + 1))
    return choose(as_doubles(work), pushes, m, n, as_words(order), as_words(columns))
