"""The automaton of contacts: its modes are the statuses that a run comes to, made when they are first met.

Nobody writes it: what each place of contact does (open, slip, stick) is data that the kernel settles at an instant; a
mode is what such statuses mean between instants, as constraints that hold and guards that are watched.
"""

from __future__ import annotations

import itertools
import threading
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, final

import sympy

from detent.contact_solves.settle_frame import Reason
from detent.hybrid.automaton import Automaton
from detent.hybrid.guard import Guard
from detent.hybrid.mode import Mode
from detent.hybrid.settle import Collide, Settle
from detent.hybrid.transition import Transition
from detent.model.constraint import Constraint
from detent.model.contact import SHARING, Contact, ContactStatus, slip_names, status_name
from detent.model.contact_measure import contact_measure
from detent.model.frame import Frame
from detent.model.quantity import Moving
from detent.model.rotation import AxisRotation
from detent.model.row import ConfigurationRow, MotionRow, Row, Sliding
from detent.model.system import System

FREE: Final = "free"
SLACK: Final = "contacts.slack"
"""What stands for the slack of forces that contacts share, as if it were a reaction."""
_ROUND: Final = ("circle", "arc", "sphere", "capsule", "cylinder", "rim")
_UNCHANGED: Final = {Reason.CLOSES: "bounce", Reason.ENDS: "slip turns"}
"""What happens to a contact though its status does not change."""


