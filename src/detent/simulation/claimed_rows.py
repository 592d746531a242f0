"""The rows that claimed modes are made from: of all places by their statuses, and of what families of modes hold."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, final

from detent.contact_solves.settling import Settling
from detent.dynamics.rows import RowNodes, read_constraint
from detent.hybrid.contact_place import Place
from detent.hybrid.status_automaton import StatusAutomaton
from detent.hybrid.status_transitions import SLACK, closed_statuses
from detent.jit.program import Program
from detent.model.constraint import Constraint
from detent.model.contact import ContactStatus
from detent.simulation.context import Context
from detent.simulation.mode_plan import Plans
from detent.solves.gathered_rows import AllRows, RowPart


@final
@dataclass(frozen=True, eq=False)
class _Variant:
    """The rows of a constraint, or those that a place has with a status."""

    first: int
    """The number of the first of them in the program of all rows."""
    rows: tuple[RowNodes, ...]
    where: tuple[tuple[int, float], ...] = ()
    """Run-time values by their places, and what they must be."""

    @property
    def is_linear(self) -> bool:
        """Whether all rows are linear in the speeds."""
        return all(row.is_linear for row in self.rows)


@final
@dataclass(frozen=True, eq=False)
class _Variants:
    """All of them: of the constraints that some family holds whatever contacts do, and of each place by its status."""

    held: dict[Constraint, _Variant]
    at: dict[Place, list[_Variant]]

    @property
    def rows(self) -> list[RowNodes]:
        every = [*self.held.values(), *(variant for place in self.at.values() for variant in place)]
        return [row for variant in every for row in variant.rows]


@final
class ClaimedRows:
    """Made once for the families of an automaton that are known."""

    def __init__(self, context: Context, plans: Plans, automaton: StatusAutomaton) -> None:
        self._context, self._plans, self._automaton = context, plans, automaton
        self._compiled, self._store = context.compiled, plans.store
        self.extent = automaton.extent
        """How much of the automaton was known."""
        self._made: dict[str, AllRows] = {}
        self._settlings: dict[Any, Settling] = {}

    @cached_property
    def families(self) -> tuple[str, ...]:
        """The families whose modes can be claimed."""
        known, automaton = self._variants, self._automaton
        if not all(variant.is_linear for place in known.at.values() for variant in place):
            return ()
        return tuple(
            family
            for family in automaton.families
            if all(known.held[constraint].is_linear for constraint in automaton.held(family))
        )

    @cached_property
    def reactions(self) -> tuple[str, ...]:
        """The names of all reactions, in the one order that claimed modes have them in."""
        return (*dict.fromkeys(row.name for row in self._variants.rows), SLACK)

    @cached_property
    def program(self) -> Program:
        """All rows."""
        return self._store.program(("all rows", self._automaton, self.extent), self._made_program)

    def of(self, family: str) -> AllRows:
        """All rows that may hold in the modes of a family."""
        if family not in self._made:
            self._made[family] = self._rows_of(family)
        return self._made[family]

    # -- reading -----------------------------------------------------------------------------------

    @cached_property
    def _variants(self) -> _Variants:
        return self._store.other(("variants", self._automaton, self.extent), self._read_variants)

    def _read_variants(self) -> _Variants:
        automaton, number = self._automaton, 0
        held: dict[Constraint, _Variant] = {}
        for constraint in dict.fromkeys(each for family in automaton.families for each in automaton.held(family)):
            held[constraint] = _Variant(number, self._read(constraint))
            number += len(held[constraint].rows)
        at: dict[Place, list[_Variant]] = {}
        for place in automaton.places:
            at[place] = []
            does = product(*(turn.does for turn in place.turns))
            for status, turning in product(closed_statuses(place), does):
                closed = place.constraint(status, turning)
                assert closed is not None
                at[place].append(_Variant(number, self._read(closed), tuple(self._asked(place, status, turning))))
                number += len(at[place][-1].rows)
        return _Variants(held, at)

    def _read(self, constraint: Constraint) -> tuple[RowNodes, ...]:
        return read_constraint(self._compiled.equations, constraint)

    def _asked(self, place: Place, status: ContactStatus, turning: Sequence[float]) -> Iterator[tuple[int, float]]:
        """Where the run-time values stand that tell what a place does, and what they are."""
        automaton, first = self._automaton, self._context.values.first_discrete
        yield first + automaton.key[place.total], float(status)
        turns = [turn for _, turn in automaton.turns]
        for turn, value in zip(place.turns, turning, strict=True):
            yield first + automaton.key[len(automaton.places) + turns.index(turn)], value

    def _made_program(self) -> Program:
        quantities, rows = self._compiled.equations.quantities, self._variants.rows
        zero, speeds = quantities.graph.zero, range(len(quantities.u))
        outputs = [row.B.get(r, zero) for row in rows for r in speeds]
        outputs += [*(row.C for row in rows), *(row.phi or zero for row in rows), *quantities.turn]
        outputs += [row.gamma for row in rows]
        outputs += [row.reaction.get(r, zero) for row in rows for r in speeds]
        return self._compiled.program(outputs)

    # -- families ----------------------------------------------------------------------------------

    def _rows_of(self, family: str) -> AllRows:
        automaton, first = self._automaton, self._context.values.first_discrete
        held = [self._variants.held[constraint] for constraint in automaton.held(family)]  # as its modes have them
        at = [known for place, known in self._variants.at.items() if automaton.counts(family, place.contact)]
        most = sum(len(variant.rows) for variant in held) + sum(max(len(each.rows) for each in known) for known in at)
        every = [*held, *(variant for known in at for variant in known)]
        settling = None if self._plans.asks_for_reactions(automaton, family) else self._settling(family)
        return AllRows(
            program=self.program.cell, outputs=self.program.size, rows=len(self._variants.rows),
            parts=[part for variant in every for part in self._parts(variant)], most=most,
            reactions=len(self.reactions), slack=self.reactions.index(SLACK), sharing=first + automaton.key[-1],
            values=len(self._context.values.vector), free_rates=self._compiled.cell,
            shared_rates=None if settling is None else settling.rates,
            shared_slack=None if settling is None else settling.slack,
        )  # fmt: skip

    def _parts(self, variant: _Variant) -> Iterator[RowPart]:
        for number, row in enumerate(variant.rows, variant.first):
            yield RowPart(number, row.slides, self.reactions.index(row.name), variant.where)

    def _settling(self, family: str) -> Settling:
        """What knows how forces are shared, for the same constraints and loads once."""
        automaton, contacts = self._automaton, self._plans.contacts
        assert contacts is not None
        key = automaton.held(family), automaton.loads(family)
        if key not in self._settlings:
            self._settlings[key] = contacts.apart(automaton.any_mode(family))
        return self._settlings[key]
