"""Which modes a run went through, for how long, and which transitions it took.

Everything here follows from the run's events. An event whose ``source`` and ``target`` differ changes the mode; a
self-transition counts as a transition and does not end the visit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple, final

if TYPE_CHECKING:
    from detent.results.event_columns import EventSort
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

    >>> from detent.results import sample_run
    >>> visits(sample_run())
    (Visit(mode='flight', start=0.0, end=1.25),)
    """
    columns = run.events.columns
    changing = columns.of_sorts([_placed(sort) and sort.source != sort.target for sort in columns.sorts])
    modes = [*(columns.sorts[number].source for number in changing.sort.tolist()), run.mode]
    inner = changing.time.tolist()
    # A run that kept only some times may have begun before the first and ended after the last of them.
    times = [min([float(run.t[0]), *inner]), *inner, max([float(run.t[-1]), *inner])]
    return tuple(Visit(mode, times[number], times[number + 1]) for number, mode in enumerate(modes))


def stays(run: Run) -> dict[str, Stay]:
    """Every mode that was visited, in the order of its first visit.

    >>> from detent.results import sample_run
    >>> stays(sample_run())
    {'flight': Stay(visits=1, time=1.25)}
    """
    made: dict[str, Stay] = {}
    for visit in visits(run):
        before = made.get(visit.mode, Stay(0, 0.0))
        made[visit.mode] = Stay(before.visits + 1, before.time + visit.duration)
    return made


def passages(run: Run) -> dict[Passage, tuple[float, ...]]:
    """Every way from mode to mode that was taken, with the times (s) at which it was, in the order of the first.

    >>> from detent.results import sample_run
    >>> passages(sample_run())
    {Passage(kind='impact', name='floor', source='flight', target='flight'): (1.0,)}
    """
    columns = run.events.columns
    taken = columns.of_sorts(
        [_placed(sort) and (sort.kind in TAKEN or sort.source != sort.target) for sort in columns.sorts]
    )
    made: dict[Passage, list[float]] = {}
    for number, time in zip(taken.sort.tolist(), taken.time.tolist(), strict=True):
        made.setdefault(Passage(*columns.sorts[number][:4]), []).append(time)
    return {passage: tuple(times) for passage, times in made.items()}


def _placed(sort: EventSort) -> bool:
    """Whether events of a sort happened in a mode; what is said about the start belongs to none."""
    return bool(sort.source and sort.target)
