"""What the kernel makes modes of contacts from that a run comes to for the first time, without coming back to Python.

One program of all rows, one of all guards, watches of their tapes, and for each family blank modes with memory for
whichever of them hold. Guards of reactions are looked at where steps end and by a cubic in between: their bounds would
need the reactions by the motion, which are those of one set of rows. A mode that lasts gets programs of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final, final

from detent.events.claims import NEVER, Blank, Claims, OfferRow
from detent.events.event_frame import REQUIRED
from detent.events.watch import Leaves, Watch
from detent.events.watch_frame import CUBIC
from detent.expr.graph import Node
from detent.expr.tape import Tape, build_tape
from detent.formulation.embedded import EmbeddedFormulation
from detent.hybrid.automaton import Automaton
from detent.hybrid.mode import Mode
from detent.hybrid.status_automaton import StatusAutomaton
from detent.hybrid.status_transitions import SLACK
from detent.hybrid.transition import Transition
from detent.jit.address import address_or_zero
from detent.jit.program import Program
from detent.simulation.claimed_rows import ClaimedRows
from detent.simulation.context import Context
from detent.simulation.mode_plan import Plans
from detent.solves.gathered_rows import GatheredRows, UnsolvedSystem

LASTING: Final = 40
"""Steps after which a claimed mode gets programs of its own. To make them takes 4 to 8 ms; without them a step takes 1
to 20 us more with RK4, some times that with the methods that choose their steps. Runs of a second or two (boxes, disks
and spheres that fall, a rocking block, a woodpecker) take as long with 20 as with 80, some twice as long with 10; fewer
steps are better, for with programs of their own reactions have bounds between the ends of steps too."""
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
class Claiming:
    """Made once for a run."""

    def __init__(self, context: Context, plans: Plans, automaton: StatusAutomaton) -> None:
        self._context, self._plans, self._automaton = context, plans, automaton
        self._compiled, self._workshop, self._store = context.compiled, context.workshop, plans.store
        self._most, self._blanks = (NEVER, LIVE_BLANKS) if context.is_live else (LASTING, BLANKS)
        self._begin()

    def _begin(self) -> None:
        """Nothing is made for the families that are known by now."""
        self.gathered: dict[Blank, GatheredRows] = {}
        """What runs in each blank mode."""
        self._rows = ClaimedRows(self._context, self._plans, self._automaton)
        self._slots: dict[Node, int] = {}
        self._claims: Claims | None = None

    @property
    def families(self) -> tuple[str, ...]:
        """The families whose modes can be claimed."""
        return self._rows.families

    @property
    def is_outdated(self) -> bool:
        """Whether families or declared transitions were added since claims were made."""
        return self._claims is not None and self._rows.extent != self._automaton.extent

    # -- guards ------------------------------------------------------------------------------------

    def _slot(self, node: Node) -> int:
        """The place of something watched among all that claimed modes may watch."""
        return self._slots.setdefault(node, len(self._slots))

    def _observer(self, nodes: list[Node]) -> Program:
        observation = self._plans.observation
        reactions = list(self._rows.reactions)
        inputs = observation.inputs(reactions, self._plans.width, self._compiled.inputs)

        def made() -> Program:
            seen = [node for each in nodes for node in observation.along_motion(each)]
            return Program(build_tape(seen, inputs, observation.bound(reactions)))

        return self._store.program(("observer of claimed modes", self._automaton, self._rows.extent), made)

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
            Watch(tape, leaves.numbers, program, (self._plans.slack_watch if SLACK in names else CUBIC) if names else 0)
            for tape, program, names in each
        ], leaves

    # -- all together ------------------------------------------------------------------------------

    def claims(self, numbers: dict[Transition, int]) -> Claims:
        """What the kernel is given; transitions by their numbers."""
        if self.is_outdated:
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
        return Claims(self._observing.cell, watches, offers, len(self._rows.reactions))

    def _offers(self, family: str, numbers: dict[Transition, int]) -> Iterator[OfferRow]:
        """What the modes of a family take up, then what they require."""
        automaton, plans = self._automaton, self._plans
        number, mode = automaton.families.index(family), automaton.any_mode(family)
        for offer in automaton.offers(family):
            transition, guard = offer.transition, plans.guard(offer.transition)
            before = plans.condition(transition, True, mode, self._rows.reactions)
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
            self._rows.of(family),
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
        for program in (self._rows.program, self._observing):
            program.compile_later()


def _twin(guards: Sequence[int], offer: OfferRow) -> int:
    """Which guard, by its slot among some, is what is required: n + 1, or -(n + 1) for its negative, or 0."""
    if offer.slot in guards:
        return guards.index(offer.slot) + 1
    return -guards.index(offer.negative) - 1 if offer.negative in guards else 0
