"""Nearest points on curves and surfaces that a run follows: corrected after each accepted step, in the kernel."""

from __future__ import annotations

import math
from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from detent.jit.address import check_places, check_room, raw_address, room_of
from detent.jit.arrays import Words
from detent.jit.calling import call_many, call_once
from detent.jit.program import Program
from detent.solves import following_frame as at
from detent.solves import portions_frame, surface_portions_frame
from detent.solves.kernels import FOLLOWING
from detent.solves.portions import CoursePrograms, FacePortion, Portions, RoundPortion
from detent.solves.surface_portions import SurfacePortions, SurfacePrograms

_LOOKED_AT: Final = 1001
"""Values of a coordinate by which it is seen how its curve or surface turns."""
_TURN: Final = 0.25
"""The angle by which the normal may turn from one point that is looked at after a step to the next, on average."""
_SHARP: Final = 0.7
"""The same where it turns fastest."""
_FEWEST: Final = {1: 32, 2: 8}
_MOST: Final = {1: 1024, 2: 48}
"""How many values of each coordinate are looked at, by the number of coordinates."""


@final
@dataclass(frozen=True, eq=False)
class FollowedPlace:
    """A place whose nearest point is followed: its programs (:data:`detent.solves.following_frame.RANGES`), where its
    coordinates stand in the state, and which of them come back to their start."""

    name: str
    program: Program
    apart: Program
    normals: Program
    """The unit normal at each coordinate."""
    columns: tuple[int, ...]
    closed: tuple[bool, ...]
    lasting: bool = False
    """Whether there is always a nearest point, and one only."""
    stance: Program | None = None
    """How curves, or a curve and what touches it, stand to one another (:data:`detent.solves.portions_frame.STANCE`);
    None where they touch nowhere else."""
    courses: tuple[CoursePrograms, ...] = ()
    """Of both curves, or of the only one."""
    surface: SurfacePrograms | None = None
    """Of a surface, whose stance is :data:`detent.solves.surface_portions_frame.STANCE`."""
    level: bool = False
    """Whether a plane or a straight face touches."""
    slack: float = 0.0
    """By how much its coordinates may be off within a step, where that is more than the integration's tolerance."""

    @property
    def is_round(self) -> bool:
        """Whether a ball, a disk or a point touches, or a ring."""
        return self.stance is not None and not self.level and len(self.courses) < 2

    def clone(self) -> FollowedPlace:
        """The same with working memory of its own."""
        whole, apart, normals = (program.clone() for program in (self.program, self.apart, self.normals))
        stance = None if self.stance is None else self.stance.clone()
        courses = tuple(course.clone() for course in self.courses)
        surface = None if self.surface is None else self.surface.clone()
        return replace(
            self, program=whole, apart=apart, normals=normals, stance=stance, courses=courses, surface=surface
        )


