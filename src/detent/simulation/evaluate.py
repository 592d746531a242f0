"""Expressions of a model along a run of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from detent.errors import ExpressionError
from detent.expr.graph import Node
from detent.expr.tape import STATE, build_tape
from detent.expr.text import number_from_text
from detent.hybrid.automaton import Automaton, system_of
from detent.jit.arrays import FloatArray
from detent.jit.program import Program
from detent.model.system import System
from detent.results.asked_times import asked_times
from detent.results.run import Run
from detent.simulation.inputs import RunValues
from detent.simulation.values import compiled_for, value_along


def evaluate(system: System | Automaton, run: Run, expression: Any, times: Any = None) -> FloatArray:
    """The values of an expression along a run of the system or automaton: at its nodes, or at ``times`` (s).

    The same as ``run.with_model(system).value(expression, times)``: see :meth:`Run.value` for what may be asked.

    >>> import detent
    >>> example = detent.example("pendulum")
    >>> run = example.simulate(until=1)
    >>> bob = example.system.bodies["bob"].center
    >>> height = detent.evaluate(example.system, run, bob.along(example.system.ground.y), times=[0, 1])
    >>> height.shape
    (2,)
    """
    at = None if times is None else np.atleast_1d(asked_times(times))
    own = system_of(run.model) is system  # an automaton knows more than its system
    values: FloatArray = value_along(run if own else run.with_model(system), expression, at)
    return values


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
        self.system, self.run = system, run
        self.compiled = compiled_for(system, run)
        self._columns = [run.layout.column(name) for name in self.compiled.layout.names]
        self.discrete = [symbol.name for symbol in system.discrete_states]
        starts = {**system.start_values, **run.start}
        self._first = [_number(starts.get(name, 0.0)) for name in self.discrete]
        self.values = RunValues(self.compiled, run.parameters, {}, self._first).vector

    def over(
        self,
        expressions: Sequence[Any],
        times: FloatArray | None = None,
        states: FloatArray | None = None,
        discrete: FloatArray | None = None,
    ) -> FloatArray:
        """Each expression (a column) at each time (a row): at the nodes of the run, if no times are given."""
        with self.compiled.equations.lock:
            nodes = [self._node(expression) for expression in expressions]
        return self._over(nodes, times, states, discrete)

    def kinetic(self, times: FloatArray, states: FloatArray) -> FloatArray:
        """The kinetic energy, J."""
        energies: FloatArray = self._over([self.compiled.equations.kinetic_energy], times, states, None)[:, 0]
        return energies

    def _node(self, expression: Any) -> Node:
        """An expression on the graph, of what a run keeps."""
        equations = self.compiled.equations
        _ = equations.kinematics  # from here on measures and reactions can be read
        quantities = equations.quantities
        node = quantities.convert(expression)
        lost = [*quantities.reactions.values(), *(quantities.convert(symbol) for symbol in quantities.run_inputs)]
        for leaf in lost:
            if node.leaves & leaf.leaves:
                raise ExpressionError(
                    f"'{expression}' holds '{leaf.name}', whose course is not known here; use coordinates, speeds, "
                    "signals, discrete states, parameters and time, or run['reaction of ...']"
                )
        return node

    def _over(
        self, nodes: list[Node], times: FloatArray | None, states: FloatArray | None, discrete: FloatArray | None
    ) -> FloatArray:
        """Discrete states are read like states, for they change along a run."""
        width = self.compiled.layout.width
        inputs = {**self.compiled.inputs, **{name: (STATE, width + n) for n, name in enumerate(self.discrete)}}
        program = Program(build_tape(nodes, inputs, self.compiled.equations.quantities.bound))
        if times is None:
            times, states, discrete = self.run.t, self.run.trajectory.state, self._held(None)
        known = self.run.trajectory.at(times) if states is None else states
        held = self._held(times) if discrete is None else discrete
        found: FloatArray = program.over(times, np.hstack([known[:, self._columns], held]), self.values)
        return found

    def _held(self, times: FloatArray | None) -> FloatArray:
        """The discrete states, a column each: at the nodes, or at times; at a jump, those after it."""
        nodes = self.run.t
        rows = slice(None) if times is None else np.maximum(np.searchsorted(nodes, times, side="right") - 1, 0)
        kept = [
            self.run.discrete.get(name, np.full(len(nodes), first))
            for name, first in zip(self.discrete, self._first, strict=True)
        ]
        columns: FloatArray = np.stack(kept, axis=1) if kept else np.empty((len(nodes), 0))
        return columns[rows]


def _number(value: Any) -> float:
    return number_from_text(value) if isinstance(value, str) else float(value)
