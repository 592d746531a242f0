"""Constraints by multipliers: all speeds stay, and the reactions are solved for with the accelerations (index 1).

    M u' = f + B'^T lambda,        B u' = gamma - a (B u + C) - b Phi

With a = b = 0 the constraints hold only as well as the integration adds up: they drift. The gains of Baumgarte (1972)
pull the state back: Phi'' + a Phi' + b Phi = 0, and for a row that binds the motion alone w' + (a/2) w = 0. The roots
of s^2 + a s + b have the real part -a/2 where a^2 <= 4 b, so that all violations die out alike, as exp(-a t/2). With
a = 2 w and b = w^2 they do so within some 1/w, without swinging.

Soft (Wang et al., ANDY, section 2.3): a spring and a damper push along the rows, -B'^T (k Phi + d (B u + C)), *after*
lambda was found without them; as loads, inside f, lambda would cancel them.

Where M is singular, because only constraints say how a part without inertia moves, B^T times the second equation is
added to the first: M + B^T B is regular wherever the motions that are left have inertia, and nothing else changes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar, Final, NamedTuple, final

import numpy as np

from detent.dynamics.rows import RowNodes
from detent.errors import DetentError, ValueProblem
from detent.expr.graph import Node
from detent.expr.linear import solve_general
from detent.formulation.active_rows import ActiveRows, RowValues
from detent.formulation.means import Means
from detent.formulation.running import GO_ON, AlongNodes, Instant, Running, StepVerdict
from detent.formulation.unexchanged import UnexchangedFormulation
from detent.formulation.workshop import ReducedRows, Workshop
from detent.jit.arrays import Words
from detent.jit.program import Program

OPENED: Final = 1e-6
"""A row that was dropped has opened when it is violated by more than this, relative to the state, ..."""
DRIFTED: Final = 100.0
"""... and by so many times what the rows are violated by that are kept: what all do is drift."""


class MultipliersSettings(NamedTuple):
    """What decides the equations, besides the rows."""

    gains: tuple[float, float]
    soft: bool = False
    """Whether they are those of a spring and a damper."""
    massless: bool = False
    """Whether some motion that the constraints prevent meets no inertia."""


class _Multipliers:
    """The equations of some rows, on the graph."""

    def __init__(self, workshop: Workshop, rows: tuple[RowNodes, ...], settings: MultipliersSettings) -> None:
        self._equations, self._rows, self._settings = workshop.compiled.equations, rows, settings
        self._graph, self._u = self._equations.graph, self._equations.quantities.u

    @cached_property
    def _inertia(self) -> tuple[list[list[Node]], list[Node]]:
        """M and f, with the rows added where M alone is singular."""
        M, f, speeds = self._equations.mass_matrix, self._equations.forcing, range(len(self._u))
        if not self._settings.massless:
            return M, f
        held = [(row.B, self._wanted(row)) for row in self._rows]
        zero, graph = self._graph.zero, self._graph
        mass = [
            [M[r][s] + graph.sum([B[r] * B[s] for B, _ in held if r in B and s in B]) for s in speeds] for r in speeds
        ]
        return mass, [f[r] + graph.sum([B.get(r, zero) * wanted for B, wanted in held]) for r in speeds]

    @cached_property
    def _solved(self) -> tuple[list[Node], list[Node]]:
        """u' and lambda, by way of W = M^-1 [B'^T, f] and (B W) lambda = B u' - B M^-1 f."""
        graph, speeds, count = self._graph, range(len(self._u)), len(self._rows)
        mass, forcing = self._inertia
        right = [[*(row.reaction.get(r, graph.zero) for row in self._rows), forcing[r]] for r in speeds]
        moved = solve_general(graph, mass, right)
        square = [[self._along(row, moved, column) for column in range(count)] for row in self._rows]
        rest = [[self._wanted(row) - self._along(row, moved, count)] for row in self._rows]
        found = [line[0] for line in solve_general(graph, square, rest)]
        reactions = [value + self._softly(row) for value, row in zip(found, self._rows, strict=True)]
        return [moved[r][count] + graph.dot(moved[r][:count], reactions) for r in speeds], reactions

    def _along(self, row: RowNodes, columns: list[list[Node]], column: int) -> Node:
        return self._graph.dot(list(row.B.values()), [columns[r][column] for r in row.B])

    def _wanted(self, row: RowNodes) -> Node:
        """B u' of a row: what keeps it, and what pulls it back."""
        graph, (damping, stiffness) = self._graph, self._settings.gains
        velocity = self._velocity(row)
        if self._settings.soft:
            return row.gamma
        if row.phi is None:  # of first order, with the root that the others have twice
            return row.gamma - graph.constant(damping / 2.0) * velocity
        return row.gamma - graph.constant(damping) * velocity - graph.constant(stiffness) * row.phi

    def _velocity(self, row: RowNodes) -> Node:
        return self._graph.dot(list(row.B.values()), [self._u[r] for r in row.B]) + row.C

    def _softly(self, row: RowNodes) -> Node:
        """What a spring and a damper push along a row besides its multiplier."""
        graph, (damping, stiffness) = self._graph, self._settings.gains
        if not self._settings.soft:
            return graph.zero
        push = -(graph.constant(damping) * self._velocity(row))
        return push if row.phi is None else push - graph.constant(stiffness) * row.phi

    @property
    def reactions(self) -> list[Node]:
        return self._solved[1]

    @cached_property
    def rates(self) -> list[Node]:
        """The rates of the whole state; the last is the power of what is not conservative."""
        graph, quantities = self._graph, self._equations.quantities
        constant, factors = self._equations.power_parts
        power = constant + graph.dot(factors, self._solved[0])
        for row, reaction in zip(self._rows, self.reactions, strict=True):
            # The power of every reaction: along a row that is kept it is zero, and that of drift must not be lost.
            power = power + reaction * graph.dot(list(row.reaction.values()), [self._u[r] for r in row.reaction])
        return [*quantities.q_rates, *self._solved[0], *quantities.s_rates, power]


