"""Contacts by unilateral forces from the problem of complementarity at accelerations, once a step.

At the start of a step the forces of all contacts that touch and do not part solve the cone problem of accelerations,

    F in its cone,   a_n >= 0,   F_n a_n = 0,   friction against the slip, or holding it,        a = J J^T F + b

and act all along it. At its end impulses see to what cannot wait: contacts that have met, slip that has turned round.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

from detent.contact_solves.step_frame import PushedBy
from detent.formulation.contact_steps import ContactStepsFormulation, check_settings
from detent.formulation.means import Means


@final
@dataclass(frozen=True)
class Complementarity:
    """Contacts by forces that are found at the start of each step of fixed size; constraints as in ``projection``.

    A contact meets, lifts off, slips and sticks at the ends of steps, without events; restitution is Newton's, whatever
    the law of a contact. A place on a face that has an end counts down to the depth ``reach`` (m).

    >>> import detent
    >>> run = detent.example("rocking-block").simulate(until=1, formulation="complementarity", method="rk4", step=1e-3)
    >>> len(run.events), run.audit.smallest_gap > -0.002
    (0, True)
    """

    reach: float = 0.05
    name: ClassVar[str] = "complementarity"
    carries: ClassVar[bool] = False
    misses: ClassVar[tuple[float, float]] = (0.0, 0.0)
    owns_contacts: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_settings(self, ["reach"])

    def of_run(self, means: Means) -> ContactStepsFormulation:
        """Handles the constraints and contacts of one run."""
        return ContactStepsFormulation(means, self.name, PushedBy.FORCES, float(self.reach))