@final
class Following:
    """The cells that correct the coordinates of nearest points; ``projection`` corrects all else, if anything."""

    def __init__(self, places: Sequence[FollowedPlace], width: int, projection: Program | None) -> None:
        self.places = tuple(places)
        self._projection = projection
        most = max(at.outputs(len(place.columns)) for place in places)
        self._given, self._trial, self._around = np.zeros(most), np.zeros(width), np.zeros(portions_frame.MARKS)
        self._looked, self._stance = np.zeros(surface_portions_frame.SPOT), np.zeros(portions_frame.STANCE)
        pairs = 1 + portions_frame.ROOM if any(place.stance for place in places) else 0
        self._waiting = np.zeros((max(1, pairs), portions_frame.PAIR))
        self._facing: list[_FacingCurves | SurfacePortions] = []
        self._table = np.zeros(len(places), dtype=at.FOLLOWED)
        self._bytes = self._table.view(np.uint8)
        for row, place in zip(self._table, places, strict=True):
            self._fill(row, place, width)
        self._head = np.zeros(1, dtype=at.FOLLOWING)
        words = {
            "places": raw_address(self._table), "count": len(places), "width": width, "jumping": -1,
            "projection": 0 if projection is None else raw_address(projection.cell),
            "given": room_of("what places give", self._given, most),
            "trial": room_of("the state to be tried", self._trial, width),
            "looked": room_of("what a point that is looked at gives", self._looked, surface_portions_frame.SPOT),
            "stance": room_of("how curves stand to one another", self._stance, portions_frame.STANCE),
            "waiting": room_of("pairs of portions", self._waiting, pairs * portions_frame.PAIR),
            "around": room_of("the portions around a followed point", self._around, portions_frame.MARKS),
        }  # fmt: skip
        for name, word in words.items():
            self._head[name] = word
        names = ("followed_state", "follow", "look_for_nearer", "keep_followed", "slacken", "find_nearest")
        self.cell, self.newton, self.looking, self.keeping, self.slackening, self._finding = map(self._cell, names)

    def _fill(self, row: Any, place: FollowedPlace, width: int) -> None:
        count = len(place.columns)
        check_room("the coordinates of a nearest point", count, at.MOST_COORDINATES)
        check_places("the coordinates of a nearest point", np.array(place.columns), count, width)
        check_room("what a place gives", place.program.size, at.outputs(count))
        check_room("what a point that is looked at gives", place.apart.size, 1)
        for name in ("program", "apart"):
            row[name] = raw_address(getattr(place, name).cell)
        row["coordinates"], row["first"], row["second"] = count, place.columns[0], place.columns[-1]
        row["samples"] = row["other_samples"] = _FEWEST[count]
        row["lasting"], row["is_round"] = place.lasting, place.is_round
        row["seen_free"] = row["kept_free"] = np.inf
        row["kept_time"] = row["seen_time"] = np.nan
        if place.stance is not None and place.surface is not None:
            check_room("how a surface stands", place.stance.size, surface_portions_frame.STANCE)
            check_room("a point of a surface", place.surface.spot.size, surface_portions_frame.SPOT)
            self._facing.append(SurfacePortions(place.surface, place.level))
            row["stance"], row["surface"] = raw_address(place.stance.cell), self._facing[-1].address
        elif place.stance is not None:
            check_room("how curves stand to one another", place.stance.size, portions_frame.STANCE)
            check_room("a point of a curve", max(course.spot.size for course in place.courses), portions_frame.SPOT)
            self._facing.append(_FacingCurves(place.courses, place.level))
            row["stance"], row["portions"] = raw_address(place.stance.cell), self._facing[-1].address
        row["off_range"] = sum(k + 1 for k, closed in enumerate(place.closed) if not closed)

    def give_slack(self, tolerances: NDArray[np.float64]) -> None:
        """Raise these absolute tolerances of a state, before each step, where nearest points may be off within it."""
        for row, place in zip(self._table, self.places, strict=True):
            if place.slack > 0.0:
                row["slack"], row["least_slack"] = place.slack, tolerances[place.columns[0]]
        self._tolerances = tolerances
        self._head["absolute"] = room_of("absolute tolerances", tolerances, int(self._head["width"][0]) - 1)

    def _cell(self, kernel: str) -> Words:
        return np.array([FOLLOWING.address(kernel), raw_address(self._head)], dtype=np.int64)

    def find(self, place: FollowedPlace, time: float, state: NDArray[np.float64], values: NDArray[np.float64]) -> bool:
        """Put the nearest point at a place into a state, looked for everywhere; whether there is one."""
        self._head["culprit"] = self.places.index(place)
        return call_once(self._finding, time, state, values, state) == 0

    def look(self, time: float, state: NDArray[np.float64], values: NDArray[np.float64]) -> bool:
        """Whether nearest points can be followed from a state: nothing overlaps elsewhere."""
        return call_once(self.looking, time, state, values, state) == 0

    @property
    def memory(self) -> NDArray[np.uint8]:
        """What is known of all places by now, to be given back where something is not done after all; as bytes, for
        to copy fields takes twenty times as long."""
        return self._bytes.copy()

    @memory.setter
    def memory(self, before: NDArray[np.uint8]) -> None:
        self._bytes[:] = before
        self.forget_jump()

    def forget_jump(self) -> None:
        """Whatever was found nearer is of no account any more."""
        self._head["jumping"] = -1

    def begin_anew(self, place: FollowedPlace, samples: int) -> None:
        """The curve of a place is another now; so many points of it are worth looking at."""
        row = self._table[self.places.index(place)]
        row["kept_time"] = row["seen_time"] = np.nan
        row["samples"] = samples

    def foresee(self, places: Container[FollowedPlace], values: NDArray[np.float64]) -> None:
        """Work out what will be known of the curves of some places, for run-time values that are to come."""
        state = np.zeros(int(self._head["width"][0]))
        for each, place in zip(self._facing, [place for place in self.places if place.stance is not None], strict=True):
            if place in places and isinstance(each, _FacingCurves):
                each.foresee(state, values)

    def work_out(self, state: NDArray[np.float64], values: NDArray[np.float64]) -> None:
        """Work out what is known of the portions of curves and surfaces, if run-time values are others than before."""
        for each in self._facing:
            each.work_out(state, values)

    def look_at(self, state: NDArray[np.float64], values: NDArray[np.float64]) -> None:
        """Choose how many points are looked at after a step, by how curves and surfaces turn."""
        self.work_out(state, values)
        for row, place in zip(self._table, self.places, strict=True):
            for number, name in zip(range(len(place.columns)), ("samples", "other_samples"), strict=False):
                row[name] = _samples(place, number, state, values)

    def keep(self) -> None:
        """Steps begin where it was last looked at."""
        for name in at.LOOKED:
            self._table[f"kept_{name}"] = self._table[f"seen_{name}"]

    def stop_by(self, word: Words) -> None:
        """Ask for a stop by this word where another point is nearer."""
        self._stopping = word
        self._head["stop"] = room_of("the word that stops", word, 1)

    @property
    def culprit(self) -> FollowedPlace:
        """The place of which the last reason not to go on was told."""
        return self.places[int(self._head["culprit"][0])]

    @property
    def jump(self) -> tuple[FollowedPlace, tuple[float, ...]] | None:
        """Where another point was found nearer when it was last looked for, and its coordinates."""
        number = int(self._head["jumping"][0])
        if number < 0:
            return None
        place = self.places[number]
        return place, tuple(float(self._head[name][0]) for name in ("jump_first", "jump_second")[: len(place.columns)])


