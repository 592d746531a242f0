"""The portions of a surface: quarters of quarters, with a sphere around each, how its normals turn and how it bends.

Bounds come from the surface's tape walked with intervals, so they hold for all points of a portion, not for samples.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from detent.expr.tape import VALUES, Tape
from detent.jit.address import raw_address, room_of
from detent.jit.program import Program
from detent.solves import surface_portions_frame as at
from detent.solves.box_walk import BoxWalk

Numbers = NDArray[np.float64]

_LEVELS: Final = 6
"""How often the whole is cut into quarters."""
_SHARP: Final = 0.5
_DEEPER: Final = 20
_ROOM: Final = 8192
"""The smallest whose normals may turn farther than this from the one in their middle, rad, are cut so much oftener, as
long as there are no more than so many."""
_WAYS: Final = ([1.0, 0.0], [0.0, 1.0])
"""Along which slopes are worked out."""
_NOTHING: Final = np.array([0.0, 0.0, 0.0, -1.0, 0.0, 0.0, 1.0, 0.0])
_ANYTHING: Final = np.array([0.0, 0.0, 0.0, np.inf, 0.0, 0.0, 1.0, np.pi])
"""A portion of which nothing is on the surface, and one of which nothing is known."""
_CORNERS: Final = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
"""Where quarters begin, in their widths."""
_BEYOND: Final = 6
"""So many of the smallest portions are beyond each edge, where a surface does not touch but may be followed."""


@final
@dataclass(frozen=True, eq=False)
class SurfacePrograms:
    """A surface: the program of its places and normals, the tape of its points and their slopes, the program of its
    ranges and of the offset of places from points, the places of its coordinates in the state, and which of them are
    closed."""

    spot: Program
    point: Tape
    between: Program
    columns: tuple[int, int]
    closed: tuple[bool, bool]

    def reads(self) -> list[int]:
        """Which of the run-time values it reads."""
        tapes = (self.point, self.between.tape)
        return sorted({index for tape in tapes for bank, index, _ in tape.loads.tolist() if bank == VALUES})

    def clone(self) -> SurfacePrograms:
        """The same with working memory of its own."""
        return replace(self, spot=self.spot.clone(), between=self.between.clone())


@final
class SurfacePortions:
    """What the kernel knows of a surface, which touches what is round or, ``level``, a plane."""

    def __init__(self, surface: SurfacePrograms, level: bool) -> None:
        self._surface, self._level = surface, level
        self._bounds = BoxWalk(surface.point, surface.columns, 2)
        self._row = np.zeros(1, dtype=at.SURFACE)
        self.address = raw_address(self._row)
        self._row["first"], self._row["second"] = surface.columns
        self._row["closed"] = sum(k + 1 for k, closed in enumerate(surface.closed) if closed)
        self._row["level"], self._row["spot"] = level, raw_address(surface.spot.cell)
        self._known: Numbers | None = None

    def work_out(self, state: Numbers, values: Numbers) -> None:
        """Work out all bounds for the run-time values as they are, unless that has been done."""
        read = values[self._surface.reads()]
        if self._known is not None and np.array_equal(read, self._known):
            return
        self._known = read
        self._work_out(state, values)

    def _work_out(self, state: Numbers, values: Numbers) -> None:
        *ranges, offset = self._surface.between(0.0, state, values).tolist()
        side, axes, inside = 1 << _LEVELS, [], []
        for (low, high), closed in zip((ranges[:2], ranges[2:]), self._surface.closed, strict=True):
            beyond = 0 if closed else _BEYOND
            width = (high - low) / (side - 2 * beyond)
            axes.append((low - beyond * width, width))
            inside.append((np.arange(side) >= beyond) & (np.arange(side) < side - beyond))
        (low, width), (other_low, other_width) = axes
        first, second = (start + step * np.arange(side) for start, step in axes)
        lows = np.stack([each.ravel() for each in np.meshgrid(first, second, indexing="ij")], axis=1)
        widths = np.array([width, other_width])
        nodes, leaves = self._smallest(lows, widths, offset, state, values)
        on = np.logical_and.outer(*inside).ravel()
        nodes[~on] = _NOTHING
        nodes, self._leaves = self._cut(nodes, leaves, lows, widths, offset, state, values)
        self._nodes = np.concatenate([_joined_all(nodes[: side * side]), nodes[side * side :]])
        self._row["nodes"] = room_of("the portions of a surface", self._nodes, self._nodes.size)
        self._row["leaves"] = room_of("the smallest portions of a surface", self._leaves, self._leaves.size)
        self._row["low"], self._row["width"], self._row["levels"] = low, width, _LEVELS
        self._row["other_low"], self._row["other_width"] = other_low, other_width
        whole = self._nodes[0]
        self._row["size"] = float(np.linalg.norm(whole[:3]) + whole[at.RADIUS]) if self._level else 0.0

    def _cut(
        self,
        nodes: Numbers,
        leaves: Numbers,
        lows: Numbers,
        widths: Numbers,
        offset: float,
        state: Numbers,
        values: Numbers,
    ) -> tuple[Numbers, Numbers]:
        """The smallest portions, and after them the quarters of those that turn much, and of these, and so on."""
        made: list[NDArray[np.int64]] = []
        first = 0
        for _ in range(_DEEPER):
            sharp = first + np.flatnonzero((nodes[first:, at.HALF] > _SHARP) & (nodes[first:, at.RADIUS] >= 0.0))
            sharp = sharp[np.argsort(-nodes[sharp, at.HALF], kind="stable")]
            sharp = np.sort(sharp[: ((1 << 2 * _LEVELS) + _ROOM - len(nodes)) // 4])
            first = len(nodes)
            if len(sharp) == 0:
                break
            widths = 0.5 * widths
            begins = (lows[sharp][:, None] + _CORNERS * widths).reshape(-1, 2)
            more, known = self._smallest(begins, widths, offset, state, values)
            leaves[sharp, at.QUARTERS] = first + 4 * np.arange(len(sharp))
            nodes, leaves, lows = (np.concatenate(pair) for pair in ((nodes, more), (leaves, known), (lows, begins)))
            made.append(sharp)
        for sharp in reversed(made):
            quarters = leaves[sharp, at.QUARTERS].astype(np.int64)[:, None] + np.arange(4)
            nodes[sharp] = _joined(nodes[quarters])
        return nodes, leaves

    def _smallest(
        self, lows: Numbers, widths: Numbers, offset: float, state: Numbers, values: Numbers
    ) -> tuple[Numbers, Numbers]:
        """What is known of the smallest portions."""
        highs, middles = lows + widths, lows + 0.5 * widths
        states = np.repeat(state[None, :], len(lows), axis=0)
        states[:, list(self._surface.columns)] = middles
        spots = self._surface.spot.over(np.zeros(len(lows)), states, values)
        along, across = (self._bounds.over(lows, highs, way, values) for way in _WAYS)
        middle, other_middle = (self._bounds.over(middles, middles, way, values) for way in _WAYS)
        known = _Slopes(along, across, middle, other_middle, 0.5 * widths)
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            return _known_of(spots, known, offset)


@final
class _Between:
    """Vectors between bounds: their middle, how far their components are from there, how long they are at most and at
    least."""

    def __init__(self, low: Numbers, high: Numbers) -> None:
        self.low, self.high = low, high
        self.middle, self.off = 0.5 * (low + high), 0.5 * (high - low)
        self.most = np.maximum(np.abs(low), np.abs(high))
        self.longest = np.linalg.norm(self.most, axis=1)
        self.shortest = np.linalg.norm(np.maximum(0.0, np.maximum(low, -high)), axis=1)

    def plus(self, other: _Between) -> _Between:
        return _Between(self.low + other.low, self.high + other.high)

    def cross(self, other: _Between) -> _Between:
        (low, high), (other_low, other_high) = (
            self._times(other, [1, 2, 0], [2, 0, 1]), self._times(other, [2, 0, 1], [1, 2, 0]),
        )  # fmt: skip
        return _Between(low - other_high, high - other_low)

    def _times(self, other: _Between, mine: list[int], its: list[int]) -> tuple[Numbers, Numbers]:
        pairs = [(a[:, mine], b[:, its]) for a in (self.low, self.high) for b in (other.low, other.high)]
        products = [a * b for a, b in pairs]
        return np.min(products, axis=0), np.max(products, axis=0)


@final
@dataclass(frozen=True)
class _Slopes:
    """Bounds of points, dr/da and dr/db, and of their slopes along a and along b, over portions and in their middle.

    By the mean value, each is what it is in the middle, and half the widths times the next slopes.
    """

    along: Numbers
    across: Numbers
    middle: Numbers
    other_middle: Numbers
    half: Numbers

    def second(self) -> tuple[_Between, _Between, _Between]:
        """d2r/da2, d2r/dadb and d2r/db2."""
        a, b = slice(3, 6), slice(6, 9)
        aaa, aab, abb, bbb = (
            np.abs(each[..., 4:]).max(axis=2)
            for each in (self.along[:, a], self.along[:, b], self.across[:, a], self.across[:, b])
        )
        return (
            self._narrowed(self.along[:, a, 2:4], self.middle[:, a, 2:4], aaa, aab),
            self._narrowed(self.across[:, a, 2:4], self.other_middle[:, a, 2:4], aab, abb),
            self._narrowed(self.across[:, b, 2:4], self.other_middle[:, b, 2:4], abb, bbb),
        )

    def first(self, second: tuple[_Between, _Between, _Between]) -> tuple[_Between, _Between]:
        """dr/da and dr/db."""
        aa, ab, bb = (each.most for each in second)
        a, b = slice(3, 6), slice(6, 9)
        return (
            self._narrowed(self.along[:, a, :2], self.middle[:, a, :2], aa, ab),
            self._narrowed(self.along[:, b, :2], self.middle[:, b, :2], ab, bb),
        )

    def points(self, first: tuple[_Between, _Between]) -> _Between:
        return self._narrowed(self.along[:, :3, :2], self.middle[:, :3, :2], *(each.most for each in first))

    def _narrowed(self, over: Numbers, middle: Numbers, along: Numbers, across: Numbers) -> _Between:
        off = self.half[0] * along + self.half[1] * across
        return _Between(np.maximum(over[..., 0], middle[..., 0] - off), np.minimum(over[..., 1], middle[..., 1] + off))


def _known_of(spots: Numbers, slopes: _Slopes, offset: float) -> tuple[Numbers, Numbers]:
    """The smallest portions, from places and normals in their middle and what is known of slopes."""
    second = slopes.second()
    first = slopes.first(second)
    points, (along, across), half = slopes.points(first), first, slopes.half
    off = np.linalg.norm(along.off, axis=1) * across.longest
    off += np.linalg.norm(along.middle, axis=1) * np.linalg.norm(across.off, axis=1)
    # The normal is that of dr/da x dr/db: it is at least so long, and changes so fast.
    upward, (aa, ab, bb) = along.cross(across).shortest, second
    upward = np.maximum(upward, np.nan_to_num(np.linalg.norm(np.cross(along.middle, across.middle), axis=1) - off))
    changes = (aa.cross(across).plus(along.cross(ab)), ab.cross(across).plus(along.cross(bb)))
    turnings = [np.where(upward > 0.0, _finite(change.longest / upward), np.inf) for change in changes]
    speeds = [each.longest for each in first]
    if offset != 0.0:
        speeds = [speed + abs(offset) * turning for speed, turning in zip(speeds, turnings, strict=True)]
    nodes, leaves = np.zeros((len(spots), at.NODE)), np.zeros((len(spots), at.LEAF))
    nodes[:, at.PLACE : at.PLACE + 3], nodes[:, at.NORMAL : at.NORMAL + 3] = spots[:, :3], spots[:, 3:]
    nodes[:, at.RADIUS] = _finite(half[0] * speeds[0] + half[1] * speeds[1])
    nodes[:, at.HALF] = np.minimum(np.pi, _finite(half[0] * turnings[0] + half[1] * turnings[1]))
    nodes[~np.isfinite(nodes).all(axis=1)] = _ANYTHING
    for k in range(2):
        leaves[:, at.SPEEDS + k], leaves[:, at.TURNINGS + k] = speeds[k], turnings[k]
        least = np.linalg.norm(first[k].middle, axis=1) - np.linalg.norm(first[k].off, axis=1)
        leaves[:, at.STRETCHES + k] = np.maximum(0.0, least) ** 2
    leaves[:, at.POINT : at.POINT + 3], leaves[:, at.OFF] = points.middle, np.linalg.norm(points.off, axis=1)
    leaves[:, at.STRETCHES + 2], leaves[:, at.STRETCHES + 3] = (along.middle * across.middle).sum(axis=1), off
    for k, each in enumerate(second):
        leaves[:, at.BENDS + 3 * k : at.BENDS + 3 * k + 3] = each.middle
        leaves[:, at.VARY + 3 * k : at.VARY + 3 * k + 3], leaves[:, at.MOST + k] = each.off, each.longest
    return nodes, leaves


def _finite(numbers: Numbers) -> Numbers:
    return np.where(np.isnan(numbers), np.inf, numbers)


def _joined_all(leaves: Numbers) -> Numbers:
    """From the smallest portions to the whole: what holds for quarters holds for what they make up."""
    found = [leaves]
    for depth in range(_LEVELS - 1, -1, -1):
        side = 1 << depth
        quarters = found[0].reshape(side, 2, side, 2, at.NODE).transpose(0, 2, 1, 3, 4)
        found.insert(0, _joined(quarters.reshape(side * side, 4, at.NODE)))
    return np.ascontiguousarray(np.concatenate(found))


def _joined(quarters: Numbers) -> Numbers:
    """Each four portions as one; those of which nothing is on the surface do not count."""
    made, on = np.zeros((len(quarters), at.NODE)), quarters[:, :, at.RADIUS] >= 0.0
    count = np.maximum(1, on.sum(axis=1))[:, None]
    places, normals = quarters[:, :, :3], quarters[:, :, at.NORMAL : at.NORMAL + 3]
    made[:, :3] = (places * on[:, :, None]).sum(axis=1) / count
    apart = np.linalg.norm(places - made[:, None, :3], axis=2) + quarters[:, :, at.RADIUS]
    made[:, at.RADIUS] = np.where(on, apart, -1.0).max(axis=1)
    mean = (normals * on[:, :, None]).sum(axis=1)
    size = np.linalg.norm(mean, axis=1)
    mean = np.where(size[:, None] > 1e-9, mean / np.maximum(size, 1e-9)[:, None], normals[:, 0])
    made[:, at.NORMAL : at.NORMAL + 3] = mean
    across = np.linalg.norm(np.cross(normals, mean[:, None]), axis=2)
    angles = np.arctan2(across, (normals * mean[:, None]).sum(axis=2)) + quarters[:, :, at.HALF]
    made[:, at.HALF] = np.minimum(np.pi, np.where(on, angles, 0.0).max(axis=1) + 1e-14)
    made[:, at.RADIUS] *= np.where(made[:, at.RADIUS] > 0.0, 1.0 + 1e-14, 1.0)
    return made
