"""Makes the modes of a run, each for the instant at which it is entered."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, final

from detent.model.constraint import FREE, mode_name
from detent.simulation.running_mode import ModeTimes, RunningMode

if TYPE_CHECKING:
    from detent.formulation.active_rows import ActiveRows, RowValues
    from detent.formulation.running import Instant, Running
    from detent.hybrid.mode import Mode
    from detent.model.constraint import Constraint
    from detent.simulation.context import Context
    from detent.simulation.shared_running import SharedRunning


@final
class ModeMaker:
    """Has the formulation of a run handle constraints, and gives the result a name."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def free(self, declared: Mode | None = None, needed: float | None = None) -> RunningMode:
        """A mode in which nothing is constrained."""
        context = self._context
        name = FREE if declared is None else declared.name
        times = ModeTimes(context.began if needed is None else needed)
        return RunningMode(name, context.free, context.compiled.derive_seconds, times, declared)

    def make(
        self, constraints: Sequence[Constraint], instant: Instant, needed: float, *, geometry: RowValues | None = None,
        declared: Mode | None = None, kept: Mapping[str, Any] | None = None,
    ) -> RunningMode:  # fmt: skip
        """The mode of some constraints at an instant; ``needed`` is when the need for it arose.

        ``declared`` is the automaton's mode that it is, ``kept`` what was saved of it.
        """
        if not constraints and not self._context.owns_contacts:
            return self.free(declared, needed)
        began, workshop = time.perf_counter(), self._context.workshop
        active = workshop.prepare(list(constraints))
        if declared is not None and declared.shares:
            running: Running = self._sharing(declared, active, instant, kept)
        else:
            running = self._context.formulation.enter(active, instant, geometry or workshop.at(active, instant), kept)
        name = mode_name(constraints) if declared is None else declared.name
        return RunningMode(name, running, time.perf_counter() - began, ModeTimes(needed), declared)

    def _sharing(
        self, mode: Mode, active: ActiveRows, instant: Instant, kept: Mapping[str, Any] | None
    ) -> SharedRunning:
        """Contacts that share their forces run by the kernel that knows how."""
        workshop, contacts = self._context.workshop, self._context.contacts
        assert contacts is not None
        if kept is None:
            reduced = workshop.reduce(active, workshop.at(active, instant), instant.state)
        else:
            reduced = workshop.reduce_as(active, kept)
        from detent.simulation.shared_running import SharedRunning  # only contacts share

        return SharedRunning(workshop, contacts, mode, active, reduced, None if kept is None else kept["bound"])

    def watching(self, mode: Mode, kept: Mapping[str, Any] | None) -> Running:
        """What works out reactions in a mode of contacts with a choice of dependent speeds, and has no equations."""
        if kept is None:
            return self._context.free
        workshop = self._context.workshop
        active = workshop.prepare(list(mode.constraints))
        if mode.shares:
            return self._sharing(mode, active, self._context.instant, kept)
        from detent.formulation.embedded import EmbeddedRunning  # a run may have another formulation, or nothing held

        reduced = workshop.reduce_as(active, kept)
        solve = workshop.solve_of(reduced.active, reduced.partition)
        return EmbeddedRunning(workshop, reduced, active, solve)

    def again(self, mode: RunningMode, running: Running, needed: float) -> RunningMode:
        """The same mode with something else that runs in it."""
        return RunningMode(mode.name, running, time.perf_counter() - needed, ModeTimes(needed), mode.declared)
