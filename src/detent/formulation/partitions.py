"""Choosing again: other independent speeds for constraints that run, when the present ones become hard to use.

The kernel chooses by itself between the partitions it knows, and between two steps (:mod:`detent.solves.alternatives`);
Python gives it new ones, and puts down what was chosen. Where rows are dropped as redundant, and where an automaton is
followed, Python chooses.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, final

from detent.dynamics.partition import Partition
from detent.formulation.means import Means
from detent.formulation.running import Exchange, Instant, Running
from detent.formulation.workshop import ReducedRows
from detent.solves.alternatives import Alternatives, Chosen
from detent.solves.choice_frame import LOST, ROOM

if TYPE_CHECKING:
    from detent.formulation.embedded import EmbeddedFormulation, EmbeddedRunning

SPARE = 8
"""Splits for which the kernel of a live run has room, so that it need not wait for Python."""


@final
class Partitions:
    """The partitions of the speeds that the present constraints have run with."""

    def __init__(self, means: Means, embedded: EmbeddedFormulation) -> None:
        self._means, self._embedded = means, embedded
        self._known: dict[int, EmbeddedRunning] = {}
        self._waiting: list[Chosen] = []
        self._latest: tuple[EmbeddedRunning, float] | None = None
        """What was chosen last, and when."""
        self._lock = threading.Lock()
        """Held where the table changes: another thread makes room in it."""

    @cached_property
    def _alternatives(self) -> Alternatives:
        """Made when it is first needed: a run of bounces that takes a tenth of a millisecond does not."""
        return Alternatives()

    def begin(self, running: EmbeddedRunning | None) -> None:
        """Other constraints run from here on, or none."""
        with self._lock:
            self._known = {}
            usable = running is not None and not running.is_watched and len(running.partition.independent) > 0
            if running is not None and usable and self._means.alone:
                self._known[0] = running
                self._alternatives.begin(running.solve, running.rates)
                self._means.solver.offer(self._alternatives)

    def knows(self, running: Running) -> bool:
        """Whether the kernel may turn to a partition by itself."""
        with self._lock:
            return running in self._known.values()

    def improve(self, running: EmbeddedRunning) -> None:
        """A partition has other equations now, equal but for rounding."""
        with self._lock:
            for number, known in self._known.items():
                if known is running and running.replacement is not None:
                    self._alternatives.improve(number, running.replacement.cell)

    def make_room(self, running: EmbeddedRunning) -> None:
        """Let the kernel of a live run have partitions that it can use as it needs them; it may be running."""
        for _ in range(SPARE):
            made = self._means.workshop.solve_of(running.active, running.partition)
            with self._lock:
                enough = self._alternatives.is_full or self._alternatives.spare >= SPARE
                if enough or running not in self._known.values():
                    return
                self._alternatives.add(made)

    # -- what the kernel chose ---------------------------------------------------------------------

    def turns(self, steps: int) -> Iterator[Exchange]:
        """What the kernel chose before so many steps were taken."""
        if self._known:
            self._waiting += self._alternatives.take_log()
        while self._waiting and self._waiting[0].steps < steps:
            chosen = self._waiting.pop(0)
            yield Exchange(chosen.steps, chosen.time, self._split(chosen.number))

    def _split(self, number: int) -> EmbeddedRunning:
        if number not in self._known:  # the kernel found it; the numbers are in its memory
            first, solve = self._known[0], self._alternatives.solves[number]
            partition = Partition(
                tuple(solve.order.tolist()), tuple(solve.dependent.tolist()), tuple(solve.independent.tolist()), (), ()
            )
            made = self._embedded.assemble(ReducedRows(first.active, partition), first.whole, solve)
            with self._lock:
                self._known[number] = made
        return self._known[number]

    # -- what the kernel asks for ------------------------------------------------------------------

    def answer(self, running: EmbeddedRunning, instant: Instant) -> EmbeddedRunning | None:
        """The present partition has become hard to use: give the kernel another one, or choose for it."""
        if self._latest == (running, instant.time):  # it was chosen here and now: there is nothing better
            running.solve.flag[0] = 0
            running.solve.accept_growth()
            return None
        asked = self._alternatives.asks() if self._known else 0
        if not self._known or asked == LOST or (asked == ROOM and not self._add(running, instant)):
            return self._choose(running, instant)
        return None

    def _add(self, running: EmbeddedRunning, instant: Instant) -> bool:
        """Let the kernel have the partition that it needs here; whether that can be."""
        if self._alternatives.is_full:
            return False
        if self._means.embedding != "symbolic":
            self.make_room(running)
            return True
        reduced = self._reduce(running, instant)
        known = [each.partition for each in self._known.values()]
        if reduced.active is not running.active or reduced.partition in known:
            return False
        made = self._embedded.assemble(reduced, running.whole)
        self._known[len(self._alternatives.solves)] = made
        self._alternatives.add(made.solve, made.rates)
        return True

    def _reduce(self, running: EmbeddedRunning, instant: Instant) -> ReducedRows:
        geometry = self._means.workshop.at(running.whole, instant)
        return self._means.workshop.reduce(running.whole, geometry, instant.state)

    def _choose(self, before: EmbeddedRunning, instant: Instant) -> EmbeddedRunning | None:
        """Choose here and now; nothing jumps, for all speeds are known."""
        before.solve.flag[0] = self._means.solver.asking[0] = 0
        reduced = self._reduce(before, instant)
        if reduced.partition == before.partition and not before.is_watched:
            before.solve.accept_growth()
            return None
        made = self._embedded.assemble(reduced, before.whole)
        self._latest = made, instant.time
        return made
