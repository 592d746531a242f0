"""How the round edge of a cylinder touches a tube: by the nearest point of a circle to a line.

With the circle's radius R, p the foot of its centre on the line, a the direction of the line and e that of a point of
the circle, the squared distance is |p|^2 + R^2 - 2 R p.e - R^2 (a.e)^2. Where it is stationary is a root of a quartic,
so that the angle of e is followed. There are at most two nearest points, one on either side of the foot (e.a > 0 and
e.a < 0), and two only where the line is nearly across the axis: what lies across a flat end touches its edge twice. So
there are three places. In one the line is steep against the plane of the circle, and one point is the nearest; in the
others it is flat, and each follows the point on its side. Where a place has no nearest point, or does not count, its
equation is that of a line close by which has one, so that it can be followed always.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, TypeAlias, final

from detent.contact.geometry import Domain, FollowedCoordinate, Nearness, Touch
from detent.contact.lengths import SMALL
from detent.contact.space_features import Edge, Tube
from detent.expr import operation as op
from detent.expr import vector3
from detent.expr.graph import Graph, Node
from detent.expr.vector3 import Vector3

_STEEP: Final = 0.4
"""The square of the cosine between line and plane below which it is steep."""
_STEEP_FOLLOWED: Final = 0.42
"""As flat as this a line is followed at most where it is to be steep."""
_FOOT: Final = 0.55
"""A steep line that touches the edge from outside has its foot farther out than 1 - 0.4 of the radius; nearer ones are
followed as if they were so far out. Beyond 0.42 of it there is one nearest point."""
_FLAT_FOLLOWED: Final = 0.6
"""The cosine between line and plane down to which a line is followed where it is to be flat."""
_RANGE: Final = 1.65
"""A point on one side of the foot is less than a quarter turn from the direction of the line."""
_FAR_SIDE: Final = 0.1
_WIDTH: Final = 0.9
"""How far, by the radius, the foot may be on the other side of the circle's centre; and how far aside."""
_BESIDE: Final = 0.06
_LIFTED: Final = 1e-6
"""Where both nearest points become one the foot is taken to be off by this part of the radius, while the line is clear
of the edge by as much as that: a line that is exactly across the axis could not be followed past that place."""
_TOUCHING: Final = 1e-3
"""Where it touches, by this part of that: a distance is wrong by less than 1e-12 of the radius then."""
_THERE: Final = 1e-6
"""What is as close as this to having a nearest point of its own has one."""
_SURE: Final = 100.0
"""Nearness falls below one only where two nearest points are about to become one."""

_Pair: TypeAlias = tuple[Node, Node]
_Named: TypeAlias = Callable[[str, str], str]


def edge_on_tube(edge: Edge, tube: Tube, called: _Named, coordinate: _Named) -> Iterator[Touch]:
    """The places where a round edge may touch a tube. ``coordinate`` names what is followed at a place."""
    if tube.radius is None:
        return
    seen = _Seen(edge, tube, tube.radius)
    name = called(edge.name, tube.name)
    yield seen.steep(name, edge.center[0].graph.leaf(coordinate("angle", name)))
    for end, sign in (("end 1", -1.0), ("end 2", 1.0)):
        name = called(edge.name, f"{tube.name} near {end}")
        yield seen.flat(name, edge.center[0].graph.leaf(coordinate("angle", name)), sign)


