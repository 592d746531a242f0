"""Which frame and which point the equations of a system are written at."""

from __future__ import annotations

import sympy

from detent.model.body import Body
from detent.model.frame import Frame
from detent.model.point import Point
from detent.model.quantity import Parameter
from detent.model.rotation import AxisRotation, QuaternionRotation
from detent.model.system import System


def choose_resolution(system: System) -> Frame:
    """The frame of the first body: there a tree of joints does not depend on the first joint's angle at all.

    A body that only slides, or several mechanisms side by side, are written along the ground's axes; one whose angular
    velocity is written along its parent's axes, along those.
    """
    first = next(iter(system.bodies.values()))
    if not all(shares_motion(first, body) for body in system.bodies.values()):
        return system.ground
    frame = first.frame
    while isinstance(frame.rotation, QuaternionRotation) and frame.rotation.along_parent and frame.parent is not None:
        frame = frame.parent
    return frame


def shares_motion(first: Body, other: Body) -> bool:
    """Whether two bodies hang from a common moving frame."""
    common = [frame for frame in first.frame.path() if frame in other.frame.path()]
    return len(common) > 1


def choose_reference(system: System) -> Point:
    """The last point on the way to the first body that is carried by translation alone.

    A body that only slides from there has its own inertia there; from farther away, at a distance x, it would be told
    apart from m x^2, and lose all that rounding takes from that.
    """
    first = next(iter(system.bodies.values()))
    path: list[Point] = []
    step: Point | None = first.center
    while step is not None:
        path.insert(0, step)
        step = step.parent
    chosen = path[0]
    for point in path[1:]:
        if not all(_stands_still(frame) for frame in point.displacement.terms):
            break
        chosen = point
    return chosen


def _stands_still(frame: Frame) -> bool:
    """Whether a frame never turns: it is the ground, or turned from it by angles that do not change."""
    turns = [each.rotation for each in frame.path() if each.rotation is not None]
    angles = [turn.angle for turn in turns if isinstance(turn, AxisRotation)]
    symbols = {symbol for angle in angles for symbol in sympy.sympify(angle).free_symbols}
    return len(angles) == len(turns) and all(isinstance(symbol, Parameter) for symbol in symbols)
