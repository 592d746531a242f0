"""What the kernel makes modes of contacts from that a run comes to for the first time, without coming back to Python.

One program of all rows of all places and of the constraints of declared modes, one of all guards, watches of their
tapes, and for each family blank modes with memory for whichever of them hold. Guards of reactions are looked at where
steps end and by a cubic in between: their bounds would need the reactions by the motion, which are those of one set of
rows. A mode that lasts gets programs of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, Final, final

from detent.contact_solves.settling import Settling
from detent.dynamics.rows import RowNodes, read_constraint
from detent.events.claims import Blank, Claims, OfferRow
from detent.events.event_frame import REQUIRED
from detent.events.watch import Leaves, Watch
from detent.expr.graph import Node
from detent.expr.tape import Tape, build_tape
from detent.formulation.embedded import EmbeddedFormulation
from detent.hybrid.automaton import Automaton
from detent.hybrid.contact_place import Place
from detent.hybrid.mode import Mode
from detent.hybrid.status_automaton import StatusAutomaton
from detent.hybrid.status_transitions import SLACK, closed_statuses
from detent.hybrid.transition import Transition
from detent.jit.address import address_or_zero
from detent.jit.program import Program
from detent.model.constraint import Constraint
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
"""Modes that the kernel may claim before it must come back for more; of several families each has its part of them."""
FEWEST_BLANKS: Final = 4
"""So many at least."""


def claiming_of(context: Context, plans: Plans, automaton: Automaton) -> Claiming | None:
    """What claims modes in a run; None where Python makes them all: only embedding has a kernel for rows that it has
    never seen before, and only for such as are linear in the speeds."""
    if not isinstance(automaton, StatusAutomaton) or not isinstance(context.formulation, EmbeddedFormulation):
        return None
    made = Claiming(context, plans, automaton)
    return made if made.families else None


@final
@dataclass(frozen=True, eq=False)
class _Variant:
    """The rows that hold of a constraint, or at a place with a status."""

    rows: tuple[RowNodes, ...]
    where: tuple[tuple[int, float], ...] = ()
    """Run-time values by their places, and what they must be."""
    place: Place | None = None

    @property
    def is_linear(self) -> bool:
        """Whether all rows are linear in the speeds."""
        return all(row.is_linear for row in self.rows)


@final
class Claiming:
    """Made once for a run."""

    def __init__(self, context: Context, plans: Plans, automaton: StatusAutomaton) -> None:
        self._context, self._plans, self._automaton = context, plans, automaton
        self._compiled, self._workshop, self._store = context.compiled, context.workshop, plans.store
        self.gathered: dict[Blank, GatheredRows] = {}
        """What runs in each blank mode."""
        self._most, self._blanks = (NEVER, LIVE_BLANKS) if context.is_live else (LASTING, BLANKS)
        self._claims: Claims | None = None
        self._settlings: dict[Any, Settling] = {}
        self._begin()

    def _begin(self) -> None:
        """Nothing is made for the families that are known by now."""
        self._extent = self._automaton.extent
        self._slots: dict[Node, int] = {}
        self._all_rows: dict[str, AllRows] = {}
        for name in ("families", "_variants", "_reactions", "_rows_program"):
            self.__dict__.pop(name, None)

    @property
    def is_outdated(self) -> bool:
        """Whether families or declared transitions were added since claims were made."""
        return self._claims is not None and self._extent != self._automaton.extent

    # -- rows --------------------------------------------------------------------------------------

    @cached_property
    def families(self) -> tuple[str, ...]:
        """The families whose modes can be claimed."""
        if not all(variant.is_linear for variant in self._at_places):
            return ()
        return tuple(
            family
            for family in self._automaton.families
            if all(self._held[constraint].is_linear for constraint in self._automaton.held(family))
        )

    @property
    def _held(self) -> dict[Constraint, _Variant]:
        """What holds in some family whatever contacts do."""
        return self._variants[0]

    @property
    def _at_places(self) -> list[_Variant]:
        """What holds at each place, by its status."""
        return self._variants[1]

    @cached_property
    def _variants(self) -> tuple[dict[Constraint, _Variant], list[_Variant]]:
        return self._store.other(("variants", self._automaton, self._extent), self._read_variants)

    def _read_variants(self) -> tuple[dict[Constraint, _Variant], list[_Variant]]:
        automaton, equations = self._automaton, self._compiled.equations
        held = dict.fromkeys(constraint for family in automaton.families for constraint in automaton.held(family))
        return {each: _Variant(read_constraint(equations, each)) for each in held}, list(self._read_places())

    def _read_places(self) -> Iterator[_Variant]:
        for place in self._automaton.places:
            does = product((0.0, 1.0), repeat=len(place.turns))
            for status, turning in product(closed_statuses(place), does):
                constraint = place.constraint(status, turning)
                assert constraint is not None
                rows = read_constraint(self._compiled.equations, constraint)
                yield _Variant(rows, tuple(self._asked(place, status, turning)), place)

    def _asked(self, place: Place, status: ContactStatus, turning: Sequence[float]) -> Iterator[tuple[int, float]]:
        """Where the run-time values stand that tell what a place does, and what they are."""
        automaton, first = self._automaton, self._context.values.first_discrete
        yield first + automaton.key[place.total], float(status)
        turns = [turn for _, turn in automaton.turns]
        for turn, value in zip(place.turns, turning, strict=True):
            yield first + automaton.key[len(automaton.places) + turns.index(turn)], value

    @property
    def _every(self) -> list[_Variant]:
        return [*self._held.values(), *self._at_places]

    @cached_property
    def _reactions(self) -> tuple[str, ...]:
        """The names of all reactions, in the one order that claimed modes have them in."""
        return (*dict.fromkeys(row.name for variant in self._every for row in variant.rows), SLACK)

    @cached_property
    def _rows_program(self) -> Program:
        rows = [row for variant in self._every for row in variant.rows]
        key = ("all rows", self._automaton, self._extent)
        return self._store.program(key, lambda: self._made_program(rows))

    def _rows_of(self, family: str) -> AllRows:
        """All rows that may hold in the modes of a family."""
        if family not in self._all_rows:
            self._all_rows[family] = self._made_rows(family)
        return self._all_rows[family]

    def _made_rows(self, family: str) -> AllRows:
        program, first = self._rows_program, self._context.values.first_discrete
        held = sum(len(self._held[constraint].rows) for constraint in self._automaton.held(family))
        most: dict[Place, int] = {}
        for variant in self._at_places:
            if variant.place is not None and self._automaton.counts(family, variant.place.contact):
                most[variant.place] = max(most.get(variant.place, 0), len(variant.rows))
        settling = None if self._speaks_of_reactions(family) else self._settling(family)
        return AllRows(
            program=program.cell, outputs=program.size, rows=sum(len(variant.rows) for variant in self._every),
            parts=list(self._parts(family)), most=held + sum(most.values()), reactions=len(self._reactions),
            slack=self._reactions.index(SLACK), sharing=first + self._automaton.key[-1],
            values=len(self._context.values.vector), free_rates=self._compiled.cell,
            shared_rates=None if settling is None else settling.rates,
            shared_slack=None if settling is None else settling.slack,
        )  # fmt: skip

    def _speaks_of_reactions(self, family: str) -> bool:
        """Whether something declared does so: where forces are shared they are not unique, and a mode is made by who
        can say so."""
        automaton, plans = self._automaton, self._plans
        nodes = [plans.guard(transition) for transition in automaton.declared_out_of(family)]
        nodes += plans.invariants(automaton.any_mode(family))
        nodes += [node for each in automaton.declared_out_of(family) for node in plans.conditions_before(each)]
        return any(plans.observation.reactions(node) for node in nodes)

    def _settling(self, family: str) -> Settling:
        """What knows how forces are shared, for the same constraints and loads once."""
        automaton, contacts = self._automaton, self._plans.contacts
        assert contacts is not None
        key = automaton.held(family), automaton.loads(family)
        if key not in self._settlings:
            self._settlings[key] = contacts.apart(automaton.any_mode(family))
        return self._settlings[key]

    def _parts(self, family: str) -> Iterator[RowPart]:
        number, held = 0, [self._held[constraint] for constraint in self._automaton.held(family)]
        for variant in self._every:
            place = variant.place
            holds = variant in held if place is None else self._automaton.counts(family, place.contact)
            for row in variant.rows:
                if holds:
                    yield RowPart(number, row.slides, self._reactions.index(row.name), variant.where)
                number += 1

    def _made_program(self, rows: Sequence[RowNodes]) -> Program:
        quantities = self._compiled.equations.quantities
        zero, speeds = quantities.graph.zero, range(len(quantities.u))
        outputs = [row.B.get(r, zero) for row in rows for r in speeds]
        outputs += [*(row.C for row in rows), *(row.phi or zero for row in rows), *quantities.turn]
        outputs += [row.gamma for row in rows]
        outputs += [row.reaction.get(r, zero) for row in rows for r in speeds]
        return self._compiled.program(outputs)

    # -- guards ------------------------------------------------------------------------------------

    def _slot(self, node: Node) -> int:
        """The place of something watched among all that claimed modes may watch."""
        return self._slots.setdefault(node, len(self._slots))

    def _observer(self, nodes: list[Node]) -> Program:
        observation = self._plans.observation
        inputs = observation.inputs(list(self._reactions), self._plans.width, self._compiled.inputs)

        def made() -> Program:
            seen = [node for each in nodes for node in observation.along_motion(each)]
            return Program(build_tape(seen, inputs, observation.bound(list(self._reactions))))

        return self._store.program(("observer of claimed modes", self._automaton, self._extent), made)

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
        if self.is_outdated:
            self._claims = None
            self._begin()
        if self._claims is None:
            self._claims = self._made(numbers)
        claims, wanted = self._claims, max(self._blanks // len(self.families), min(FEWEST_BLANKS, self._blanks))
        left = Counter(blank.family for blank in claims.blanks)
        for family in self.families:
            missing = wanted - left[self._automaton.families.index(family)]
            claims.blanks += [self._blank(claims, family) for _ in range(missing)]
        return claims

    def prepare(self) -> None:
        """Have the transitions made that modes of all families may take."""
        self._automaton.meet_all()

    def _made(self, numbers: dict[Transition, int]) -> Claims:
        offers = [offer for family in self.families for offer in self._offers(family, numbers)]
        nodes = list(self._slots)
        watches, self._leaves = self._watches(nodes)
        self._observing = self._observer(nodes)
        return Claims(self._observing.cell, watches, offers, len(self._reactions))

    def _offers(self, family: str, numbers: dict[Transition, int]) -> Iterator[OfferRow]:
        """What the modes of a family take up, then what they require."""
        automaton, plans = self._automaton, self._plans
        number, mode = automaton.families.index(family), automaton.any_mode(family)
        for offer in automaton.offers(family):
            transition, guard = offer.transition, plans.guard(offer.transition)
            before = plans.condition(transition, True, mode, self._reactions)
            yield OfferRow(
                number, numbers[transition], self._slot(guard), plans.flags(transition), plans.identity(guard),
                offer.where, offer.once, None if before is None else before.cell,
            )  # fmt: skip
        for node in plans.invariants(mode):
            opposite = [slot for guard, slot in self._slots.items() if guard is -node or -guard is node]
            yield OfferRow(number, REQUIRED, self._slot(node), negative=[*opposite, -1][0])

    def lacks(self, family: int) -> bool:
        """Whether no mode of a family is left to be claimed, though some could be."""
        known = self._automaton.families[family] in self.families
        return known and self._claims is not None and all(blank.family != family for blank in self._claims.blanks)

    def _blank(self, claims: Claims, family: str) -> Blank:
        automaton, workshop, compiled = self._automaton, self._workshop, self._compiled
        made = GatheredRows(
            self._rows_of(family),
            UnsolvedSystem(
                compiled.unsolved.cell, workshop.sizes, workshop.quaternions, workshop.asking, compiled.following
            ),
        )
        loads = automaton.loads(family)
        blank = Blank.made(
            claims, automaton.families.index(family), (made.rates, made.correction, made.reactions, made.choice), made,
            self._leaves, [float(name in loads) for name in automaton.system.switched_loads], len(automaton.key),
            self._most,
        )  # fmt: skip
        self.gathered[blank] = made
        return blank

    def fill(self, mode: Mode, steps: int) -> Blank | None:
        """A mode as the kernel would have claimed it, which has taken so many steps; None where it could not."""
        claims = self._claims
        assert claims is not None
        if mode.family not in self.families:
            return None
        blank, guards, taken = self._blank(claims, mode.family), list[int](), list[tuple[int, int, int]]()
        own = [offer for offer in claims.offers if offer.family == blank.family]
        for offer in own:
            if offer.transition == REQUIRED or not all(mode.key[place] == value for place, value in offer.where):
                continue
            if offer.slot not in guards:
                guards.append(offer.slot)
                number = len(guards) - 1
                blank.slots[number], blank.identities[number] = offer.slot, offer.identity
                blank.certificate.watch(number, claims.watches[offer.slot])
            elif offer.once:
                continue
            blank.watched[guards.index(offer.slot)] |= offer.watched
            taken.append((offer.transition, guards.index(offer.slot), address_or_zero(offer.before)))
        required = [offer for offer in own if offer.transition == REQUIRED]
        for number, offer in enumerate(required, len(guards)):
            blank.slots[number] = offer.slot
            blank.certificate.watch(number, claims.watches[offer.slot], _twin(guards, offer))
        blank.own[: len(taken)] = taken
        blank.key[: len(mode.key)] = mode.key
        blank.claim["steps"], blank.claim["transitions"] = steps, len(taken)
        blank.claim["invariants"] = len(required)
        blank.certificate.record["count"] = len(guards) + len(required)
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
        for program in (self._rows_program, self._observing):
            program.compile_later()


def _twin(guards: Sequence[int], offer: OfferRow) -> int:
    """Which guard, by its slot among some, is what is required: n + 1, or -(n + 1) for its negative, or 0."""
    if offer.slot in guards:
        return guards.index(offer.slot) + 1
    return -guards.index(offer.negative) - 1 if offer.negative in guards else 0
