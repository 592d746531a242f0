"""Constraints by a sliding manifold: multipliers are states that a controller drives (Pedrami, (26) to (42)).

    M u' = f + B'^T z,        z' = -J^+ (alpha + K sat(s/epsilon)),        s = mu^2 w'' + 2 mu w' + w

w is what a row of the configuration is violated by; for one of the motion s = mu w' + w. J is the slope of s along z;
of alpha, the rate of s that z' does not bring, the part mu^2 sigma with the third derivative is left to the gain K.
While K outweighs it s stays within epsilon, and with it

    |w| <= epsilon,    |w'| <= 2 epsilon/mu,    |w''| <= 4 epsilon/mu^2

(the power of mu is missing in (42) as printed; the sharp constants are 1, 0.7358 and 2.2707). z starts as the
multipliers of index 1, so that s starts at zero. J^+ is a pseudoinverse: rows may follow from others. A step that ends
outside the layer ends the run: bounds that do not hold are not reported.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, final

from detent.errors import ValueProblem
from detent.formulation.full import FullFormulation
from detent.formulation.means import Means
from detent.solves import full_frame as at
from detent.solves.full_solve import FullSolveMethod
from detent.stepping.tableau import CLASSICAL_STABLE_UP_TO


@final
@dataclass(frozen=True)
class SlidingManifold:
    """Active constraints by a sliding manifold: mu (``time_constant``, s), epsilon (``boundary``) and K (``gain``).

    The boundary has the unit of the rows, the gain that per second. Steps of fixed size must be shorter than 2.785
    times mu and epsilon/K.

    >>> import detent
    >>> loose = detent.SlidingManifold(time_constant=0.01, boundary=1e-3, gain=0.1)
    >>> run = detent.example("slider-crank").simulate(until=1, formulation=loose)
    >>> run.audit.position_residual < 1e-3
    True
    """

    time_constant: float = 1e-3
    boundary: float = 1e-5
    gain: float = 1e-2
    name: ClassVar[str] = "sliding_manifold"
    carries: ClassVar[bool] = True
    owns_contacts: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for name in ("time_constant", "boundary", "gain"):
            value = getattr(self, name)
            if isinstance(value, (str, bool)) or not 0.0 < value < math.inf:
                raise ValueProblem(f"the {name} of SlidingManifold is {value!r}; give a finite number greater than 0")

    @property
    def misses(self) -> tuple[float, float]:
        """The bounds of w and w'.

        >>> SlidingManifold(time_constant=0.5, boundary=1e-6).misses
        (1e-06, 4e-06)
        """
        return self.boundary, 2.0 * self.boundary / self.time_constant

    @property
    def longest_step(self) -> float:
        """The step of the classical Runge-Kutta method up to which the controller is stable, s.

        >>> SlidingManifold(time_constant=0.1, boundary=1e-4, gain=1e-2).longest_step
        0.02785
        """
        return CLASSICAL_STABLE_UP_TO * min(self.time_constant, self.boundary / self.gain)

    def of_run(self, means: Means) -> FullFormulation:
        """Handles the constraints of one run."""
        if means.solver.fixed_step > self.longest_step:
            raise ValueProblem(
                f"the step is {means.solver.fixed_step:.6g} s, and the sliding manifold is stable up to "
                f"{self.longest_step:.6g} s, 2.785 times the smaller of time_constant and boundary/gain; take a "
                "shorter step, a larger time_constant or a smaller gain, or formulation='corrected', which has no such "
                "bound"
            )
        return FullFormulation(
            means, FullSolveMethod(at.MANIFOLD), time_constant=float(self.time_constant), boundary=float(self.boundary),
            gain=float(self.gain),
        )  # fmt: skip
