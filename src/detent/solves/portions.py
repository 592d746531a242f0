"""The portions of a curve: halves of halves, with a circle around each, how its normals turn and how much it bends.

Bounds come from the curve's tape walked with intervals, so they hold for all points of a portion, not for samples.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from detent.expr.tape import VALUES, Tape
from detent.jit.address import raw_address, room_of
from detent.jit.program import Program
from detent.solves import portions_frame as at
from detent.solves.box_walk import BoxWalk

Numbers = NDArray[np.float64]

_FEWEST: Final = 256
_MOST: Final = 4096
"""How many of the smallest portions there are; both are powers of two."""
_SHARP: Final = 0.25
"""Those whose normals may turn farther than this from the one in their middle, rad, are cut in halves."""
_SHARPEST: Final = 1e100
"""How much a point bends, 1/m: its size has no part in anything."""
_BEYOND: Final = 1 / 8
"""By this part of its range a curve with ends is looked at beyond them, where it does not touch but may be followed."""


@final
@dataclass(frozen=True, eq=False)
class CoursePrograms:
    """A curve: the program of its point and normal, the tape of its point, the program of its range and offset, the
    place of its coordinate in the state, whether it is closed, and whether it goes on straight beyond its ends.

    What is round touches a point of the curve where its middle is at that point and ``offset`` along the normal. So it
    is the curve of such places that its middle is to be compared with, and which ``spot`` gives.
    """

    spot: Program
    point: Tape
    between: Program
    column: int
    closed: bool
    straight: bool = False

    def reads(self, count: int) -> list[int]:
        """Which of so many run-time values it reads; what is drawn during a run may take all that follow."""
        found: set[int] = set()
        for tape in (self.point, self.between.tape):
            found |= {index for bank, index, _ in tape.loads.tolist() if bank == VALUES}
            for _, first in tape.drawn.tolist():
                found |= set(range(first, count))
        return sorted(found)

    def clone(self) -> CoursePrograms:
        """The same with working memory of its own."""
        return replace(self, spot=self.spot.clone(), between=self.between.clone())


@final
class Portions:
    """What the kernel knows of a curve."""

    def __init__(self, course: CoursePrograms, row: Any) -> None:
        self._course, self._row = course, row
        self._bounds = BoxWalk(course.point, [course.column], 2)
        row["column"], row["closed"], row["straight"] = course.column, course.closed, course.straight
        row["spot"] = raw_address(course.spot.cell)
        self._known: Numbers | None = None
        self._nodes, self._leaves = np.zeros((0, at.NODE)), np.zeros((0, at.LEAF))

    def work_out(self, state: Numbers, values: Numbers) -> None:
        """Work out all bounds for the run-time values as they are, unless that has been done."""
        read = values[self._course.reads(values.size)]
        if self._known is not None and np.array_equal(read, self._known):
            return
        self._known = read
        self._work_out(state, values)

    def _work_out(self, state: Numbers, values: Numbers) -> None:
        lowest, highest, offset = self._course.between(0.0, state, values)
        beyond = 0.0 if self._course.closed or self._course.straight else _BEYOND * (highest - lowest)
        low, span = lowest - beyond, highest - lowest + 2 * beyond
        ends = low + span / _FEWEST * np.arange(_FEWEST)
        nodes, leaves = self._cut(ends, np.full(_FEWEST, span / _FEWEST), offset, state, values)
        begins, ends = leaves[:, at.BEGIN], leaves[:, at.BEGIN] + leaves[:, at.SPAN]
        nodes[(ends <= lowest) | (begins >= highest), at.RADIUS] = -1.0
        self._put(nodes, leaves)
        self._row["low"], self._row["span"] = low, span
        on = nodes[nodes[:, at.RADIUS] >= 0.0]
        self._row["size"] = (np.hypot(on[:, at.X], on[:, at.Y]) + on[:, at.RADIUS]).max(initial=0.0)

    def _put(self, nodes: Numbers, leaves: Numbers) -> None:
        """Have the kernel find these smallest portions, and all that they make up."""
        count = len(leaves)
        self._nodes, self._leaves = np.concatenate([np.zeros((count, at.NODE)), nodes]), np.ascontiguousarray(leaves)
        _join(self._nodes)
        self._row["nodes"] = room_of("the portions of a curve", self._nodes, 2 * count * at.NODE)
        self._row["leaves"] = room_of("the smallest portions of a curve", self._leaves, count * at.LEAF)
        self._row["count"] = count

    def _cut(
        self, lows: Numbers, widths: Numbers, offset: float, state: Numbers, values: Numbers
    ) -> tuple[Numbers, Numbers]:
        """The smallest portions: these, cut in halves where they turn much; a power of two of them."""
        nodes, leaves = self._known_of(lows, widths, offset, state, values)
        while True:
            count = len(leaves)
            sharp = int((nodes[:, at.HALF] > _SHARP).sum())
            wanted = min(count + sharp, _MOST) - count or (1 << (count - 1).bit_length()) - count
            if wanted == 0:
                break
            order = np.argsort(-nodes[:, at.HALF], kind="stable")
            kept, halved = order[wanted:], leaves[order[:wanted]]
            halves = 0.5 * np.repeat(halved[:, at.SPAN], 2)
            begins = np.repeat(halved[:, at.BEGIN], 2) + np.tile([0.0, 1.0], len(halved)) * halves
            more, known = self._known_of(begins, halves, offset, state, values)
            nodes, leaves = np.concatenate([nodes[kept], more]), np.concatenate([leaves[kept], known])
        order = np.argsort(leaves[:, at.BEGIN], kind="stable")
        return nodes[order], leaves[order]

    def _known_of(
        self, lows: Numbers, widths: Numbers, offset: float, state: Numbers, values: Numbers
    ) -> tuple[Numbers, Numbers]:
        """What is known of some of the smallest portions."""
        states = np.repeat(state[None, :], len(lows), axis=0)
        states[:, self._course.column] = lows + 0.5 * widths
        spots = self._course.spot.over(np.zeros(len(lows)), states, values)
        lows, highs, middles = lows[:, None], (lows + widths)[:, None], (lows + 0.5 * widths)[:, None]
        over = self._bounds.over(lows, highs, [1.0], values)
        middle = self._bounds.over(middles, middles, [1.0], values)
        nodes, rates = _smallest(spots, over, middle, widths, offset)
        return nodes, np.column_stack([rates, lows, widths])


@final
class RoundPortion:
    """What is round, as the kernel compares it with a curve: the only portion of it is its middle.

    It bends as a circle does, or as a ring around the curve, whose normal is inward; how far normals are from being
    opposed says nothing.
    """

    def __init__(self, course: CoursePrograms, row: Any) -> None:
        self._course = course
        self._nodes, self._leaves = np.zeros((2, at.NODE)), np.zeros((1, at.LEAF))
        row["nodes"] = room_of("what is round", self._nodes, 2 * at.NODE)
        row["leaves"] = room_of("what is round", self._leaves, at.LEAF)
        row["count"], row["closed"], row["span"] = 1, 1, 1.0

    def work_out(self, state: Numbers, values: Numbers) -> None:
        """Work out how much it bends."""
        offset = float(self._course.between(0.0, state, values)[2])
        bend = 1.0 / offset if abs(offset) * _SHARPEST > 1.0 else _SHARPEST
        self._nodes[:, [at.NORMAL_X, at.HALF, at.BEND]] = 1.0, np.pi, bend


@final
class FacePortion:
    """A straight face, as the kernel compares it with a curve: one portion that is level."""

    def __init__(self, course: CoursePrograms, row: Any) -> None:
        self._nodes, self._leaves = np.zeros((2, at.NODE)), np.zeros((1, at.LEAF))
        self._nodes[:, at.NORMAL_Y] = 1.0
        row["nodes"] = room_of("a straight face", self._nodes, 2 * at.NODE)
        row["leaves"] = room_of("a straight face", self._leaves, at.LEAF)
        row["count"], row["closed"], row["span"], row["level"] = 1, 1, 1.0, 1

    def work_out(self, state: Numbers, values: Numbers) -> None:
        """It is always the same."""


def _smallest(
    spots: Numbers, over: Numbers, middle: Numbers, widths: Numbers, offset: float
) -> tuple[Numbers, Numbers]:
    """The smallest portions, from points and normals in their middle and bounds over all of them and in the middle."""
    half = 0.5 * widths
    slopes, bends = over[:, :, 2:4], over[:, :, 4:6]
    steepest, most_bent = (np.abs(each).max(axis=2) for each in (slopes, bends))
    speed, bent = (np.hypot(each[:, 0], each[:, 1]) for each in (steepest, most_bent))
    # By the mean value: a slope is that in the middle, and half the width times a second slope.
    at_middle = middle[:, :, 2:4]
    low = np.maximum(slopes[:, :, 0], at_middle[:, :, 0] - half[:, None] * most_bent)
    high = np.minimum(slopes[:, :, 1], at_middle[:, :, 1] + half[:, None] * most_bent)
    nearest_zero = np.where((low <= 0.0) & (high >= 0.0), 0.0, np.minimum(np.abs(low), np.abs(high)))
    slowest = np.hypot(nearest_zero[:, 0], nearest_zero[:, 1])
    fastest = np.hypot(*np.maximum(np.abs(low), np.abs(high)).T)
    with np.errstate(divide="ignore", invalid="ignore"):
        turning = np.where(slowest > 0.0, bent / slowest, np.inf)
        crossed = _minus(_times(low[:, 0], high[:, 0], *bends[:, 1].T), _times(low[:, 1], high[:, 1], *bends[:, 0].T))
        # The normal is on the left of the way, or on the right: there it bends the other way.
        is_left = at_middle[:, 0, 0] * spots[:, 3] - at_middle[:, 1, 0] * spots[:, 2] > 0.0
        outward, inward = np.where(is_left, -crossed[1], crossed[0]), np.where(is_left, -crossed[0], crossed[1])
        bend = np.where(outward > 0.0, outward / fastest**3, outward / slowest**3)
        most = np.where(inward > 0.0, inward / slowest**3, inward / fastest**3)
    known = (slowest > 0.0) & ~np.isnan(bend) & ~np.isnan(most)
    bend = np.where(known, bend, -np.inf)
    if offset != 0.0:
        # Normals change by k c' with the coordinate, where k is the curvature.
        factor = np.maximum(np.abs(1.0 + offset * bend), np.abs(1.0 + offset * most))
        factor = np.where(known, factor, np.inf)
        speed = np.minimum(speed * factor, speed + abs(offset) * turning)
    nodes = np.zeros((len(spots), at.NODE))
    nodes[:, [at.X, at.Y, at.NORMAL_X, at.NORMAL_Y]] = spots
    nodes[:, at.RADIUS] = half * speed
    nodes[:, at.HALF] = np.minimum(np.pi, np.nan_to_num(half * turning, nan=np.pi))
    nodes[:, at.BEND] = bend
    return nodes, np.stack([speed, turning], axis=1)


def _times(low: Numbers, high: Numbers, other_low: Numbers, other_high: Numbers) -> tuple[Numbers, Numbers]:
    products = [a * b for a in (low, high) for b in (other_low, other_high)]
    return np.min(products, axis=0), np.max(products, axis=0)


def _minus(one: tuple[Numbers, Numbers], other: tuple[Numbers, Numbers]) -> tuple[Numbers, Numbers]:
    return one[0] - other[1], one[1] - other[0]


def _join(nodes: Numbers) -> None:
    """From the smallest portions to the whole: what holds for two halves holds for what they make up."""
    count = len(nodes) // 2
    while count > 1:
        halves = nodes[count : 2 * count]
        nodes[count // 2 : count] = _joined(halves[0::2], halves[1::2])
        count //= 2


def _joined(one: Numbers, other: Numbers) -> Numbers:
    made = np.zeros_like(one)
    away = other[:, [at.X, at.Y]] - one[:, [at.X, at.Y]]
    apart = np.hypot(away[:, 0], away[:, 1])
    radius = np.maximum(0.5 * (apart + one[:, at.RADIUS] + other[:, at.RADIUS]), one[:, at.RADIUS])
    radius = np.maximum(radius, other[:, at.RADIUS])
    part = np.clip((radius - one[:, at.RADIUS]) / np.maximum(apart, 1e-300), 0.0, 1.0)
    made[:, [at.X, at.Y]] = one[:, [at.X, at.Y]] + part[:, None] * away
    rounding = 1.0 + 1e-14
    reach = np.hypot(*(made[:, [at.X, at.Y]] - one[:, [at.X, at.Y]]).T) + one[:, at.RADIUS]
    farther = np.hypot(*(made[:, [at.X, at.Y]] - other[:, [at.X, at.Y]]).T) + other[:, at.RADIUS]
    made[:, at.RADIUS] = np.maximum(reach, farther) * rounding
    _join_normals(made, one, other)
    made[:, at.BEND] = np.minimum(one[:, at.BEND], other[:, at.BEND])
    for kept, off in ((other, one), (one, other)):
        gone = off[:, at.RADIUS] < 0.0
        made[gone] = kept[gone]
    return made


def _join_normals(made: Numbers, one: Numbers, other: Numbers) -> None:
    """A direction and an angle that hold the normals of both."""
    first, second = (np.arctan2(each[:, at.NORMAL_Y], each[:, at.NORMAL_X]) for each in (one, other))
    off = np.remainder(second - first + np.pi, 2 * np.pi) - np.pi
    low = np.minimum(-one[:, at.HALF], off - other[:, at.HALF])
    high = np.maximum(one[:, at.HALF], off + other[:, at.HALF])
    angle = first + 0.5 * (low + high)
    made[:, at.NORMAL_X], made[:, at.NORMAL_Y] = np.cos(angle), np.sin(angle)
    made[:, at.HALF] = np.minimum(np.pi, 0.5 * (high - low) + 1e-14)
