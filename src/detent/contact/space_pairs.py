"""How features of shapes in space touch: a ball on anything, a rim on a plane."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import product
from typing import Final, TypeAlias

from detent.contact.flat_ends import face_on_plane, rim_on_plane
from detent.contact.geometry import MARGIN, Domain, Touch, named, without_certain
from detent.contact.lengths import length, length_within
from detent.contact.placed import Placed
from detent.contact.plane_pairs import less, toward
from detent.contact.space_features import Ball, Beside, Cavity, Edge, Flat, SpaceFeatures, Tube, space_features
from detent.expr import operation as op
from detent.expr import vector3
from detent.expr.graph import Node
from detent.expr.vector3 import Vector3


def space_touches(first: Placed, second: Placed) -> Iterator[Touch]:
    """Every place where two shapes in space may touch."""
    one, other = space_features(first), space_features(second)
    yield from _on(one, other, _over)
    yield from _ends_on(one, other, _over, first.label)
    for touched in other.balls:
        for ball in one.balls:
            yield from _ball_on_ball(_over(ball.name, touched.name), ball, touched)
    for tube in one.tubes:
        for crossed in other.tubes:
            yield from _tube_on_tube(_over(tube.name, crossed.name), tube, crossed)
    yield from (touch.reversed() for touch in _on(other, one, _under))
    yield from (touch.reversed() for touch in _ends_on(other, one, _under, first.label))


_Called: TypeAlias = Callable[[str, str], str]
"""The name of a place, of what is on it and what it is on: it begins with what belongs to the first shape."""


def _over(upper: str, lower: str) -> str:
    return named(upper, "on", lower)


def _under(upper: str, lower: str) -> str:
    return named(lower, "under", upper)


def _on(one: SpaceFeatures, other: SpaceFeatures, called: _Called) -> Iterator[Touch]:
    """What is round of one shape on what is not of the other."""
    for ball in one.balls:
        for flat in other.flats:
            yield from _ball_on_flat(called(ball.name, flat.name), ball, flat)
        for tube in other.tubes:
            yield from _ball_on_tube(called(ball.name, tube.name), ball, tube)
        for edge in other.edges:
            yield from _ball_on_edge(called(ball.name, edge.name), ball, edge)
        for cavity in other.cavities:
            yield from _ball_in_cavity(called(ball.name, cavity.name), ball, cavity)
    for edge in one.edges:
        for flat in other.flats:
            if edge.bare and flat.half is None and flat.radius is None:
                yield _edge_on_plane(called(edge.name, flat.name), edge, flat)
        for cavity in other.cavities:
            yield _edge_in_cavity(called(edge.name, cavity.name), edge, cavity)


def _ends_on(one: SpaceFeatures, other: SpaceFeatures, called: _Called, label: str) -> Iterator[Touch]:
    """The flat ends of one shape on a plane: the rims first, then the faces."""
    planes = [flat for flat in other.flats if flat.half is None and flat.radius is None]
    ends = [edge for edge in one.edges if not edge.bare]
    for edge, plane in product(ends, planes):
        yield rim_on_plane(called(edge.name, plane.name), label, edge, plane, swapped=called is _under)
    for edge, plane in product(ends, planes):
        yield face_on_plane(called(edge.name.replace("rim", "end"), plane.name), edge, plane)


def _ball_on_flat(name: str, ball: Ball, flat: Flat) -> Iterator[Touch]:
    away = vector3.subtract(ball.center, flat.center)
    height = vector3.dot(away, flat.normal)
    domain: list[Domain] = []
    size = height.graph.one
    if flat.half is not None:
        for side, half, tangent in zip(("first", "second"), flat.half, flat.tangents, strict=True):
            along = vector3.dot(away, tangent)
            size = half if ball.radius is None else ball.radius
            domain += [Domain(f"{side} start", half + along, size), Domain(f"{side} end", half - along, size)]
    if flat.radius is not None:
        across = [vector3.dot(away, tangent) for tangent in flat.tangents]
        square, size = flat.radius * flat.radius, flat.radius if ball.radius is None else ball.radius
        domain.append(Domain("rim", square - across[0] * across[0] - across[1] * across[1], 2.0 * flat.radius * size))
    domain = [limit.sharp for limit in domain] if ball.radius is None else domain
    domain += _in_front(ball, height, flat.others, size) if domain else []
    foot = vector3.subtract(ball.center, vector3.scale(height, flat.normal))
    on_ball = toward(ball, flat.normal, -1)
    yield Touch(name, less(height, ball.radius), flat.normal, on_ball, foot, without_certain(domain), flat.tangents)


def _in_front(ball: Ball, height: Node, others: Iterable[Beside], size: Node) -> list[Domain]:
    """A ball in front of a face has its centre there; a point is on the face above which it is highest."""
    if ball.radius is not None:
        return [Domain("front", height)]
    return [Domain(other.name, height - other.height(ball.center), size).sharp for other in others]


def _ball_on_tube(name: str, ball: Ball, tube: Tube) -> Iterator[Touch]:
    if ball.radius is None and tube.radius is None:
        return  # a corner and an edge have no normal
    away = vector3.subtract(ball.center, tube.center)
    along = vector3.dot(away, tube.axis)
    across = vector3.subtract(away, vector3.scale(along, tube.axis))
    # Beyond its ends what goes on over a corner of a box, or falls on the end of a rod, may be exactly on its axis.
    reach = [radius for radius in (ball.radius, tube.radius) if radius is not None]
    apart = length_within(across, away[0].graph.sum(reach))
    normal = vector3.scale(1.0 / apart, across)
    size = tube.half if ball.radius is None else ball.radius
    ends = [Domain("end 1", tube.half + along, size), Domain("end 2", tube.half - along, size)]
    domain = [end.sharp for end in ends] if ball.radius is None else ends
    domain += _toward_all("edge", tube.toward, normal)
    # Beyond this a capsule touches with its side, a box with an edge: what is held here would let that pass.
    domain += [
        _beside(limit, way, tube.axis)
        for limit, way in zip(_toward_all("round", ball.toward, vector3.negate(normal)), ball.toward, strict=True)
    ]
    if ball.radius is None:
        domain += _in_front(ball, less(apart, tube.radius), tube.others, size)
    axis_point = vector3.add(tube.center, vector3.scale(along, tube.axis))
    on_tube = axis_point if tube.radius is None else vector3.add(axis_point, vector3.scale(tube.radius, normal))
    gap = less(less(apart, ball.radius), tube.radius)
    tangents = (vector3.cross(normal, tube.axis), tube.axis)
    right_handed = (tangents[1], tangents[0])
    on_ball = toward(ball, normal, -1)
    yield Touch(name, gap, normal, on_ball, on_tube, without_certain(domain), right_handed)


def _ball_on_edge(name: str, ball: Ball, edge: Edge) -> Iterator[Touch]:
    """The nearest point of a circle is in the direction in which the ball is off its axis."""
    if ball.radius is None:
        return
    if edge.bare:
        yield _ball_on_ring(name, ball, ball.radius, edge)
        return
    away = vector3.subtract(ball.center, edge.center)
    height = vector3.dot(away, edge.axis)
    across = vector3.subtract(away, vector3.scale(height, edge.axis))
    out = length_within(across, edge.radius)
    on_edge = vector3.add(edge.center, vector3.scale(edge.radius / out, across))
    apart_vector = vector3.subtract(ball.center, on_edge)
    apart = length(apart_vector)
    normal = vector3.scale(1.0 / apart, apart_vector)
    domain = [Domain("above", height, ball.radius), Domain("outside", out - edge.radius, ball.radius)]
    yield Touch(name, apart - ball.radius, normal, toward(ball, normal, -1), on_edge, without_certain(domain))


def _ball_on_ring(name: str, ball: Ball, radius: Node, ring: Edge) -> Touch:
    """sqrt((rho - R)^2 + z^2) - r of a ball at rho and z from a circle; on its axis the ball touches all of it."""
    away = vector3.subtract(ball.center, ring.center)
    height = vector3.dot(away, ring.axis)
    across = vector3.subtract(away, vector3.scale(height, ring.axis))
    out = length_within(across, ring.radius)
    outward = vector3.scale(1.0 / out, across)
    beyond = out - ring.radius
    apart = height.graph.function(op.SQRT, beyond * beyond + height * height)
    sideways, up = vector3.scale(beyond / apart, outward), vector3.scale(height / apart, ring.axis)
    normal = vector3.add(sideways, up)
    on_ring = vector3.add(ring.center, vector3.scale(ring.radius, outward))
    lean = vector3.dot(across, across) / (ring.radius * ring.radius)
    return Touch(name, apart - radius, normal, toward(ball, normal, -1), on_ring, lean=lean)


def _ball_on_ball(name: str, ball: Ball, touched: Ball) -> Iterator[Touch]:
    if ball.radius is None and touched.radius is None:
        return  # two corners have no normal
    away = vector3.subtract(ball.center, touched.center)
    apart = length(away)
    normal = vector3.scale(1.0 / apart, away)
    domain = _toward_all("first", ball.toward, vector3.negate(normal))
    domain += _toward_all("second", touched.toward, normal)
    gap = less(less(apart, ball.radius), touched.radius)
    on_ball, on_touched = toward(ball, normal, -1), toward(touched, normal, 1)
    yield Touch(name, gap, normal, on_ball, on_touched, without_certain(domain))


def _ball_in_cavity(name: str, ball: Ball, cavity: Cavity) -> Iterator[Touch]:
    away = vector3.subtract(ball.center, cavity.center)
    room = less(cavity.radius, ball.radius)
    out = length_within(away, room)
    outward = vector3.scale(1.0 / out, away)
    on_cavity = vector3.add(cavity.center, vector3.scale(cavity.radius, outward))
    yield Touch(name, room - out, vector3.negate(outward), toward(ball, outward, 1), on_cavity)


def _edge_on_plane(name: str, edge: Edge, plane: Flat) -> Touch:
    """The lowest point of a circle; there is none where the circle is parallel to the plane.

    With a the circle's axis and n the plane's normal, it is down the slope a x (n x a) = n - (n . a) a.
    """
    slope = vector3.subtract(plane.normal, vector3.scale(vector3.dot(plane.normal, edge.axis), edge.axis))
    lean = vector3.cross(plane.normal, edge.axis)
    steep = length_within(lean, edge.radius.graph.one)  # while it flies it may well be parallel to the plane
    lowest = vector3.subtract(edge.center, vector3.scale(edge.radius / steep, slope))
    height = vector3.dot(vector3.subtract(edge.center, plane.center), plane.normal)
    gap = height - edge.radius * steep
    foot = vector3.subtract(lowest, vector3.scale(gap, plane.normal))
    return Touch(name, gap, plane.normal, lowest, foot, (), plane.tangents, lean=vector3.dot(lean, lean))


def _edge_in_cavity(name: str, edge: Edge, cavity: Cavity) -> Touch:
    """The point of a circle that is farthest from the centre of a hollow; there is none where that is on its axis."""
    away = vector3.subtract(edge.center, cavity.center)
    off = vector3.subtract(away, vector3.scale(vector3.dot(away, edge.axis), edge.axis))
    farthest = vector3.add(edge.center, vector3.scale(edge.radius / length_within(off, edge.radius), off))
    out = vector3.subtract(farthest, cavity.center)
    apart = length(out)
    outward = vector3.scale(1.0 / apart, out)
    on_cavity = vector3.add(cavity.center, vector3.scale(cavity.radius, outward))
    lean = vector3.dot(off, off) / (edge.radius * edge.radius)
    return Touch(name, cavity.radius - apart, vector3.negate(outward), farthest, on_cavity, lean=lean)


_PARALLEL: Final = 1e-14
"""The square of the sine of an angle below which two axes are parallel: then an end of one touches beside the other."""


def _tube_on_tube(name: str, tube: Tube, crossed: Tube) -> Iterator[Touch]:
    """Where two straight axes cross at a distance: along their common perpendicular."""
    if tube.radius is None and crossed.radius is None:
        return  # which side of two edges is outside, their faces say
    graph = tube.half.graph
    away, cross = vector3.subtract(tube.center, crossed.center), vector3.cross(tube.axis, crossed.axis)
    square, cosine = vector3.dot(cross, cross), vector3.dot(tube.axis, crossed.axis)
    first, second = vector3.dot(away, tube.axis), vector3.dot(away, crossed.axis)
    own, other = cosine * second - first, second - cosine * first  # along each axis, times the square of the sine
    sine = graph.function(op.SQRT, square + _PARALLEL * _PARALLEL)
    apart = vector3.dot(away, cross) / sine
    behind = graph.function2(op.LESS, apart, graph.zero)
    normal = vector3.scale(graph.select(behind, -1.0 / sine, 1.0 / sine), cross)
    domain = [Domain("crossing", square / _PARALLEL - 1.0)]  # of size one, for a gap means nothing where it is negative
    for word, half, along in (("first", tube.half * square, own), ("second", crossed.half * square, other)):
        domain += [Domain(f"{word} end 1", half + along, half), Domain(f"{word} end 2", half - along, half)]
    # A rod that lies across two edges of a face, or on the face with an end, lies where the cones of these edges end.
    edges = _toward_all("first edge", tube.toward, vector3.negate(normal))
    edges += _toward_all("second edge", crossed.toward, normal)
    domain += [edge.sharp for edge in edges]
    small = square + _PARALLEL * _PARALLEL
    on_tube = vector3.add(tube.center, vector3.scale(own / small, tube.axis))
    on_crossed = vector3.add(crossed.center, vector3.scale(other / small, crossed.axis))
    if tube.radius is not None:
        on_tube = vector3.subtract(on_tube, vector3.scale(tube.radius, normal))
    if crossed.radius is not None:
        on_crossed = vector3.add(on_crossed, vector3.scale(crossed.radius, normal))
    gap = less(less(graph.function(op.ABSOLUTE, apart), tube.radius), crossed.radius)
    yield Touch(name, gap, normal, on_tube, on_crossed, without_certain(domain))


def _beside(limit: Domain, way: Vector3, axis: Vector3) -> Domain:
    """A limit beyond which what goes along ``way`` touches with its side, not its end: only where it crosses an axis.

    What is parallel to it touches with its ends, exactly at that limit, where rounding must not let both go.
    """
    graph, across = limit.node.graph, vector3.cross(way, axis)
    parallel = 2.0 - vector3.dot(across, across) / _PARALLEL
    part = graph.function2(op.MINIMUM, graph.function2(op.MAXIMUM, parallel, graph.zero), graph.one)
    return replace(limit, node=limit.node + MARGIN * part)


def _toward_all(name: str, toward: Iterable[Vector3], direction: Vector3) -> list[Domain]:
    one = direction[0].graph.one
    return [Domain(f"{name} {number}", vector3.dot(direction, each), one) for number, each in enumerate(toward, 1)]
