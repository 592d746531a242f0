"""Modes that may come next, derived in the background while another one runs (Gillespie et al. 2006, Figure 11)."""

from __future__ import annotations

import math
import time
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from detent.events import event_frame as at
from detent.formulation.running import Instant
from detent.hybrid.mode import HybridMode
from detent.hybrid.transition import Transition
from detent.jit.calling import call_once
from detent.jit.program import in_background
from detent.simulation.mode import Mode, ModeTimes
from detent.simulation.undisturbed import undisturbed

if TYPE_CHECKING:
    from detent.simulation.automaton_run import AutomatonRun


class Prefetcher:
    """Derives and compiles what the modes that can be reached will need; the nearest in time first.

    A mode built ahead is entered only if the same dependent speeds would be chosen at its entry: a run gives the same
    bits with it and without it.
    """

    def __init__(self, run: AutomatonRun) -> None:
        self.run = run
        self._asked: set[HybridMode] = set()
        self._better: dict[HybridMode, Mode] = {}
        """Modes built once more, since other dependent speeds seem better now."""

    def look_ahead(self) -> None:
        """Have the modes prepared that the present one leads to."""
        run = self.run
        state, now = run.simulation.solver.state, run.simulation.time
        for transition in sorted(run.automaton.leaving(run.current), key=self.seconds_to):
            for mode in (transition.target, transition.accumulates):
                if mode is not None and mode not in self._asked and not self._fits(mode, now, state):
                    self._asked.add(mode)
                    in_background(partial(self._prepare, mode, now, state))

    def _fits(self, mode: HybridMode, now: float, state: np.ndarray) -> bool:
        """Whether a mode has been entered, or was built ahead with the dependent speeds that still seem best."""
        built = self.run.built.get(mode)
        if built is None:
            return False
        fit = built.running.fit
        if fit is None or not built.prefetched or mode in self.run.visited:
            return True
        return call_once(fit, now, state, self.run.values.vector, np.empty(1)) == 0

    def prepare_all(self, now: float, state: np.ndarray) -> None:
        """Prepare every mode that is declared, now."""
        for mode in self.run.modes:
            self._asked.add(mode)
            self._prepare(mode, now, state)

    def seconds_to(self, transition: Transition) -> float:
        """When a guard will pass zero if it goes on as it does now, s from now; infinite if it moves away."""
        run = self.run
        place = run.plans.place(transition)
        seen = run.memory.start
        if place is None or len(seen) <= place:
            return math.inf
        value, slope = (float(seen[which][place]) for which in ("value", "first"))
        return -value / slope if value * slope < 0.0 else math.inf

    def _prepare(self, mode: HybridMode, now: float, state: np.ndarray) -> None:
        run = self.run
        simulation = run.simulation
        with undisturbed(set_aside=simulation.embedding == "live"):
            rows: tuple[str, ...] = ()
            began, running = time.perf_counter(), simulation.free.running
            if mode.constraints:
                active = simulation.workshop.prepare(list(mode.constraints))
                with run.compiled.equations.lock:
                    speaks = run.plans.speaks_of_reactions(mode)
                if speaks:
                    rows = active.names
                ahead = simulation.formulation.ahead(active, Instant(now, state, run.values.vector.copy()))
                if ahead is None:
                    return
                running = ahead
            with run.compiled.equations.lock:
                observer = run.plans.observer(mode, rows, len(run.plans.guards(mode).nodes))
            observer.compile()
            spare = Mode(mode.name, running, 0.0, ModeTimes(began), prefetched=True)
            with run.compiled.equations.lock:
                if mode not in run.built:
                    run.install(mode, spare, at.AHEAD)  # the kernel looks at nothing else of a mode that is not ready
                else:
                    self._better[mode] = spare
                    simulation.solver.stop()
                self._asked.discard(mode)

    def hand_over(self) -> None:
        """Between two calls of the kernel: let it know modes that were built again, unless they have been entered."""
        better, self._better = self._better, {}
        for mode, spare in better.items():
            if mode not in self.run.visited and not self.run.memory.was_entered(self.run.modes.index(mode)):
                self.run.install(mode, spare, at.AHEAD)
