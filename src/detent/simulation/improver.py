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
    """Has machine code made of a simulation's modes, and in a live run their embedded equations."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.live = simulation.embedding == "live"

    def note_steps(self, mode: Mode, steps: int) -> None:
        """Steps were taken in a mode: once it has shown that it stays, have faster code made for those to come."""
        before, mode.steps = mode.steps, mode.steps + steps
        usual = WORTH_COMPILING if self.simulation.following is None else WORTH_COMPILING_AGAIN
        enough = 2 if self.live else 1 if mode.embedded is None else usual
        if not before < enough <= mode.steps:
            return
        if mode.embedded is not None and mode.program is None and self.live:
            in_background(lambda: self._embed(mode))
            return
        if self.simulation.following is not None:
            self.simulation.following.plans.compile_later()
        if mode.program is not None:
            mode.program.compile_later()
        if mode.embedded is not None:
            mode.embedded.active.program.compile_later()

    def _embed(self, mode: Mode) -> None:
        """In the background: derive and compile a mode's equations; the stepper takes them up between two steps."""
        simulation = self.simulation
        if mode.embedded is not None and (mode is simulation.current or simulation.choices.knows(mode)):
            with undisturbed(set_aside=True):
                simulation.choices.make_room(mode)
                mode.embedded.active.program.compile()
                program = simulation.builder.equations_of(mode.embedded.active, mode.embedded.partition)
                program.compile()
            mode.replacement = program
            simulation.choices.improve(mode)
            simulation.solver.exchange_soon(mode.cell, program.cell)

    def swap(self, mode: Mode) -> bool:
        """Take up the equations that were made for a mode; whether there were any."""
        if mode.program is not None or mode.replacement is None or not mode.replacement.is_native:
            return False
        mode.program = mode.replacement
        mode.cell = mode.program.cell
        self.simulation.solver.exchange(mode.cell, mode)
        return True
