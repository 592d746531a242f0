"""A contact: two shapes that may touch, and by what laws."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, final

from detent.errors import DetentError, UnknownNameError, listed
from detent.model.contact_measure import contact_measure
from detent.model.quantity import ContactForce
from detent.model.vector import Vector

if TYPE_CHECKING:
    from detent.model.friction_laws import Coulomb
    from detent.model.impact_laws import ImpactLaw
    from detent.model.shape import Shape
    from detent.model.system import System


class ContactStatus(IntEnum):
    """What two shapes do where they may touch: the values of ``system.contact_status(name)``.

    Sticking is called rolling where the point of contact moves over both bodies; a contact that is off does not count.

    >>> import detent
    >>> detent.ContactStatus.SLIP
    <ContactStatus.SLIP: 1>
    """

    OFF = -1
    OPEN = 0
    SLIP = 1
    STICK = 2


@final
@dataclass(frozen=True, eq=False)
class Contact:
    """Two shapes that may touch, with a friction law (or none) and an impact law. Made by :meth:`System.contact`.

    They may touch in one place or in several (the corners of a box): ``features`` names these, ``""`` if it is the only
    one.

    >>> import detent
    >>> system = detent.System("example")
    >>> y = system.coordinates("y")
    >>> ball = system.particle("ball", system.origin.offset("center", y*system.ground.y), mass=1)
    >>> contact = system.contact("ball|floor", ball.circle(0.1), system.ground.line(), impact=detent.Newton(0.5))
    >>> contact.impact, contact.friction, contact.places
    (Newton(0.5), None, ('ball|floor',))
    """

    name: str
    first: Shape
    second: Shape
    friction: Coulomb | None
    impact: ImpactLaw
    features: tuple[str, ...] = ("",)
    enabled: bool = True
    """Whether it counts from the start of a run."""
    followed: tuple[tuple[str, ...], ...] = ((),)
    """Of each place the names of the coordinates of the nearest point, where a run has to follow it."""

    @property
    def planar(self) -> bool:
        """Whether it is in the plane; otherwise it is in space."""
        return bool(self.first.planar) or bool(self.second.planar)

    @property
    def chooses_features(self) -> bool:
        """Whether which features of its shapes meet at a place is data, worked out where they do: of two boxes."""
        return self.first.kind == self.second.kind == "box"

    @property
    def flat_ends(self) -> tuple[tuple[int, int], ...]:
        """Of each end that may lie flat, of a cylinder on a plane: which place is its rim, and which its face."""
        return ((0, 2), (1, 3)) if {self.first.kind, self.second.kind} == {"cylinder", "plane"} else ()

    @cached_property
    def places(self) -> tuple[str, ...]:
        """The names of the places where its shapes may touch: its own name, and that of the feature after it."""
        return tuple(self.place(feature) for feature in self.features)

    @property
    def resistances(self) -> tuple[str, ...]:
        """What it resists besides slip: ``"rolling"``, in space also ``"spinning"``."""
        words = ("rolling",) if self.planar else ("rolling", "spinning")
        law = self.friction
        return () if law is None else tuple(word for word in words if not getattr(law, word).is_zero)  # 0.0 is none too

    def resistances_at(self, number: int) -> tuple[str, ...]:
        """What one of its places resists besides slip: a face also ``"tilting"``, by all that stands on it."""
        if number not in (face for _, face in self.flat_ends):
            return self.resistances
        return (TILTING, *(word for word in self.resistances if word != "rolling"))

    def place(self, feature: str = "") -> str:
        """The name of the place with a feature, which may be left out where there is only one."""
        if feature in self.features:
            return f"{self.name} {feature}" if feature else self.name
        if feature:
            raise UnknownNameError(feature, self.features, what=f"place of contact '{self.name}'")
        if len(self.features) == 1:
            return self.place(self.features[0])
        raise DetentError(
            f"contact '{self.name}' may touch in {len(self.features)} places; name one of them: {listed(self.features)}"
        )

    # -- what it does, as expressions; ``feature`` names the place where there are several ---------

    def gap(self, feature: str = "") -> Any:
        """How far apart the shapes are, m: a symbol for expressions.

        >>> import detent
        >>> system = detent.System("example")
        >>> y = system.coordinates("y")
        >>> ball = system.particle("ball", system.origin.offset("center", y*system.ground.y), mass=1)
        >>> system.contact("ball|floor", ball.circle(0.1), system.ground.line()).gap()
        gap of ball|floor
        """
        return self._measure("gap", feature)

    def slip(self, feature: str = "") -> Any:
        """The velocity of the first shape's surface against the second's, m/s; in space two, along both tangents."""
        found = tuple(self._measure("slip", feature, number) for number in range(1 if self.planar else 2))
        return found[0] if self.planar else found

    def point(self, feature: str = "") -> Vector:
        """Where it touches or is nearest, m, from the origin along the ground's axes."""
        x, y, z = (self._measure("point", feature, axis) for axis in range(3))
        return Vector({self._system.ground: (x, y, z)})

    def normal_force(self, feature: str = "") -> Any:
        """The normal force, N, for values along a run: zero where it is open, NaN where it is not known."""
        return ContactForce(self._system, f"{NORMAL_FORCE}{self.place(feature)}")

    def friction_force(self, feature: str = "") -> Any:
        """Friction, N, for values along a run; in space two, along both tangents."""
        name = f"friction of {self.place(feature)}"
        if self.planar:
            return ContactForce(self._system, name)
        return tuple(ContactForce(self._system, f"{name}.{number}") for number in (1, 2))

    def force(self, feature: str = "") -> Vector:
        """Normal force and friction on the first shape, N, along the ground's axes, for values along a run."""
        name = f"contact force of {self.place(feature)}"
        x, y, z = (ContactForce(self._system, f"{name}.{axis}") for axis in "xyz")
        return Vector({self._system.ground: (x, y, z)})

    @property
    def _system(self) -> System:
        return self.first.seat.frame.system

    def _measure(self, level: str, feature: str, number: int = 0) -> Any:
        level = "apart" if level == "gap" and self.chooses_features else level
        return contact_measure(self._system, self, self.places.index(self.place(feature)), level, number)


