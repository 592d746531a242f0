"""Choosing again: other independent speeds for a mode that runs, when the present ones become hard to use.

The kernel chooses by itself between the splits it knows, and between two steps (:mod:`detent.integrate.alternatives`);
Python gives it new ones, and puts down what was chosen. Where rows are dropped as redundant, and where an automaton is
followed, Python chooses.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, final

import numpy as np

from detent.dynamics.partition import Partition
from detent.integrate.alternatives import Alternatives, Chosen
from detent.integrate.choice_frame import LOST, ROOM
from detent.integrate.constraint_solve import ConstraintSolve
from detent.results.event import Event
from detent.simulation.mode import ActiveRows, Embedded, Mode

if TYPE_CHECKING:
    from detent.simulation.simulation import Simulation

SPARE = 8
"""Splits for which the kernel of a live run has room, so that it need not wait for Python."""


@final
class Choices:
    """The splits of the speeds that the present mode has run with."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self._modes: dict[int, Mode] = {}
        self._waiting: list[Chosen] = []
        self._lock = threading.Lock()
        """Held where the table changes: another thread makes room in it."""

    @cached_property
    def _alternatives(self) -> Alternatives:
        """Made when a mode first needs it: a run of bounces that takes a tenth of a millisecond does not."""
        return Alternatives()

    def begin(self, mode: Mode) -> None:
        """Another mode runs from here on."""
        embedded = mode.embedded
        usable = embedded is not None and not embedded.drops and len(embedded.partition.independent) > 0
        with self._lock:
            self._modes = {}
            if embedded is not None and usable and self.simulation.following is None:
                self._modes[0] = mode
                self._alternatives.begin(embedded.solve, mode.cell)
                self.simulation.solver.offer(self._alternatives)

    def knows(self, mode: Mode) -> bool:
        """Whether the kernel may turn to a mode by itself."""
        with self._lock:
            return mode in self._modes.values()

    def improve(self, mode: Mode) -> None:
        """A mode has other equations now, equal but for rounding."""
        with self._lock:
            for number, known in self._modes.items():
                if known is mode and mode.replacement is not None:
                    self._alternatives.improve(number, mode.replacement.cell)

    def make_room(self, mode: Mode) -> None:
        """Let the kernel of a live run have splits that it can use as it needs them; it may be running."""
        for _ in range(SPARE):
            made = self._spare(mode.embedded) if mode.embedded is not None else None
            with self._lock:
                enough = self._alternatives.is_full or self._alternatives.spare >= SPARE
                if made is None or enough or mode not in self._modes.values():
                    return
                self._alternatives.add(made)

    def _spare(self, embedded: Embedded) -> ConstraintSolve:
        return self.simulation.builder.solve_of(embedded.active, embedded.partition)

    # -- what the kernel chose ---------------------------------------------------------------------

    def until(self, steps: int) -> Iterator[tuple[int, float, Mode]]:
        """What the kernel chose before so many steps were taken: the steps before it, the time, the mode from then."""
        if self._modes:
            self._waiting += self._alternatives.take_log()
        while self._waiting and self._waiting[0].steps < steps:
            chosen = self._waiting.pop(0)
            yield chosen.steps, chosen.time, self._mode(chosen.number)

    def _mode(self, number: int) -> Mode:
        if number not in self._modes:  # the kernel found it; the numbers are in its memory
            first, solve = self._modes[0].embedded, self._alternatives.solves[number]
            assert first is not None
            partition = Partition(
                tuple(solve.order.tolist()), tuple(solve.dependent.tolist()), tuple(solve.independent.tolist()), (), ()
            )
            made = self.simulation.builder.around(solve, first.active, first.whole, partition)
            made.name, made.needed, made.ready_seconds = self._modes[0].name, time.perf_counter(), 0.0
            with self._lock:
                self._modes[number] = made
        return self._modes[number]

    def event(self, now: float, before: Mode, after: Mode) -> Event | None:
        """What there is to say about another choice; None where the same speeds stay independent, in another order."""
        assert before.embedded is not None
        assert after.embedded is not None
        chosen = after.embedded.partition
        if set(chosen.dependent) == set(before.embedded.partition.dependent):
            return None
        names = ", ".join(self.simulation.compiled.layout.speeds[r] for r in chosen.independent)
        return Event(now, "reselection", f"independent: {names}", after.name, after.name, {})

    # -- what the kernel asks for ------------------------------------------------------------------

    def answer(self, embedded: Embedded) -> None:
        """The present split has become hard to use: give the kernel another one, or choose for it."""
        asked = self._alternatives.asks() if self._modes else 0
        if not self._modes or asked == LOST or (asked == ROOM and not self._add(embedded)):
            self._choose(embedded)

    def _add(self, embedded: Embedded) -> bool:
        """Let the kernel have the split that it needs here; whether that can be."""
        simulation, builder = self.simulation, self.simulation.builder
        if self._alternatives.is_full:
            return False
        if simulation.embedding != "symbolic":
            self.make_room(simulation.current)
            return True
        active, chosen, _ = self._split(embedded, simulation.solver.state)
        known = [mode.embedded.partition for mode in self._modes.values() if mode.embedded is not None]
        if active is not embedded.active or chosen in known:
            return False
        mode = builder.assemble(active, embedded.whole, chosen, (), True)
        mode.name, mode.needed = simulation.mode, time.perf_counter()
        assert mode.embedded is not None
        self._modes[len(self._alternatives.solves)] = mode
        self._alternatives.add(mode.embedded.solve, mode.cell)
        return True

    def _split(self, embedded: Embedded, state: np.ndarray) -> tuple[ActiveRows, Partition, list[str]]:
        simulation, whole = self.simulation, embedded.whole
        return simulation.builder.split(whole, whole.at(simulation.time, state, simulation.values.vector), state)

    def _choose(self, before: Embedded) -> None:
        """Choose here and now; nothing jumps, for all speeds are known."""
        simulation = self.simulation
        before.solve.flag[0] = simulation.solver.asking[0] = 0
        began, state = time.perf_counter(), simulation.solver.state
        active, chosen, notes = self._split(before, state)
        if chosen == before.partition and not before.drops:
            before.solve.bear()
            return
        old = simulation.current
        mode = simulation.builder.assemble(active, before.whole, chosen, notes, simulation.embedding == "symbolic")
        mode.needed, mode.name, mode.derive_seconds = began, old.name, time.perf_counter() - began
        simulation.go_on_in(mode, state)
        after = mode.embedded
        assert after is not None
        if after.solve.flag[0]:
            after.solve.flag[0] = 0
            after.solve.bear()
        event = self.event(simulation.time, old, mode)
        if event is not None:
            simulation.history.add_event(event)
