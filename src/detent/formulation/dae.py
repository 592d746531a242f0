"""Constraints as differential-algebraic equations, given to solvers made for these.

The equations are those of :mod:`detent.formulation.dae_equations`, of index 1, 2 (stabilised) or 3. SUNDIALS IDA takes
the first two, Radau IIA all. The solvers find the multipliers with the state, and leave them out of their error tests:
those of index 2 and 3 come with an error that grows as steps are cut, so that testing it would cut steps for ever.
Reactions are worked out at each node from the state there, and do not carry that error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, final

import numpy as np
from numpy.typing import NDArray

from detent.errors import DetentError, ValueProblem
from detent.formulation.active_rows import ActiveRows, RowValues
from detent.formulation.dae_equations import DaeEquations, Index
from detent.formulation.dae_steps import DaeSteps, Maker, Problem, Tolerances
from detent.formulation.free import FreeRunning
from detent.formulation.ida_integrator import IdaMaker
from detent.formulation.means import Means
from detent.formulation.multipliers import MultipliersFormulation, MultipliersRunning, MultipliersSettings
from detent.formulation.radau_integrator import RadauMaker
from detent.formulation.running import Instant, Running
from detent.formulation.unexchanged import UnexchangedFormulation
from detent.jit.address import raw_address

SOLVERS: Final[dict[str, type[IdaMaker] | type[RadauMaker]]] = {"ida": IdaMaker, "radau": RadauMaker}
SPEEDS_IN_INDEX_3: Final = 3 / 5
"""The power of a position's absolute tolerance that is a speed's: in index 3 Radau IIA has order five in positions and
three in speeds (Hairer, Lubich and Roche, 1989). Were it the same, rounding divided by the step would exceed it."""
OTHERS: Final = "formulation='embedded', 'corrected', 'projection' or 'multipliers'"


@final
class DaeFormulation(UnexchangedFormulation):
    """Rows as ``multipliers`` enters them, with steps by a solver of differential-algebraic equations."""

    def __init__(self, means: Means, index: Index, steps: DaeSteps) -> None:
        self._workshop, self._index = means.workshop, index
        self._multipliers = MultipliersFormulation(means, MultipliersSettings((0.0, 0.0)))
        self._entered: dict[int, Running] = {}
        """By the cells of their rates, by which the kernels tell which runs."""
        self._free = FreeRunning(means.workshop)
        steps.problem_of = self._problem_of

    def begin(self, running: Running) -> None:
        """The solver will take up the equations of these rows."""
        self._note(running)

    def _note(self, running: Running) -> None:
        self._entered[raw_address(running.rates)] = running

    def _problem_of(self, equations: int) -> Problem:
        """The equations that are solved where a cell of rates runs; of one that nobody entered, without rows."""
        running = self._entered.get(equations, self._free)
        active = running.active
        made = DaeEquations(self._workshop, active.rows, self._index)
        with self._workshop.compiled.equations.lock:
            unknowns = made.unknowns
        program = self._workshop.program_of(active, ("residual", self._index), made.program)
        program.compile_later()
        return Problem(program, unknowns, running.reactions)

    def enter(
        self, active: ActiveRows, instant: Instant, geometry: RowValues, kept: Mapping[str, Any] | None = None
    ) -> MultipliersRunning:
        made = self._multipliers.enter(active, instant, geometry, kept)
        self._note(made)
        return made

    def ahead(self, active: ActiveRows, instant: Instant) -> MultipliersRunning | None:
        made = self._multipliers.ahead(active, instant)
        if made is not None:
            self._note(made)
        return made

    def answer(self, running: Running, instant: Instant) -> Running | None:
        """Rows that were dropped have opened: others are to be dropped, if any."""
        return self._multipliers.answer(running, instant)


@final
@dataclass(frozen=True)
class Dae:
    """Active constraints as differential-algebraic equations of an ``index`` of 1, 2 (stabilised) or 3.

    ``solver`` is ``"ida"`` (SUNDIALS, for index 1 and 2) or ``"radau"`` (for all). Their tolerances are ``rtol`` and
    ``atol`` of the run; multipliers are left out of the error test. ``most_calls`` is how often the equations may be
    evaluated in a run. Needs ``pip install "detent[dae]"``; for systems and automata without contacts.

    >>> import detent
    >>> run = detent.example("slider-crank").simulate(until=1, formulation=detent.Dae(index=3, solver="radau"))
    >>> run.method, run.audit.position_residual < 1e-8
    ('radau', True)
    """

    index: Literal[1, 2, 3] = 2
    solver: str = "ida"
    most_calls: int = 2_000_000
    name: ClassVar[str] = "dae"
    carries: ClassVar[bool] = False
    misses: ClassVar[tuple[float, float]] = (0.0, 0.0)
    owns_contacts: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if isinstance(self.index, bool) or self.index not in (1, 2, 3):
            raise ValueProblem(f"the index of Dae is {self.index!r}; use 1, 2 (stabilised) or 3")
        if self.solver not in SOLVERS:
            raise ValueProblem(f"the solver of Dae is {self.solver!r}; use one of {', '.join(SOLVERS)}")
        if self.index == 3 and self.solver == "ida":
            raise ValueProblem(
                "IDA is not used with index 3: its steps collapse there if the error of speeds counts, and if it does "
                "not, IDA reports success with a wrong answer; use Dae(index=2), or Dae(index=3, solver='radau')"
            )
        if isinstance(self.most_calls, bool) or not isinstance(self.most_calls, int) or self.most_calls < 1:
            raise ValueProblem(f"the most_calls of Dae is {self.most_calls!r}; give a whole number greater than 0")

    def of_run(self, means: Means) -> DaeFormulation:
        """Handles the constraints of one run."""
        self._check(means)
        solver = means.solver
        make: Maker = SOLVERS[self.solver](solver.largest_step)
        tolerances = Tolerances(solver.relative, self._absolute(means))
        steps = DaeSteps(self.solver, make, solver.values, tolerances, self.most_calls)
        solver.bring(steps)
        return DaeFormulation(means, self.index, steps)

    def _absolute(self, means: Means) -> NDArray[np.float64]:
        """The absolute tolerance of each coordinate, speed and signal."""
        coordinates, speeds, _ = means.workshop.sizes
        absolute = means.solver.absolute.copy()
        if self.index == 3:
            absolute[coordinates : coordinates + speeds] **= SPEEDS_IN_INDEX_3
        return absolute

    def _check(self, means: Means) -> None:
        if means.touches:
            raise DetentError(
                "the formulation 'dae' finds events along the steps of a solver that nothing bounds, and contacts must "
                f"not be missed; use {OTHERS} for contacts"
            )
        if means.embedding == "live":
            raise DetentError(
                "the formulation 'dae' has its steps from a solver that cannot promise them in time; use "
                f"embedding='symbolic', or {OTHERS} for live runs"
            )
        if not means.solver.is_adaptive:
            raise ValueProblem(
                f"the formulation 'dae' has its steps from {self.solver}, which chooses their size, and "
                f"method={means.solver.method!r} takes steps of a fixed size; leave out the method (step is then the "
                f"largest step), or use {OTHERS}"
            )
