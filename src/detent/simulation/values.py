"""The values of expressions along a run: at its nodes, or on exact states at any times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple, final

import numpy as np

from detent.dynamics.kinematics import Kinematics
from detent.dynamics.quantities import multiplier_name
from detent.errors import DetentError, ExpressionError, UnknownNameError, ValueProblem, listed
from detent.expr import operation as op
from detent.expr.graph import Node, in_order
from detent.expr.tape import STATE, TIME, VALUES, build_tape
from detent.formulation.compiled import CompiledSystem, compile_system
from detent.hybrid.automaton import Automaton, system_of
from detent.jit.arrays import FloatArray
from detent.jit.program import Program
from detent.model.contact import NORMAL_FORCE
from detent.model.system import System
from detent.results.asked_times import asked_times
from detent.results.run import Run
from detent.simulation.asked_expression import WITHOUT_MODEL, AskedExpressions
from detent.simulation.between_nodes import BetweenNodes, SolvedInstants, held_at_nodes
from detent.simulation.instants import Instants

_ENERGIES = ("kinetic_energy", "potential_energy", "energy")


@final
class Values:
    """Expressions along one run, with the model that was run where there is one.

    >>> import detent
    >>> run = detent.example("pendulum").simulate(until=1)
    >>> Values(run, run.model).over(["angle", "2*angle"], np.array([0.0, 0.5])).shape
    (2, 2)
    """

    def __init__(self, run: Run, model: System | Automaton | None) -> None:
        self.run = run
        self._model = model
        self._system = system_of(model)
        self._compiled: CompiledSystem | None = None
        if self._system is not None:
            self._compiled = compiled_for(self._system, run)
            self._run = run = replace(run, trajectory=run.trajectory.narrowed(self._compiled.layout))
        self._asked = AskedExpressions(run, self._compiled)

    @property
    def parameters(self) -> dict[str, float]:
        """The values of the parameters, by name."""
        return self.run.parameters

    @property
    def first_time(self) -> FloatArray:
        """When the run starts, for what does not change along it."""
        first: FloatArray = self.run.t[:1]
        return first

    def over(self, asked: Sequence[Any], times: FloatArray | None = None) -> FloatArray:
        """A column for each of what is asked (three for a vector), a row for each time; at the nodes, without times."""
        return self._evaluated(
            lambda: [node for each in asked for node in self._asked.nodes(each)], self._instants(times)
        )

    def of_motion(self, made: Callable[[Kinematics], list[Node]], times: FloatArray | None = None) -> FloatArray:
        """A column for each node that is made of the places and turns of the model, however long its chains are."""
        compiled = self._compiled
        if compiled is None:
            raise ExpressionError(f"how things move needs the model: {WITHOUT_MODEL}")
        return self._evaluated(lambda: made(compiled.equations.kinematics), self._instants(times))

    def _instants(self, times: FloatArray | None) -> Instants:
        run = self.run
        instants = Instants.of_nodes(run) if times is None else Instants.at(run, times)
        if self._system is None:
            return instants
        quaternions = [[run.layout.column(part.name) for part in parts] for parts in self._system.quaternions]
        return instants.with_unit_quaternions(quaternions)

    def _evaluated(self, made: Callable[[], list[Node]], instants: Instants) -> FloatArray:
        read = self._read(made)
        columns = _Columns(self.run, self._system, self._model, self._compiled, instants, read.moving)
        known = np.empty((len(instants), len(read.moving)))
        for number, name in enumerate(read.moving):
            known[:, number] = self._energy(name, instants) if name in _ENERGIES else columns.column(name)
        values = np.array([self.run.parameters[name] for name in read.fixed])
        return read.program.over(instants.times, known, values)

    def _read(self, made: Callable[[], list[Node]]) -> _Read:
        """The program of some nodes; nobody else may read anything into the system's graph meanwhile."""
        with nullcontext() if self._compiled is None else self._compiled.equations.lock:
            nodes, bound = made(), self._bound()
            leaves = [node.name for node in in_order(nodes, bound) if node.operation == op.LEAF and node not in bound]
            names = [name for name in dict.fromkeys(leaves) if name != "t"]
            fixed = [name for name in names if name in self.run.parameters]
            moving = [name for name in names if name not in self.run.parameters]
            inputs = {"t": (TIME, 0)}
            inputs |= {name: (VALUES, number) for number, name in enumerate(fixed)}
            inputs |= {name: (STATE, number) for number, name in enumerate(moving)}
            return _Read(Program(build_tape(nodes, inputs, bound)), fixed, moving)

    def _bound(self) -> dict[Node, Node]:
        """What leaves stand for: measures for what they are, but reactions for themselves."""
        if self._compiled is None:
            return {}
        quantities = self._compiled.equations.quantities
        reactions = set(quantities.reactions.values())
        return {leaf: value for leaf, value in quantities.bound.items() if leaf not in reactions}

    def _energy(self, name: str, instants: Instants) -> FloatArray:
        known = self.run[name][instants.node]
        if instants.on_node.all():
            return known
        if self._compiled is None:
            raise ExpressionError(f"'{name}' between the nodes needs the model: {WITHOUT_MODEL}")
        equations = self._compiled.equations
        parts = self._evaluated(lambda: [equations.kinetic_energy, equations.potential_energy], instants)
        chosen = {"kinetic_energy": parts[:, 0], "potential_energy": parts[:, 1]}.get(name, parts.sum(axis=1))
        found: FloatArray = np.where(instants.on_node, known, chosen)
        return found


