"""What a run keeps: nodes, what follows from them, events and segments; as much of it as was asked for."""

from __future__ import annotations

import time
from typing import Final, final

import numpy as np

from detent.results.layout import StateLayout
from detent.results.timing import ModeTiming
from detent.simulation.account import BLOCK, Account
from detent.simulation.asked_times import AskedTimes
from detent.simulation.event_states import EventStates
from detent.simulation.history import History
from detent.simulation.keeping import Keep
from detent.simulation.mode import Mode
from detent.simulation.recorder import EveryNode
from detent.stepping.uninterrupted import uninterrupted

MOST_BEHIND: Final = 8192
"""Nodes that wait to be worked out, at most: that much is done at once, and an interrupt waits for it."""
RECENT: Final = 4096
"""Nodes that are kept for a while where only the states at events are asked for."""
MOST_MODES: Final = 32
"""Modes that are kept so that what follows from their states can be worked out later, at most."""


@final
class Record:
    """The past of a run. Every node belongs to a segment; what follows from nodes is worked out when it is needed.

    That is when someone asks for the run so far, before nodes are let go, and when those that wait for it, or the modes
    that must be kept for it, become many.
    """

    def __init__(
        self, layout: StateLayout, history: History, account: Account, times: np.ndarray | None, keep: Keep
    ) -> None:
        self.history, self.account, self.kept = history, account, keep
        self.recorder: EveryNode | AskedTimes | EventStates = (
            AskedTimes(layout, times)
            if times is not None
            else EventStates(layout)
            if keep == "events"
            else EveryNode(layout)
        )

    @property
    def nbytes(self) -> int:
        """The size of what is kept."""
        return self.recorder.nbytes + self.account.nbytes + self.history.nbytes

    def tend(self, now: float) -> None:
        """The run has come to a time: let go of what is not to be kept."""
        recorder = self.recorder
        if isinstance(recorder, EventStates):
            if recorder.count - recorder.recent.first > RECENT:
                self.settle()
        elif isinstance(recorder, EveryNode):
            if recorder.count - self.account.upto > MOST_BEHIND:
                self.settle()
            if isinstance(self.kept, float) and now - recorder.began > 2 * self.kept:
                self.cut(now)

    def cut(self, now: float) -> None:
        """Keep the last so many seconds, from the last node before them on; the rest is audited and let go."""
        recorder = self.recorder
        if isinstance(recorder, EveryNode) and isinstance(self.kept, float):
            number = recorder.node_at(now - self.kept)
            if number > recorder.first:
                self.settle()
                with uninterrupted():
                    self.account.let_go(number - recorder.first)
                    recorder.let_go(number)
                    self.history.forget_before(number, recorder.began)

    def settle(self, last: int | None = None) -> None:
        """Work out what follows from the nodes so far, or up to one."""
        recorder = self.recorder
        if isinstance(recorder, AskedTimes):
            return
        if isinstance(recorder, EveryNode):
            self._work_out(recorder, recorder.count if last is None else last, None)
        else:
            chosen = recorder.chosen()
            with uninterrupted():
                self._work_out(recorder.recent, recorder.count - 1, chosen)
                recorder.thin_out(chosen)
        self._release_modes()

    def _work_out(self, nodes: EveryNode, last: int, chosen: np.ndarray | None) -> None:
        account, segments = self.account, self.history.segments
        while account.upto < last:
            first = account.upto
            times, states = nodes.nodes(first, min(first + BLOCK, last))
            kept = None
            if chosen is not None:
                kept = chosen + nodes.first - first
                kept = kept[(kept >= 0) & (kept < len(times))]
            worked = account.worked_out(segments, times, states, first)
            with uninterrupted():
                account.take(worked, kept)

    def _release_modes(self) -> None:
        segments = self.history.segments
        with uninterrupted():
            for mode in segments.release_modes(self.account.upto):
                if segments.names.get(mode.name) is mode:
                    segments.names[mode.name] = timing_of(mode, time.perf_counter() - mode.times.needed)

    @property
    def has_many_modes(self) -> bool:
        """Whether it is time to let go of the first ones."""
        return self.history.modes > MOST_MODES

    def tidy(self) -> None:
        """Work out the nodes of the first modes that are kept, so that these need not be kept.

        A little at a time: a live run has no more.
        """
        if not isinstance(self.recorder, AskedTimes):
            _, bounds = self.history.segments.bounds(self.account.upto, self.recorder.count)
            self.settle(int(bounds[:3][-1]))


def timing_of(mode: Mode, otherwise: float) -> ModeTiming:
    """How long a mode took; ``otherwise`` stands for its first step where there was none (s)."""
    native, ready = mode.running.native_seconds, mode.times.ready_seconds
    ready = otherwise if ready is None else ready
    return ModeTiming(
        mode.name, 1e3 * mode.derive_seconds, 1e3 * ready, None if native is None else 1e3 * native, mode.prefetched
    )
