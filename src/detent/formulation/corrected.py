"""Constraints corrected explicitly, once at the end of each step (Braun and Goldfarb 2012, Part II).

With M = R^T R, C = A R^-1 for the rows A, and pseudoinverses, the accelerations are those of index 1,

    v' = a + R^-1 C_v^+ (b_v - A_v a),        M a = Q

and at the end of a step, after the position and again after the speeds were corrected,

    q <- q - R^-1 C_q^+ Phi_q,    v <- v - R^-1 C_v^+ (Phi_q'; Phi_v),    v <- v - R^-1 (C_e N_v)^+ Phi_e

the last where an energy is to be kept and |C_e N_v|^2 > 1e-6, N_v = 1 - C_v^+ C_v. Nothing is iterated. The paper puts
the residuals, divided by the step, into the rates, (1) and (2) there: ``residuals="literal"`` takes each stage's own,
which costs Runge-Kutta methods an order, ``residuals="frozen"`` those that there were at the start of the step.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Final, final

from detent.errors import ValueProblem
from detent.formulation.full import FullFormulation
from detent.formulation.means import Means
from detent.solves import full_frame as at
from detent.solves.full_solve import FullSolveMethod

RESIDUALS: Final = {"end": at.AT_END, "literal": at.IN_STAGES, "frozen": at.FROZEN}


@final
@dataclass(frozen=True)
class Corrected:
    """Active constraints by Braun and Goldfarb's explicit correction; with ``energy`` also T + V less the work.

    ``residuals`` says where they are taken out: at the ``"end"`` of each step, or for comparison in each stage as the
    paper prints it (``"literal"``), or in each stage as they were at the step's start (``"frozen"``).

    >>> import detent
    >>> run = detent.example("slider-crank").simulate(until=1, formulation=detent.Corrected(energy=True))
    >>> run.audit.energy_balance < 1e-12
    True
    """

    energy: bool = False
    residuals: str = "end"
    name: ClassVar[str] = "corrected"
    carries: ClassVar[bool] = False
    misses: ClassVar[tuple[float, float]] = (0.0, 0.0)
    owns_contacts: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.energy not in (True, False):
            raise ValueProblem(f"the energy of Corrected is {self.energy!r}; use True or False")
        if self.residuals not in RESIDUALS:
            raise ValueProblem(f"the residuals of Corrected are {self.residuals!r}; use one of {', '.join(RESIDUALS)}")
        if self.energy and self.residuals != "end":
            raise ValueProblem(
                f"Corrected keeps the energy at the end of a step only, and its residuals are {self.residuals!r}; "
                'use residuals="end", or energy=False'
            )

    def of_run(self, means: Means) -> FullFormulation:
        """Handles the constraints of one run."""
        placing, pull = RESIDUALS[self.residuals], 0.0
        if placing != at.AT_END:
            self._check(means)
            pull = 1.0 / means.solver.fixed_step
        return FullFormulation(means, FullSolveMethod(placing=placing, corrections=1), bool(self.energy), pull=pull)

    def _check(self, means: Means) -> None:
        if means.solver.fixed_step == 0.0:
            raise ValueProblem(
                f'residuals="{self.residuals}" divides by the step, which a method with controlled steps changes; use '
                'method="rk4" with a step, or residuals="end"'
            )
        if self.residuals == "frozen" and not means.alone:
            raise ValueProblem(
                'residuals="frozen" needs steps that are never shortened, and events shorten them; use residuals="end" '
                'or "literal", or another formulation, for an automaton'
            )
