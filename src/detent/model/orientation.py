"""The axes of a shape that are told by one direction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import sympy

from detent.errors import DetentError
from detent.model.expression import read_expression
from detent.model.vector import Components

if TYPE_CHECKING:
    from detent.model.shape import Axes

OWN: Final[Axes] = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
"""The frame's axes themselves."""

_PLANE: Final[dict[str, tuple[int, int]]] = {"x": (1, 0), "y": (0, 1), "-x": (-1, 0), "-y": (0, -1)}

_SPACE: Final[dict[str, Axes]] = {
    "x": ((0, 1, 0), (0, 0, 1), (1, 0, 0)),
    "y": ((0, 0, 1), (1, 0, 0), (0, 1, 0)),
    "z": OWN,
    "-x": ((0, 0, 1), (0, 1, 0), (-1, 0, 0)),
    "-y": ((1, 0, 0), (0, 0, 1), (0, -1, 0)),
    "-z": ((0, 1, 0), (1, 0, 0), (0, 0, -1)),
}


def along_x(where: str, along: Any) -> Axes:
    """In the plane: the shape's x axis along a direction, its y axis a quarter turn to the left of it.

    >>> along_x("a line", "y")
    ((0, 1, 0), (-1, 0, 0), (0, 0, 1))
    """
    if isinstance(along, str) and along in _PLANE:
        x, y = _PLANE[along]
        return ((x, y, 0), (-y, x, 0), (0, 0, 1))
    x, y = _unit(where, along, 2, "'x', 'y', '-x', '-y' or two components, such as (3, 4)")
    return ((x, y, 0), (-y, x, 0), (0, 0, 1))


def along_z(where: str, along: Any) -> Axes:
    """In space: the shape's z axis along a direction; its x and y axes complete a right-handed triad.

    >>> along_z("a plane", "x")[2]
    (1, 0, 0)
    """
    if isinstance(along, str) and along in _SPACE:
        return _SPACE[along]
    expected = "'x', 'y', 'z', one of these with a minus, or three numbers"
    components = _unit(where, along, 3, expected)
    if not all(value.is_number for value in components):
        raise DetentError(f"{where}: its direction is {along!r}, not made of numbers; turn a frame and use its axes")
    smallest = min(range(3), key=lambda number: abs(components[number]))
    other = sympy.Matrix([1 if number == smallest else 0 for number in range(3)])
    z = sympy.Matrix(components)
    x = other.cross(z)
    x = x / sympy.sqrt(x.dot(x))
    y = z.cross(x)
    return _components(x), _components(y), _components(z)


def _components(column: Any) -> Components:
    return (column[0], column[1], column[2])


def _unit(where: str, along: Any, count: int, expected: str) -> list[Any]:
    if isinstance(along, str) or not isinstance(along, Sequence) or len(along) != count:
        raise DetentError(f"{where}: its direction is {along!r}; give {expected}")
    components = [read_expression(where, value) for value in along]
    if any(value.is_number and (not value.is_finite or value.is_real is False) for value in components):
        raise DetentError(f"{where}: its direction {along!r} is not made of finite real numbers; give {expected}")
    length = sympy.sqrt(sum(value**2 for value in components))
    if length == 0:
        raise DetentError(f"{where}: its direction {along!r} has no length; give {expected}")
    return [value / length for value in components]
