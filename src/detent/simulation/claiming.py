"""What the kernel makes modes of contacts from that a run comes to for the first time, without coming back to Python.

One program of all rows of all places, one of all guards, watches of their tapes, and blank modes with memory for
whichever of them hold. Guards of reactions are looked at where steps end and by a cubic in between: their bounds would
need the reactions by the motion, which are those of one set of rows. A mode that lasts gets programs of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Final, final

from detent.dynamics.rows import RowNodes, read_constraint
from detent.events.claims import Blank, Claims, OfferRow
from detent.events.watch import Leaves, Watch
from detent.expr.graph import Node
from detent.expr.tape import Tape, build_tape
from detent.formulation.embedded import EmbeddedFormulation
from detent.hybrid.automaton import Automaton
from detent.hybrid.contact_place import Place
from detent.hybrid.mode import Mode
from detent.hybrid.status_automaton import FREE, StatusAutomaton
from detent.hybrid.status_transitions import SLACK, closed_statuses
from detent.hybrid.transition import Transition
from detent.jit.program import Program
from detent.model.contact import ContactStatus
from detent.simulation.context import Context
from detent.simulation.mode_plan import Plans
from detent.solves.gathered_rows import AllRows, GatheredRows, RowPart, UnsolvedSystem

LASTING: Final = 40
"""Steps after which a claimed mode gets programs of its own. To make them takes 4 to 8 ms; without them a step takes 1
to 20 us more with RK4, some times that with the methods that choose their steps. Runs of a second or two (boxes, disks
and spheres that fall, a rocking block, a woodpecker) take as long with 20 as with 80, some twice as long with 10; fewer
steps are better, for with programs of their own reactions have bounds between the ends of steps too."""
NEVER: Final = 2**62
BLANKS, LIVE_BLANKS = 8, 32
"""Modes that the kernel may claim before it must come back for more."""


def claiming_of(context: Context, plans: Plans, automaton: Automaton) -> Claiming | None:
    """What claims modes in a run; None where Python makes them all: families of declared modes have transitions whose
    resets depend on what is closed, and only embedding has a kernel for rows that were never seen before."""
    if not isinstance(automaton, StatusAutomaton) or automaton.declared is not None:
        return None
    if not isinstance(context.formulation, EmbeddedFormulation):
        return None
    made = Claiming(context, plans, automaton)
    return made if made.is_linear else None


@final
@dataclass(frozen=True, eq=False)
class _Variant:
    """The rows that a place has with a status."""

    rows: tuple[RowNodes, ...]
    where: tuple[tuple[int, float], ...]
    """Run-time values by their places, and what they must be."""


@final
class Claiming:
    """Made once for a run."""

    def __init__(self, context: Context, plans: Plans, automaton: StatusAutomaton) -> None:
        self._context, self._plans, self._automaton = context, plans, automaton
        self._compiled, self._workshop, self._store = context.compiled, context.workshop, plans.store
        self.gathered: dict[Blank, GatheredRows] = {}
        """What runs in each blank mode."""
        self._slots: dict[Node, int] = {}
        self._most, self._blanks = (NEVER, LIVE_BLANKS) if context.is_live else (LASTING, BLANKS)
        self._claims: Claims | None = None

    # -- rows --------------------------------------------------------------------------------------

    @cached_property
    def _variants(self) -> list[_Variant]:
        """What always holds, then what holds at each place, by its status."""
        return self._store.other(("variants", self._automaton), lambda: list(self._read_variants()))

    def _read_variants(self) -> Iterator[_Variant]:
        automaton, equations = self._automaton, self._compiled.equations
        yield _Variant(tuple(row for each in automaton.held(FREE) for row in read_constraint(equations, each)), ())
        for place in automaton.places:
            does = product((0.0, 1.0), repeat=len(place.turns))
            for status, turning in product(closed_statuses(place), does):
                constraint = place.constraint(status, turning)
                assert constraint is not None
                yield _Variant(read_constraint(equations, constraint), tuple(self._asked(place, status, turning)))

    def _asked(self, place: Place, status: ContactStatus, turning: Sequence[float]) -> Iterator[tuple[int, float]]:
        """Where the run-time values stand that tell what a place does, and what they are."""
        automaton, first = self._automaton, self._context.values.first_discrete
        yield first + automaton.key[place.total], float(status)
        turns = [turn for _, turn in automaton.turns]
        for turn, value in zip(place.turns, turning, strict=True):
            yield first + automaton.key[len(automaton.places) + turns.index(turn)], value

    @property
    def is_linear(self) -> bool:
        """Whether all rows are linear in the speeds."""
        return all(row.is_linear for variant in self._variants for row in variant.rows)

    @cached_property
    def _reactions(self) -> tuple[str, ...]:
        """The names of all reactions, in the one order that claimed modes have them in."""
        rows = [row.name for variant in self._variants for row in variant.rows]
        return (*dict.fromkeys(rows), SLACK)

    @cached_property
    def _rows(self) -> AllRows:
        rows = [row for variant in self._variants for row in variant.rows]
        program = self._store.program(("all rows", self._automaton), lambda: self._rows_program(rows))
        self._programs = [program]
        held, *places = self._variants
        most: dict[int, int] = {}
        for variant in places:
            place = variant.where[0][0]
            most[place] = max(most.get(place, 0), len(variant.rows))
        assert self._plans.contacts is not None
        settling = self._plans.contacts.apart(self._automaton.any_mode(FREE))
        self._settling = settling
        first = self._context.values.first_discrete
        return AllRows(
            program=program.cell, outputs=program.size, rows=len(rows), parts=list(self._parts()),
            most=len(held.rows) + sum(most.values()), reactions=len(self._reactions),
            slack=self._reactions.index(SLACK), sharing=first + self._automaton.key[-1],
            values=len(self._context.values.vector), free_rates=self._compiled.cell, shared_rates=settling.rates,
            shared_slack=settling.slack,
        )  # fmt: skip

    def _parts(self) -> Iterator[RowPart]:
        number = 0
        for variant in self._variants:
            for row in variant.rows:
                yield RowPart(number, row.slides, self._reactions.index(row.name), variant.where)
                number += 1

    def _rows_program(self, rows: Sequence[RowNodes]) -> Program:
        quantities = self._compiled.equations.quantities
        zero, speeds = quantities.graph.zero, range(len(quantities.u))
        outputs = [row.B.get(r, zero) for row in rows for r in speeds]
        outputs += [*(row.C for row in rows), *(row.phi or zero for row in rows), *quantities.turn]
        outputs += [row.gamma for row in rows]
        outputs += [row.reaction.get(r, zero) for row in rows for r in speeds]
        return self._compiled.program(outputs)

    # -- guards ------------------------------------------------------------------------------------

    def _guards(self, transitions: Sequence[Transition]) -> list[Node]:
        """All guards that claimed modes may have, each once."""
        for transition in transitions:
            self._slots.setdefault(self._plans.guard(transition), len(self._slots))
        return list(self._slots)

    def _observer(self, nodes: list[Node]) -> Program:
        observation = self._plans.observation
        inputs = observation.inputs(list(self._reactions), self._plans.width, self._compiled.inputs)

        def made() -> Program:
            seen = [node for each in nodes for node in observation.along_motion(each)]
            return Program(build_tape(seen, inputs, observation.bound(list(self._reactions))))

        return self._store.program(("observer of claimed modes", self._automaton), made)

    def _watches(self, nodes: list[Node]) -> tuple[list[Watch], Leaves]:
        """A watch for each guard. What speaks of reactions has none that knows more than the ends of a step."""
        observation, tapes, straight = self._plans.observation, list[Tape | None](), list[Program | None]()
        for node in nodes:
            tape, program = (None, None) if observation.reactions(node) else self._plans.tape(node)
            tapes.append(tape)
            straight.append(None if program is None else program.clone())
        leaves = Leaves(tapes, self._plans.relative)
        spoken = [observation.reactions(node) for node in nodes]
        each = zip(tapes, straight, spoken, strict=True)
        return [
            Watch(tape, leaves.numbers, program, cubic=bool(names) and SLACK not in names)
            for tape, program, names in each
        ], leaves

    # -- all together ------------------------------------------------------------------------------

    def claims(self, numbers: dict[Transition, int]) -> Claims:
        """What the kernel is given; transitions by their numbers."""
        if self._claims is None:
            self._claims = self._made(numbers)
        blanks = self._claims.blanks
        blanks += [self._blank(self._claims) for _ in range(self._blanks - len(blanks))]
        return self._claims

    def _made(self, numbers: dict[Transition, int]) -> Claims:
        automaton, plans = self._automaton, self._plans
        offered = automaton.offers(FREE)
        nodes = self._guards([offer.transition for offer in offered])
        watches, self._leaves = self._watches(nodes)
        self._observing = self._observer(nodes)
        offers = []
        for offer in offered:
            transition, guard = offer.transition, plans.guard(offer.transition)
            number, slot, identity = numbers[transition], self._slots[guard], plans.identity(guard)
            offers.append(OfferRow(number, slot, plans.flags(transition), identity, offer.where, offer.once))
        family = automaton.families.index(FREE)
        return Claims(family, self._observing.cell, watches, offers, len(self._reactions))

    @property
    def has_blanks(self) -> bool:
        """Whether there are modes left to be claimed."""
        return self._claims is not None and bool(self._claims.blanks)

    def _blank(self, claims: Claims) -> Blank:
        workshop, compiled = self._workshop, self._compiled
        made = GatheredRows(
            self._rows,
            UnsolvedSystem(
                compiled.unsolved.cell, workshop.sizes, workshop.quaternions, workshop.asking, compiled.following
            ),
        )
        loads = self._automaton.loads(FREE)
        blank = Blank.made(
            (made.rates, made.correction, made.reactions, made.choice), made, len(self._slots),
            len(claims.offers), self._leaves,
            [float(name in loads) for name in self._automaton.system.switched_loads], len(self._automaton.key),
            self._most,
        )  # fmt: skip
        self.gathered[blank] = made
        return blank

    def fill(self, mode: Mode, steps: int) -> Blank:
        """A mode as the kernel would have claimed it, which has taken so many steps."""
        claims = self._claims
        assert claims is not None
        blank, guards, taken = self._blank(claims), list[int](), list[tuple[int, int]]()
        for offer in claims.offers:
            if not all(mode.key[place] == value for place, value in offer.where):
                continue
            if offer.slot not in guards:
                guards.append(offer.slot)
                number = len(guards) - 1
                blank.slots[number], blank.identities[number] = offer.slot, offer.identity
                blank.certificate.watch(number, claims.watches[offer.slot])
            elif offer.once:
                continue
            blank.watched[guards.index(offer.slot)] |= offer.watched
            taken.append((offer.transition, guards.index(offer.slot)))
        blank.own[: len(taken)] = taken
        blank.key[: len(mode.key)] = mode.key
        blank.claim["steps"], blank.claim["transitions"] = steps, len(taken)
        blank.certificate.record["count"] = len(guards)
        return blank

    @property
    def stays(self) -> bool:
        """Whether claimed modes run as they are for ever."""
        return self._most == NEVER

    def stay(self) -> None:
        """Let them do so: a servo cannot wait for programs of their own, nor often for more modes to claim."""
        self._most, self._blanks = NEVER, LIVE_BLANKS
        for blank in self.gathered:
            blank.claim["most"] = NEVER
        self.compile_later()

    def compile_later(self) -> None:
        """Have machine code made of what claimed modes run, in the background."""
        for program in (*self._programs, self._observing):
            program.compile_later()
