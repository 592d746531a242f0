"""How parametric curves touch: the nearest point is a coordinate that a run keeps track of.

The equations that hold where curve and other feature are nearest are those that stay regular when the gap closes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from detent.contact.bumps import Bump, bumps_of, left_out_of
from detent.contact.caps import Cap
from detent.contact.geometry import Course, Domain, Facing, FollowedCoordinate, Nearness, Touch, named
from detent.contact.lengths import length, length_within
from detent.contact.levels import facing_face
from detent.contact.parametric import point_on, slope
from detent.contact.placed import Placed
from detent.contact.plane_features import Hollow, Round, Straight, corner, plane_features
from detent.contact.plane_pairs import (
    less,
    round_in_hollow,
    round_on_round,
    round_on_straight,
    toward,
    turned,
    within,
)
from detent.errors import DetentError
from detent.expr import operation as op
from detent.expr import vector3
from detent.expr.derivative import partial
from detent.expr.graph import Graph, Node
from detent.expr.substitute import substitute
from detent.expr.vector3 import Vector3
from detent.model.parametric_shapes import Curve

_ROUND: Final = 6.2
"""A curve that turns by more than this, rad, sticks out all round."""
_SLACK: Final = 1e-6
"""The part of a bump by which the point of it that is parallel to a face may be off within a step, where it bends so
that on all of the way round it would turn by 1 rad. The height of that point above the face is stationary, so it is
right to the square of this; at more and less bent places the coordinate may be off by less and more
(:mod:`detent.solves.slack_kernel`)."""
_FLAT: Final = 0.01
"""What sticks out all round and bends somewhere by less than this part of what it does on average has a flat there."""


def curve_touches(first: Placed, second: Placed) -> Iterator[Touch]:
    """Every place where a curve and another planar shape, or two curves, may touch."""
    drawn = [*_is_drawn(first), *_is_drawn(second)]
    for touch in _touches(first, second):
        yield replace(touch, domain=(*touch.domain, *drawn))


def _is_drawn(placed: Placed) -> Iterator[Domain]:
    """What is not negative where a curve that is drawn during a run is drawn."""
    if isinstance(placed.shape, Curve) and placed.shape.is_drawn is not None:
        yield Domain("drawn", placed.place[0].graph.leaf(placed.shape.is_drawn.name) - 0.5)


def _touches(first: Placed, second: Placed) -> Iterator[Touch]:
    if isinstance(first.shape, Curve) and isinstance(second.shape, Curve):
        yield _curve_on_curve(first, second)
        for end in _ends(first):
            yield _round_on_curve(f"first {end.name}", end, second)
        for end in _ends(second):
            yield _round_on_curve(f"second {end.name}", end, first).reversed()
    elif isinstance(second.shape, Curve):
        yield from _on_curve(first, second)
    else:
        yield from (touch.reversed() for touch in _on_curve(second, first))


def _on_curve(other: Placed, curve: Placed) -> Iterator[Touch]:
    features, ends = plane_features(other), _ends(curve)
    side = "side" if ends else ""
    for ball in features.rounds:
        yield _round_on_curve(named(ball.name, "on", side), ball, curve)
        for end in ends:
            yield from round_on_round(named(ball.name, "on", end.name), ball, end)
    for face in features.straights:
        yield from _straight_on_curve(face, curve)
        for end in [*(_seen_with_tail(curve, end) for end in ends), *_tails(curve)]:
            yield from turned(round_on_straight(named(face.name, "under", end.name), end, face))
    for hollow in features.hollows:
        yield from _hollow_around_curve(named(hollow.name, "around", side), hollow, curve)
        for end in ends:
            yield from turned(round_in_hollow(named(hollow.name, "around", end.name), end, hollow))


@dataclass(frozen=True)
class _Spot:
    """A point of a curve: the coordinate that tells it, the point, the first and second slope, the unit normal."""

    coordinate: Node
    point: Vector3
    way: Vector3
    bend: Vector3
    normal: Vector3
    lowest: Node
    highest: Node
    domain: tuple[Domain, ...]
    comes_back: bool = False
    """Whether it looks at its end the way it does at its start, though it has a domain."""
    across: Vector3 | None = None
    """Along the normal, as long as the way."""
    slack: float = 0.0
    """By how much its coordinate may be off within a step."""

    @property
    def span(self) -> Node:
        return self.highest - self.lowest

    def followed(self, equation: Node) -> FollowedCoordinate:
        return FollowedCoordinate(
            self.coordinate, equation, self.lowest, self.highest, self.normal, self.comes_back or not self.domain,
            self.slack,
        )  # fmt: skip


def _spot(curve: Placed, feature: str, caps: Sequence[Cap] = ()) -> _Spot:
    assert isinstance(curve.shape, Curve)
    graph: Graph = curve.place[0].graph
    coordinate = graph.leaf(curve.coordinate(str(curve.shape.parameter), feature))
    return _spot_at(curve, coordinate, caps)


def _spot_at(curve: Placed, coordinate: Node, caps: Sequence[Cap]) -> _Spot:
    """A point of a curve; where that is flat, of its caps."""
    assert isinstance(curve.shape, Curve)
    assert curve.course is not None
    x, y = curve.course(coordinate)
    for cap in caps:
        x, y = cap.put_on(coordinate, x, y)
    point = point_on(curve.place, curve.axes, (x, y))
    way = slope(point, coordinate)
    lowest, highest = curve.sizes["lowest"], curve.sizes["highest"]
    left = vector3.scale(1.0 / length(way), vector3.cross(curve.axes[2], way))
    span = highest - lowest
    ends = (Domain("start", coordinate - lowest, span), Domain("end", highest - coordinate, span))
    domain = () if curve.shape.closed else ends
    normal = vector3.negate(left) if curve.shape.turned else left
    return _Spot(coordinate, point, way, slope(way, coordinate), normal, lowest, highest, domain)


def _going_on_straight(curve: Placed, spot: _Spot) -> _Spot:
    """A curve that goes on straight beyond its ends: what is nearest to there is followed until it comes back."""
    assert isinstance(curve.shape, Curve)
    if curve.shape.closed or curve.shape.straight_beyond:
        return spot
    graph, s = spot.coordinate.graph, spot.coordinate
    at = graph.function2(op.MINIMUM, graph.function2(op.MAXIMUM, s, spot.lowest), spot.highest)
    point, way, bend, normal = (_put(each, s, at) for each in (spot.point, spot.way, spot.bend, spot.normal))
    beyond = graph.function2(op.LESS, s, spot.lowest) + graph.function2(op.LESS, spot.highest, s)
    x, y, z = (graph.select(beyond, graph.zero, part) for part in bend)
    return replace(spot, point=vector3.add(point, vector3.scale(s - at, way)), way=way, bend=(x, y, z), normal=normal)


def _ends(curve: Placed) -> list[Round]:
    """The ends of a curve that is not closed, as corners."""
    assert isinstance(curve.shape, Curve)
    if curve.shape.closed:
        return []
    spot = _spot(curve, "end")
    made = []
    for name, at in (("start", spot.lowest), ("end", spot.highest)):
        place, way = ((_put(each, spot.coordinate, at)) for each in (spot.point, spot.way))
        along = vector3.scale(1.0 / length(way), way)
        made.append(corner(name, place, None, along) if name == "start" else corner(name, place, along, None))
    return made


def _tails(curve: Placed) -> Iterator[Round]:
    """Where a bump ends because the rest of the curve is all but straight: a corner of as little as it turns there."""
    assert isinstance(curve.shape, Curve)
    spot = _spot(curve, "end")
    graph = spot.coordinate.graph

    def way(at: Node) -> Vector3:
        slope = _put(spot.way, spot.coordinate, at)
        return vector3.scale(1.0 / length(slope), slope)

    for bump in bumps_of(curve.shape) or ():
        if bump.tails[0]:
            at = graph.constant(bump.lowest)
            yield corner("tail at start", _put(spot.point, spot.coordinate, at), way(spot.lowest), way(at))
        if bump.tails[1]:
            at = graph.constant(bump.highest)
            yield corner("tail at end", _put(spot.point, spot.coordinate, at), way(at), way(spot.highest))


def _seen_with_tail(curve: Placed, end: Round) -> Round:
    """An end of a curve as a face on the tail before it sees it: turned out by twice as much as that turns."""
    assert isinstance(curve.shape, Curve)
    left = left_out_of(curve.shape)
    at = curve.shape.lowest if end.name == "start" else curve.shape.highest
    turning = max((part.turning for part in left if float(at) in (part.start, part.end)), default=0.0)
    if turning == 0.0:
        return end
    return replace(end, limits=tuple(replace(each, cosine=each.cosine - 2.0 * turning) for each in end.limits))


def _put(vector: Vector3, leaf: Node, value: Node) -> Vector3:
    x, y, z = (substitute(each, {leaf: value}) for each in vector)
    return (x, y, z)


def _round_on_curve(name: str, ball: Round, curve: Placed) -> Touch:
    """(p - c) . c' = 0; nearest, not farthest, while 1 - (p - c) . c'' / c' . c' > 0."""
    spot = _going_on_straight(curve, _spot(curve, name))
    away = vector3.subtract(ball.center, spot.point)
    equation = vector3.dot(away, spot.way)
    nearest = 1.0 - vector3.dot(away, spot.bend) / vector3.dot(spot.way, spot.way)
    height = vector3.dot(away, spot.normal)
    facing = _round_facing(curve, spot, ball.center, ball.radius)
    nearness = Nearness(vector3.dot(away, away), (nearest,), facing=facing)
    limits = within(ball.limits, vector3.negate(spot.normal))
    if limits and ball.radius is None:
        allowed = _turned_out(curve, spot)
        limits = [replace(limit, node=limit.node + allowed) for limit in limits] if allowed is not None else limits
    domain = [*spot.domain, *limits]
    domain += [] if ball.radius is None else [Domain("front", height)]
    return Touch(
        name, less(height, ball.radius), spot.normal, toward(ball, spot.normal, -1), spot.point, tuple(domain),
        followed=(spot.followed(equation),), nearness=nearness,
    )  # fmt: skip


