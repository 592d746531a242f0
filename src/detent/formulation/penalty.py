"""Constraints and contacts by penalties: springs and dampers push back what violates them, and nothing else holds.

    M u' = f - B'^T (k Phi + d (B u + C))                                            (constraints)
    N = max(0, -k g - d g'),      F = -min(d |v|, mu N) v/|v|     while g < 0        (contacts)

with the gap g and the slip v of a contact. A row that binds the motion alone has the damper alone. Everything is one
ordinary differential equation: a contact has no status, and nothing happens to it at an instant. What it gives back in
an impact follows from k and d, not from its law of impact, and what should stick creeps with F/d.

A place on a face that has an end may also be behind it, where its gap is negative rightly. Deeper than ``reach`` it is.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar, Final, NamedTuple, final

import numpy as np

from detent.dynamics.rows import RowNodes
from detent.errors import DetentError, ValueProblem
from detent.expr import operation as op
from detent.expr.graph import Node
from detent.expr.linear import solve_symmetric
from detent.formulation.active_rows import ActiveRows, RowValues
from detent.formulation.means import Means
from detent.formulation.running import GO_ON, AlongNodes, Instant, Remark, Running, StepVerdict
from detent.formulation.unexchanged import UnexchangedFormulation
from detent.formulation.workshop import ReducedRows, Workshop
from detent.hybrid.contact_place import Place
from detent.jit.arrays import Words
from detent.jit.program import Program
from detent.stepping.tableau import CLASSICAL_STABLE_UP_TO

TINY: Final = 1e-300
"""In place of a zero that would divide a zero."""


ENDLESS: Final = ("line", "plane")
"""Kinds of shapes that nothing can be behind without having passed through them."""


def may_be_behind(place: Place) -> bool:
    """Whether the gap of a place may be negative though nothing overlaps: its face has an end."""
    return bool(place.domains) and not {place.contact.first.kind, place.contact.second.kind} & set(ENDLESS)


class PenaltySettings(NamedTuple):
    """What decides the equations, besides the rows."""

    stiffness: float
    damping: float
    reach: float


class _Penalties:
    """The equations of constraints and contacts, on the graph."""

    def __init__(
        self, workshop: Workshop, rows: Sequence[RowNodes], constrained: int, places: Sequence[Place],
        by: PenaltySettings,
    ) -> None:  # fmt: skip
        self._equations, self._by = workshop.compiled.equations, by
        self._graph, self._u = self._equations.graph, self._equations.quantities.u
        self._rows, self._constrained, self._places = rows, constrained, places

    @cached_property
    def forces(self) -> list[Node]:
        """The force of each row: those of the constraints, then those of the contacts, place by place."""
        found = [-self._spring(row) for row in self._rows[: self._constrained]]
        rest = iter(self._rows[self._constrained :])
        for place in self._places:
            normal, slips = next(rest), [next(rest) for _ in range(place.directions if place.rubs else 0)]
            found += self._contact(place, normal, slips)
        return found

    def _velocity(self, row: RowNodes) -> Node:
        return self._graph.dot(list(row.B.values()), [self._u[r] for r in row.B]) + row.C

    def _spring(self, row: RowNodes) -> Node:
        push = self._graph.constant(self._by.damping) * self._velocity(row)
        return push if row.phi is None else push + self._graph.constant(self._by.stiffness) * row.phi

    def _contact(self, place: Place, normal: RowNodes, slips: Sequence[RowNodes]) -> list[Node]:
        """The normal force, never one that pulls, and friction along each tangent."""
        graph, convert = self._graph, self._equations.quantities.convert
        assert normal.phi is not None
        touches = graph.apply(op.LESS, normal.phi, graph.zero)
        if may_be_behind(place):
            near = graph.apply(op.LESS, graph.constant(-self._by.reach), normal.phi)
            touches = graph.apply(op.BOTH, touches, near)
        if place.domains:
            inside = graph.apply(op.LESS_EQUAL, graph.zero, convert(place.domains[0]))
            touches = graph.apply(op.BOTH, touches, inside)
        pressed = graph.function2(op.MAXIMUM, -self._spring(normal), graph.zero)
        N = graph.select(touches, pressed, graph.zero)
        if not slips:
            return [N]
        speeds, most = [self._velocity(row) for row in slips], convert(place.kinetic_by_state) * N
        size = graph.function(op.SQRT, graph.dot(speeds, speeds))
        damped = graph.constant(self._by.damping) * size
        larger = graph.function2(op.MAXIMUM, graph.function2(op.MAXIMUM, damped, most), graph.constant(TINY))
        factor = graph.constant(self._by.damping) * most / larger
        return [N, *(-(factor * speed) for speed in speeds)]

    @cached_property
    def rates(self) -> list[Node]:
        """The rates of the whole state; the last is the power of what is not conservative, the springs among it."""
        graph, quantities = self._graph, self._equations.quantities
        pushed = list(self._equations.forcing)
        for row, force in zip(self._rows, self.forces, strict=True):
            for r, along in row.reaction.items():
                pushed[r] = pushed[r] + along * force
        accelerations = solve_symmetric(graph, self._equations.mass_matrix, pushed)
        constant, factors = self._equations.power_parts
        power = constant + graph.dot(factors, accelerations)
        for row, force in zip(self._rows, self.forces, strict=True):
            power = power + force * graph.dot(list(row.reaction.values()), [self._u[r] for r in row.reaction])
        return [*quantities.q_rates, *accelerations, *quantities.s_rates, power]


def _program(
    workshop: Workshop, rows: Sequence[RowNodes], constrained: int, places: Sequence[Place], by: PenaltySettings,
    what: str,
) -> Program:  # fmt: skip
    made = _Penalties(workshop, rows, constrained, places, by)
    return workshop.compiled.program(made.rates if what == "rates" else made.forces)


@final
class PenaltyRunning:
    """Rows as springs and dampers, as one program."""

    asks: Final = False
    fit: Final = None
    is_watched: Final = False
    remarks: Final[tuple[Remark, ...]] = ()

    def __init__(
        self, workshop: Workshop, constrained: ActiveRows, reduced: ReducedRows, places: Sequence[Place],
        by: PenaltySettings,
    ) -> None:  # fmt: skip
        contacts = [place.sticking if place.rubs else place.slipping for place in places]
        self.active = workshop.prepare([*constrained.constraints, *contacts])
        self.whole, self.partition = constrained, reduced.partition
        self._reduced, self._constrained = reduced, constrained
        self._program, self._forces = (
            workshop.program_of(
                self.active,
                ("penalty", what, by),
                partial(_program, workshop, self.active.rows, len(constrained.rows), places, by, what),
            )
            for what in ("rates", "forces")
        )
        self._solve = workshop.solve_of(reduced.active, reduced.partition) if constrained.rows else None
        self.rates: Words = self._program.cell
        self.reactions: Words = self._forces.cell
        self.correction = workshop.compiled.projection_cell
        self.entry: Words | None = self.correction if self._solve is None else self._solve.correction
        self._watching = replace(constrained, program=constrained.program.clone())
        self._observed = self._forces.clone()

    def look(self, instant: Instant) -> StepVerdict:
        """There is nothing to be looked at."""
        return GO_ON

    def take_up(self) -> bool:
        """Its code is exchanged where it is."""
        return False

    def compile_later(self) -> None:
        for program in (self._program, self._forces):
            program.compile_later()

    def along(self, bounds: np.ndarray, times: np.ndarray, states: np.ndarray, values: np.ndarray) -> AlongNodes:
        """How far the constraints are violated, and the forces of these and of the contacts."""
        worst = self._watching.residuals(bounds, times, states, values) if self._constrained.rows else (0.0, 0.0)
        return AlongNodes(*worst, self._observed.over_stretches(bounds, times, states, values))

    @property
    def native_seconds(self) -> float | None:
        return self._program.native_seconds

    def saved(self) -> dict[str, Any] | None:
        if self._solve is None:
            return None
        return {**self._reduced.saved(self._constrained), "bound": self._solve.bound.tolist()}


@final
@dataclass(frozen=True)
class Penalty:
    """Constraints and contacts by springs (``stiffness``, N/m for a row in metres) and dampers (``damping``, N s/m).

    How stiff they are depends on the masses: with the effective mass m of a row a violation swings with sqrt(k/m) and
    dies out with d/2m. The larger they are, the smaller violations and the shorter steps. A place of contact on a face
    that has an end counts down to the depth ``reach`` (m); deeper it is behind that face.

    >>> import detent
    >>> run = detent.example("slider-crank").simulate(until=1, formulation=detent.Penalty(stiffness=1e5, damping=500))
    >>> 1e-6 < run.audit.position_residual < 1e-2
    True
    """

    stiffness: float = 1e6
    damping: float = 1e3
    reach: float = 0.05
    name: ClassVar[str] = "penalty"
    carries: ClassVar[bool] = False
    misses: ClassVar[tuple[float, float]] = (0.0, 0.0)
    owns_contacts: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name in ("stiffness", "damping", "reach"):
            value = getattr(self, name)
            if isinstance(value, (str, bool)) or not 0.0 < value < math.inf:
                raise ValueProblem(f"the {name} of Penalty is {value!r}; give a finite number greater than 0")

    def of_run(self, means: Means) -> PenaltyFormulation:
        """Handles the constraints and contacts of one run."""
        return PenaltyFormulation(means, PenaltySettings(*map(float, (self.stiffness, self.damping, self.reach))))


@final
class PenaltyFormulation(UnexchangedFormulation):
    """Has springs and dampers push along all rows, those that follow from others too."""

    def __init__(self, means: Means, by: PenaltySettings) -> None:
        self._workshop, self._by = means.workshop, by
        self._step, self._largest = means.solver.fixed_step, means.solver.largest_step
        self._places = () if means.contacts is None else means.contacts.places

    def enter(
        self, active: ActiveRows, instant: Instant, geometry: RowValues, kept: Mapping[str, Any] | None = None
    ) -> PenaltyRunning:
        workshop = self._workshop
        reduced = workshop.reduce(active, geometry, instant.state) if kept is None else workshop.reduce_as(active, kept)
        mass = self._mass(instant)
        made = PenaltyRunning(workshop, active, reduced, self._places, self._by)
        self._check_step(self._fastest(made, mass, instant))
        return made

    def _mass(self, instant: Instant) -> np.ndarray:
        """The mass matrix, where there is something to push on."""
        compiled = self._workshop.compiled
        size = len(compiled.layout.speeds)
        mass = compiled.mass(instant.time, instant.state, instant.values).reshape(size, size)
        if self._workshop.is_singular(instant):
            raise DetentError(
                f"the mass matrix of '{compiled.equations.system.name}' is singular at t = {instant.time:.9g}, where "
                "the formulation 'penalty' would push on nothing; use formulation='embedded', 'projection' or "
                "'corrected'"
            )
        return mass

    def _check_step(self, fastest: float) -> None:
        """That steps of fixed size are short enough to be stable, and others to meet faces that have an end."""
        longest = CLASSICAL_STABLE_UP_TO / fastest
        if self._step > longest:
            raise ValueProblem(
                f"the step is {self._step:.6g} s, and with the stiffness {self._by.stiffness:.6g} and the damping "
                f"{self._by.damping:.6g} penalties are stable up to {longest:.3g} s; take a shorter step, "
                "smaller ones, or method='dop853', whose steps follow from tolerances"
            )
        ended = [place.name for place in self._places if may_be_behind(place)]
        if ended and self._largest == math.inf:
            raise ValueProblem(
                f"a step could pass through '{ended[0]}' unseen, for its face has an end and counts down to the depth "
                f"reach = {self._by.reach:.6g} m; give step=, the largest step, so short that nothing moves by that in "
                "it, or use formulation='embedded', which passes through nothing"
            )

    def _fastest(self, running: PenaltyRunning, mass: np.ndarray, instant: Instant) -> float:
        """The largest rate at which something swings or dies out while all that may push does."""
        B, size = self._workshop.at(running.active, instant).B, len(mass)
        placed = np.array([row.phi is not None for row in running.active.rows], dtype=bool)
        stiffness, damping = self._by.stiffness * B[placed].T @ B[placed], self._by.damping * B.T @ B
        below = np.hstack([-np.linalg.solve(mass, stiffness), -np.linalg.solve(mass, damping)])
        whole = np.vstack([np.hstack([np.zeros((size, size)), np.eye(size)]), below])
        return float(np.abs(np.linalg.eigvals(whole)).max(initial=TINY))

    def ahead(self, active: ActiveRows, instant: Instant) -> PenaltyRunning | None:
        geometry = self._workshop.at(active, instant)
        return self.enter(active, instant, geometry)

    def begin(self, running: Running) -> None:
        """Nothing is to be prepared."""

    def answer(self, running: Running, instant: Instant) -> Running | None:
        return None
