"""What may happen to contacts: transitions by place and status, each once for a family of modes, whatever others do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final, final

import sympy

from detent.contact_solves.box_frame import Touching
from detent.contact_solves.settle_frame import Reason
from detent.events.anew import Anew
from detent.hybrid.assignment import read_assignment
from detent.hybrid.box_pair import BoxPair
from detent.hybrid.contact_place import Place
from detent.hybrid.guard import Guard
from detent.hybrid.heading import WatchedExpression
from detent.hybrid.mode import Mode
from detent.hybrid.settle import Collide, Settle, SettleAnew
from detent.hybrid.transition import Transition
from detent.hybrid.turning import Turning
from detent.model.contact import Contact, ContactStatus
from detent.model.contact_zones import Zone
from detent.model.system import System

CHANGED: Final = "values changed"
"""What the transition is called that is fired where values were changed from outside."""
SLACK: Final = "contacts.slack"
"""What stands for the slack of forces that contacts share, as if it were a reaction."""
_HELD_FROM: Final = {Reason.CLOSES: ContactStatus.SLIP, Reason.ENDS: ContactStatus.STICK}
"""From which status on a contact holds what is watched for a reason: its gap, or its slip."""


_STRIKES: Final = (Reason.CLOSES, Reason.LIES)
_UNTOLD: Final = (Reason.TURNS, Reason.TIPS)
_ANEW: Final = (Reason.LIES, Reason.YIELDS)
"""What may happen again though it has not visibly come back: that forces give way is known to some digits, and what
lets go a little too early is pressed together again."""


@final
@dataclass(frozen=True, eq=False)
class Offer:
    """A transition of a family of modes, and in which of them it is watched."""

    transition: Transition
    where: tuple[tuple[int, float], ...] = ()
    """Numbers of the key, by their place in it, and the values that they have there."""
    once: bool = False
    """Not where another transition with the same guard is watched."""

    def holds(self, key: Sequence[float]) -> bool:
        """Whether it is watched in the mode of a key, as far as that depends on the key."""
        return all(key[place] == value for place, value in self.where)


@final
class StatusTransitions:
    """The transitions that contacts have by themselves in one family of modes."""

    def __init__(
        self, system: System, family: Mode, prefix: str, places: Sequence[Place],
        turns: Sequence[tuple[Place, Turning]], zones: Sequence[tuple[Contact, Zone]], pairs: Sequence[BoxPair] = (),
    ) -> None:  # fmt: skip
        """``family`` stands for any mode of it; names begin with ``prefix``."""
        self._system, self._family, self._prefix = system, family, prefix
        self._turns = {turn: number for number, (_, turn) in enumerate(turns)}
        self._first_turn, self._first_pair = len(places), len(places) + len(turns)
        self._sharing = self._first_pair + len(pairs)
        self._made: dict[tuple[int, WatchedExpression], Transition] = {}
        self._counts = Counter[tuple[int, Reason]]()
        """How many there are of a place for one reason."""
        self.told: dict[Transition, str] = {}
        """What those are called that are not about the status of a place."""
        self.offers: tuple[Offer, ...] = (
            *(offer for place in places for offer in self._of_place(place)),
            *(self._yields(place, status) for place in places for status in closed_statuses(place)),
            *(self._at_zone(*zone) for zone in zones),
            *(self._meets(pair, how) for pair in pairs for how in (Touching.APART, Touching.POINT, Touching.LINE)),
            self._where_values_change(),
        )

    @property
    def transitions(self) -> list[Transition]:
        """All of them, each once."""
        return list(dict.fromkeys(offer.transition for offer in self.offers))

    def offered(self, key: Sequence[float]) -> list[Transition]:
        """Those that are watched in the mode of a key, in their order."""
        found: list[Transition] = []
        for offer in self.offers:
            if not offer.holds(key):
                continue
            if offer.once and any(each.guard == offer.transition.guard for each in found):
                continue
            found.append(offer.transition)
        return found

    def _of_place(self, place: Place) -> Iterator[Offer]:
        for status, turning, shares in self._states(place):
            where = [(place.total, float(status))]
            if status > ContactStatus.OPEN:
                numbers = [self._first_turn + self._turns[turn] for turn in place.turns]
                where += [*zip(numbers, turning, strict=True), (self._sharing, float(shares))]
            for watched in place.watched(status, turning, shares):
                yield Offer(self._transition(place, watched), tuple(where))

    def _states(self, place: Place) -> Iterator[tuple[ContactStatus, tuple[float, ...], bool]]:
        """What a place may do: its status, which turning it does, whether it shares its forces with others."""
        yield ContactStatus.OPEN, (0.0,) * len(place.turns), False
        yield from product(closed_statuses(place), product(*(turn.does for turn in place.turns)), (False, True))

    def _yields(self, place: Place, status: ContactStatus) -> Offer:
        """Contacts that share their forces give way together: it is told of the first that is closed."""
        where = ((place.total, float(status)), (self._sharing, 1.0))
        watched = WatchedExpression(Reason.YIELDS, self._system.reaction(SLACK))
        return Offer(self._transition(place, watched), where, once=True)

    def _transition(self, place: Place, watched: WatchedExpression) -> Transition:
        if (place.total, watched) not in self._made:
            self._made[place.total, watched] = self._new(place, watched)
        return self._made[place.total, watched]

    def _new(self, place: Place, watched: WatchedExpression) -> Transition:
        reason, expression, turn = watched
        strikes, which = reason in _STRIKES, -1 if turn is None else self._turns[turn]
        number = self._counts[place.total, reason]
        self._counts[place.total, reason] += 1
        return Transition(
            name=f"{self._prefix}{place.name}: {reason.name.lower()} {number}",
            source=self._family,
            target=self._family,
            guard=Guard(expression, "falling"),
            condition_before=place.meets if reason is Reason.CLOSES else (),
            condition_after=(),
            reset=((Collide if strikes else Settle)(reason, place.name, place.total, which),),
            accumulates=None,
            kind="impact" if strikes else "" if reason in _UNTOLD else "transition",
            family=self._family.family,
            at_once=strikes or reason is Reason.LEAVES,
            held=self._held(place, reason),
            anew=Anew.ALWAYS if reason in _ANEW else Anew.WHERE_STRUCK if strikes else Anew.NEVER,
        )

    @staticmethod
    def _held(place: Place, reason: Reason) -> tuple[int, int] | None:
        """Which place holds what is watched, and from which status on: of a rim how it leans is held by its face."""
        if reason is Reason.LIES:
            return place.total_of_face, int(ContactStatus.SLIP)
        return (place.total, int(_HELD_FROM[reason])) if reason in _HELD_FROM else None

    def _meets(self, pair: BoxPair, how: Touching) -> Offer:
        """Where boxes come to touch, or come to touch in more than they do.

        What is above the plane in which they touch was held in it until they touched in less.
        """
        key, first, apart = self._first_pair + pair.number, pair.places[0], how is Touching.APART
        made = Transition(
            name=f"{self._prefix}{pair.contact.name}: {'closes' if apart else f'comes down from a {how.name.lower()}'}",
            source=self._family,
            target=self._family,
            guard=Guard(pair.watched(how), "falling"),
            condition_before=(),
            condition_after=(),
            reset=(Collide(Reason.CLOSES, pair.contact.name, first.total, pair=pair.number),),
            accumulates=None,
            kind="impact",
            family=self._family.family,
            at_once=True,
            held=(key, how + 1),
            anew=Anew.ALWAYS,
        )
        return Offer(made, ((key, float(how)),))

    def _at_zone(self, contact: Contact, zone: Zone) -> Offer:
        """Where a condition in a contact's laws changes."""
        words = f"{contact.name}: passes {zone.condition.lhs} = {zone.condition.rhs}"
        made = Transition(
            name=f"{self._prefix}{words}",
            source=self._family,
            target=self._family,
            guard=Guard((2 * self._system[zone.name] - 1) * zone.difference, "falling"),
            condition_before=(),
            condition_after=(),
            reset=(
                read_assignment(self._system, zone.name, {zone.name: 1 - self._system[zone.name]}),
                Settle(Reason.CHANGES),
            ),
            accumulates=None,
            kind="transition",
            family=self._family.family,
            at_once=True,
        )
        self.told[made] = words
        return Offer(made)

    def _where_values_change(self) -> Offer:
        """What contacts do where values were changed from outside, which no guard tells: it is fired."""
        made = Transition(
            name=f"{self._prefix}{CHANGED}",
            source=self._family,
            target=self._family,
            guard=Guard(sympy.Integer(1), "falling"),
            condition_before=(),
            condition_after=(),
            reset=(SettleAnew(Reason.JUMPS),),
            accumulates=None,
            kind="transition",
            family=self._family.family,
        )
        self.told[made] = CHANGED
        return Offer(made)


def settles_anew(transition: Transition) -> bool:
    """Whether it is what contacts do where values were changed from outside."""
    return bool(transition.reset) and isinstance(transition.reset[-1], SettleAnew)


def closed_statuses(place: Place) -> tuple[ContactStatus, ...]:
    """The statuses that a place may have while it is closed."""
    return (ContactStatus.SLIP, ContactStatus.STICK) if place.rubs else (ContactStatus.SLIP,)
