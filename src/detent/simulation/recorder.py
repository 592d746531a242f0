"""Gathers the pieces of a trajectory that a solver delivers."""

from __future__ import annotations

import numpy as np

from detent.integrate.chunk import Chunk
from detent.results.layout import StateLayout
from detent.results.trajectory import Trajectory


class Recorder:
    """Keeps every node, or only the states at asked-for times; then memory does not grow with the run."""

    def __init__(self, layout: StateLayout, times: np.ndarray | None) -> None:
        self.layout, self.times = layout, times
        self._next = 0
        self._pieces: list[Chunk] = []
        self._kept: list[np.ndarray] = []

    def begin(self, time: float, state: np.ndarray, rate: np.ndarray) -> None:
        """Put down the start."""
        width = self.layout.width
        self._pieces = [
            Chunk(np.array([time]), state.reshape(1, width), rate.reshape(1, width), np.zeros((0, 0, width)))
        ]
        self._harvest()

    def turn(self, rate: np.ndarray) -> None:
        """The rate jumps here while the state does not: a second node at the same time, so both sides interpolate."""
        last = self._pieces[-1]
        rows = np.zeros((1, *last.dense.shape[1:]))
        self._pieces.append(Chunk(last.time[-1:], last.state[-1:], rate.reshape(1, -1), rows))

    def keep(self, chunk: Chunk) -> None:
        """Take a piece of trajectory."""
        self._pieces.append(chunk)
        self._harvest()

    def _harvest(self) -> None:
        """Work out the asked-for states in the pieces so far, then let the pieces go, but for the last node."""
        if self.times is None:
            return
        piece = self._joined()
        ready = self.times[self._next : int(np.searchsorted(self.times, piece.time[-1], side="right"))]
        if len(ready):
            self._kept.append(piece.at(ready))
            self._next += len(ready)
        last = self._pieces[-1]
        self._pieces = [Chunk(last.time[-1:], last.state[-1:], last.rate[-1:], np.zeros((0, *last.dense.shape[1:])))]

    def _joined(self) -> Trajectory:
        pieces = self._pieces
        rows = max(piece.dense.shape[1] for piece in pieces)
        dense = [
            p.dense if p.dense.shape[1] == rows else np.zeros((len(p.dense), rows, self.layout.width)) for p in pieces
        ]
        return Trajectory(
            self.layout,
            np.concatenate([piece.time for piece in pieces]),
            np.concatenate([piece.state for piece in pieces]),
            np.concatenate([piece.rate for piece in pieces]),
            np.concatenate(dense),
        )

    def trajectory(self) -> Trajectory:
        """All that was kept; of a run that stopped before the last asked-for time, the last node as well."""
        if self.times is None:
            return self._joined()
        states = np.concatenate([np.zeros((0, self.layout.width)), *self._kept])
        times, last = self.times[: len(states)], self._pieces[-1]
        if len(times) < len(self.times) and not (len(times) and times[-1] == last.time[-1]):
            times, states = np.append(times, last.time[-1]), np.concatenate([states, last.state[-1:]])
        return Trajectory(self.layout, times, states, np.zeros_like(states), None)
