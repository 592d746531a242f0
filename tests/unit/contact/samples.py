"""Shapes as plain sets of points, for distances that know nothing of how the library works them out."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.optimize import minimize

from detent.model.shape import Shape
from detent.model.track import Bend

Array = np.ndarray[Any, Any]
ANGLE = (-20.0, 20.0)
"""Bounds of an angle that goes round: none that a search from within half a turn would reach."""
BIG = 60.0
"""How far a line or plane is sampled; far more than shapes are apart."""


@dataclass(frozen=True)
class Patch:
    """Points by parameters within bounds; ``sharp`` says whether parameters give a point of an edge or corner."""

    bounds: list[tuple[float, float]]
    point: Callable[[Array], Array]
    sharp: Callable[[Array], bool]


def at_bounds(bounds: list[tuple[float, float]], values: Array) -> int:
    return sum(min(abs(v - low), abs(v - high)) < 1e-6 for v, (low, high) in zip(values, bounds, strict=True))


def smooth(values: Array) -> bool:
    return False


def line_piece(start: Array, end: Array) -> Patch:
    bounds = [(0.0, 1.0)]
    return Patch(bounds, lambda u: start + u[..., :1] * (end - start), lambda u: at_bounds(bounds, u) > 0)


def circle_piece(radius: float, first: float, last: float, whole: bool) -> Patch:
    bounds = [ANGLE] if whole else [(first, last)]
    sharp = smooth if whole else lambda u: at_bounds(bounds, u) > 0
    return Patch(bounds, lambda u: radius * around(u[..., 0]), sharp)


def around(angle: Array) -> Array:
    return np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=-1)


def unit(values: Array) -> Array:
    return values / np.linalg.norm(values, axis=-1, keepdims=True)


def padded(values: Array) -> Array:
    """Parameters that are the first coordinates themselves."""
    return np.concatenate([values, np.zeros((*values.shape[:-1], 3 - values.shape[-1]))], axis=-1)


def patches(shape: Shape, sizes: dict[str, float]) -> list[Patch]:
    """The surface of a shape, along its own axes; for a convex body any set with that surface will do."""
    kind, r = shape.kind, sizes.get("radius", 0.0)
    if kind == "point":
        return [Patch([], padded, lambda u: True)]
    if kind in ("circle", "rim"):
        return [circle_piece(r, 0, 0, whole=True)]
    if kind == "line":
        return [Patch([(-BIG, BIG)], padded, smooth)]
    if kind == "plane":
        return [Patch([(-BIG, BIG)] * 2, padded, smooth)]
    if kind in ("segment", "polygon"):
        count = len(sizes) // 2
        corners = [np.array([sizes[f"x{k}"], sizes[f"y{k}"], 0.0]) for k in range(1, count + 1)]
        return [line_piece(a, b) for a, b in pairwise([*corners, corners[0]] if kind == "polygon" else corners)]
    if kind == "arc":
        first, last = sizes["middle"] - sizes["half"], sizes["middle"] + sizes["half"]
        return [circle_piece(r, first, last, shape.structure[2])]
    if kind == "track":
        return track_patches(shape, sizes)
    if kind in ("sphere", "hollow sphere"):
        return [Patch([(-1.0, 1.0)] * 3, lambda u: r * unit(u), smooth)]
    return solid_patches(kind, sizes, r)


def track_patches(shape: Shape, sizes: dict[str, float]) -> list[Patch]:
    made = []
    for k, bend in enumerate(shape.structure[1], 1):
        if bend is Bend.STRAIGHT:
            ends = [np.array([sizes[f"x{j}"], sizes[f"y{j}"], 0.0]) for j in (k, k + 1)]
            made.append(line_piece(*ends))
            continue
        center, middle, half = np.array([sizes[f"center x {k}"], sizes[f"center y {k}"], 0.0]), *(
            sizes[f"{word} {k}"] for word in ("middle", "half"))  # fmt: skip
        piece = circle_piece(sizes[f"radius {k}"], middle - half, middle + half, whole=False)
        made.append(Patch(piece.bounds, lambda u, c=center, p=piece: c + p.point(u), piece.sharp))
    return made


def solid_patches(kind: str, sizes: dict[str, float], r: float) -> list[Patch]:
    if kind == "box":
        bounds = [(-sizes[f"length {letter}"] / 2, sizes[f"length {letter}"] / 2) for letter in "xyz"]
        return [Patch(bounds, padded, lambda u: at_bounds(bounds, u) > 1)]
    h, up = sizes["length"] / 2, np.array([0.0, 0.0, 1.0])
    if kind == "capsule":
        return [Patch([(-h, h)] + [(-1.0, 1.0)] * 3, lambda u: u[..., :1] * up + r * unit(u[..., 1:]), smooth)]
    assert kind == "cylinder"
    side, cap = [(-h, h), ANGLE], [(0.0, r), ANGLE]
    made = [Patch(side, lambda u: u[..., :1] * up + r * around(u[..., 1]), lambda u: at_bounds(side[:1], u[:1]) > 0)]
    for end in (-h * up, h * up):
        made.append(Patch(cap, lambda u, e=end: e + u[..., :1] * around(u[..., 1]), lambda u: abs(u[0] - r) < 1e-6))
    return made


def behind(shape: Shape, sizes: dict[str, float], p: Array) -> Array:
    """Whether points (one a row, along the shape's own axes) are inside a solid, or behind a face that has one side."""
    kind, r = shape.kind, sizes.get("radius", 0.0)
    x, y, z = p.T
    if kind in ("point", "rim"):
        return np.zeros(len(p), dtype=bool)
    if kind in ("circle", "sphere"):
        return np.linalg.norm(p, axis=1) < r
    if kind == "hollow sphere":
        return np.linalg.norm(p, axis=1) > r
    if kind == "line":
        return y < 0
    if kind == "plane":
        return z < 0
    if kind == "arc":
        turned = np.abs((np.arctan2(y, x) - sizes["middle"] + np.pi) % (2 * np.pi) - np.pi) < sizes["half"]
        wrong = np.hypot(x, y) > r if shape.structure[1] else np.hypot(x, y) < r
        return turned & wrong
    if kind in ("segment", "polygon"):
        return behind_edges(kind, sizes, p)
    if kind == "track":
        return behind_track(shape, sizes, p)
    if kind == "box":
        return np.all([abs(c) < sizes[f"length {k}"] / 2 for c, k in zip((x, y, z), "xyz", strict=True)], axis=0)
    h = sizes["length"] / 2
    if kind == "capsule":
        return np.linalg.norm(np.stack([x, y, np.maximum(abs(z) - h, 0)]), axis=0) < r
    assert kind == "cylinder"
    return (abs(z) < h) & (np.hypot(x, y) < r)


def behind_edges(kind: str, sizes: dict[str, float], p: Array) -> Array:
    count = len(sizes) // 2
    corners = [np.array([sizes[f"x{k}"], sizes[f"y{k}"], 0.0]) for k in range(1, count + 1)]
    pairs = zip(corners, [*corners[1:], corners[0]] if kind == "polygon" else corners[1:], strict=False)
    found = []
    for a, b in pairs:
        way = b - a
        within = ((p - a) @ way > 0) & ((p - a) @ way < way @ way) if kind == "segment" else True
        found.append((np.cross(way, p - a)[:, 2] < 0) & within if kind == "segment" else np.cross(way, p - a)[:, 2] > 0)
    return np.all(found, axis=0)


def behind_track(shape: Shape, sizes: dict[str, float], p: Array) -> Array:
    """Whether points are on the right of the nearest place of a track that goes from left to right."""
    way = np.concatenate([patch.point(np.linspace(*patch.bounds[0], 200)[:, None])
                          for patch in track_patches(shape, sizes)])  # fmt: skip
    way = way[np.argsort(way[:, 0], kind="stable")]
    nearest = np.linalg.norm(p[:, None, :] - way[None, :, :], axis=2).argmin(axis=1).clip(1, len(way) - 2)
    along = way[nearest + 1] - way[nearest - 1]
    at_end = np.linalg.norm(p[:, None, :] - way[None, :, :], axis=2).argmin(axis=1) != nearest
    return (np.cross(along, p - way[nearest])[:, 2] < 0) & ~at_end


@dataclass(frozen=True)
class Sampled:
    """A shape with numbers: its sizes, where it is, its axes as columns."""

    shape: Shape
    sizes: dict[str, float]
    place: Array
    axes: Array

    def world(self, local: Array) -> Array:
        return self.place + local @ self.axes.T

    def local(self, world: Array) -> Array:
        return (world - self.place) @ self.axes


def distance(first: Sampled, second: Sampled, random: np.random.Generator) -> tuple[float, bool] | None:
    """The distance of two surfaces, and whether an edge or corner is nearest on both; None where bodies overlap."""
    clouds = [cloud(each, other, random) for each, other in ((first, second), (second, first))]
    for own, other in ((0, second), (1, first)):
        everything = np.concatenate([points for _, _, points in clouds[own]])
        if behind(other.shape, other.sizes, other.local(everything)).any():
            return None
    pairs = list(itertools.product(*clouds))  # every pair of patches has its say
    few = [near(*pair, max(3, 10 // len(pairs))) for pair in pairs]
    starts = [row for rank in itertools.zip_longest(*few) for row in rank if row is not None]
    bound = min(row[0] for row in starts) + 0.3
    close = [row for row in starts if row[0] < bound][:10]
    best = min((refined(first, second, *row[1:]) for row in close), key=lambda row: row[0])
    apart, corners, *_ = refined(first, second, *best[2:])  # again, since it forgets its curvature
    return None if apart < 1e-3 else (apart, corners)


Cloud = tuple[Patch, Array, Array]


def near(one: Cloud, other: Cloud, count: int) -> list[tuple[float, Patch, Array, Patch, Array]]:
    """A few near pairs of points of two patches, not all in one place: there may be several nearest places."""
    (p, u, a), (q, v, b) = one, other
    apart = np.linalg.norm(a[:, None, :] - b[None, :, :], axis=2)
    chosen: list[int] = []
    for i in apart.min(axis=1).argsort():
        if len(chosen) < count and all(math.dist(a[i], a[k]) > 0.1 for k in chosen):
            chosen.append(int(i))
    partners = [(i, int(apart[i].argmin())) for i in chosen]
    return [(float(apart[i, j]), p, u[i], q, v[j]) for i, j in partners]


def cloud(each: Sampled, other: Sampled, random: np.random.Generator) -> list[Cloud]:
    made = []
    for patch in patches(each.shape, each.sizes):
        ranges = [(-np.pi, np.pi) if bound is ANGLE else bound for bound in patch.bounds]
        low, high = np.array(ranges).reshape(-1, 2).T
        count = 2000 if each.shape.kind == "hollow sphere" else 100  # where many places are nearly nearest
        values = random.uniform(low, high, (count if patch.bounds else 1, len(patch.bounds)))
        values = np.concatenate([values, list(itertools.product(*ranges))])
        if each.shape.kind in ("line", "plane"):  # near the other shape, with the ends far away
            values = each.local(other.place)[: len(patch.bounds)] + values / 10
        made.append((patch, values, each.world(patch.point(values))))
    return made


def refined(
    first: Sampled, second: Sampled, p: Patch, u: Array, q: Patch, v: Array
) -> tuple[float, bool, Patch, Array, Patch, Array]:
    """The nearest points around two points, and whether both are sharp."""
    split, values = len(u), np.concatenate([u, v])
    steps = 1e-6 * np.concatenate([np.zeros((1, len(values))), np.eye(len(values)), -np.eye(len(values))])

    def squares(rows: Array) -> Array:
        away = first.world(p.point(rows[:, :split])) - second.world(q.point(rows[:, split:]))
        return np.sum(away * away, axis=1)

    def square(values: Array) -> tuple[float, Array]:
        """The squared distance, and its slopes by differences."""
        here, *around = squares(values + steps)
        above, below = np.split(np.array(around), 2)
        return float(here), (above - below) / 2e-6

    if len(values):
        options = {"maxiter": 500, "ftol": 1e-17, "gtol": 1e-13}
        bounds = [*p.bounds, *q.bounds]
        values = minimize(square, values, jac=True, method="L-BFGS-B", bounds=bounds, options=options).x
    u, v = values[:split], values[split:]
    return float(np.sqrt(squares(values[None])[0])), p.sharp(u) and q.sharp(v), p, u, q, v
