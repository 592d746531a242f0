"""A place where the shapes of a contact may touch: what holds there, and what is watched, by its status."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any, Final, final

import sympy

from detent.contact_solves.settle_frame import Reason
from detent.hybrid.heading import Heading, WatchedExpression
from detent.hybrid.turning import Turning
from detent.model.constraint import Constraint
from detent.model.contact import FLAT, TILTING, Contact, ContactStatus, slip_names, status_name, tip_names
from detent.model.contact_measure import contact_measure
from detent.model.contact_zones import Zone, zones_of
from detent.model.frame import Frame
from detent.model.friction_laws import ROUNDING
from detent.model.quantity import Moving, Time
from detent.model.rotation import AxisRotation
from detent.model.row import ConfigurationRow, MotionRow, Row, Sliding
from detent.model.system import System

BEHIND: Final = 1e-6
"""What is farther (m) behind an edge when it comes over it has not met it from its front."""
_BENDS_BACK: Final = 1e-3
_ROUND: Final = ("circle", "arc", "sphere", "capsule", "cylinder", "rim")
_BENT: Final = ("curve", "surface")
_LIE_FLAT: Final = {
    frozenset(pair) for pair in (("rim", "plane"), *product(("cylinder", "rim"), ("hollow sphere",)), ("rim", "sphere"))
}
"""Pairs of kinds of which a round edge may touch all round."""
_NO_NUMBER: Final = (sympy.nan, sympy.zoo, sympy.oo, -sympy.oo)
_NO_SLIP: Final = sympy.Float(1e-30)
"""The square of a speed that is far smaller than any that slips."""
_TIPS: Final = 1e-6
"""While a rim leans less (rad), the direction in which it tips counts."""
_TIPPED: Final = 1e-3
"""A rim that leans more (rad) has tipped: in which direction it began to do so is forgotten."""
BARELY: Final = 1e-7
"""An edge that leans less (rad) lies flat: which of its points is the lowest is then a matter of rounding."""


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

    @property
    def is_face(self) -> bool:
        """Whether it is the face of an end, which touches only where it lies flat."""
        return any(self.number == face for _, face in self.contact.flat_ends)

    @cached_property
    def _face(self) -> int | None:
        """Of a rim: which place of the contact is the face that it bounds."""
        return dict(self.contact.flat_ends).get(self.number)

    @property
    def total_of_face(self) -> int:
        """Of a rim: which of all places that face is."""
        return self.total if self._face is None else self.total - self.number + self._face

    @cached_property
    def flatness(self) -> Any:
        """Of a face: what is not negative where it lies flat."""
        return contact_measure(self.system, self.contact, self.number, "domain")

    @cached_property
    def gap(self) -> Any:
        return contact_measure(self.system, self.contact, self.number, "gap")

    @cached_property
    def told_gap(self) -> Any:
        """The gap as users are told it: that of the shapes, where their features are chosen where they meet."""
        chooses = self.contact.chooses_features
        return contact_measure(self.system, self.contact, self.number, "apart") if chooses else self.gap

    @property
    def told_domain(self) -> Any:
        """What is not negative where that gap must not be."""
        return self.domains[0] if self.domains and not self.contact.chooses_features else 1

    @cached_property
    def slips(self) -> tuple[Any, ...]:
        """The velocity of slip, along each tangent."""
        return tuple(contact_measure(self.system, self.contact, self.number, "slip", k) for k in range(self.directions))

    @cached_property
    def domains(self) -> tuple[Any, ...]:
        """What is not negative where the place is on its edge or face."""
        if not self.contact.features[self.number] or self.is_face:
            return ()
        return (contact_measure(self.system, self.contact, self.number, "domain"),)

    @cached_property
    def _gap_on_feature(self) -> Any:
        """The gap; positive also where the place is not on its edge or face, nor near its end, whatever lies beyond.

        Beyond its end an edge bends back a little, so that what slides out along it comes away from it.
        """
        if self._face is not None:  # where its face touches, the rim does not
            face = self.system[status_name(self.contact.places[self._face])]
            return sympy.Max(self.gap, face - sympy.Rational(1, 2), evaluate=False)
        if not self.domains:
            return self.gap
        beyond = sympy.Max(0, -self.domains[0], evaluate=False)
        reach = contact_measure(self.system, self.contact, self.number, "reach")
        return sympy.Max(self.gap + _BENDS_BACK * beyond, -reach, evaluate=False)

    @property
    def size(self) -> Any:
        """Of boxes: how large the terms are that their gap is the sum of."""
        return contact_measure(self.system, self.contact, self.number, "size")

    @cached_property
    def thin(self) -> Any:
        """1 where its gap may be negative though nothing overlaps: on the far side of a face without a body."""
        return contact_measure(self.system, self.contact, self.number, "thin")

    @cached_property
    def round_corners(self) -> Any:
        """How fast it goes onto its feature from a corner at which it is."""
        return contact_measure(self.system, self.contact, self.number, "round")

    @cached_property
    def swept(self) -> Any:
        """How fast turning could move what is there, whatever it turns about."""
        return contact_measure(self.system, self.contact, self.number, "swept")

    @cached_property
    def leans(self) -> Any | None:
        """What is not negative unless an edge touches that lies flat; None where there is no edge that could."""
        if frozenset((self.contact.first.kind, self.contact.second.kind)) not in _LIE_FLAT:
            return None
        lean = contact_measure(self.system, self.contact, self.number, "lean")
        return sympy.Max(sympy.Rational(1, 2) - self.status, lean / BARELY**2 - 1, evaluate=False)

    @cached_property
    def lawful(self) -> Any | None:
        """What is not negative unless it is closed and a coefficient of its laws has left its range.

        None where no coefficient changes between events: at these all are looked at anyway.
        """
        law = self.contact.friction
        if law is None:
            return None
        # The rate of a speed of slip in space is no number where that is zero.
        squares = [slip**2 for slip in self.slips]
        speed = self._slip_speed if self.directions == 1 else sympy.sqrt(sum(squares, start=_NO_SLIP))
        resisted = [word for word in self.contact.resistances_at(self.number) if word != TILTING]
        slipping = [law.kinetic, *(getattr(law, word) for word in resisted)]
        kept = [self._law(each, speed) for each in slipping]
        kept.append(self.static - self._law(law.kinetic, 0))
        varied = [limit for limit in kept if _varies(limit)]
        if not varied:
            return None
        return sympy.Max(sympy.Rational(1, 2) - self.status, sympy.Min(*varied, evaluate=False), evaluate=False)

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
        return tuple(-self.kinetic * direction for direction in self._heading.towards)

    @cached_property
    def _heading(self) -> Heading:
        return Heading(self.system, slip_names(self.name, self.contact.planar), self.slips)

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
    def limit_by_state(self) -> Any:
        return self._limit(watched=False)

    @cached_property
    def restitution_by_state(self) -> Any:
        return self._law(self.contact.impact.restitution, self._slip_speed, watched=False)

    @cached_property
    def static(self) -> Any:
        """The coefficient of a contact that sticks."""
        law = self.contact.friction
        return sympy.Integer(0) if law is None else self._law(law.static, 0)

    @cached_property
    def limit(self) -> Any:
        """How large friction may be by the normal force, whether the contact slips or sticks.

        Kinetic friction that depends on the speed of slip may rise above the static one, but not where slip begins:
        there is no number for that.
        """
        return self._limit(watched=True)

    def _limit(self, watched: bool) -> Any:
        law = self.contact.friction
        if law is None:
            return sympy.Integer(0)
        static, at_rest = (self._law(each, 0, watched) for each in (law.static, law.kinetic))
        if self.system.slip_speed not in law.kinetic.free_symbols or at_rest.has(*_NO_NUMBER):
            return static
        kinetic = self._law(law.kinetic, self._slip_speed, watched)
        begins = static * (1 + ROUNDING) >= at_rest
        return sympy.Piecewise((sympy.Max(static, kinetic, evaluate=False), begins), (-1, True))

    @cached_property
    def turns(self) -> tuple[Turning, ...]:
        """What it resists besides slip."""
        return tuple(self._turn(word) for word in self.contact.resistances_at(self.number))

    def _turn(self, word: str) -> Turning:
        if word == TILTING:
            return self._tilting
        law = self._law(getattr(self.contact.friction, word), self._slip_speed)
        axes = [("spin", 0)] if self.contact.planar or word == "spinning" else [("roll", 0), ("roll", 1)]
        spins = tuple(contact_measure(self.system, self.contact, self.number, *axis) for axis in axes)
        return Turning(self.system, self.name, word, self.contact.planar, spins, law)

    @cached_property
    def _tilting(self) -> Turning:
        """What holds a face flat: a moment of at most its radius times the normal force."""
        shapes = (self.contact.first, self.contact.second)
        radius = next(shape.sizes["radius"] for shape in shapes if shape.kind == "cylinder")
        turns, tilts = (
            tuple(contact_measure(self.system, self.contact, self.number, level, axis) for axis in range(2))
            for level in ("roll", "tilt")
        )
        return Turning(self.system, self.name, TILTING, False, turns, radius, tilts)

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
        # Shapes that part do not meet: a law of how fast they do is asked for no speed below zero.
        approach = sympy.Max(0, contact_measure(self.system, self.contact, self.number, "approach"), evaluate=False)
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
        return bool(is_round) and not self.is_face and _turn(shapes[0].seat.frame, shapes[1].seat.frame)

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
    def slipping(self) -> Constraint:
        """The contact while it slips."""
        rubbing = zip(self.slips, self._heading.towards, strict=True) if self.rubs else ()
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

    def constraint(self, status: float, turning: Sequence[float] | None = None) -> Constraint | None:
        """What holds with a status; where it resists turning, with that too if it is told which it does."""
        if status <= ContactStatus.OPEN:
            return None
        key = status == ContactStatus.STICK, None if turning is None else tuple(map(bool, turning))
        if key not in self._constraints:
            self._constraints[key] = self._resisting(*key)
        return self._constraints[key]

    @cached_property
    def _constraints(self) -> dict[tuple[bool, tuple[bool, ...] | None], Constraint]:
        """What holds, by whether it sticks and which turning it does: one object for the same."""
        return {}

    def _resisting(self, sticks: bool, turning: tuple[bool, ...] | None) -> Constraint:
        bare = self.sticking if sticks else self.slipping
        if not turning:
            return bare
        normal, *others = bare.rows
        doing = list(zip(self.turns, turning, strict=True))
        braked = tuple(part for turn, turns in doing if turns for part in turn.braked)
        held = [row for turn, turns in doing if not turns for row in turn.held.rows]
        pushed = ConfigurationRow(normal.name, normal.expression, (*normal.sliding, *braked))
        return Constraint(self.name, (pushed, *others, *held))

    def watched(self, status: float, turning: Sequence[float], shares: bool) -> list[WatchedExpression]:
        """What is watched while a place has a status, each expression until it falls below zero.

        Where contacts share their forces these are watched together.
        """
        if status < ContactStatus.OPEN:
            return []
        if status == ContactStatus.OPEN:
            if self.contact.chooses_features or self.is_face:  # the contact as a whole is watched, or the rim
                return []
            return [WatchedExpression(Reason.CLOSES, self._gap_on_feature)]
        found = [WatchedExpression(Reason.LEAVES, domain) for domain in self.domains]
        if not shares:
            found.append(WatchedExpression(Reason.LIFTS, self.normal))
        if status == ContactStatus.STICK and not shares:
            friction = [self.system.reaction(name) for name in self.row_names[1:]]
            used = sum((force**2 for force in friction), start=sympy.Integer(0))
            found.append(WatchedExpression(Reason.BREAKS, self.static**2 * self.normal**2 - used))
        found += self._comes_down
        found += self._heading.watched(Reason.ENDS) if status == ContactStatus.SLIP and self.rubs else []
        for turn, turns in zip(self.turns, turning, strict=True):
            found += turn.watched(turns, shares, self.normal)
        return found

    @cached_property
    def _comes_down(self) -> list[WatchedExpression]:
        """Of a rim: where its face comes to lie flat, and where it has turned from the direction in which it tipped.

        That direction is kept while the rim leans little. Until it is past it comes down where it leans no more in that
        direction; later, where it leans by less than what counts as flat.
        """
        if self._face is None:
            return []
        lean, first, second = (
            contact_measure(self.system, self.contact, self.number, *level)
            for level in (("lean", 0), ("tilt", 0), ("tilt", 1))
        )
        tip = [self.system[name] for name in tip_names(self.name)]
        tips = tip[0] ** 2 + tip[1] ** 2 > sympy.Rational(1, 2)
        along = tip[0] * second - tip[1] * first  # what tips towards d turns about n x d
        lies = sympy.Piecewise((along, tips), (lean / FLAT**2 - 1, True), evaluate=False)
        beyond = sympy.Max(2 * along - sympy.sqrt(lean + FLAT**2), _TIPS**2 - lean, evaluate=False)
        turned = sympy.Piecewise((sympy.Min(beyond, _TIPPED - along, evaluate=False), tips), (1, True), evaluate=False)
        return [WatchedExpression(Reason.LIES, lies), WatchedExpression(Reason.TIPS, turned)]

    def word(self, status: float, turning: Sequence[float] = ()) -> str:
        """A status in words; where it resists turning, with which it does."""
        words, does = (
            ContactStatus(int(status)).name.lower(),
            dict(zip(self.contact.resistances_at(self.number), turning, strict=False)),
        )
        if status == ContactStatus.STICK and "rolling" in does:
            words = "rest" if not does["rolling"] else "roll" if self.rolls else "pivot"
        elif status == ContactStatus.STICK and self.rolls:
            words = "roll"
        more = ["turn"] if does.get("rolling") and status == ContactStatus.SLIP else []
        more += ["spin"] if does.get("spinning") else []
        return " and ".join([words, *more])

    @property
    def can_turn(self) -> bool:
        """Whether its shapes may turn against one another."""
        return _turn(self.contact.first.seat.frame, self.contact.second.seat.frame)


def _varies(coefficient: Any) -> bool:
    """Whether a coefficient may change along a motion."""
    return any(isinstance(symbol, Moving | Time) for symbol in sympy.sympify(coefficient).free_symbols)


def _turn(first: Frame, second: Frame) -> bool:
    """Whether one frame may turn against another."""
    paths = [set(frame.path()) for frame in (first, second)]
    return any(_moves(frame) for frame in paths[0] ^ paths[1])


def _moves(frame: Frame) -> bool:
    if isinstance(frame.rotation, AxisRotation):
        return any(isinstance(symbol, Moving) for symbol in sympy.sympify(frame.rotation.angle).free_symbols)
    return frame.rotation is not None
