"""What a formulation has at hand in one run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from detent.formulation.compiled import Embedding
from detent.formulation.workshop import Workshop
from detent.hybrid.contact_place import Place
from detent.stepping.solver import Solver


class OwnContacts(Protocol):
    """The contacts of a run whose formulation handles them by itself."""

    @property
    def places(self) -> tuple[Place, ...]:
        """All places where shapes may touch."""


@dataclass(frozen=True, eq=False)
class Means:
    """The workshop for rows and programs, the stepper, and how rates are to be solved for."""

    workshop: Workshop
    solver: Solver
    embedding: Embedding
    alone: bool
    """Whether no automaton is followed, so that the kernel may turn to something equal by itself."""
    contacts: OwnContacts | None = None
    """The contacts that the formulation is to handle; None where there are none, or events do."""