NORMAL_FORCE = "normal force of "
"""What stands before the name of a place in that of its normal force."""

FLAT = 1e-9
"""An end of a cylinder that leans less (rad) lies flat."""

TILTING = "tilting"
"""What a face resists: to be turned out of the plane on which it lies."""

SHARING = "contacts share"
"""The name of the discrete state that tells whether forces of contacts are not unique."""


def status_name(place: str) -> str:
    """The name of the discrete state that holds the status of a place.

    >>> status_name("ball|floor")
    'status of ball|floor'
    """
    return f"status of {place}"


def turn_names(place: str, word: str, planar: bool) -> tuple[str, ...]:
    """The names of the discrete states of a place that resists rolling or spinning: whether it does, and which way.

    >>> turn_names("ball|floor", "spinning", planar=False)
    ('spinning of ball|floor', 'spinning way of ball|floor')
    """
    return f"{word} of {place}", *_direction_names(f"{word} way of {place}", planar or word == "spinning")


def slip_names(place: str, planar: bool) -> tuple[str, ...]:
    """The names of the discrete states that hold the direction of slip at a place.

    >>> slip_names("ball|floor", planar=False)
    ('slip of ball|floor.1', 'slip of ball|floor.2', 'slip of ball|floor.near', 'slip of ball|floor.straight')
    """
    return _direction_names(f"slip of {place}", planar)


def tip_names(place: str) -> tuple[str, str]:
    """The names of the discrete states that hold in which direction a rim tips over: both 0 where it does not.

    >>> tip_names("can|floor rim 1")
    ('tip of can|floor rim 1.1', 'tip of can|floor rim 1.2')
    """
    return f"tip of {place}.1", f"tip of {place}.2"


def feature_names(name: str) -> tuple[str, ...]:
    """The names of the discrete states that say which features of two boxes meet at a place, or in a contact.

    Three numbers for a corner, an edge or a face of each box; then which of them has the face, and how edges cross.

    >>> feature_names("box|box point 1")[:2]
    ('features of box|box point 1.1', 'features of box|box point 1.2')
    """
    return tuple(f"features of {name}.{number}" for number in range(1, 9))


def touching_name(contact: str) -> str:
    """The name of the discrete state that tells whether two boxes touch anywhere.

    >>> touching_name("box|box")
    'touching of box|box'
    """
    return f"touching of {contact}"


def _direction_names(name: str, single: bool) -> tuple[str, ...]:
    """The names of what is kept of a direction: a sign; or two components, then the speed near which it is at its end,
    and whether it is straight since then."""
    return (name,) if single else tuple(f"{name}.{word}" for word in ("1", "2", "near", "straight"))
