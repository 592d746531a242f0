"""Which frame and which point the equations of a system are written at."""

from __future__ import annotations

from detent.model.body import Body
from detent.model.frame import Frame
from detent.model.point import Point
from detent.model.rotation import QuaternionRotation
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
    """The last point on the way to the first body that is carried by translation alone."""
    first = next(iter(system.bodies.values()))
    path: list[Point] = []
    step: Point | None = first.center
    while step is not None:
        path.insert(0, step)
        step = step.parent
    chosen = path[0]
    for point in path[1:]:
        if any(frame.parent is not None for frame in point.displacement.terms):
            break
        chosen = point
    return chosen
