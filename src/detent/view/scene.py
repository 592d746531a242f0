"""A model in motion, as numbers: what there is to draw and where it is at each frame, however it is then drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from detent.errors import DetentError
from detent.hybrid.automaton import system_of
from detent.jit.arrays import FloatArray
from detent.model.frame import Frame
from detent.model.system import System
from detent.results.run import Run
from detent.simulation.values import Values
from detent.view.camera import Camera, camera_for
from detent.view.clipping import clipped
from detent.view.piece import BARE, Piece, framed_pieces, link_pieces, mass_pieces, shape_pieces
from detent.view.plane import PicturePlane, plane_of
from detent.view.poses import Poses, poses
from detent.view.skeleton import Skeleton
from detent.view.touches import Touches, touches_of
from detent.view.trace import Trace, trace_of


@final
@dataclass(frozen=True, eq=False)
class Scene:
    """What is seen of a run at some times (s).

    Lengths are metres along the ground's axes, from the origin; ``points`` and the pieces have a row for each time, or
    a single one where they stand still.

    >>> import detent
    >>> run = detent.example("double-pendulum").simulate(until=1)
    >>> scene = scene_of(run, np.linspace(0, 1, 31))
    >>> scene.rods
    (('elbow', 'origin'), ('tip', 'elbow'))
    >>> scene.points["tip"].shape
    (31, 3)
    """

    name: str
    times: FloatArray
    points: dict[str, FloatArray]
    """Where points are, by name: those of rods and of masses."""
    rods: tuple[tuple[str, str], ...]
    """Lines between two points of which one moves or has a mass, by their names."""
    hinges: tuple[str, ...]
    """Points that stand still and from which a rod goes that moves."""
    masses: tuple[str, ...]
    """Points at which bodies have their centres, of those that have no faces around it."""
    pieces: tuple[Piece, ...]
    traces: tuple[Trace, ...]
    touches: Touches | None
    """Where contacts touch and their forces; None where nothing ever touches, or they are not wanted."""
    camera: Camera
    planar: bool
    size: float
    """The longest of its edges, m; never zero."""


def scene_of(
    run: Run,
    times: FloatArray,
    traces: Sequence[str] | None = None,
    forces: bool = True,
) -> Scene:
    """The scene of a run that knows its model. ``traces`` names points with paths; without it, the model's ends."""
    system = system_of(run.model)
    if system is None:
        raise DetentError(
            f"the run '{run.name}' does not hold its model, as it came from a file or another process; give the system "
            "that was run: detent.animate(run, path, system=system), or run.with_model(system)"
        )
    values = Values(run, run.model)
    plane = _plane(system)
    moved = poses(values, system.points.values(), _frames(system), times)
    paths = {point.name: place for point, place in moved.places.items()}
    low, high = _bounds(list(paths.values()))
    skeleton = Skeleton(system, paths, float((high - low).max()))
    found = _pieces(system, values, moved, skeleton, plane, (low, high))
    traced = [trace_of(values, run, system.points[name]) for name in skeleton.traced(traces)]
    touches = touches_of(values, run, times) if forces else None
    low, high = _bounds([*paths.values(), *(piece.extent() for piece in found), *(t.places for t in traced)])
    size = float((high - low).max()) or 1.0
    pieces = clipped(_pieces(system, values, moved, skeleton, plane, (low, high)))
    if plane is None:
        pieces += framed_pieces(system, moved, pieces, 0.12 * size)
    centers = {body.name: body.center.name for body in system.bodies.values()}
    seen = [rod for rod in skeleton.rods if skeleton.moving.union(centers.values()).intersection(rod)]
    rods = [rod for rod in seen if not any(piece.holds([paths[name] for name in rod]) for piece in pieces)]
    hinges = {parent for _, parent in rods} - skeleton.moving
    solid = {piece.name for piece in pieces if piece.solid is not None}
    masses = dict.fromkeys(center for body, center in centers.items() if body not in solid)
    needed = hinges.union(masses, *rods)
    return Scene(
        name=run.name,
        times=times,
        points={name: paths[name][: None if name in skeleton.moving else 1] for name in paths if name in needed},
        rods=tuple(rods),
        hinges=tuple(name for name in paths if name in hinges),
        masses=tuple(masses),
        pieces=tuple(pieces),
        traces=tuple(traced),
        touches=touches,
        camera=camera_for(system, values, plane, low, high),
        planar=plane is not None,
        size=size,
    )  # fmt: skip


def _plane(system: System) -> PicturePlane | None:
    """The plane of a planar model; None for one in space."""
    try:
        return plane_of(system)
    except DetentError:
        return None


def _frames(system: System) -> list[Frame]:
    """The frames of bodies and of shapes."""
    seats = [shape.seat.frame for contact in system.contacts.values() for shape in (contact.first, contact.second)]
    return list(dict.fromkeys([*(body.frame for body in system.bodies.values()), *seats]))


def _pieces(
    system: System, values: Values, moved: Poses, skeleton: Skeleton, plane: PicturePlane | None,
    bounds: tuple[FloatArray, FloatArray],
) -> list[Piece]:  # fmt: skip
    """Shapes, and bodies without; what has no ends reaches as far as the bounds."""
    shaped = shape_pieces(system, values, moved, bounds)
    carriers = {piece.name for piece in shaped if piece.kind not in BARE}
    plain = [body for body in system.bodies.values() if body.name not in carriers]
    return shaped + link_pieces(system, values, moved) + mass_pieces(values, moved, plain, skeleton, plane)


def _bounds(places: list[FloatArray]) -> tuple[FloatArray, FloatArray]:
    every = np.concatenate([np.asarray(each).reshape(-1, 3) for each in places])
    known = every[np.isfinite(every).all(axis=1)]
    return known.min(axis=0), known.max(axis=0)
