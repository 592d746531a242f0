"""What settles the contacts of a run: the program of their rows and coefficients, and the kernel's memory of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, reduce
from operator import or_
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from detent.contact_solves.settle_frame import TELLING, Turns
from detent.contact_solves.settling import ContactDiscretes, Programs, Settling, Sizes
from detent.contact_solves.several_impacts_frame import ImpactOrder
from detent.contact_solves.single_impact_frame import Law
from detent.contact_solves.step_frame import PushedBy
from detent.contact_solves.stepping import ContactSteps
from detent.dynamics.rows import RowNodes, read_constraint
from detent.errors import DetentError, ExpressionError
from detent.expr import operation as op
from detent.expr.derivative import Derivative
from detent.expr.graph import Node
from detent.expr.largest_part import largest_part
from detent.formulation.active_rows import ActiveRows
from detent.formulation.compiled import CompiledSystem
from detent.formulation.running import Instant
from detent.formulation.workshop import Workshop
from detent.hybrid.contact_place import Place
from detent.hybrid.mode import Mode
from detent.hybrid.status_automaton import StatusAutomaton
from detent.jit.arrays import Words
from detent.jit.program import Program
from detent.model.constraint import Constraint
from detent.model.contact import ContactStatus
from detent.model.impact_laws import ImpactLaw, Newton, Plastic, Poisson, Smith, Stronge
from detent.simulation.contact_reports import ContactReport, ContactReporter

LAWS: Final[dict[type[ImpactLaw], Law]] = {
    Poisson: Law.POISSON, Stronge: Law.STRONGE, Newton: Law.NEWTON, Smith: Law.SMITH, Plastic: Law.PLASTIC,
}  # fmt: skip

_FAR: Final = 1.0
"""A gap (m) of what does not touch."""


@final
class ContactPlans:
    """Made once for a run."""

    def __init__(
        self, automaton: StatusAutomaton, compiled: CompiledSystem, workshop: Workshop,
        order: ImpactOrder = ImpactOrder.WAVES,
    ) -> None:  # fmt: skip
        self._automaton, self._compiled, self._workshop, self._order = automaton, compiled, workshop, order
        self._made: dict[tuple[tuple[Constraint, ...], tuple[str, ...]], Settling] = {}
        self._resolution = 0.0

    @property
    def places(self) -> tuple[Place, ...]:
        """All places where shapes may touch."""
        return self._automaton.places

    @property
    def row_count(self) -> int:
        """How many numbers settling leaves: the impulse of each row, then what is told of the instant."""
        return self.told_from + len(TELLING)

    @property
    def told_from(self) -> int:
        """Where among these that begins which is told."""
        return len(self._automaton.places) * self._automaton.dimension

    def normals(self, impulses: NDArray[np.float64]) -> NDArray[np.float64]:
        """Those of the normals among the impulses of rows."""
        return impulses[..., : self.told_from : self._automaton.dimension]

    def telling(self, impulses: NDArray[np.float64]) -> ContactReport:
        """What is told after the impulses of rows."""
        return ContactReport.read(impulses[self.told_from : self.row_count].tolist())

    @cached_property
    def teller(self) -> ContactReporter:
        """What puts that into words."""
        return ContactReporter(self._automaton)

    def seized(self, number: int) -> str:
        """What is told of an impact without collision at a place."""
        return f"{self._automaton.places[number].name}: impact without collision"

    @cached_property
    def row_names(self) -> tuple[str, ...]:
        return tuple(name for place in self._automaton.places for name in place.row_names)

    @cached_property
    def force_names(self) -> tuple[str, ...]:
        """The rows whose forces are told where they are shared: those of contacts, then those of turning."""
        return (*self.row_names, *(name for _, turn in self._automaton.turns for name in turn.row_names))

    def leave_impulses_in(self, impulses: NDArray[np.float64]) -> None:
        """Leave impulses there from now on."""
        for settling in self._made.values():
            settling.leave_impulses_in(impulses)

    def resolve(self, seconds: float) -> None:
        """Let contacts whose flights last no longer than so many seconds come to rest, from now on."""
        self._resolution = seconds
        for settling in self._made.values():
            settling.resolve(seconds)

    def settling(self, family: str, impulses: NDArray[np.float64]) -> Settling:
        """What settles contacts where a family of modes is entered: one for the same constraints and loads."""
        held, loads = self._automaton.held(family), self._automaton.loads(family)
        if (held, loads) not in self._made:
            active = self._workshop.prepare(list(held)) if held else None
            cells = [self._compiled.unsolved.cell, self.program.cell]
            cells += [] if active is None else [active.program.cell]
            standing = self.standing.cell if self._automaton.pairs else None
            self._made[held, loads] = self._settled(
                active, *cells, loads=loads, impulses=impulses, standing=standing
            )  # fmt: skip
        return self._made[held, loads]

    def as_if_stuck(self, mode: Mode) -> tuple[Constraint, ...] | None:
        """The constraints of a mode with its only contact as if it stuck; None where there are none or several.

        None in the plane too: the direction of its slip is a sign there.
        """
        closed = [place for place, status in zip(self._automaton.places, mode.key, strict=False) if status > 0]
        if len(closed) != 1 or mode.shares or not closed[0].rubs or closed[0].directions == 1:
            return None
        stuck = closed[0].constraint(ContactStatus.STICK, [0.0] * len(closed[0].turns))
        return None if stuck is None else (*self._automaton.held(mode.family), stuck)

    def apart(self, mode: Mode) -> Settling:
        """The same with memory and programs of its own."""
        return self.apart_with(self._automaton.held(mode.family), mode.loads)

    def apart_with(self, held: Sequence[Constraint], loads: tuple[str, ...]) -> Settling:
        """The same for whatever constraints hold, and of the loads that come and go those that act."""
        active = self._workshop.prepare(list(held)) if held else None
        programs = [self._compiled.unsolved.clone(), self.program.clone()]
        if active is not None:
            programs.append(active.program.clone())
        made = self._settled(
            active, *(program.cell for program in programs), loads=loads, impulses=np.zeros(self.row_count)
        )
        made.keep(programs)
        return made

    def steps(
        self, active: ActiveRows, by: PushedBy, step: float, restitution: float, deepest: Sequence[float],
        correction: Words | None,
    ) -> ContactSteps:  # fmt: skip
        """What has contacts push once a step beside constraints, with memory and programs of its own."""
        holds = active if active.rows else None
        programs = [self._compiled.unsolved.clone(), self.unwatched.clone()]
        if holds is not None:
            programs.append(holds.program.clone())
        cells = [program.cell for program in programs]
        made = self._settled(holds, *cells, loads=(), impulses=np.zeros(self.row_count))
        made.keep(programs)
        return ContactSteps(made, by, step, restitution, deepest, correction)

    def watching(self, whole: ActiveRows) -> ActiveRows:
        """Rows with a program of their own."""
        return replace(whole, program=whole.program.clone())

    def shared_words(self, mode: Mode) -> str:
        """What is said of contacts that share their forces."""
        closed = [place.name for place, status in zip(self._automaton.places, mode.key, strict=False) if status > 0]
        return f"the forces of {', '.join(closed)} are not unique; those farthest inside their cones are told and used"

    def _settled(
        self, active: ActiveRows | None, *cells: Words, loads: tuple[str, ...], impulses: NDArray[np.float64],
        standing: Words | None = None,
    ) -> Settling:  # fmt: skip
        automaton, layout = self._automaton, self._compiled.layout
        quantities, states = self._compiled.equations.quantities, len(automaton.system.discrete_states)
        first = len(quantities.parameters) + len(quantities.run_inputs)
        made = Settling(
            Programs(cells[0], cells[1], None if active is None else cells[2], standing),
            self.program.size,
            Sizes(
                len(layout.coordinates), len(layout.speeds), len(layout.signals),
                0 if active is None else len(active.rows), len(automaton.places), automaton.dimension,
                Turns(len(automaton.turns), sum(len(turn.spins) for _, turn in automaton.turns)),
            ),
            ContactDiscretes(
                first, states, automaton.key[-1], automaton.key[: len(automaton.places)], automaton.slip_places,
                [float(name in loads) for name in automaton.system.switched_loads],
                [place.total for place, _ in automaton.turns], automaton.turn_places, automaton.end_places,
                automaton.pair_places,
            ),
            impulses,
        )  # fmt: skip
        made.strike_by(self._order)
        made.resolve(self._resolution)
        return made

    @cached_property
    def program(self) -> Program:
        """B, C and gamma of all rows, then the coefficients; the same of turning that is resisted, and its angles."""
        store = self._workshop.store
        program = store.program(("contacts", self._automaton), lambda: self._compiled.program(self._outputs()))
        program.compile_later()
        return program

    @cached_property
    def standing(self) -> Program:
        """Where the boxes stand whose features are chosen where they meet."""

        def made() -> Program:
            convert = self._compiled.equations.quantities.convert
            return self._compiled.program([convert(each) for pair in self._automaton.pairs for each in pair.standing])

        return self._workshop.store.program(("standing boxes", self._automaton), made)

    @cached_property
    def unwatched(self) -> Program:
        """The same with the conditions in their laws as they are at each state."""
        store = self._workshop.store
        made = store.program(
            ("contacts without events", self._automaton), lambda: self._compiled.program(self._outputs(False))
        )
        made.compile_later()
        return made

    def zones(self, instant: Instant) -> list[float]:
        """Of each condition in the laws of contacts whether it holds at an instant."""
        zones = self._automaton.zones
        if not zones:
            return []
        convert = self._compiled.equations.quantities.convert
        program = self._compiled.program([convert(zone.difference) for _, zone in zones])
        return [float(value > 0.0) for value in program(instant.time, instant.state, instant.values)]

    def _outputs(self, watched: bool = True) -> list[Node]:
        equations, graph = self._compiled.equations, self._compiled.equations.graph
        rows = [row for place in self._automaton.places for row in self._rows(place)]
        speeds = range(len(equations.quantities.speeds))
        found = [row.B.get(r, graph.zero) for row in rows for r in speeds]
        found += [row.C for row in rows]
        found += [row.gamma for row in rows]
        coefficients = [self._coefficients(place, watched) for place in self._automaton.places]
        found += [column[k] for k in range(len(coefficients[0])) for column in coefficients]
        resisted = self._automaton.turns
        turns = [row for _, turn in resisted for row in read_constraint(equations, turn.held)]
        found += [row.B.get(r, graph.zero) for row in turns for r in speeds]
        found += [row.C for row in turns]
        found += [row.gamma for row in turns]
        found += [graph.zero if row.phi is None else row.phi for row in turns]
        return found + [self._node(place, turn.resistance) for place, turn in resisted]

    def _rows(self, place: Place) -> tuple[RowNodes, ...]:
        """The rows of a place. Without friction nothing acts along its slip, which may be one that no speed changes."""
        equations = self._compiled.equations
        if place.rubs:
            return read_constraint(equations, place.sticking)
        (normal,) = read_constraint(equations, place.slipping)
        zero = equations.graph.zero
        return (normal, *(RowNodes(name, None, {}, zero, zero, {}) for name in place.row_names[1:]))

    def _coefficients(self, place: Place, watched: bool) -> list[Node]:
        """What :data:`detent.contact_solves.settle_frame.COEFFICIENTS` names, of one place."""
        law = place.contact.impact
        domain = place.flatness if place.is_face else place.domains[0] if place.domains else 1
        laws = [place.kinetic_by_state, place.limit_by_state, place.restitution_by_state]
        if watched:
            laws = [place.kinetic, place.limit, place.restitution]
        gap = place.gap if watched or not place.is_face else _FAR  # without events a rim touches as it did
        values = [gap, *laws, domain, int(LAWS[type(law)])]
        told = [self._node(place, value) for value in values]
        round_corners, swept = self._node(place, place.round_corners), self._node(place, place.swept)
        return [*told, self._size(place), self._node(place, place.thin), self._inwards(place), round_corners, swept]

    def _inwards(self, place: Place) -> Node:
        """How fast a place moves from the end of its feature onto it."""
        quantities = self._compiled.equations.quantities
        if not place.domains or place.contact.chooses_features:
            return quantities.graph.zero
        return quantities.change(self._node(place, place.domains[0]))

    def _size(self, place: Place) -> Node:
        """The size of the terms that a gap is the sum of: by its slopes along the state, and of what cancels in it."""
        quantities, graph = self._compiled.equations.quantities, self._compiled.equations.graph
        if place.contact.chooses_features:
            return self._node(place, place.size)
        gap = self._node(place, place.gap)
        states, value = (quantities.time, *quantities.q, *quantities.s), quantities.bound.get(gap, gap)
        total = largest_part(value, reduce(or_, (leaf.leaves for leaf in states)))
        for leaf in states:
            if value.leaves & leaf.leaves:
                total = total + graph.function(op.ABSOLUTE, Derivative(graph, {leaf: graph.one})(value) * leaf)
        return total

    def _node(self, place: Place, value: Any) -> Node:
        try:
            return self._compiled.equations.quantities.convert(value)
        except ExpressionError as error:
            raise DetentError(f"contact '{place.contact.name}': {value} cannot be read: {error}") from error
