"""Shapes in space, simple ones: a sphere, a plane, a capsule, a cylinder, a rim, a box."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, final

from detent.model.shape import Complaint, Shape, positive


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

    def complaints(self, sizes: Mapping[str, float]) -> Iterator[Complaint]:
        yield from positive(sizes, "length x", "length y", "length z")
