"""What shapes look like: lines along their own axes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, Final, TypeAlias, final

import numpy as np

from detent.expr.evaluate import evaluate
from detent.expr.from_sympy import FromSympy
from detent.expr.graph import Graph
from detent.model.parametric_shapes import Curve
from detent.model.plane_shapes import corner_values
from detent.model.shape import Shape
from detent.model.track import Bend, Track
from detent.results.arrays import FloatArray

ROUND: Final = 73
"""Points on a circle."""
SMOOTH: Final = 200
"""Points on a curve."""

Sizes: TypeAlias = Mapping[str, float]


@final
@dataclass(frozen=True)
class Outline:
    """Lines of a shape, three columns each, along its own axes.

    ``solid``: points whose convex hull, seen along the picture's normal, is what is drawn. ``endless``: of a plane or a
    line, the two directions in which it goes on.
    """

    lines: tuple[FloatArray, ...] = ()
    solid: FloatArray | None = None
    endless: FloatArray | None = None


def outline(shape: Shape, sizes: Sizes, parameters: Mapping[str, float]) -> Outline | None:
    """What a shape of these sizes looks like; None where there is nothing to draw: a point, a surface.

    >>> import detent
    >>> ground = detent.System("example").ground
    >>> outline(ground.segment((0, 0), (3, 4)), {"x1": 0, "y1": 0, "x2": 3, "y2": 4}, {}).lines[0].tolist()
    [[0.0, 0.0, 0.0], [3.0, 4.0, 0.0]]
    """
    if isinstance(shape, Curve):
        return Outline((_curve(shape, sizes, parameters),))
    if isinstance(shape, Track):
        return Outline((_track(shape, sizes),))
    draw = _KINDS.get(shape.kind)
    return None if draw is None else draw(sizes)


def _flat(*columns: Any) -> FloatArray:
    made: FloatArray = np.stack(np.broadcast_arrays(*columns, *[0.0] * (3 - len(columns))), axis=-1).astype(float)
    return made


def _ring(radius: float, first: float = 0.0, last: float = 2 * np.pi) -> FloatArray:
    angle = np.linspace(first, last, ROUND)
    return _flat(radius * np.cos(angle), radius * np.sin(angle))


def _circle(sizes: Sizes) -> Outline:
    """With a spoke, so that its turning shows."""
    return Outline((_ring(sizes["radius"]), _flat(np.array([0.0, sizes["radius"]]), 0.0)))


def _arc(sizes: Sizes) -> Outline:
    middle, half = sizes["middle"], sizes["half"]
    return Outline((_ring(sizes["radius"], middle - half, middle + half),))


def _corners(sizes: Sizes) -> FloatArray:
    return _flat(*np.array(corner_values(sizes, len(sizes) // 2)).T)


def _polygon(sizes: Sizes) -> Outline:
    corners = _corners(sizes)
    return Outline((np.vstack([corners, corners[:1]]),))


def _track(shape: Track, sizes: Sizes) -> FloatArray:
    joints = corner_values(sizes, len(shape.joints))
    made = [_flat(*np.array(joints[:1]).T)]
    for number, bend in enumerate(shape.bends, 1):
        if bend is Bend.STRAIGHT:
            made.append(_flat(*np.array(joints[number : number + 1]).T))
            continue
        sense = 1.0 if bend is Bend.HOLLOW else -1.0
        x, y, radius, middle, half = (
            sizes[f"{word} {number}"] for word in ("center x", "center y", "radius", "middle", "half")
        )
        made.append(_ring(radius, middle - sense * half, middle + sense * half) + _flat(x, y))
    return np.vstack(made)


def _curve(shape: Curve, sizes: Sizes, parameters: Mapping[str, float]) -> FloatArray:
    graph = Graph()
    symbols = {symbol for function in shape.functions for symbol in function.free_symbols}
    convert = FromSympy(graph, {symbol: graph.leaf(str(symbol)) for symbol in symbols | {shape.parameter}})
    nodes, name = [convert(function) for function in shape.functions], str(shape.parameter)
    along = np.linspace(sizes["lowest"], sizes["highest"], SMOOTH)
    return _flat(*np.array([evaluate(nodes, {**parameters, name: float(value)}) for value in along]).T)


def _ball(sizes: Sizes) -> Outline:
    """A ball, by places all over it."""
    angles = np.linspace(0, 2 * np.pi, ROUND)
    up = np.linspace(-np.pi / 2, np.pi / 2, ROUND // 2 + 1)
    longitude, latitude = (each.ravel() for each in np.meshgrid(angles, up))
    across = sizes["radius"] * np.cos(latitude)
    return Outline(
        solid=_flat(across * np.cos(longitude), across * np.sin(longitude), sizes["radius"] * np.sin(latitude))
    )


def _capsule(sizes: Sizes) -> Outline:
    ball, half = _ball(sizes).solid, sizes["length"] / 2
    assert ball is not None
    end = np.array([0, 0, half])
    return Outline(solid=np.vstack([ball - end, ball + end]))


def _cylinder(sizes: Sizes) -> Outline:
    ring, half = _ring(sizes["radius"]), sizes["length"] / 2
    end = np.array([0, 0, half])
    return Outline(solid=np.vstack([ring - end, ring + end]))


def _box(sizes: Sizes) -> Outline:
    halves = [(-sizes[f"length {letter}"] / 2, sizes[f"length {letter}"] / 2) for letter in "xyz"]
    return Outline(solid=np.array(list(product(*halves))))


_KINDS: Final[dict[str, Callable[[Sizes], Outline]]] = {
    "circle": _circle,
    "line": lambda sizes: Outline(endless=np.array([[1.0, 0, 0]])),
    "segment": lambda sizes: Outline((_corners(sizes),)),
    "arc": _arc,
    "polygon": _polygon,
    "sphere": _ball,
    "hollow sphere": _ball,
    "plane": lambda sizes: Outline(endless=np.array([[1.0, 0, 0], [0, 1.0, 0]])),
    "capsule": _capsule,
    "cylinder": _cylinder,
    "rim": lambda sizes: Outline((_ring(sizes["radius"]),)),
    "box": _box,
}
