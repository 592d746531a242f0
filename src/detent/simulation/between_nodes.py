"""What a run keeps at its nodes alone, worked out anew at other instants: u', reactions, and what contacts do.

At an instant the state is that of the interpolant; the rows that are active, and the values that hold, are those of the
node before it. With them

    M u' - B'^T lambda = f,      B u' = gamma

is solved for u' and lambda, so that nothing but the state is interpolated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from detent.contact_solves.settling import Settling
from detent.dynamics.rows import RowNodes, read_constraint
from detent.errors import DetentError
from detent.formulation.compiled import CompiledSystem
from detent.formulation.workshop import Workshop
from detent.hybrid.automaton import Automaton
from detent.hybrid.contact_place import Place
from detent.hybrid.status_automaton import StatusAutomaton, automaton_of_contacts
from detent.jit.arrays import FloatArray
from detent.jit.calling import call_stretches
from detent.jit.program import Program
from detent.model.constraint import Constraint
from detent.model.contact import NORMAL_FORCE, SHARING, status_name
from detent.model.system import System
from detent.results.run import Run
from detent.results.visits import Visit
from detent.simulation.beginning import declared_constraints
from detent.simulation.contact_account import ContactAccount, Piece
from detent.simulation.contact_plans import ContactPlans
from detent.simulation.instants import Instants

BLOCK: Final = 16_384
"""Instants that are solved for together, at most: their matrices take room."""


@final
@dataclass(frozen=True, eq=False)
class SolvedInstants:
    """Instants, worked out."""

    accelerations: FloatArray
    """A column for each speed."""
    reactions: dict[str, FloatArray]
    """By the names of rows; NaN where not active."""
    contacts: dict[str, FloatArray] = field(default_factory=dict)
    """What contacts do, by the names that a run has for it."""


_Doings = tuple[tuple[float, tuple[float, ...]], ...]
"""Of each place its status, and of all turning that it resists whether it does it."""


@dataclass(frozen=True)
class _Stretch:
    """Instants that follow one another with the same values and active rows."""

    first: int
    last: int
    active: tuple[str, ...]
    constraints: tuple[Constraint, ...]
    shares: bool
    loads: tuple[str, ...]
    """Of the loads that come and go, those that act."""


@final
class BetweenNodes:
    """Works a run out between its nodes, with the model that was run."""

    def __init__(self, run: Run, model: System | Automaton, compiled: CompiledSystem) -> None:
        self._run, self._model, self._compiled = run, model, compiled
        self._system = model.system if isinstance(model, Automaton) else model
        self._statuses = automaton_of_contacts(model)
        self._rows: dict[tuple[Constraint, ...], tuple[list[RowNodes], Program]] = {}
        self._holding: dict[tuple[tuple[str, ...], _Doings, str], tuple[Constraint, ...]] = {}

    # -- values and rows that hold -----------------------------------------------------------------

    @cached_property
    def _changing(self) -> dict[str, FloatArray]:
        """The run-time values that may change along the run, at its nodes, by name."""
        names = [name for name in self._compiled.value_names if name not in self._run.parameters]
        return {name: held_at_nodes(self._run, self._system, name) for name in names}

    def _values(self, nodes: NDArray[np.intp]) -> FloatArray:
        """The run-time values at some nodes, a row each."""
        parameters, changing = self._run.parameters, self._changing
        rows = np.empty((len(nodes), len(self._compiled.value_names)))
        for column, name in enumerate(self._compiled.value_names):
            rows[:, column] = changing[name][nodes] if name in changing else parameters[name]
        return rows

    @cached_property
    def _active(self) -> NDArray[np.bool_]:
        """Which rows have a reaction at the nodes."""
        known = [~np.isnan(values) for values in self._run.reactions.values()]
        return np.stack(known, axis=1) if known else np.empty((len(self._run.t), 0), bool)

    def _stretches(self, instants: Instants) -> list[_Stretch]:
        node, active = instants.node, self._active[instants.node]
        changes = (active[1:] != active[:-1]).any(axis=1)
        for values in self._changing.values():
            held = values[node]
            changes |= held[1:] != held[:-1]
        if self._names_repeat:
            visit = self._visit_of[node]
            changes |= visit[1:] != visit[:-1]
        edges = [0, *(np.flatnonzero(changes) + 1).tolist(), len(node)]
        return [self._stretch(int(node[a]), a, b) for a, b in pairwise(edges) if b > a]

    def _stretch(self, node: int, first: int, last: int) -> _Stretch:
        active = tuple(name for name, holds in zip(self._run.reactions, self._active[node], strict=True) if holds)
        places = () if self._statuses is None else self._statuses.places
        statuses = tuple(self._doing(place, node) for place in places)
        mode = self._mode_at(node) if self._names_repeat else ""
        key = (active, statuses, mode)
        if key not in self._holding:
            self._holding[key] = self._constraints(active, statuses, mode, node)
        shares = SHARING in self._changing and bool(self._changing[SHARING][node])
        loads = tuple(name for name, acts in self._run.loads.items() if acts[node])
        return _Stretch(first, last, active, self._holding[key], shares, loads)

    def _constraints(self, active: tuple[str, ...], statuses: _Doings, mode: str, node: int) -> tuple[Constraint, ...]:
        """What holds after a node: contacts by their statuses, and whatever has the other rows that are active."""
        places = () if self._statuses is None else self._statuses.places
        closed = [place.constraint(*doing) for place, doing in zip(places, statuses, strict=True)]
        found = {constraint: None for constraint in closed if constraint is not None}
        in_contacts = {row.name for constraint in found for row in constraint.rows}
        found |= {self._constraint(name, mode, node): None for name in active if name not in in_contacts}
        return tuple(found)

    def _doing(self, place: Place, node: int) -> tuple[float, tuple[float, ...]]:
        """The status of a place after a node, and of all turning that it resists whether it does it."""
        turning = tuple(float(self._changing[turn.names[0]][node]) for turn in place.turns)
        return float(self._changing[status_name(place.name)][node]), turning

    @cached_property
    def _having(self) -> dict[str, list[Constraint]]:
        """The declared constraints with each row; modes may each have their own of one name."""
        automaton = self._model if isinstance(self._model, Automaton) else None
        found: dict[str, list[Constraint]] = {}
        for constraint in declared_constraints(self._system, automaton):
            for row in constraint.rows:
                found.setdefault(row.name, []).append(constraint)
        return found

    @cached_property
    def _names_repeat(self) -> bool:
        return any(len(constraints) > 1 for constraints in self._having.values())

    def _constraint(self, row: str, mode: str, node: int) -> Constraint:
        """The constraint with a row that is active after a node."""
        having = self._having.get(row, [])
        if len(having) > 1 and isinstance(self._model, Automaton) and mode in self._model.modes:
            having = [constraint for constraint in having if constraint in self._model.modes[mode].constraints]
        if len(having) != 1:
            raise DetentError(
                f"'{row}' held at t = {float(self._run.t[node]):.9g} and is no constraint that '{self._model.name}' "
                "declares, so what follows from it is known at the nodes only; ask there (without times), or declare "
                "it with system.constrain(..., active=False)"
            )
        return having[0]

    @cached_property
    def _visits(self) -> tuple[Visit, ...]:
        return tuple(visit for visit in self._run.modes if visit.duration > 0)

    @cached_property
    def _visit_of(self) -> NDArray[np.intp]:
        """The number of the visit that each node belongs to; before a jump, that which ends there."""
        times, starts = self._run.t, np.array([visit.start for visit in self._visits])
        ends = np.append(np.diff(times) == 0, False)
        found = np.where(ends, np.searchsorted(starts, times, "left"), np.searchsorted(starts, times, "right"))
        number: NDArray[np.intp] = np.maximum(found - 1, 0)
        return number

    def _mode_at(self, node: int) -> str:
        return self._visits[int(self._visit_of[node])].mode if self._visits else self._run.mode

    # -- solving -----------------------------------------------------------------------------------

    def solved(self, instants: Instants, with_contacts: bool = False) -> SolvedInstants:
        """All there is at some instants; what contacts do only where it is wanted."""
        parts = [
            self._solved(instants.part(first, first + BLOCK), with_contacts)
            for first in range(0, max(len(instants), 1), BLOCK)
        ]
        return SolvedInstants(
            np.concatenate([part.accelerations for part in parts]),
            {name: np.concatenate([part.reactions[name] for part in parts]) for name in parts[0].reactions},
            {name: np.concatenate([part.contacts[name] for part in parts]) for name in parts[0].contacts},
        )

    def _solved(self, instants: Instants, with_contacts: bool) -> SolvedInstants:
        speeds, names = len(self._compiled.layout.speeds), list(self._run.reactions)
        accelerations = np.empty((len(instants), speeds))
        reactions = {name: np.full(len(instants), np.nan) for name in names}
        pieces: list[Piece] = []
        stretches = self._stretches(instants)
        for group in _alike(stretches):
            places = np.concatenate([np.arange(stretch.first, stretch.last) for stretch in group])
            bounds = np.cumsum([0, *(stretch.last - stretch.first for stretch in group)])
            values = self._values(instants.node[[stretch.first for stretch in group]])
            times, states = np.ascontiguousarray(instants.times[places]), np.ascontiguousarray(instants.states[places])
            solve = self._shared if group[0].shares else self._unique
            rates, rows, forces = solve(group[0], bounds, times, states, values)
            accelerations[places] = rates
            kept = [number for number, row in enumerate(rows) if row in group[0].active]
            for number in kept:
                reactions[rows[number]][places] = forces[:, number]
            pieces.append((tuple(rows[number] for number in kept), places, forces[:, kept]))
        if not with_contacts or self._statuses is None:
            return SolvedInstants(accelerations, reactions)
        return SolvedInstants(accelerations, reactions, self._contacts(self._statuses, instants, stretches, pieces))

    def _unique(
        self, like: _Stretch, bounds: NDArray[np.int64], times: FloatArray, states: FloatArray, values: FloatArray
    ) -> tuple[FloatArray, list[str], FloatArray]:
        """u' and the reactions where these are unique."""
        layout, count = self._compiled.layout, len(times)
        q, n = len(layout.coordinates), len(layout.speeds)
        out = self._unsolved.over_stretches(bounds, times, states, values)
        lower = out[:, -(n * (n + 1) // 2) :] if n else out[:, :0]
        rows, program = self._read(like.constraints)
        chosen = [number for number, row in enumerate(rows) if row.name in like.active]
        m, whole = len(chosen), len(rows)
        matrix, right = np.zeros((count, n + m, n + m)), np.zeros((count, n + m))
        i, j = np.tril_indices(n)
        matrix[:, i, j] = matrix[:, j, i] = lower
        right[:, :n] = out[:, q : q + n]
        if m:
            found = program.over_stretches(bounds, times, states, values)
            B, pushes = (found[:, k * whole * n : (k + 1) * whole * n].reshape(count, whole, n) for k in range(2))
            matrix[:, n:, :n] = B[:, chosen]
            matrix[:, :n, n:] = -np.swapaxes(pushes[:, chosen], 1, 2)
            right[:, n:] = found[:, 2 * whole * n :][:, chosen]
        both = _solutions(matrix, right)
        return both[:, :n], [rows[number].name for number in chosen], both[:, n:]

    @cached_property
    def _unsolved(self) -> Program:
        return self._compiled.unsolved.clone()

    def _read(self, constraints: tuple[Constraint, ...]) -> tuple[list[RowNodes], Program]:
        """The rows of some constraints, and the program of B, B' and gamma."""
        if constraints not in self._rows:
            equations = self._compiled.equations
            with equations.lock:
                rows = [row for constraint in constraints for row in read_constraint(equations, constraint)]
                speeds, zero = range(len(self._compiled.layout.speeds)), equations.graph.zero
                nodes = [row.B.get(r, zero) for row in rows for r in speeds]
                nodes += [row.reaction.get(r, zero) for row in rows for r in speeds]
                self._rows[constraints] = rows, self._compiled.program(nodes + [row.gamma for row in rows])
        return self._rows[constraints]

    # -- contacts ----------------------------------------------------------------------------------

    def _shared(
        self, like: _Stretch, bounds: NDArray[np.int64], times: FloatArray, states: FloatArray, values: FloatArray
    ) -> tuple[FloatArray, list[str], FloatArray]:
        """u' and the forces of contacts that share them, by the kernel that does so while the run goes on."""
        names, settling = self._settling(like.constraints, like.loads)
        layout = self._compiled.layout
        rates, forces = np.empty((len(times), layout.width)), np.empty((len(times), len(names)))
        call_stretches(settling.rates, bounds, times, states, values, rates)
        call_stretches(settling.forces, bounds, times, states, values, forces)
        return rates[:, layout.speed_columns], list(names), forces

    def _settling(self, constraints: tuple[Constraint, ...], loads: tuple[str, ...]) -> tuple[Sequence[str], Settling]:
        assert self._statuses is not None
        declared = declared_constraints(self._system, self._statuses)
        store = self._compiled.store_of(self._model)
        workshop = Workshop(self._compiled, np.zeros(1, dtype=np.int64), store, lambda: declared)
        plans = ContactPlans(self._statuses, self._compiled, workshop)
        pushed = set(plans.force_names)
        held = [each for each in constraints if not pushed.issuperset(row.name for row in each.rows)]
        return plans.force_names, plans.apart_with(held, loads)

    def _contacts(
        self, statuses: StatusAutomaton, instants: Instants, stretches: list[_Stretch], pieces: list[Piece]
    ) -> dict[str, FloatArray]:
        account = ContactAccount(statuses, self._compiled, self._compiled.store_of(self._model))
        bounds = np.array([0, *(stretch.last for stretch in stretches)])
        values = self._values(instants.node[bounds[:-1]])
        held = np.stack([self._changing[symbol.name][instants.node] for symbol in self._system.discrete_states], axis=1)
        times, states = np.ascontiguousarray(instants.times), np.ascontiguousarray(instants.states)
        seen = account.seen(bounds, times, states, values, held, pieces)
        found = {
            quantity_name + own: row
            for column, quantity_name in _CONTACT_NAMES.items()
            for own, row in account.named(account.kept(seen))[column].items()
        }
        normal = {f"{NORMAL_FORCE}{place.name}": seen.normal[:, k] for k, place in enumerate(statuses.places)}
        return {**found, **normal}


_CONTACT_NAMES: Final = {
    "gaps": "gap of ", "slips": "slip velocity of ", "frictions": "friction of ", "points": "point of ",
    "forces": "contact force of ", "moments": "moment of ",
}  # fmt: skip
"""What stands before the names of places in those of a run."""


def held_at_nodes(run: Run, system: System, name: str) -> FloatArray:
    """A run-time value at the nodes: a parameter, an input, a discrete state, or whether a load acts."""
    if name in run.parameters:
        return np.full(len(run.t), run.parameters[name])
    load = name.removesuffix(" acts")
    for known, own in ((run.inputs, name), (run.discrete, name), (run.loads, load)):
        if own in known:
            return known[own]
    if name in [symbol.name for symbol in system.discrete_states]:  # of runs from before these were kept
        return np.full(len(run.t), float(system.start_values.get(name, 0.0)))
    raise DetentError(
        f"the run '{run.name}' does not tell the course of '{name}', as files of older versions do not; simulate again"
    )


def _alike(stretches: list[_Stretch]) -> list[list[_Stretch]]:
    """Stretches with the same rows, together."""
    groups: dict[tuple[object, ...], list[_Stretch]] = {}
    for stretch in stretches:
        groups.setdefault((stretch.active, stretch.constraints, stretch.shares, stretch.loads), []).append(stretch)
    return list(groups.values())


def _solutions(matrix: FloatArray, right: FloatArray) -> FloatArray:
    """The solution of each system; the one of least length where one is singular."""
    try:
        found: FloatArray = np.linalg.solve(matrix, right[..., None])[..., 0].astype(np.float64, copy=False)
    except np.linalg.LinAlgError:
        each = [np.linalg.lstsq(a, b)[0] for a, b in zip(matrix, right, strict=True)]
        found = np.array(each, dtype=np.float64).reshape(right.shape)
    return found
