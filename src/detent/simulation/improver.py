"""Faster code for the modes that stay: made in the background, taken up between two steps."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

from detent.jit.program import in_background
from detent.simulation.mode import Mode
from detent.simulation.undisturbed import undisturbed

if TYPE_CHECKING:
    from detent.simulation.simulation import Simulation

WORTH_COMPILING = 200
"""A constrained mode is compiled after so many steps: one that is left sooner would only keep a processor busy."""
WORTH_COMPILING_AGAIN = 20
"""The same for the modes of an automaton, which are likely to be entered again."""


@final
class Improver:
    """Has machine code made of a simulation's modes, and in a live run whatever its formulation can do better."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.live = simulation.embedding == "live"

    def note_steps(self, mode: Mode, steps: int) -> None:
        """Steps were taken in a mode: once it has shown that it stays, have faster code made for those to come."""
        before = mode.times.steps
        mode.times.count(steps)
        usual = WORTH_COMPILING if self.simulation.following is None else WORTH_COMPILING_AGAIN
        enough = 2 if self.live else usual if mode.running.active.rows else 1
        if not before < enough <= mode.times.steps:
            return
        if self.simulation.formulation.runs_long(mode.running):
            in_background(lambda: self._improve(mode))
            return
        if self.simulation.following is not None:
            self.simulation.following.plans.compile_later()
        mode.running.compile_later()

    def _improve(self, mode: Mode) -> None:
        """In the background: have the formulation make faster code, unless the mode has been left meanwhile."""
        simulation, running = self.simulation, mode.running
        if mode is simulation.current or simulation.formulation.knows(running):
            with undisturbed(set_aside=True):
                simulation.formulation.improve(running)

    def swap(self, mode: Mode) -> bool:
        """Take up the code that was made for a mode; whether there was any."""
        if not mode.running.take_up():
            return False
        self.simulation.solver.exchange(mode.running.rates, mode)
        return True
