"""What a moment of a run asks the system for: the mass matrix, and rows of constraints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, final

import numpy as np

from detent.errors import UnknownNameError

if TYPE_CHECKING:
    from detent.simulation.automaton_run import AutomatonRun


@final
class RunMechanics:
    """Mass matrix and rows of constraints at one state, for a :class:`Moment`."""

    def __init__(self, run: AutomatonRun, state: np.ndarray) -> None:
        self._run, self._state = run, state

    def mass(self) -> np.ndarray:
        run = self._run
        size = len(run.compiled.layout.speeds)
        return run.compiled.mass(run.simulation.time, self._state, run.values.vector).reshape(size, size)

    def rows(self, names: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        run = self._run
        every = {row.name: constraint for constraint in run.constraints() for row in constraint.rows}
        for name in names:
            if name not in every:
                raise UnknownNameError(str(name), every, what="row of a constraint")
        active = run.simulation.workshop.prepare(list(dict.fromkeys(every[name] for name in names)))
        now = active.at(run.simulation.time, self._state, run.values.vector)
        numbers = [next(n for n, row in enumerate(active.rows) if row.name == name) for name in names]
        return now.B[numbers], now.C[numbers]
