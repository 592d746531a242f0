"""Contacts by repeated impulses: bodies fly freely along a step, and collide at its end, however slowly.

Hahn (1988), Mirtich and Canny (1994): there is one model for all kinds of contact, the collision. What rests is hit
once a step, by as much as gravity gave it; so its normal velocity chatters, by an amount that falls with the step
(Pedrami, Figure 12), and what should stick creeps by what it falls along the slope in a step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from detent.contact_solves.step_frame import PushedBy
from detent.errors import ValueProblem
from detent.formulation.contact_steps import ContactStepsFormulation, check_settings
from detent.formulation.means import Means


@final
@dataclass(frozen=True)
class Impulse:
    """Contacts by impulses at the end of each step of fixed size; constraints as in ``projection``.

    Collisions that are no faster than two steps of free flight make them are micro-collisions, with this
    ``restitution``; faster ones have that of their contact, by Newton's rule. A place on a face that has an end counts
    down to the depth ``reach`` (m).

    >>> import detent
    >>> run = detent.example("rocking-block").simulate(until=1, formulation="impulse", method="rk4", step=1e-3)
    >>> len(run.events), run.audit.smallest_gap > -0.002
    (0, True)
    """

    restitution: float = 0.1
    reach: float = 0.05
    name: ClassVar[str] = "impulse"
    carries: ClassVar[bool] = False
    misses: ClassVar[tuple[float, float]] = (0.0, 0.0)
    owns_contacts: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_settings(self, ["restitution", "reach"])
        if self.restitution > 1.0:
            raise ValueProblem(f"the restitution of Impulse is {self.restitution!r}; give a number from 0 to 1")

    def of_run(self, means: Means) -> ContactStepsFormulation:
        """Handles the constraints and contacts of one run."""
        return ContactStepsFormulation(means, self.name, PushedBy.IMPULSES, float(self.reach), float(self.restitution))
