"""Keeps the states at asked-for times alone: then memory does not grow with the steps of the run."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import numpy as np

from detent.results.trajectory import Trajectory
from detent.simulation.recorder import Ledger, joined_pieces, piece_of_one_node
from detent.stepping.trajectory_piece import TrajectoryPiece

if TYPE_CHECKING:
    from detent.events.event_memory import Log
    from detent.results.layout import StateLayout


@final
class AskedTimes:
    """Works out the states at given times as the pieces come, and lets the pieces go. What it keeps are its nodes."""

    takes_jumps = False
    settles = False

    def __init__(self, layout: StateLayout, times: np.ndarray) -> None:
        self.layout, self.times = layout, times
        self._pieces: list[TrajectoryPiece] = []
        self._kept: list[np.ndarray] = []
        self._count = 0

    @property
    def count(self) -> int:
        return self._count

    @property
    def nbytes(self) -> int:
        return self._count * (self.layout.width + 1) * 8

    def begin(self, time: float, state: np.ndarray, rate: np.ndarray) -> None:
        self._pieces.append(piece_of_one_node(time, state, rate, np.zeros((0, 0, self.layout.width))))

    def turn(self, state: np.ndarray, rate: np.ndarray) -> int:
        last = self._pieces[-1]
        self._pieces.append(piece_of_one_node(float(last.time[-1]), state, rate, np.zeros((1, *last.dense.shape[1:]))))
        return self._count

    def mark(self) -> None:
        """Nothing is to be done: the states at times that come belong to the segment that runs then."""

    def keep(self, piece: TrajectoryPiece, jumps: Log | None = None) -> None:
        self._pieces.append(piece)
        ready = self._ready("left")  # a time at the last node waits: the state may still jump there
        if len(ready):
            self._kept.append(ready)
            self._count += len(ready)
        last = self._pieces[-1]
        self._pieces = [
            TrajectoryPiece(last.time[-1:], last.state[-1:], last.rate[-1:], np.zeros((0, *last.dense.shape[1:])))
        ]

    def _ready(self, side: str) -> np.ndarray:
        """The states at the times, not kept yet, that the pieces reach; ``side``: the last node with them or not."""
        piece = joined_pieces(self._pieces)
        along = Trajectory(self.layout, piece.time, piece.state, piece.rate, piece.dense)
        reached = int(np.searchsorted(self.times, piece.time[-1], side="right" if side == "right" else "left"))
        return along.at(self.times[self._count : reached])

    def settle(self, ledger: Ledger, last: int | None) -> None:
        """Nothing is to be done: what follows from the states is worked out at the end, they are few."""

    def tend(self, now: float, ledger: Ledger) -> None:
        """Nothing is to be done: pieces are let go as they come."""

    def trim(self, now: float, ledger: Ledger) -> None:
        """Nothing is to be done: pieces are let go as they come."""

    def trajectory(self) -> Trajectory:
        states = [*self._kept, self._ready("right")]
        times = self.times[: self._count + len(states[-1])]
        if len(times) < len(self.times):  # stopped early: the node where it stopped says more than nothing
            last = self._pieces[-1]
            states.append(last.state[-1:])
            times = np.append(times, last.time[-1])
        whole = np.concatenate(states)
        return Trajectory(self.layout, times, whole, np.zeros_like(whole), None)
