"""Nearest points on curves and surfaces that a run follows: corrected after each accepted step, in the kernel."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, final

import numpy as np
from numpy.typing import NDArray

from detent.jit.address import check_places, check_room, raw_address, room_of
from detent.jit.program import Program
from detent.solves import following_frame as at
from detent.solves.kernels import FOLLOWING

Words = NDArray[np.int64]

SAMPLES: Final = {1: 96, 2: 16}
"""How many values of each coordinate are looked at after a step, by the number of coordinates."""


@final
@dataclass(frozen=True, eq=False)
class FollowedPlace:
    """A place whose nearest point is followed: its programs (:data:`detent.solves.following_frame.RANGES`), where its
    coordinates stand in the state, and which of them come back to their start."""

    name: str
    program: Program
    apart: Program
    columns: tuple[int, ...]
    closed: tuple[bool, ...]

    def clone(self) -> FollowedPlace:
        """The same with working memory of its own."""
        return FollowedPlace(self.name, self.program.clone(), self.apart.clone(), self.columns, self.closed)


@final
class Following:
    """The cells that correct the coordinates of nearest points; ``projection`` corrects all else, if anything."""

    def __init__(self, places: Sequence[FollowedPlace], width: int, projection: Program | None) -> None:
        self.places = tuple(places)
        self._projection = projection
        most = max(at.outputs(len(place.columns)) for place in places)
        self._given, self._trial = np.zeros(most + 1), np.zeros(width)
        self._table = np.zeros(len(places), dtype=at.FOLLOWED)
        for row, place in zip(self._table, places, strict=True):
            self._fill(row, place, width)
        self._head = np.zeros(1, dtype=at.FOLLOWING)
        words = {
            "places": raw_address(self._table), "count": len(places), "width": width, "jumping": -1,
            "projection": 0 if projection is None else raw_address(projection.cell),
            "given": room_of("what places give", self._given, most + 1),
            "trial": room_of("the state to be tried", self._trial, width),
        }  # fmt: skip
        for name, word in words.items():
            self._head[name] = word
        self.cell, self.newton, self.looking = (self._cell(name) for name in ("followed_state", "follow", "look_round"))

    def _fill(self, row: Any, place: FollowedPlace, width: int) -> None:
        count = len(place.columns)
        check_room("the coordinates of a nearest point", count, at.MOST_COORDINATES)
        check_places("the coordinates of a nearest point", np.array(place.columns), count, width)
        check_room("what a place gives", place.program.size, at.outputs(count))
        row["program"], row["apart"] = raw_address(place.program.cell), raw_address(place.apart.cell)
        row["coordinates"], row["first"], row["second"] = count, place.columns[0], place.columns[-1]
        row["samples"] = SAMPLES[count]
        row["off_range"] = sum(k + 1 for k, closed in enumerate(place.closed) if not closed)

    def _cell(self, kernel: str) -> Words:
        return np.array([FOLLOWING.address(kernel), raw_address(self._head)], dtype=np.int64)

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
