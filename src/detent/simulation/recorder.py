"""Gathers the pieces of a trajectory that a solver delivers."""

from __future__ import annotations

import numpy as np

from detent.integrate.chunk import Chunk
from detent.results.layout import StateLayout
from detent.results.trajectory import Trajectory


class Recorder:
    """Keeps every node, or only the states at asked-for times; then memory does not grow with the steps of the run.

    A *segment* is a stretch in which the same equations and values hold. Each node belongs to one.
    """

    def __init__(self, layout: StateLayout, times: np.ndarray | None) -> None:
        self.layout, self.times = layout, times
        self.segment = 0
        self._next = 0
        self._pieces: list[Chunk] = []
        self._segments: list[np.ndarray] = []
        self._kept: list[np.ndarray] = []
        self._kept_segments: list[np.ndarray] = []

    def begin(self, time: float, state: np.ndarray, rate: np.ndarray) -> None:
        """Put down the first node."""
        self._add(_node(time, state, rate, np.zeros((0, 0, self.layout.width))))

    def turn(self, state: np.ndarray, rate: np.ndarray) -> None:
        """A new segment begins here, with another state or another rate: a second node at the same time."""
        self.segment += 1
        last = self._pieces[-1]
        self._add(_node(float(last.time[-1]), state, rate, np.zeros((1, *last.dense.shape[1:]))))

    def expect_turn(self) -> None:
        """A new segment begins with the next node to be kept."""
        self.segment += 1

    def keep(self, chunk: Chunk) -> None:
        """Take a piece of trajectory."""
        self._add(chunk)
        if self.times is not None:
            self._harvest(self.times, whole=False)

    def keep_jumps(self, chunk: Chunk, rows: np.ndarray) -> None:
        """Take a piece of trajectory in which new segments begin at some of its nodes; not for asked-for times."""
        self._pieces.append(chunk)
        begins = np.zeros(len(chunk), dtype=np.int64)
        begins[rows] = 1
        begins[0] += self.segment
        self._segments.append(begins.cumsum())
        self.segment += len(rows)

    def _add(self, chunk: Chunk) -> None:
        self._pieces.append(chunk)
        if self.times is None:
            self._segments.append(np.full(len(chunk), self.segment))

    def _harvest(self, times: np.ndarray, whole: bool) -> None:
        """Work out the asked-for states in the pieces so far, then let the pieces go, but for the last node.

        A time at the last node waits, unless the run is over: the state may still jump there.
        """
        piece = self._joined()
        ready = times[self._next : int(np.searchsorted(times, piece.time[-1], side="right" if whole else "left"))]
        if len(ready):
            self._kept.append(piece.at(ready))
            self._kept_segments.append(np.full(len(ready), self.segment))
            self._next += len(ready)
        last = self._pieces[-1]
        self._pieces = [Chunk(last.time[-1:], last.state[-1:], last.rate[-1:], np.zeros((0, *last.dense.shape[1:])))]

    def _joined(self) -> Trajectory:
        pieces, width = self._pieces, self.layout.width
        rows = max(piece.dense.shape[1] for piece in pieces)
        dense = [p.dense if p.dense.shape[1] == rows else np.zeros((len(p.dense), rows, width)) for p in pieces]
        return Trajectory(
            self.layout,
            np.concatenate([piece.time for piece in pieces]),
            np.concatenate([piece.state for piece in pieces]),
            np.concatenate([piece.rate for piece in pieces]),
            np.concatenate(dense),
        )

    def trajectory(self) -> tuple[Trajectory, np.ndarray]:
        """All that was kept, and the segment of each node."""
        if self.times is None:
            return self._joined(), np.concatenate(self._segments)
        before = (self._next, list(self._pieces), list(self._kept), list(self._kept_segments))
        self._harvest(self.times, whole=True)
        kept, segments, times = list(self._kept), list(self._kept_segments), self.times[: self._next]
        # Looking must not change what comes: a time at the last node still waits, for the state may jump there.
        self._next, self._pieces, self._kept, self._kept_segments = before
        if len(times) < len(self.times):  # stopped early: the node where it stopped says more than nothing
            last = self._pieces[-1]
            kept.append(last.state[-1:])
            segments.append(np.array([self.segment]))
            times = np.append(times, last.time[-1])
        states = np.concatenate(kept)
        return Trajectory(self.layout, times, states, np.zeros_like(states), None), np.concatenate(segments)


def _node(time: float, state: np.ndarray, rate: np.ndarray, dense: np.ndarray) -> Chunk:
    return Chunk(np.array([time]), state.reshape(1, -1).copy(), rate.reshape(1, -1).copy(), dense)