@final
@dataclass(frozen=True, eq=False)
class Place:
    """A place where the shapes of a contact may touch, by its symbols."""

    system: System
    contact: Contact
    number: int
    """Which of the contact's places."""
    total: int
    """Which of all places of the system."""

    @property
    def name(self) -> str:
        return self.contact.places[self.number]

    @property
    def directions(self) -> int:
        """How many directions it may slip in."""
        return 1 if self.contact.planar else 2

    @cached_property
    def gap(self) -> Any:
        return contact_measure(self.system, self.contact, self.number, "gap")

    @cached_property
    def slips(self) -> tuple[Any, ...]:
        """The velocity of slip, along each tangent."""
        return tuple(
            contact_measure(self.system, self.contact, self.number, "slip", k) for k in range(self.directions)
        )

    @cached_property
    def domains(self) -> tuple[Any, ...]:
        """What is not negative where the place is on its edge or face."""
        if not self.contact.features[self.number]:
            return ()
        return (contact_measure(self.system, self.contact, self.number, "domain"),)

    @cached_property
    def began(self) -> tuple[Any, ...]:
        """The direction in which the slip began."""
        return self._kept[: self.directions]

    @property
    def near(self) -> Any:
        """The speed of slip, in space, below which it is straight."""
        return self._kept[2]

    @property
    def straight(self) -> Any:
        """Whether it is: 1 or 0."""
        return self._kept[3]

    @cached_property
    def _kept(self) -> tuple[Any, ...]:
        return tuple(self.system[name] for name in slip_names(self.name, self.contact.planar))

    @cached_property
    def kinetic(self) -> Any:
        return sympy.Integer(0) if self.contact.friction is None else self.contact.friction.kinetic

    @cached_property
    def static(self) -> Any:
        return sympy.Integer(0) if self.contact.friction is None else self.contact.friction.static

    @property
    def rubs(self) -> bool:
        return self.contact.friction is not None and self.kinetic != 0

    @cached_property
    def rolls(self) -> bool:
        """Whether the place moves over both bodies while it sticks."""
        shapes = (self.contact.first, self.contact.second)
        return any(shape.kind in _ROUND for shape in shapes) and _turn(shapes[0].seat.frame, shapes[1].seat.frame)

    @property
    def normal(self) -> Any:
        """The normal force."""
        return self.system.reaction(f"{self.name}.normal")

    @property
    def row_names(self) -> list[str]:
        """Of the rows that a contact has while it sticks; the first is that of the normal."""
        friction = ["friction"] if self.directions == 1 else ["friction 1", "friction 2"]
        return [f"{self.name}.{word}" for word in ("normal", *friction)]

    @cached_property
    def towards(self) -> tuple[Any, ...]:
        """The direction of slip; where it is zero, that in which it began."""
        if self.directions == 1:
            return self.began
        side = sympy.Piecewise((1, self.along >= 0), (-1, True))
        angle = sympy.atan2(side * self.slips[1], side * self.slips[0])  # its bounds stay bounded where slip ends
        turning = sympy.cos(angle, evaluate=False), sympy.sin(angle, evaluate=False)
        return tuple(self._if_straight(d, turned) for d, turned in zip(self.began, turning, strict=True))

    @cached_property
    def along(self) -> Any:
        """The slip along the direction in which it began; positive until it ends, or turns far."""
        return sum((v * d for v, d in zip(self.slips, self.began, strict=True)), start=sympy.Integer(0))

    def _if_straight(self, value: Any, otherwise: Any) -> Any:
        """What depends on whether a slip in space is so near its end that it is straight."""
        return sympy.Piecewise((value, self.straight > sympy.Rational(1, 2)), (otherwise, True))

    def _slip_guards(self) -> list[tuple[Reason, Any]]:
        """What ends a slip; in space also what ends a direction."""
        if self.directions == 1:
            return [(Reason.ENDS, self.along)]
        square = self.slips[0] ** 2 + self.slips[1] ** 2
        return [
            (Reason.ENDS, self._if_straight(self.along, 1)),
            (Reason.TURNS, self._if_straight(4 * self.near**2 - square, square - self.near**2)),
            (Reason.TURNS, self._if_straight(1, 2 * self.along - sympy.sqrt(square))),
        ]

    @cached_property
    def slipping(self) -> Constraint:
        """The contact while it slips."""
        rubbing = zip(self.slips, self.towards, strict=True) if self.rubs else ()
        sliding = tuple(Sliding(slip, self.kinetic * direction) for slip, direction in rubbing)
        return Constraint(self.name, (ConfigurationRow(self.row_names[0], self.gap, sliding),))

    @cached_property
    def sticking(self) -> Constraint:
        """The contact while it sticks."""
        normal, *friction = self.row_names
        held: list[Row] = [MotionRow(name, slip) for name, slip in zip(friction, self.slips, strict=True)]
        return Constraint(self.name, (ConfigurationRow(normal, self.gap), *held))

    def constraint(self, status: float) -> Constraint | None:
        """What holds with a status."""
        return {ContactStatus.SLIP: self.slipping, ContactStatus.STICK: self.sticking}.get(ContactStatus(int(status)))

    def guards(self, status: float, shares: bool) -> list[tuple[Reason, Any]]:
        """What is watched while a place has a status, each expression until it falls below zero.

        Where contacts share their forces these are watched together.
        """
        if status == ContactStatus.OPEN:
            return [(Reason.CLOSES, self.gap)]
        found = [(Reason.LEAVES, domain) for domain in self.domains]
        if not shares:
            found.append((Reason.LIFTS, self.normal))
        if status == ContactStatus.STICK and not shares:
            friction = [self.system.reaction(name) for name in self.row_names[1:]]
            used = sum((force**2 for force in friction), start=sympy.Integer(0))
            found.append((Reason.BREAKS, self.static**2 * self.normal**2 - used))
        return found + (self._slip_guards() if status == ContactStatus.SLIP and self.rubs else [])

    def word(self, status: float) -> str:
        """A status in words."""
        if status == ContactStatus.STICK:
            return "roll" if self.rolls else "stick"
        return ContactStatus(int(status)).name.lower()


def _turn(first: Frame, second: Frame) -> bool:
    """Whether one frame may turn against another."""
    paths = [set(frame.path()) for frame in (first, second)]
    return any(_moves(frame) for frame in paths[0] ^ paths[1])


def _moves(frame: Frame) -> bool:
    if isinstance(frame.rotation, AxisRotation):
        return any(isinstance(symbol, Moving) for symbol in sympy.sympify(frame.rotation.angle).free_symbols)
    return frame.rotation is not None


