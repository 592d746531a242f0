"""Constraints with all speeds kept, solved for in the kernel: what ``projection`` and ``corrected`` have in common.

Rows that follow from others stay, for null space and pseudoinverse decide about the rank at every state; of all
reactions that would do, the smallest are reported. Only where rows slide such rows are dropped, as elsewhere, since
friction asks which of them pushes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, final

import numpy as np

from detent.dynamics.quantities import multiplier_name
from detent.errors import DetentError
from detent.expr.derivative import partial
from detent.formulation.active_rows import ActiveRows, RowValues
from detent.formulation.embedded import LOCKED
from detent.formulation.means import Means
from detent.formulation.node_reactions import NodeReactions
from detent.formulation.running import GO_ON, AlongNodes, Instant, Remark, Running, StepVerdict
from detent.formulation.unexchanged import UnexchangedFormulation
from detent.formulation.workshop import ReducedRows, Workshop
from detent.jit.arrays import Words
from detent.jit.program import Program
from detent.solves.constraint_frame import RESELECT_ABOVE
from detent.solves.full_frame import MANIFOLD
from detent.solves.full_solve import FullSolve, FullSolveMethod

OPENED: Final = 1e-6
"""A row that was dropped has opened when it is violated by more than this, relative to the state."""


@final
class FullRunning:
    """Rows with all speeds, solved for in the kernel."""

    asks: bool = False
    fit: Final = None
    native_seconds: Final = None

    def __init__(
        self, workshop: Workshop, reduced: ReducedRows, whole: ActiveRows, solve: FullSolve, energy: Program | None,
        bounds: tuple[Remark, ...] = (),
    ) -> None:  # fmt: skip
        self.reduced, self.whole, self.partition = reduced, whole, reduced.partition
        self.active = reduced.active if reduced.active.slides else whole
        self.solve, self._energy = solve, energy
        dropped = self.active is not whole
        named = [r.text.replace("and was dropped", "too") for r in reduced.remarks]
        self.remarks: tuple[Remark, ...] = (
            *(reduced.remarks if dropped else (Remark("redundant", text) for text in named)),
            *([] if self.partition.independent else [LOCKED]),
            *bounds,
        )
        self.rates: Words = solve.rates
        self.reactions: Words = solve.reactions
        self.correction: Words = solve.correction
        self.entry: Words = solve.entry
        self._unsolved = workshop.compiled.unsolved
        self._onlooker = NodeReactions(solve, workshop.compiled.unsolved, self.active, whole)

    # -- between steps

    @property
    def is_watched(self) -> bool:
        """Rows that were dropped must go on following from the others."""
        return self.whole is not self.active

    def look(self, instant: Instant) -> StepVerdict:
        _, violation = self.whole.violation(instant.time, instant.state, instant.values)
        self.asks = violation > OPENED
        return StepVerdict(calls=True) if self.asks else GO_ON

    def take_up(self) -> bool:
        """Its code is exchanged where it is."""
        return False

    def compile_later(self) -> None:
        for program in (self._unsolved, self.active.program, self._energy):
            if program is not None:
                program.compile_later()

    # -- afterwards

    def along(self, bounds: np.ndarray, times: np.ndarray, states: np.ndarray, values: np.ndarray) -> AlongNodes:
        return self._onlooker.along(bounds, times, states, values)

    def saved(self) -> dict[str, Any]:
        """Which rows were dropped, what the energy is held to, and the residuals at the start of the step."""
        return {**self.reduced.saved(self.whole), "bound": [RESELECT_ABOVE, 0.0], "numbers": self.solve.kept}


@final
class FullFormulation(UnexchangedFormulation):
    """Has the kernel solve for all speeds, with all rows."""

    def __init__(self, means: Means, method: FullSolveMethod, keeps_energy: bool = False, **numbers: float) -> None:
        self._workshop, self._method, self._keeps_energy, self._numbers = means.workshop, method, keeps_energy, numbers

    @property
    def _remarks(self) -> tuple[Remark, ...]:
        """How well constraints will hold, where that can be told."""
        if self._method.accelerations != MANIFOLD:
            return ()
        mu, boundary = self._numbers["time_constant"], self._numbers["boundary"]
        text = f"Phi within {boundary:.3g}, its rate within {2 * boundary / mu:.3g}, its second rate within "
        return (Remark("bounds", f"{text}{4 * boundary / mu**2:.3g}"),)

    def enter(
        self, active: ActiveRows, instant: Instant, geometry: RowValues, kept: Mapping[str, Any] | None = None
    ) -> FullRunning:
        if self._method.accelerations == MANIFOLD and self._workshop.is_singular(instant):
            raise DetentError(
                f"the mass matrix of '{self._workshop.compiled.equations.system.name}' is singular at t = "
                f"{instant.time:.9g}, where multipliers that are driven would push on nothing; use "
                "formulation='embedded', 'corrected', 'projection' or 'multipliers'"
            )
        made = self._made(self._workshop.entered(active, instant, geometry, kept), active)
        if kept is not None:
            made.solve.keep(kept["numbers"])
        return made

    def _made(self, reduced: ReducedRows, whole: ActiveRows) -> FullRunning:
        workshop, active = self._workshop, reduced.active if reduced.active.slides else whole
        energy = workshop.program_of(active, "energy", self._energy_program) if self._keeps_energy else None
        unsolved = workshop.compiled.unsolved
        solve = FullSolve(
            unsolved.cell, active.program.cell, None if energy is None else energy.cell, workshop.sizes,
            len(active.rows), [i for i, row in enumerate(active.rows) if row.phi is not None], active.slides,
            workshop.quaternions, self._method, self._places(active),
        )  # fmt: skip
        solve.check_outputs(unsolved.size, active.program.size)
        for name, number in self._numbers.items():
            solve.numbers[name] = number
        return FullRunning(workshop, reduced, whole, solve, energy, self._remarks)

    def _places(self, active: ActiveRows) -> list[int]:
        """Where in the state the multipliers of rows are, where they are states."""
        if self._method.accelerations != MANIFOLD:
            return []
        names = self._workshop.compiled.layout.names
        unknown = [row for row in active.names if multiplier_name(row) not in names]
        if unknown:
            raise DetentError(
                f"the constraint '{unknown[0]}' was not declared before the run, and the formulation "
                "'sliding_manifold' carries the multipliers of declared ones in its state; declare it with "
                "active=False, or use formulation='embedded', 'corrected', 'projection' or 'multipliers'"
            )
        return [names.index(multiplier_name(row)) for row in active.names]

    def _energy_program(self) -> Program:
        """T + V, and how T grows with each speed."""
        compiled = self._workshop.compiled
        equations, quantities = compiled.equations, compiled.equations.quantities
        slopes = [partial(equations.kinetic_energy, leaf) for leaf in quantities.u]
        return compiled.program([equations.kinetic_energy + equations.potential_energy, *slopes])

    def ahead(self, active: ActiveRows, instant: Instant) -> FullRunning | None:
        active.program.compile()
        geometry = self._workshop.at(active, instant)
        partition = geometry.partition()
        if len(partition.rows) < len(active.rows):
            return None  # from here one cannot tell which rows will follow from others there
        return self._made(ReducedRows(active, partition), active)

    def begin(self, running: Running) -> None:
        """Nothing is to be prepared."""

    def answer(self, running: Running, instant: Instant) -> Running | None:
        """Rows that were dropped have opened: others are to be dropped, if any."""
        return self.enter(running.whole, instant, self._workshop.at(running.whole, instant))