def _turned_out(curve: Placed, spot: _Spot) -> Node | None:
    """By what angle a corner of a face may be turned out of its cone: where a part of the curve is left out of its
    bumps by twice as much as that turns, and less and less beside it; None where nothing is left out."""
    assert isinstance(curve.shape, Curve)
    graph, most = spot.coordinate.graph, None
    for part in left_out_of(curve.shape):
        middle, half = 0.5 * (part.start + part.end), 0.5 * (part.end - part.start)
        period = float(curve.shape.highest) - float(curve.shape.lowest)
        away = spot.coordinate - middle
        if curve.shape.closed:
            away = _around(spot.coordinate, middle, period) - middle
        beside = 2.0 - (1.0 / half) * graph.function(op.ABSOLUTE, away)
        inside = graph.function2(op.MINIMUM, graph.function2(op.MAXIMUM, beside, 0.0), 1.0)
        allowed = (2.0 * part.turning) * inside
        most = allowed if most is None else graph.function2(op.MAXIMUM, most, allowed)
    return most


def _straight_on_curve(face: Straight, curve: Placed) -> Iterator[Touch]:
    """A face on every bump of a curve; on one that sticks out all round, or whose bumps are not known, on all of it."""
    assert isinstance(curve.shape, Curve)
    bumps, side = bumps_of(curve.shape), "" if curve.shape.closed else "side"
    whole = bumps is not None and len(bumps) == 1 and bumps[0].turning > _ROUND
    if whole or (bumps is None and (curve.shape.closed or face.length is None)):
        name = named(face.name, "on", side)
        spot = _spot(curve, name, bumps[0].caps if bumps else ())
        if whole and bumps is not None and bumps[0].flattest < _FLAT:
            spot = replace(spot, slack=_SLACK * (bumps[0].highest - bumps[0].lowest))
        touch = _face_on_spot(name, face, spot, whole and curve.shape.closed)
        facing = facing_face(curve, _course(curve, spot), face.start, face.normal)
        assert touch.nearness is not None
        yield touch if whole else replace(touch, nearness=replace(touch.nearness, facing=facing))
        return
    if bumps is None:
        raise DetentError(
            "how a face with ends lies on this curve is not known, since its expressions hold parameters; give it "
            "numbers, or give points or circles at the corners instead"
        )
    for number, bump in enumerate(bumps, 1):
        name = named(face.name, "on", side if len(bumps) == 1 else f"bump {number}")
        yield _face_on_spot(name, face, _turning_on(curve, _spot(curve, name, bump.caps), bump), True)