def _program(workshop: Workshop, reduced: ReducedRows, what: str, settings: MultipliersSettings) -> Program:
    made = _Multipliers(workshop, reduced.active.rows, settings)
    return workshop.compiled.program(made.rates if what == "rates" else made.reactions)


@final
class MultipliersRunning:
    """Rows with their multipliers, as one program."""

    asks: bool = False
    fit: Final = None

    def __init__(
        self, workshop: Workshop, reduced: ReducedRows, whole: ActiveRows, settings: MultipliersSettings
    ) -> None:
        self.reduced, self.whole, self.remarks = reduced, whole, reduced.remarks
        self.active, self.partition = reduced.active, reduced.partition
        self._program, self._reactions = (
            workshop.program_of(self.active, (what, settings), partial(_program, workshop, reduced, what, settings))
            for what in ("rates", "reactions")
        )
        self._solve = workshop.solve_of(self.active, self.partition)  # what brings a state onto its constraints
        self.rates: Words = self._program.cell
        self.reactions: Words = self._reactions.cell
        self.correction = workshop.compiled.projection_cell
        self.entry: Words = self._solve.correction
        self._watching = replace(whole, program=whole.program.clone())
        self._observed = self._reactions.clone()

    @property
    def is_watched(self) -> bool:
        """Rows that were dropped must go on following from the others."""
        return self.whole is not self.active

    def look(self, instant: Instant) -> StepVerdict:
        """See that rows which were dropped drift no more than the others do."""
        _, kept = self.active.violation(instant.time, instant.state, instant.values)
        _, whole = self.whole.violation(instant.time, instant.state, instant.values)
        self.asks = whole > max(OPENED, DRIFTED * kept)
        return StepVerdict(calls=True) if self.asks else GO_ON

    def take_up(self) -> bool:
        """Its code is exchanged where it is."""
        return False

    def compile_later(self) -> None:
        for program in (self._program, self._reactions, self.active.program):
            program.compile_later()

    def along(self, bounds: np.ndarray, times: np.ndarray, states: np.ndarray, values: np.ndarray) -> AlongNodes:
        worst = self._watching.residuals(bounds, times, states, values)
        return AlongNodes(*worst, self._observed.over_stretches(bounds, times, states, values))

    @property
    def native_seconds(self) -> float | None:
        return self._program.native_seconds

    def saved(self) -> dict[str, Any]:
        return {**self.reduced.saved(self.whole), "bound": self._solve.bound.tolist()}


