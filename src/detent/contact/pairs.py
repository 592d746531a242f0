"""Which kinds of shapes can touch, and how: one program for each pair of kinds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final, TypeAlias

from detent.contact.box_pairs import box_touches
from detent.contact.curve_pairs import curve_touches
from detent.contact.geometry import Geometry, Touch
from detent.contact.parametric import course_of
from detent.contact.placed import Placed
from detent.contact.plane_pairs import plane_touches
from detent.contact.refusals import why_not
from detent.contact.space_pairs import space_touches
from detent.contact.surface_pairs import surface_touches
from detent.contact.tangents import tangents_to
from detent.errors import DetentError
from detent.expr import vector3
from detent.expr.graph import Graph
from detent.expr.vector3 import Vector3
from detent.model.body import Body
from detent.model.frame import Frame
from detent.model.rotation import AxisRotation
from detent.model.shape import Shape

Program: TypeAlias = Callable[[Placed, Placed], Iterator[Touch]]

PAIRS: Final[dict[frozenset[str], Program]] = {}
"""The program of each pair of kinds, in either order."""


def register(program: Program, first: str, *others: str) -> None:
    """Let a kind of shape touch others, by a program."""
    for other in others:
        PAIRS[frozenset((first, other))] = program


register(plane_touches, "point", "circle", "line", "segment", "arc", "polygon")
register(plane_touches, "circle", "circle", "line", "segment", "arc", "polygon")
register(plane_touches, "segment", "line", "segment", "arc", "polygon")
register(plane_touches, "arc", "line", "arc", "polygon")
register(plane_touches, "polygon", "line", "polygon")
register(plane_touches, "track", "point", "circle", "line", "segment", "arc", "polygon", "track")
register(space_touches, "point", "plane", "sphere", "hollow sphere", "capsule", "cylinder", "box")
register(space_touches, "sphere", "plane", "sphere", "hollow sphere", "capsule", "cylinder", "box")
register(space_touches, "plane", "capsule", "cylinder", "rim", "box")
register(space_touches, "hollow sphere", "capsule", "cylinder", "rim", "box")
register(space_touches, "rim", "sphere")
register(space_touches, "capsule", "capsule", "box")
register(box_touches, "box", "box")
register(curve_touches, "curve", "point", "circle", "line", "segment", "arc", "track", "polygon", "curve")
register(surface_touches, "surface", "point", "sphere", "plane")


def geometries(graph: Graph, first: Placed, second: Placed, name: str = "") -> list[Geometry]:
    """Every place where two shapes may touch. They must be of a pair of kinds that has a program.

    Coordinates that are to be kept track of become leaves, named after the contact.
    """
    one, other = replace(first, label=name), replace(second, label=name)
    touches = PAIRS[frozenset((first.shape.kind, second.shape.kind))](one, other)
    across = next((shape.axes[2] for shape in (second, first) if shape.shape.planar), None)
    moving = _surface_velocity(first, second)
    return [_geometry(graph, touch, across, moving) for touch in touches]


def features(where: str, first: Shape, second: Shape) -> tuple[str, ...]:
    """The names of the places where two shapes may touch; an error that says so if they cannot.

    >>> import detent
    >>> ground = detent.System("example").ground
    >>> features("contact 'a'", ground.rotated("turned", 1).capsule(1, 2), ground.plane())
    ('end 1', 'end 2')
    """
    return tuple(each.feature for each in places(where, first, second))


def places(where: str, first: Shape, second: Shape, name: str = "") -> tuple[Geometry, ...]:
    """The places where two shapes may touch, wherever they are; an error that says so if they cannot."""
    _check_pair(where, first, second)
    graph = Graph()
    try:
        found = geometries(graph, _anywhere(graph, "1", first), _anywhere(graph, "2", second), name)
    except DetentError as error:
        raise DetentError(f"{where}: {error}") from error
    if not found:
        both = f"the {first.where} and the {second.where}"
        raise DetentError(f"{where}: {both} have no place where they could touch; give another shape")
    return tuple(found)


def _check_pair(where: str, first: Shape, second: Shape) -> None:
    if _same(first, second):
        raise DetentError(
            f"{where}: both shapes belong to the {first.seat.carrier.called}, so they never move against each other; "
            "give shapes of two bodies, or of a body and a frame"
        )
    planes = {shape.planar: shape for shape in (first, second) if shape.planar is not None}
    if len(planes) > 1:
        raise DetentError(
            f"{where}: the {planes[True].where} lies in the plane, the {planes[False].where} is in space; give two "
            "shapes of the plane or two in space"
        )
    one, other = first.seat.frame, second.seat.frame
    if first.planar and second.planar and not _parallel(one, other):
        raise DetentError(
            f"{where}: the z axes of frame '{one.name}' and frame '{other.name}' are not parallel, but planar "
            "shapes lie in the x-y planes of their frames; use frames that turn against each other about z"
        )
    if frozenset((first.kind, second.kind)) not in PAIRS:
        raise DetentError(
            f"{where}: a {first.kind} and a {second.kind} cannot touch each other here: "
            f"{why_not(first.kind, second.kind)}. A {first.kind} can touch: {', '.join(_partners(first.kind))}"
        )


def _same(first: Shape, second: Shape) -> bool:
    """Whether two shapes are of one body; those of a frame may be carried by points that move."""
    one, other = first.seat, second.seat
    return one.carrier is other.carrier and (isinstance(one.carrier, Body) or one.origin is other.origin)


def _parallel(first: Frame, second: Frame) -> bool:
    """Whether the z axes of two frames are parallel, whatever the coordinates are."""
    mine, theirs = first.path(), second.path()
    between = [frame for frame in (*mine, *theirs) if not (frame in mine and frame in theirs)]
    if all(isinstance(each.rotation, AxisRotation) and not any(each.rotation.axis[:2]) for each in between):
        return True
    cosine = first.z.dot(second.z)
    odd = {symbol: 0.3 + 0.37 * number for number, symbol in enumerate(sorted(cosine.free_symbols, key=str))}
    return abs(abs(float(cosine.subs(odd))) - 1.0) < 1e-12


def _partners(kind: str) -> list[str]:
    found = [pair - {kind} or {kind} for pair in PAIRS if kind in pair]
    return sorted(other for others in found for other in others) or ["nothing"]


def _anywhere(graph: Graph, tag: str, shape: Shape) -> Placed:
    """A shape whose place and sizes are whatever they will be."""

    def leaves(name: str) -> Vector3:
        x, y, z = (graph.leaf(f"{name}{letter}{tag}") for letter in "xyz")
        return (x, y, z)

    sizes = {name: graph.leaf(f"{name} {tag}") for name in shape.sizes}
    course = course_of(shape, lambda symbol: graph.leaf(f"{symbol} {tag}"))
    return Placed(shape, leaves("place"), (leaves("x"), leaves("y"), leaves("z")), sizes, course=course)


def _surface_velocity(first: Placed, second: Placed) -> Vector3 | None:
    own, other = first.surface_velocity, second.surface_velocity
    if other is None:
        return own
    return vector3.negate(other) if own is None else vector3.subtract(own, other)


def _geometry(graph: Graph, touch: Touch, plane: Vector3 | None, moving: Vector3 | None) -> Geometry:
    tangents: tuple[Vector3, ...]
    if plane is not None:
        tangents = (vector3.cross(touch.normal, plane),)
    else:
        tangents = touch.tangents or tangents_to(graph, touch.normal)
    return Geometry(
        touch.feature, touch.gap, touch.normal, touch.on_second, tangents, touch.domain, moving, touch.followed,
        touch.nearness, touch.thin, touch.lean, touch.tilt,
    )  # fmt: skip