@final
@dataclass(frozen=True, eq=False)
class _Seen:
    """A line as seen from a circle: components along two axes in its plane, and along its axis."""

    edge: Edge
    tube: Tube
    radius: Node
    """That of the tube."""

    @property
    def graph(self) -> Graph:
        return self.radius.graph

    def _components(self, vector: Vector3) -> Vector3:
        x, y, z = (vector3.dot(vector, axis) for axis in (*self.edge.tangents, self.edge.axis))
        return (x, y, z)

    @cached_property
    def _away(self) -> Vector3:
        return vector3.subtract(self.tube.center, self.edge.center)

    @cached_property
    def _along(self) -> Node:
        return vector3.dot(self._away, self.tube.axis)

    @cached_property
    def axis(self) -> Vector3:
        return self._components(self.tube.axis)

    @cached_property
    def foot(self) -> Vector3:
        return vector3.subtract(self._components(self._away), vector3.scale(self._along, self.axis))

    @cached_property
    def square(self) -> Node:
        """The square of the cosine between line and plane."""
        return self.axis[0] * self.axis[0] + self.axis[1] * self.axis[1]

    def steep(self, name: str, angle: Node) -> Touch:
        """The nearest point of all, while the line is steep."""
        graph, R = self.graph, self.edge.radius
        foot = _clear((self.foot[0], self.foot[1]), _FOOT * R)
        part = _STEEP_FOLLOWED / graph.function2(op.MAXIMUM, graph.constant(_STEEP_FOLLOWED), self.square)
        cosine, sine = graph.function(op.COS, angle), graph.function(op.SIN, angle)
        out, on = foot[0] * cosine + foot[1] * sine, foot[1] * cosine - foot[0] * sine
        ahead, aside = (
            self.axis[0] * cosine + self.axis[1] * sine,
            self.axis[1] * cosine - self.axis[0] * sine,
        )
        equation = -on / R - part * ahead * aside
        nearest = out / R - part * (aside * aside - ahead * ahead)
        apart = R * R * (1.0 - part * ahead * ahead) - 2.0 * R * out + foot[0] * foot[0] + foot[1] * foot[1]
        limit = Domain("steep", _STEEP - self.square, graph.one)
        zero, whole = graph.zero, graph.constant(2.0 * math.pi)
        touch = self._touch(name, (cosine, sine), [limit])
        followed = FollowedCoordinate(angle, equation, zero, whole, self._outward((cosine, sine)), closed=True)
        return replace(touch, followed=(followed,), nearness=Nearness(apart, (nearest,)))

    def flat(self, name: str, angle: Node, sign: float) -> Touch:
        """The nearest point on one side of the foot, by its angle from the direction of the line in the plane."""
        graph, R = self.graph, self.edge.radius
        (x, y), square, floor = self._way(sign), self._flat_square, self._floor
        ahead = self._ahead(sign)
        aside = (self.foot[1] * x - self.foot[0] * y) / R
        pushed = graph.function2(op.MAXIMUM, ahead, floor)
        cosine, sine = graph.function(op.COS, angle), graph.function(op.SIN, angle)
        equation = pushed * sine - aside * cosine + square * sine * cosine
        nearest = pushed * cosine + aside * sine + square * (cosine * cosine - sine * sine)
        apart = R * R * (1.0 - square * cosine * cosine - 2.0 * (pushed * cosine + aside * sine) + aside * aside)
        limits = [
            Domain("flat", self.square - _STEEP, graph.one),
            Domain("side", cosine, graph.one).sharp,
            Domain("there", ahead - floor + _THERE),
        ]
        radial = (cosine * x - sine * y, cosine * y + sine * x)
        touch = self._touch(name, radial, limits)
        low, high = graph.constant(-_RANGE), graph.constant(_RANGE)
        followed = FollowedCoordinate(angle, equation, low, high, self._outward(radial))
        return replace(touch, followed=(followed,), nearness=Nearness(apart, (_SURE * nearest / square,)))

    def _way(self, sign: float) -> _Pair:
        """The direction of the line in the plane."""
        x, y = self._direction
        return (sign * x, sign * y)

    @cached_property
    def _direction(self) -> _Pair:
        x, y = _clear((self.axis[0], self.axis[1]), self.graph.constant(_FLAT_FOLLOWED))
        size = self.graph.function(op.SQRT, x * x + y * y)
        return (x / size, y / size)

    def _ahead(self, sign: float) -> Node:
        x, y = self._way(sign)
        return (self.foot[0] * x + self.foot[1] * y) / self.edge.radius

    @cached_property
    def _flat_square(self) -> Node:
        return self.graph.function2(op.MAXIMUM, self.square, self.graph.constant(_FLAT_FOLLOWED**2))

    @cached_property
    def _floor(self) -> Node:
        """The least that the foot is taken to be ahead of the centre, by the radius.

        Both nearest points are there where |x|^(2/3) + |y|^(2/3) < 1, x the foot ahead and y aside, by the radius and
        the square: inside the evolute of an ellipse.
        """
        graph, (x, y), R = self.graph, self._direction, self.edge.radius
        aside = (self.foot[1] * x - self.foot[0] * y) / (R * self._flat_square)
        room = graph.function2(op.MAXIMUM, graph.zero, _WIDTH - aside * aside)
        off = (graph.function(op.ABSOLUTE, aside) - 1.0) / _BESIDE
        close = graph.function2(op.MAXIMUM, graph.zero, 1.0 - off * off)
        between = graph.function(op.ABSOLUTE, self.foot[2] - 0.5 * self.radius) - 0.5 * self.radius
        clear = graph.function2(op.MAXIMUM, graph.constant(_TOUCHING), between / R)
        lifted = _LIFTED * close * graph.function2(op.MINIMUM, graph.one, clear)
        return self._flat_square * (lifted - _FAR_SIDE * room * room)

    def _outward(self, radial: _Pair) -> Vector3:
        first, second = self.edge.tangents
        return vector3.add(vector3.scale(radial[0], first), vector3.scale(radial[1], second))

    def _touch(self, name: str, radial: _Pair, limits: list[Domain]) -> Touch:
        """What there is at a point of the circle: its distance from the line, which is above the end and outside."""
        graph, R, radius = self.graph, self.edge.radius, self.radius
        ahead = R * (radial[0] * self.axis[0] + radial[1] * self.axis[1])
        x, y, z = vector3.add(self.foot, vector3.scale(ahead, self.axis))
        x, y = x - R * radial[0], y - R * radial[1]
        apart = graph.function(op.SQRT, x * x + y * y + z * z + (SMALL * radius) ** 2)
        across = vector3.add(self._outward((x, y)), vector3.scale(z, self.edge.axis))
        normal = vector3.scale(-1.0 / apart, across)
        on_edge = vector3.add(self.edge.center, vector3.scale(R, self._outward(radial)))
        on_axis = vector3.add(on_edge, across)
        on_tube = vector3.add(on_axis, vector3.scale(radius, normal))
        along = ahead - self._along
        limits = [
            *limits,
            Domain("above", z, radius).sharp,
            Domain("outside", x * radial[0] + y * radial[1], radius).sharp,
            Domain("end 1", self.tube.half + along, radius),
            Domain("end 2", self.tube.half - along, radius),
        ]
        tangents = (self.tube.axis, vector3.cross(normal, self.tube.axis))
        return Touch(name, apart - radius, normal, on_edge, on_tube, tuple(limits), tangents)


_ODD: Final = (0.3 * math.cos(1.0), 0.3 * math.sin(1.0))
"""From here what is within a circle is seen on it: a place at which nothing is likely to be exactly."""


def _clear(place: _Pair, bound: Node) -> _Pair:
    """A place in a plane that is at least so far from the origin: outside of that as it is, else on that circle.

    No such map is continuous everywhere; this one is, but for one odd place.
    """
    graph, (x, y) = bound.graph, place
    off = (x - _ODD[0] * bound, y - _ODD[1] * bound)
    inside = graph.function2(op.MAXIMUM, graph.zero, bound * bound - x * x - y * y)
    along = x * off[0] + y * off[1]
    square = off[0] * off[0] + off[1] * off[1]
    root = graph.function(op.SQRT, along * along + square * inside + (SMALL * bound * bound) ** 2)
    part = inside / (along + root)
    return (x + part * off[0], y + part * off[1])
