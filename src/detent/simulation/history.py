"""What happened in a run so far: events, and the segments of its trajectory.

A *segment* is a stretch in which the same mode runs with the same values. Transitions that the kernel took come in
batches and are put into words only when someone asks: a run of thousands of events is not slowed down by their names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import final

import numpy as np

from detent.integrate.event_memory import LogEntry
from detent.results.event import Event
from detent.simulation.mode import Mode


@dataclass(frozen=True, eq=False)
class Segment:
    """A stretch of the run in one mode with one set of values."""

    mode: Mode
    values: np.ndarray


@dataclass(frozen=True, eq=False)
class Excursion:
    """Transitions taken at one instant, the segment that begins after them, and what is worth knowing about it."""

    entries: list[LogEntry]
    segment: Segment
    remarks: list[Event]


@final
class History:
    """Events and segments, in the order in which they came."""

    def __init__(self) -> None:
        self._events: list[Event] = []
        self._segments: list[Segment] = []
        self._waiting: list[Callable[[], Iterable[Excursion]]] = []
        self._worded: Callable[[LogEntry, list[Event]], Event] | None = None

    def follow(self, worded: Callable[[LogEntry, list[Event]], Event]) -> None:
        """Say how a transition that was taken becomes an event; the events before it are given too."""
        self._worded = worded

    def add_later(self, excursions: Callable[[], Iterable[Excursion]]) -> None:
        """Take a batch of excursions that is worked out when it is asked for."""
        self._waiting.append(excursions)

    def add_event(self, event: Event) -> None:
        """Put down an event."""
        self._settle()
        self._events.append(event)

    def add_segment(self, segment: Segment) -> None:
        """Another segment begins."""
        self._settle()
        self._segments.append(segment)

    @property
    def events(self) -> list[Event]:
        """All events so far."""
        self._settle()
        return self._events

    @property
    def segments(self) -> list[Segment]:
        """All segments so far."""
        self._settle()
        return self._segments

    def _settle(self) -> None:
        waiting, self._waiting = self._waiting, []
        for batch in waiting:
            for excursion in batch():
                assert self._worded is not None
                for entry in excursion.entries:
                    self._events.append(self._worded(entry, self._events))
                self._events += excursion.remarks
                self._segments.append(excursion.segment)
