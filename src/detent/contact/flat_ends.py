"""The flat end of a cylinder on a plane: its rim, which touches in one point, and its face, which touches all round.

With a the direction in which the end looks and n the normal of the plane, the end lies flat where n x a = 0, and has no
lowest point there. What begins to tip over its rim does so in a direction d, told by run-time values: where the rim
leans by less than some 1e-8 rad, d takes the place of the direction in which it leans.
"""

from __future__ import annotations

from typing import Final

from detent.contact.geometry import Domain, Touch
from detent.contact.space_features import Edge, Flat
from detent.expr import operation as op
from detent.expr import vector3
from detent.expr.graph import Node
from detent.model.contact import FLAT, tip_names

_TIPS: Final = 1e-8
"""The lean (rad) up to which a rim that tips does so in the direction in which it began to."""
_UPRIGHT: Final = 1e-14
"""The lean (rad) below which a rim that does not tip has no lowest point: while it flies it may well be upright."""


def rim_on_plane(name: str, label: str, edge: Edge, plane: Flat, swapped: bool) -> Touch:
    """The lowest point of a rim: down the slope a x (n x a) = n - (n . a) a, or where it tips.

    ``label`` is the name of the contact; ``swapped`` says that its tangents are the plane's the other way round.
    """
    graph = edge.radius.graph
    names = tip_names(f"{label} {name}".strip())
    first, second = (graph.leaf(tip) for tip in (reversed(names) if swapped else names))
    cross, upright = vector3.cross(plane.normal, edge.axis), vector3.dot(plane.normal, edge.axis)
    lean, slope = vector3.dot(cross, cross), vector3.cross(edge.axis, cross)
    toward = vector3.add(vector3.scale(first, plane.tangents[0]), vector3.scale(second, plane.tangents[1]))
    aside = vector3.dot(toward, edge.axis)
    share = _TIPS**5 / (_TIPS**4 + lean * lean)
    tip = vector3.scale(share, vector3.subtract(toward, vector3.scale(aside, edge.axis)))
    down = vector3.subtract(tip, slope)
    tips = first * first + second * second
    square = vector3.dot(down, down) + _UPRIGHT**2 * (1.0 - tips)
    # Bounds do not see that it is never zero where it tips.
    steep = graph.function(op.SQRT, graph.function2(op.MAXIMUM, square, (_TIPS / 4) ** 2 * tips))
    lowest = vector3.add(edge.center, vector3.scale(edge.radius / steep, down))
    height = vector3.dot(vector3.subtract(edge.center, plane.center), plane.normal)
    # n . down, without the difference that only rounding would be left of; bounds see the root far better
    tipping = graph.function2(op.LESS, graph.constant(0.5), tips)
    gap = height - edge.radius * graph.select(tipping, (share * aside * upright + lean) / steep, steep - _UPRIGHT)
    foot = vector3.subtract(lowest, vector3.scale(gap, plane.normal))
    return Touch(name, gap, plane.normal, lowest, foot, (), plane.tangents, lean=lean, tilt=_tilt(edge, plane))


def face_on_plane(name: str, edge: Edge, plane: Flat) -> Touch:
    """The whole of an end: its middle, while it does not lean; by twice what counts as flat it is still looked at."""
    height = vector3.dot(vector3.subtract(edge.center, plane.center), plane.normal)
    foot = vector3.subtract(edge.center, vector3.scale(height, plane.normal))
    cross = vector3.cross(plane.normal, edge.axis)
    lean = vector3.dot(cross, cross)
    inward = vector3.dot(plane.normal, edge.axis)
    leaning = _from_upright(lean, inward)
    flat = (Domain("flat", 2.0 * FLAT - leaning),)
    return Touch(
        name, height, plane.normal, edge.center, foot, flat, plane.tangents, lean=lean, tilt=_tilt(edge, plane)
    )


def _from_upright(lean: Node, inward: Node) -> Node:
    """How far an end leans; one that looks away from the plane does so by more than 1, up to 2."""
    graph = lean.graph
    away, leaning = graph.function2(op.LESS, graph.zero, inward), graph.function(op.SQRT, lean)
    return graph.select(away, 2.0 - leaning, leaning)


def _tilt(edge: Edge, plane: Flat) -> tuple[Node, Node]:
    """(a x n) along both tangents: where an end lies flat, a = -n, it changes by how fast it turns about them."""
    turned = vector3.cross(edge.axis, plane.normal)
    first, second = (vector3.dot(turned, tangent) for tangent in plane.tangents)
    return first, second
