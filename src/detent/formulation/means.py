"""What a formulation has at hand in one run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from detent.contact_solves.step_frame import PushedBy
    from detent.contact_solves.stepping import ContactSteps
    from detent.formulation.active_rows import ActiveRows
    from detent.formulation.compiled import Embedding
    from detent.formulation.workshop import Workshop
    from detent.hybrid.contact_place import Place
    from detent.jit.arrays import Words
    from detent.stepping.solver import Solver


class OwnContacts(Protocol):
    """The contacts of a run whose formulation handles them by itself."""

    @property
    def places(self) -> tuple[Place, ...]:
        """All places where shapes may touch."""

    @property
    def row_names(self) -> tuple[str, ...]:
        """The names of their rows, place by place: of the normal, and of friction along each tangent."""

    def steps(
        self, active: ActiveRows, by: PushedBy, step: float, restitution: float, deepest: Sequence[float],
        correction: Words | None,
    ) -> ContactSteps:  # fmt: skip
        """What has them push once a step beside constraints, with memory and programs of its own."""


@dataclass(frozen=True, eq=False)
class Means:
    """The workshop for rows and programs, the stepper, and how rates are to be solved for."""

    workshop: Workshop
    solver: Solver
    embedding: Embedding
    alone: bool
    """Whether no automaton is followed, so that the kernel may turn to something equal by itself."""
    touches: bool = False
    """Whether contacts are found and settled by events."""
    contacts: OwnContacts | None = None
    """The contacts that the formulation is to handle; None where there are none, or events do."""
