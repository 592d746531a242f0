"""Which modes a run went through, for how long, and which transitions it took.

Everything here follows from the run's events. An event whose ``source`` and ``target`` differ changes the mode; a
self-transition counts as a transition and does not end the visit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, final

if TYPE_CHECKING:
    from detent.results.event import Event
    from detent.results.run import Run

TAKEN: Final = ("transition", "impact", "zeno")
"""The kinds of events that are a transition taken, also where the mode stays the same."""


@final
@dataclass(frozen=True)
class Visit:
    """A stretch of a run in one mode, from one time (s) to another; of no length where a mode is left at once.

    >>> Visit("flight", 0.5, 2.0).duration
    1.5
    """

    mode: str
    start: float
    end: float

    @property
    def duration(self) -> float:
        """How long it lasted, s."""
        return self.end - self.start


@final
@dataclass(frozen=True)
class Stay:
    """How often a mode was visited, and for how long in all (s).

    >>> Stay(2, 1.5)
    Stay(visits=2, time=1.5)
    """

    visits: int
    time: float


class Passage(NamedTuple):
    """A way from a mode to a mode: the kind and the name of its events, and the two modes.

    >>> Passage("impact", "floor", "flight", "flight").source
    'flight'
    """

    kind: str
    name: str
    source: str
    target: str


def visits(run: Run) -> tuple[Visit, ...]:
    """The modes of a run one after another.

    >>> from detent.results import thrown_stone
    >>> visits(thrown_stone())
    (Visit(mode='flight', start=0.0, end=1.25),)
    """
    changes = [event for event in _placed(run) if event.source != event.target]
    modes = [*(event.source for event in changes), run.mode]
    inner = [event.time for event in changes]
    # A run that kept only some times may have begun before the first and ended after the last of them.
    times = [min([float(run.t[0]), *inner]), *inner, max([float(run.t[-1]), *inner])]
    return tuple(Visit(mode, times[number], times[number + 1]) for number, mode in enumerate(modes))


def stays(run: Run) -> dict[str, Stay]:
    """Every mode that was visited, in the order of its first visit.

    >>> from detent.results import thrown_stone
    >>> stays(thrown_stone())
    {'flight': Stay(visits=1, time=1.25)}
    """
    made: dict[str, Stay] = {}
    for visit in visits(run):
        before = made.get(visit.mode, Stay(0, 0.0))
        made[visit.mode] = Stay(before.visits + 1, before.time + visit.duration)
    return made


def passages(run: Run) -> dict[Passage, tuple[float, ...]]:
    """Every way from mode to mode that was taken, with the times (s) at which it was, in the order of the first.

    >>> from detent.results import thrown_stone
    >>> passages(thrown_stone())
    {Passage(kind='impact', name='floor', source='flight', target='flight'): (1.0,)}
    """
    made: dict[Passage, list[float]] = {}
    for event in _placed(run):
        if event.kind in TAKEN or event.source != event.target:
            made.setdefault(Passage(event.kind, event.name, event.source, event.target), []).append(event.time)
    return {passage: tuple(times) for passage, times in made.items()}


def _placed(run: Run) -> Iterator[Event]:
    """The events that happened in a mode; what is said about the start belongs to none."""
    return (event for event in run.events if event.source and event.target)
