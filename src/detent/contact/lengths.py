"""Lengths of vectors of nodes."""

from __future__ import annotations

from typing import Final

from detent.expr import operation as op
from detent.expr import vector3
from detent.expr.graph import Node
from detent.expr.vector3 import Vector3

SMALL: Final = 1e-9
"""Its square vanishes beside one."""


def length(vector: Vector3) -> Node:
    """The length of a vector."""
    square = vector3.dot(vector, vector)
    return square.graph.function(op.SQRT, square)


def length_within(vector: Vector3, bound: Node) -> Node:
    """The length of a vector that is to be as long as ``bound`` where it counts, with a slope at length zero too.

    sqrt(v.v + (1e-9 bound)^2): where v is as long as the bound, not one bit differs.
    """
    square = vector3.dot(vector, vector)
    return square.graph.function(op.SQRT, square + (SMALL * bound) ** 2)
