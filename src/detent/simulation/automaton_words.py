"""Transitions that were taken, in words: as events, and as the segments of a run that begin after them."""

from __future__ import annotations

from typing import final

import numpy as np
from numpy.typing import NDArray

from detent.contact_solves.settle_frame import PARADOX
from detent.events import event_frame as at
from detent.events.event_memory import Log, LogEntry
from detent.hybrid.mode import Mode
from detent.hybrid.transition import Transition
from detent.results.event import Event, put_down
from detent.results.event_columns import GrowingEvents, Sort
from detent.simulation.automaton_tables import AutomatonTables
from detent.simulation.history import Batch, Segments
from detent.simulation.shared_running import SHARED


@final
class AutomatonWords:
    """Puts batches of transitions down as events, when someone asks for them."""

    def __init__(self, tables: AutomatonTables, first: Mode, first_discrete: int) -> None:
        self._tables, self._first_discrete = tables, first_discrete
        self.told: set[Mode] = {first}
        """Modes about which is said what is worth knowing."""
        self._shared: set[str] = set()
        """What was said about places that share their forces."""
        self._repeated: dict[Transition, int] = {}
        """How often each transition was taken since it last accumulated, as far as it has been told."""

    def worded(self, batch: Batch, events: GrowingEvents, segments: Segments) -> None:
        """Put the transitions of a log down as events, and the segments that begin after them."""
        log, rows = batch.log, batch.log.rows
        last = np.flatnonzero(np.append(rows[1:] != rows[:-1], True))  # of each instant
        targets = log.entries["target"][last]
        values = np.repeat(batch.values[None, :], len(last), axis=0)
        values[:, self._first_discrete :] = log.numbers[last, at.LOG_VALUES : at.LOG_VALUES + log.block]
        entered = np.unique(targets).tolist()
        numbers = np.zeros(len(self._tables.modes), dtype=np.int64)
        numbers[entered] = [segments.number_of(batch.modes[target]) for target in entered]
        segments.extend(batch.nodes + rows[last], numbers[targets], values)
        told = [(int(np.searchsorted(log.numbers[:, at.LOG_TIME], e.time, side="right")) - 1, e) for e in batch.remarks]
        for target in entered:
            mode, place = self._tables.modes[target], int(last[np.argmax(targets == target)])
            if mode not in self.told:
                self.told.add(mode)
                remarks = batch.modes[target].remarks(float(log.numbers[place, at.LOG_TIME]))
                told += [(place, event) for event in remarks if not self._was_said(event, events)]
        first = 0
        for place, event in sorted(told, key=lambda each: each[0]):
            self._put_down(log.part(first, max(first, place + 1)), events)
            put_down(events, event)
            first = max(first, place + 1)
        self._put_down(log.part(first, len(log)), events)

    def _was_said(self, remark: Event, events: GrowingEvents) -> bool:
        """Whether it was said before that these places share their forces, whatever they do meanwhile."""
        if remark.kind != SHARED:
            return False
        self._shared |= {sort.name for sort in events.columns.sorts if sort.kind == SHARED}
        known = remark.name in self._shared
        self._shared.add(remark.name)
        return known

    def _put_down(self, log: Log, events: GrowingEvents) -> None:
        """Put transitions down as events, those between two Zeno completions all at once."""
        log = self._worth_telling(log)
        first = 0
        for place in np.flatnonzero(log.entries["zeno"]).tolist():
            self._put_down_many(log.part(first, place), events)
            put_down(events, self.event(log.entry(place)))
            first = place + 1
        self._put_down_many(log.part(first, len(log)), events)

    def _worth_telling(self, log: Log) -> Log:
        silent = [number for number, each in enumerate(self._tables.transitions) if not each.kind]
        if not silent:
            return log
        told = ~np.isin(log.entries["transition"], silent)
        return Log(log.entries[told], log.numbers[told], log.block)

    def _put_down_many(self, log: Log, events: GrowingEvents) -> None:
        if len(log) == 0:
            return
        sorts, details = np.empty(len(log), dtype=np.int64), {}
        seized = self._seized(log.numbers[:, at.LOG_VALUES + log.block :])
        ways = log.ways(len(self._tables.modes)) * (seized.max() + 1) + seized
        for way in np.unique(ways).tolist():
            its = ways == way
            place = its.argmax()
            taken, source, target, *_ = log.entries[place].tolist()
            transition = self._tables.transitions[taken]
            names, columns = self._details(transition, log.block, log.numbers.shape[1], bool(seized[place]))
            modes = self._tables.modes[source].name, self._tables.modes[target].name
            kind, name = self._called(transition, source, target, int(seized[place]))
            number = events.number_of(Sort(kind, name, *modes, names))
            sorts[its] = number
            details[number] = log.numbers[its][:, columns]
            self._repeated[transition] = self._repeated.get(transition, 0) + int(its.sum())
        events.extend(log.numbers[:, at.LOG_TIME], sorts, details)

    def _seized(self, impulses: NDArray[np.float64]) -> NDArray[np.int64]:
        """Of each transition, by its impulses, one more than the place with an impact without collision, or zero."""
        contacts = self._tables.plans.contacts
        if contacts is None:
            return np.zeros(len(impulses), dtype=np.int64)
        happened = impulses[:, contacts.row_count - PARADOX] > 0.0
        return np.where(happened, 1 + np.argmax(impulses[:, contacts.normal_rows], axis=1), 0)

    def _called(self, transition: Transition, source: int, target: int, seized: int) -> tuple[str, str]:
        """The kind and the name of a transition that was taken."""
        name = self._tables.event_name(transition, source, target)
        if not seized:
            return transition.kind, name
        assert self._tables.plans.contacts is not None
        return "impact", f"{self._tables.plans.contacts.seized(seized - 1)}, {name}"

    def _details(
        self, transition: Transition, block: int, width: int, seized: bool
    ) -> tuple[tuple[str, ...], list[int]]:
        """The names of what is told of a transition besides its modes, and where a log of this width has it."""
        columns = list(range(at.LOG_VALUES + block, width))
        names = [f"impulse of {name}" for name in self._tables.plans.impulse_rows(transition, seized)][: len(columns)]
        if seized:
            names += ["coefficient", "angle"]
        columns = columns[: len(names)]
        if transition.kind == "impact" or transition.has_impact or seized:
            names, columns = ["energy", *names], [at.LOG_ENERGY, *columns]
        return tuple(names), columns

    def event(self, entry: LogEntry) -> Event:
        """A transition that was taken, as it is told to the user."""
        transition = self._tables.transitions[entry.transition]
        source, target = self._tables.modes[entry.source].name, self._tables.modes[entry.target].name
        seized = int(self._seized(entry.impulses[None, :])[0])
        kind, name = self._called(transition, entry.source, entry.target, seized)
        if entry.zeno:
            made: dict[str, float | str] = {"count": float(self._repeated.pop(transition, 0))}
            made |= {"accumulates at": entry.accumulation, "lost time": entry.accumulation - entry.time}
            return Event(entry.time, "zeno", name, source, target, made)
        self._repeated[transition] = self._repeated.get(transition, 0) + 1
        block = len(entry.values)
        names, columns = self._details(transition, block, at.LOG_VALUES + block + len(entry.impulses), bool(seized))
        numbers = [entry.energy] * (at.LOG_ENERGY in columns) + entry.impulses.tolist()
        details: dict[str, float | str] = dict(zip(names, numbers, strict=False))
        return Event(entry.time, kind, name, source, target, details)
