"""Faster code for the modes that stay: made in the background, taken up between two steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, final
from weakref import WeakSet

from detent.jit.background import in_background
from detent.simulation.undisturbed import undisturbed

if TYPE_CHECKING:
    from detent.simulation.context import Context
    from detent.simulation.director import Director
    from detent.simulation.running_mode import RunningMode
    from detent.simulation.standing import Standing


@final
class FasterCode:
    """Has machine code made of a run's modes, and in a live run whatever its formulation can do better."""

    def __init__(self, context: Context, standing: Standing, director: Director) -> None:
        self._formulation, self._solver, self._live = context.formulation, context.solver, context.is_live
        self._standing, self._director = standing, director
        self._asked: WeakSet[RunningMode] = WeakSet()
        self._looked_at: Sequence[RunningMode] = ()

    def note_steps(self, mode: RunningMode, steps: int) -> None:
        """Steps were taken in a mode: once it has shown that it stays, have faster code made for those to come."""
        before = mode.times.steps
        mode.times.count(steps)
        enough = 2 if self._live else self._director.worth_compiling if mode.running.active.rows else 1
        if not before < enough <= mode.times.steps:
            return
        if self._formulation.runs_long(mode.running):
            in_background(lambda: self._improve(mode))
            return
        self._director.compile_later()
        mode.running.compile_later()

    def make_now(self, modes: Sequence[RunningMode]) -> None:
        """Have machine code made of modes that a servo may run, each once: they need not show that they stay."""
        if modes == self._looked_at:
            return
        self._looked_at = modes
        new = [mode for mode in modes if mode not in self._asked]
        for mode in new:
            self._asked.add(mode)
            mode.running.compile_later()
        if new:
            self._director.compile_later()

    def _improve(self, mode: RunningMode) -> None:
        """In the background: have the formulation make faster code, unless the mode has been left meanwhile."""
        if mode is self._standing.mode or self._formulation.knows(mode.running):
            with undisturbed(set_aside=True):
                self._formulation.improve(mode.running)

    def take_up(self) -> None:
        """Run the present mode with the code that was made for it, if there is some."""
        mode = self._standing.mode
        correction = mode.running.correction
        if mode.running.take_up():
            other = mode.running.correction
            self._solver.exchange(mode.running.rates, mode, None if other is correction else other)
            self._director.install()
