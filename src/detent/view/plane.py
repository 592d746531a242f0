"""The plane in which a model moves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import sympy

from detent.errors import DetentError
from detent.model.frame import Frame
from detent.model.point import Point
from detent.model.quantity import Coordinate, Input, Parameter
from detent.model.rotation import AxisRotation
from detent.model.system import System
from detent.model.vector import Vector


class PicturePlane(NamedTuple):
    """A plane of the ground: the axis that stands on it, the one across the picture and the one up."""

    normal: str
    across: str
    up: str


PLANES: Final = (PicturePlane("z", "x", "y"), PicturePlane("y", "x", "z"), PicturePlane("x", "y", "z"))


def plane_of(system: System) -> PicturePlane:
    """The plane of a planar model; a model that moves in space is refused.

    Every frame must turn about the same axis of the ground, and no point may move along it.

    >>> import detent
    >>> plane_of(detent.example("chain").system)
    PicturePlane(normal='z', across='x', up='y')
    >>> plane_of(detent.example("heavy-top").system)
    Traceback (most recent call last):
        ...
    detent.errors.DetentError: 'heavy top' moves in space: frame 'top' turns freely. A stroboscopic picture needs a \
planar model, whose frames all turn about one axis of the ground and whose points stay in the plane across it
    """
    for plane in PLANES:
        if next(_leaving(system, plane), None) is None:
            return plane
    raise DetentError(
        f"'{system.name}' moves in space: {next(_leaving(system, PLANES[0]))}. A stroboscopic picture needs a planar "
        "model, whose frames all turn about one axis of the ground and whose points stay in the plane across it"
    )


def picture_plane(system: System) -> PicturePlane:
    """The plane of a planar model; of one in space with shapes, that in which they are seen from the side, up z.

    >>> import detent
    >>> picture_plane(detent.example("chain").system).up
    'y'
    """
    try:
        return plane_of(system)
    except DetentError:
        if not system.contacts:
            raise
        return PLANES[1]


def _leaving(system: System, plane: PicturePlane) -> Iterator[str]:
    """What leaves a plane, in words."""
    number = "xyz".index(plane.normal)
    for frame in system.frames.values():
        rotation = frame.rotation
        if isinstance(rotation, AxisRotation):
            if any(value != 0 for place, value in enumerate(rotation.axis) if place != number):
                axis = ", ".join(str(value) for value in rotation.axis)
                yield f"frame '{frame.name}' turns about ({axis}), not about {plane.normal}"
        elif rotation is not None:
            yield f"frame '{frame.name}' turns freely"
    for point in system.points.values():
        if not all(_fixed(components[number]) for components in point.displacement.terms.values()):
            yield f"point '{point.name}' moves along {plane.normal}"


def _fixed(value: Any) -> bool:
    """Whether a length stays what it is during a run."""
    return all(isinstance(symbol, Parameter) for symbol in sympy.sympify(value).free_symbols)


def is_rigid(displacement: Vector) -> bool:
    """Whether a displacement only turns with its frames: a rod.

    >>> import detent
    >>> system = detent.System("example")
    >>> x, length = system.coordinates("x"), system.parameters(length=1)
    >>> is_rigid(length*system.ground.x), is_rigid(x*system.ground.x)
    (True, False)
    """
    return all(_fixed(value) for components in displacement.terms.values() for value in components)


def is_fixed(place: Point | Frame) -> bool:
    """Whether a point or a frame stays where it is whatever the model does; another may stand still by chance.

    >>> import detent
    >>> system = detent.System("example")
    >>> x, a = system.coordinates("x"), system.parameters(a=1)
    >>> pivot = system.origin.offset("pivot", a*system.ground.y)
    >>> is_fixed(pivot), is_fixed(pivot.offset("bead", x*system.ground.x))
    (True, False)
    """
    if isinstance(place, Frame):
        rotation = place.rotation
        turned = rotation is None or (isinstance(rotation, AxisRotation) and _fixed(rotation.angle))
        return turned and (place.parent is None or is_fixed(place.parent))
    own = is_rigid(place.displacement) and all(is_fixed(frame) for frame in place.displacement.terms)
    return own and (place.parent is None or is_fixed(place.parent))


def check_known(system: System) -> None:
    """Refuse a model in which something is placed by a value that a run does not keep."""
    held = {symbol for symbol, rule in system.input_rules.items() if not getattr(rule, "free_symbols", None)}
    placed = {f"point '{p.name}'": _symbols(p.displacement) for p in system.points.values()}
    placed |= {
        f"frame '{f.name}'": sympy.sympify(f.rotation.angle).free_symbols
        for f in system.frames.values()
        if isinstance(f.rotation, AxisRotation)
    }
    for what, symbols in placed.items():
        for symbol in sorted(symbols, key=str):
            if isinstance(symbol, Input) and symbol in held:
                raise DetentError(
                    f"{what} is placed by the {symbol.role} '{symbol}', whose course a run does not keep; place it by "
                    "coordinates, signals, discrete states, parameters or time"
                )


def _symbols(vector: Vector) -> set[Any]:
    return {
        symbol
        for components in vector.terms.values()
        for value in components
        for symbol in sympy.sympify(value).free_symbols
        if not isinstance(symbol, Coordinate)
    }
