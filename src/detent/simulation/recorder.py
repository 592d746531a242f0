"""Gathers the nodes of a trajectory that a solver delivers, and lets go of what is not to be kept."""

from __future__ import annotations

import math
import threading
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Protocol, final

import numpy as np
from numpy.typing import NDArray

from detent.results.trajectory import Trajectory
from detent.stepping.held_interrupts import holding_interrupts
from detent.stepping.trajectory_piece import TrajectoryPiece

if TYPE_CHECKING:
    from detent.events.event_memory import Log
    from detent.results.layout import StateLayout

MOST_BEHIND: Final = 8192
"""Nodes that wait to be worked out, at most: that much is done at once, and an interrupt waits for it."""
SMALL: Final = 64
"""Pieces of fewer nodes are joined when there are as many of them: an array takes more room than a few numbers."""


@final
@dataclass(frozen=True, eq=False)
class InstantsInSteps:
    """Instants inside the steps of a run, and the number of the node at which the step of each starts."""

    starts: NDArray[np.int64]
    times: np.ndarray
    states: np.ndarray


class Ledger(Protocol):
    """Where what follows from nodes is put down; nodes may be let go when that has been done."""

    @property
    def upto(self) -> int:
        """The number of the first node that is not worked out yet."""

    def settle(self) -> None:
        """Work out what follows from the nodes so far."""

    def work_out(self, nodes: EveryNode, last: int, chosen: np.ndarray | None) -> None:
        """Work out what follows from nodes up to one; of ``chosen``, counted from the first kept, alone it stays."""

    def forget(self, nodes: EveryNode, number: int) -> None:
        """Let go of the nodes before one, and of what followed from them."""


class Recorder(Protocol):
    """Takes the nodes of a run, one piece after another. Nodes are numbered from the start of the run."""

    layout: StateLayout
    takes_jumps: bool
    """Whether a piece may have new segments begin at some of its nodes."""
    settles: bool
    """Whether what follows from its nodes can be worked out while the run goes on."""

    @property
    def count(self) -> int:
        """The number of the next node."""

    @property
    def nbytes(self) -> int:
        """The size of what is kept."""

    def begin(self, time: float, state: np.ndarray, rate: np.ndarray) -> None:
        """Put down the first node."""

    def turn(self, state: np.ndarray, rate: np.ndarray) -> int:
        """A new segment begins here, with another state or rate: a second node at the same time; gives its number."""

    def mark(self) -> None:
        """A new segment begins with the next node."""

    def keep(self, piece: TrajectoryPiece, jumps: Log | None = None) -> None:
        """Take a piece of trajectory; new segments begin at the nodes after the transitions ``jumps``."""

    def settle(self, ledger: Ledger, last: int | None) -> None:
        """Have the nodes so far worked out, or those up to one."""

    def tend(self, now: float, ledger: Ledger) -> None:
        """The run has come to a time: work out what waits, let go of what is not to be kept, once it is enough."""

    def trim(self, now: float, ledger: Ledger) -> None:
        """Let go of all that is not to be kept."""

    def trajectory(self) -> Trajectory:
        """All that is kept."""


