"""Three-component vectors and matrices of graph nodes."""

from __future__ import annotations

from typing import TypeAlias

from detent.expr.graph import Node

Vector3: TypeAlias = tuple[Node, Node, Node]
Matrix3: TypeAlias = tuple[Vector3, Vector3, Vector3]


def add(a: Vector3, b: Vector3) -> Vector3:
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def subtract(a: Vector3, b: Vector3) -> Vector3:
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def negate(a: Vector3) -> Vector3:
    return (-a[0], -a[1], -a[2])


def scale(factor: Node, a: Vector3) -> Vector3:
    return (factor * a[0], factor * a[1], factor * a[2])


def dot(a: Vector3, b: Vector3) -> Node:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: Vector3, b: Vector3) -> Vector3:
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])


def apply(matrix: Matrix3, a: Vector3) -> Vector3:
    """The product of a matrix (a tuple of rows) and a vector."""
    return (dot(matrix[0], a), dot(matrix[1], a), dot(matrix[2], a))


def transpose(matrix: Matrix3) -> Matrix3:
    (a, b, c), (d, e, f), (g, h, i) = matrix
    return ((a, d, g), (b, e, h), (c, f, i))


def multiply(first: Matrix3, second: Matrix3) -> Matrix3:
    columns = transpose(second)
    return transpose((apply(first, columns[0]), apply(first, columns[1]), apply(first, columns[2])))


def is_zero(a: Vector3) -> bool:
    return a[0].is_zero and a[1].is_zero and a[2].is_zero
