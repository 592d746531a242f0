"""What a moment of a run asks the system for: the mass matrix, and rows of constraints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

import numpy as np

from detent.errors import UnknownNameError
from detent.model.constraint import Constraint
from detent.simulation.context import Context


@final
class RunMechanics:
    """Mass matrix and rows of constraints at one state, for a :class:`Moment`."""

    def __init__(self, context: Context, constraints: Sequence[Constraint], state: np.ndarray) -> None:
        self._context, self._constraints, self._state = context, constraints, state

    def mass(self) -> np.ndarray:
        context = self._context
        size = len(context.compiled.layout.speeds)
        return context.compiled.mass(context.time, self._state, context.values.vector).reshape(size, size)

    def rows(self, names: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
        context = self._context
        every = {row.name: constraint for constraint in self._constraints for row in constraint.rows}
        for name in names:
            if name not in every:
                raise UnknownNameError(str(name), every, what="row of a constraint")
        active = context.workshop.prepare(list(dict.fromkeys(every[name] for name in names)))
        now = active.at(context.time, self._state, context.values.vector)
        numbers = [next(n for n, row in enumerate(active.rows) if row.name == name) for name in names]
        return now.B[numbers], now.C[numbers]
