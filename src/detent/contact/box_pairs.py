"""How two boxes touch: in points whose features are data.

A corner, an edge or a face of a box is told by three numbers c out of -1, 0 and 1, one for each of its axes: it is
where the coordinate is c times half an edge, and it extends along the axes with c = 0. So one geometry, with run-time
values for c, serves all pairs of features of two boxes. Two convex bodies touch in a flat convex set; of two boxes it
has at most eight extreme points, each of which is a corner of one on a face of the other or a crossing of two edges.
Which these are is worked out where the boxes meet (:mod:`detent.contact_solves.box_kernel`).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from itertools import product
from typing import Final, final

from detent.contact.geometry import MARGIN, Domain, Touch
from detent.contact.placed import Placed
from detent.expr import operation as op
from detent.expr import vector3
from detent.expr.graph import Node
from detent.expr.vector3 import Vector3
from detent.model.contact import feature_names

POINTS: Final = 8
"""The most extreme points that the contact of two boxes has: two rectangles in a plane, clipped."""
PARALLEL: Final = 1e-14
"""The square of the sine of an angle below which two edges are parallel."""
_NO_CROSSING: Final = 1e-30
"""Added to squares that are far larger wherever edges cross."""


def box_touches(first: Placed, second: Placed) -> Iterator[Touch]:
    """The points in which two boxes touch; where there are fewer, the others have no features and are far away."""
    for number in range(1, POINTS + 1):
        name = f"point {number}"
        met = _Met(first, second, f"{first.label} {name}".strip())
        normal, point = met.normal, met.point
        yield Touch(name, met.gap, normal, point, point, (Domain("features", met.inside),))


def separation(first: Placed, second: Placed) -> Node:
    """How far two boxes are apart along the one of 15 axes along which they are farthest; negative where they overlap.

    These axes separate any two boxes that are apart: the normals of all faces, and what is across an edge of each.
    """
    graph, one, other = first.place[0].graph, _half(first), _half(second)
    away = vector3.subtract(first.place, second.place)
    mine, theirs = ([vector3.dot(away, axis) for axis in each.axes] for each in (first, second))
    turned = [[vector3.dot(a, b) for b in second.axes] for a in first.axes]
    size = [[graph.function(op.ABSOLUTE, value) for value in row] for row in turned]
    found = []
    for i in range(3):
        reach = one[i] + graph.sum(other[j] * size[i][j] for j in range(3))
        found.append(graph.function(op.ABSOLUTE, mine[i]) - reach)
    for j in range(3):
        reach = other[j] + graph.sum(one[i] * size[i][j] for i in range(3))
        found.append(graph.function(op.ABSOLUTE, theirs[j]) - reach)
    least = -(graph.sum(one) + graph.sum(other))
    for i, j in product(range(3), range(3)):
        (m, n), (p, q) = _FOLLOWING[i], _FOLLOWING[j]
        square = turned[m][j] * turned[m][j] + turned[n][j] * turned[n][j]
        along = graph.function(op.ABSOLUTE, mine[n] * turned[m][j] - mine[m] * turned[n][j])
        reach = one[m] * size[n][j] + one[n] * size[m][j] + other[p] * size[i][q] + other[q] * size[i][p]
        crosses = graph.function2(op.LESS, graph.constant(PARALLEL), square)
        sine = graph.function(op.SQRT, graph.select(crosses, square, graph.one))
        found.append(graph.select(crosses, (along - reach) / sine, least))
    total = found[0]
    for value in found[1:]:
        total = graph.function2(op.MAXIMUM, total, value)
    return total


def clearance(first: Placed, second: Placed) -> Node:
    """How high everything else of two boxes that touch is above the plane in which they do.

    While this is positive, nothing but the features that touch can: a convex body whose neighbouring corners are above
    a plane is above it.
    """
    met = _Met(first, second, first.label)
    graph = met.graph
    far = graph.sum(met.one) + graph.sum(met.other)
    least = far
    for code, half, axes, sign in ((met.own, met.one, first.axes, -2.0), (met.its, met.other, second.axes, 2.0)):
        for c, h, axis in zip(code, half, axes, strict=True):
            height = sign * c * h * vector3.dot(axis, met.normal) + (1.0 - c * c) * far
            least = graph.function2(op.MINIMUM, least, height)
    return least


_FOLLOWING: Final = ((1, 2), (2, 0), (0, 1))


def _half(box: Placed) -> list[Node]:
    return [0.5 * box.sizes[f"length {letter}"] for letter in "xyz"]


@final
class _Met:
    """Two features that meet, by the run-time values that name them."""

    def __init__(self, first: Placed, second: Placed, label: str) -> None:
        self.first, self.second = first, second
        self.graph = first.place[0].graph
        leaves = [self.graph.leaf(name) for name in feature_names(label)]
        self.own, self.its = leaves[:3], leaves[3:6]
        """The numbers of the feature of the first box, and of the second."""
        self.face, self.side = leaves[6:]
        """``face`` is 1 where a feature of the first is on a face of the second, -1 where it is the other way round;
        ``side`` is 1 or -1 where two edges cross, so that the product of their axes looks at the first box."""
        self.one, self.other = _half(first), _half(second)

    @cached_property
    def normal(self) -> Vector3:
        """From the second towards the first."""
        on_first = 0.5 * self.face * (self.face - 1.0)
        square = vector3.dot(self._across, self._across)
        size = self.side / self.graph.function(op.SQRT, square + _NO_CROSSING)
        total = vector3.scale(size, self._across)
        for code, box, factor in ((self.its, self.second, self._on_second), (self.own, self.first, -on_first)):
            for c, axis in zip(code, box.axes, strict=True):
                total = vector3.add(total, vector3.scale(factor * c, axis))
        return total

    @cached_property
    def _edges(self) -> tuple[Vector3, Vector3]:
        """The axes of two edges; nothing where they are not edges that cross."""
        found = []
        for code, box in ((self.own, self.first), (self.its, self.second)):
            total: Vector3 = (self.graph.zero, self.graph.zero, self.graph.zero)
            for c, axis in zip(code, box.axes, strict=True):
                total = vector3.add(total, vector3.scale(self.side * self.side * (1.0 - c * c), axis))
            found.append(total)
        return found[0], found[1]

    @cached_property
    def _across(self) -> Vector3:
        return vector3.cross(*self._edges)

    @cached_property
    def _middles(self) -> tuple[Vector3, Vector3]:
        """The middle of each feature."""
        found = []
        for code, half, box in ((self.own, self.one, self.first), (self.its, self.other, self.second)):
            place = box.place
            for c, h, axis in zip(code, half, box.axes, strict=True):
                place = vector3.add(place, vector3.scale(c * h, axis))
            found.append(place)
        return found[0], found[1]

    @property
    def _is_there(self) -> Node:
        """1 where there are features, else 0."""
        return self.face * self.face + self.side * self.side

    @cached_property
    def gap(self) -> Node:
        return vector3.dot(vector3.subtract(*self._middles), self.normal) + (1.0 - self._is_there)

    @property
    def _on_second(self) -> Node:
        """1 where a feature of the first is on a face of the second, else 0."""
        return 0.5 * self.face * (self.face + 1.0)

    @cached_property
    def _place(self) -> Vector3:
        """Where they touch, but for the gap of a corner of the first above a face of the second."""
        (mine, theirs), (first, second) = self._middles, self._edges
        away = vector3.subtract(mine, theirs)
        square = vector3.dot(self._across, self._across) + _NO_CROSSING
        along = (vector3.dot(away, second) - vector3.dot(first, second) * vector3.dot(away, first)) / square
        crossing = vector3.add(theirs, vector3.scale(along, second))
        return vector3.add(crossing, vector3.scale(self._on_second, away))

    @cached_property
    def point(self) -> Vector3:
        """Where they touch, on the surface of the second."""
        return vector3.subtract(self._place, vector3.scale(self._on_second * self.gap, self.normal))

    @cached_property
    def inside(self) -> Node:
        """At least zero while the point is on both features, where there are some.

        By products of axes and places that all points share, and not by where the point is: the rates of these are
        worked out once.
        """
        graph, turned = self.graph, [[vector3.dot(a, b) for b in self.second.axes] for a in self.first.axes]
        away = vector3.subtract(self.first.place, self.second.place)
        mine, theirs = ([vector3.dot(away, axis) for axis in box.axes] for box in (self.first, self.second))
        flipped = [list(column) for column in zip(*turned, strict=True)]
        crosses = self.side * self.side
        first, second = ([crosses * (1.0 - c * c) for c in code] for code in (self.own, self.its))
        # The middles of both features along the axes of the other box, and how far they are apart along their own.
        at_own = [c * h for c, h in zip(self.own, self.one, strict=True)]
        at_its = [c * h for c, h in zip(self.its, self.other, strict=True)]
        seen = [t + graph.dot(at_own, column) for t, column in zip(theirs, flipped, strict=True)]
        back = [graph.dot(at_its, row) - t for t, row in zip(mine, turned, strict=True)]
        along_first = graph.sum(e * (at - x) for e, at, x in zip(first, at_own, back, strict=True))
        along_second = graph.sum(e * (x - at) for e, at, x in zip(second, at_its, seen, strict=True))
        cosine = graph.sum(e * graph.dot(second, row) for e, row in zip(first, turned, strict=True))
        square = 1.0 - cosine * cosine
        own, other = (cosine * along_second - along_first) / square, (along_second - cosine * along_first) / square
        least = self._is_there - 0.5
        sides = (
            (
                self.its,
                self.other,
                [y + own * graph.dot(first, column) for y, column in zip(seen, flipped, strict=True)],
            ),
            (self.own, self.one, [x + other * graph.dot(second, row) for x, row in zip(back, turned, strict=True)]),
        )
        for code, half, found in sides:
            for c, h, along in zip(code, half, found, strict=True):
                out = (1.0 - c * c) * graph.function(op.ABSOLUTE, along)
                least = graph.function2(op.MINIMUM, least, (1.0 + MARGIN) - out / h)
        return least
