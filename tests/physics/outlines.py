"""Convex outlines in the plane, and how far two of them are apart along a run, by separating axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

import detent

Numbers = NDArray[np.float64]


@final
@dataclass(frozen=True)
class Outline:
    """Corners along a body's axes, counterclockwise, and how far the outline is around them: a disk has one corner."""

    corners: tuple[tuple[float, float], ...]
    radius: float = 0.0

    def placed(self, run: detent.Run, name: str) -> Numbers:
        """Its corners at each node of a run, along the axes of the ground; ``name`` is that of its planar joint."""
        angle, x, y = run[f"{name}_angle"], run[f"{name}_x"], run[f"{name}_y"]
        cos, sin, own = np.cos(angle)[:, None], np.sin(angle)[:, None], np.array(self.corners)
        turned = cos * own[:, 0] - sin * own[:, 1], sin * own[:, 0] + cos * own[:, 1]
        return np.stack([x[:, None] + turned[0], y[:, None] + turned[1]], axis=-1)


def apart(first: Outline, second: Outline, at_first: Numbers, at_second: Numbers) -> Numbers:
    """How far apart two outlines are at most along any of their axes; negative: how deep they overlap."""
    axes = [*_outwards(at_first), *(-axis for axis in _outwards(at_second))]
    for one in range(at_first.shape[1]):
        axes += [_unit(at_second[:, other] - at_first[:, one]) for other in range(at_second.shape[1])]
    widest = np.full(len(at_first), -np.inf)
    for axis in axes:
        along_first, along_second = (np.einsum("tkc,tc->tk", at, axis) for at in (at_first, at_second))
        widest = np.maximum(widest, along_second.min(axis=1) - along_first.max(axis=1) - first.radius - second.radius)
    return widest


def _outwards(corners: Numbers) -> list[Numbers]:
    """The normals of the sides."""
    if corners.shape[1] == 1:
        return []
    sides = np.roll(corners, -1, axis=1) - corners
    return [_unit(np.stack([side[:, 1], -side[:, 0]], axis=-1)) for side in sides.transpose(1, 0, 2)]


def _unit(vector: Numbers) -> Numbers:
    # corners may coincide to the last bit, and then they say nothing about an axis
    length = np.linalg.norm(vector, axis=-1, keepdims=True)
    return np.where(length > 0.0, vector / np.where(length > 0.0, length, 1.0), [1.0, 0.0])
