"""A place where the shapes of a contact may touch: what holds there, and what is watched, by its status."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, final

import sympy

from detent.contact_solves.settle_frame import Reason
from detent.model.constraint import Constraint
from detent.model.contact import Contact, ContactStatus, slip_names, status_name, turn_names
from detent.model.contact_measure import contact_measure
from detent.model.contact_zones import Zone, zones_of
from detent.model.frame import Frame
from detent.model.quantity import Moving
from detent.model.rotation import AxisRotation
from detent.model.row import ConfigurationRow, MotionRow, Row, Sliding
from detent.model.system import System

BEHIND: Final = 1e-6
"""What is farther (m) behind an edge when it comes over it has not met it from its front."""
_ROUND: Final = ("circle", "arc", "sphere", "capsule", "cylinder", "rim")
_BENT: Final = ("curve", "surface")


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
        return tuple(contact_measure(self.system, self.contact, self.number, "slip", k) for k in range(self.directions))

    @cached_property
    def domains(self) -> tuple[Any, ...]:
        """What is not negative where the place is on its edge or face."""
        if not self.contact.features[self.number]:
            return ()
        return (contact_measure(self.system, self.contact, self.number, "domain"),)

    @cached_property
    def _gap_on_feature(self) -> Any:
        """The gap; positive also where the place is not on its edge or face, whatever lies beyond."""
        if not self.domains:
            return self.gap
        return sympy.Max(self.gap, *(-domain for domain in self.domains), evaluate=False)

    @property
    def meets(self) -> tuple[Any, ...]:
        """What is not negative where a gap has become zero; an edge may also be reached from behind."""
        return (self.gap + BEHIND,) if self.domains else ()

    @cached_property
    def point(self) -> tuple[Any, ...]:
        """Where it is, along the axes of the ground."""
        return tuple(contact_measure(self.system, self.contact, self.number, "point", k) for k in range(3))

    @cached_property
    def turned(self) -> tuple[Any, ...]:
        """The normal and the tangents, each along the axes of the ground."""
        normal = [contact_measure(self.system, self.contact, self.number, "normal", k) for k in range(3)]
        every = range(3 * self.directions)
        return (*normal, *(contact_measure(self.system, self.contact, self.number, "tangent", k) for k in every))

    @cached_property
    def drag(self) -> tuple[Any, ...]:
        """While it slips: friction along each tangent, by the normal force."""
        if not self.rubs:
            return (sympy.Integer(0),) * self.directions
        return tuple(-self.kinetic * direction for direction in self.towards)

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
        """The coefficient of a contact that slips."""
        law = self.contact.friction
        return sympy.Integer(0) if law is None else self._law(law.kinetic, self._slip_speed)

    @cached_property
    def kinetic_by_state(self) -> Any:
        """The same with the conditions in its law as they are, where nobody watches them."""
        law = self.contact.friction
        return sympy.Integer(0) if law is None else self._law(law.kinetic, self._slip_speed, watched=False)

    @cached_property
    def static_by_state(self) -> Any:
        law = self.contact.friction
        return sympy.Integer(0) if law is None else self._law(law.static, 0, watched=False)

    @cached_property
    def restitution_by_state(self) -> Any:
        return self._law(self.contact.impact.restitution, self._slip_speed, watched=False)

    @cached_property
    def static(self) -> Any:
        """The coefficient of a contact that sticks."""
        law = self.contact.friction
        return sympy.Integer(0) if law is None else self._law(law.static, 0)

    @property
    def resists(self) -> bool:
        """Whether it resists turning: rolling in the plane, spinning in space."""
        return bool(self.contact.resistance)

    @cached_property
    def resistance(self) -> Any:
        """The moment against turning, by the normal force, m."""
        law = getattr(self.contact.friction, self.contact.resistance) if self.resists else 0
        return self._law(law, self._slip_speed)

    @cached_property
    def spin(self) -> Any:
        """How fast the first shape turns against the second."""
        return contact_measure(self.system, self.contact, self.number, "spin")

    @cached_property
    def turning(self) -> tuple[Any, Any]:
        """Where it resists that: the discrete states that tell whether it turns, and which way."""
        turning, turn = (self.system[name] for name in turn_names(self.name))
        return turning, turn

    @cached_property
    def moment(self) -> Any:
        """While it turns: the moment against that, by the normal force."""
        return -self.resistance * self.turning[1] if self.resists else sympy.Integer(0)

    @property
    def turn_row(self) -> str:
        """The name of the row that it has while it resists turning and does not turn."""
        return f"{self.name}.{self.contact.resistance}"

    @cached_property
    def held(self) -> Constraint:
        """That it does not turn, alone."""
        return Constraint(self.name, (MotionRow(self.turn_row, self.spin),))

    @cached_property
    def restitution(self) -> Any:
        return self._law(self.contact.impact.restitution, self._slip_speed)

    @cached_property
    def zones(self) -> tuple[Zone, ...]:
        """Conditions in its laws; those of the contact are watched once, for its first place."""
        return zones_of(self.contact)

    @property
    def _slip_speed(self) -> Any:
        if self.directions == 1:
            return sympy.Abs(self.slips[0])
        return sympy.sqrt(self.slips[0] ** 2 + self.slips[1] ** 2)

    def _law(self, law: Any, slip_speed: Any, watched: bool = True) -> Any:
        """A law with the speeds of this place, and with discrete states for its conditions where they are watched."""
        zones = self.zones if watched else ()
        told = {zone.condition: self.system[zone.name] > sympy.Rational(1, 2) for zone in zones}
        approach = contact_measure(self.system, self.contact, self.number, "approach")
        speeds = {self.system.slip_speed: slip_speed, self.system.approach_speed: approach}
        return sympy.sympify(law).xreplace(told).xreplace(speeds)

    @property
    def rubs(self) -> bool:
        return self.contact.friction is not None and self.kinetic != 0

    @cached_property
    def rolls(self) -> bool:
        """Whether the place moves over both bodies while it sticks."""
        shapes = (self.contact.first, self.contact.second)
        kinds = [shape.kind for shape in shapes]
        is_round = any(kind in _ROUND for kind in kinds) or (set(_BENT) & set(kinds) and "point" not in kinds)
        return bool(is_round) and _turn(shapes[0].seat.frame, shapes[1].seat.frame)

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
        (first, second), side = self.began, sympy.Piecewise((1, self.along >= 0), (-1, True))
        across = first * self.slips[1] - second * self.slips[0]
        # Its bounds stay bounded where slip ends; from where it began it turns less than a right angle, so no angle
        # jumps by a whole turn, which one from the first tangent would where the slip is against that.
        angle = sympy.atan2(side * across, side * self.along)
        cosine, sine = sympy.cos(angle, evaluate=False), sympy.sin(angle, evaluate=False)
        turning = first * cosine - second * sine, second * cosine + first * sine
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

    @property
    def status(self) -> Any:
        """The discrete state that holds its status; negative where it does not count."""
        return self.system[status_name(self.name)]

    def constraint(self, status: float, turning: float | None = None) -> Constraint | None:
        """What holds with a status; where it resists turning, with that too if it is told whether it turns."""
        if status <= ContactStatus.OPEN:
            return None
        if turning is not None and self.resists:
            return self._resisting[status == ContactStatus.STICK, bool(turning)]
        return self.sticking if status == ContactStatus.STICK else self.slipping

    @cached_property
    def _resisting(self) -> dict[tuple[bool, bool], Constraint]:
        """What holds where it resists turning, by whether it sticks and whether it turns."""
        braked, found = Sliding(self.spin, self.resistance * self.turning[1]), {}
        for sticks, bare in ((True, self.sticking), (False, self.slipping)):
            normal, *others = bare.rows
            turns = ConfigurationRow(normal.name, normal.expression, (*normal.sliding, braked))
            found[sticks, True] = Constraint(self.name, (turns, *others))
            found[sticks, False] = Constraint(self.name, (*bare.rows, *self.held.rows))
        return found

    def guards(self, status: float, turning: float, shares: bool) -> list[tuple[Reason, Any]]:
        """What is watched while a place has a status, each expression until it falls below zero.

        Where contacts share their forces these are watched together.
        """
        if status < ContactStatus.OPEN:
            return []
        if status == ContactStatus.OPEN:
            return [(Reason.CLOSES, self._gap_on_feature)]
        found = [(Reason.LEAVES, domain) for domain in self.domains]
        if not shares:
            found.append((Reason.LIFTS, self.normal))
        if status == ContactStatus.STICK and not shares:
            friction = [self.system.reaction(name) for name in self.row_names[1:]]
            used = sum((force**2 for force in friction), start=sympy.Integer(0))
            found.append((Reason.BREAKS, self.static**2 * self.normal**2 - used))
        found += self._slip_guards() if status == ContactStatus.SLIP and self.rubs else []
        return found + (self._turn_guards(turning) if self.resists else [])

    def _turn_guards(self, turning: float) -> list[tuple[Reason, Any]]:
        """What ends that it turns, or that it does not."""
        if turning:
            return [(Reason.HALTS, self.spin * self.turning[1])]
        moment = self.system.reaction(self.turn_row)
        return [(Reason.GIVES, self.resistance**2 * self.normal**2 - moment**2)]

    def word(self, status: float, turning: float = 0.0) -> str:
        """A status in words; where it resists turning, with whether it turns."""
        sticks = status == ContactStatus.STICK
        if self.resists and self.contact.planar and sticks:
            return "rest" if not turning else "roll" if self.rolls else "pivot"
        word = "roll" if sticks and self.rolls else ContactStatus(int(status)).name.lower()
        return f"{word} and {'turn' if self.contact.planar else 'spin'}" if turning else word

    @property
    def can_turn(self) -> bool:
        """Whether its shapes may turn against one another."""
        return _turn(self.contact.first.seat.frame, self.contact.second.seat.frame)


def _turn(first: Frame, second: Frame) -> bool:
    """Whether one frame may turn against another."""
    paths = [set(frame.path()) for frame in (first, second)]
    return any(_moves(frame) for frame in paths[0] ^ paths[1])


def _moves(frame: Frame) -> bool:
    if isinstance(frame.rotation, AxisRotation):
        return any(isinstance(symbol, Moving) for symbol in sympy.sympify(frame.rotation.angle).free_symbols)
    return frame.rotation is not None
