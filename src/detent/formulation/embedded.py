"""Constraints embedded on-line: dependent speeds are eliminated, and the equations are minimal.

Which speeds depend is chosen at the state in which constraints are entered, and again where that choice becomes hard to
use; the mathematics is that of :mod:`detent.dynamics.minimal_form`. Rows that follow from others are dropped, and
watched.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, final

import numpy as np

from detent.dynamics.minimal_form import MinimalForm
from detent.dynamics.partition import Partition
from detent.errors import DetentError
from detent.formulation.active_rows import ActiveRows, RowValues
from detent.formulation.means import Means
from detent.formulation.node_reactions import NodeReactions
from detent.formulation.partitions import Partitions
from detent.formulation.running import GO_ON, AlongNodes, Exchange, Instant, Remark, Running, StepVerdict
from detent.formulation.workshop import ReducedRows, Workshop
from detent.jit.arrays import Words
from detent.jit.program import Program
from detent.results.outcome import Outcome
from detent.solves.alternatives import ADOPTING
from detent.solves.constraint_solve import ConstraintSolve

OPENING, OPENED = 1e-10, 1e-6
"""A row that was dropped is looked at again when it is violated by the first, relative to the state; by the second, the
motion has left what the constraints allow."""
LOCKED: Final = Remark("locked", "the constraints leave no freedom; the system follows them alone")


@final
class EmbeddedRunning:
    """Constraints with a choice of dependent speeds: by a program of minimal equations, or solved in the kernel."""

    def __init__(
        self, workshop: Workshop, reduced: ReducedRows, whole: ActiveRows, solve: ConstraintSolve,
        program: Program | None = None,
    ) -> None:  # fmt: skip
        self.reduced, self.whole = reduced, whole
        self.active, self.partition = reduced.active, reduced.partition
        self.solve, self.program = solve, program
        self.remarks = (*reduced.remarks, *([] if self.partition.independent else [LOCKED]))
        self.correction: Words = solve.correction
        self.entry, self.fit = self.correction, solve.choice
        self.replacement: Program | None = None
        """Equations that were made while the kernel solved, to be taken up between two steps."""
        self._onlooker = NodeReactions(solve, workshop.compiled.unsolved, self.active, whole)

    @property
    def rates(self) -> Words:
        return self.solve.rates if self.program is None else self.program.cell

    @property
    def reactions(self) -> Words:
        return self.solve.reactions

    # -- between steps -----------------------------------------------------------------------------

    @property
    def is_watched(self) -> bool:
        """Rows that were dropped must go on following from the others."""
        return self.whole is not self.active

    def look(self, instant: Instant) -> StepVerdict:
        """See that rows which were dropped still follow from the others; choose again, or stop, where they do not."""
        name, violation = self.whole.violation(instant.time, instant.state, instant.values)
        if violation > OPENED:
            outcome = Outcome.SINGULAR_CONSTRAINT
            return StepVerdict(True, outcome, (
                f"at t = {instant.time:.9g}, '{name}', which followed from the other constraints before, no longer "
                f"holds (by {violation:.3g}): {outcome.advice}"
            ))  # fmt: skip
        if violation > OPENING:
            self.solve.flag[0] = 1
            return StepVerdict(calls=True)
        return GO_ON

    @property
    def asks(self) -> bool:
        """Whether other speeds would make better independent ones."""
        return bool(self.solve.flag[0])

    def take_up(self) -> bool:
        if self.program is not None or self.replacement is None or not self.replacement.is_native:
            return False
        self.program = self.replacement
        return True

    def compile_later(self) -> None:
        if self.program is not None:
            self.program.compile_later()
        self.active.program.compile_later()

    # -- afterwards --------------------------------------------------------------------------------

    def along(self, bounds: np.ndarray, times: np.ndarray, states: np.ndarray, values: np.ndarray) -> AlongNodes:
        return self._onlooker.along(bounds, times, states, values)

    @property
    def native_seconds(self) -> float | None:
        return None if self.program is None else self.program.native_seconds

    def saved(self) -> dict[str, Any]:
        """The choice, and how large its factors may become."""
        return {**self.reduced.saved(self.whole), "bound": self.solve.bound.tolist()}


@final
@dataclass(frozen=True)
class Embedded:
    """Active constraints are embedded: minimal equations in independent speeds, which are chosen on-line.

    >>> Embedded()
    Embedded()
    """

    name: ClassVar[str] = "embedded"
    carries: ClassVar[bool] = False
    misses: ClassVar[tuple[float, float]] = (0.0, 0.0)
    owns_contacts: ClassVar[bool] = False

    def of_run(self, means: Means) -> EmbeddedFormulation:
        """Embeds the constraints of one run."""
        return EmbeddedFormulation(means)


def _any_partition(rows: int, speeds: int) -> Partition:
    """Dependent speeds for a mode whose own are chosen where it is entered."""
    return Partition(tuple(range(rows)), tuple(range(rows)), tuple(range(rows, speeds)), (), ())


@final
class EmbeddedFormulation:
    """Embeds the active constraints, whenever they change, at the state that there is then."""

    def __init__(self, means: Means) -> None:
        self._workshop, self._means = means.workshop, means
        self._choices = Partitions(means, self)
        self._adopts = False

    def adopt_choices(self, known: Iterable[Running]) -> None:
        """From now on have the kernel choose dependent speeds again by itself, in known modes and in those to come.

        For a servo that follows an automaton, which must not wait for Python; where rates are solved for.
        """
        self._adopts = True
        for running in known:
            self._adopt_in(running)
        self._means.solver.offer(ADOPTING)

    @property
    def _symbolic(self) -> bool:
        return self._means.embedding == "symbolic"

    def enter(
        self, active: ActiveRows, instant: Instant, geometry: RowValues, kept: Mapping[str, Any] | None = None
    ) -> EmbeddedRunning:
        if active.bent:
            raise DetentError(
                f"the constraint '{active.bent[0]}' is not linear in the speeds, and the formulation 'embedded' "
                "eliminates speeds that depend linearly on others; use formulation='corrected', 'projection' or "
                "'multipliers'"
            )
        if kept is None:
            return self.assemble(self._workshop.reduce(active, geometry, instant.state), active)
        made = self.assemble(self._workshop.reduce_as(active, kept), active)
        made.solve.bound[:] = kept["bound"]
        return made

    def assemble(
        self, reduced: ReducedRows, whole: ActiveRows, solve: ConstraintSolve | None = None
    ) -> EmbeddedRunning:
        """What runs with a choice of dependent speeds; ``solve`` if the kernel has made it, and solves."""
        if solve is not None:
            return EmbeddedRunning(self._workshop, reduced, whole, solve)
        program = self.equations_of(reduced) if self._symbolic else None
        made = EmbeddedRunning(
            self._workshop, reduced, whole, self._workshop.solve_of(reduced.active, reduced.partition), program
        )
        if self._adopts:
            self._adopt_in(made)
        return made

    def _adopt_in(self, running: Running) -> None:
        if isinstance(running, EmbeddedRunning) and running.program is None and not running.is_watched:
            running.fit = running.solve.adopt()

    def equations_of(self, reduced: ReducedRows) -> Program:
        """The embedded equations as one program."""
        return self._workshop.program_of(reduced.active, reduced.partition, lambda: self._embed(reduced))

    def _embed(self, reduced: ReducedRows) -> Program:
        embedding = MinimalForm(self._workshop.compiled.equations, reduced.active.rows, reduced.partition)
        return self._workshop.compiled.program(embedding.rates, embedding.bound)

    def ahead(self, active: ActiveRows, instant: Instant) -> EmbeddedRunning | None:
        if active.bent:
            return None  # said where it is entered
        active.program.compile()
        geometry = self._workshop.at(active, instant)
        partition = geometry.partition()
        if len(partition.rows) < len(active.rows):
            if not self._adopts or len(active.rows) > active.speeds:
                return None  # from here one cannot tell which rows and speeds will be chosen there
            partition = _any_partition(len(active.rows), active.speeds)
        reduced = ReducedRows(active, partition)
        if self._means.embedding != "numeric":
            self.equations_of(reduced).compile()
        return self.assemble(reduced, active)

    # -- choosing again ----------------------------------------------------------------------------

    def begin(self, running: Running) -> None:
        self._choices.begin(running if isinstance(running, EmbeddedRunning) else None)

    def knows(self, running: Running) -> bool:
        return self._choices.knows(running)

    def turns(self, steps: int) -> Iterator[Exchange]:
        return self._choices.turns(steps) if self._means.alone else iter(())

    def answer(self, running: Running, instant: Instant) -> Running | None:
        assert isinstance(running, EmbeddedRunning)
        return self._choices.answer(running, instant)

    def tells(self, before: Running, after: Running) -> str | None:
        """None where the same speeds stay independent, in another order."""
        if set(after.partition.dependent) == set(before.partition.dependent):
            return None
        names = ", ".join(self._workshop.compiled.layout.speeds[r] for r in after.partition.independent)
        return f"independent: {names}"

    # -- faster code -------------------------------------------------------------------------------

    def runs_long(self, running: Running) -> bool:
        """Where the kernel solves in a live run, equations are derived once it is clear that they will be used."""
        return isinstance(running, EmbeddedRunning) and running.program is None and self._means.embedding == "live"

    def improve(self, running: Running) -> None:
        assert isinstance(running, EmbeddedRunning)
        self._choices.make_room(running)
        running.active.program.compile()
        program = self.equations_of(running.reduced)
        program.compile()
        before, running.replacement = running.rates, program
        self._choices.improve(running)
        self._means.solver.exchange_soon(before, program.cell)
