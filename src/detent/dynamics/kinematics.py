"""Recursive kinematics over the trees of frames and points.

All vectors are resolved along one *resolution* frame, and the motion that a speed gives to a body is
its twist (angular velocity, velocity of the body-fixed point that is momentarily at one *reference*
point). In this form a speed's partial twist is the same for every body it carries, so composite
inertias can be used and the equations of a chain grow with the square of its length, not the cube.

The reference point travels with the mechanism (the last point that is carried by translation alone),
so that nothing is lost to cancellation when the mechanism is far from the origin.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from detent.dynamics.quantities import Quantities
from detent.expr import operation as op
from detent.expr import vector3
from detent.expr.graph import Node
from detent.expr.vector3 import Matrix3, Vector3
from detent.model.frame import Frame
from detent.model.point import Point
from detent.model.rotation import AxisRotation, QuaternionRotation
from detent.model.vector import Components, Vector

REMAINDER = -1
"""The number that stands for the motion no speed brings: prescribed by the time alone."""

Partial: TypeAlias = tuple[Vector3, Vector3]
"""Angular velocity and velocity at the reference point, per unit of one speed."""

Twist: TypeAlias = dict[int, Partial]


@dataclass(frozen=True)
class Spin:
    """How a frame turns against the ground."""

    partials: dict[int, Vector3]
    velocity: Vector3
    bias: Vector3
    """The angular acceleration without the terms in u'."""


@dataclass(frozen=True)
class PointMotion:
    """How a point moves against the ground."""

    velocity: Vector3
    bias: Vector3
    """The acceleration without the terms in u'."""


@dataclass(frozen=True)
class _FoldedTurn:
    """A rotation kept as base * turn(axis, angle), so that turns about one axis add up in the angle."""

    base: Matrix3 | None
    axis: Components | None
    angle: Node | None


