"""Where the things of batches are in a live run, as of its last step: one program for all of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeAlias, final

import numpy as np

from detent.jit.arrays import FloatArray
from detent.model.system import System
from detent.simulation.live import Live
from detent.simulation.live_reading import LiveReading
from detent.studio.batches import SurfaceBatch, rod_scales
from detent.studio.mesh import leading
from detent.view.mount import Mount
from detent.view.poses import pose_nodes

Placed: TypeAlias = tuple[FloatArray, FloatArray | None, FloatArray | None]
"""Places, turns (w, x, y, z) and scales of the things of a batch; None for what does not change."""
NO_ROWS: Final = np.empty(0, dtype=int)


@final
class LiveMotion:
    """Reads the places and turns of some batches' things off a live run.

    Batches may come from a run of another system of the same make: their parts are known by the names of points and
    frames. Those whose things are not said stand still.
    """

    def __init__(self, live: Live, system: System, batches: Sequence[SurfaceBatch]) -> None:
        mounts = [part for batch in batches for part in batch.parts if isinstance(part, Mount)]
        named = [part for batch in batches for part in batch.parts if not isinstance(part, Mount)]
        ends = [name for part in named for name in ((part,) if isinstance(part, str) else part)]
        points = list(dict.fromkeys([*(mount.point.name for mount in mounts), *ends]))
        frames = list(dict.fromkeys(mount.frame.name for mount in mounts))
        own_points, own_frames = [system.points[name] for name in points], [system.frames[name] for name in frames]
        self._points = len(points)
        self._reading = LiveReading(live, lambda kinematics: pose_nodes(kinematics, own_points, own_frames))
        self._movers = [_mover(batch, points, frames) for batch in batches]

    def now(self) -> tuple[float, list[Placed | None]]:
        """The time (s), and where the things of each batch are; None for one that stands still."""
        time, values = self._reading.now()
        places, turns = values[: 3 * self._points].reshape(-1, 3), values[3 * self._points :].reshape(-1, 3, 3)
        return time, [None if mover is None else mover(places, turns) for mover in self._movers]


_Mover: TypeAlias = Callable[[FloatArray, FloatArray], Placed]


def _mover(batch: SurfaceBatch, points: list[str], frames: list[str]) -> _Mover | None:
    mounts = [part for part in batch.parts if isinstance(part, Mount)]
    rods = [part for part in batch.parts if isinstance(part, tuple)]
    alone = [part for part in batch.parts if isinstance(part, str)]
    if mounts:
        return _pieces_mover(mounts, points, frames)
    if rods:
        return _rods_mover(rods, points, float(batch.scales[0, 0, 0]))
    if alone:
        rows = np.array([points.index(name) for name in alone])
        return lambda places, turns: (places[rows], None, None)
    return None


def _pieces_mover(mounts: list[Mount], points: list[str], frames: list[str]) -> _Mover:
    from scipy.spatial.transform import Rotation

    at = np.array([points.index(mount.point.name) for mount in mounts])
    along = np.array([frames.index(mount.frame.name) for mount in mounts])
    offsets, axes = (np.array([getattr(mount, name) for mount in mounts]) for name in ("offset", "axes"))

    def moved(places: FloatArray, turns: FloatArray) -> Placed:
        own = turns[along]
        where: FloatArray = places[at] + (own @ offsets[:, :, None])[:, :, 0]
        turned: FloatArray = Rotation.from_matrix(own @ axes).as_quat()[:, [3, 0, 1, 2]]
        return where, turned, None

    return moved


def _rods_mover(rods: list[tuple[str, str]], points: list[str], radius: float) -> _Mover:
    first, last = (np.array([points.index(rod[end]) for rod in rods]) for end in (0, 1))

    def moved(places: FloatArray, turns: FloatArray) -> Placed:
        along = places[last] - places[first]
        return places[first], leading(along), rod_scales(np.linalg.norm(along, axis=-1), radius)

    return moved
