"""Residuals and reactions at nodes that have been passed, worked out beside the thread that steps."""

from __future__ import annotations

import threading
from dataclasses import replace
from functools import cached_property
from typing import Protocol, final

import numpy as np

from detent.formulation.active_rows import ActiveRows
from detent.formulation.running import AlongNodes
from detent.jit.arrays import Words
from detent.jit.calling import call_stretches
from detent.jit.program import Program


class ReactionSolver(Protocol):
    """What solves for reactions by programs that it is given."""

    def reactions_by(self, unsolved: Words, constraints: Words) -> Words:
        """The cell that gives the reactions, by these copies of its programs."""


@final
class NodeReactions:
    """Looks at rows and at what solves for their reactions, with copies of all programs; made when first needed."""

    def __init__(self, solve: ReactionSolver, unsolved: Program, active: ActiveRows, whole: ActiveRows) -> None:
        self._solve, self._unsolved, self._active, self._whole = solve, unsolved, active, whole
        self._looking = threading.Lock()

    @cached_property
    def _watching(self) -> ActiveRows:
        return replace(self._whole, program=self._whole.program.clone())

    @cached_property
    def _programs(self) -> tuple[Program, Program]:
        return self._unsolved.clone(), self._active.program.clone()

    @cached_property
    def _reactions(self) -> Words:
        return self._solve.reactions_by(*(program.cell for program in self._programs))

    def along(self, bounds: np.ndarray, times: np.ndarray, states: np.ndarray, values: np.ndarray) -> AlongNodes:
        """Residuals of all rows, and the reactions of those that have one."""
        out = np.empty((len(times), len(self._active.rows)))
        with self._looking:
            worst = self._watching.residuals(bounds, times, states, values)
            call_stretches(self._reactions, bounds, times, states, values, out)
        return AlongNodes(*worst, out)
