"""Events as columns: a run of a million of them has no million of objects, and none becomes words before it is read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from detent.jit.arrays import FloatArray, Words
from detent.results.growing_column import GrowingColumn

BYTES_PER_SORT: Final = 1024
"""What a sort of events counts for in the size of what a run keeps: its words, and where they are looked up."""


class EventSort(NamedTuple):
    """What events of one sort have in common: kind, name, the modes before and after, the names of their details.

    >>> EventSort("impact", "floor", "flight", "flight", ("energy",)).details
    ('energy',)
    """

    kind: str
    name: str
    source: str
    target: str
    details: tuple[str, ...] = ()


@final
class EventColumns(NamedTuple):
    """Some events: when each happened, its sort, and where its details begin among all numbers."""

    time: FloatArray
    sort: Words
    first: Words
    numbers: FloatArray
    sorts: Sequence[EventSort]
    words: Mapping[int, str]
    """Details that are words, by their place among the numbers."""

    def details(self, place: int) -> dict[str, float | str]:
        """The details of one event, by name."""
        names, first = self.sorts[int(self.sort[place])].details, int(self.first[place])
        numbers = self.numbers[first : first + len(names)].tolist()
        if not self.words:
            return dict(zip(names, numbers, strict=True))
        found = (self.words.get(first + number, value) for number, value in enumerate(numbers))
        return dict(zip(names, found, strict=True))

    def taken(self, places: NDArray[Any] | slice) -> EventColumns:
        """Some of these events; their details stay where they are."""
        return self._replace(time=self.time[places], sort=self.sort[places], first=self.first[places])

    def of_sorts(self, wanted: Sequence[bool]) -> EventColumns:
        """The events of those sorts that are wanted."""
        return self.taken(np.array([*wanted, False], dtype=bool)[self.sort])


@final
class GrowingEvents:
    """Events as they happen, put down as columns.

    >>> events = GrowingEvents()
    >>> events.add(0.5, EventSort("impact", "floor", "flight", "flight", ("energy",)), [2.0])
    >>> events.columns.details(0), len(events)
    ({'energy': 2.0}, 1)
    """

    def __init__(self) -> None:
        self._time, self._numbers = GrowingColumn(), GrowingColumn()
        self._sort, self._first = GrowingColumn(dtype=np.int32), GrowingColumn(dtype=np.int64)
        self._sorts: list[EventSort] = []
        self._known: dict[EventSort, int] = {}
        self._words: dict[int, str] = {}
        self.let_go = 0
        """How many of the first ones are kept no more."""

    def __len__(self) -> int:
        return len(self._time)

    @property
    def nbytes(self) -> int:
        """The size of all this."""
        columns = self._time.nbytes + self._sort.nbytes + self._first.nbytes + self._numbers.nbytes
        return columns + BYTES_PER_SORT * (len(self._sorts) + len(self._words))

    @property
    def columns(self) -> EventColumns:
        """The events so far; more may come meanwhile."""
        return EventColumns(
            self._time.rows, self._sort.rows, self._first.rows, self._numbers.rows, self._sorts, self._words
        )

    def number_of(self, sort: EventSort) -> int:
        """The number of a sort."""
        if sort not in self._known:
            self._known[sort] = len(self._sorts)
            self._sorts.append(sort)
        return self._known[sort]

    def add(self, time: float, sort: EventSort, details: Sequence[float | str] = ()) -> None:
        """One event more."""
        self._time.add(time)
        self._sort.add(self.number_of(sort))
        self._first.add(len(self._numbers))
        for value in details:
            if isinstance(value, str):
                self._words[len(self._numbers)] = value
            self._numbers.add(np.nan if isinstance(value, str) else value)

    def extend(self, time: FloatArray, sorts: Words, details: Mapping[int, FloatArray]) -> None:
        """Many events more, of sorts by number; each sort's details are given as one row for each of its events."""
        counts = np.array([len(sort.details) for sort in self._sorts])[sorts]
        first = np.cumsum(counts) - counts
        numbers = np.empty(int(counts.sum()))
        for sort, rows in details.items():
            begin = first[sorts == sort]
            for column in range(rows.shape[1]):
                numbers[begin + column] = rows[:, column]
        self._first.extend(first + len(self._numbers))
        self._time.extend(time)
        self._sort.extend(sorts)
        self._numbers.extend(numbers)

    def forget_before(self, time: float) -> None:
        """Let the events before a time go."""
        old = int(np.searchsorted(self._time.rows, time))
        if old == 0:
            return
        begin = int(self._first.rows[old]) if old < len(self) else len(self._numbers)
        self._words = {place - begin: word for place, word in self._words.items() if place >= begin}
        for column in (self._time, self._sort, self._first):
            column.let_go(old)
        self._numbers.let_go(begin)
        moved = self._first.rows - begin
        self._first = GrowingColumn(dtype=np.int64)
        self._first.extend(moved)
        self.let_go += old
        self._forget_sorts()

    def _forget_sorts(self) -> None:
        """Let go of sorts of which no event is left: names may be new each time."""
        used = np.flatnonzero(np.bincount(self._sort.rows))
        if 2 * len(used) > len(self._sorts):
            return
        self._sorts = [self._sorts[number] for number in used.tolist()]
        self._known = {sort: number for number, sort in enumerate(self._sorts)}
        renumbered = np.searchsorted(used, self._sort.rows)
        self._sort = GrowingColumn(dtype=np.int32)
        self._sort.extend(renumbered)
