"""Vectors that stay in the frames they were written in, and meet only in products.

Turns about a common axis add up in the angle: parallel links give cos(q1 + q2), not products of sines and cosines.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

import sympy

from detent.dynamics.quantities import Quantities
from detent.expr import vector3
from detent.expr.graph import Node
from detent.expr.vector3 import Matrix3, Vector3
from detent.model.frame import Frame
from detent.model.rotation import AxisRotation, QuaternionRotation
from detent.model.vector import Components, Vector

FrameVector: TypeAlias = dict[Frame, Vector3]
"""A sum of vectors, each written along the axes of its own frame."""


@dataclass(frozen=True)
class _FrameTurn:
    """One rotation on the way between two frames; ``axis`` is the number of the frame axis it turns about, if any."""

    matrix: Matrix3
    axis: int | None


class Directions:
    """Dot and cross products of vectors that are written in different frames."""

    def __init__(self, quantities: Quantities) -> None:
        self.convert, self.graph = quantities.convert, quantities.graph
        self.nothing: Vector3 = (self.graph.zero,) * 3
        self._between: dict[tuple[Frame, Frame], list[_FrameTurn]] = {}

    def vector(self, vector: Vector) -> FrameVector:
        """A user's vector."""
        return {frame: self.components(components) for frame, components in vector.terms.items()}

    def components(self, components: Components) -> Vector3:
        x, y, z = (self.convert(value) for value in components)
        return (x, y, z)

    # -- rotations ---------------------------------------------------------------------------

    def between(self, first: Frame, second: Frame) -> list[_FrameTurn]:
        """The turns whose product takes components in the second frame to components in the first."""
        key = (first, second)
        if key not in self._between:
            up, down = first.path(), second.path()
            while up and down and up[0] is down[0]:
                up, down = up[1:], down[1:]
            steps = [(frame.rotation, -1) for frame in reversed(up)] + [(frame.rotation, 1) for frame in down]
            self._between[key] = self._merged(steps)
        return self._between[key]

    def _merged(self, steps: list[tuple[AxisRotation | QuaternionRotation | None, int]]) -> list[_FrameTurn]:
        turns: list[_FrameTurn] = []
        axis: Components | None = None
        angles: list[Any] = []
        for rotation, sign in [*steps, (None, 1)]:
            about, angle = _axis_and_angle(rotation) if isinstance(rotation, AxisRotation) else (None, 0)
            if angles and about != axis:
                turns += self._axis_turn(axis, sympy.Add(*angles))
                angles = []
            axis = about
            if about is not None:
                angles.append(sign * angle)
            elif isinstance(rotation, QuaternionRotation):
                matrix = self._matrix(rotation.matrix())
                turns.append(_FrameTurn(matrix if sign > 0 else vector3.transpose(matrix), None))
        return turns

    def _axis_turn(self, axis: Components | None, angle: Any) -> list[_FrameTurn]:
        if angle == 0:
            return []
        assert axis is not None
        if 1 not in axis or sum(value == 0 for value in axis) != 2:
            return [_FrameTurn(self._matrix(AxisRotation(axis, angle).matrix()), None)]
        # SymPy knows sin(pi/2) and cos(q + pi) exactly; floating point does not.
        sine, cosine = self.convert(sympy.sin(angle)), self.convert(sympy.cos(angle))
        number = axis.index(1)
        rows = [[self.graph.constant(i == j) for j in range(3)] for i in range(3)]
        second, third = (number + 1) % 3, (number + 2) % 3
        rows[second][second] = rows[third][third] = cosine
        rows[third][second], rows[second][third] = sine, -sine
        a, b, c = ((row[0], row[1], row[2]) for row in rows)
        return [_FrameTurn((a, b, c), number)]

    def _matrix(self, matrix: Any) -> Matrix3:
        a, b, c = (self.components(row) for row in matrix.tolist())
        return (a, b, c)

    def carried(self, vector: FrameVector, frame: Frame) -> tuple[Vector3, FrameVector]:
        """What of a vector has the same components in a frame, along a common axis, and what is left over."""
        total, left = self.nothing, FrameVector()
        for own, components in vector.items():
            turns = self.between(frame, own)
            kept = [value if turns and turns[0].axis != i else self.graph.zero for i, value in enumerate(components)]
            rest = components if len(turns) > 1 else (kept[0], kept[1], kept[2])
            total = vector3.add(total, vector3.subtract(components, rest))
            if not vector3.is_zero(rest):
                left[own] = rest
        return total, left

    def express(self, vector: FrameVector, frame: Frame) -> Vector3:
        """The components of a vector along one frame's axes."""
        total = self.nothing
        for own, components in vector.items():
            for turn in reversed(self.between(frame, own)):
                components = vector3.apply(turn.matrix, components)
            total = vector3.add(total, components)
        return total

    # -- products ----------------------------------------------------------------------------

    def dot_terms(self, first: FrameVector, second: FrameVector) -> Iterator[Node]:
        """The scalar product, term by term."""
        for own, a in first.items():
            for other, b in second.items():
                yield from self._pair_terms(a, b, self.between(own, other))

    def _pair_terms(self, a: Vector3, b: Vector3, turns: list[_FrameTurn]) -> Iterator[Node]:
        while len(turns) > 1:
            left = vector3.apply(vector3.transpose(turns[0].matrix), a)
            right = vector3.apply(turns[-1].matrix, b)
            if sum(not value.is_zero for value in left) < sum(not value.is_zero for value in right):
                a, turns = left, turns[1:]
            else:
                b, turns = right, turns[:-1]
        for i, x in enumerate(a):
            for j, y in enumerate(b):
                turned = turns[0].matrix[i][j] if turns else self.graph.constant(i == j)
                if not (x.is_zero or y.is_zero or turned.is_zero):
                    yield x * y * turned

    def dot(self, first: FrameVector, second: FrameVector) -> Node:
        """The scalar product."""
        return self.graph.sum(self.dot_terms(first, second))

    def cross(self, first: FrameVector, second: FrameVector) -> FrameVector:
        """The vector product; what lies along a common axis is moved, what does not is turned into the deeper frame."""
        total: FrameVector = {}
        for other, b in second.items():
            moved, left = self.carried(first, other)
            total = vector_sum(total, {other: vector3.cross(moved, b)})
            for own, a in left.items():
                near, far = self.carried({other: b}, own)
                total = vector_sum(total, {own: vector3.cross(a, near)})
                meeting = own if own.depth > other.depth else other
                total = vector_sum(
                    total, {meeting: vector3.cross(self.express({own: a}, meeting), self.express(far, meeting))}
                )
        return total


def vector_sum(first: FrameVector, second: FrameVector) -> FrameVector:
    """The sum, frame by frame; frames with nothing left are dropped."""
    total = dict(first)
    for frame, components in second.items():
        total[frame] = vector3.add(total[frame], components) if frame in total else components
    return {frame: components for frame, components in total.items() if not vector3.is_zero(components)}


def vector_scaled(factor: Node, vector: FrameVector) -> FrameVector:
    """A vector with all its components scaled."""
    return {frame: vector3.scale(factor, components) for frame, components in vector.items()}


def _axis_and_angle(rotation: AxisRotation) -> tuple[Components, Any]:
    """The axis turned round where its first number is negative, so that parallel axes are equal."""
    first = next(value for value in rotation.axis if value != 0)
    if sympy.sympify(first).is_negative:
        x, y, z = rotation.axis
        return (-x, -y, -z), -rotation.angle
    return rotation.axis, rotation.angle
