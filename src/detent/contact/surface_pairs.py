"""How parametric surfaces touch balls, points and planes: the nearest point is two coordinates that a run follows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from detent.contact.geometry import Domain, Facing, FollowedCoordinate, Nearness, Spread, Touch, named
from detent.contact.lengths import length
from detent.contact.levels import facing_plane
from detent.contact.parametric import point_on, slope
from detent.contact.placed import Placed
from detent.contact.plane_pairs import less, toward
from detent.contact.space_features import Ball, Flat, space_features
from detent.expr import vector3
from detent.expr.derivative import partial
from detent.expr.graph import Node
from detent.model.parametric_shapes import Surface


def surface_touches(first: Placed, second: Placed) -> Iterator[Touch]:
    """Where a surface may touch a ball, a point or a plane."""
    if isinstance(second.shape, Surface):
        yield from _on_surface(first, second)
    else:
        yield from (touch.reversed() for touch in _on_surface(second, first))


def _on_surface(other: Placed, surface: Placed) -> Iterator[Touch]:
    features = space_features(other)
    yield from (_ball_on_surface(ball, surface) for ball in features.balls)
    yield from (_plane_on_surface(plane, surface) for plane in features.flats)


def _spread(surface: Placed, leaves: tuple[Node, Node]) -> Spread:
    """A surface along its own axes."""
    assert surface.course is not None
    x, y, z = point = surface.course(*leaves)
    along, across = ((partial(x, leaf), partial(y, leaf), partial(z, leaf)) for leaf in leaves)
    upward = vector3.cross(along, across)
    return Spread(leaves, point, (along, across), vector3.scale(1.0 / length(upward), upward))


def _plane_on_surface(plane: Flat, surface: Placed) -> Touch:
    """The point of a surface that is parallel to a plane, dr/da . n = dr/db . n = 0, and bends away from it."""
    shape, graph = surface.shape, surface.place[0].graph
    assert isinstance(shape, Surface)
    assert surface.course is not None
    a, b = (graph.leaf(surface.coordinate(str(each), "")) for each in shape.parameters)
    point = point_on(surface.place, surface.axes, surface.course(a, b))
    along = (slope(point, a), slope(point, b))
    normal = vector3.cross(*along)
    normal = vector3.scale(1.0 / length(normal), normal)
    height = vector3.dot(vector3.subtract(point, plane.center), plane.normal)
    domain = [Domain("front", -vector3.dot(normal, plane.normal))]
    followed, scales = [], []
    for number, (leaf, way) in enumerate(zip((a, b), along, strict=True), 1):
        lowest, highest = surface.sizes[f"lowest {number}"], surface.sizes[f"highest {number}"]
        closed = shape.closed[number - 1]
        followed.append(FollowedCoordinate(leaf, vector3.dot(way, plane.normal), lowest, highest, normal, closed))
        scales.append((highest - lowest) / length(way))
        if not closed:
            domain += [Domain(f"{leaf.name} start", leaf - lowest), Domain(f"{leaf.name} end", highest - leaf)]
    aa = vector3.dot(slope(along[0], a), plane.normal) * scales[0]
    bb = vector3.dot(slope(along[1], b), plane.normal) * scales[1]
    ab = vector3.dot(slope(along[0], b), plane.normal)
    on_plane = vector3.subtract(point, vector3.scale(height, plane.normal))
    facing = facing_plane(surface, _spread(surface, (a, b)), plane.center, plane.normal)
    return Touch(
        "" if all(shape.closed) else "side", height, vector3.negate(plane.normal), on_plane, point, tuple(domain),
        followed=tuple(followed),
        nearness=Nearness(height, (aa * bb - ab * ab * scales[0] * scales[1], aa + bb), facing=facing),
    )  # fmt: skip


def _ball_on_surface(ball: Ball, surface: Placed) -> Touch:
    """(p - r) . dr/da = 0 and (p - r) . dr/db = 0; nearest while their slopes are those of a minimum."""
    shape, graph = surface.shape, surface.place[0].graph
    assert isinstance(shape, Surface)
    assert surface.course is not None
    a, b = (graph.leaf(surface.coordinate(str(each), ball.name)) for each in shape.parameters)
    point = point_on(surface.place, surface.axes, surface.course(a, b))
    along_a, along_b = slope(point, a), slope(point, b)
    normal = vector3.cross(along_a, along_b)
    normal = vector3.scale(1.0 / length(normal), normal)
    away = vector3.subtract(ball.center, point)
    first = vector3.scale(1.0 / length(along_a), along_a)
    height = vector3.dot(away, normal)
    domain: list[Domain] = []
    followed = []
    for number, (leaf, along) in enumerate(((a, along_a), (b, along_b)), 1):
        lowest, highest = surface.sizes[f"lowest {number}"], surface.sizes[f"highest {number}"]
        followed.append(
            FollowedCoordinate(leaf, vector3.dot(away, along), lowest, highest, normal, shape.closed[number - 1])
        )
        if not shape.closed[number - 1]:
            domain += [Domain(f"{leaf.name} start", leaf - lowest), Domain(f"{leaf.name} end", highest - leaf)]
    aa = vector3.dot(along_a, along_a) - vector3.dot(away, slope(along_a, a))
    ab = vector3.dot(along_a, along_b) - vector3.dot(away, slope(along_a, b))
    bb = vector3.dot(along_b, along_b) - vector3.dot(away, slope(along_b, b))
    across, up = vector3.dot(along_a, along_a), vector3.dot(along_b, along_b)
    area = across * up - vector3.dot(along_a, along_b) ** 2
    least = ((aa * bb - ab * ab) / area, aa / across + bb / up)
    middle = surface.seen(ball.center)
    facing = Facing((*middle, graph.zero), middle, spread=replace(_spread(surface, (a, b)), offset=ball.radius))
    nearness = Nearness(vector3.dot(away, away), least, facing)
    if ball.radius is not None:
        domain.append(Domain("front", height))
    return Touch(
        named(ball.name, "on", "" if all(shape.closed) else "side"), less(height, ball.radius), normal,
        toward(ball, normal, -1), point, tuple(domain), (first, vector3.cross(normal, first)), tuple(followed),
        nearness,
    )  # fmt: skip
