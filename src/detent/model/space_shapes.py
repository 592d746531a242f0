"""Shapes in space, simple ones: a sphere, a plane, a capsule, a cylinder, a rim, a box."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, final

from detent.model.outline import Lines, Look, convex_hull, line_through, rim
from detent.model.shape import Complaint, Shape, positive
from detent.model.solid import Solid, ball, box, capsule, level, round_solid


@final
@dataclass(frozen=True, eq=False, repr=False)
class Sphere(Shape):
    """A ball, solid inside."""

    radius: Any
    kind: ClassVar[str] = "sphere"
    planar: ClassVar[bool] = False

    @property
    def sizes(self) -> dict[str, Any]:
        return {"radius": self.radius}

    def outline(self, sizes: Mapping[str, float], look: Look) -> Lines:
        return [line_through(look.ball(sizes["radius"]))]

    def solid(self, sizes: Mapping[str, float], look: Look) -> Solid:
        return round_solid(ball(sizes["radius"]))

    def complaints(self, sizes: Mapping[str, float]) -> Iterator[Complaint]:
        yield from positive(sizes, "radius")


@final
@dataclass(frozen=True, eq=False, repr=False)
class HollowSphere(Shape):
    """A hollow in something solid, touched from inside."""

    radius: Any
    kind: ClassVar[str] = "hollow sphere"
    planar: ClassVar[bool] = False

    @property
    def sizes(self) -> dict[str, Any]:
        return {"radius": self.radius}

    def outline(self, sizes: Mapping[str, float], look: Look) -> Lines:
        return [line_through(look.ball(sizes["radius"]))]

    def solid(self, sizes: Mapping[str, float], look: Look) -> Solid:
        return round_solid(ball(sizes["radius"])).turned_inside_out()

    def complaints(self, sizes: Mapping[str, float]) -> Iterator[Complaint]:
        yield from positive(sizes, "radius")


@final
@dataclass(frozen=True, eq=False, repr=False)
class Plane(Shape):
    """All that is below a plane without ends: the shape's x-y plane, its outward normal the z axis."""

    kind: ClassVar[str] = "plane"
    planar: ClassVar[bool] = False

    @property
    def sizes(self) -> dict[str, Any]:
        return {}

    def outline(self, sizes: Mapping[str, float], look: Look) -> Lines:
        (left, right), (near, far) = look.along(0), look.along(1)
        return [look.hull([(x, y, 0) for x in (left, right) for y in (near, far)])]

    def solid(self, sizes: Mapping[str, float], look: Look) -> Solid:
        return level(look.along(0), look.along(1))

    def complaints(self, sizes: Mapping[str, float]) -> Iterator[Complaint]:
        yield from ()


@final
@dataclass(frozen=True, eq=False, repr=False)
class Capsule(Shape):
    """All that is within a radius of a piece of the shape's z axis: a rod with round ends.

    ``length`` is that of the piece, from the middle of one end to the middle of the other.
    """

    radius: Any
    length: Any
    kind: ClassVar[str] = "capsule"
    planar: ClassVar[bool] = False

    @property
    def sizes(self) -> dict[str, Any]:
        return {"radius": self.radius, "length": self.length}

    def outline(self, sizes: Mapping[str, float], look: Look) -> Lines:
        half = sizes["length"] / 2
        ends = [look.ball(sizes["radius"], (0, 0, z)) for z in (-half, half)]
        return [convex_hull(ends[0] + ends[1])]

    def solid(self, sizes: Mapping[str, float], look: Look) -> Solid:
        return round_solid(capsule(sizes["radius"], sizes["length"]))

    def complaints(self, sizes: Mapping[str, float]) -> Iterator[Complaint]:
        yield from positive(sizes, "radius", "length")


@final
@dataclass(frozen=True, eq=False, repr=False)
class Cylinder(Shape):
    """A cylinder about the shape's z axis, with flat ends, solid inside."""

    radius: Any
    length: Any
    kind: ClassVar[str] = "cylinder"
    planar: ClassVar[bool] = False

    @property
    def sizes(self) -> dict[str, Any]:
        return {"radius": self.radius, "length": self.length}

    def outline(self, sizes: Mapping[str, float], look: Look) -> Lines:
        half = sizes["length"] / 2
        return [look.hull([*rim(sizes["radius"], -half), *rim(sizes["radius"], half)])]

    def solid(self, sizes: Mapping[str, float], look: Look) -> Solid:
        radius, half = sizes["radius"], sizes["length"] / 2
        return round_solid([(0.0, -half), (radius, -half), (radius, half), (0.0, half)])

    def complaints(self, sizes: Mapping[str, float]) -> Iterator[Complaint]:
        yield from positive(sizes, "radius", "length")


@final
@dataclass(frozen=True, eq=False, repr=False)
class Rim(Shape):
    """A circle about the shape's z axis: the edge of a thin disk, of a coin."""

    radius: Any
    kind: ClassVar[str] = "rim"
    planar: ClassVar[bool] = False

    @property
    def sizes(self) -> dict[str, Any]:
        return {"radius": self.radius}

    def outline(self, sizes: Mapping[str, float], look: Look) -> Lines:
        return [look.line(rim(sizes["radius"]))]

    def complaints(self, sizes: Mapping[str, float]) -> Iterator[Complaint]:
        yield from positive(sizes, "radius")


@final
@dataclass(frozen=True, eq=False, repr=False)
class Box(Shape):
    """A box, its middle at the shape's origin, with edges along the shape's axes."""

    length_x: Any
    length_y: Any
    length_z: Any
    kind: ClassVar[str] = "box"
    planar: ClassVar[bool] = False

    @property
    def sizes(self) -> dict[str, Any]:
        return {"length x": self.length_x, "length y": self.length_y, "length z": self.length_z}

    def outline(self, sizes: Mapping[str, float], look: Look) -> Lines:
        half = [sizes[f"length {axis}"] / 2 for axis in "xyz"]
        corners = itertools.product(*((-value, value) for value in half))
        return [look.hull([tuple(corner) for corner in corners])]

    def solid(self, sizes: Mapping[str, float], look: Look) -> Solid:
        return box(*(sizes[f"length {axis}"] for axis in "xyz"))

    def complaints(self, sizes: Mapping[str, float]) -> Iterator[Complaint]:
        yield from positive(sizes, "length x", "length y", "length z")