@final
@dataclass(frozen=True)
class Multipliers:
    """Active constraints by multipliers, with the gains a (``damping``, 1/s) and b (``stiffness``, 1/s^2) of Baumgarte.

    By default critically damped with 5/s; gains near the inverse of a step would cost the method its order. With both
    zero the constraints are not stabilised, and drift. With ``soft`` they are the coefficients of a damper (N s/m for a
    row in metres) and of a spring (N/m) that push beside the multipliers; there is no default that fits all masses.

    >>> import detent
    >>> run = detent.example("slider-crank").simulate(until=1, formulation=detent.Multipliers(damping=0, stiffness=0))
    >>> run.outcome.word
    'completed'
    """

    damping: float = 10.0
    stiffness: float = 25.0
    soft: bool = False
    name: ClassVar[str] = "multipliers"
    carries: ClassVar[bool] = False
    misses: ClassVar[tuple[float, float]] = (0.0, 0.0)
    owns_contacts: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if self.soft not in (True, False):
            raise ValueProblem(f"the soft of Multipliers is {self.soft!r}; use True or False")
        for name, value in (("damping", self.damping), ("stiffness", self.stiffness)):
            if isinstance(value, (str, bool)) or not 0.0 <= value < math.inf:
                raise ValueProblem(f"the {name} of Multipliers is {value!r}; give a finite number, zero or larger")

    def of_run(self, means: Means) -> MultipliersFormulation:
        """Handles the constraints of one run."""
        return MultipliersFormulation(
            means, MultipliersSettings((float(self.damping), float(self.stiffness)), bool(self.soft))
        )


@final
class MultipliersFormulation(UnexchangedFormulation):
    """Solves for accelerations and reactions together, with all rows that are independent where they are entered."""

    def __init__(self, means: Means, settings: MultipliersSettings) -> None:
        self._workshop, self._settings = means.workshop, settings

    def enter(
        self, active: ActiveRows, instant: Instant, geometry: RowValues, kept: Mapping[str, Any] | None = None
    ) -> MultipliersRunning:
        return self._made(self._workshop.entered(active, instant, geometry, kept), active, geometry, instant)

    def _made(
        self, reduced: ReducedRows, whole: ActiveRows, geometry: RowValues, instant: Instant
    ) -> MultipliersRunning:
        settings = self._settings._replace(massless=self._workshop.is_singular(instant))
        if settings.massless and settings.soft:
            raise DetentError(
                f"the mass matrix of '{self._workshop.compiled.equations.system.name}' is singular at t = "
                f"{instant.time:.9g}, where a soft constraint would push on nothing; use Multipliers(soft=False), or "
                "formulation='embedded', 'projection' or 'corrected'"
            )
        if settings.massless and self._workshop.is_singular(instant, geometry):
            raise DetentError(
                f"the mass matrix of '{self._workshop.compiled.equations.system.name}' is singular at t = "
                f"{instant.time:.9g} along a motion that the constraints allow; give what moves then mass or inertia"
            )
        return MultipliersRunning(self._workshop, reduced, whole, settings)

    def ahead(self, active: ActiveRows, instant: Instant) -> MultipliersRunning | None:
        geometry = self._workshop.at(active, instant)
        partition = geometry.partition()
        if len(partition.rows) < len(active.rows):
            return None  # from here one cannot tell which rows will be dropped there
        made = self._made(ReducedRows(active, partition), active, geometry, instant)
        made.compile_later()
        return made

    def begin(self, running: Running) -> None:
        """Nothing is to be prepared."""

    def answer(self, running: Running, instant: Instant) -> Running | None:
        """Rows that were dropped have opened: others are to be dropped, if any."""
        return self.enter(running.whole, instant, self._workshop.at(running.whole, instant))
