"""Constraints by projection: accelerations along the null space of the rows, states projected back after each step.

    u' = Z w' + c,        B Z = 0,    B c = gamma,    Z^T M Z w' = Z^T (f - M c)

All speeds stay, and Z is worked out anew at every state: by singular values, by QR or by LU, which differ in cost and
in how they see a rank that is nearly lost, not in the motion. After a step positions and speeds are moved onto the
constraints by the smallest change, measured by M.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, final

from detent.algebra import decomposition_frame
from detent.errors import ValueProblem
from detent.formulation.full import FullFormulation
from detent.formulation.means import Means
from detent.solves import full_frame as at
from detent.solves.full_solve import FullSolveMethod

NULL_SPACES: Final = {"svd": decomposition_frame.SVD, "qr": decomposition_frame.QR, "lu": decomposition_frame.LU}


@final
@dataclass(frozen=True)
class Projection:
    """Active constraints by projection onto their null space, found by ``"svd"``, ``"qr"`` (default) or ``"lu"``.

    >>> import detent
    >>> run = detent.example("slider-crank").simulate(until=1, formulation=detent.Projection(null_space="svd"))
    >>> run.audit.position_residual < 1e-14
    True
    """

    null_space: str = "qr"
    name: ClassVar[str] = "projection"
    carries: ClassVar[bool] = False
    misses: ClassVar[tuple[float, float]] = (0.0, 0.0)
    owns_contacts: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.null_space not in NULL_SPACES:
            raise ValueProblem(
                f"the null_space of Projection is {self.null_space!r}; use one of {', '.join(NULL_SPACES)}"
            )

    def of_run(self, means: Means) -> FullFormulation:
        """Handles the constraints of one run."""
        return FullFormulation(means, FullSolveMethod(at.NULL_SPACE, NULL_SPACES[self.null_space]))
