"""The automaton of contacts: its modes are the statuses that a run comes to, made when they are first met.

Nobody writes it: what each place of contact does (open, slip, stick) is data that the kernel settles at an instant; a
mode is what such statuses mean between instants, as constraints that hold and guards that are watched. Where there is a
declared automaton, its modes are the families: statuses stand beside them, and are not multiplied into them.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Iterator, Sequence
from typing import Any, ClassVar, Final, final

import sympy

from detent.contact_solves.box_frame import Touching
from detent.contact_solves.settle_frame import Reason
from detent.errors import DetentError
from detent.hybrid.assignment import read_assignment
from detent.hybrid.automaton import Automaton, Follower
from detent.hybrid.box_pair import BoxPair, pairs_of
from detent.hybrid.contact_place import Place
from detent.hybrid.mode import Mode
from detent.hybrid.reset_step import ResetStep
from detent.hybrid.settle import Collide, Settle
from detent.hybrid.status_transitions import SLACK, Offer, StatusTransitions
from detent.hybrid.transition import Transition
from detent.model.constraint import FREE, Constraint, mode_name
from detent.model.contact import SHARING, TILTING, Contact, ContactStatus, slip_names, status_name, tip_names
from detent.model.contact_zones import Zone
from detent.model.system import System

__all__ = ["SLACK", "StatusAutomaton", "automaton_of_contacts"]

_UNCHANGED: Final = {
    Reason.CLOSES: "bounce",
    Reason.ENDS: "slip turns",
    Reason.HALTS: "turns back",
    Reason.LIES: "rocks over",
}
"""What happens to a contact though its status does not change."""


@final
class StatusAutomaton(Automaton):
    """The modes that contacts come to, of a system or in the modes of an automaton; grows while a run goes on."""

    grows: ClassVar[bool] = True

    def __init__(self, model: System | Automaton) -> None:
        self.declared = model if isinstance(model, Automaton) else None
        system = model.system if isinstance(model, Automaton) else model
        super().__init__(system, model.name)
        numbers = itertools.count()
        self.places = tuple(
            Place(system, contact, number, next(numbers))
            for contact in system.contacts.values()
            for number in range(len(contact.places))
        )
        names = [symbol.name for symbol in system.discrete_states]
        self.families = (FREE,) if self.declared is None else tuple(self.declared.modes)
        self.turns = tuple((place, turn) for place in self.places for turn in place.turns)
        """All turning that is resisted, each with its place."""
        self.turn_places = tuple(tuple(names.index(name) for name in turn.names) for _, turn in self.turns)
        statuses = (names.index(status_name(place.name)) for place in self.places)
        self.pairs = pairs_of(self.places)
        """All pairs of boxes."""
        self.pair_places = tuple(
            (pair.places[0].total, names.index(pair.touching), names.index(pair.features[0])) for pair in self.pairs
        )
        self.end_places = tuple(self._ends(names))
        """Of each end that may lie flat its rim, its face, the tilting of that, the first state of how the rim tips."""
        touching = (place for _, place, _ in self.pair_places)
        self.key = (*statuses, *(turning for turning, *_ in self.turn_places), *touching, names.index(SHARING))
        self.slip_places = tuple(
            names.index(name) for place in self.places for name in slip_names(place.name, place.contact.planar)
        )
        self._members: dict[tuple[str, tuple[float, ...]], Mode] = {}
        self._own: dict[str, StatusTransitions] = {}
        """What may happen to contacts, in each family of modes that was met."""
        self._out_of: dict[str, list[Transition]] = {}
        """The declared transitions out of these families."""
        self._told: dict[Transition, str] = {}
        """What transitions are called that are not about the status of a place."""
        self._growing = threading.RLock()
        """Held while modes are added: runs in several threads may share the automaton."""
        self._known = 0 if self.declared is None else len(self.declared.transitions)
        """How many transitions of the declared automaton are known."""
        self._check_laws()
        self._check_transitions(0, self._known)

    def _ends(self, names: list[str]) -> Iterator[tuple[int, int, int, int]]:
        tilting = {place: number for number, (place, turn) in enumerate(self.turns) if turn.word == TILTING}
        for place in self.places:
            if place.total_of_face != place.total:
                face = self.places[place.total_of_face]
                yield place.total, face.total, tilting[face], names.index(tip_names(place.name)[0])

    def _check_laws(self) -> None:
        """That a run knows all that is asked of contacts."""
        for contact in self.system.contacts.values():
            if contact.planar and contact.friction is not None and contact.friction.spinning != 0:
                raise DetentError(
                    f"contact '{contact.name}': its spinning friction is {contact.friction.spinning}, in the plane "
                    "nothing turns about the normal; leave it out"
                )
        for place, turn in self.turns:
            if not place.can_turn and turn.word != TILTING:
                raise DetentError(
                    f"contact '{place.contact.name}': its {turn.word} friction has nothing to resist, since its shapes "
                    "do not turn against one another; leave it out, or give it bodies that turn"
                )

    def _check_transitions(self, first: int, last: int) -> None:
        for transition in [] if self.declared is None else self.declared.transitions[first:last]:
            if transition.accumulates is not None or transition.condition_after:
                raise DetentError(
                    f"transition '{transition.name}' of an automaton with contacts has accumulates= or "
                    "condition_after=; contacts say by themselves what follows an impact: leave them out"
                )

    @property
    def extent(self) -> tuple[int, int]:
        """How many families and declared transitions are known."""
        return len(self.families), self._known

    @property
    def dimension(self) -> int:
        """Rows of a contact: 2 in the plane, 3 in space."""
        return 1 + self.places[0].directions

    @property
    def rubs_in_space(self) -> bool:
        """Whether there is slip whose direction may turn, as fast as it is slow."""
        return self.dimension == 3 and any(place.rubs or place.turns for place in self.places)

    @property
    def zones(self) -> list[tuple[Contact, Zone]]:
        """The conditions in the laws of all contacts."""
        first = [place for place in self.places if place.number == 0]
        return [(place.contact, zone) for place in first for zone in place.zones]

    def states(self, key: tuple[float, ...]) -> list[tuple[Place, float, tuple[float, ...]]]:
        """Each place with its status, and of all turning that it resists whether it does it."""
        turning = iter(key[len(self.places) :])
        return [
            (place, status, tuple(itertools.islice(turning, len(place.turns))))
            for place, status in zip(self.places, key, strict=False)
        ]

    def counts(self, family: str, contact: Contact) -> bool:
        """Whether a contact counts in a family of modes."""
        named = None if self.declared is None else self.declared.modes[family].contacts
        return contact.enabled if named is None else contact.name in named

    def held(self, family: str) -> tuple[Constraint, ...]:
        """The constraints that hold in a family of modes, whatever contacts do."""
        if self.declared is None:
            return tuple(self.system.constraints[name] for name in self.system.active_at_start)
        return self.declared.modes[family].constraints

    def loads(self, family: str) -> tuple[str, ...]:
        """Of the loads that come and go, those that act in a family of modes."""
        return () if self.declared is None else self.declared.modes[family].loads

    def required(self, family: str) -> tuple[Any, ...]:
        """What must not be negative in a family of modes."""
        declared = () if self.declared is None else self.declared.modes[family].where
        outside = (pair.outside for pair in self._boxes(family))
        ruled = (place.lawful for place in self._ruled(family))
        return (*declared, *outside, *ruled, *(place.leans for place in self._edges(family)))

    def lies_flat(self, mode: Mode, required: int) -> Place | None:
        """The edge that may not lie flat, where one of the requirements of a mode is about that."""
        edges = self._edges(mode.family)
        number = required - len(mode.where) + len(edges)
        return edges[number] if number >= 0 else None

    def breaks_law(self, mode: Mode, required: int) -> Place | None:
        """The place whose coefficients leave their ranges, where one of the requirements of a mode is about that."""
        ruled = self._ruled(mode.family)
        number = required - len(mode.where) + len(self._edges(mode.family)) + len(ruled)
        return ruled[number] if 0 <= number < len(ruled) else None

    def overlaps(self, mode: Mode, required: int) -> BoxPair | None:
        """The boxes that may not be in one another, where one of the requirements of a mode is about that."""
        boxes, after = self._boxes(mode.family), len(self._ruled(mode.family)) + len(self._edges(mode.family))
        number = required - len(mode.where) + after + len(boxes)
        return boxes[number] if 0 <= number < len(boxes) else None

    def _boxes(self, family: str) -> list[BoxPair]:
        """The pairs of boxes that count."""
        return [pair for pair in self.pairs if self.counts(family, pair.contact)]

    def _edges(self, family: str) -> list[Place]:
        """The places where an edge may come to lie flat."""
        return [place for place in self.places if self.counts(family, place.contact) and place.leans is not None]

    def _ruled(self, family: str) -> list[Place]:
        """The places whose coefficients change along a motion."""
        return [place for place in self.places if self.counts(family, place.contact) and place.lawful is not None]

    # -- what is added to the declared automaton ---------------------------------------------------

    def follow(self, follower: Follower) -> None:
        """What is added to the declared automaton is looked at too."""
        self.followers.add(follower)
        if self.declared is not None:
            self.declared.followers.add(follower)

    def catch_up(self) -> None:
        """Take up modes and transitions of the declared automaton: as families, and in the modes that exist."""
        if self.declared is None:
            return
        with self._growing:
            known, count = self._known, len(self.declared.transitions)
            self.families = tuple(self.declared.modes)
            if count > known:
                self._check_transitions(known, count)
                self._known = count
                for family, out in self._out_of.items():
                    new = self._declared_transitions(family, known)
                    out += new
                    self.transitions += new
                self._changed()

    # -- modes -------------------------------------------------------------------------------------

    def member(self, family: str, key: tuple[float, ...]) -> Mode:
        """The mode of some statuses, made when it is first asked for."""
        with self._growing:
            if (family, key) not in self._members:
                self._members[family, key] = self._made(family, key)
            return self._members[family, key]

    def _made(self, family: str, key: tuple[float, ...]) -> Mode:
        closed = [c for place, status, turning in self.states(key) if (c := place.constraint(status, turning))]
        mode = Mode(
            self._name(family, key), (*self.held(family), *closed), self.loads(family), self.required(family), family,
            key, len(self.turns) + len(self.pairs),
        )  # fmt: skip
        self.modes[mode.name] = mode
        self._of_family(family)
        return mode

    def _name(self, family: str, key: tuple[float, ...]) -> str:
        name = ", ".join(each for each in (self.family_name(family), self.words(key)) if each) or FREE
        if name in self.modes:  # the same statuses where their forces are unique, or are not
            name += ", sharing" if key[-1] else ", not sharing"
        for word in (Touching(int(how)).name.lower() for how in key[len(self.places) + len(self.turns) : -1]):
            name += f", in a {word}" if name in self.modes and word != "apart" else ""
        return name

    def family_name(self, family: str) -> str:
        """What the names of modes begin with: that of the family; of a system, those of the constraints that hold."""
        if self.declared is not None:
            return family
        return mode_name(self.held(family)) if self.held(family) else ""

    def split_name(self, name: str) -> tuple[str, str]:
        """The family of a mode by its name, the first where none is named, and its statuses in words."""
        for family in sorted(self.families, key=len, reverse=True):
            if name.startswith(f"{self.family_name(family)}, "):
                return family, name.removeprefix(f"{self.family_name(family)}, ")
        return self.families[0], name

    def words(self, key: tuple[float, ...]) -> str:
        """Statuses in words."""
        closed = [(place, place.word(status, turning)) for place, status, turning in self.states(key) if status > 0]
        return ", ".join(f"{place.name}: {word}" for place, word in closed)

    # -- transitions -------------------------------------------------------------------------------

    def offers(self, family: str) -> tuple[Offer, ...]:
        """What may happen in the modes of a family, and in which of them: what is declared, then what contacts do."""
        made = self._of_family(family)
        return (*(Offer(transition) for transition in self._out_of[family]), *made.offers)

    def declared_out_of(self, family: str) -> tuple[Transition, ...]:
        """The declared transitions out of a family of modes, each once for all its modes."""
        self._of_family(family)
        return tuple(self._out_of[family])

    def any_mode(self, family: str) -> Mode:
        """What stands for any mode of a family."""
        return Mode(family, self.held(family), self.loads(family), self.required(family), family)

    def _of_family(self, family: str) -> StatusTransitions:
        with self._growing:
            if family not in self._own:
                prefix = "" if self.declared is None else f"{family}, "
                mode = self.any_mode(family)
                made = StatusTransitions(self.system, mode, prefix, self.places, self.turns, self.zones, self.pairs)
                self._told |= made.told
                self._own[family], self._out_of[family] = made, self._declared_transitions(family)
                self.transitions += [*self._out_of[family], *made.transitions]
                self._changed()
            return self._own[family]

    def meet_all(self) -> None:
        """Have the transitions of all families made."""
        if len(self._own) < len(self.families):
            for family in self.families:
                self._of_family(family)

    def leaving(self, mode: Mode) -> list[Transition]:
        """The declared ones, then what may happen to contacts."""
        own = self._of_family(mode.family)
        return [*self._out_of[mode.family], *own.offered(mode.key)]

    def _declared_transitions(self, family: str, first: int = 0) -> list[Transition]:
        """The transitions of the declared automaton out of a family, from one on, as far as they are known."""
        found, mode = [], self.any_mode(family)
        for transition in [] if self.declared is None else self.declared.transitions[first : self._known]:
            if transition.source.name != family:
                continue
            made = Transition(
                name=f"{transition.name} in {family}",
                source=mode,
                target=mode,
                guard=transition.guard,
                condition_before=transition.condition_before,
                condition_after=(),
                reset=(*transition.reset, *self._entering(transition)),
                accumulates=None,
                kind=transition.kind,
                family=transition.target.name,
            )
            self._told[made] = transition.name
            found.append(made)
        return found

    def _entering(self, transition: Transition) -> tuple[ResetStep, ...]:
        """Contacts that count where a transition leads begin as open ones; others do not count from there on."""
        source, target = transition.source.name, transition.target.name
        new = {}
        for place in self.places:
            before, after = self.counts(source, place.contact), self.counts(target, place.contact)
            if before != after:
                new[place.status] = sympy.Integer(int(ContactStatus.OPEN if after else ContactStatus.OFF))
        if not new:
            return (Settle(Reason.JUMPS),)
        return (read_assignment(self.system, f"transition '{transition.name}'", new), Settle(Reason.STARTS))

    def after(self, transition: Transition) -> tuple[Constraint, ...]:
        """Those that will hold whatever contacts do."""
        return self.held(transition.family)

    def touching(self, transition: Transition) -> tuple[Place, ...]:
        """The places that count where a transition comes from: where they are closed they hold what strikes, and they
        are settled after it."""
        return tuple(place for place in self.places if self.counts(transition.source.family, place.contact))

    def beginning(self, transition: Transition) -> tuple[Contact, ...]:
        """The contacts that begin to count where a transition leads."""
        source, target = transition.source.family, transition.family
        known = self.system.contacts.values()
        return tuple(each for each in known if self.counts(target, each) and not self.counts(source, each))

    def closed_places(self, key: Sequence[float]) -> list[Place]:
        """The places that are closed in the modes of a key."""
        return [place for place, status in zip(self.places, key, strict=False) if status > ContactStatus.OPEN]

    def event_name(self, transition: Transition, source: Mode, target: Mode, bounced: Sequence[int] = ()) -> str:
        """What contacts do that they did not do before, in words."""
        changes = self.changes(source.key, target.key)
        told, step = self._told.get(transition), transition.reset[-1] if transition.reset else None
        own = step.number if isinstance(step, Collide) else -1
        others = [f"{self._bouncing_name(number)}: bounce" for number in self._told_bounces(bounced, own)]
        does, where = "", self._where(step, bounced) if isinstance(step, Settle) else ""
        if told is not None:
            changes = [told, *changes]
        if not changes:
            assert isinstance(step, Settle)
            does = self._unchanged(step) or ("" if others else "stays")
        elif own >= 0 and self._as_one(own) in map(self._as_one, bounced):
            does = _UNCHANGED[Reason.CLOSES]
        return ", ".join([*changes, *([f"{where}: {does}"] if does else []), *others])

    def _where(self, step: Settle, bounced: Sequence[int]) -> str:
        """The place that something happens to; of an end that strikes flat its face, which pushes, not its rim."""
        face = self.places[step.number].total_of_face
        return self.places[face].name if step.reason is Reason.CLOSES and face in bounced else step.place

    def _unchanged(self, step: Settle) -> str:
        """What happens to a contact though no status changes; nothing where there is no word for it."""
        goes_on = step.reason is Reason.LEAVES and self.places[step.number].contact.chooses_features
        return "passes an edge" if goes_on else _UNCHANGED.get(step.reason, "")

    def _told_bounces(self, bounced: Sequence[int], own: int) -> list[int]:
        """Of places that struck and opened again, those besides one; of boxes, and of what has ends, one for all."""
        found = {} if own < 0 else {self._as_one(own): own}
        for number in bounced:
            found.setdefault(self._as_one(number), number)
        return [number for number in found.values() if number != own]

    def _as_one(self, number: int) -> int:
        """The first place of a contact whose places are told as one; otherwise the place."""
        place = self.places[number]
        return place.total - place.number if place.contact.chooses_features or place.contact.flat_ends else number

    def _bouncing_name(self, number: int) -> str:
        place = self.places[number]
        return place.contact.name if place.contact.chooses_features else place.name

    def changes(self, before: tuple[float, ...], after: tuple[float, ...]) -> list[str]:
        """What each contact that counts does that it did not do before, in words."""
        return [
            f"{place.name}: {place.word(old, turned)} -> {place.word(new, turns)}"
            for (place, old, turned), (_, new, turns) in zip(self.states(before), self.states(after), strict=True)
            if (old, turned) != (new, turns) and min(old, new) >= 0
        ]

    def declared_name(self, transition: Transition) -> str:
        """The name by which a transition was declared; empty for what contacts do by themselves."""
        return self._told.get(transition, "")

    def words_of(self, transition: Transition) -> str:
        """What would have happened to a contact, in words."""
        return self._told.get(transition) or ", ".join(transition.reset[-1].lines(str))

    def check(self, start: Mode) -> None:
        """Nothing can be missing: modes are made as they are needed."""


def automaton_of_contacts(model: Any) -> StatusAutomaton | None:
    """The automaton of a model's contacts, the same as long as nothing is added; None where there are no contacts."""
    system = model.system if isinstance(model, Automaton) else model
    if not isinstance(system, System) or not system.contacts:
        return None
    made: dict[Any, StatusAutomaton] = model.__dict__.setdefault("_statuses", {})
    version = model.version if isinstance(model, Automaton) else 0
    key = (tuple(system.contacts.values()), tuple(system.active_at_start), len(system.discrete_states), version)
    if key not in made:
        made[key] = StatusAutomaton(model)
    return made[key]
