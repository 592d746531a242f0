"""Shapes and contact forces as a picture shows them, as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, final

import numpy as np

from detent.jit.arrays import FloatArray
from detent.model.outline import Lines, Look
from detent.model.shape import Shape
from detent.model.system import System
from detent.results.run import Run
from detent.simulation.evaluate import Evaluator
from detent.view.plane import PicturePlane

MOST_DRAWN: Final = 200
"""So many of the times that one curve is drawn are shown: the last ones."""
STILL = 1e-9
"""A shape that moves less than this, relative to its distances and lengths, stands still."""


def shapes_of(system: System) -> list[Shape]:
    """The shapes that may touch, each once."""
    every = (shape for contact in system.contacts.values() for shape in (contact.first, contact.second))
    return list(dict.fromkeys(every))


@final
@dataclass(frozen=True, eq=False)
class ShownShape:
    """A shape, the values that it is drawn with, and from when until when (s) it is there."""

    shape: Shape
    values: dict[str, float]
    since: float | None = None
    """None of what is always there."""
    until: float = np.inf


def shown_shapes(system: System, run: Run) -> list[ShownShape]:
    """The shapes that may touch in a run; a curve that is drawn during the run once for each time that it is drawn.

    Of one that is drawn over and over, the last so many; one that is never drawn is left out.
    """
    found = []
    for shape in shapes_of(system):
        flag = getattr(shape, "is_drawn", None)
        if flag is None:
            found.append(ShownShape(shape, run.parameters))
        else:
            drawing = next(each for each in system.drawings.values() if each.is_drawn == flag.name)
            found += _drawn(shape, run, drawing.inputs, flag.name)[-MOST_DRAWN:]
    return found


def _drawn(shape: Shape, run: Run, inputs: Sequence[str], flag: str) -> list[ShownShape]:
    """A curve each time that it is drawn: the nodes between two changes of its own inputs."""
    columns = np.stack([np.asarray(run.inputs[name], dtype=float) for name in inputs], axis=1)
    changes = 1 + np.flatnonzero((columns[1:] != columns[:-1]).any(axis=1))
    bounds = [0, *changes.tolist(), len(columns)]
    found = []
    for first, after in pairwise(bounds):
        if run.inputs[flag][first] > 0:
            values = {**run.parameters, **dict(zip(inputs, columns[first].tolist(), strict=True))}
            since = float(run.t[first]) if first > 0 else -np.inf
            found.append(ShownShape(shape, values, since, float(run.t[after]) if after < len(columns) else np.inf))
    return found


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
    last = {shown.shape: shown.values for shown in shown_shapes(evaluator.system, evaluator.run)}
    for shape, values in last.items():
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
    """Contact forces at each flash: where they act and which way, two columns each, N."""

    points: FloatArray
    """(flashes, places, 2)"""
    forces: FloatArray
    largest: float
    """Of them as they are seen."""
    whole: float
    """The largest of all, of which a picture may see a part."""


def seen_forces(run: Run, plane: PicturePlane, times: FloatArray) -> SeenForces | None:
    """The contact forces of a run in a picture; None where there are none at these times."""
    columns = ["xyz".index(letter) for letter in (plane.across, plane.up)]
    courses = [place for contact in run.contacts.values() for place in contact.values()]
    if not courses:
        return None
    points = np.stack([between_nodes(run, course.point[:, columns], times) for course in courses], axis=1)
    whole = np.nan_to_num(np.stack([between_nodes(run, course.force, times) for course in courses], axis=1))
    forces = whole[:, :, columns]
    largest, greatest = (float(np.linalg.norm(each, axis=2).max()) for each in (forces, whole))
    return SeenForces(points, forces, largest, greatest) if largest > 0.0 else None


def between_nodes(run: Run, values: FloatArray, times: FloatArray) -> FloatArray:
    """Values between the nodes, on straight lines; at a jump, those after it."""
    node = np.searchsorted(run.t, times, side="right") - 1
    following = np.minimum(node + 1, len(run.t) - 1)
    step = np.where(following > node, run.t[following] - run.t[node], 1.0)
    part = ((times - run.t[node]) / step)[:, None]
    between: FloatArray = values[node] + part * (values[following] - values[node])
    return between
