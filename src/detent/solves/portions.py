"""The portions of a curve: halves of halves, with a circle around each, how its normals turn and how much it bends.

Bounds come from the curve's tape walked with intervals, so they hold for all points of a portion, not for samples.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from detent.expr.tape import VALUES, Tape
from detent.jit.address import raw_address, room_of
from detent.jit.program import Program
from detent.solves import portions_frame as at
from detent.solves.course_bounds import CourseBounds

Numbers = NDArray[np.float64]

_COUNT: Final = 256
"""So many smallest portions."""
_BEYOND: Final = 1 / 8
"""By this part of its range a curve with ends is looked at beyond them, where it does not touch but may be followed."""


@final
@dataclass(frozen=True, eq=False)
class CoursePrograms:
    """A curve: the program of its point and normal, the tape of its point, the program of its range, the place of its
    coordinate in the state, and whether it is closed."""

    spot: Program
    point: Tape
    between: Program
    column: int
    closed: bool

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
        return CoursePrograms(self.spot.clone(), self.point, self.between.clone(), self.column, self.closed)


@final
class Portions:
    """What the kernel knows of a curve."""

    def __init__(self, course: CoursePrograms, row: Any) -> None:
        self._course, self._row = course, row
        self._bounds = CourseBounds(course.point, course.column)
        self._nodes, self._leaves = np.zeros((2 * _COUNT, at.NODE)), np.zeros((_COUNT, at.LEAF))
        row["nodes"] = room_of("the portions of a curve", self._nodes, 2 * _COUNT * at.NODE)
        row["leaves"] = room_of("the smallest portions of a curve", self._leaves, _COUNT * at.LEAF)
        row["count"], row["column"], row["closed"] = _COUNT, course.column, course.closed
        row["spot"] = raw_address(course.spot.cell)
        self._known: Numbers | None = None

    def work_out(self, state: Numbers, values: Numbers) -> None:
        """Work out all bounds for the run-time values as they are, unless that has been done."""
        read = values[self._course.reads(values.size)]
        if self._known is not None and np.array_equal(read, self._known):
            return
        self._known = read
        self._work_out(state, values)

    def _work_out(self, state: Numbers, values: Numbers) -> None:
        lowest, highest = self._course.between(0.0, state, values)
        beyond = 0.0 if self._course.closed else _BEYOND * (highest - lowest)
        low, width = lowest - beyond, (highest - lowest + 2 * beyond) / _COUNT
        lows = low + width * np.arange(_COUNT)
        states = np.repeat(state[None, :], _COUNT, axis=0)
        states[:, self._course.column] = lows + 0.5 * width
        spots = self._course.spot.over(np.zeros(_COUNT), states, values)
        over = self._bounds.over(lows, lows + width, values)
        middle = self._bounds.over(lows + 0.5 * width, lows + 0.5 * width, values)
        leaves, self._leaves[:] = _smallest(spots, over, middle, width)
        leaves[(lows + width <= lowest) | (lows >= highest), at.RADIUS] = -1.0
        self._nodes[_COUNT:] = leaves
        _join(self._nodes)
        self._row["low"], self._row["width"] = low, width
        on = leaves[leaves[:, at.RADIUS] >= 0.0]
        self._row["size"] = (np.hypot(on[:, at.X], on[:, at.Y]) + on[:, at.RADIUS]).max(initial=0.0)


def _smallest(spots: Numbers, over: Numbers, middle: Numbers, width: float) -> tuple[Numbers, Numbers]:
    """The smallest portions, from points and normals in their middle and bounds over all of them and in the middle."""
    half = 0.5 * width
    slopes, bends = over[:, :, 2:4], over[:, :, 4:6]
    steepest, most_bent = (np.abs(each).max(axis=2) for each in (slopes, bends))
    speed, bent = (np.hypot(each[:, 0], each[:, 1]) for each in (steepest, most_bent))
    # By the mean value: a slope is that in the middle, and half the width times a second slope.
    at_middle = middle[:, :, 2:4]
    low = np.maximum(slopes[:, :, 0], at_middle[:, :, 0] - half * most_bent)
    high = np.minimum(slopes[:, :, 1], at_middle[:, :, 1] + half * most_bent)
    nearest_zero = np.where((low <= 0.0) & (high >= 0.0), 0.0, np.minimum(np.abs(low), np.abs(high)))
    slowest = np.hypot(nearest_zero[:, 0], nearest_zero[:, 1])
    fastest = np.hypot(*np.maximum(np.abs(low), np.abs(high)).T)
    with np.errstate(divide="ignore", invalid="ignore"):
        turning = np.where(slowest > 0.0, bent / slowest, np.inf)
        crossed = _minus(_times(low[:, 0], high[:, 0], *bends[:, 1].T), _times(low[:, 1], high[:, 1], *bends[:, 0].T))
        # The normal is on the left of the way, or on the right: there it bends the other way.
        is_left = at_middle[:, 0, 0] * spots[:, 3] - at_middle[:, 1, 0] * spots[:, 2] > 0.0
        outward = np.where(is_left, -crossed[1], crossed[0])
        bend = np.where(outward > 0.0, outward / fastest**3, outward / slowest**3)
    bend = np.where(np.isnan(bend) | (slowest <= 0.0), -np.inf, bend)
    leaves = np.zeros((len(spots), at.NODE))
    leaves[:, [at.X, at.Y, at.NORMAL_X, at.NORMAL_Y]] = spots
    leaves[:, at.RADIUS] = half * speed
    leaves[:, at.HALF] = np.minimum(np.pi, np.nan_to_num(half * turning, nan=np.pi))
    leaves[:, at.BEND] = bend
    return leaves, np.stack([speed, turning], axis=1)


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
