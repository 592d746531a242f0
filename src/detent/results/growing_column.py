"""A column of numbers that grows at its end."""

from __future__ import annotations

from typing import Any, Final, final

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

FEWEST: Final = 16
"""Rows for which there is room at first; then for half as many again whenever there is none."""


@final
class GrowingColumn:
    """Rows of numbers of one shape, put down one after the other: memory and time are linear in their number.

    What :attr:`rows` gave stays as it was when more rows come, and when the first ones are let go.

    >>> column = GrowingColumn()
    >>> column.add(2.0)
    >>> column.extend([3.0, 4.0])
    >>> column.rows.tolist(), len(column), column.nbytes
    ([2.0, 3.0, 4.0], 3, 24)
    """

    def __init__(self, shape: tuple[int, ...] = (), dtype: DTypeLike = np.float64) -> None:
        self._room = np.empty((FEWEST, *shape), dtype=dtype)
        self._count, self._bytes = 0, self._room[:1].nbytes

    def __len__(self) -> int:
        return self._count

    @property
    def rows(self) -> NDArray[Any]:
        """All rows, as they are in memory: to be read only."""
        return self._room[: self._count]

    @property
    def nbytes(self) -> int:
        """The size of the rows."""
        return self._count * self._bytes

    def add(self, row: Any) -> None:
        """One row more."""
        if self._count == len(self._room):
            self._grow(1)
        self._room[self._count] = row
        self._count += 1

    def extend(self, rows: ArrayLike) -> None:
        """Some rows more."""
        added = np.asarray(rows)
        if self._count + len(added) > len(self._room):
            self._grow(len(added))
        self._room[self._count : self._count + len(added)] = added
        self._count += len(added)

    def let_go(self, count: int) -> None:
        """Forget so many rows at the beginning."""
        rows = self.rows[count:]
        self._room, self._count = np.empty((max(len(rows), FEWEST), *rows.shape[1:]), dtype=rows.dtype), len(rows)
        self._room[: len(rows)] = rows

    def _grow(self, more: int) -> None:
        room = np.empty((max(self._count + more, 3 * self._count // 2), *self._room.shape[1:]), dtype=self._room.dtype)
        room[: self._count] = self.rows
        self._room = room