def _face_on_spot(name: str, face: Straight, spot: _Spot, lasting: bool) -> Touch:
    """The point of a curve where it is parallel to a face, c' . n = 0, and bends away from it, c'' . n > 0.

    There it looks against the face; no other point of a curve that sticks out all along does: if there is one for every
    direction it is ``lasting``.
    """
    height = vector3.dot(vector3.subtract(spot.point, face.start), face.normal)
    along = vector3.dot(vector3.subtract(spot.point, face.start), face.along)
    against = vector3.dot(spot.normal, face.normal)
    # Not of length one: where a bump's point goes over from one end to the other, bounds of that would divide by zero.
    front = against if spot.across is None else vector3.dot(spot.across, face.normal)
    domain = [*spot.domain, Domain("front", -front)]
    if face.length is not None:
        size = face.length
        domain += [Domain("edge start", along, size), Domain("edge end", face.length - along, size)]
        for other in face.others:  # of a polygon it is on the edge above which it is highest
            above = vector3.dot(vector3.subtract(spot.point, other.start), other.normal)
            domain.append(Domain(other.name, height - above, size).sharp)
    on_face = vector3.subtract(spot.point, vector3.scale(height, face.normal))
    followed = spot.followed(vector3.dot(spot.way, face.normal))
    nearest = vector3.dot(spot.bend, face.normal) * spot.span / length(spot.way)
    return Touch(
        name, height, vector3.negate(face.normal), on_face, spot.point, tuple(domain), followed=(followed,),
        nearness=Nearness(1.0 + against if spot.comes_back else height, (nearest,), lasting=lasting),
        thin=face.length is not None and not face.solid,
    )  # fmt: skip


