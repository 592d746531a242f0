"""A scene as few things to draw: all bodies of one surface are one batch, with a pose for each and each frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from detent.jit.arrays import FloatArray
from detent.studio.mesh import Mesh, arrow, leading, rod, solid_meshes, sphere, tubes
from detent.view.colours import AXES, FORCE, INK, STILL, as_numbers, body_colours
from detent.view.mount import Mount
from detent.view.piece import Piece
from detent.view.scene import Scene

LINE: Final = 0.004
"""The radius of what stands for a line, relative to the size of the scene; rods are thicker, points still more."""
LONG: Final = 4.0
"""A scene that is larger than so many of its rods, as of one that walks, has rods and points to suit the rods."""
ROD: Final = 0.008
POINT: Final = 0.012
MASS: Final = 0.02
TOUCH: Final = 0.012
LONGEST_FORCE: Final = 0.3
"""How long the largest force is drawn, relative to the size of the scene."""
NO_COLOUR: Final = "#d8d8d8"
RODS: Final = "#5b7896"

RgbColour: TypeAlias = tuple[int, int, int]
Part: TypeAlias = Mount | tuple[str, str] | str


@final
@dataclass(frozen=True, eq=False)
class SurfaceBatch:
    """Things with one surface: where each is (frames, things, 3), how it is turned (w, x, y, z) and how large it is.

    The first axis is 1 for what stands still. A batch is shown with one node, however many things it has.
    """

    name: str
    mesh: Mesh
    places: FloatArray
    turns: FloatArray
    scales: FloatArray
    colours: NDArray[np.uint8]
    parts: tuple[Part, ...] = ()
    """What the things are: pieces by their mounts, rods by the names of their ends, points by name; or not said."""
    opacity: float | None = None

    @property
    def is_still(self) -> bool:
        """Whether nothing of it ever moves."""
        return len(self.places) == len(self.turns) == len(self.scales) == 1

    def at(self, frame: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Places, turns and scales at a frame."""
        return _row(self.places, frame), _row(self.turns, frame), _row(self.scales, frame)


def _row(values: FloatArray, frame: int) -> FloatArray:
    row: FloatArray = values[frame if len(values) > 1 else 0]
    return row


def batches_of(scene: Scene) -> list[SurfaceBatch]:
    """All that is to be drawn of a scene but its traces, which are lines.

    >>> import detent
    >>> from detent.view.scene import scene_of
    >>> run = detent.example("chain", links=9).simulate(until=1)
    >>> [(batch.name, batch.places.shape[1]) for batch in batches_of(scene_of(run, np.linspace(0, 1, 11)))]
    [('rods', 9), ('points', 19)]
    """
    return [*_pieces(scene), *_rods(scene), *_points(scene), *_touches(scene)]


# -- bodies ------------------------------------------------------------------------------------


def _pieces(scene: Scene) -> list[SurfaceBatch]:
    """The pieces of a scene, those of the same surface together."""
    colours = body_colours(piece.name for piece in scene.pieces if not piece.is_endless)
    found: dict[tuple[bytes, bool], list[tuple[Piece, Mesh, RgbColour]]] = {}
    for piece in scene.pieces:
        plain = NO_COLOUR if piece.is_endless or not piece.name else colours[piece.name]
        for mesh, colour in _surfaces(piece, plain, scene.size):
            found.setdefault((mesh.key, piece.is_endless), []).append((piece, mesh, colour))
    return [_piece_batch(f"bodies {number}", group, scene.times) for number, group in enumerate(found.values())]


def _surfaces(piece: Piece, colour: str, size: float) -> list[tuple[Mesh, RgbColour]]:
    if piece.solid is not None:
        return [(mesh, _rgb(colour, 0.8 if tone else 1.0)) for tone, mesh in solid_meshes(piece.solid).items()]
    if piece.kind == "axes":
        own = zip(piece.lines, AXES, strict=False)
        return [(tubes([line], LINE * size), _rgb(colour)) for line, colour in own]
    lines = [line for line in piece.lines if len(line) > 1]
    return [(tubes(lines, LINE * size), _rgb(STILL if piece.is_endless else colour))] if lines else []


def _piece_batch(name: str, group: Sequence[tuple[Piece, Mesh, RgbColour]], times: FloatArray) -> SurfaceBatch:
    from scipy.spatial.transform import Rotation

    pieces = [piece for piece, _, _ in group]
    places = _together([piece.places for piece in pieces])
    turns = [Rotation.from_matrix(piece.turns).as_quat()[:, [3, 0, 1, 2]] for piece in pieces]
    # What has not come yet is there without any size.
    sizes = [_sizes(piece, times) for piece in pieces]
    return SurfaceBatch(
        name, group[0][1], places, _together(turns), _together(sizes),
        np.array([colour for _, _, colour in group], np.uint8),
        tuple(piece.mount for piece in pieces if piece.mount is not None), 0.45 if pieces[0].is_endless else None,
    )  # fmt: skip


