"""What shapes in space are made of: balls and points, flat faces, tubes and straight edges, rims, hollows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product
from typing import Final

from detent.contact.lengths import length_within
from detent.contact.placed import Placed
from detent.expr import vector3
from detent.expr.graph import Node
from detent.expr.vector3 import Vector3
from detent.model.point_shape import PointShape
from detent.model.shape import Shape
from detent.model.space_shapes import Box, Capsule, Cylinder, HollowSphere, Plane, Rim, Sphere


@dataclass(frozen=True)
class Ball:
    """A ball, or a part of its surface; a point where ``radius`` is None. Touched in directions m, m . each >= 0."""

    name: str
    center: Vector3
    radius: Node | None = None
    toward: tuple[Vector3, ...] = ()


@dataclass(frozen=True)
class Flat:
    """A flat face: all of a plane, or what is within bounds of it."""

    name: str
    center: Vector3
    tangents: tuple[Vector3, Vector3]
    normal: Vector3
    half: tuple[Node, Node] | None = None
    """How far it reaches from its centre along both tangents, on either side."""
    radius: Node | None = None
    """How far it reaches from its centre, where it is a disk."""
    others: tuple[Beside, ...] = ()
    """The other faces of the same body."""


@dataclass(frozen=True)
class Tube:
    """What is round about a piece of an axis; a straight edge where ``radius`` is None."""

    name: str
    center: Vector3
    axis: Vector3
    half: Node
    radius: Node | None = None
    toward: tuple[Vector3, ...] = ()
    others: tuple[Beside, ...] = ()


@dataclass(frozen=True)
class Edge:
    """A circle about an axis where a tube meets its flat end, which looks along the axis; or a bare one."""

    name: str
    center: Vector3
    axis: Vector3
    radius: Node
    bare: bool = False
    """Whether it is no edge of anything, so that it may be touched from all sides."""


@dataclass(frozen=True)
class Cavity:
    """A hollow sphere."""

    name: str
    center: Vector3
    radius: Node


@dataclass(frozen=True)
class Beside:
    """A neighbouring face, from which a point on the other one is told: how high a place is above it."""

    name: str
    height: Callable[[Vector3], Node]


@dataclass(frozen=True)
class SpaceFeatures:
    """All features of one shape."""

    balls: tuple[Ball, ...] = ()
    flats: tuple[Flat, ...] = ()
    tubes: tuple[Tube, ...] = ()
    edges: tuple[Edge, ...] = ()
    cavities: tuple[Cavity, ...] = ()


def space_features(shape: Placed) -> SpaceFeatures:
    """What a shape in space is made of."""
    return _FEATURES[type(shape.shape)](shape)


def height_above(center: Vector3, normal: Vector3) -> Callable[[Vector3], Node]:
    """How high a place is above a plane."""
    return lambda place: vector3.dot(vector3.subtract(place, center), normal)


# -- one kind after another -------------------------------------------------------------------


def _point(shape: Placed) -> SpaceFeatures:
    return SpaceFeatures(balls=(Ball("", shape.place),))


def _sphere(shape: Placed) -> SpaceFeatures:
    return SpaceFeatures(balls=(Ball("", shape.place, shape.sizes["radius"]),))


def _hollow_sphere(shape: Placed) -> SpaceFeatures:
    return SpaceFeatures(cavities=(Cavity("", shape.place, shape.sizes["radius"]),))


def _plane(shape: Placed) -> SpaceFeatures:
    return SpaceFeatures(flats=(Flat("", shape.place, shape.axes[:2], shape.axes[2]),))


def _ends(shape: Placed) -> Iterator[tuple[str, Vector3, Vector3]]:
    """The two ends of a long shape: a name, the middle, the direction outward."""
    half, axis = 0.5 * shape.sizes["length"], shape.axes[2]
    for name, outward in (("end 1", vector3.negate(axis)), ("end 2", axis)):
        yield name, vector3.add(shape.place, vector3.scale(half, outward)), outward


def _capsule(shape: Placed) -> SpaceFeatures:
    radius, half = shape.sizes["radius"], 0.5 * shape.sizes["length"]
    ends = tuple(Ball(name, center, radius, (outward,)) for name, center, outward in _ends(shape))
    return SpaceFeatures(balls=ends, tubes=(Tube("side", shape.place, shape.axes[2], half, radius),))


def _cylinder(shape: Placed) -> SpaceFeatures:
    radius, half, axis = shape.sizes["radius"], 0.5 * shape.sizes["length"], shape.axes[2]

    def outside(place: Vector3) -> Node:
        away = vector3.subtract(place, shape.place)
        return length_within(vector3.subtract(away, vector3.scale(vector3.dot(away, axis), axis)), radius) - radius

    flats, edges, heights = [], [], [Beside("side", outside)]
    for name, center, outward in _ends(shape):
        tangents = shape.axes[:2] if outward is axis else (shape.axes[1], shape.axes[0])
        flats.append(Flat(name, center, tangents, outward, radius=radius))
        edges.append(Edge(f"rim {name[-1]}", center, outward, radius))
        heights.append(Beside(name, height_above(center, outward)))
    among = [replace(flat, others=tuple(other for other in heights if other.name != flat.name)) for flat in flats]
    tube = Tube("side", shape.place, axis, half, radius, others=tuple(heights[1:]))
    return SpaceFeatures(flats=tuple(among), tubes=(tube,), edges=tuple(edges))


def _rim(shape: Placed) -> SpaceFeatures:
    return SpaceFeatures(edges=(Edge("", shape.place, shape.axes[2], shape.sizes["radius"], bare=True),))


def _box(shape: Placed) -> SpaceFeatures:
    sides = {  # (letter, sign): unit vector outward
        (letter, sign): axis if sign > 0 else vector3.negate(axis)
        for letter, axis in zip("xyz", shape.axes, strict=True)
        for sign in (1, -1)
    }
    half = {letter: 0.5 * shape.sizes[f"length {letter}"] for letter in "xyz"}

    def at(*chosen: tuple[str, int]) -> Vector3:
        place = shape.place
        for side in chosen:
            place = vector3.add(place, vector3.scale(half[side[0]], sides[side]))
        return place

    return SpaceFeatures(_box_corners(sides, at), _box_faces(sides, half, at), _box_edges(sides, half, at))


_FOLLOWING: Final = {"x": ("y", "z"), "y": ("z", "x"), "z": ("x", "y")}
_Side = tuple[str, int]
_At = Callable[..., Vector3]


def _signed(*chosen: _Side) -> str:
    return " ".join(letter if sign > 0 else f"-{letter}" for letter, sign in chosen)


def _box_corners(sides: dict[_Side, Vector3], at: _At) -> tuple[Ball, ...]:
    made = []
    for signs in product((1, -1), repeat=3):
        chosen = list(zip("xyz", signs, strict=True))
        made.append(Ball(f"corner {_signed(*chosen)}", at(*chosen), None, tuple(sides[side] for side in chosen)))
    return tuple(made)


def _box_faces(sides: dict[_Side, Vector3], half: dict[str, Node], at: _At) -> tuple[Flat, ...]:
    heights = {side: Beside(f"face {_signed(side)}", height_above(at(side), normal)) for side, normal in sides.items()}
    made = []
    for side, normal in sides.items():
        second, third = _FOLLOWING[side[0]]
        if side[1] < 0:
            second, third = third, second
        others = tuple(height for other, height in heights.items() if other != side)
        tangents = (sides[second, 1], sides[third, 1])
        name = f"face {_signed(side)}"
        made.append(Flat(name, at(side), tangents, normal, (half[second], half[third]), others=others))
    return tuple(made)


def _box_edges(sides: dict[_Side, Vector3], half: dict[str, Node], at: _At) -> tuple[Tube, ...]:
    made = []
    for letter, (second, third) in _FOLLOWING.items():
        for signs in product((1, -1), repeat=2):
            chosen = [(second, signs[0]), (third, signs[1])]
            toward = tuple(sides[side] for side in chosen)
            made.append(Tube(f"edge {_signed(*chosen)}", at(*chosen), sides[letter, 1], half[letter], None, toward))
    return tuple(made)


_FEATURES: Final[dict[type[Shape], Callable[[Placed], SpaceFeatures]]] = {
    PointShape: _point,
    Sphere: _sphere,
    HollowSphere: _hollow_sphere,
    Plane: _plane,
    Capsule: _capsule,
    Cylinder: _cylinder,
    Rim: _rim,
    Box: _box,
}