def _turning_on(curve: Placed, spot: _Spot, bump: Bump) -> _Spot:
    """A bump that beyond its ends goes on to turn, at its end, until it looks the way it did at its start.

    So one point of it is parallel to a face however that is turned, and how often; where it is beyond the ends nothing
    touches.
    """
    assert isinstance(curve.shape, Curve)
    graph, coordinate = spot.coordinate.graph, spot.coordinate
    first, last, turning = bump.followed
    lowest, highest = graph.constant(first), graph.constant(last)
    rate = turning / (last - first)
    sense = 1.0 if curve.shape.turned else -1.0
    s = _around(coordinate, 0.5 * (first + last), 2.0 * math.pi / rate)
    at = graph.function2(op.MINIMUM, graph.function2(op.MAXIMUM, s, lowest), highest)
    point, way, bend = (_put(each, coordinate, at) for each in (spot.point, spot.way, spot.bend))
    angle = (sense * rate) * (s - at)
    cosine, sine = graph.function(op.COS, angle), graph.function(op.SIN, angle)
    across = vector3.cross(curve.axes[2], way)
    turned_way = vector3.add(vector3.scale(cosine, way), vector3.scale(sine, across))
    turned_across = vector3.subtract(vector3.scale(cosine, across), vector3.scale(sine, way))
    beyond = graph.function2(op.LESS, s, lowest) + graph.function2(op.LESS, highest, s)
    x, y, z = (
        graph.select(beyond, (sense * rate) * part, bending) for part, bending in zip(turned_across, bend, strict=True)
    )
    left = vector3.scale(1.0 / length(way), turned_across)
    normal = vector3.negate(left) if curve.shape.turned else left
    outward = vector3.negate(turned_across) if curve.shape.turned else turned_across
    # Halfway round behind the bump the point goes over from one end to the other: this is sure to be negative there.
    behind = graph.function(op.COS, rate * (coordinate - 0.5 * (first + last)))
    behind = behind - math.cos(0.5 * (0.5 * turning + math.pi))
    size = graph.constant(bump.highest - bump.lowest)
    ends = zip(("start", "end"), (s - bump.lowest, bump.highest - s), bump.goes_on, strict=True)
    domain = (*(Domain(name, inside, size if goes_on else None) for name, inside, goes_on in ends),
              Domain("behind", behind))  # fmt: skip
    around = graph.constant(first + 2.0 * math.pi / rate)
    return replace(
        spot, point=point, way=turned_way, bend=(x, y, z), normal=normal, lowest=lowest, highest=around, domain=domain,
        comes_back=True, across=outward, slack=_SLACK * (bump.highest - bump.lowest),
    )  # fmt: skip


def _around(value: Node, middle: float, period: float) -> Node:
    """A value less as many periods as bring it within half a period of the middle."""
    graph = value.graph
    angle = (2.0 * math.pi / period) * (value - middle)
    turned_back = graph.function2(op.ATAN2, graph.function(op.SIN, angle), graph.function(op.COS, angle))
    return middle + (period / (2.0 * math.pi)) * turned_back