def _samples(place: FollowedPlace, number: int, state: NDArray[np.float64], values: NDArray[np.float64]) -> int:
    """How many values of a coordinate are worth looking at."""
    count, column = len(place.columns), place.columns[number]
    low, high = place.program(0.0, state, values)[at.RANGES + 2 * number : at.RANGES + 2 * number + 2]
    states = np.repeat(state[None, :], _LOOKED_AT, axis=0)
    for k, other in enumerate(place.columns):  # in the middle of the other one's range
        states[:, other] = place.program(0.0, state, values)[at.RANGES + 2 * k : at.RANGES + 2 * k + 2].mean()
    states[:, column] = np.linspace(low, high, _LOOKED_AT)
    normals = np.empty((_LOOKED_AT, 3 * count))
    call_many(place.normals.cell, np.zeros(_LOOKED_AT), states, values, normals)
    turned = np.linalg.norm(np.diff(normals[:, 3 * number : 3 * number + 3], axis=0), axis=1)
    turned = turned[np.isfinite(turned)]
    return worth_looking_at(float(turned.sum()), float(turned.max(initial=0.0)) * (len(turned) + 1), count)


@final
class _FacingCurves:
    """The portions of two curves, or of a curve and what touches it, worked out anew where run-time values that they
    read are others."""

    def __init__(self, courses: tuple[CoursePrograms, ...], level: bool) -> None:
        self._rows = np.zeros(2, dtype=portions_frame.PORTIONS)
        maker = Portions if len(courses) == 2 else FacePortion if level else RoundPortion
        other = Portions(courses[-1], self._rows[1])
        self._level = level
        self._portions: list[Portions | RoundPortion | FacePortion] = [maker(courses[0], self._rows[0]), other]
        self.address = raw_address(self._rows)

    def foresee(self, state: NDArray[np.float64], values: NDArray[np.float64]) -> None:
        """Work out both for other values, while these count."""
        for portions in self._portions:
            portions.foresee(state, values)

    def work_out(self, state: NDArray[np.float64], values: NDArray[np.float64]) -> None:
        """Work out both, where that has not been done for these values."""
        for portions in self._portions:
            portions.work_out(state, values)
        if self._level:
            self._rows["size"][0] = self._rows["size"][1]  # points of the curve move against the face as it turns


def worth_looking_at(whole: float, fastest: float, count: int = 1) -> int:
    """How many values of a coordinate are, where the normal turns by so much in all, and so fast at most with the part
    of its range, of so many coordinates.

    >>> worth_looking_at(0.1, 0.2), worth_looking_at(25.0, 30.0)
    (32, 100)
    """
    return math.ceil(min(max(whole / _TURN, fastest / _SHARP, _FEWEST[count]), _MOST[count]))
