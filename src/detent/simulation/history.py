"""What happened in a run so far: events, and the segments of its trajectory, both as columns.

A *segment* is a stretch in which the same mode runs with the same values. Transitions that the kernel took come in
batches and become events only when someone asks: a run of thousands of them is not slowed down by their names.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, final

import numpy as np

from detent.results.event import Event, EventLog, append_event
from detent.results.event_columns import GrowingEvents
from detent.results.growing_column import GrowingColumn
from detent.stepping.held_interrupts import holding_interrupts

if TYPE_CHECKING:
    from detent.events.event_memory import Log
    from detent.model.constraint import Constraint
    from detent.results.timing import ModeTiming
    from detent.simulation.running_mode import RunningMode

MOST_WAITING: Final = 2**22
"""The size of what waits to become events, at most: a log of the kernel takes more room than the columns."""

BYTES_PER_BATCH: Final = 1024
"""What a batch takes besides its numbers."""


@dataclass(frozen=True, eq=False)
class RunSegment:
    """A stretch of the run in one mode with one set of values."""

    mode: RunningMode
    values: np.ndarray


@final
class TransitionBatch(NamedTuple):
    """Transitions that the kernel took, and what was known then."""

    log: Log
    values: np.ndarray
    modes: dict[int, RunningMode]
    """The modes as they ran, by their numbers in the log."""
    nodes: int
    """How many nodes there were before those of the log."""
    remarks: list[Event]
    """What is worth knowing about the modes that were entered."""

    @property
    def nbytes(self) -> int:
        """Its size."""
        return self.log.entries.nbytes + self.log.numbers.nbytes + self.values.nbytes + BYTES_PER_BATCH


@final
class Segments:
    """The segments of a run: where each begins, its mode and its values. Equal ones that follow are one."""

    def __init__(self, values: int) -> None:
        self.first, self._mode = GrowingColumn(dtype=np.int64), GrowingColumn(dtype=np.int64)
        self.values = GrowingColumn((values,))
        self._modes: dict[int, RunningMode] = {}
        self._numbers: dict[RunningMode, int] = {}
        self._made = 0
        self.names: dict[str, RunningMode | ModeTiming] = {}
        """The mode that was first entered under each name, or what it took, once it is not kept."""

    @property
    def nbytes(self) -> int:
        """The size of all this, without the modes."""
        return self.first.nbytes + self._mode.nbytes + self.values.nbytes

    @property
    def modes(self) -> int:
        """How many modes are kept for what has still to be worked out."""
        return len(self._modes)

    def constraints(self) -> set[Constraint]:
        """All constraints of the modes that are kept."""
        return {constraint for mode in self._modes.values() for constraint in mode.running.whole.constraints}

    def number_of(self, mode: RunningMode) -> int:
        """The number of a mode."""
        if mode not in self._numbers:
            self._numbers[mode], self._modes[self._made] = self._made, mode
            self._made += 1
            self.names.setdefault(mode.name, mode)
        return self._numbers[mode]

    def mode(self, segment: int) -> RunningMode:
        """The mode of a segment that has not been worked out."""
        return self._modes[int(self._mode.rows[segment])]

    def mode_numbers(self, first: int, last: int) -> np.ndarray:
        """The numbers of the modes of some segments."""
        return self._mode.rows[first:last]

    def add(self, segment: RunSegment, node: int) -> None:
        """A segment begins at a node."""
        number = self.number_of(segment.mode)
        if len(self.first) and self._mode.rows[-1] == number and (self.values.rows[-1] == segment.values).all():
            return
        self.first.add(node)
        self._mode.add(number)
        self.values.add(segment.values)

    def extend(self, first: np.ndarray, modes: np.ndarray, values: np.ndarray) -> None:
        """Segments begin at these nodes, of modes by number; those that say nothing new are left out."""
        new = np.empty(len(first), dtype=bool)
        new[1:] = (modes[1:] != modes[:-1]) | (values[1:] != values[:-1]).any(axis=1)
        known = len(self.first) and self._mode.rows[-1] == modes[0]
        new[0] = not (known and np.array_equal(self.values.rows[-1], values[0]))
        self.first.extend(first[new])
        self._mode.extend(modes[new])
        self.values.extend(values[new])

    def bounds(self, first: int, last: int) -> tuple[int, np.ndarray]:
        """The segment in which a node lies, and where it and those after it begin and end, up to another node.

        >>> segments = Segments(0)
        >>> segments.extend(np.array([0, 4, 7]), np.array([0, 1, 0]), np.zeros((3, 0)))
        >>> segments.bounds(5, 9)
        (1, array([5, 7, 9]))
        """
        begins = self.first.rows
        segment = int(np.searchsorted(begins, first, side="right")) - 1
        inner = begins[segment + 1 : int(np.searchsorted(begins, last))]
        return segment, np.concatenate([[first], inner, [last]])

    def release_modes(self, node: int) -> list[RunningMode]:
        """Let go of modes that no segment from a node on has; they are given."""
        needed = set(self._mode.rows[self._segment_of(node) :].tolist())
        released = [mode for number, mode in self._modes.items() if number not in needed]
        for mode in released:
            del self._modes[self._numbers.pop(mode)]
        return released

    def forget_before(self, node: int) -> None:
        """Let go of the segments that end before a node."""
        old = self._segment_of(node)
        for column in (self.first, self._mode, self.values):
            column.let_go(old)

    def _segment_of(self, node: int) -> int:
        return max(0, int(np.searchsorted(self.first.rows, node, side="right")) - 1)


@final
class History:
    """Events and segments, in the order in which they came."""

    def __init__(self, values: int) -> None:
        self._events, self._segments = GrowingEvents(), Segments(values)
        self._waiting: list[TransitionBatch] = []
        self._settled_bytes, self._waiting_bytes, self._has_changed = 0, 0, False
        self._worded: Callable[[TransitionBatch, GrowingEvents, Segments], None] | None = None
        self._lock = threading.RLock()
        """One thread adds what another looks at."""
        self.lets_go = False
        """Whether nothing is put down from now on: a servo that keeps nothing may run for hours."""

    def follow(self, worded: Callable[[TransitionBatch, GrowingEvents, Segments], None]) -> None:
        """Say how transitions that were taken become events and segments."""
        self._worded = worded

    def add_later(self, batch: TransitionBatch) -> None:
        """Take a batch of transitions that is worked out when it is asked for."""
        with self._lock:
            self._waiting.append(batch)
            self._waiting_bytes += batch.nbytes
            if self._waiting_bytes > MOST_WAITING:
                self._settle()

    def add_event(self, event: Event) -> None:
        """Put down an event."""
        if self.lets_go:
            return
        with self._lock:
            self._settle()
            append_event(self._events, event)
            self._has_changed = True

    def add_segment(self, segment: RunSegment, node: int) -> None:
        """Another segment begins, with a node of this number."""
        with self._lock:
            self._settle()
            self._segments.add(segment, node)
            self._has_changed = True

    @property
    def events(self) -> EventLog:
        """All events so far."""
        with self._lock:
            self._settle()
            return EventLog.of(self._events.columns)

    @property
    def events_let_go(self) -> int:
        """How many events are kept no more."""
        return self._events.let_go

    @property
    def segments(self) -> Segments:
        """All segments so far."""
        with self._lock:
            self._settle()
            return self._segments

    @property
    def modes(self) -> int:
        """How many modes are kept; those of batches that wait are not counted, which an automaton has few of."""
        return self._segments.modes

    @property
    def nbytes(self) -> int:
        """The size of all this."""
        if self._has_changed:  # so many things may change before it is looked at, after a piece of trajectory
            self._has_changed = False
            self._settled_bytes = self._events.nbytes + self._segments.nbytes
        return self._settled_bytes + self._waiting_bytes

    def forget_before(self, node: int, time: float) -> None:
        """Let go of what ended before a node, and of the events before a time."""
        with self._lock:
            self._settle()
            self._segments.forget_before(node)
            self._events.forget_before(time)
            self._has_changed = True

    def put_into_words(self) -> None:
        """Have all that has happened so far become events, as if someone had asked."""
        with self._lock:
            self._settle()

    def _settle(self) -> None:
        if not self._waiting:
            return
        with holding_interrupts():  # no batch is lost, and none is told twice
            waiting, self._waiting, self._waiting_bytes = self._waiting, [], 0
            for batch in waiting:
                assert self._worded is not None
                self._worded(batch, self._events, self._segments)
            self._has_changed = True
