"""Recursive kinematics as a textbook writes it: velocities and partial velocities, each in its own frames."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from detent.dynamics.directions import Directions, FrameVector, vector_scaled, vector_sum
from detent.dynamics.quantities import Quantities
from detent.expr import vector3
from detent.expr.graph import Node
from detent.expr.vector3 import Vector3
from detent.model.frame import Frame
from detent.model.point import Point
from detent.model.rotation import AxisRotation, QuaternionRotation


@dataclass(frozen=True)
class Motion:
    """How a frame turns, or how a point moves, against the ground."""

    partials: Mapping[int, FrameVector] = field(default_factory=dict)
    """The partial (angular) velocity of each speed that it depends on, by the speed's number."""
    velocity: FrameVector = field(default_factory=dict)
    bias: FrameVector = field(default_factory=dict)
    """The (angular) acceleration without the terms in u'."""


def _joined(first: Motion, second: Motion) -> Motion:
    speeds = dict.fromkeys([*first.partials, *second.partials])
    partials = {r: vector_sum(first.partials.get(r, {}), second.partials.get(r, {})) for r in speeds}
    return Motion(
        {r: vector for r, vector in partials.items() if vector},
        vector_sum(first.velocity, second.velocity),
        vector_sum(first.bias, second.bias),
    )


class TextbookKinematics:
    """Recursive kinematics over the trees of frames and points, each motion worked out once."""

    def __init__(self, quantities: Quantities) -> None:
        self.quantities, self.graph = quantities, quantities.graph
        self.directions = Directions(quantities)
        self._spins: dict[Frame, Motion] = {}
        self._steps: dict[Point, Motion] = {}
        self._motions: dict[Point, Motion] = {}

    def spin(self, frame: Frame) -> Motion:
        """How a frame turns against the ground."""
        if frame not in self._spins:
            self._spins[frame] = Motion() if frame.parent is None else self._turning(frame, frame.parent)
        return self._spins[frame]

    def _turning(self, frame: Frame, parent: Frame) -> Motion:
        above, own = self.spin(parent), self._own_turning(frame)
        whirl = self.directions.cross(above.velocity, own.velocity)
        joined = _joined(above, Motion(own.partials, own.velocity, vector_sum(own.bias, whirl)))
        partials = {r: self._moved(vector, frame) for r, vector in joined.partials.items()}
        return Motion(partials, self._moved(joined.velocity, frame), self._moved(joined.bias, frame))

    def _moved(self, vector: FrameVector, frame: Frame) -> FrameVector:
        moved, left = self.directions.carried(vector, frame)
        return vector_sum(left, {frame: moved})

    def _own_turning(self, frame: Frame) -> Motion:
        """How a frame turns against its parent, along its own axes or those of the parent."""
        quantities, rotation = self.quantities, frame.rotation
        if isinstance(rotation, AxisRotation):
            axis, angle = self.directions.components(rotation.axis), quantities.convert(rotation.angle)
            rate = quantities.change(angle)
            factors, _ = quantities.parts(angle)
            partials = {r: {frame: vector3.scale(value, axis)} for r, value in factors.items()}
            bias = vector3.scale(quantities.change(rate), axis)
            return Motion(partials, {frame: vector3.scale(rate, axis)}, {frame: bias})
        assert isinstance(rotation, QuaternionRotation)
        components = self.directions.components(rotation.angular_velocity)
        where = f"frame '{frame.name}', its angular velocity"
        parts = [quantities.linear_parts(component, where)[0] for component in components]
        along = frame.parent if rotation.along_parent and frame.parent is not None else frame
        return Motion(self._gathered(along, parts), {along: components}, {along: self._changes(components)})

    def _changes(self, components: Vector3) -> Vector3:
        x, y, z = (self.quantities.change(component) for component in components)
        return (x, y, z)

    def _gathered(self, frame: Frame, parts: list[dict[int, Node]]) -> dict[int, FrameVector]:
        """Partial velocities from the factors of each speed in each of three components."""
        zero = self.graph.zero
        x, y, z = parts
        speeds = dict.fromkeys([*x, *y, *z])
        return {r: {frame: (x.get(r, zero), y.get(r, zero), z.get(r, zero))} for r in speeds}

    def step(self, point: Point) -> Motion:
        """How a point moves against its parent."""
        if point not in self._steps:
            total = Motion()
            for frame, components in self.directions.vector(point.displacement).items():
                total = _joined(total, self._segment(self._shallowest(frame, components), components))
            self._steps[point] = total
        return self._steps[point]

    def _shallowest(self, frame: Frame, components: Vector3) -> Frame:
        """The frame nearest the ground that has the vector too: an arm along a spin axis need not follow the spin."""
        while frame.parent is not None and not self.directions.carried({frame: components}, frame.parent)[1]:
            frame = frame.parent
        return frame

    def _segment(self, frame: Frame, components: Vector3) -> Motion:
        """The rate and second rate of a displacement that is written along one frame's axes."""
        cross, spin, arm = self.directions.cross, self.spin(frame), {frame: components}
        along = self._changes(components)
        parts = [self.quantities.parts(component)[0] for component in components]
        across = cross(spin.velocity, arm)
        twice = self.graph.constant(2.0)
        bias = vector_sum(
            {frame: self._changes(along)}, vector_scaled(twice, cross(spin.velocity, vector_sum({}, {frame: along})))
        )
        bias = vector_sum(bias, vector_sum(cross(spin.bias, arm), cross(spin.velocity, across)))
        turned = {r: cross(vector, arm) for r, vector in spin.partials.items()}
        return _joined(Motion(turned, across, bias), Motion(self._gathered(frame, parts), {frame: along}))

    def motion(self, point: Point) -> Motion:
        """How a point moves against the ground."""
        if point not in self._motions:
            above = Motion() if point.parent is None else self.motion(point.parent)
            self._motions[point] = _joined(above, self.step(point))
        return self._motions[point]

    def apart(self, first: Point, second: Point) -> tuple[FrameVector, Motion]:
        """From one point to another, and how that vector changes; what carries both is left out."""
        down, up = second.path(), first.path()
        while up and down and up[0] is down[0]:
            up, down = up[1:], down[1:]
        place, motion, minus = FrameVector(), Motion(), self.graph.constant(-1.0)
        for point, factor in [*((p, self.graph.one) for p in down), *((p, minus) for p in up)]:
            place = vector_sum(place, vector_scaled(factor, self.directions.vector(point.displacement)))
            own = self.step(point)
            partials = {r: vector_scaled(factor, vector) for r, vector in own.partials.items()}
            motion = _joined(
                motion, Motion(partials, vector_scaled(factor, own.velocity), vector_scaled(factor, own.bias))
            )
        return place, motion
