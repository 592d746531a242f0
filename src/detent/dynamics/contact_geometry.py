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
        self.quantities, self.graph, self._reference = kinematics.quantities, kinematics.graph, kinematics.reference
        self._kinematics = {kinematics.resolution: kinematics}
        self._geometries: dict[Contact, list[Geometry]] = {}

    def __call__(self, measure: ContactMeasure) -> Node:
        """The node that stands for a measure."""
        geometry = self.geometries(measure.contact)[measure.place]
        if measure.level == "gap":
            return geometry.gap
        if measure.level == "approach":
            return -self.quantities.change(geometry.gap)
        if measure.level == "domain":
            return self._least([limit.node for limit in geometry.domain])
        if measure.level in ("point", "normal", "tangent"):
            return self._in_ground(measure, geometry)
        return vector3.dot(self._slip(measure.contact, geometry), geometry.tangents[measure.number])

    def _in_ground(self, measure: ContactMeasure, geometry: Geometry) -> Node:
        """A component of a place or a direction along an axis of the ground."""
        system, kinematics = measure.contact.first.seat.frame.system, self._along_both(measure.contact)
        axis = kinematics.vector(getattr(system.ground, AXES[measure.number % 3]))
        if measure.level == "point":
            away = vector3.subtract(geometry.point, kinematics.position(system.origin))
            return vector3.dot(away, axis)
        if measure.level == "normal":
            return vector3.dot(geometry.normal, axis)
        return vector3.dot(geometry.tangents[measure.number // 3], axis)

    def geometries(self, contact: Contact) -> list[Geometry]:
        """The geometry of each place where a contact may touch."""
        if contact not in self._geometries:
            kinematics = self._along_both(contact)
            self._geometries[contact] = candidates(
                self.graph, _placed(kinematics, contact.first), _placed(kinematics, contact.second)
            )
            if any(geometry.tracked for geometry in self._geometries[contact]):
                raise DetentError(
                    f"contact '{contact.name}': the nearest point on a parametric curve or surface cannot be followed "
                    "in runs yet; use segments and arcs (track), or circles and planes"
                )
        return self._geometries[contact]

    def _along_both(self, contact: Contact) -> Kinematics:
        """What is resolved along the last frame that carries both shapes.

        How a ball is turned has no part in its gap there. Along its own axes it would have one, which cancels but for
        rounding: that of quaternions that turn fast is more than a low bounce rises.
        """
        paths = [shape.seat.frame.path() for shape in (contact.first, contact.second)]
        common = [frame for frame, other in zip(*paths, strict=False) if frame is other][-1]
        if common not in self._kinematics:
            self._kinematics[common] = Kinematics(self.quantities, common, self._reference)
        return self._kinematics[common]

    def _least(self, nodes: Sequence[Node]) -> Node:
        least = self.graph.one
        for number, node in enumerate(nodes):
            least = node if number == 0 else self.graph.function2(op.MINIMUM, least, node)
        return least

    def _slip(self, contact: Contact, geometry: Geometry) -> Vector3:
        """The velocity of what is at the place of contact and belongs to the first, against the second."""
        kinematics = self._along_both(contact)
        first, second = (_velocity(kinematics, shape, geometry.point) for shape in (contact.first, contact.second))
        slip = vector3.subtract(first, second)
        return slip if geometry.surface_velocity is None else vector3.add(slip, geometry.surface_velocity)


def _placed(kinematics: Kinematics, shape: Shape) -> Placed:
    seat = shape.seat
    origin, matrix = kinematics.position(seat.origin), kinematics.matrix(seat.frame)
    return placed(shape, origin, matrix, partial(kinematics.quantities.convert))


def _velocity(kinematics: Kinematics, shape: Shape, place: Vector3) -> Vector3:
    """Of what belongs to a shape and is at a place."""
    seat = shape.seat
    arm = vector3.subtract(place, kinematics.position(seat.origin))
    return vector3.add(
        kinematics.motion(seat.origin).velocity, vector3.cross(kinematics.spin(seat.frame).velocity, arm)
    )
