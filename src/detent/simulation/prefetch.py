"""Modes that may come next, derived in the background while another one runs (Gillespie et al. 2006, Figure 11)."""

from __future__ import annotations

import math
import time
from functools import partial
from typing import final

import numpy as np

from detent.events.event_frame import Readiness
from detent.formulation.running import Instant, Running
from detent.hybrid.mode import Mode
from detent.hybrid.transition import Transition
from detent.jit.background import in_background
from detent.jit.calling import call_once
from detent.simulation.automaton_tables import AutomatonTables
from detent.simulation.context import Context
from detent.simulation.running_mode import ModeTimes, RunningMode
from detent.simulation.standing import Standing
from detent.simulation.undisturbed import undisturbed


@final
class Prefetcher:
    """Derives and compiles what the modes that can be reached will need; the nearest in time first.

    A mode built ahead is entered only if the same dependent speeds would be chosen at its entry: a run gives the same
    bits with it and without it.
    """

    def __init__(self, context: Context, standing: Standing, tables: AutomatonTables) -> None:
        self._context, self._standing, self._tables = context, standing, tables
        self._asked: set[Mode] = set()
        self._better: dict[Mode, RunningMode] = {}
        """Modes built once more, since other dependent speeds seem better now."""

    def look_ahead(self) -> None:
        """Have the modes prepared that the present one leads to."""
        instant, current = self._context.instant, self._standing.mode.declared
        assert current is not None
        for transition in sorted(self._tables.automaton.leaving(current), key=self.seconds_to):
            if transition.family:
                continue  # where it leads shows when it is taken
            for mode in (transition.target, transition.accumulates):
                if mode is not None and mode not in self._asked and not self._fits(mode, instant):
                    self._asked.add(mode)
                    in_background(partial(self._prepare, mode, instant))

    def _fits(self, mode: Mode, instant: Instant) -> bool:
        """Whether a mode has been entered, or was built ahead with the dependent speeds that still seem best."""
        built = self._tables.built.get(mode)
        if built is None:
            return False
        fit = built.running.fit
        if fit is None or not built.prefetched or mode in self._tables.visited:
            return True
        return call_once(fit, instant.time, instant.state, instant.values, np.empty(1)) == 0

    def prepare_all(self, instant: Instant) -> None:
        """Prepare every mode that is declared, now."""
        for mode in self._tables.modes:
            self._asked.add(mode)
            self._prepare(mode, instant)

    def prepare_all_now(self) -> None:
        """The same where the run stands, but for modes that are there."""
        for mode in self._tables.modes:
            if mode not in self._tables.built and not mode.shares:
                self._prepare(mode, self._context.instant)

    def seconds_to(self, transition: Transition) -> float:
        """When a guard will pass zero if it goes on as it does now, s from now; infinite if it moves away."""
        current = self._standing.mode.declared
        place = None if current is None else self._tables.plans.place(current, transition)
        seen = self._tables.memory.start
        if place is None or len(seen) <= place:
            return math.inf
        value, slope = (float(seen[which][place]) for which in ("value", "first"))
        return -value / slope if value * slope < 0.0 else math.inf

    def _prepare(self, mode: Mode, instant: Instant) -> None:
        context, tables, began = self._context, self._tables, time.perf_counter()
        lock, plans = context.compiled.equations.lock, tables.plans
        with undisturbed(set_aside=context.is_live):
            rows: tuple[str, ...] = ()
            running: Running | None = context.free
            if mode.constraints:
                active = context.workshop.prepare(list(mode.constraints))
                with lock:
                    rows = active.names if plans.speaks_of_reactions(mode) else ()
                now = Instant(instant.time, instant.state, instant.values.copy())
                running = context.formulation.ahead(active, now)
            if running is None:
                return
            with lock:
                observer = plans.observer(mode, rows, len(plans.guards(mode).nodes))
            observer.compile()
            took = time.perf_counter() - began
            spare = RunningMode(mode.name, running, took, ModeTimes(began), mode, prefetched=True)
            with lock:
                if mode not in tables.built:
                    tables.install(mode, spare, Readiness.AHEAD)  # the kernel looks at nothing else of a mode not ready
                else:
                    self._better[mode] = spare
                    context.solver.stop()
                self._asked.discard(mode)

    def hand_over(self) -> None:
        """Between two calls of the kernel: let it know modes that were built again, unless they have been entered."""
        better, self._better = self._better, {}
        for mode, spare in better.items():
            tables = self._tables
            if mode not in tables.visited and not tables.memory.was_entered(tables.modes.index(mode)):
                tables.install(mode, spare, Readiness.AHEAD)