@final
class StatusAutomaton(Automaton):
    """The modes that contacts of a system come to; grows while a run goes on."""

    def __init__(self, system: System) -> None:
        super().__init__(system)
        numbers = itertools.count()
        self.places = tuple(
            Place(system, contact, number, next(numbers))
            for contact in system.contacts.values()
            for number in range(len(contact.places))
        )
        names = [symbol.name for symbol in system.discrete_states]
        self.families = (FREE,)
        self.key = (*(names.index(status_name(place.name)) for place in self.places), names.index(SHARING))
        self.slip_places = tuple(
            names.index(name) for place in self.places for name in slip_names(place.name, place.contact.planar)
        )
        self._members: dict[tuple[str, tuple[float, ...]], Mode] = {}
        self._growing = threading.RLock()
        """Held while modes are added: runs in several threads may share the automaton."""

    @property
    def dimension(self) -> int:
        """Rows of a contact: 2 in the plane, 3 in space."""
        return 1 + self.places[0].directions

    def member(self, family: str, key: tuple[float, ...]) -> Mode:
        """The mode of some statuses, made when it is first asked for."""
        with self._growing:
            if (family, key) not in self._members:
                self._members[family, key] = self._made(family, key)
            return self._members[family, key]

    def _made(self, family: str, key: tuple[float, ...]) -> Mode:
        always = [self.system.constraints[name] for name in self.system.active_at_start]
        closed = [c for place, status in zip(self.places, key, strict=False) if (c := place.constraint(status))]
        name = self.words(key)
        if name in self.modes:  # the same statuses where their forces are unique, or are not
            name += ", sharing" if key[-1] else ", not sharing"
        mode = Mode(name, (*always, *closed), (), (), family, key)
        self.modes[mode.name] = mode
        for place, status in zip(self.places, key, strict=False):
            for number, (reason, expression) in enumerate(place.guards(status, bool(key[-1]))):
                self.transitions.append(self._transition(mode, place, reason, expression, number))
        if key[-1]:
            place = next(place for place, status in zip(self.places, key, strict=False) if status > 0)
            self.transitions.append(self._transition(mode, place, Reason.YIELDS, self.system.reaction(SLACK), 0))
        self._changed()
        return mode

    def _transition(self, mode: Mode, place: Place, reason: Reason, expression: Any, number: int) -> Transition:
        strikes = reason is Reason.CLOSES
        made = (Collide if strikes else Settle)(reason, place.name, place.total)
        return Transition(
            name=f"{place.name}: {reason.name.lower()} {number} in {mode.name}",
            source=mode,
            target=mode,
            guard=Guard(expression, "falling"),
            condition_before=place.domains if strikes else (),
            condition_after=(),
            reset=(made,),
            accumulates=None,
            kind="impact" if strikes else "" if reason is Reason.TURNS else "transition",
            family=mode.family,
            completion=(Collide(Reason.COMPLETES, place.name, place.total),) if strikes else (),
        )

    def words(self, key: tuple[float, ...]) -> str:
        """Statuses in words: the name of their mode."""
        closed = [f"{place.name}: {place.word(s)}" for place, s in zip(self.places, key, strict=False) if s > 0]
        return ", ".join(closed) or FREE

    def event_name(self, transition: Transition, source: Mode, target: Mode) -> str:
        """What contacts do that they did not do before, in words."""
        pairs = zip(self.places, source.key, target.key, strict=False)
        changes = [f"{place.name}: {place.word(old)} -> {place.word(new)}" for place, old, new in pairs if old != new]
        if changes:
            return ", ".join(changes)
        step = transition.reset[-1]
        assert isinstance(step, Settle)
        return f"{step.place}: {_UNCHANGED.get(step.reason, 'stays')}" if step.place else "contacts stay"

    def check(self, start: Mode) -> None:
        """Nothing can be missing: modes are made as they are needed."""


def automaton_of_contacts(system: Any) -> StatusAutomaton | None:
    """The automaton of a system's contacts, the same as long as none is added; None where there are no contacts."""
    if not isinstance(system, System) or not system.contacts:
        return None
    made: dict[Any, StatusAutomaton] = system.__dict__.setdefault("_statuses", {})
    key = (tuple(system.contacts.values()), tuple(system.active_at_start), len(system.discrete_states))
    if key not in made:
        made[key] = StatusAutomaton(system)
    return made[key]
