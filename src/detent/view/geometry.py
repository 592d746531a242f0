"""Where things are during a run, worked out from the model's own kinematics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from detent.errors import DetentError, listed
from detent.expr.text import number
from detent.model.system import System
from detent.results.arrays import FloatArray
from detent.results.run import Run
from detent.simulation.compiled import compile_system
from detent.simulation.inputs import RunValues


class Evaluator:
    """Expressions of a system along a run of it.

    >>> import detent
    >>> example = detent.example("pendulum")
    >>> run = example.simulate(until=1)
    >>> bob = example.system.bodies["bob"].center
    >>> height = Evaluator(example.system, run).over([bob.along(example.system.ground.y)])
    >>> height.shape == (len(run.t), 1)
    True
    """

    def __init__(self, system: System, run: Run) -> None:
        self.run = run
        self.compiled = compile_system(system)
        if self.compiled.layout != run.layout or set(self._parameters(system)) - set(run.parameters):
            raise DetentError(
                f"the run '{run.name}' has {listed(run.layout.names[:-1])}; the system '{system.name}' has "
                f"{listed(self.compiled.layout.names[:-1])}; give the system that was run"
            )
        starts = {**system.start_values, **run.start}
        discrete = [_number(starts.get(symbol.name, 0.0)) for symbol in system.discrete_states]
        self.values = RunValues(self.compiled, run.parameters, {}, discrete).vector

    @staticmethod
    def _parameters(system: System) -> list[str]:
        return [symbol.name for symbol in system.parameter_values]

    def over(
        self, expressions: Sequence[Any], times: FloatArray | None = None, states: FloatArray | None = None
    ) -> FloatArray:
        """Each expression (a column) at each time (a row): at the nodes of the run, if no times are given."""
        with self.compiled.equations.lock:
            nodes = [self.compiled.equations.quantities.convert(expression) for expression in expressions]
        return self.compiled.program(nodes).over(*self._where(times, states), self.values)

    def kinetic(self, times: FloatArray, states: FloatArray) -> FloatArray:
        """The kinetic energy, J."""
        energies: FloatArray = self.compiled.observer.clone().over(times, states, self.values)[:, 0]
        return energies

    def _where(self, times: FloatArray | None, states: FloatArray | None) -> tuple[FloatArray, FloatArray]:
        if times is None:
            return self.run.t, self.run.trajectory.state
        return times, self.run.trajectory.at(times) if states is None else states


def _number(value: Any) -> float:
    return number(value) if isinstance(value, str) else float(value)


def finite(values: FloatArray) -> FloatArray:
    """The rows of an array that hold no NaN."""
    kept: FloatArray = values[np.isfinite(values).all(axis=1)]
    return kept
