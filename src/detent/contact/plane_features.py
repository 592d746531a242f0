"""What planar shapes are made of: round ones and points, straight ones, hollow ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final

from detent.contact.lengths import length
from detent.contact.placed import Placed
from detent.expr import operation as op
from detent.expr import vector3
from detent.expr.graph import Node
from detent.expr.vector3 import Vector3
from detent.model.plane_shapes import Arc, Circle, Line, Polygon, Segment
from detent.model.point_shape import PointShape
from detent.model.shape import Shape
from detent.model.track import Bend, Track


@dataclass(frozen=True)
class Limit:
    """A feature is touched only in directions m with m . direction >= cosine."""

    name: str
    direction: Vector3
    cosine: Node
    sine: Node


@dataclass(frozen=True)
class Round:
    """A disk, or a part of its edge; a point where ``radius`` is None: a corner, an end."""

    name: str
    center: Vector3
    radius: Node | None = None
    limits: tuple[Limit, ...] = ()


@dataclass(frozen=True)
class Hollow:
    """A part of a circle that is touched from inside, or all of it."""

    name: str
    center: Vector3
    radius: Node
    limits: tuple[Limit, ...] = ()


@dataclass(frozen=True)
class Straight:
    """A straight face: from a place along a unit vector, without ends where ``length`` is None."""

    name: str
    start: Vector3
    along: Vector3
    normal: Vector3
    length: Node | None = None
    others: tuple[Straight, ...] = ()
    """The other edges of the same polygon."""
    solid: bool = False
    """Whether there is a body behind it."""
    goes_on: tuple[bool, bool] = (False, False)
    """Whether at its start, and at its end, another face goes on with the same normal."""


@dataclass(frozen=True)
class PlaneFeatures:
    """All features of one shape."""

    rounds: tuple[Round, ...] = ()
    straights: tuple[Straight, ...] = ()
    hollows: tuple[Hollow, ...] = field(default=())


def plane_features(shape: Placed) -> PlaneFeatures:
    """What a planar shape is made of."""
    return _FEATURES[type(shape.shape)](shape)


def straight(name: str, shape: Placed, start: Vector3, end: Vector3) -> Straight:
    """The face on the left of the way from one place to another."""
    way = vector3.subtract(end, start)
    long = length(way)
    along = vector3.scale(1.0 / long, way)
    return Straight(name, start, along, vector3.cross(shape.axes[2], along), long)


def corner(name: str, place: Vector3, before: Vector3 | None, after: Vector3 | None) -> Round:
    """A point where one edge arrives along a direction and another leaves; None where there is no edge."""
    zero, one = place[0].graph.zero, place[0].graph.one
    limits = [] if before is None else [Limit("edge before", before, zero, one)]
    limits += [] if after is None else [Limit("edge after", vector3.negate(after), zero, one)]
    return Round(name, place, None, tuple(limits))


def arc_limit(shape: Placed, middle: Node, half: Node) -> Limit:
    """The directions from the centre of an arc to its points."""
    graph = middle.graph
    direction = shape.along(graph.function(op.COS, middle), graph.function(op.SIN, middle))
    return Limit("range", direction, graph.function(op.COS, half), graph.function(op.SIN, half))


# -- one kind after another -------------------------------------------------------------------


def _point(shape: Placed) -> PlaneFeatures:
    return PlaneFeatures(rounds=(Round("", shape.place),))


def _circle(shape: Placed) -> PlaneFeatures:
    return PlaneFeatures(rounds=(Round("", shape.place, shape.sizes["radius"]),))


def _line(shape: Placed) -> PlaneFeatures:
    return PlaneFeatures(straights=(Straight("", shape.place, shape.axes[0], shape.axes[1]),))


def _segment(shape: Placed) -> PlaneFeatures:
    start, end = _corners(shape, 2)
    face = straight("side", shape, start, end)
    ends = corner("start", start, None, face.along), corner("end", end, face.along, None)
    return PlaneFeatures(rounds=ends, straights=(face,))


def _polygon(shape: Placed) -> PlaneFeatures:
    assert isinstance(shape.shape, Polygon)
    places = _corners(shape, len(shape.shape.corners))
    edges = [  # clockwise, so that the face is on the left, which is outside
        straight(f"edge {number}", shape, following, place)
        for number, (place, following) in enumerate(zip(places, [*places[1:], places[0]], strict=True), 1)
    ]
    corners = [
        corner(f"corner {number + 1}", place, edges[number].along, edges[number - 1].along)
        for number, place in enumerate(places)
    ]
    among = [replace(edge, others=tuple(each for each in edges if each is not edge), solid=True) for edge in edges]
    return PlaneFeatures(rounds=tuple(corners), straights=tuple(among))


def _arc(shape: Placed) -> PlaneFeatures:
    assert isinstance(shape.shape, Arc)
    radius, middle, half = (shape.sizes[name] for name in ("radius", "middle", "half"))
    if shape.shape.whole:
        if shape.shape.inside:
            return PlaneFeatures(hollows=(Hollow("", shape.place, radius),))
        return PlaneFeatures(rounds=(Round("", shape.place, radius),))
    limits, ends = (arc_limit(shape, middle, half),), _arc_ends(shape, radius, middle, half)
    if shape.shape.inside:
        return PlaneFeatures(rounds=ends, hollows=(Hollow("side", shape.place, radius, limits),))
    return PlaneFeatures(rounds=(Round("side", shape.place, radius, limits), *ends))


def _arc_ends(shape: Placed, radius: Node, middle: Node, half: Node) -> tuple[Round, Round]:
    graph = radius.graph
    made = []
    for angle in (middle - half, middle + half):
        c, s = graph.function(op.COS, angle), graph.function(op.SIN, angle)
        made.append((shape.at(radius * c, radius * s), shape.along(-s, c)))
    (start, leaving), (end, arriving) = made
    return corner("start", start, None, leaving), corner("end", end, arriving, None)


def _track(shape: Placed) -> PlaneFeatures:
    assert isinstance(shape.shape, Track)
    track, joints = shape.shape, _corners(shape, len(shape.shape.joints))
    pieces = [_piece(shape, joints, number, bend) for number, bend in enumerate(track.bends)]
    after = {number: (number + 1) % len(pieces) for number in track.corners}
    corners = [
        corner(f"corner {number + 1}", joints[number + 1], pieces[number].leaving, pieces[following].arriving)
        for number, following in after.items()
    ]
    if not track.closed:
        corners += [corner("start", joints[0], None, pieces[0].arriving)]
        corners += [corner("end", joints[-1], pieces[-1].leaving, None)]
    faces = [piece.face for piece in pieces]
    straights = []
    for number, face in enumerate(faces):
        if isinstance(face, Straight):
            beside = [faces[other] for pair in after.items() if number in pair for other in pair if other != number]
            others = tuple(other for other in beside if isinstance(other, Straight))
            straights.append(replace(face, others=others, goes_on=_goes_on(track, number)))
    return PlaneFeatures(
        rounds=(*(face for face in faces if isinstance(face, Round)), *corners),
        straights=tuple(straights),
        hollows=tuple(face for face in faces if isinstance(face, Hollow)),
    )


def _goes_on(track: Track, number: int) -> tuple[bool, bool]:
    """Whether a track goes on before a piece, and after it, without a corner that sticks out."""
    first, last = number == 0 and not track.closed, number == len(track.bends) - 1 and not track.closed
    before = (number - 1) % len(track.bends)
    return not first and before not in track.corners, not last and number not in track.corners


@dataclass(frozen=True)
class _Piece:
    """A piece of a track, and the direction of the way at its start and at its end."""

    face: Straight | Round | Hollow
    arriving: Vector3
    leaving: Vector3


def _piece(shape: Placed, joints: list[Vector3], number: int, bend: Bend) -> _Piece:
    name = f"piece {number + 1}"
    if bend is Bend.STRAIGHT:
        face = straight(name, shape, joints[number], joints[number + 1])
        return _Piece(face, face.along, face.along)
    x, y, radius, middle, half = (
        shape.sizes[f"{word} {number + 1}"] for word in ("center x", "center y", "radius", "middle", "half")
    )
    graph, sense = middle.graph, 1.0 if bend is Bend.HOLLOW else -1.0
    ways = []
    for angle in (middle - sense * half, middle + sense * half):
        ways.append(shape.along(-sense * graph.function(op.SIN, angle), sense * graph.function(op.COS, angle)))
    kind = Hollow if bend is Bend.HOLLOW else Round
    return _Piece(kind(name, shape.at(x, y), radius, (arc_limit(shape, middle, half),)), ways[0], ways[1])


def _corners(shape: Placed, count: int) -> list[Vector3]:
    return [shape.at(shape.sizes[f"x{k}"], shape.sizes[f"y{k}"]) for k in range(1, count + 1)]


_FEATURES: Final[dict[type[Shape], Callable[[Placed], PlaneFeatures]]] = {
    PointShape: _point,
    Circle: _circle,
    Line: _line,
    Segment: _segment,
    Polygon: _polygon,
    Arc: _arc,
    Track: _track,
}