def _sizes(piece: Piece, times: FloatArray) -> FloatArray:
    there = [1.0] if piece.since is None else [float(piece.is_there(time)) for time in times.tolist()]
    return np.repeat(there, 3).reshape(-1, 3)


def _together(rows: Sequence[FloatArray]) -> FloatArray:
    """Rows of several things, (frames, numbers) each, as (frames, things, numbers); those that stand still repeated."""
    most = max(len(row) for row in rows)
    return np.stack([np.broadcast_to(row, (most, row.shape[1])) for row in rows], axis=1)


# -- rods and points ---------------------------------------------------------------------------


def _rods(scene: Scene) -> list[SurfaceBatch]:
    if not scene.rods:
        return []
    starts = _together([scene.points[first] for first, _ in scene.rods])
    ends = _together([scene.points[last] for _, last in scene.rods])
    along = ends - starts
    length = np.linalg.norm(along, axis=-1)
    scales = rod_scales(length, ROD * _stature(scene))
    if (scales == scales[:1]).all():
        scales = scales[:1]
    return [SurfaceBatch("rods", rod(), starts, leading(along), scales, _same(_rgb(RODS), len(scene.rods)), scene.rods)]


def rod_scales(length: FloatArray, radius: float) -> FloatArray:
    """The scales of rods of some lengths (m) and of one radius."""
    return np.stack([np.full_like(length, radius), np.full_like(length, radius), length], axis=-1)


def _stature(scene: Scene) -> float:
    """How large the model is, m: the scene, or less where the model is small in it."""
    lengths = [float(np.linalg.norm(scene.points[first][0] - scene.points[last][0])) for first, last in scene.rods]
    return min(scene.size, LONG * max(lengths)) if lengths else scene.size


def _points(scene: Scene) -> list[SurfaceBatch]:
    names = list(dict.fromkeys([*scene.masses, *scene.hinges, *(name for rod in scene.rods for name in rod)]))
    names = [name for name in names if name in scene.points]
    if not names:
        return []
    places = _together([scene.points[name] for name in names])
    stature = _stature(scene)
    sizes = np.array([(MASS if name in scene.masses else POINT) * stature for name in names])
    colours = np.array([_rgb(STILL if name in scene.hinges else INK) for name in names], np.uint8)
    scales = np.repeat(sizes[None, :, None], 3, axis=2)
    return [SurfaceBatch("points", sphere(), places, _upright(names), scales, colours, tuple(names))]


def _touches(scene: Scene) -> list[SurfaceBatch]:
    """Where contacts touch, and arrows of their forces; of no size where they do not."""
    touches = scene.touches
    if touches is None:
        return []
    names, points = touches.names, np.nan_to_num(touches.points)
    seen = np.repeat(touches.touching[:, :, None], 3, axis=2).astype(float)
    colours = _same(_rgb(FORCE), len(names))
    dots = SurfaceBatch("contacts", sphere(), points, _upright(names), TOUCH * scene.size * seen, colours)
    if not touches.largest > 0:
        return [dots]
    length = np.linalg.norm(touches.forces, axis=2) * LONGEST_FORCE * scene.size / touches.largest
    scales: FloatArray = np.repeat(length[:, :, None], 3, axis=2)
    return [dots, SurfaceBatch("forces", arrow(), points, leading(touches.forces), scales, colours)]


def touch_batches(names: Sequence[str]) -> list[SurfaceBatch]:
    """Dots and arrows for contacts of which nothing is known yet: all of no size."""
    nowhere, colours = np.zeros((1, len(names), 3)), _same(_rgb(FORCE), len(names))
    kinds = (("contacts", sphere()), ("forces", arrow())) if names else ()
    return [SurfaceBatch(name, mesh, nowhere, _upright(names), nowhere, colours) for name, mesh in kinds]


def _upright(things: Sequence[str]) -> FloatArray:
    return np.tile(np.array([1.0, 0.0, 0.0, 0.0]), (1, len(things), 1))


def _same(colour: RgbColour, count: int) -> NDArray[np.uint8]:
    return np.tile(np.array(colour, np.uint8), (count, 1))


def _rgb(colour: str, shade: float = 1.0) -> RgbColour:
    """A colour such as #4c78a8 as numbers up to 255, darker by a factor."""
    red, green, blue = (round(shade * number) for number in as_numbers(colour))
    return red, green, blue
