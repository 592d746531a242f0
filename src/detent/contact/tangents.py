"""Two directions in which bodies slip, from the normal alone."""

from __future__ import annotations

from typing import Final

from detent.expr import operation as op
from detent.expr import vector3
from detent.expr.graph import Graph, Node
from detent.expr.vector3 import Vector3

_TRIAD: Final = ((2 / 7, 3 / 7, 6 / 7), (6 / 7, 2 / 7, -3 / 7), (-3 / 7, 6 / 7, -2 / 7))
"""Axes that no model is likely to use: a normal along the third has no tangents."""


def tangents_to(graph: Graph, normal: Vector3) -> tuple[Vector3, Vector3]:
    """Two unit vectors that make a right-handed triad with a unit normal as the third.

    There is no such pair that is continuous everywhere. This one is exact to rounding (after Duff et al., Building an
    Orthonormal Basis, Revisited, 2017), and continuous but for the direction of one odd axis. So a ball may roll all
    round another: rows that jump have no bounds where they do.
    """
    x, y, z = (_along(graph, axis, normal) for axis in _TRIAD)
    beyond = graph.function2(op.LESS, graph.zero, z)
    share = 1.0 / graph.select(beyond, (x * x + y * y) / (1.0 + z), 1.0 - z)
    mixed = x * y * share
    first = (1.0 - x * x * share, -mixed, x)
    second = (mixed, y * y * share - 1.0, -y)
    return _back(graph, first), _back(graph, second)


def _along(graph: Graph, axis: tuple[float, float, float], vector: Vector3) -> Node:
    return graph.sum(value * part for value, part in zip(axis, vector, strict=True))


def _back(graph: Graph, components: Vector3) -> Vector3:
    total: Vector3 = (graph.zero, graph.zero, graph.zero)
    for axis, value in zip(_TRIAD, components, strict=True):
        x, y, z = (value * part for part in axis)
        total = vector3.add(total, (x, y, z))
    return total
