"""Points of parametric shapes, and their slopes, at coordinates that a run keeps track of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from detent.expr import vector3
from detent.expr.derivative import partial
from detent.expr.from_sympy import FromSympy
from detent.expr.graph import Node
from detent.expr.vector3 import Vector3
from detent.model.parametric_shapes import Curve, Surface
from detent.model.shape import Shape

Course: TypeAlias = Callable[..., tuple[Node, ...]]
"""The components along a shape's own axes of its point at given coordinates."""


def course_of(shape: Shape, convert: Callable[[Any], Node]) -> Course | None:
    """The points of a parametric shape; None where a shape is none. ``convert`` gives the nodes of parameters."""
    if not isinstance(shape, Curve | Surface):
        return None
    own = set(shape.parameters)
    others = {symbol for function in shape.functions for symbol in function.free_symbols} - own

    def course(*at: Node) -> tuple[Node, ...]:
        leaves = {symbol: convert(symbol) for symbol in others} | dict(zip(shape.parameters, at, strict=True))
        read = FromSympy(at[0].graph, leaves)
        return tuple(read(function) for function in shape.functions)

    return course


def slope(vector: Vector3, leaf: Node) -> Vector3:
    """The derivative of a vector with respect to a leaf."""
    return (partial(vector[0], leaf), partial(vector[1], leaf), partial(vector[2], leaf))


def point_on(place: Vector3, axes: tuple[Vector3, ...], components: tuple[Node, ...]) -> Vector3:
    """A place with given components along axes."""
    for value, axis in zip(components, axes, strict=False):
        place = vector3.add(place, vector3.scale(value, axis))
    return place
