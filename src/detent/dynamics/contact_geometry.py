"""Contacts on the graph: where shapes are, how far apart, how fast they slip."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from detent.contact.geometry import Geometry
from detent.contact.pairs import candidates
from detent.contact.placed import Placed, placed
from detent.dynamics.kinematics import Kinematics
from detent.errors import DetentError
from detent.expr import operation as op
from detent.expr import vector3
from detent.expr.graph import Node
from detent.expr.vector3 import Vector3
from detent.model.contact import Contact
from detent.model.contact_measure import AXES, ContactMeasure
from detent.model.shape import Shape


class ContactReader:
    """Finds the node of a measure of a contact."""

    def __init__(self, kinematics: Kinematics) -> None:
        self.kinematics, self.graph = kinematics, kinematics.graph
        self._geometries: dict[Contact, list[Geometry]] = {}

    def __call__(self, measure: ContactMeasure) -> Node:
        """The node that stands for a measure."""
        geometry = self.geometries(measure.contact)[measure.place]
        if measure.level == "gap":
            return geometry.gap
        if measure.level == "approach":
            return -self.kinematics.quantities.change(geometry.gap)
        if measure.level == "domain":
            return self._least([limit.node for limit in geometry.domain])
        if measure.level in ("point", "normal", "tangent"):
            return self._in_ground(measure, geometry)
        return vector3.dot(self._slip(measure.contact, geometry), geometry.tangents[measure.number])

    def _in_ground(self, measure: ContactMeasure, geometry: Geometry) -> Node:
        """A component of a place or a direction along an axis of the ground."""
        system = measure.contact.first.seat.frame.system
        axis = self.kinematics.vector(getattr(system.ground, AXES[measure.number % 3]))
        if measure.level == "point":
            away = vector3.subtract(geometry.point, self.kinematics.position(system.origin))
            return vector3.dot(away, axis)
        if measure.level == "normal":
            return vector3.dot(geometry.normal, axis)
        return vector3.dot(geometry.tangents[measure.number // 3], axis)

    def geometries(self, contact: Contact) -> list[Geometry]:
        """The geometry of each place where a contact may touch."""
        if contact not in self._geometries:
            self._geometries[contact] = candidates(
                self.graph, self._placed(contact.first), self._placed(contact.second)
            )
            if any(geometry.tracked for geometry in self._geometries[contact]):
                raise DetentError(
                    f"contact '{contact.name}': the nearest point on a parametric curve or surface cannot be followed "
                    "in runs yet; use segments and arcs (track), or circles and planes"
                )
        return self._geometries[contact]

    def _placed(self, shape: Shape) -> Placed:
        kinematics, seat = self.kinematics, shape.seat
        origin, matrix = kinematics.position(seat.origin), kinematics.matrix(seat.frame)
        return placed(shape, origin, matrix, partial(kinematics.quantities.convert))

    def _least(self, nodes: Sequence[Node]) -> Node:
        least = self.graph.one
        for number, node in enumerate(nodes):
            least = node if number == 0 else self.graph.function2(op.MINIMUM, least, node)
        return least

    def _slip(self, contact: Contact, geometry: Geometry) -> Vector3:
        """The velocity of what is at the place of contact and belongs to the first, against the second."""
        first, second = (self._velocity(shape, geometry.point) for shape in (contact.first, contact.second))
        slip = vector3.subtract(first, second)
        return slip if geometry.surface_velocity is None else vector3.add(slip, geometry.surface_velocity)

    def _velocity(self, shape: Shape, place: Vector3) -> Vector3:
        kinematics, seat = self.kinematics, shape.seat
        arm = vector3.subtract(place, kinematics.position(seat.origin))
        return vector3.add(
            kinematics.motion(seat.origin).velocity, vector3.cross(kinematics.spin(seat.frame).velocity, arm)
        )
