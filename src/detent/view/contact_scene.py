"""Shapes and contact forces as a picture shows them, as numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from detent.jit.arrays import FloatArray
from detent.model.outline import Lines, Look
from detent.model.shape import Shape
from detent.model.system import System
from detent.results.run import Run
from detent.simulation.evaluate import Evaluator
from detent.view.plane import PicturePlane

STILL = 1e-9
"""A shape that moves less than this, relative to its distances and lengths, stands still."""


def shapes_of(system: System) -> list[Shape]:
    """The shapes that may touch, each once."""
    every = (shape for contact in system.contacts.values() for shape in (contact.first, contact.second))
    return list(dict.fromkeys(every))


def shown_shapes(system: System, run: Run) -> list[tuple[Shape, dict[str, float]]]:
    """The shapes that may touch in a run, each with the values that it is drawn with.

    A curve that came during the run has those with which it was drawn last; one that never came is left out.
    """
    found = []
    for shape in shapes_of(system):
        flag = getattr(shape, "is_drawn", None)
        if flag is None:
            found.append((shape, run.parameters))
        elif len(nodes := np.flatnonzero(run.inputs[flag.name] > 0)):
            values = {name: float(column[nodes[-1]]) for name, column in run.inputs.items()}
            found.append((shape, {**run.parameters, **values}))
    return found


def shown_since(shape: Shape, run: Run) -> float:
    """Since when (s) a shape has been as it is drawn: what came during the run, since it was drawn last."""
    flag = getattr(shape, "is_drawn", None)
    if flag is None:
        return -np.inf
    columns = np.stack([np.asarray(column, dtype=float) for column in run.inputs.values()], axis=1)
    last = int(np.flatnonzero(run.inputs[flag.name] > 0)[-1])
    other = np.flatnonzero((columns[:last] != columns[last]).any(axis=1))
    return float(run.t[other[-1] + 1]) if len(other) else -np.inf


@final
@dataclass(frozen=True, eq=False)
class SeenShape:
    """A shape at each flash: where its own origin is, where its axes lead, and its sizes."""

    shape: Shape
    places: FloatArray
    """(flashes, 2)"""
    axes: FloatArray
    """(flashes, 3, 2)"""
    sizes: list[dict[str, float]]
    parameters: dict[str, float]

    @property
    def moves(self) -> bool:
        """Whether it has to be drawn at each flash."""
        size = max(1.0, float(np.abs(self.places).max()))
        still = np.ptp(self.places, axis=0).max() <= STILL * size and np.ptp(self.axes, axis=0).max() <= STILL
        return not (still and all(sizes == self.sizes[0] for sizes in self.sizes))

    def lines(self, number: int, middle: FloatArray, reach: float) -> Lines:
        """Its outline at a flash; what has no ends reaches so far from the place in the picture that is nearest."""
        place = self.places[number]
        look = Look(self.axes[number], middle - place, reach, self.parameters)
        return [line + place for line in self.shape.outline(self.sizes[number], look)]


def seen_shapes(evaluator: Evaluator, plane: PicturePlane, times: FloatArray, states: FloatArray) -> list[SeenShape]:
    """The shapes of a system in a picture at some times."""
    ground = evaluator.system.ground
    across, up = (getattr(ground, letter) for letter in (plane.across, plane.up))
    found = []
    for shape, values in shown_shapes(evaluator.system, evaluator.run):
        seat, names = shape.seat, list(shape.sizes)
        wanted = [seat.origin.along(axis) for axis in (across, up)]
        wanted += [own.dot(axis) for own in (seat.frame.x, seat.frame.y, seat.frame.z) for axis in (across, up)]
        wanted += [*seat.offset, *(value for axis in seat.axes for value in axis), *shape.sizes.values()]
        rows = evaluator.over(wanted, times, states)
        origin, frame, offset, axes, sizes = np.split(rows, np.cumsum([2, 6, 3, 9]), axis=1)
        frames = frame.reshape(-1, 3, 2)
        places = origin + np.einsum("tk,tkx->tx", offset, frames)
        turned = np.einsum("tik,tkx->tix", axes.reshape(-1, 3, 3), frames)
        named = [dict(zip(names, row, strict=True)) for row in sizes.tolist()]
        found.append(SeenShape(shape, places, turned, named, values))
    return found


@final
@dataclass(frozen=True, eq=False)
class SeenForces:
    """Contact forces at each flash: where they act and which way, two columns each; and the largest of them, N."""

    points: FloatArray
    """(flashes, places, 2)"""
    forces: FloatArray
    largest: float


def seen_forces(run: Run, plane: PicturePlane, times: FloatArray) -> SeenForces | None:
    """The contact forces of a run in a picture; None where there are none at these times."""
    columns = ["xyz".index(letter) for letter in (plane.across, plane.up)]
    courses = [place for contact in run.contacts.values() for place in contact.values()]
    if not courses:
        return None
    points = np.stack([between_nodes(run, course.point[:, columns], times) for course in courses], axis=1)
    forces = np.stack([between_nodes(run, course.force[:, columns], times) for course in courses], axis=1)
    forces = np.nan_to_num(forces)
    largest = float(np.linalg.norm(forces, axis=2).max())
    return SeenForces(points, forces, largest) if largest > 0.0 else None


def between_nodes(run: Run, values: FloatArray, times: FloatArray) -> FloatArray:
    """Values between the nodes, on straight lines; at a jump, those after it."""
    node = np.searchsorted(run.t, times, side="right") - 1
    following = np.minimum(node + 1, len(run.t) - 1)
    step = np.where(following > node, run.t[following] - run.t[node], 1.0)
    part = ((times - run.t[node]) / step)[:, None]
    between: FloatArray = values[node] + part * (values[following] - values[node])
    return between
