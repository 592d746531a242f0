"""Surfaces of triangles: what the studio draws bodies, rods, lines and arrows with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from detent.jit.arrays import FloatArray
from detent.model.solid import Solid, ball, round_solid

SIDES: Final = 6
"""Of the tube that stands for a line."""


@final
@dataclass(frozen=True, eq=False)
class Mesh:
    """Places (m) and triangles by the numbers of their corners, counter-clockwise seen from outside."""

    places: NDArray[np.float32]
    triangles: NDArray[np.uint32]

    @property
    def key(self) -> bytes:
        """The same for the same surface."""
        return self.places.tobytes() + b"|" + self.triangles.tobytes()


def solid_meshes(solid: Solid) -> dict[int, Mesh]:
    """The surface of a solid by its two shades: 0 and 1.

    >>> from detent.model.solid import box
    >>> len(solid_meshes(box(1.0, 1.0, 1.0))[0].triangles)
    12
    """
    places = np.array(solid.places, np.float32)
    return {
        tone: Mesh(places, _fans([face for face, own in zip(solid.faces, solid.tones, strict=True) if own == tone]))
        for tone in sorted(set(solid.tones))
    }


def _fans(faces: Sequence[Sequence[int]]) -> NDArray[np.uint32]:
    """Faces of any number of corners as triangles."""
    return np.array([(f[0], f[k], f[k + 1]) for f in faces for k in range(1, len(f) - 1)], np.uint32).reshape(-1, 3)


def tubes(lines: Sequence[FloatArray], radius: float) -> Mesh:
    """Thin tubes along lines.

    >>> len(tubes([np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]])], 0.1).triangles)
    24
    """
    starts = np.concatenate([line[:-1] for line in lines])
    ends = np.concatenate([line[1:] for line in lines])
    along = ends - starts
    length = np.linalg.norm(along, axis=1, keepdims=True)
    kept = length[:, 0] > 0
    starts, ends, along = starts[kept], ends[kept], along[kept] / length[kept]
    first = np.cross(along, np.eye(3)[np.argmin(np.abs(along), axis=1)])
    first /= np.linalg.norm(first, axis=1, keepdims=True)
    second = np.cross(along, first)
    angles = 2 * np.pi * np.arange(SIDES) / SIDES
    ring = radius * (np.cos(angles)[:, None] * first[:, None, :] + np.sin(angles)[:, None] * second[:, None, :])
    places = np.concatenate([starts[:, None, :] + ring, ends[:, None, :] + ring], axis=1).reshape(-1, 3)
    base = 2 * SIDES * np.arange(len(starts))[:, None, None]
    return Mesh(places.astype(np.float32), (base + _sleeve()).reshape(-1, 3).astype(np.uint32))


def _sleeve() -> NDArray[np.int64]:
    """The triangles between two rings."""
    each = np.arange(SIDES)
    following = (each + 1) % SIDES
    lower = np.stack([each, following, SIDES + following], axis=1)
    upper = np.stack([each, SIDES + following, SIDES + each], axis=1)
    return np.concatenate([lower, upper])


def sphere() -> Mesh:
    """A ball of radius 1."""
    return _whole(round_solid(ball(1.0)))


def rod() -> Mesh:
    """A cylinder of radius 1 along z, from 0 to 1."""
    return _whole(round_solid([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]))


def arrow() -> Mesh:
    """An arrow along z, from 0 to 1."""
    return _whole(round_solid([(0.0, 0.0), (0.035, 0.0), (0.035, 0.75), (0.09, 0.75), (0.0, 1.0)]))


def _whole(solid: Solid) -> Mesh:
    return Mesh(np.array(solid.places, np.float32), _fans(solid.faces))


def leading(along: FloatArray) -> FloatArray:
    """The quaternions (w, x, y, z) of the shortest turns that take z to directions (..., 3).

    >>> leading(np.array([[0.0, 0.0, 2.0], [0.0, 0.0, -1.0]])).tolist()
    [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0]]
    """
    length = np.linalg.norm(along, axis=-1, keepdims=True)
    unit = np.where(length > 0, along / np.where(length > 0, length, 1.0), np.eye(3)[2])
    x, y, z = np.moveaxis(unit, -1, 0)
    found = np.stack([1.0 + z, -y, x, np.zeros_like(z)], axis=-1)
    found = np.where(z[..., None] < -1 + 1e-12, np.array([0.0, 1.0, 0.0, 0.0]), found)
    turned: FloatArray = found / np.linalg.norm(found, axis=-1, keepdims=True)
    return turned
