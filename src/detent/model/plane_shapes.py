"""Shapes in the plane, simple ones: a circle, a line, a segment, an arc, a convex polygon."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, TypeAlias, final

from detent.model.outline import Lines, Look, places_on_arc
from detent.model.shape import Complaint, Shape, positive

Place: TypeAlias = tuple[Any, Any]
"""Two lengths (m), along the shape's x and y."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class Circle(Shape):
    """A disk, solid inside."""

    radius: Any
    kind: ClassVar[str] = "circle"
    planar: ClassVar[bool] = True

    @property
    def sizes(self) -> dict[str, Any]:
        return {"radius": self.radius}

    def outline(self, sizes: Mapping[str, float], look: Look) -> Lines:
        radius = sizes["radius"]
        return [look.line(places_on_arc(radius, 0.0, 2 * math.pi)), look.line([(0, 0), (radius, 0)])]

    def complaints(self, sizes: Mapping[str, float]) -> Iterator[Complaint]:
        yield from positive(sizes, "radius")


@final
@dataclass(frozen=True, eq=False, repr=False)
class Line(Shape):
    """All that is below a straight line without ends: the shape's x axis, its outward normal the y axis."""

    kind: ClassVar[str] = "line"
    planar: ClassVar[bool] = True

    @property
    def sizes(self) -> dict[str, Any]:
        return {}

    def outline(self, sizes: Mapping[str, float], look: Look) -> Lines:
        return [look.line([(x, 0) for x in look.along(0)])]

    def complaints(self, sizes: Mapping[str, float]) -> Iterator[Complaint]:
        yield from ()


@final
@dataclass(frozen=True, eq=False, repr=False)
class Segment(Shape):
    """A straight piece with one face, to the left of the way from its start to its end."""

    start: Place
    end: Place
    kind: ClassVar[str] = "segment"
    planar: ClassVar[bool] = True

    @property
    def sizes(self) -> dict[str, Any]:
        return corner_sizes((self.start, self.end))

    def outline(self, sizes: Mapping[str, float], look: Look) -> Lines:
        return [look.line(corner_values(sizes, 2))]

    def complaints(self, sizes: Mapping[str, float]) -> Iterator[Complaint]:
        first, last = corner_values(sizes, 2)
        if not 0 < math.dist(first, last) < math.inf:
            yield f"it goes from {place_text(first)} to {place_text(last)}", "give it two ends that are apart"


@final
@dataclass(frozen=True, eq=False, repr=False)
class Arc(Shape):
    """A part of a circle, from an angle to a greater one; touched from outside, or from inside where hollow."""

    radius: Any
    start_angle: Any
    end_angle: Any
    inside: bool = False
    whole: bool = False
    """Whether it is a whole ring, without ends."""
    kind: ClassVar[str] = "arc"
    planar: ClassVar[bool] = True

    @property
    def sizes(self) -> dict[str, Any]:
        return {
            "radius": self.radius,
            "middle": (self.start_angle + self.end_angle) / 2,
            "half": (self.end_angle - self.start_angle) / 2,
        }

    @property
    def structure(self) -> tuple[Any, ...]:
        return (self.kind, self.inside, self.whole)

    def outline(self, sizes: Mapping[str, float], look: Look) -> Lines:
        middle, half = sizes["middle"], sizes["half"]
        return [look.line(places_on_arc(sizes["radius"], middle - half, middle + half))]

    def complaints(self, sizes: Mapping[str, float]) -> Iterator[Complaint]:
        yield from positive(sizes, "radius")
        sweep = 2 * sizes["half"]
        if not 0 < sweep <= 2 * math.pi * (1 + 1e-15):
            yield f"it sweeps {sweep:.6g} rad", "give it an end angle past its start angle, by 2 pi at the most"


@final
@dataclass(frozen=True, eq=False, repr=False)
class Polygon(Shape):
    """A convex polygon, solid inside, its corners counter-clockwise."""

    corners: tuple[Place, ...]
    kind: ClassVar[str] = "polygon"
    planar: ClassVar[bool] = True

    @property
    def sizes(self) -> dict[str, Any]:
        return corner_sizes(self.corners)

    @property
    def structure(self) -> tuple[Any, ...]:
        return (self.kind, len(self.corners))

    def outline(self, sizes: Mapping[str, float], look: Look) -> Lines:
        corners = corner_values(sizes, len(self.corners))
        return [look.line([*corners, corners[0]])]

    def complaints(self, sizes: Mapping[str, float]) -> Iterator[Complaint]:
        corners = corner_values(sizes, len(self.corners))
        if len(corners) < 3:
            yield f"it has {len(corners)} corners", "give it three or more"
            return
        around = [*corners, corners[0], corners[1]]
        turns = [_turn(a, b, c) for a, b, c in zip(around, around[1:], around[2:], strict=False)]
        area = sum(a[0] * b[1] - a[1] * b[0] for a, b in pairwise(around[:-1]))
        if not all(math.isfinite(value) for place in corners for value in place):
            yield "a corner is not finite", "give its corners finite places"
        elif area < 0 and all(turn < 0 for turn in turns):
            yield "its corners go round clockwise", "give them counter-clockwise"
        elif not all(turn > 0 for turn in turns) or not _once_round(around[:-1]):
            number = next((k for k, turn in enumerate(turns) if turn <= 0), 0)
            corner = (number + 1) % len(corners)
            found = f"it is not convex at its corner {corner + 1}, {place_text(corners[corner])}"
            yield found, "make a body that is not convex of several contacts with convex shapes"


def corner_sizes(corners: tuple[Place, ...]) -> dict[str, Any]:
    """The places of corners as sizes: x1, y1, x2, ...

    >>> corner_sizes(((0, 1), (2, 3)))
    {'x1': 0, 'y1': 1, 'x2': 2, 'y2': 3}
    """
    return {
        f"{letter}{k}": value for k, place in enumerate(corners, 1) for letter, value in zip("xy", place, strict=True)
    }


def corner_values(sizes: Mapping[str, float], count: int) -> list[tuple[float, float]]:
    """The places of corners as numbers."""
    return [(sizes[f"x{k}"], sizes[f"y{k}"]) for k in range(1, count + 1)]


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    """How much the way turns at b: positive to the left."""
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])


def _once_round(around: list[tuple[float, float]]) -> bool:
    """Whether a closed way that turns left everywhere goes round once, not twice as a star does."""
    headings = [math.atan2(b[1] - a[1], b[0] - a[0]) for a, b in pairwise(around)]
    turned = sum((b - a) % (2 * math.pi) for a, b in pairwise([*headings, headings[0]]))
    return turned < 3 * math.pi


def place_text(place: tuple[float, float]) -> str:
    """A place for a message."""
    return f"({place[0]:.6g}, {place[1]:.6g})"
