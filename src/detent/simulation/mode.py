"""A mode: a set of active constraints, and the programs that run it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from detent.dynamics.embedding import Embedding
from detent.dynamics.partition import Partition, choose_partition
from detent.dynamics.rows import RowNodes, read_constraint
from detent.errors import DetentError
from detent.integrate.constraint_solve import ConstraintSolve
from detent.integrate.impact_map import ImpactMap
from detent.jit.calling import call_many, call_once
from detent.jit.program import Program
from detent.model.constraint import Constraint
from detent.results.event import Event
from detent.simulation.compiled import CompiledSystem
from detent.simulation.consistency import Geometry
from detent.simulation.store import Store

FREE = "free"
"""The name of the mode in which no constraint is active."""

MOST_FORGOTTEN = 32
"""Sets of constraints that a builder knows at first before it lets go of those that are not used any more."""
MOST_YOUNG = 4096
"""The same for nodes of the graph that were made since the system's own equations."""


def mode_name(constraints: Sequence[Constraint]) -> str:
    """The name of a mode: its constraints' names.

    >>> mode_name([])
    'free'
    """
    return " + ".join(sorted(constraint.name for constraint in constraints)) or FREE


@dataclass(eq=False)
class ActiveRows:
    """The rows of a set of constraints with their programs; does not depend on the state."""

    constraints: tuple[Constraint, ...]
    rows: tuple[RowNodes, ...]
    program: Program
    """B, C, Phi, how q and s change per unit of each speed, gamma, and B' where rows slide."""
    coordinates: int
    speeds: int
    largest: NDArray[np.float64]
    """The largest entry that each row has had in this run, whatever the choice of speeds."""

    @property
    def slides(self) -> bool:
        return any(row.slides for row in self.rows)

    def at(self, time: float, state: np.ndarray, values: np.ndarray) -> Geometry:
        """The constraints at a state, in numbers."""
        m, n = len(self.rows), self.speeds
        out, c, phi, turn = self.program(time, state, values), m * n, m * n + m, m * n + 2 * m
        turned = turn + (len(state) - 1 - n) * n
        return Geometry(out[phi:turn], out[:c].reshape(m, n), out[c:phi], out[turn:turned].reshape(-1, n))

    def residuals(
        self, bounds: np.ndarray, times: np.ndarray, states: np.ndarray, values: np.ndarray
    ) -> tuple[float, float]:
        """The largest violation along a trajectory, of positions and of speeds; a row of values for each stretch."""
        m, n, first = len(self.rows), self.speeds, self.coordinates
        out = self.program.over_stretches(bounds, times, states, values)
        B, C, phi = out[:, : m * n].reshape(-1, m, n), out[:, m * n : m * n + m], out[:, m * n + m : m * n + 2 * m]
        violation = np.einsum("tmn,tn->tm", B, states[:, first : first + n]) + C
        return float(np.abs(phi).max(initial=0.0)), float(np.abs(violation).max(initial=0.0))


@dataclass(frozen=True, eq=False)
class Embedded:
    """What a mode with constraints has besides its equations."""

    active: ActiveRows
    whole: ActiveRows
    """The same with the rows that were dropped as redundant; they are watched, and audited."""
    partition: Partition
    solve: ConstraintSolve
    unsolved: Program
    """M, f and what else the kernel solves for the rates."""
    notes: tuple[str, ...]
    """Rows that were dropped, in words."""

    looking: threading.Lock = field(default_factory=threading.Lock)
    """Held by whoever uses what follows."""

    @cached_property
    def watching(self) -> ActiveRows:
        """All rows, for whoever looks on while another thread steps: their program has memory of its own."""
        return replace(self.whole, program=self.whole.program.clone())

    @cached_property
    def observed(self) -> NDArray[np.int64]:
        """The cell that gives the reactions to whoever looks on while another thread steps."""
        self._onlookers.extend((self.unsolved.clone(), self.active.program.clone()))
        return self.solve.reactions_by(*(program.cell for program in self._onlookers))

    _onlookers: list[Program] = field(default_factory=list)

    @property
    def drops(self) -> bool:
        return self.whole is not self.active

    @property
    def choice(self) -> Partition:
        """Which speeds depend on which, with the rows counted before any was dropped."""
        rows = tuple(self.whole.rows.index(self.active.rows[r]) for r in self.partition.rows)
        dropped = tuple(r for r in range(len(self.whole.rows)) if r not in rows)
        return Partition(rows, self.partition.dependent, self.partition.independent, dropped, ())

    def violation(self, time: float, state: np.ndarray, values: np.ndarray) -> tuple[str, float]:
        """The row that is violated most, dropped ones included, and by how much relative to the state."""
        whole = self.whole
        now = whole.at(time, state, values)
        speeds = state[whole.coordinates : whole.coordinates + whole.speeds]
        each = np.maximum(np.abs(now.phi), np.abs(now.B @ speeds + now.C))
        worst = int(each.argmax())
        return whole.rows[worst].name, float(each[worst] / (1.0 + np.abs(state[:-1]).max()))


