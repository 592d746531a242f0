"""Where a curve or surface may touch a plane or a straight face: at any point whose normal is opposed to that of it."""

from __future__ import annotations

from detent.contact.geometry import Level
from detent.contact.placed import Placed
from detent.contact.tangents import tangents_to
from detent.expr import operation as op
from detent.expr import vector3
from detent.expr.graph import Node
from detent.expr.vector3 import Vector3


def facing_level(
    placed: Placed, start: Vector3, upward: Vector3, normal: Vector3, height: Node, point: tuple[Node, ...]
) -> tuple[Level, Vector3]:
    """A plane through a place with a normal ``upward``; and the way of a point, with its normal and its height above
    that, from touching it: the height, and how far normals are from being opposed, 1 where it is a right angle or more.
    """
    graph = height.graph
    x, y, z = (vector3.dot(upward, axis) for axis in placed.axes)
    origin = vector3.dot(vector3.subtract(placed.place, start), upward)
    if placed.shape.planar:
        first, second = vector3.dot(normal, vector3.cross(placed.axes[2], upward)), graph.zero
    else:
        first, second = (vector3.dot(normal, tangent) for tangent in tangents_to(graph, upward))
    faces = graph.function2(op.LESS, vector3.dot(normal, upward), graph.zero)
    way = (height, graph.select(faces, first, graph.one), graph.select(faces, second, graph.zero))
    return Level(origin, (x, y, z), point), way
