"""A piece of a scene: something that moves as a whole, with faces or lines along axes of its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, final

import numpy as np

from detent.jit.arrays import FloatArray
from detent.model.body import Body
from detent.model.outline import ROUND, Look, places_on_arc
from detent.model.solid import Solid, ball, round_solid
from detent.model.system import System
from detent.simulation.values import Values
from detent.view.contact_scene import ShownShape, shapes_of, shown_shapes
from detent.view.mount import Mount, mount_of
from detent.view.plane import PicturePlane, is_fixed
from detent.view.poses import Poses
from detent.view.skeleton import Skeleton, has_inertia

THIN: Final = 0.03
"""The least half axis of an ellipsoid relative to its longest: a flat body is still seen from its edge."""
INSIDE: Final = 1e-6
"""How far a point may be outside of a box, relative to it, and still counts as inside."""
BARE: Final = ("mass", "link", "point")
"""Kinds of pieces that a body has which has no outline or faces of its own."""
AXIS: Final = 1.4
"""How long an axis is at most, relative to the longest half axis of what stands for the body."""
BEYOND: Final = 0.65
"""How far what has no ends goes beyond the middle of the picture, relative to its size."""


@final
@dataclass(frozen=True, eq=False)
class Piece:
    """Something rigid: where its own origin is, and how its axes stand.

    >>> piece = Piece("box", "box", np.zeros((1, 3)), np.eye(3)[None], (np.array([[1.0, 0.0, 0.0]]),), None)
    >>> piece.corners().tolist()
    [[[1.0, 0.0, 0.0]]]
    """

    name: str
    """Of the body or frame that carries it."""
    kind: str
    """A kind of shape; or ``mass``, which stands for a body without shapes, and ``axes``."""
    places: FloatArray
    """(times, 3); one row, as of the turns, where it stands still."""
    turns: FloatArray
    """(times, 3, 3): the columns are its axes along the ground's."""
    lines: tuple[FloatArray, ...]
    """Each with a row (x, y, z) for every place that it joins, along its own axes (m)."""
    solid: Solid | None
    mount: Mount | None = None
    """What it is fixed to."""
    since: float | None = None
    """When it came (s), if it came during the run."""
    until: float = np.inf
    """When it went (s), or was drawn anew."""

    @property
    def is_drawn(self) -> bool:
        """Whether it came during the run."""
        return self.since is not None

    def is_there(self, time: float) -> bool:
        """Whether it has come by a time (s), and has not gone."""
        return self.since is None or self.since <= time < self.until

    @property
    def is_still(self) -> bool:
        """Whether it stays where it is."""
        return len(self.places) == 1

    @property
    def is_endless(self) -> bool:
        """Whether it goes on beyond the picture."""
        return self.kind in ("line", "plane")

    def corners(self) -> FloatArray:
        """Where all its places are: (times, places, 3)."""
        own = [*self.lines, *([] if self.solid is None else [np.array(self.solid.places)])]
        every = np.concatenate(own) if own else np.zeros((1, 3))
        found: FloatArray = self.places[:, None, :] + np.einsum("tij,kj->tki", self.turns, every)
        return found

    def holds(self, paths: Sequence[FloatArray]) -> bool:
        """Whether points (times, 3) are always in the box that its own places fill: then it hides what joins them."""
        if self.is_endless or self.kind in ("axes", *BARE):
            return False
        own = np.concatenate([*self.lines, *([] if self.solid is None else [np.array(self.solid.places)])])
        low, high = own.min(axis=0), own.max(axis=0)
        room = INSIDE * float((high - low).max())
        inner = [np.einsum("tji,tj->ti", self.turns, path - self.places) for path in paths]
        return all(bool(((low - room <= places) & (places <= high + room)).all()) for places in inner)

    def extent(self) -> FloatArray:
        """What of it is to be in a picture: all; of what has no ends the middle, which is nearest to the rest."""
        corners = self.corners()
        return corners.mean(axis=1) if self.is_endless else corners


def shape_pieces(system: System, values: Values, moved: Poses, bounds: tuple[FloatArray, FloatArray]) -> list[Piece]:
    """A piece for each shape that may touch; what has no ends goes as far as the picture does."""
    return [_shape_piece(shown, values, moved, bounds) for shown in shown_shapes(system, values.run)]


def _shape_piece(shown: ShownShape, values: Values, moved: Poses, bounds: tuple[FloatArray, FloatArray]) -> Piece:
    shape, seat, start = shown.shape, shown.shape.seat, values.first_time
    asked = [*seat.offset, *(value for axis in seat.axes for value in axis), *shape.sizes.values()]
    offset, axes, numbers = np.split(values.over(asked, start)[0], [3, 12])
    sizes = dict(zip(shape.sizes, numbers.tolist(), strict=True))
    mount = Mount(seat.origin, seat.frame, offset, axes.reshape(3, 3).T)
    places, own = mount.over(moved)
    look = _look(places, own, bounds, shown.values)
    solid = shape.solid(sizes, look)
    lines = () if solid is not None else tuple(np.asarray(line) for line in shape.outline(sizes, look))
    name = getattr(seat.carrier, "name", "")
    return _short(Piece(name, shape.kind, places, own, lines, solid, mount, shown.since, shown.until))


