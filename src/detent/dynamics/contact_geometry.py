"""Contacts on the graph: where shapes are, how far apart, how fast they slip.

Each pair is worked out along axes that both share, from where one of them is: a disk on a ramp has its height there as
it stands, and not as the sum of turned coordinates, which bounds would see as far wider than it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, final

from detent.dynamics.kinematics import REMAINDER, Kinematics
from detent.dynamics.quantities import Quantities
from detent.expr import derivative, vector3
from detent.expr import operation as op
from detent.expr.graph import Node
from detent.expr.linear import solve_by_determinants
from detent.expr.vector3 import Vector3
from detent.model.contact_measure import AXES, ContactMeasure
from detent.model.frame import Frame
from detent.model.point import Point

if TYPE_CHECKING:
    from detent.contact.geometry import Facing, FollowedCoordinate, Geometry, Nearness
    from detent.contact.placed import Placed
    from detent.model.contact import Contact
    from detent.model.shape import Shape


_AWAY: Final = 1e300
"""Faster than anything: of a corner that is elsewhere."""


@final
@dataclass(frozen=True)
class Followed:
    """A place whose nearest point a run follows, by nodes."""

    contact: Contact
    place: int
    coordinates: tuple[FollowedCoordinate, ...]
    slopes: tuple[tuple[Node, ...], ...]
    """How each equation changes with each coordinate."""
    nearness: Nearness
    gap: Node
    domain: Node
    """Not negative where the nearest point is on its curve or patch."""
    closed: tuple[bool, ...]
    """Of each coordinate whether it comes back to its start."""
    stance: tuple[Node, ...] = ()
    """How one shape stands to the other, how fast it moves and turns (:mod:`detent.solves.portions_frame`,
    :mod:`detent.solves.surface_portions_frame`); empty where they do not touch elsewhere."""

    @property
    def name(self) -> str:
        return self.contact.places[self.place]


class ContactReader:
    """Finds the node of a measure of a contact."""

    def __init__(self, quantities: Quantities) -> None:
        self.quantities, self.graph = quantities, quantities.graph
        self._geometries: dict[Contact, list[Geometry]] = {}
        self._kinematics: dict[tuple[Frame, Point], Kinematics] = {}

    def __call__(self, measure: ContactMeasure) -> Node:
        """The node that stands for a measure."""
        contact = measure.contact_among(self.quantities.system.contacts)
        geometry = self.geometries(contact)[measure.place]
        if measure.level == "gap":
            return self._gap(contact, measure.place)
        if measure.level == "approach":
            return -self.quantities.change(self._gap(contact, measure.place))
        if measure.level == "domain":
            return self._domain(contact, geometry)
        if measure.level == "reach":
            return self._least([limit.reach for limit in geometry.domain])
        if measure.level == "round":
            return self._round_corners(geometry)
        if measure.level == "thin":
            return self.graph.one if geometry.thin else self.graph.zero
        if measure.level == "lean":
            return self.graph.one if geometry.lean is None else geometry.lean
        if measure.level == "tilt":
            return self.graph.zero if geometry.tilt is None else geometry.tilt[measure.number]
        if measure.level in ("apart", "clearance"):
            return self._of_boxes(contact, measure.level)
        if measure.level == "size":
            return self._size(contact)
        if measure.level == "swept":
            return self._swept(contact, geometry)
        if measure.level == "standing":
            return self._standing(contact)[measure.number]
        if measure.level in ("point", "normal", "tangent"):
            return self._in_ground(contact, measure, geometry)
        if measure.level == "spin":
            around = geometry.normal
            if contact.planar:
                around = vector3.cross(geometry.tangents[0], geometry.normal)
            return vector3.dot(self._turning(contact), around)
        if measure.level == "roll":
            return vector3.dot(self._turning(contact), geometry.tangents[measure.number])
        return vector3.dot(self._slip(contact, geometry), geometry.tangents[measure.number])

    def kinematics(self, contact: Contact) -> Kinematics:
        """Kinematics along the last frame that carries both shapes, and from the place of the one that turns less.

        How a ball is turned has no part in its gap there. Along its own axes it would have one, which cancels but for
        rounding: that of quaternions that turn fast is more than a low bounce rises.
        """
        seats = contact.second.seat, contact.first.seat
        paths = [seat.frame.path() for seat in seats]
        common = [frame for frame, other in zip(*paths, strict=False) if frame is other][-1]
        key = (common, min(seats, key=lambda seat: seat.frame.depth).origin)
        if key not in self._kinematics:
            self._kinematics[key] = Kinematics(self.quantities, *key)
        return self._kinematics[key]

    def _in_ground(self, contact: Contact, measure: ContactMeasure, geometry: Geometry) -> Node:
        """A component of a place or a direction along an axis of the ground."""
        system, kinematics = contact.first.seat.frame.system, self.kinematics(contact)
        axis = kinematics.vector(getattr(system.ground, AXES[measure.number % 3]))
        if measure.level == "point":
            away = vector3.subtract(geometry.point, kinematics.position(system.origin))
            return vector3.dot(away, axis)
        if measure.level == "normal":
            return vector3.dot(geometry.normal, axis)
        return vector3.dot(geometry.tangents[measure.number // 3], axis)

    def geometries(self, contact: Contact) -> list[Geometry]:
        """The geometry of each place where a contact may touch."""
        from detent.contact.pairs import geometries  # a model without contacts does without all shapes

        if contact not in self._geometries:
            first, second = (self._placed(contact, shape) for shape in (contact.first, contact.second))
            self._geometries[contact] = geometries(self.graph, first, second, contact.name)
        return self._geometries[contact]

    def _of_boxes(self, contact: Contact, level: str) -> Node:
        """How far two boxes are apart; or, where they touch, how high all else is above where they do."""
        from detent.contact.box_pairs import clearance, separation

        first, second = (replace(self._placed(contact, s), label=contact.name) for s in (contact.first, contact.second))
        return separation(first, second) if level == "apart" else clearance(first, second)

    def _size(self, contact: Contact) -> Node:
        """How large the terms are that the gap of two boxes is the sum of, whatever meets: their places and edges."""
        shapes = [self._placed(contact, shape) for shape in (contact.first, contact.second)]
        parts = [node for shape in shapes for node in (*shape.place, *shape.sizes.values())]
        return self.graph.sum(self.graph.function(op.ABSOLUTE, node) for node in parts)

    def _swept(self, contact: Contact, geometry: Geometry) -> Node:
        """How fast the turning of both shapes could move what is at a place: turning times lever, whatever the axis.

        In the plane it is across all levers, and does.
        """
        if contact.planar:
            return self.graph.zero
        kinematics, found = self.kinematics(contact), self.graph.zero
        for seat in (contact.first.seat, contact.second.seat):
            arm = vector3.subtract(geometry.point, kinematics.position(seat.origin))
            parts = (kinematics.spin(seat.frame).velocity, arm)
            turning, lever = (self.graph.sum(self.graph.function(op.ABSOLUTE, x) for x in part) for part in parts)
            found = found + turning * lever
        return found

    def _standing(self, contact: Contact) -> list[Node]:
        """Of both shapes the place, the axes and the sizes, one number after the other."""
        shapes = [self._placed(contact, shape) for shape in (contact.first, contact.second)]
        return [
            node
            for shape in shapes
            for part in (shape.place, *shape.axes, tuple(shape.sizes.values()))
            for node in part
        ]

    def _placed(self, contact: Contact, shape: Shape) -> Placed:
        from detent.contact.placed import placed

        kinematics, seat = self.kinematics(contact), shape.seat
        origin, matrix = kinematics.position(seat.origin), kinematics.matrix(seat.frame)
        return placed(shape, origin, matrix, self.quantities.convert)

    def _domain(self, contact: Contact, geometry: Geometry) -> Node:
        """Not negative where a place is on its features; of boxes they reach beyond their ends: nothing rests there."""
        domain = self._least([limit.node for limit in geometry.domain])
        if contact.chooses_features:
            self.quantities.told_by_rates.add(domain)
        return domain

    def _round_corners(self, geometry: Geometry) -> Node:
        """How fast a place at a corner goes onto its feature there, negative where it goes round; zero elsewhere."""
        graph, away = self.graph, self.graph.constant(_AWAY)
        limits = [limit for limit in geometry.domain if limit.corner]
        if not limits:
            return graph.zero
        least = self._least([graph.select(each.is_at_end, self.quantities.change(each.node), away) for each in limits])
        return graph.select(graph.function2(op.LESS, least, away), least, graph.zero)

    def _least(self, nodes: Sequence[Node]) -> Node:
        least = self.graph.one
        for number, node in enumerate(nodes):
            least = node if number == 0 else self.graph.function2(op.MINIMUM, least, node)
        return least

    # -- nearest points that are followed ----------------------------------------------------------

    def follow(self) -> list[Followed]:
        """Give the coordinates of nearest points their rates.

        The equations F(q, s) = 0 of a nearest point hold all the time, so s' = -(dF/ds)^-1 (dF/dt with s held).
        """
        quantities, found = self.quantities, []
        for contact in quantities.system.contacts.values():
            for place, geometry in enumerate(self.geometries(contact)):
                if geometry.followed:
                    found.append(self._followed(contact, place, geometry))
        for followed in found:
            drift = [-quantities.drift(each.equation) for each in followed.coordinates]
            rates = solve_by_determinants(self.graph, followed.slopes, drift)
            for each, rate in zip(followed.coordinates, rates, strict=True):
                quantities.follow(str(each.leaf), rate)
        return found

    def _followed(self, contact: Contact, place: int, geometry: Geometry) -> Followed:
        assert geometry.nearness is not None
        leaves = [each.leaf for each in geometry.followed]
        slopes = tuple(tuple(derivative.partial(each.equation, leaf) for leaf in leaves) for each in geometry.followed)
        limits = self._least([limit.node for limit in geometry.domain])
        closed = tuple(each.closed for each in geometry.followed)
        nearness, gap = geometry.nearness, geometry.gap
        stance = () if nearness.facing is None else self._stance(nearness.facing)
        return Followed(contact, place, geometry.followed, slopes, nearness, gap, limits, closed, stance)

    def _stance(self, facing: Facing) -> tuple[Node, ...]:
        """How one shape stands to another, and how fast it moves and turns, seen from there."""
        rates = [[self.quantities.drift(part) for part in parts] for parts in (facing.moving, facing.turning)]
        moving, turning = (self.graph.function(op.SQRT, self.graph.dot(each, each)) for each in rates)
        return (*facing.stance, moving, turning)

    def _gap(self, contact: Contact, place: int) -> Node:
        """The gap. At a nearest point that is followed it is stationary in the coordinates of that point, so that its
        rate is that of the bodies there, whatever the coordinates do: normal . (velocity of one against the other).

        So it is at the features of boxes, where to differentiate by each coordinate would take longer; and at the
        lowest point of a rim, where that is fast as it comes to lie flat, and only rounding would be left of its rate.
        """
        geometry, quantities = self.geometries(contact)[place], self.quantities
        is_rim = any(place == rim for rim, _ in contact.flat_ends)
        if not geometry.followed and not contact.chooses_features and not is_rim:
            return geometry.gap
        leaf = self.graph.leaf(f"gap of {contact.places[place]}")
        if leaf not in quantities.bound:
            first, second = self._velocities(contact, geometry)
            parting = vector3.dot(vector3.subtract(first, second), geometry.normal)
            coefficients = self._partials(contact, geometry)
            remainder = coefficients.pop(REMAINDER, self.graph.zero)
            rate = self.graph.leaf(f"rate of {leaf.name}")
            quantities.bind(leaf, geometry.gap, rate, coefficients, remainder)
            quantities.bind_rate(rate, parting, quantities.change(parting))
            quantities.sums.add(leaf)
        return leaf

    def _partials(self, contact: Contact, geometry: Geometry) -> dict[int, Node]:
        """The rate of a gap per unit of each speed."""
        total: dict[int, Node] = {}
        for shape, sign in ((contact.first, 1.0), (contact.second, -1.0)):
            for r, (turning, moving) in self.kinematics(contact).twist(shape.seat.origin, shape.seat.frame).items():
                velocity = vector3.add(moving, vector3.cross(turning, geometry.point))
                value = vector3.dot(velocity, geometry.normal) * sign
                total[r] = total[r] + value if r in total else value
        return {r: value for r, value in total.items() if not value.is_zero}

    # -- velocities --------------------------------------------------------------------------------

    def _velocities(self, contact: Contact, geometry: Geometry) -> tuple[Vector3, Vector3]:
        """The velocities of what is at the place of contact and belongs to the first and to the second."""
        kinematics = self.kinematics(contact)
        first, second = (_velocity(kinematics, shape, geometry.point) for shape in (contact.first, contact.second))
        return first, second

    def _turning(self, contact: Contact) -> Vector3:
        """The angular velocity of the first against the second."""
        kinematics = self.kinematics(contact)
        first, second = (kinematics.spin(shape.seat.frame).velocity for shape in (contact.first, contact.second))
        return vector3.subtract(first, second)

    def _slip(self, contact: Contact, geometry: Geometry) -> Vector3:
        """The velocity of what is at the place of contact and belongs to the first, against the second."""
        first, second = self._velocities(contact, geometry)
        slip = vector3.subtract(first, second)
        return slip if geometry.surface_velocity is None else vector3.add(slip, geometry.surface_velocity)


def _velocity(kinematics: Kinematics, shape: Shape, place: Vector3) -> Vector3:
    """The velocity of what is at a place and belongs to a shape's carrier."""
    seat = shape.seat
    arm = vector3.subtract(place, kinematics.position(seat.origin))
    turning = vector3.cross(kinematics.spin(seat.frame).velocity, arm)
    return vector3.add(kinematics.motion(seat.origin).velocity, turning)
