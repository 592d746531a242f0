"""Keeps the states at the start, before and after each event, and at the end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, final

import numpy as np

from detent.results.growing_column import GrowingColumn
from detent.results.trajectory import Trajectory
from detent.simulation.recorder import EveryNode, Ledger
from detent.stepping.held_interrupts import holding_interrupts

if TYPE_CHECKING:
    from detent.events.event_memory import Log
    from detent.results.layout import StateLayout
    from detent.stepping.trajectory_piece import TrajectoryPiece

RECENT: Final = 4096
"""Nodes that are kept for a while before those at events are chosen."""


@final
class EventStates:
    """Keeps every node for a while, until it has been worked out; then those at events, and the last one."""

    takes_jumps = True
    settles = True

    def __init__(self, layout: StateLayout) -> None:
        self.layout = layout
        self.recent = EveryNode(layout)
        self._time, self._state = GrowingColumn(), GrowingColumn((layout.width,))
        self._marks: list[int] = [0]
        """Nodes with which a segment begins, among the recent ones."""

    @property
    def count(self) -> int:
        return self.recent.count

    @property
    def nbytes(self) -> int:
        return self.recent.nbytes + self._time.nbytes + self._state.nbytes

    def begin(self, time: float, state: np.ndarray, rate: np.ndarray) -> None:
        self.recent.begin(time, state, rate)

    def turn(self, state: np.ndarray, rate: np.ndarray) -> int:
        self.mark()
        return self.recent.turn(state, rate)

    def mark(self) -> None:
        self._marks.append(self.recent.count)

    def keep(self, piece: TrajectoryPiece, jumps: Log | None = None) -> None:
        if jumps is not None:
            self._marks += (self.recent.count + jumps.instants).tolist()
        self.recent.keep(piece)

    def settle(self, ledger: Ledger, last: int | None) -> None:
        """All but the last node is worked out, whatever ``last`` says: then it can be thinned out."""
        chosen = self._chosen()
        with holding_interrupts():
            ledger.work_out(self.recent, self.recent.count - 1, chosen)
            self._thin_out(chosen)

    def tend(self, now: float, ledger: Ledger) -> None:
        if self.recent.count - self.recent.first > RECENT:
            ledger.settle()

    def trim(self, now: float, ledger: Ledger) -> None:
        """Nothing is to be done: settling lets go."""

    def _chosen(self) -> np.ndarray:
        """Which of the recent nodes, but for the last, are to be kept, counted from the first of them."""
        places = np.array(self._marks, dtype=np.int64) - self.recent.first
        places = np.unique(np.concatenate([places - 1, places]))
        return places[(places >= 0) & (places < self.recent.count - 1 - self.recent.first)]

    def _thin_out(self, chosen: np.ndarray) -> None:
        """Keep these of the recent nodes, and the last; let go of the others."""
        time, state = self.recent.nodes(self.recent.first, self.recent.count)
        self._time.extend(time[chosen])
        self._state.extend(state[chosen])
        self.recent.let_go(self.recent.count - 1)
        self._marks = [mark for mark in self._marks if mark >= self.recent.first]

    def trajectory(self) -> Trajectory:
        time, state = self.recent.nodes(self.recent.count - 1, self.recent.count)
        whole = np.concatenate([self._state.rows, state])
        return Trajectory(self.layout, np.append(self._time.rows, time), whole, np.zeros_like(whole), None)