@dataclass(eq=False)
class Mode:
    """A mode ready to run. The free mode has nothing embedded."""

    name: str
    cell: NDArray[np.int64]
    """What the stepper calls for the rates."""
    correction: NDArray[np.int64] | None
    """What the stepper calls to correct an accepted state."""
    program: Program | None
    """The equations as one program; None where the kernel solves."""
    derive_seconds: float
    embedded: Embedded | None = None
    needed: float = 0.0
    """When the mode was first needed, on the clock of time.perf_counter."""
    ready_seconds: float | None = None
    steps: int = 0
    prefetched: bool = False
    """Whether everything that depends on no state had been derived before the mode was needed."""
    replacement: Program | None = None
    """The embedded equations that a live simulation will swap in."""

    def remarks(self, now: float) -> list[Event]:
        """What is worth knowing about a mode that is entered now."""
        if self.embedded is None:
            return []
        made = [Event(now, "redundant", note, self.name, self.name, {}) for note in self.embedded.notes]
        if not self.embedded.partition.independent:
            text = "the constraints leave no freedom; the system follows them alone"
            made.append(Event(now, "locked", text, self.name, self.name, {}))
        return made

    def corrected(self, time: float, state: np.ndarray, values: np.ndarray) -> np.ndarray:
        """A state brought onto the constraints to rounding."""
        if self.correction is None:
            return state
        out = np.empty(len(state))
        call_once(self.correction, time, np.ascontiguousarray(state), values, out)
        return out

    def reactions(self, times: np.ndarray, states: np.ndarray, values: np.ndarray) -> dict[str, np.ndarray]:
        """The reactions of the rows that are kept, along a trajectory."""
        if self.embedded is None:
            return {}
        rows = self.embedded.active.rows
        out = np.empty((len(times), len(rows)))
        with self.embedded.looking:
            call_many(self.embedded.observed, np.ascontiguousarray(times), np.ascontiguousarray(states), values, out)
        return {row.name: out[:, number] for number, row in enumerate(rows)}


