"""Steps of solvers for differential-algebraic equations, in place of the kernels' own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol, final

import numpy as np

from detent.formulation.dae_equations import Unknowns
from detent.formulation.dae_residual import Calls, Residual, TooManyCalls
from detent.jit.arrays import FloatArray, Words
from detent.jit.calling import call_once
from detent.jit.program import Program
from detent.stepping.partners import Step
from detent.stepping.status import Status

LEFT_OUT: Final = 1e10
"""The absolute tolerance of what is left out of the error test."""
CLOSE: Final = 64 * np.finfo(np.float64).eps
"""Ends nearer than this part of the time are reached along the rate: no solver takes such a step, and its square is
lost in rounding."""


class SolverPoint(NamedTuple):
    """Where a solver stands: the time, y and y'."""

    time: float
    y: FloatArray
    rates: FloatArray


class Integrator(Protocol):
    """A solver of F(t, y, y') = 0 that stands at a time."""

    def step(self, t_end: float) -> SolverPoint | None:
        """Take one step, to ``t_end`` at most: where it ends; None if none can be taken."""

    def inside(self, time: float) -> FloatArray:
        """y at a time in the last step."""


@final
@dataclass(frozen=True, eq=False)
class Tolerances:
    """The relative tolerance, and the absolute one of each entry of y."""

    relative: float
    absolute: FloatArray

    @classmethod
    def of(cls, relative: float, tested: FloatArray, count: int) -> Tolerances:
        """Of ``count`` entries, of which the first are tested.

        Solvers take the root mean square of all entries, and those that are left out count as zero in it; so that the
        mean is that of the others, their tolerances are smaller by the root of their part.

        >>> Tolerances.of(1e-6, np.array([1e-8]), 4).absolute.tolist()
        [5e-09, 10000000000.0, 10000000000.0, 10000000000.0]
        """
        part = float(np.sqrt(len(tested) / count))
        return cls(part * relative, np.append(part * tested, np.full(count - len(tested), LEFT_OUT)))


class Maker(Protocol):
    """Begins where F is zero."""

    def __call__(self, residual: Residual, start: SolverPoint, tolerances: Tolerances) -> Integrator: ...


@final
@dataclass(frozen=True, eq=False)
class Problem:
    """What is to be solved: the program of F, what y consists of, and the reactions at a state."""

    program: Program
    unknowns: Unknowns
    reactions: Words | None


@final
class DaeSteps:
    """Takes steps with a solver that is begun anew wherever the state or the constraints have changed."""

    def __init__(self, name: str, make: Maker, values: FloatArray, tolerances: Tolerances, most_calls: int) -> None:
        self.name, self._make, self._values, self._asked = name, make, values, tolerances
        self._calls = Calls(most_calls)
        self.problem_of: Callable[[int], Problem] | None = None
        """What is to be solved where a cell of rates runs, by its address."""
        self._problem: Problem | None = None
        self._integrator: Integrator | None = None
        self._at = SolverPoint(0.0, np.zeros(0), np.zeros(0))
        """The last state, with its rates; y has more where a solver stands there."""

    @property
    def calls(self) -> int:
        """How often F was evaluated so far."""
        return self._calls.count

    def begin(self, time: float, state: FloatArray, rate: FloatArray, equations: int) -> None:
        """Go on from a state, with its rate, where a cell of rates runs."""
        assert self.problem_of is not None, "the formulation is there before the solver begins"
        self._at, self._integrator, self._problem = SolverPoint(time, state, rate), None, self.problem_of(equations)

    def step(self, t_end: float) -> Step:
        """Take one step, to ``t_end`` at most."""
        assert self._problem is not None, "the formulation begins before the solver does"
        size, (time, y, rates) = self._problem.unknowns.state, self._at
        if t_end - time <= CLOSE * max(abs(t_end), abs(time)):
            self._at, self._integrator = (
                SolverPoint(t_end, y[:size] + (t_end - time) * rates[:size], rates[:size]),
                None,
            )
            return Step(Status.DONE, t_end, self._at.y)
        try:
            self._integrator = self._integrator or self._begun(self._problem)
            taken = self._integrator.step(t_end)
        except TooManyCalls:
            return Step(Status.TOO_MANY_CALLS, time, y[:size])
        if taken is None:
            return Step(Status.STEP_TOO_SMALL, time, y[:size])
        self._at = taken
        return Step(Status.DONE, taken.time, taken.y[:size])

    def inside(self, time: float) -> FloatArray:
        """The state at a time in the last step."""
        assert self._problem is not None, "a step was taken"
        size, (end, y, rates) = self._problem.unknowns.state, self._at
        if time >= end:
            return y[:size]
        if self._integrator is None:  # such a step is straight
            return y[:size] - (end - time) * rates[:size]
        return self._integrator.inside(time)[:size]

    def _begun(self, problem: Problem) -> Integrator:
        """The solver, where the state is; multipliers mu and nu are zero there."""
        unknowns, (time, state, rate) = problem.unknowns, self._at
        y, rates = np.zeros((2, unknowns.count))
        y[: unknowns.state], rates[: unknowns.state] = state, rate
        if problem.reactions is not None:
            found = np.zeros(unknowns.reactions)
            call_once(problem.reactions, time, state, self._values, found)
            y[unknowns.state : unknowns.state + unknowns.reactions] = found
        tolerances = Tolerances.of(self._asked.relative, self._asked.absolute, unknowns.count)
        residual = Residual(problem.program, self._values, self._calls)
        return self._make(residual, SolverPoint(time, y, rates), tolerances)