def _look(
    places: FloatArray, turns: FloatArray, bounds: tuple[FloatArray, FloatArray], own_values: dict[str, float]
) -> Look:
    """How a shape is looked at whose origin and axes these are: what has no ends is to reach across the picture at all
    times, also where it turns."""
    low, high = bounds
    middles = np.einsum("tji,tj->ti", turns, (low + high) / 2 - places)
    middle = middles.mean(axis=0)
    further = float(np.linalg.norm(middles - middle, axis=1).max())
    return Look(np.eye(3), middle, BEYOND * float((high - low).max()) + further, own_values)


def link_pieces(system: System, values: Values, moved: Poses) -> list[Piece]:
    """Lines from the centres of bodies to their points that may touch, which would be seen as dots in the void."""
    found: dict[Body, list[tuple[Mount, FloatArray]]] = {}
    for shape in shapes_of(system):
        seat = shape.seat
        if shape.kind != "point" or not isinstance(seat.carrier, Body):
            continue
        offset = values.over(list(seat.offset), values.first_time)[0]
        if np.abs(offset).max() > 0:
            found.setdefault(seat.carrier, []).append((mount_of(seat.origin, seat.frame), offset))
    return [
        _short(Piece(body.name, "link", *mount.over(moved), (np.array([np.zeros(3), offset]),), None, mount))
        for body, links in found.items()
        for mount, offset in links
    ]


def mass_pieces(
    values: Values, moved: Poses, bodies: Iterable[Body], skeleton: Skeleton, plane: PicturePlane | None
) -> list[Piece]:
    """What stands for bodies without shapes.

    In space that is the ellipsoid of even density with the same mass and moments of inertia. In the plane it is a
    circle with the radius of gyration and one spoke, unless rods show already how the body turns.
    """
    turning = [body for body in bodies if has_inertia(body)]
    if plane is None:
        return [_ellipsoid(values, moved, body) for body in turning if not body.inertia.planar]
    return [_gyration(values, moved, body, plane) for body in turning if body.frame not in skeleton.framed]


def _gyration(values: Values, moved: Poses, body: Body, plane: PicturePlane) -> Piece:
    moment, mass = values.over([getattr(body.inertia, 2 * plane.normal), body.mass], values.first_time)[0]
    radius = float(np.sqrt(moment / mass))
    first = "xyz".index({"z": "x", "y": "x", "x": "y"}[plane.normal])
    second = 3 - first - "xyz".index(plane.normal)
    circle, spoke = np.zeros((ROUND, 3)), np.zeros((2, 3))
    circle[:, [first, second]] = places_on_arc(radius, 0.0, 2 * np.pi)
    spoke[1, first] = radius
    return _own(moved, body, "mass", (circle, spoke), None)


def _ellipsoid(values: Values, moved: Poses, body: Body) -> Piece:
    """A solid ellipsoid has m/5 times the sums of the squares of two half axes for its principal moments."""
    inertia = body.inertia
    asked = [inertia.xx, inertia.yy, inertia.zz, inertia.xy, inertia.yz, inertia.zx, body.mass]
    xx, yy, zz, xy, yz, zx, mass = values.over(asked, values.first_time)[0]
    moments, axes = np.linalg.eigh(np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]]))
    squares = 5.0 / (2.0 * mass) * (moments.sum() - 2.0 * moments)
    half = np.sqrt(np.maximum(squares, 0.0))
    half = np.maximum(half, THIN * half.max())
    unit = round_solid(ball(1.0))
    shaped = (np.array(unit.places) * half) @ axes.T
    solid = Solid(tuple((x, y, z) for x, y, z in shaped.tolist()), unit.faces, unit.tones)
    if np.linalg.det(axes) < 0:
        solid = solid.turned_inside_out()
    return _own(moved, body, "mass", (), solid)


def framed_pieces(system: System, moved: Poses, pieces: Sequence[Piece], length: float) -> list[Piece]:
    """The axes of bodies in space that have no shape, each so long (m), but not much longer than its ellipsoid."""
    shaped = {piece.name for piece in pieces if piece.kind not in BARE}
    sizes = {piece.name: np.abs(piece.solid.places).max() for piece in pieces if piece.solid is not None}
    bodies = [body for body in system.bodies.values() if body.name not in shaped and has_inertia(body)]
    return [
        _own(moved, body, "axes", tuple(np.array([np.zeros(3), min(length, own) * axis]) for axis in np.eye(3)), None)
        for body in bodies
        for own in [AXIS * float(sizes.get(body.name, np.inf))]
    ]


def _own(moved: Poses, body: Body, kind: str, lines: tuple[FloatArray, ...], solid: Solid | None) -> Piece:
    """A piece at a body's centre, along its axes."""
    mount = mount_of(body.center, body.frame)
    return _short(Piece(body.name, kind, *mount.over(moved), lines, solid, mount))


def _short(piece: Piece) -> Piece:
    """One row for what stands still."""
    mount = piece.mount
    still = mount is not None and is_fixed(mount.point) and is_fixed(mount.frame)
    rows = slice(0, 1) if still else slice(None)
    return replace(piece, places=piece.places[rows], turns=piece.turns[rows])
