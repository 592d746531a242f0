"""What a formulation has at hand in one run."""

from __future__ import annotations

from dataclasses import dataclass

from detent.formulation.compiled import Embedding
from detent.formulation.workshop import Workshop
from detent.stepping.solver import Solver


@dataclass(frozen=True, eq=False)
class Means:
    """The workshop for rows and programs, the stepper, and how rates are to be solved for."""

    workshop: Workshop
    solver: Solver
    embedding: Embedding
    alone: bool
    """Whether no automaton is followed, so that the kernel may turn to something equal by itself."""
