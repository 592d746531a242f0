"""How deep two shapes overlap as they stand, where no face looks: by numbers, when a contact begins to count.

Faces with one side see what is in front of them, and what is inside a body has no face in front of it. A segment, an
arc and a track are thin: what is on their far side is on their far side, but nothing may lie across them. A polygon, a
disk, a box and the like are solid: nothing may be inside them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, final

import numpy as np

from detent.contact.strokes import ArcStroke, HalfSpace, Numbers, StraightStroke, Stroke, crossing_depth
from detent.model.plane_shapes import Arc
from detent.model.shape import Shape
from detent.model.track import Bend, Track

_THIN: Final = ("segment", "arc", "track")
_ROUNDED: Final = ("point", "sphere", "capsule")
_ORDER: Final = ("point", "sphere", "capsule", "circle", "polygon", "box", "cylinder", *_THIN)
"""So that one function tells of a pair in either order."""
_PARALLEL: Final = 1e-7
"""The sine of an angle below which two edges are parallel."""
NOWHERE: Final = -1.0
"""They do not overlap, or their faces tell by themselves."""


@final
@dataclass(frozen=True)
class StandingShape:
    """A shape in numbers: its place, its axes (one a row) and its sizes, all along the axes of one frame."""

    shape: Shape
    place: Numbers
    axes: Numbers
    sizes: dict[str, float]

    @property
    def kind(self) -> str:
        return self.shape.kind

    @property
    def radius(self) -> float:
        """How far it is around its middle, or around its axis."""
        return self.sizes.get("radius", 0.0)

    def at(self, *components: float) -> Numbers:
        """The place with some coordinates along its own axes."""
        moved: Numbers = self.place + np.array(components) @ self.axes[: len(components)]
        return moved

    @property
    def corners(self) -> list[Numbers]:
        """Its places x1, y1, x2, ...: corners of a polygon, ends of a segment, joints of a track."""
        count = sum(name[0] == "x" and name[1:].isdigit() for name in self.sizes)
        return [self.at(self.sizes[f"x{k}"], self.sizes[f"y{k}"]) for k in range(1, count + 1)]

    @property
    def axis(self) -> StraightStroke:
        """The axis of a capsule; of a ball or a point its middle."""
        half = 0.5 * self.sizes.get("length", 0.0)
        return StraightStroke(self.at(0.0, 0.0, -half), self.at(0.0, 0.0, half))


def may_overlap_unseen(first: str, second: str) -> bool:
    """Whether shapes of two kinds can overlap where no face of either sees the other.

    >>> may_overlap_unseen("circle", "segment"), may_overlap_unseen("circle", "line")
    (True, False)
    """
    one, other = sorted((first, second), key=lambda kind: _ORDER.index(kind) if kind in _ORDER else len(_ORDER))
    if other in _THIN:
        return one in ("circle", "polygon", *_THIN)
    solid = {"polygon": ("circle", "polygon"), "box": (*_ROUNDED, "box"), "cylinder": ("point", "sphere")}
    return one in solid.get(other, ())


def overlap_depth(first: StandingShape, second: StandingShape) -> float:
    """How deep two shapes overlap where the faces of one do not see the other; negative where they do not.

    >>> from detent import System
    >>> ground = System("example").ground
    >>> axes = np.eye(3)
    >>> wall = StandingShape(ground.segment((0, 0), (2, 0)), np.zeros(3), axes, {"x1": 0, "y1": 0, "x2": 2, "y2": 0})
    >>> across = StandingShape(ground.circle(0.5), np.array([1.0, -0.2, 0.0]), axes, {"radius": 0.5})
    >>> behind = StandingShape(ground.circle(0.5), np.array([1.0, -0.6, 0.0]), axes, {"radius": 0.5})
    >>> [round(overlap_depth(disk, wall), 9) for disk in (across, behind)]
    [0.3, -0.1]
    """
    if not may_overlap_unseen(first.kind, second.kind):
        return NOWHERE
    one, other = sorted((first, second), key=_order)
    if other.kind in _THIN:
        return _across(one, other)
    if one.kind == "box":
        return _box_in_box(one, other)
    if other.kind == "box":
        depth = one.axis.depth(_box_sides(other))
        return depth + one.radius if depth > 0.0 else NOWHERE
    if other.kind == "cylinder":
        return _ball_in_cylinder(one, other)
    return _disk_in_polygon(one, other) if one.kind == "circle" else _polygon_in_polygon(one, other)


def _order(shape: StandingShape) -> tuple[int, tuple[float, ...]]:
    """By kind; of one kind by where they are and their sizes, so that rounding is the same whichever is the first."""
    return _ORDER.index(shape.kind), (*shape.place, *shape.axes.ravel(), *shape.sizes.values())


def _across(one: StandingShape, thin: StandingShape) -> float:
    """How far a shape lies across a thin one."""
    if isinstance(thin.shape, Arc) and thin.shape.whole and not thin.shape.inside:
        return NOWHERE  # it is solid, and its face looks all round
    strokes = _strokes(thin)
    if one.kind == "circle":
        return one.radius - min(stroke.distance(one.place[:2]) for stroke in strokes)
    if one.kind == "polygon":
        return max(stroke.depth(_polygon_sides(one)) for stroke in strokes)
    return max(crossing_depth(stroke, other) for stroke in _strokes(one) for other in strokes)


def _disk_in_polygon(disk: StandingShape, polygon: StandingShape) -> float:
    """A disk that has its middle inside has no side in front of it."""
    depth = min(level - float(normal @ disk.place[:2]) for normal, level in _polygon_sides(polygon))
    return depth + disk.radius if depth > 0.0 else NOWHERE


def _polygon_in_polygon(one: StandingShape, other: StandingShape) -> float:
    """By separating axes."""
    pairs = (_polygon_sides(one), other.corners), (_polygon_sides(other), one.corners)
    apart = [
        min(float(normal @ corner[:2]) for corner in corners) - level
        for sides, corners in pairs
        for normal, level in sides
    ]
    return -max(apart)


def _box_in_box(one: StandingShape, other: StandingShape) -> float:
    """By separating axes: the normals of all faces, and what is across an edge of each."""
    edges = [np.cross(a, b) for a in one.axes for b in other.axes]
    across = [edge / size for edge in edges if (size := float(np.linalg.norm(edge))) > _PARALLEL]
    apart = [
        abs(float(axis @ (one.place - other.place))) - sum(_reach(box, axis) for box in (one, other))
        for axis in (*one.axes, *other.axes, *across)
    ]
    return -max(apart)


def _reach(box: StandingShape, axis: Numbers) -> float:
    """How far a box reaches from its middle along a direction."""
    half = 0.5 * np.array([box.sizes[f"length {letter}"] for letter in "xyz"])
    return float(half @ np.abs(box.axes @ axis))


def _ball_in_cylinder(ball: StandingShape, cylinder: StandingShape) -> float:
    away = cylinder.axes @ (ball.place - cylinder.place)
    depth = min(cylinder.radius - float(np.hypot(*away[:2])), 0.5 * cylinder.sizes["length"] - abs(float(away[2])))
    return depth + ball.radius if depth > 0.0 else NOWHERE


def _polygon_sides(polygon: StandingShape) -> list[HalfSpace]:
    corners = [corner[:2] for corner in polygon.corners]
    sides = []
    for start, end in zip(corners, [*corners[1:], corners[0]], strict=True):
        way = (end - start) / np.linalg.norm(end - start)
        normal = np.array([way[1], -way[0]])
        sides.append((normal, float(normal @ start)))
    return sides


def _box_sides(box: StandingShape) -> list[HalfSpace]:
    sides = []
    for axis, letter in zip(box.axes, "xyz", strict=True):
        half, at = 0.5 * box.sizes[f"length {letter}"], float(axis @ box.place)
        sides += [(axis, at + half), (-axis, half - at)]
    return sides


def _strokes(thin: StandingShape) -> list[Stroke]:
    """What a thin shape consists of."""
    if thin.kind == "arc":
        return [_arc(thin, thin.place[:2], "")]
    joints = [joint[:2] for joint in thin.corners]
    bends = thin.shape.bends if isinstance(thin.shape, Track) else (Bend.STRAIGHT,)
    made: list[Stroke] = []
    for number, bend in enumerate(bends, 1):
        if bend is Bend.STRAIGHT:
            made.append(StraightStroke(joints[number - 1], joints[number]))
        else:
            center = thin.at(thin.sizes[f"center x {number}"], thin.sizes[f"center y {number}"])
            made.append(_arc(thin, center[:2], f" {number}"))
    return made


def _arc(thin: StandingShape, center: Numbers, which: str) -> ArcStroke:
    radius, middle, half = (thin.sizes[f"{word}{which}"] for word in ("radius", "middle", "half"))
    turned = float(np.arctan2(thin.axes[0, 1], thin.axes[0, 0]))
    return ArcStroke(center, radius, middle + turned, half)