@final
class EveryNode:
    """Keeps every node: of the whole run, or of its last ``seconds``; so many wait to be worked out, at most."""

    takes_jumps = True
    settles = True

    def __init__(self, layout: StateLayout, seconds: float = math.inf, most_behind: float = MOST_BEHIND) -> None:
        self.layout, self.seconds, self._most_behind = layout, seconds, most_behind
        self.first = 0
        """The number of the first node that is kept."""
        self._count, self._bytes, self._small = 0, 0, 0
        self._pieces: list[TrajectoryPiece] = []
        self._begins: list[int] = []
        """The number of the first node of each piece."""
        self._lock = threading.Lock()
        """Held where the list of pieces changes: one thread adds to it while another looks at the run so far."""

    @property
    def count(self) -> int:
        return self._count

    @property
    def nbytes(self) -> int:
        return self._bytes

    @property
    def began(self) -> float:
        """The time of the first node that is kept."""
        return float(self._pieces[0].time[0])

    def begin(self, time: float, state: np.ndarray, rate: np.ndarray) -> None:
        self.keep(piece_of_one_node(time, state, rate, np.zeros((0, 0, self.layout.width))))

    def turn(self, state: np.ndarray, rate: np.ndarray) -> int:
        last = self._pieces[-1]
        self.keep(piece_of_one_node(float(last.time[-1]), state, rate, np.zeros((1, *last.dense.shape[1:]))))
        return self._count - 1

    def mark(self) -> None:
        """Nothing is to be done: every node is kept."""

    def keep(self, piece: TrajectoryPiece, jumps: Log | None = None) -> None:
        nodes = len(piece)
        with self._lock:
            self._pieces.append(piece)
            self._begins.append(self._count)
            self._count += nodes
            self._bytes += piece.nbytes
            self._small = self._small + 1 if nodes < SMALL else 0
            if self._small == SMALL:
                self._pieces[-SMALL:] = [joined_pieces(self._pieces[-SMALL:])]
                del self._begins[1 - SMALL :]
                self._small = 0

    def settle(self, ledger: Ledger, last: int | None) -> None:
        ledger.work_out(self, self._count if last is None else last, None)

    def tend(self, now: float, ledger: Ledger) -> None:
        if self._count - ledger.upto > self._most_behind:
            ledger.settle()
        if now - self.began > 2 * self.seconds:
            self.trim(now, ledger)

    def trim(self, now: float, ledger: Ledger) -> None:
        """Keep the last so many seconds, from the last node before them on; the rest is audited and let go."""
        number = self.node_at(now - self.seconds) if self.seconds < math.inf else self.first
        if number > self.first:
            ledger.settle()
            ledger.forget(self, number)

    def nodes(self, first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
        """Times and states of some nodes."""
        pieces = self._within(first, last)
        return np.concatenate([piece.time for piece in pieces]), np.concatenate([piece.state for piece in pieces])

    def inside(self, first: int, last: int) -> InstantsInSteps:
        """Instants inside the steps from one node to another: the middle, and more where an interpolant bends more."""
        piece = joined_pieces(self._within(first, last + 1))
        dense = piece.dense[len(piece.dense) - len(piece) + 1 :]
        along = Trajectory(self.layout, piece.time, piece.state, piece.rate, dense)
        count = 1 + dense.shape[1] // 2  # one on a cubic polynomial, three on one of degree seven
        starts, times, states = along.inside([(number + 1) / (count + 1) for number in range(count)])
        return InstantsInSteps(starts + first, times, states)

    def node_at(self, time: float) -> int:
        """The number of the last node that is kept at a time or before it, or of the first one."""
        place = max(0, bisect_right(self._pieces, time, key=lambda piece: float(piece.time[0])) - 1)
        within = int(np.searchsorted(self._pieces[place].time, time, side="right")) - 1
        return self._begins[place] + max(0, within)

    def let_go(self, number: int) -> None:
        """Forget the nodes before one."""
        with self._lock:
            pieces = self._within(number, self._count)
            head = pieces[0]  # a copy, so that the rest of its piece is let go too
            whole = len(head.dense) == len(head)
            dense = head.dense[1:] if whole else head.dense
            pieces[0] = TrajectoryPiece(head.time.copy(), head.state.copy(), head.rate.copy(), dense.copy())
            self._begins = [number, *self._begins[len(self._begins) - len(pieces) + 1 :]]
            self.first, self._pieces, self._small = number, pieces, 0
            self._bytes = sum(piece.nbytes for piece in pieces)

    def _within(self, first: int, last: int) -> list[TrajectoryPiece]:
        """The pieces between two nodes, the first and the last cut where need be."""
        found, place = [], max(0, bisect_right(self._begins, first) - 1)
        for number, piece in zip(self._begins[place:], self._pieces[place:], strict=True):
            if number >= last:
                break
            low, high = max(first - number, 0), min(last - number, len(piece))
            found.append(piece if high - low == len(piece) else _part(piece, low, high))
        return found

    def trajectory(self) -> Trajectory:
        with self._lock:
            whole = joined_pieces(self._pieces)
            with holding_interrupts():
                self._pieces, self._begins, self._small = [whole], [self.first], 0
        return Trajectory(self.layout, whole.time, whole.state, whole.rate, whole.dense)


def piece_of_one_node(time: float, state: np.ndarray, rate: np.ndarray, dense: np.ndarray) -> TrajectoryPiece:
    """A piece of one node."""
    return TrajectoryPiece(np.array([time]), state.reshape(1, -1).copy(), rate.reshape(1, -1).copy(), dense)


def joined_pieces(pieces: list[TrajectoryPiece]) -> TrajectoryPiece:
    """Some pieces in one; where the interpolant of some has no rows, they are zero."""
    if len(pieces) == 1:
        return pieces[0]
    rows = max(piece.dense.shape[1] for piece in pieces)
    dense = [p.dense if p.dense.shape[1] == rows else np.zeros((len(p.dense), rows, p.state.shape[1])) for p in pieces]
    return TrajectoryPiece(
        np.concatenate([piece.time for piece in pieces]),
        np.concatenate([piece.state for piece in pieces]),
        np.concatenate([piece.rate for piece in pieces]),
        np.concatenate(dense),
    )


def _part(piece: TrajectoryPiece, first: int, last: int) -> TrajectoryPiece:
    """Some nodes of a piece; the first node of a run ends no step, so that its piece has one row of dense less."""
    lacking = len(piece) - len(piece.dense)
    dense = piece.dense[max(first - lacking, 0) : last - lacking]
    return TrajectoryPiece(piece.time[first:last], piece.state[first:last], piece.rate[first:last], dense)
