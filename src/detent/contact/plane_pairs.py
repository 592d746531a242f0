"""How features of planar shapes touch: round on straight, round on round, round in hollow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from detent.contact.geometry import Domain, Touch, named, without_certain
from detent.contact.lengths import length, length_within
from detent.contact.placed import Placed
from detent.contact.plane_features import Hollow, Limit, Round, Straight, plane_features
from detent.contact.space_features import Ball
from detent.expr import vector3
from detent.expr.graph import Node
from detent.expr.vector3 import Vector3


def plane_touches(first: Placed, second: Placed) -> Iterator[Touch]:
    """Every place where two planar shapes may touch."""
    one, other = plane_features(first), plane_features(second)
    for ball in one.rounds:
        for face in other.straights:
            yield from round_on_straight(named(ball.name, "on", face.name), ball, face)
        for hollow in other.hollows:
            yield from round_in_hollow(named(ball.name, "on", hollow.name), ball, hollow)
        for touched in other.rounds:
            yield from round_on_round(named(ball.name, "on", touched.name), ball, touched)
    for ball in other.rounds:
        for face in one.straights:
            yield from turned(round_on_straight(named(face.name, "under", ball.name), ball, face))
        for hollow in one.hollows:
            yield from turned(round_in_hollow(named(hollow.name, "around", ball.name), ball, hollow))


def turned(touches: Iterable[Touch]) -> Iterator[Touch]:
    """The same with first and second exchanged."""
    yield from (touch.reversed() for touch in touches)


def round_on_straight(name: str, ball: Round, face: Straight) -> Iterator[Touch]:
    """A disk, a part of one or a corner on a straight face."""
    away = vector3.subtract(ball.center, face.start)
    height = vector3.dot(away, face.normal)
    domain = _along_face(away, height, ball, face)
    if ball.radius is not None:
        domain += within(ball.limits, vector3.negate(face.normal))
    foot = vector3.subtract(ball.center, vector3.scale(height, face.normal))
    gap, on_ball = less(height, ball.radius), toward(ball, face.normal, -1)
    behind = not face.solid if ball.radius is None else ball.limits != ()
    thin = face.length is not None and behind
    yield Touch(name, gap, face.normal, on_ball, foot, without_certain(domain), thin=thin)


def _along_face(away: Vector3, height: Node, ball: Round, face: Straight) -> list[Domain]:
    """Where a face has ends: between them, and in front of it.

    A disk in front has its centre there. A point cannot be told from one that is behind, except on a polygon: there the
    edge that it is on is the one above which it is highest. A corner is on a face that has its own edges in front.
    """
    if face.length is None:
        return []
    along = vector3.dot(away, face.along)
    size = face.length if ball.radius is None else ball.radius
    ends = [Domain("start", along, size), Domain("end", face.length - along, size)]
    if ball.radius is not None:
        return [*ends, Domain("front", height)]
    domain = [end if goes_on else end.at_corner for end, goes_on in zip(ends, face.goes_on, strict=True)]
    for other in face.others:
        above = vector3.dot(vector3.subtract(ball.center, other.start), other.normal)
        domain.append(Domain(other.name, height - above, size).at_corner)
    return [*domain, *(limit.sharp for limit in within(ball.limits, vector3.negate(face.normal)))]


def round_on_round(name: str, ball: Round, touched: Round) -> Iterator[Touch]:
    """Two disks, parts of them, or a disk and a corner; nothing for two corners."""
    if ball.radius is None and touched.radius is None:
        return  # two corners have no normal
    away = vector3.subtract(ball.center, touched.center)
    apart = length(away)
    normal = vector3.scale(1.0 / apart, away)
    domain = [*within(ball.limits, vector3.negate(normal)), *within(touched.limits, normal)]
    for part, other in ((ball, touched), (touched, ball)):
        if part.radius is not None and part.limits and other.radius is not None:
            domain.append(Domain("front", apart * apart - part.radius * part.radius))
    gap = less(less(apart, ball.radius), touched.radius)
    on_ball, on_touched = toward(ball, normal, -1), toward(touched, normal, 1)
    thin = touched.limits != () if ball.radius is None else ball.limits != () and touched.radius is None
    thin = thin or (ball.limits != () and touched.limits != ())
    yield Touch(name, gap, normal, on_ball, on_touched, without_certain(domain), thin=thin)


def round_in_hollow(name: str, ball: Round, hollow: Hollow) -> Iterator[Touch]:
    """A disk, a part of one or a corner inside a circle."""
    away = vector3.subtract(ball.center, hollow.center)
    room = less(hollow.radius, ball.radius)
    out = length_within(away, room)
    outward = vector3.scale(1.0 / out, away)
    domain = within(hollow.limits, outward)
    if ball.radius is not None:
        domain += within(ball.limits, outward)
        if hollow.limits:
            domain.append(Domain("front", hollow.radius * hollow.radius - vector3.dot(away, away)))
    on_hollow = vector3.add(hollow.center, vector3.scale(hollow.radius, outward))
    inward, on_ball = vector3.negate(outward), toward(ball, outward, 1)
    thin = ball.radius is None and hollow.limits != ()
    yield Touch(name, room - out, inward, on_ball, on_hollow, without_certain(domain), thin=thin)


def within(limits: Iterable[Limit], direction: Vector3) -> list[Domain]:
    """That a direction is one in which a feature can be touched."""
    return [Domain(limit.name, vector3.dot(direction, limit.direction) - limit.cosine, limit.sine) for limit in limits]


def less(value: Node, radius: Node | None) -> Node:
    """A distance less a radius, if there is one."""
    return value if radius is None else value - radius


def toward(ball: Round | Ball, direction: Vector3, sign: float) -> Vector3:
    """The point of a round feature (plane or space) in a direction from its centre, or in the opposite one."""
    if ball.radius is None:
        return ball.center
    return vector3.add(ball.center, vector3.scale(sign * ball.radius, direction))
