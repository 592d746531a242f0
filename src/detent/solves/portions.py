"""The portions of a curve: halves of halves, with a circle around each, how its normals turn and how much it bends.

Bounds come from the curve's tape walked with intervals, so they hold for all points of a portion, not for samples.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from detent.events.enclosure_frame import JET
from detent.expr.drawn_table import table_length
from detent.expr.tape import VALUES, Tape
from detent.jit.address import address_of, raw_address, room_of
from detent.jit.arrays import distinct
from detent.jit.kernel_library import DOUBLE_TYPE, WORD_TYPE
from detent.jit.program import Program
from detent.solves import portions_frame as at
from detent.solves.box_walk import BoxWalk
from detent.solves.box_walk_frame import BOX
from detent.solves.kernels import FOLLOWING

Numbers = NDArray[np.float64]

_FEWEST: Final = 256
_FEWEST_DRAWN: Final = 32
_MOST: Final = 4096
"""How many of the smallest portions there are, all powers of two. What is drawn during a run is to act at once."""
_SHARP: Final = 0.25
"""Those whose normals may turn farther than this from the one in their middle, rad, are cut in halves."""
_SHARPEST: Final = 1e100
"""How much a point bends, 1/m: its size has no part in anything."""
_KEPT: Final = 3
"""So many tables are kept."""
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

    @property
    def reads(self) -> tuple[NDArray[np.int64], list[int]]:
        """The places of the run-time values that it reads, and of the first of those that are drawn together."""
        tapes = (self.point, self.between.tape)
        loads = [tape.loads[tape.loads[:, 0] == VALUES, 1] for tape in tapes]
        firsts = {int(first) for tape in tapes for _, first in tape.drawn}
        return np.array(distinct(np.concatenate(loads)), dtype=np.int64), sorted(firsts)

    def clone(self) -> CoursePrograms:
        """The same with working memory of its own."""
        return replace(self, spot=self.spot.clone(), between=self.between.clone())


class _Tables(NamedTuple):
    """What is known of a curve where run-time values are as they were read."""

    read: bytes
    nodes: Numbers
    leaves: Numbers
    row: tuple[int, int, int, float, float, float]
    """Where the kernel finds them, how many of the smallest there are, where the first begins, how wide all are, and
    how far no point is farther from the origin."""

    @classmethod
    def of(cls, read: bytes, nodes: Numbers, leaves: Numbers, sizes: tuple[float, float, float]) -> _Tables:
        """Tables whose room is checked."""
        count = len(leaves)
        places = (
            room_of("the portions of a curve", nodes, 2 * count * at.NODE),
            room_of("the smallest portions of a curve", leaves, count * at.LEAF),
        )
        return cls(read, nodes, leaves, (*places, count, *sizes))


class _Tabulated(NamedTuple):
    """Tables of portions that are equally wide: how far normals turn from the one in the middle of a smallest one at
    most, rad, and how far no point is farther from the origin."""

    nodes: Numbers
    leaves: Numbers
    sharpest: float
    size: float


@final
class Portions:
    """What the kernel knows of a curve."""

    def __init__(self, course: CoursePrograms, row: Any) -> None:
        self._course, self._row = course, row
        self._bounds = BoxWalk(course.point, [course.column], 2)
        row["column"], row["closed"], row["straight"] = course.column, course.closed, course.straight
        row["spot"] = raw_address(course.spot.cell)
        self._least = count = _FEWEST_DRAWN if len(course.point.drawn) else _FEWEST
        shapes = {
            "begins": (count, 1), "widths": (count, 1), "spots": (count, at.SPOT), "over": (2 * count, 2 * JET),
            "boxes": (2 * count, BOX),
        }  # fmt: skip
        self._rooms = {name: np.zeros(shape) for name, shape in shapes.items()}
        self._head = np.zeros(1, dtype=at.TABLE)
        self._head["count"], self._head["column"] = count, course.column
        self._spot = course.spot.clone()  # kernels call the other one, also while portions are foreseen
        self._head["spot"] = raw_address(self._spot.cell)
        for name in ("begins", "widths", "spots", "over"):
            self._head[name] = raw_address(self._rooms[name])
        self._loads, self._drawn = course.reads
        self._lock = threading.Lock()
        self._tables: list[_Tables] = []
        """The present ones, and others: what is drawn may be foreseen, and taken back."""

    def foresee(self, state: Numbers, values: Numbers) -> None:
        """Work out all bounds for run-time values that :meth:`work_out` will be asked for, while kernels go on."""
        with self._lock:
            known = self._found(state, values)
            if not any(known is each for each in self._tables):
                self._tables = [*self._tables[:1], known, *self._tables[1:]][:_KEPT]

    def work_out(self, state: Numbers, values: Numbers) -> None:
        """Work out all bounds for the run-time values as they are, unless that has been done."""
        with self._lock:
            known = self._found(state, values)
            if self._tables and known is self._tables[0]:
                return
            self._tables = [known, *(each for each in self._tables if each is not known)][:_KEPT]
            row = self._row
            row["nodes"], row["leaves"], row["count"], row["low"], row["span"], row["size"] = known.row

    def _found(self, state: Numbers, values: Numbers) -> _Tables:
        read = values[self._loads].tobytes()
        for first in self._drawn:
            read += values[first : first + table_length(values[first])].tobytes()
        known = next((each for each in self._tables if read == each.read), None)
        return self._worked_out(read, state, values) if known is None else known

    def _worked_out(self, read: bytes, state: Numbers, values: Numbers) -> _Tables:
        lowest, highest, offset = self._course.between(0.0, state, values)
        beyond = 0.0 if self._course.closed or self._course.straight else _BEYOND * (highest - lowest)
        low, span = lowest - beyond, highest - lowest + 2 * beyond
        made = self._tabulated(lowest, highest, offset, (low, span), state, values)
        if made.sharpest <= _SHARP:
            return _Tables.of(read, made.nodes, made.leaves, (low, span, made.size))
        ends = low + span / self._least * np.arange(self._least)
        nodes, leaves = self._cut(ends, np.full(self._least, span / self._least), offset, state, values)
        begins, ends = leaves[:, at.BEGIN], leaves[:, at.BEGIN] + leaves[:, at.SPAN]
        nodes[(ends <= lowest) | (begins >= highest), at.RADIUS] = -1.0
        on = nodes[nodes[:, at.RADIUS] >= 0.0]
        size = float((np.hypot(on[:, at.X], on[:, at.Y]) + on[:, at.RADIUS]).max(initial=0.0))
        every = np.concatenate([np.zeros_like(nodes), nodes])
        _run("join_portions", nodes=every, leaves=leaves)
        return _Tables.of(read, every, leaves, (low, span, size))

    def _tabulated(
        self, lowest: float, highest: float, offset: float, extent: tuple[float, float], state: Numbers, values: Numbers
    ) -> _Tabulated:
        """All tables, of the fewest portions."""
        count, (low, span) = self._least, extent
        nodes, leaves, place = np.zeros((2 * count, at.NODE)), np.zeros((count, at.LEAF)), state.copy()
        head = self._head
        head["nodes"], head["leaves"] = raw_address(nodes), raw_address(leaves)
        head["walks"] = self._bounds.ready(self._rooms["boxes"], values)
        head["low"], head["span"], head["lowest"], head["highest"], head["offset"] = low, span, lowest, highest, offset
        kernel = FOLLOWING.function("tabulate_portions", WORD_TYPE, DOUBLE_TYPE, WORD_TYPE, WORD_TYPE, WORD_TYPE)
        kernel(raw_address(head), 0.0, raw_address(place), address_of(values), 0)
        return _Tabulated(nodes, leaves, float(head["sharpest"][0]), float(head["size"][0]))

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
        spots = self._spot.over(np.zeros(len(lows)), states, values)
        middles = lows + 0.5 * widths
        least, most = np.concatenate([lows, middles])[:, None], np.concatenate([lows + widths, middles])[:, None]
        over, middle = np.split(self._bounds.over(least, most, [1.0], values), 2)
        nodes, leaves = np.empty((len(lows), at.NODE)), np.empty((len(lows), at.LEAF))
        _run(
            "measure_portions", offset=offset, begins=lows, widths=widths, spots=spots, over=over, middle=middle,
            nodes=nodes, leaves=leaves,
        )  # fmt: skip
        return nodes, leaves


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
        loads = course.between.tape.loads.tolist()
        self._reads = np.array([index for bank, index, _ in loads if bank == VALUES], dtype=np.int64)
        self._read: bytes | None = None

    def foresee(self, state: Numbers, values: Numbers) -> None:
        """It does not depend on what is drawn."""

    def work_out(self, state: Numbers, values: Numbers) -> None:
        """Work out how much it bends, unless that has been done."""
        read = values[self._reads].tobytes()
        if read == self._read:
            return
        self._read = read
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

    def foresee(self, state: Numbers, values: Numbers) -> None:
        """It does not depend on what is drawn."""

    def work_out(self, state: Numbers, values: Numbers) -> None:
        """It is always the same."""


def _run(kernel: str, offset: float = 0.0, **tables: Numbers) -> None:
    """Have a kernel work out tables from others."""
    head = np.zeros(1, dtype=at.TABLE)
    head["offset"], head["count"] = offset, len(tables["leaves"])
    for name, table in tables.items():
        head[name] = address_of(table)
    FOLLOWING.function(kernel, WORD_TYPE, DOUBLE_TYPE, WORD_TYPE, WORD_TYPE, WORD_TYPE)(raw_address(head), 0.0, 0, 0, 0)
