"""The geometry of two shapes at one place where they may touch."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from detent.expr import operation as op
from detent.expr import vector3
from detent.expr.graph import Node
from detent.expr.vector3 import Vector3

MARGIN: Final = 1e-10
"""By this part of their sizes features overlap where they end: more than rounding, less than anything is known to. What
comes down exactly where one ends and the next begins would else be on neither of them."""
REACH: Final = 1e-4
"""By this part of their sizes they are looked at beyond their ends: between the ends of a step all is known to the
tolerance of the integration only. Whether something is on them is judged where it meets them."""


@dataclass(frozen=True)
class Domain:
    """A value that is at least zero while the place of contact is on its feature: a segment, a face, a corner."""

    name: str
    node: Node
    size: Node | None = None
    """How large it is in the middle of the feature; None where nothing else begins at its end."""
    corner: bool = False
    """Whether the feature ends there at a corner, round which what is on it may go."""

    @property
    def reach(self) -> Node:
        """At least zero where it is looked at whether the feature is met."""
        return self.node if self.size is None else self.node + REACH * self.size

    @property
    def sharp(self) -> Domain:
        """The same at an end where the normal is another one beyond it: what is there stays on this feature."""
        return self if self.size is None else replace(self, node=self.node + MARGIN * self.size)

    @property
    def at_corner(self) -> Domain:
        """The same at the end of a face, where that is sharp."""
        return replace(self.sharp, corner=True)

    @property
    def is_at_end(self) -> Node:
        """1 where the end is as near as the features overlap there, 0 elsewhere."""
        assert self.size is not None
        return self.node.graph.function2(op.LESS, self.node, 2 * MARGIN * self.size)


@dataclass(frozen=True)
class FollowedCoordinate:
    """A coordinate of the closest point on a parametric curve or surface, which has no closed form.

    ``equation`` is zero where the distance is stationary; the coordinate lies between ``lowest`` and ``highest``.
    """

    leaf: Node
    equation: Node
    lowest: Node
    highest: Node
    normal: Vector3
    """The unit normal of the curve or surface there: how fast it turns tells how many points are worth looking at."""
    closed: bool = False
    """Whether it comes back to its start after its highest value."""
    slack: float = 0.0
    """By how much it may be off within a step, where more than the tolerance of the integration does no harm."""


@dataclass(frozen=True)
class Course:
    """A curve along its own axes: its point at a coordinate and the unit normal there.

    What is round touches that point where its middle is ``offset`` from there along the normal. A curve may go on
    ``straight`` beyond its ends.
    """

    leaf: Node
    point: tuple[Node, Node]
    normal: tuple[Node, Node]
    lowest: Node
    highest: Node
    closed: bool
    offset: Node | None = None
    straight: bool = False


@dataclass(frozen=True)
class Spread:
    """A surface along its own axes: its point at two coordinates, the slopes and the unit normal there.

    A ball touches that point where its middle is ``offset`` from there along the normal.
    """

    leaves: tuple[Node, Node]
    point: tuple[Node, ...]
    slopes: tuple[Vector3, Vector3]
    normal: Vector3
    offset: Node | None = None


@dataclass(frozen=True)
class Facing:
    """Two curves, of which any points may touch where their normals are opposed; or a curve or a surface, and what is
    round, or a plane or a straight face: ``level``."""

    stance: tuple[Node, ...]
    """How the one stands to the other. The origin of the first curve, or the middle of what is round, or a place of the
    face, its x and its y axis, two components each along the axes of the (second) curve; the middle of a ball along the
    axes of a surface and 0, or the normal of a plane and how high the surface's origin is above it."""
    moving: tuple[Node, ...]
    """Components of what tells how fast points come nearer, but for turning."""
    turning: tuple[Node, ...] = ()
    """Components of what tells how fast one turns, seen from the other."""
    courses: tuple[Course, ...] = ()
    spread: Spread | None = None
    level: bool = False


@dataclass(frozen=True)
class Nearness:
    """What tells whether the point at the coordinates that are followed is the nearest.

    ``apart`` is least there among all points; where every value of ``nearest`` is positive it is least among the points
    around. Where one of them is zero the nearest point jumps, or there are many. They have no dimension: 1 where a
    point is far from such a place.
    """

    apart: Node
    nearest: tuple[Node, ...]
    facing: Facing | None = None
    """How soon the shapes may touch elsewhere; None where they do not."""
    lasting: bool = False
    """Whether there is always such a point, and one only."""


@dataclass(frozen=True)
class Geometry:
    """Where a feature of one shape may touch a feature of another.

    ``gap`` is their distance, negative where they overlap. ``normal`` is the unit vector from the second towards the
    first: the gap grows that way, gap' = normal . (velocity of the first - velocity of the second) of what is at
    ``point``, which is on the second's surface. All this holds while every value in ``domain`` is at least zero. A gap
    that is negative where its domain is entered belongs to a point that comes from behind a face with one side.

    In space there are two ``tangents``, and (first tangent, second tangent, normal) is a right-handed triad. In the
    plane there is one, a quarter turn to the right of the normal: on a floor with the normal y it is x.
    ``surface_velocity`` is to be added to the velocity of the first against the second: belts have one.
    """

    feature: str
    gap: Node
    normal: Vector3
    point: Vector3
    tangents: tuple[Vector3, ...]
    domain: tuple[Domain, ...] = ()
    surface_velocity: Vector3 | None = None
    followed: tuple[FollowedCoordinate, ...] = ()
    nearness: Nearness | None = None
    thin: bool = False
    """Whether a point with a negative gap is on the far side of a face without a body behind it."""
    lean: Node | None = None
    """The square of how far an edge is turned out of what it may lie flat on; where it does, all of it touches."""
    tilt: tuple[Node, Node] | None = None
    """Of a flat end: how far (rad) it is turned out of the plane about each tangent, where that is little."""


@dataclass(frozen=True)
class Touch:
    """What a pair of features says: the geometry without tangents, with the nearest points on both."""

    feature: str
    gap: Node
    normal: Vector3
    on_first: Vector3
    on_second: Vector3
    domain: tuple[Domain, ...] = ()
    tangents: tuple[Vector3, Vector3] | None = None
    """Two that suit the pair; others follow from the normal alone."""
    followed: tuple[FollowedCoordinate, ...] = ()
    nearness: Nearness | None = None
    thin: bool = False
    """Whether a point with a negative gap is on the far side of a face without a body behind it."""
    lean: Node | None = None
    """The square of how far an edge is turned out of what it may lie flat on; where it does, all of it touches."""
    tilt: tuple[Node, Node] | None = None
    """Of a flat end: how far (rad) it is turned out of the plane about each tangent, where that is little."""

    def reversed(self) -> Touch:
        """The same with first and second exchanged."""
        return replace(
            self,
            normal=vector3.negate(self.normal),
            on_first=self.on_second,
            on_second=self.on_first,
            tangents=None if self.tangents is None else (self.tangents[1], self.tangents[0]),
            tilt=None if self.tilt is None else (-self.tilt[1], -self.tilt[0]),
        )


def named(first: str, word: str, second: str) -> str:
    """The name of a pair of features: of the only one that has a name, or of both.

    >>> named("corner 1", "on", "edge 2"), named("", "on", "edge 2")
    ('corner 1 on edge 2', 'edge 2')
    """
    return f"{first} {word} {second}" if first and second else first or second


def without_certain(domain: list[Domain]) -> tuple[Domain, ...]:
    """A domain without what holds always."""
    return tuple(limit for limit in domain if not (limit.node.is_constant and limit.node.value >= 0))