class _Read(NamedTuple):
    """A program, the parameters that it reads, and what it reads that changes along the run."""

    program: Program
    fixed: list[str]
    moving: list[str]


def compiled_for(system: System, run: Run) -> CompiledSystem:
    """A system as a run of it was compiled: with the multipliers that it carried along."""
    prefix = multiplier_name("")
    carried = (name.removeprefix(prefix) for name in run.layout.signals if name.startswith(prefix))
    compiled = compile_system(system, carried=tuple(carried))
    _check_fits(system, compiled, run)
    return compiled


def _check_fits(system: System, compiled: CompiledSystem, run: Run) -> None:
    """That a run is one of this system."""
    parameters = {symbol.name for symbol in system.parameter_values}
    # A run whose contacts have changed also has the nearest points that it followed before.
    others = [name for name in run.layout.signals if name not in compiled.layout.signals and name.isidentifier()]
    if not run.layout.has_all(compiled.layout) or others or parameters - set(run.parameters):
        raise DetentError(
            f"the run '{run.name}' has {listed(run.layout.names[:-1])}; the system '{system.name}' has "
            f"{listed(compiled.layout.names[:-1])}; give the system that was run"
        )


@final
class _Columns:
    """What leaves of expressions are at some instants, by name."""

    def __init__(
        self, run: Run, system: System | None, model: System | Automaton | None, compiled: CompiledSystem | None,
        instants: Instants, names: Sequence[str],
    ) -> None:  # fmt: skip
        self.run, self._system, self._model, self._compiled = run, system, model, compiled
        self._instants = instants
        self._about_contacts = any(name in self._contact_names for name in names)

    @cached_property
    def _contact_names(self) -> set[str]:
        run = self.run
        kept = ("gap of ", "slip velocity of ", "friction of ", "point of ", "contact force of ", "moment of ")
        fields = (run.gaps, run.slips, run.frictions, run.points, run.forces, run.moments)
        found = {before + own for before, known in zip(kept, fields, strict=True) for own in known}
        return found | {f"{NORMAL_FORCE}{place}" for place in run.gaps}

    def column(self, name: str) -> FloatArray:
        """The values under a name."""
        run, instants = self.run, self._instants
        if name in run.layout.names:
            return instants.states[:, run.layout.column(name)]
        if self._is_held(name):
            return self._held(name)[instants.node]
        exact = instants.on_node
        if name.endswith("'") and run.trajectory.dense is None:
            exact = np.zeros(len(instants), bool)  # such a run keeps no rates
        known = self._at_nodes(name)[instants.node]
        if exact.all():
            return known
        if self._compiled is None or self._model is None:
            raise ExpressionError(f"'{name}' between the nodes needs the model: {WITHOUT_MODEL}")
        known = known.copy()
        known[~exact] = self._between(name, exact)
        return known

    def _is_held(self, name: str) -> bool:
        run = self.run
        if name in run.discrete or name in run.inputs or name.removeprefix("acting ") in run.loads:
            return True
        return self._compiled is not None and name in self._compiled.value_names

    def _held(self, name: str) -> FloatArray:
        run = self.run
        if name in run.names:
            return run[name]
        assert self._system is not None
        return held_at_nodes(run, self._system, name)

    def _at_nodes(self, name: str) -> FloatArray:
        run = self.run
        stem = name.removesuffix("'")
        if stem != name and stem in run.layout.names:
            return run.trajectory.rate[:, run.layout.column(stem)]
        if name.startswith(NORMAL_FORCE):
            return run.contacts[name.removeprefix(NORMAL_FORCE)].normal
        if name.startswith("reaction of ") and name not in run.names:  # of a row that was never active
            return np.full(len(run.t), np.nan)
        return run[name]

    def _between(self, name: str, exact: np.ndarray) -> FloatArray:
        stem = name.removesuffix("'")
        solved = self._everywhere if not exact.any() else self._off_nodes
        if stem != name:
            return solved.accelerations[:, list(self.run.layout.speeds).index(stem)]
        if name.startswith("reaction of "):
            row = name.removeprefix("reaction of ")
            return solved.reactions.get(row, np.full(int((~exact).sum()), np.nan))
        if name not in solved.contacts:
            raise UnknownNameError(name, solved.contacts, what="quantity between the nodes")
        return solved.contacts[name]

    @cached_property
    def _everywhere(self) -> SolvedInstants:
        return self._solved(self._instants)

    @cached_property
    def _off_nodes(self) -> SolvedInstants:
        return self._solved(self._instants.chosen(~self._instants.on_node))

    def _solved(self, instants: Instants) -> SolvedInstants:
        assert self._model is not None
        assert self._compiled is not None
        between = BetweenNodes(self.run, self._model, self._compiled.for_one_run())
        return between.solved(instants, self._about_contacts)


def _is_tuple(asked: Any) -> bool:
    if isinstance(asked, tuple) and not asked:
        raise ValueProblem("a tuple without components is asked of a run; give an expression, or some")
    return isinstance(asked, tuple)


def value_along(run: Run, asked: Any, times: Any = None) -> Any:
    """What :meth:`Run.value` gives."""
    wide = 3 if not isinstance(asked, str) and hasattr(asked, "express") else len(asked) if _is_tuple(asked) else 0
    at = None if times is None else asked_times(times)
    found = Values(run, run.model).over([asked], None if at is None else at.ravel())
    shape = (len(run.t),) if at is None else at.shape
    if wide:
        return found.reshape(*shape, wide)
    return float(found[0, 0]) if shape == () else found[:, 0].reshape(shape)