def _hollow_around_curve(name: str, hollow: Hollow, curve: Placed) -> Iterator[Touch]:
    """The point of a closed curve that is farthest from the centre of a hollow: (c - p) . c' = 0."""
    assert isinstance(curve.shape, Curve)
    if not curve.shape.closed:
        raise DetentError(
            "how a curve with ends lies in a hollow is not known; give a closed one, or points and circles instead"
        )
    spot = _spot(curve, name)
    away = vector3.subtract(spot.point, hollow.center)
    out = length_within(away, hollow.radius)
    outward = vector3.scale(1.0 / out, away)
    farthest = -1.0 - vector3.dot(away, spot.bend) / vector3.dot(spot.way, spot.way)
    on_hollow = vector3.add(hollow.center, vector3.scale(hollow.radius, outward))
    domain = [*within(hollow.limits, outward), Domain("front", vector3.dot(spot.normal, outward))]
    facing = _round_facing(curve, spot, hollow.center, -hollow.radius)  # it touches where the normals are the same
    yield Touch(
        name, hollow.radius - out, outward, on_hollow, spot.point, tuple(domain),
        followed=(spot.followed(vector3.dot(away, spot.way)),),
        nearness=Nearness(-vector3.dot(away, away), (farthest,), facing=facing),
    )  # fmt: skip


def _curve_on_curve(first: Placed, second: Placed) -> Touch:
    """c1' . n2 = 0 and (c1 - c2) . c2' = 0: parallel, and one above the other.

    With curvatures k1, k2 and the gap g they are nearest there while k1 + k2 + g k1 k2 > 0 and 1 + g k2 > 0.
    """
    one, other = _spot(first, "first"), _spot(second, "second")
    away = vector3.subtract(one.point, other.point)
    parallel, above = vector3.dot(one.way, other.normal), vector3.dot(away, other.way)
    facing, gap = -vector3.dot(one.normal, other.normal), vector3.dot(away, other.normal)
    k1, k2 = _curvature(one), _curvature(other)
    bends = (k1 + k2 + gap * k1 * k2) * one.span * length(one.way)
    nearness = Nearness(vector3.dot(away, away), (bends, 1.0 + gap * k2), facing=_facing(first, second, one, other))
    domain = [
        *(replace(limit, name=f"first {limit.name}") for limit in one.domain),
        *(replace(limit, name=f"second {limit.name}") for limit in other.domain),
        Domain("front", facing),
    ]
    return Touch(
        "", gap, other.normal, one.point, other.point, tuple(domain),
        followed=(one.followed(parallel), other.followed(above)), nearness=nearness,
    )  # fmt: skip


def _facing(first: Placed, second: Placed, one: _Spot, other: _Spot) -> Facing:
    """Both curves along their own axes, and how the first stands to the second."""
    x, y, _ = second.seen(first.place)
    axes = [vector3.dot(mine, its) for mine in first.axes[:2] for its in second.axes[:2]]
    return Facing((x, y, *axes), (x, y), tuple(axes[:2]), courses=(_course(first, one), _course(second, other)))


def _round_facing(curve: Placed, spot: _Spot, middle: Vector3, offset: Node | None) -> Facing:
    """A curve along its own axes, and the middle of what is round, which is ``offset`` from points that it touches."""
    (x, y, _), graph = curve.seen(middle), spot.coordinate.graph
    course = replace(_course(curve, spot), offset=offset, straight=bool(spot.domain))
    return Facing((x, y, graph.one, graph.zero, graph.zero, graph.one), (x, y), courses=(course,))


def _course(curve: Placed, spot: _Spot) -> Course:
    assert isinstance(curve.shape, Curve)
    assert curve.course is not None
    x, y = curve.course(spot.coordinate)
    across, up = partial(x, spot.coordinate), partial(y, spot.coordinate)
    along = spot.coordinate.graph.function(op.SQRT, across * across + up * up)
    left = (-up / along, across / along)
    normal = (-left[0], -left[1]) if curve.shape.turned else left
    return Course(spot.coordinate, (x, y), normal, spot.lowest, spot.highest, curve.shape.closed)


def _curvature(spot: _Spot) -> Node:
    """How much a curve bends away from its face: positive where it sticks out."""
    square = vector3.dot(spot.way, spot.way)
    return -vector3.dot(spot.bend, spot.normal) / square
