"""What happened during a run, and when."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, final, overload

import numpy as np

from detent.jit.arrays import FloatArray
from detent.results.arrays import read_only
from detent.results.event_columns import EventColumns, EventSort, GrowingEvents
from detent.results.json_values import json_object

_SHOWN = 20


@final
@dataclass(frozen=True)
class Event:
    """Something that happened at one instant: a transition between modes, an impact, a Zeno completion, an input.

    ``source`` and ``target`` are the modes before and after; ``details`` are further numbers or words, such as
    an impulse in N s.

    >>> Event(0.5, "impact", "ball on floor", "flight", "flight", {"impulse": 2.0}).as_json()
    {'t': 0.5, 'kind': 'impact', 'name': 'ball on floor', 'from': 'flight', 'to': 'flight', 'details': {'impulse': 2.0}}
    """

    time: float
    kind: str
    name: str
    source: str
    target: str
    details: dict[str, float | str] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "time", float(self.time))
        plain = {name: value if isinstance(value, str) else float(value) for name, value in self.details.items()}
        object.__setattr__(self, "details", plain)

    def as_json(self) -> dict[str, Any]:
        """The event as ``detent run --json`` prints it."""
        plain = {"t": self.time, "kind": self.kind, "name": self.name, "from": self.source, "to": self.target}
        return json_object(plain | ({"details": self.details} if self.details else {}))


@final
class EventLog(Sequence[Event]):
    """The events of a run in the order in which they happened.

    They are kept as columns; an :class:`Event` is made when it is asked for. ``times`` and ``counts`` need none.

    >>> log = EventLog([Event(0.5, "impact", "floor", "flight", "flight"),
    ...                 Event(0.9, "transition", "stops", "flight", "rest")])
    >>> log.of_kind("impact")[0].time
    0.5
    >>> log
    2 events
    t    kind        name   from    to
    0.5  impact      floor  flight  flight
    0.9  transition  stops  flight  rest
    """

    def __init__(self, events: Iterable[Event] = ()) -> None:
        made = GrowingEvents()
        for event in events:
            append_event(made, event)
        self._columns = made.columns

    @classmethod
    def of(cls, columns: EventColumns) -> EventLog:
        """The events that some columns tell of.

        >>> len(EventLog.of(GrowingEvents().columns))
        0
        """
        made = cls.__new__(cls)
        made._columns = columns
        return made

    @property
    def columns(self) -> EventColumns:
        """The same as columns, for what looks at very many of them."""
        return self._columns

    @property
    def times(self) -> FloatArray:
        """When each happened, s.

        >>> EventLog([Event(0.5, "impact", "floor", "flight", "flight")]).times.tolist()
        [0.5]
        """
        return read_only(self._columns.time, self._columns.time.shape, "the time")

    @property
    def counts(self) -> dict[str, int]:
        """How many there are of each kind, in the order of the first of its kind.

        >>> EventLog([Event(0.5, "impact", "floor", "flight", "flight")]).counts
        {'impact': 1}
        """
        made: dict[str, int] = {}
        numbers = self._columns.sort
        counts, first = np.bincount(numbers), np.full(len(self._columns.sorts), len(numbers))
        first[numbers[::-1]] = np.arange(len(numbers))[::-1]  # the last to be written is the first of its sort
        for sort in np.argsort(first[: len(counts)], kind="stable").tolist():
            if counts[sort]:
                kind = self._columns.sorts[sort].kind
                made[kind] = made.get(kind, 0) + int(counts[sort])
        return made

    @overload
    def __getitem__(self, index: int) -> Event: ...
    @overload
    def __getitem__(self, index: slice) -> EventLog: ...
    def __getitem__(self, index: int | slice) -> Event | EventLog:
        columns = self._columns
        if isinstance(index, slice):
            return EventLog.of(columns.taken(index))
        place = range(len(self))[index]
        sort = columns.sorts[int(columns.sort[place])]
        return Event(float(columns.time[place]), *sort[:4], columns.details(place))

    def __len__(self) -> int:
        return len(self._columns.time)

    def __iter__(self) -> Iterator[Event]:
        return (self[place] for place in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (EventLog, list, tuple)):
            return NotImplemented
        return len(self) == len(other) and all(mine == its for mine, its in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def named(self, name: str) -> EventLog:
        """The events of this name; an empty log when nothing of that name happened.

        >>> len(EventLog([Event(0.5, "impact", "floor", "flight", "flight")]).named("floor"))
        1
        """
        return EventLog.of(self._columns.of_sorts([sort.name == name for sort in self._columns.sorts]))

    def of_kind(self, kind: str) -> EventLog:
        """The events of this kind, such as ``impact`` or ``transition``.

        >>> len(EventLog([Event(0.5, "impact", "floor", "flight", "flight")]).of_kind("zeno"))
        0
        """
        return EventLog.of(self._columns.of_sorts([sort.kind == kind for sort in self._columns.sorts]))

    def __repr__(self) -> str:
        heading = f"{len(self)} event{'s' if len(self) != 1 else ''}"
        rows = self._rows()
        widths = [max(len(row[column]) for row in rows) for column in range(5)]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        return "\n".join([heading, *(lines if len(self) else []), *self._cut()])

    def _repr_html_(self) -> str:
        head, *body = ([html.escape(cell) for cell in row] for row in self._rows())
        top = "<tr>" + "".join(f"<th>{cell}</th>" for cell in head) + "</tr>"
        rest = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in body)
        return f"<table>{top}{rest}</table>" + "".join(f"<p>{line}</p>" for line in self._cut())

    def _rows(self) -> list[list[str]]:
        head = ["t", "kind", "name", "from", "to"]
        shown = self[:_SHOWN]
        return [head, *([f"{e.time:.9g}", e.kind, e.name, e.source, e.target] for e in shown)]

    def _cut(self) -> list[str]:
        return [f"... and {len(self) - _SHOWN} more"] if len(self) > _SHOWN else []


def append_event(events: GrowingEvents, event: Event) -> None:
    """Put an event down among others that are kept as columns.

    >>> events = GrowingEvents()
    >>> append_event(events, Event(0.5, "impact", "floor", "flight", "flight", {"impulse": 2.0}))
    >>> EventLog.of(events.columns)[0].details
    {'impulse': 2.0}
    """
    sort = EventSort(event.kind, event.name, event.source, event.target, tuple(event.details))
    events.add(event.time, sort, list(event.details.values()))
