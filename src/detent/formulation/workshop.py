"""What formulations are made with: rows of constraints and their programs, derived once and remembered."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from detent.dynamics.partition import Partition
from detent.dynamics.rows import RowNodes, read_constraint
from detent.errors import DetentError
from detent.formulation.active_rows import ActiveRows, RowValues
from detent.formulation.compiled import CompiledSystem
from detent.formulation.running import Instant, Remark
from detent.formulation.store import Store
from detent.jit.program import Program
from detent.model.constraint import Constraint
from detent.solves.constraint_frame import SIZES
from detent.solves.constraint_solve import ConstraintSolve
from detent.solves.impact_map import ImpactMap

SINGULAR = 1e-13
"""A matrix whose smallest singular value is at most this part of its largest is singular."""
MOST_FORGOTTEN = 32
"""Sets of constraints that a workshop knows at first before it lets go of those that are not used any more."""
MOST_YOUNG = 4096
"""The same for nodes of the graph that were made since the system's own equations."""


@dataclass(frozen=True)
class ReducedRows:
    """Rows that are independent at a state, and which speeds depend on which there."""

    active: ActiveRows
    partition: Partition
    remarks: tuple[Remark, ...] = ()
    """The rows that were dropped, in words."""

    def saved(self, whole: ActiveRows) -> dict[str, Any]:
        """The choice as a checkpoint keeps it, with the rows counted before any was dropped."""
        rows = [whole.rows.index(self.active.rows[r]) for r in self.partition.rows]
        return {
            "rows": rows,
            "dependent": list(self.partition.dependent),
            "independent": list(self.partition.independent),
            "redundant": [r for r in range(len(whole.rows)) if r not in rows],
        }


