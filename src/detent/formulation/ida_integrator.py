"""SUNDIALS IDA (BDF of orders one to five; Hindmarsh et al. 2005), by way of scikit-sundae."""

from __future__ import annotations

from typing import Any, Final, final

import numpy as np

from detent.formulation.dae_residual import Residual
from detent.formulation.dae_steps import Integrator, SolverPoint, Tolerances
from detent.jit.arrays import FloatArray
from detent.results.extras import require

PURPOSE: Final = "solve differential-algebraic equations by IDA"


@final
class IdaIntegrator:
    """Stands at a time, with the steps that it has taken; begins with the order one."""

    def __init__(self, solver: Any, start: SolverPoint) -> None:
        self._solver = solver
        self._solver.init_step(*start)
        self._time, self._has_looked_back = start.time, False

    def step(self, t_end: float) -> SolverPoint | None:
        if self._has_looked_back:  # its next step would lead no farther than where it stands
            self._solver.step(self._time)
            self._has_looked_back = False
        taken = self._solver.step(t_end, method="onestep", tstop=t_end)
        self._time = float(taken.t)
        return SolverPoint(self._time, taken.y, taken.yp) if taken.success else None

    def inside(self, time: float) -> FloatArray:
        """By the polynomial of its formula, of the order that it has there."""
        self._has_looked_back = True
        found: FloatArray = self._solver.step(time).y
        return found


@final
class IdaMaker:
    """Makes integrators with the settings of one run."""

    def __init__(self, largest_step: float) -> None:
        self._package = require("sksundae", PURPOSE, extra="dae")
        self._largest = largest_step if np.isfinite(largest_step) else 0.0  # to IDA, no limit

    def __call__(self, residual: Residual, start: SolverPoint, tolerances: Tolerances) -> Integrator:
        def fill(time: float, y: FloatArray, rates: FloatArray, out: FloatArray) -> None:
            out[:] = residual(time, y, rates)

        def fill_slopes(
            time: float, y: FloatArray, rates: FloatArray, found: FloatArray, factor: float, out: FloatArray
        ) -> None:
            by_y, by_rates = residual.slopes(time, y, rates)
            out[:] = by_y + factor * by_rates

        solver = self._package.ida.IDA(
            fill, jacfn=fill_slopes, rtol=tolerances.relative, atol=tolerances.absolute, max_step=self._largest
        )
        return IdaIntegrator(solver, start)