class Kinematics:
    """Positions, velocities and partial twists, each worked out once."""

    def __init__(self, quantities: Quantities, resolution: Frame, reference: Point) -> None:
        self.quantities = quantities
        self.graph = quantities.graph
        self.resolution, self.reference = resolution, reference
        zero, one = self.graph.zero, self.graph.one
        self.nothing: Vector3 = (zero, zero, zero)
        self.identity: Matrix3 = ((one, zero, zero), (zero, one, zero), (zero, zero, one))
        self._turns: dict[Frame, _FoldedTurn] = {resolution: _FoldedTurn(None, None, None)}
        self._matrices: dict[Frame, Matrix3] = {}
        self._spins: dict[Frame, Spin] = {}
        self._positions: dict[Point, Vector3] = {reference: self.nothing}
        self._motions: dict[Point, PointMotion] = {}
        self._twists: dict[tuple[Point, Frame], Twist] = {}
        self._above_resolution = dict(pairwise(resolution.path()))
        """The frames above the resolution frame, each with the next one down."""
        self._above_reference = dict(pairwise(reference.path()))

    # -- orientation -------------------------------------------------------------------------

    def matrix(self, frame: Frame) -> Matrix3:
        """Takes components along a frame's axes to components along the resolution frame's."""
        if frame not in self._matrices:
            turn = self._turn(frame)
            matrix = self.identity if turn.base is None else turn.base
            if turn.axis is not None and turn.angle is not None:
                own = self._axis_matrix(turn.axis, turn.angle)
                matrix = own if turn.base is None else vector3.multiply(matrix, own)
            self._matrices[frame] = matrix
        return self._matrices[frame]

    def _turn(self, frame: Frame) -> _FoldedTurn:
        if frame not in self._turns:
            if frame in self._above_resolution:
                below = self._above_resolution[frame]
                self._turns[frame] = self._turned(below, below.rotation, backwards=True)
            else:
                assert frame.parent is not None
                self._turns[frame] = self._turned(frame.parent, frame.rotation, backwards=False)
        return self._turns[frame]

    def _turned(self, start: Frame, rotation: AxisRotation | QuaternionRotation | None, backwards: bool) -> _FoldedTurn:
        before = self._turn(start)
        if isinstance(rotation, AxisRotation):
            angle = self.quantities.convert(rotation.angle)
            angle = -angle if backwards else angle
            if before.axis == rotation.axis and before.angle is not None:
                return _FoldedTurn(before.base, rotation.axis, before.angle + angle)
            base = before.base if before.axis is None else self.matrix(start)
            return _FoldedTurn(base, rotation.axis, angle)
        assert rotation is not None
        own = self._quaternion_matrix(rotation)
        own = vector3.transpose(own) if backwards else own
        return _FoldedTurn(
            own if before == _FoldedTurn(None, None, None) else vector3.multiply(self.matrix(start), own), None, None
        )

    def _axis_matrix(self, axis: Components, angle: Node) -> Matrix3:
        graph = self.graph
        s, c = graph.function(op.SIN, angle), graph.function(op.COS, angle)
        x, y, z = (self.quantities.convert(value) for value in axis)
        rest = graph.one - c
        if sum(value is graph.one for value in (x, y, z)) == 1 and sum(value.is_zero for value in (x, y, z)) == 2:
            rest = graph.zero  # along an axis of the frame the diagonal is 1 or cos, exactly

        def diagonal(value: Node) -> Node:
            return graph.one if value is graph.one else c + rest * value * value

        return (
            (diagonal(x), rest * x * y - s * z, rest * x * z + s * y),
            (rest * x * y + s * z, diagonal(y), rest * y * z - s * x),
            (rest * x * z - s * y, rest * y * z + s * x, diagonal(z)),
        )

    def _quaternion_matrix(self, rotation: QuaternionRotation) -> Matrix3:
        """A turn whatever the length of the quaternion: within a step it is not one, and what turns would be stretched.

        A ball that slides while it spins about one axis stops to slip at the very instant so, at any tolerance.
        """
        w, x, y, z = (self.quantities.convert(part) for part in rotation.quaternion)
        ww, xx, yy, zz = w * w, x * x, y * y, z * z
        once = 1.0 / (ww + xx + yy + zz)
        twice = 2.0 * once
        return (
            (once * (ww + xx - yy - zz), twice * (x * y - w * z), twice * (x * z + w * y)),
            (twice * (x * y + w * z), once * (ww - xx + yy - zz), twice * (y * z - w * x)),
            (twice * (x * z - w * y), twice * (y * z + w * x), once * (ww - xx - yy + zz)),
        )

    # -- turning -----------------------------------------------------------------------------

    def spin(self, frame: Frame) -> Spin:
        """The angular velocity of a frame against the ground."""
        if frame not in self._spins:
            if frame.parent is None:
                self._spins[frame] = Spin({}, self.nothing, self.nothing)
            elif isinstance(frame.rotation, AxisRotation):
                self._spins[frame] = self._axis_spin(frame, frame.parent, frame.rotation)
            else:
                assert isinstance(frame.rotation, QuaternionRotation)
                self._spins[frame] = self._free_spin(frame, frame.parent, frame.rotation)
        return self._spins[frame]

    def _axis_spin(self, frame: Frame, parent: Frame, rotation: AxisRotation) -> Spin:
        above, quantities = self.spin(parent), self.quantities
        angle = quantities.convert(rotation.angle)
        parts, rest = quantities.parts(angle)
        if not rest.is_zero:
            parts = {**parts, REMAINDER: rest}
        if not parts:
            return above
        axis: Vector3 = self._resolved(parent, rotation.axis)
        rate = quantities.change(angle)
        turning = vector3.scale(rate, axis)
        bias = vector3.add(vector3.scale(quantities.change(rate), axis), vector3.cross(above.velocity, turning))
        own = {r: vector3.scale(value, axis) for r, value in parts.items()}
        return Spin(_joined(above.partials, own), vector3.add(above.velocity, turning), vector3.add(above.bias, bias))

    def _free_spin(self, frame: Frame, parent: Frame, rotation: QuaternionRotation) -> Spin:
        above, quantities = self.spin(parent), self.quantities
        matrix = self.matrix(parent if rotation.along_parent else frame)
        where = f"frame '{frame.name}', its angular velocity"
        own: dict[int, Vector3] = {}
        components = [quantities.convert(value) for value in rotation.angular_velocity]
        for column, component in zip(vector3.transpose(matrix), components, strict=True):
            parts, rest = quantities.linear_parts(component, where)
            for r, value in [*parts.items(), *([] if rest.is_zero else [(REMAINDER, rest)])]:
                own[r] = vector3.add(own.get(r, self.nothing), vector3.scale(value, column))
        x, y, z = components
        turning = vector3.apply(matrix, (x, y, z))
        change = vector3.apply(matrix, (quantities.change(x), quantities.change(y), quantities.change(z)))
        bias = vector3.add(change, vector3.cross(above.velocity, turning))
        return Spin(_joined(above.partials, own), vector3.add(above.velocity, turning), vector3.add(above.bias, bias))

    # -- places ------------------------------------------------------------------------------

    def _resolved(self, frame: Frame, components: Components) -> Vector3:
        x, y, z = (self.quantities.convert(value) for value in components)
        return vector3.apply(self.matrix(frame), (x, y, z))

    def vector(self, vector: Vector) -> Vector3:
        """A user's vector, resolved."""
        total = self.nothing
        for frame, components in vector.terms.items():
            total = vector3.add(total, self._resolved(frame, components))
        return total

    def position(self, point: Point) -> Vector3:
        """From the reference point to a point."""
        if point not in self._positions:
            if point in self._above_reference:
                below = self._above_reference[point]
                place = vector3.subtract(self.position(below), self.vector(below.displacement))
            else:
                assert point.parent is not None
                place = vector3.add(self.position(point.parent), self.vector(point.displacement))
            self._positions[point] = place
        return self._positions[point]

    def motion(self, point: Point) -> PointMotion:
        """The velocity of a point against the ground, and its acceleration without u'."""
        if point not in self._motions:
            if point.parent is None:
                self._motions[point] = PointMotion(self.nothing, self.nothing)
            else:
                above = self.motion(point.parent)
                velocity, bias = above.velocity, above.bias
                for frame, components in _segments(point):
                    own = self._segment_motion(frame, components)
                    velocity, bias = vector3.add(velocity, own.velocity), vector3.add(bias, own.bias)
                self._motions[point] = PointMotion(velocity, bias)
        return self._motions[point]

    def _segment_motion(self, frame: Frame, components: Components) -> PointMotion:
        """The rate and second rate of a displacement that is written along one frame's axes."""
        change, spin = self.quantities.change, self.spin(frame)
        x, y, z = (self.quantities.convert(value) for value in components)
        rates = (change(x), change(y), change(z))
        arm = self._resolved(frame, components)
        across = vector3.cross(spin.velocity, arm)
        velocity, bias = across, vector3.add(vector3.cross(spin.bias, arm), vector3.cross(spin.velocity, across))
        if not vector3.is_zero(rates):
            along = vector3.apply(self.matrix(frame), rates)
            velocity = vector3.add(velocity, along)
            second = vector3.apply(self.matrix(frame), (change(rates[0]), change(rates[1]), change(rates[2])))
            coriolis = vector3.scale(self.graph.constant(2.0), vector3.cross(spin.velocity, along))
            bias = vector3.add(bias, vector3.add(second, coriolis))
        return PointMotion(velocity, bias)

    # -- partial twists ----------------------------------------------------------------------

    def twist(self, point: Point, frame: Frame) -> Twist:
        """The partial twists of a body with this frame, placed at this point."""
        key = (point, frame)
        if key not in self._twists:
            if frame is not point.carrier:
                moved = self._change_frame(self.twist(point, point.carrier), point.carrier, frame, self.position(point))
            elif point.parent is None:
                moved = {}
            elif not point.displacement.terms:
                moved = self.twist(point.parent, frame)
            else:
                moved = self._along(point, point.parent)
            self._twists[key] = moved
        return self._twists[key]

    def _along(self, point: Point, parent: Point) -> Twist:
        segments = _segments(point)
        place = self.position(parent)
        twist, frame = self.twist(parent, segments[0][0]), segments[0][0]
        for own, components in segments:
            twist = self._change_frame(twist, frame, own, place)
            frame = own
            for component, column in zip(components, vector3.transpose(self.matrix(own)), strict=True):
                parts, rest = self.quantities.parts(self.quantities.convert(component))
                for r, value in [*parts.items(), *([] if rest.is_zero else [(REMAINDER, rest)])]:
                    twist = _shifted(twist, r, self.nothing, vector3.scale(value, column), self.nothing)
            place = vector3.add(place, self._resolved(own, components))
        return twist

    def _change_frame(self, twist: Twist, old: Frame, new: Frame, place: Vector3) -> Twist:
        """The twist of a body that shares the velocity at ``place`` but turns with another frame."""
        before, after = self.spin(old).partials, self.spin(new).partials
        for r in dict.fromkeys([*before, *after]):
            first, second = before.get(r, self.nothing), after.get(r, self.nothing)
            if first != second:
                difference = vector3.subtract(second, first)
                twist = _shifted(twist, r, difference, vector3.cross(place, difference), self.nothing)
        return twist


def _shifted(twist: Twist, r: int, turning: Vector3, moving: Vector3, nothing: Vector3) -> Twist:
    """A twist with something added to one speed's part; parts that do not change stay the same objects."""
    old = twist.get(r, (nothing, nothing))
    new = (vector3.add(old[0], turning), vector3.add(old[1], moving))
    changed = dict(twist)
    if vector3.is_zero(new[0]) and vector3.is_zero(new[1]):
        changed.pop(r, None)
    else:
        changed[r] = new
    return changed


def _joined(above: dict[int, Vector3], own: dict[int, Vector3]) -> dict[int, Vector3]:
    joined = dict(above)
    for r, value in own.items():
        joined[r] = vector3.add(joined[r], value) if r in joined else value
    return {r: value for r, value in joined.items() if not vector3.is_zero(value)}


def _segments(point: Point) -> list[tuple[Frame, Components]]:
    """A point's displacement frame by frame, the frames nearest the ground first."""
    return sorted(point.displacement.terms.items(), key=lambda item: item[0].depth)
