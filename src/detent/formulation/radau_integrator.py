"""Radau IIA of order five (Hairer and Wanner, *Solving Ordinary Differential Equations II*, IV.8), by scipy_dae."""

from __future__ import annotations

from typing import Any, Final, final

import numpy as np

from detent.formulation.dae_residual import Residual
from detent.formulation.dae_steps import Integrator, SolverPoint, Tolerances
from detent.jit.arrays import FloatArray
from detent.results.extras import require

PURPOSE: Final = "solve differential-algebraic equations by Radau's method"


@final
class RadauIntegrator:
    """Stands at a time; of the steps before, it uses no more than a guess and a size."""

    def __init__(self, solver: Any) -> None:
        self._solver = solver

    def step(self, t_end: float) -> SolverPoint | None:
        solver, left = self._solver, t_end - self._solver.t
        solver.t_bound, solver.status = t_end, "running"
        if solver.h_abs < left < 2.0 * solver.h_abs:  # two halves: a short rest would be taken up by rounding
            solver.h_abs = left / 2.0
        solver.step()
        return None if solver.status == "failed" else SolverPoint(float(solver.t), solver.y, solver.yp)

    def inside(self, time: float) -> FloatArray:
        """By the polynomial of degree three through its stages."""
        found: FloatArray = self._solver.sol(np.float64(time))[0]
        return found


@final
class RadauMaker:
    """Makes integrators with the settings of one run."""

    def __init__(self, largest_step: float) -> None:
        self._package = require("scipy_dae.integrate", PURPOSE, extra="dae")
        self._largest = largest_step

    def __call__(self, residual: Residual, start: SolverPoint, tolerances: Tolerances) -> Integrator:
        def found(time: float, y: FloatArray, rates: FloatArray) -> FloatArray:
            return residual(time, y, rates).copy()

        solver = self._package.RadauDAE(
            found, start.time, start.y, start.rates, np.inf, rtol=tolerances.relative, atol=tolerances.absolute,
            max_step=self._largest, jac=residual.slopes, first_step=min(self._largest, tolerances.relative**0.25),
        )  # fmt: skip
        return RadauIntegrator(solver)