@final
class Workshop:
    """Reads constraints, makes their programs, and remembers what does not depend on the state."""

    def __init__(
        self, compiled: CompiledSystem, asking: NDArray[np.int64], store: Store, declared: Callable[[], set[Constraint]]
    ) -> None:
        self.compiled, self.asking = compiled, asking
        self.store, self._declared = store, declared
        """What other runs use too: all that belongs to declared constraints. Those of one run alone go with it."""
        self._rows: dict[Constraint, tuple[RowNodes, ...]] = {}
        self._active: dict[tuple[Constraint, ...], ActiveRows] = {}
        self._programs: dict[tuple[ActiveRows, Hashable], Program] = {}
        self._ahead: dict[tuple[ActiveRows, Partition], ConstraintSolve] = {}
        """What was made before it is asked for."""
        self._impacts: dict[ActiveRows, tuple[ImpactMap, NDArray[np.float64]]] = {}
        self._enough, self._enough_nodes = MOST_FORGOTTEN, MOST_YOUNG
        layout = compiled.layout
        self.sizes = len(layout.coordinates), len(layout.speeds), len(layout.signals)
        quaternions = compiled.equations.system.quaternions
        places = [layout.column(part.name) for parts in quaternions for part in parts]
        self.quaternions = np.array(places or [0], dtype=np.int64)[: len(places)]

    # -- rows --------------------------------------------------------------------------------------

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
        coordinates, speeds, _ = self.sizes
        return ActiveRows(constraints, rows, program, coordinates, speeds, np.zeros(SIZES * (len(rows) + speeds)))

    def _rows_program(self, rows: tuple[RowNodes, ...]) -> Program:
        quantities = self.compiled.equations.quantities
        zero, speeds = quantities.graph.zero, range(len(quantities.u))
        matrix = [row.B.get(r, zero) for row in rows for r in speeds]
        outputs = [*matrix, *(row.C for row in rows), *(row.phi or zero for row in rows), *quantities.turn]
        outputs += [row.gamma for row in rows]
        if any(row.slides for row in rows):
            outputs += [row.reaction.get(r, zero) for row in rows for r in speeds]
        return self.compiled.program(outputs)

    # -- which speeds depend -----------------------------------------------------------------------

    def reduce(self, active: ActiveRows, geometry: RowValues, state: np.ndarray) -> ReducedRows:
        """Choose the dependent speeds at a state; rows that say nothing new are dropped and named."""
        speeds = state[active.coordinates : active.coordinates + active.speeds]
        chosen = geometry.partition(max(map(abs, speeds.tolist()), default=0.0))
        if chosen.contradictory:
            names = ", ".join(f"'{active.rows[r].name}'" for r in chosen.contradictory)
            others = ", ".join(f"'{active.rows[r].name}'" for r in chosen.rows)
            raise DetentError(
                f"the constraint {names} contradicts the others ({others}): they leave it no motion that satisfies it; "
                "release one of them, or mend its expression"
            )
        return self._reduce_by(active, chosen)

    def entered(
        self, active: ActiveRows, instant: Instant, geometry: RowValues, kept: Mapping[str, Any] | None
    ) -> ReducedRows:
        """The choice where rows are entered: one that was saved, or made here."""
        return self.reduce(active, geometry, instant.state) if kept is None else self.reduce_as(active, kept)

    def reduce_as(self, active: ActiveRows, kept: Mapping[str, Any]) -> ReducedRows:
        """The choice that was saved."""
        rows, dependent, independent, redundant = (
            tuple(kept[name]) for name in ("rows", "dependent", "independent", "redundant")
        )
        return self._reduce_by(active, Partition(rows, dependent, independent, redundant, ()))

    def _reduce_by(self, active: ActiveRows, chosen: Partition) -> ReducedRows:
        """The rows that a choice keeps, and the choice with the rows counted among them."""
        if not chosen.redundant:
            return ReducedRows(active, chosen)
        kept = sorted(chosen.rows)
        fewer = self._with_programs(active.constraints, tuple(active.rows[r] for r in kept))
        order = {row: number for number, row in enumerate(kept)}
        partition = Partition(tuple(order[r] for r in chosen.rows), chosen.dependent, chosen.independent, (), ())
        remarks = tuple(
            Remark("redundant", f"'{active.rows[r].name}' follows from the other constraints and was dropped")
            for r in chosen.redundant
        )
        return ReducedRows(fewer, partition, remarks)

    # -- programs and solves -----------------------------------------------------------------------

    def program_of(self, active: ActiveRows, key: Hashable, make: Callable[[], Program]) -> Program:
        """A program that belongs to some rows, made when it is first asked for; ``key`` tells it from others."""
        with self.compiled.equations.lock:
            if (active, key) not in self._programs:
                shared = ("equations", active.constraints, active.names, key)
                self._programs[active, key] = self._shared(active.constraints, shared, make)
            return self._programs[active, key]

    def solve_of(self, active: ActiveRows, partition: Partition) -> ConstraintSolve:
        """What solves for the rates in the kernel, with memory of its own."""
        return self._ahead.pop((active, partition), None) or self._made(active, partition)

    def make_ahead(self, active: ActiveRows, instant: Instant) -> None:
        """Make what some rows will need where they begin to hold near an instant; only while nothing runs them."""
        reduced = self.reduce(active, self.at(active, instant), instant.state)
        if (reduced.active, reduced.partition) not in self._ahead:
            self._ahead[reduced.active, reduced.partition] = self._made(reduced.active, reduced.partition)
        if active not in self._impacts:
            impulses = np.empty(len(active.rows))
            self._impacts[active] = self._impact(active, impulses), impulses

    def _made(self, active: ActiveRows, partition: Partition) -> ConstraintSolve:
        made = ConstraintSolve(
            self.compiled.unsolved.cell, active.program.cell, self.sizes, partition.dependent, partition.independent,
            partition.rows, active.slides, self.quaternions, self.asking, active.largest, self.compiled.following,
        )  # fmt: skip
        made.check_outputs(self.compiled.unsolved.size, active.program.size)
        return made

    def plastic_impact(self, active: ActiveRows) -> tuple[ImpactMap, NDArray[np.float64]]:
        """The impact that leaves no velocity against some rows, and where the impulse of each is left."""
        known = self._impacts.get(active)
        if known is not None:
            return known
        impulses = np.empty(len(active.rows))
        return self._impact(active, impulses), impulses

    def _impact(self, active: ActiveRows, impulses: NDArray[np.float64]) -> ImpactMap:
        return ImpactMap(
            self.compiled.unsolved.cell, active.program.cell, None, self.sizes, len(active.rows), active.program.size,
            impulses,
        )  # fmt: skip

    def is_singular(self, instant: Instant, geometry: RowValues | None = None) -> bool:
        """Whether M is singular here; with constraints: whether it is so along what they allow."""
        size = len(self.compiled.layout.speeds)
        mass = self.compiled.mass(instant.time, instant.state, instant.values).reshape(size, size)
        if geometry is not None:
            mass = mass + geometry.B.T @ geometry.B
        sizes = np.linalg.svd(mass, compute_uv=False)
        return not sizes[-1] > SINGULAR * sizes[0]

    def at(self, active: ActiveRows, instant: Instant) -> RowValues:
        """The constraints at an instant, in numbers."""
        return active.at(instant.time, instant.state, instant.values)