class ModeBuilder:
    """Builds modes, and remembers what does not depend on the state."""

    def __init__(
        self, compiled: CompiledSystem, asking: NDArray[np.int64], store: Store, declared: Callable[[], set[Constraint]]
    ) -> None:
        self.compiled, self.asking = compiled, asking
        self.store, self._declared = store, declared
        """What other runs use too: all that belongs to declared constraints. Those of one run alone go with it."""
        self._rows: dict[Constraint, tuple[RowNodes, ...]] = {}
        self._active: dict[tuple[Constraint, ...], ActiveRows] = {}
        self._programs: dict[tuple[ActiveRows, Partition], Program] = {}
        self._enough, self._enough_nodes = MOST_FORGOTTEN, MOST_YOUNG
        layout = compiled.layout
        quaternions = compiled.equations.system.quaternions
        places = [layout.column(part.name) for parts in quaternions for part in parts]
        self._quaternions = np.array(places or [0], dtype=np.int64)[: len(places)]

    def free(self) -> Mode:
        """The mode without constraints."""
        compiled = self.compiled
        return Mode(FREE, compiled.cell, compiled.projection_cell, compiled.rates, compiled.derive_seconds)

    def prepare(self, constraints: Sequence[Constraint]) -> ActiveRows:
        """Rows and programs of a set of constraints; may be called from any thread."""
        key = tuple(constraints)
        with self.compiled.equations.lock:
            if key not in self._active:
                rows: list[RowNodes] = []
                for constraint in constraints:
                    if constraint not in self._rows:
                        self._rows[constraint] = self._read(constraint)
                    rows += self._rows[constraint]
                self._active[key] = self._with_programs(key, tuple(rows))
            return self._active[key]

    @property
    def knows_much(self) -> bool:
        """Whether it is time to let go of what is not used any more."""
        return len(self._active) > self._enough or self.compiled.equations.graph.young > self._enough_nodes

    def forget(self, used: set[Constraint]) -> None:
        """Let go of what belongs to constraints that are neither declared nor used.

        Constraints that are written down on the way may be new each time.
        """
        with self.compiled.equations.lock:
            known = self._declared() | used
            self._rows = {constraint: rows for constraint, rows in self._rows.items() if constraint in known}
            self._active = {key: rows for key, rows in self._active.items() if known.issuperset(key)}
            self._programs = {k: made for k, made in self._programs.items() if known.issuperset(k[0].constraints)}
            self._enough = 2 * len(self._active) + MOST_FORGOTTEN
            self._enough_nodes = 2 * self.compiled.equations.graph.young + MOST_YOUNG

    def sweep(self) -> None:
        """Let go of the nodes that nobody holds after that: two microseconds for each, in whichever thread."""
        with self.compiled.equations.lock:
            self.compiled.equations.quantities.forget()
            self._enough_nodes = 2 * self.compiled.equations.graph.young + MOST_YOUNG

    def _read(self, constraint: Constraint) -> tuple[RowNodes, ...]:
        equations = self.compiled.equations
        if constraint not in self._declared():
            return read_constraint(equations, constraint)
        return self.store.other(("rows", constraint), lambda: read_constraint(equations, constraint))

    def _shared(self, active: Sequence[Constraint], key: Hashable, make: Callable[[], Program]) -> Program:
        """A program, from the store where all its constraints are declared ones."""
        if set(active) <= self._declared():
            return self.store.program(key, make)
        return make()

    def _with_programs(self, constraints: tuple[Constraint, ...], rows: tuple[RowNodes, ...]) -> ActiveRows:
        key = ("constraints", constraints, tuple(row.name for row in rows))
        program = self._shared(constraints, key, lambda: self._rows_program(rows))
        quantities = self.compiled.equations.quantities
        return ActiveRows(constraints, rows, program, len(quantities.q), len(quantities.u), np.zeros(len(rows)))

    def _rows_program(self, rows: tuple[RowNodes, ...]) -> Program:
        quantities = self.compiled.equations.quantities
        zero, speeds = quantities.graph.zero, range(len(quantities.u))
        matrix = [row.B.get(r, zero) for row in rows for r in speeds]
        outputs = [*matrix, *(row.C for row in rows), *(row.phi or zero for row in rows), *quantities.turn]
        outputs += [row.gamma for row in rows]
        if any(row.slides for row in rows):
            outputs += [row.reaction.get(r, zero) for row in rows for r in speeds]
        return self.compiled.program(outputs)

    def split(
        self, active: ActiveRows, numbers: Geometry, state: np.ndarray
    ) -> tuple[ActiveRows, Partition, list[str]]:
        """Choose the dependent speeds at a state; rows that say nothing new are dropped and named."""
        speeds = state[active.coordinates : active.coordinates + active.speeds]
        chosen = choose_partition(numbers.B, numbers.C, float(np.abs(speeds).max(initial=0.0)))
        if chosen.contradictory:
            names = ", ".join(f"'{active.rows[r].name}'" for r in chosen.contradictory)
            others = ", ".join(f"'{active.rows[r].name}'" for r in chosen.rows)
            raise DetentError(
                f"the constraint {names} contradicts the others ({others}): they leave it no motion that satisfies it; "
                "release one of them, or mend its expression"
            )
        return self._reduced(active, chosen)

    def _reduced(self, active: ActiveRows, chosen: Partition) -> tuple[ActiveRows, Partition, list[str]]:
        """The rows that a choice keeps, and the choice with the rows counted among them."""
        notes = [
            f"'{active.rows[r].name}' follows from the other constraints and was dropped" for r in chosen.redundant
        ]
        if chosen.redundant:
            kept = sorted(chosen.rows)
            active = self._with_programs(active.constraints, tuple(active.rows[r] for r in kept))
            order = {row: number for number, row in enumerate(kept)}
            chosen = Partition(tuple(order[r] for r in chosen.rows), chosen.dependent, chosen.independent, (), ())
        return active, chosen, notes

    def build(
        self, active: ActiveRows, numbers: Geometry, state: np.ndarray, symbolic: bool, chosen: Partition | None = None
    ) -> Mode:
        """A mode for a state and the constraints there, embedded on the graph (``symbolic``) or left to the kernel.

        ``chosen`` says which speeds depend on which, if not the best choice here (see :attr:`Embedded.choice`).
        """
        began = time.perf_counter()
        whole = active
        split = self.split(whole, numbers, state) if chosen is None else self._reduced(whole, chosen)
        active, partition, notes = split
        made = self.assemble(active, whole, partition, notes, symbolic)
        made.derive_seconds = time.perf_counter() - began
        return made

    def assemble(
        self, active: ActiveRows, whole: ActiveRows, partition: Partition, notes: Sequence[str], symbolic: bool
    ) -> Mode:
        """A mode for a choice of dependent speeds."""
        mode = self.around(self.solve_of(active, partition), active, whole, partition, notes)
        if symbolic:
            mode.program = self.equations_of(active, partition)
            mode.cell = mode.program.cell
        return mode

    def solve_of(self, active: ActiveRows, partition: Partition) -> ConstraintSolve:
        """What solves for the rates in the kernel, with memory of its own."""
        layout = self.compiled.layout
        made = ConstraintSolve(
            self.compiled.unsolved.cell, active.program.cell,
            (len(layout.coordinates), len(layout.speeds), len(layout.signals)), partition.dependent,
            partition.independent, partition.rows, active.slides, self._quaternions, self.asking,
            active.largest,
        )  # fmt: skip
        made.check_outputs(self.compiled.unsolved.size, active.program.size)
        return made

    def plastic_impact(self, active: ActiveRows, impulses: NDArray[np.float64]) -> ImpactMap:
        """The impact that leaves no velocity against some rows; the impulse of each is left in ``impulses``."""
        layout = self.compiled.layout
        return ImpactMap(
            self.compiled.unsolved.cell, active.program.cell, None,
            (len(layout.coordinates), len(layout.speeds), len(layout.signals)), len(active.rows), active.program.size,
            impulses,
        )  # fmt: skip

    def around(
        self, solve: ConstraintSolve, active: ActiveRows, whole: ActiveRows, partition: Partition,
        notes: Sequence[str] = (),
    ) -> Mode:  # fmt: skip
        """A mode that the kernel solves."""
        embedded = Embedded(active, whole, partition, solve, self.compiled.unsolved, tuple(notes))
        return Mode(mode_name(active.constraints), solve.rates, solve.correction, None, 0.0, embedded)

    def equations_of(self, active: ActiveRows, partition: Partition) -> Program:
        """The embedded equations as one program."""
        key = (active, partition)
        with self.compiled.equations.lock:
            if key not in self._programs:
                rows = tuple(row.name for row in active.rows)
                shared = ("equations", active.constraints, rows, partition)
                self._programs[key] = self._shared(active.constraints, shared, lambda: self._embed(active, partition))
            return self._programs[key]

    def _embed(self, active: ActiveRows, partition: Partition) -> Program:
        embedding = Embedding(self.compiled.equations, active.rows, partition)
        return self.compiled.program(embedding.rates, embedding.bound)
