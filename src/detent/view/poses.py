"""Where points are and how frames stand along a run, from the model's own kinematics."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import final

import numpy as np

from detent.dynamics.kinematics import Kinematics
from detent.expr import vector3
from detent.expr.graph import Node
from detent.expr.vector3 import Vector3
from detent.jit.arrays import FloatArray
from detent.model.frame import Frame
from detent.model.point import Point
from detent.simulation.values import Values


@final
@dataclass(frozen=True, eq=False)
class Poses:
    """Places (m, from the origin) and turns at some times, along the ground's axes.

    >>> import detent
    >>> run = detent.example("pendulum").simulate(until=1)
    >>> rod = run.model.bodies["bob"].center
    >>> poses(Values(run, run.model), [rod], [], np.array([0.0, 0.5])).places[rod].shape
    (2, 3)
    """

    places: dict[Point, FloatArray]
    """(times, 3)"""
    turns: dict[Frame, FloatArray]
    """(times, 3, 3): the columns are the frame's axes."""


def poses(values: Values, points: Iterable[Point], frames: Iterable[Frame], times: FloatArray | None = None) -> Poses:
    """Where points and frames are at some times, or at the nodes of the run: one program for all of them."""
    asked_points, asked_frames = list(points), list(frames)

    def made(kinematics: Kinematics) -> list[Node]:
        return pose_nodes(kinematics, asked_points, asked_frames)

    rows = values.of_motion(made, times) if asked_points or asked_frames else np.empty((0, 0))
    places, turns = np.split(rows, [3 * len(asked_points)], axis=1)
    return Poses(
        {point: places[:, 3 * k : 3 * k + 3] for k, point in enumerate(asked_points)},
        {frame: turns[:, 9 * k : 9 * k + 9].reshape(-1, 3, 3) for k, frame in enumerate(asked_frames)},
    )


def pose_nodes(kinematics: Kinematics, points: Iterable[Point], frames: Iterable[Frame]) -> list[Node]:
    """Three nodes for each point, then nine for each frame: the rows of what turns its axes into the ground's."""
    nodes = [node for point in points for node in _place(kinematics, point)]
    return nodes + [node for frame in frames for node in _turn(kinematics, frame)]


def _place(kinematics: Kinematics, point: Point) -> list[Node]:
    apart = vector3.subtract(kinematics.position(point), kinematics.position(point.system.origin))
    return [vector3.dot(apart, axis) for axis in _axes(kinematics, point.system.ground)]


def _turn(kinematics: Kinematics, frame: Frame) -> list[Node]:
    own = _axes(kinematics, frame)
    return [vector3.dot(each, axis) for axis in _axes(kinematics, frame.system.ground) for each in own]


def _axes(kinematics: Kinematics, frame: Frame) -> list[Vector3]:
    return [kinematics.vector(axis) for axis in (frame.x, frame.y, frame.z)]
