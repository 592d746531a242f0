"""Transitions that were taken, in words: as events, and as the segments of a run that begin after them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, final

import numpy as np
from numpy.typing import NDArray

from detent.contact_solves.settle_frame import TOLD
from detent.events import event_frame as at
from detent.events.event_memory import Log, LogEntry
from detent.hybrid.mode import Mode
from detent.hybrid.settle import Collide
from detent.hybrid.status_transitions import settles_anew
from detent.hybrid.transition import Transition
from detent.jit.arrays import distinct
from detent.results.event import Event, append_event
from detent.results.event_columns import EventSort, GrowingEvents
from detent.simulation.automaton_tables import AutomatonTables
from detent.simulation.bounces import Bounces
from detent.simulation.contact_reports import LAW, ContactReport
from detent.simulation.history import Segments, TransitionBatch
from detent.simulation.shared_running import SHARED

if TYPE_CHECKING:
    from detent.simulation.checkpoint import Checkpoint


@final
class AutomatonWords:
    """Puts batches of transitions down as events, when someone asks for them."""

    def __init__(self, tables: AutomatonTables, first: Mode, first_discrete: int) -> None:
        self._tables, self._first_discrete = tables, first_discrete
        self.told: set[Mode] = {first}
        """Modes about which is said what is worth knowing."""
        self._said: set[str] = set()
        """What is said once of the same places: that they share their forces, or do not follow their own laws."""
        self._bounces = Bounces(len(first.key))
        self._repeated: dict[Transition, int] = {}
        """How often each transition was taken since it last accumulated, as far as it has been told."""

    def saved(self) -> tuple[dict[str, tuple[int, list[float]]], dict[str, int], list[str]]:
        """Bounces by place, repetitions by transition, and what has been said, for a checkpoint."""
        contacts, repeated = self._tables.plans.contacts, {each.name: n for each, n in self._repeated.items()}
        if contacts is None:
            return {}, repeated, sorted(self._said)
        names = [place.name for place in contacts.places]
        return {names[number]: kept for number, kept in self._bounces.saved().items()}, {}, sorted(self._said)

    def go_on_from(self, found: Checkpoint) -> None:
        """Go on with what a checkpoint knows of this."""
        self._said |= set(found.said)
        contacts = self._tables.plans.contacts
        for number, place in enumerate([] if contacts is None else contacts.places):
            if place.name in found.bounces:
                kept = found.bounces[place.name]
                self._bounces.go_on_from(number, kept.count, kept.times)
        for transition in self._tables.transitions:
            if transition.name in found.repeats:
                self._repeated[transition] = found.repeats[transition.name]

    def worded(self, batch: TransitionBatch, events: GrowingEvents, segments: Segments) -> None:
        """Put the transitions of a log down as events, and the segments that begin after them."""
        log, rows = batch.log, batch.log.rows
        last = np.flatnonzero(np.append(rows[1:] != rows[:-1], True))  # of each instant
        targets = log.entries["target"][last]
        values = np.repeat(batch.values[None, :], len(last), axis=0)
        values[:, self._first_discrete :] = log.numbers[last, at.LOG_VALUES : at.LOG_VALUES + log.block]
        entered = distinct(targets)
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
            append_event(events, event)
            first = max(first, place + 1)
        self._put_down(log.part(first, len(log)), events)

    def _was_said(self, remark: Event, events: GrowingEvents) -> bool:
        """Whether the same was said before of these places, whatever they do meanwhile."""
        if remark.kind not in (SHARED, LAW):
            return False
        self._said |= {sort.name for sort in events.columns.sorts if sort.kind in (SHARED, LAW)}
        known = remark.name in self._said
        self._said.add(remark.name)
        return known

    def _put_down(self, log: Log, events: GrowingEvents) -> None:
        """Put transitions down as events, those between two of which there is more to tell all at once."""
        log = self._worth_telling(log)
        first = 0
        for place in np.flatnonzero((log.entries["zeno"] != 0) | self._has_more(log)).tolist():
            self._put_down_many(log.part(first, place), events)
            for event in self.told_of(log.entry(place)):
                if not self._was_said(event, events):
                    append_event(events, event)
            first = place + 1
        self._put_down_many(log.part(first, len(log)), events)

    def _worth_telling(self, log: Log) -> Log:
        silent = [number for number, each in enumerate(self._tables.transitions) if not each.kind]
        told = ~np.isin(log.entries["transition"], silent) & ~self._without_effect(log) | self._has_more(log)
        return log if told.all() else Log(log.entries[told], log.numbers[told], log.block)

    def _without_effect(self, log: Log) -> NDArray[np.bool_]:
        """Which are of contacts that were met where another holds already, or of values that were changed: no impulse,
        and all goes on as before."""
        contacts = self._tables.plans.contacts
        closing = [number for number, each in enumerate(self._tables.transitions) if _struck(each) is not None]
        closing += [number for number, each in enumerate(self._tables.transitions) if settles_anew(each)]
        found: NDArray[np.bool_] = np.isin(log.entries["transition"], closing) & (log.entries["zeno"] == 0)
        if contacts is not None and found.any():
            first = at.LOG_VALUES + log.block
            found &= log.entries["source"] == log.entries["target"]
            found &= ~log.numbers[:, first : first + contacts.told_from].any(axis=1)
        return found

    def _has_more(self, log: Log) -> NDArray[np.bool_]:
        """Of which transitions the kernel tells more than that they were taken."""
        contacts = self._tables.plans.contacts
        if contacts is None:
            return np.zeros(len(log), dtype=bool)
        told: NDArray[np.bool_] = log.numbers[:, at.LOG_VALUES + log.block + contacts.told_from + TOLD] != 0.0
        return told

    def _told_besides(self, entry: LogEntry) -> list[Event]:
        """What the kernel tells of a transition, as events of their own."""
        contacts, modes = self._tables.plans.contacts, self._tables.modes
        if contacts is None:
            return []
        normals, between = contacts.normals(entry.impulses), (modes[entry.source], modes[entry.target])
        return contacts.teller.events(contacts.telling(entry.impulses), entry.time, normals, *between)

    def _put_down_many(self, log: Log, events: GrowingEvents) -> None:
        if len(log) == 0:
            return
        sorts, columns_of = np.empty(len(log), dtype=np.int64), {}
        ways = log.ways(len(self._tables.modes))
        bounced = self._bounced(log, ways)
        patterns, pattern = np.unique(bounced, axis=0, return_inverse=True)
        ways = ways * len(patterns) + pattern.ravel()
        self._note_bounces(log, ways)
        for way in distinct(ways):
            its = ways == way
            place = its.argmax()
            taken, source, target, *_ = log.entries[place].tolist()
            transition = self._tables.transitions[taken]
            names, columns = self._details(transition, log.block, log.numbers.shape[1])
            modes = self._tables.modes[source].name, self._tables.modes[target].name
            name = self._tables.event_name(transition, source, target, np.flatnonzero(bounced[place]).tolist())
            number = events.number_of(EventSort(transition.kind, name, *modes, names))
            sorts[its], columns_of[number] = number, columns
            self._repeated[transition] = self._repeated.get(transition, 0) + int(its.sum())
        details = {number: log.numbers[sorts == number][:, columns] for number, columns in columns_of.items()}
        events.extend(log.numbers[:, at.LOG_TIME], sorts, details)

    def _bounced(self, log: Log, ways: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Of each transition, which places struck and opened again."""
        contacts = self._tables.plans.contacts
        found = np.zeros((len(log), 0 if contacts is None else len(contacts.places)), dtype=bool)
        for way in distinct(ways) if contacts is not None else []:
            its = ways == way
            taken, source, target, *_ = log.entries[its.argmax()].tolist()
            if _struck(self._tables.transitions[taken]) is not None:
                found[its] = self._open_again(log.numbers[its, at.LOG_VALUES + log.block :], source, target)
        return found

    def _open_again(self, impulses: NDArray[np.float64], source: int, target: int) -> NDArray[np.bool_]:
        """Which places have impulses though they are open before and after them."""
        contacts, modes = self._tables.plans.contacts, self._tables.modes
        assert contacts is not None
        is_open = [np.array(modes[number].statuses) == 0.0 for number in (source, target)]
        found: NDArray[np.bool_] = (contacts.normals(impulses) != 0.0) & is_open[0] & is_open[1]
        return found

    def _note_bounces(self, log: Log, ways: NDArray[np.int64]) -> None:
        """Note which places have bounced, and which have come to rest."""
        modes, order = self._tables.modes, np.arange(len(log))
        bounced: dict[int, list[int]] = {}
        rested: dict[int, int] = {}
        for way in distinct(ways) if self._tables.plans.contacts is not None else []:
            its = order[ways == way]
            taken, source, target, *_ = log.entries[its[0]].tolist()
            struck = _struck(self._tables.transitions[taken])
            again, resting = _bounced(struck, modes[source], modes[target])
            for place in resting:
                rested[place] = max(rested.get(place, -1), int(its[-1]))
            if struck is not None and again:
                bounced.setdefault(struck, []).extend(its.tolist())
        self._bounces.rest(rested)
        for place, found in bounced.items():
            after = [number for number in sorted(found) if number > rested.get(place, -1)]
            self._bounces.note(place, log.numbers[after, at.LOG_TIME].tolist())

    def _telling(self, entry: LogEntry) -> ContactReport | None:
        contacts = self._tables.plans.contacts
        return None if contacts is None else contacts.telling(entry.impulses)

    def _details(self, transition: Transition, block: int, width: int) -> tuple[tuple[str, ...], list[int]]:
        """The names of what is told of a transition besides its modes, and where a log of this width has it."""
        first, rows = self._tables.plans.impulse_rows(transition)
        columns = list(range(at.LOG_VALUES + block + first, width))
        names = [f"impulse of {name}" for name in rows][: len(columns)]
        columns = columns[: len(names)]
        if transition.kind == "impact" or transition.has_impact:
            names, columns = ["energy", *names], [at.LOG_ENERGY, *columns]
        return tuple(names), columns

    def told_of(self, entry: LogEntry) -> list[Event]:
        """A transition that was taken, as it is told to the user, and what is to be told besides."""
        event = self._event(entry)
        return [*([] if event is None else [event]), *self._told_besides(entry)]

    def _event(self, entry: LogEntry) -> Event | None:
        """A transition that was taken; None where a contact touches in passing, and all goes on as before."""
        transition, telling = self._tables.transitions[entry.transition], self._telling(entry)
        source, target = self._tables.modes[entry.source].name, self._tables.modes[entry.target].name
        bounced = self._bounced_at(entry, transition, telling)
        name = self._tables.event_name(transition, entry.source, entry.target, bounced)
        completed = self._completed(entry, transition, telling) if entry.zeno else None
        if completed is not None:
            return Event(entry.time, "zeno", name, source, target, completed)
        if entry.zeno:
            return Event(entry.time, "transition", name, source, target) if source != target else None
        self._repeated[transition] = self._repeated.get(transition, 0) + 1
        if telling is not None and telling.seized:
            return self._seizing(entry, telling, name)
        if telling is not None:
            self._note_one(entry, transition, bounced)
        if telling is not None and telling.struck:
            return Event(entry.time, "impact", name, source, target, self._impulses(entry))
        first = at.LOG_VALUES + len(entry.values)
        names, columns = self._details(transition, len(entry.values), first + len(entry.impulses))
        numbers = [entry.energy if place == at.LOG_ENERGY else entry.impulses[place - first] for place in columns]
        details: dict[str, float | str] = {name: float(number) for name, number in zip(names, numbers, strict=True)}
        return Event(entry.time, transition.kind or "transition", name, source, target, details)

    def _bounced_at(self, entry: LogEntry, transition: Transition, telling: ContactReport | None) -> list[int]:
        """Which places struck and opened again; without a strike, what is pushed is rounding."""
        if telling is None or entry.zeno or not (telling.struck or _struck(transition) is not None):
            return []
        return np.flatnonzero(self._open_again(entry.impulses, entry.source, entry.target)).tolist()

    def _note_one(self, entry: LogEntry, transition: Transition, bounced: Sequence[int]) -> None:
        """Note whether one transition is a bounce, or a coming to rest; of what strikes together one place counts."""
        source, target = self._tables.modes[entry.source], self._tables.modes[entry.target]
        struck = _struck(transition)
        again, resting = _bounced(struck, source, target)
        self._bounces.rest(resting)
        for place in [struck] if struck is not None and again else bounced[:1] if struck is None else []:
            self._bounces.note(place, [entry.time])

    def _completed(
        self, entry: LogEntry, transition: Transition, telling: ContactReport | None
    ) -> dict[str, float | str] | None:
        """What is told of an accumulation; None where a contact has not bounced before, and only comes to rest."""
        if telling is None:
            lost = entry.accumulation - entry.time
            count = float(self._repeated.pop(transition, 0))
            return {"count": count, "accumulates at": entry.accumulation, "lost time": lost}
        struck, source, target = _struck(transition), *(self._tables.modes[n] for n in (entry.source, entry.target))
        if struck is None:
            return None
        rocks = struck in _closed(source)  # and does not fly
        remaining = -abs(telling.remaining) if rocks else telling.remaining
        found = self._bounces.completed(struck, _closed(target), entry.time, remaining)
        if found.count == 0:
            return None
        made: dict[str, float | str] = {"count": found.count, "accumulates at": entry.time + found.lost}
        return made | {"lost time": found.lost, "lost time is": found.source}

    def _impulses(self, entry: LogEntry) -> dict[str, float | str]:
        """What an impact changed the energy by, and the impulses of all rows of contacts."""
        contacts = self._tables.plans.contacts
        assert contacts is not None
        rows = zip(contacts.row_names, entry.impulses.tolist(), strict=False)
        return {"energy": entry.energy, **{f"impulse of {row}": P for row, P in rows}}

    def _seizing(self, entry: LogEntry, telling: ContactReport, name: str) -> Event:
        """An impact without collision."""
        contacts = self._tables.plans.contacts
        assert contacts is not None
        details = self._impulses(entry) | {"coefficient": telling.coefficient, "angle": telling.angle}
        modes = self._tables.modes[entry.source].name, self._tables.modes[entry.target].name
        return Event(entry.time, "impact", f"{contacts.seized(telling.place)}, {name}", *modes, details)


def _struck(transition: Transition) -> int | None:
    """The place of contact that strikes in a transition, if one does."""
    step = transition.reset[-1] if transition.reset else None
    return step.number if isinstance(step, Collide) else None


def _bounced(struck: int | None, source: Mode, target: Mode) -> tuple[bool, list[int]]:
    """Whether a place that is struck goes on bouncing, and which places do so no more.

    It opens again; or it holds and another one opens, as where a block rocks from corner to corner; or all goes on as
    before, as where a can rocks over. One that opens without having been struck begins anew.
    """
    before, after = set(_closed(source)), set(_closed(target))
    again = struck is not None and (struck not in after or not after > before)
    resting = after - before if struck is not None else after ^ before
    return again, sorted(resting - {struck} if again else resting)


def _closed(mode: Mode) -> list[int]:
    """The places of contact that are closed in a mode."""
    return [place for place, status in enumerate(mode.statuses) if status > 0.0]
