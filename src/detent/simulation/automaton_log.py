"""What the kernel has logged: transitions that were taken, and what is worth noting though nothing happened."""

from __future__ import annotations

import math
from typing import Final, final

import numpy as np

from detent.events import event_frame as at
from detent.events.event_memory import Log, LogEntry
from detent.hybrid.settle import Collide
from detent.jit.arrays import distinct
from detent.results.event import Event
from detent.results.event_columns import EventSort, GrowingEvents
from detent.simulation.automaton_tables import AutomatonTables
from detent.simulation.running_mode import RunningMode

ALREADY_PAST: Final = "already past, fires when it has come back"
"""What is remarked on when a mode is entered beyond the guard of one of its transitions."""


@final
class AutomatonLog:
    """Takes the kernel's log, and finds the nodes that its entries belong to."""

    def __init__(self, tables: AutomatonTables) -> None:
        self._tables, self._memory = tables, tables.memory
        self._pending: Log | None = None
        self._remarks: list[Event] = []
        self.near_misses = GrowingEvents()
        """When a guard came nearer to zero than the integration is exact, and did not pass it."""

    def take_log(self, nodes: int) -> Log:
        """The transitions whose state afterwards is among the next nodes; others wait for theirs."""
        log = self._memory.take_log()
        if self._pending is not None:
            log, self._pending = self._pending.joined(log), None
        if len(log) == 0 or log.rows[-1] < nodes:
            return log
        known = int(np.searchsorted(log.rows, nodes))
        self._pending = log.part(known, len(log)).moved(nodes)
        return log.part(0, known)

    def forget(self) -> None:
        """Nobody wants to know what is logged and noted so far."""
        self._memory.drop_log()
        self._pending = None

    def flush(self) -> list[LogEntry]:
        """The transitions of an excursion that could not be finished."""
        log = self._memory.take_log()
        if self._pending is not None:
            log, self._pending = self._pending.joined(log), None
        return [log.entry(number) for number in range(len(log))]

    def take_notes(self) -> None:
        """Put what the kernel has noted into words: remarks wait for their place among the events."""
        for when, kind, number, standing in self._memory.take_notes():
            transition = self._tables.transitions[number]
            mode, name = self._tables.modes[standing].name, self._tables.automaton.words_of(transition)
            if kind == at.NEAR_MISS:
                self.near_misses.add(when, EventSort("near miss", name, mode, mode))
            elif not any(
                isinstance(step, Collide) for step in transition.reset
            ):  # a gap that is passed fires at once (rule 11)
                self._remarks.append(Event(when, "remark", f"{name}: {ALREADY_PAST}", mode, mode))

    @property
    def has_remarks(self) -> bool:
        """Whether something was remarked on and not told yet: hardly ever."""
        return bool(self._remarks)

    def remarks_until(self, log: Log) -> list[Event]:
        """What was remarked on before the last of some transitions, or at it; each once."""
        return self.remarks_before(math.nextafter(float(log.numbers[-1, at.LOG_TIME]), math.inf))

    def remarks_before(self, now: float) -> list[Event]:
        """What was remarked on before a time; each once."""
        due = [event for event in self._remarks if event.time < now]
        self._remarks = [event for event in self._remarks if event.time >= now]
        return due

    def nodes_by_mode(self, standing: RunningMode, log: Log, entered: set[int], nodes: int) -> dict[RunningMode, int]:
        """How many of the next nodes belong to each mode; the run stands in one."""
        assert standing.declared is not None
        first = self._tables.modes.index(standing.declared)
        if entered == {first}:  # as in a run of bounces, which is to be quick
            return {self._tables.built[standing.declared]: nodes}
        targets = np.concatenate([[first], log.entries["target"]])
        counts = np.diff(np.concatenate([[0], log.rows, [nodes]]))
        found: dict[RunningMode, int] = {}
        for number in distinct(targets):
            count = int(counts[targets == number].sum())
            if count:
                built = self._tables.built[self._tables.modes[number]]
                found[built] = found.get(built, 0) + count
        return found
