"""What a run keeps: nodes, what follows from them, events and segments; as much of it as was asked for."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Final, final

import numpy as np

from detent.results.timing import ModeTiming
from detent.simulation.account import BLOCK, Account
from detent.simulation.recorder import EveryNode, Recorder
from detent.stepping.held_interrupts import holding_interrupts

if TYPE_CHECKING:
    from detent.results.layout import StateLayout
    from detent.simulation.history import History
    from detent.simulation.options import Options
    from detent.simulation.running_mode import RunningMode

STEPS: Final = 8192
"""Steps inside which contacts are looked at together, at most: what is in between takes room."""

MOST_MODES: Final = 32
"""Modes that are kept so that what follows from their states can be worked out later, at most."""


@final
class Record:
    """The past of a run. Every node belongs to a segment; what follows from nodes is worked out when it is needed.

    That is when someone asks for the run so far, before nodes are let go, and when those that wait for it, or the modes
    that must be kept for it, become many. Where steps must come on time and every node stays, no step waits:
    it is done for whoever asks.
    """

    def __init__(self, layout: StateLayout, history: History, account: Account, options: Options) -> None:
        self.history, self.account, self.kept = history, account, options.kept
        self.most_bytes = options.bytes_kept_at_most
        """What may be kept, at most."""
        self.recorder = _recorder(layout, options)

    @property
    def nbytes(self) -> int:
        """The size of what is kept."""
        return self.recorder.nbytes + self.account.nbytes + self.history.nbytes

    @property
    def upto(self) -> int:
        """The number of the first node that is not worked out yet."""
        return self.account.upto

    def tend(self, now: float) -> None:
        """The run has come to a time: work out what waits, let go of what is not to be kept, once it is enough."""
        self.recorder.tend(now, self)

    def cut(self, now: float) -> None:
        """Let go of all that is not to be kept."""
        self.recorder.trim(now, self)

    def settle(self, last: int | None = None) -> None:
        """Work out what follows from the nodes so far, or up to one."""
        if self.recorder.settles:
            self.recorder.settle(self, last)
            self._release_modes()

    def forget(self, nodes: EveryNode, number: int) -> None:
        """Let go of the nodes before one, and of what followed from them."""
        with holding_interrupts():
            self.account.let_go(number - nodes.first)
            nodes.let_go(number)
            self.history.forget_before(number, nodes.began)

    def work_out(self, nodes: EveryNode, last: int, chosen: np.ndarray | None) -> None:
        """Work out what follows from nodes up to one; of ``chosen``, counted from the first kept, alone it stays."""
        account, segments = self.account, self.history.segments
        while account.upto < last:
            first = account.upto
            times, states = nodes.nodes(first, min(first + BLOCK, last))
            kept = None
            if chosen is not None:
                kept = chosen + nodes.first - first
                kept = kept[(kept >= 0) & (kept < len(times))]
            worked = account.worked_out(segments, times, states, first)
            with holding_interrupts():
                account.take(worked, kept)
            self._look_inside(nodes, min(account.upto, nodes.count - 1))

    def _look_inside(self, nodes: EveryNode, last: int) -> None:
        """Look at contacts inside the steps up to a node."""
        account, between = self.account, self.account.between
        while between is not None and between.sampled < last:
            upto = min(between.sampled + STEPS, last)
            inside = nodes.inside(between.sampled, upto)
            found = account.look_inside(self.history.segments, inside, upto)
            with holding_interrupts():
                account.tally.found(found)
                between.took_steps(upto)

    def _release_modes(self) -> None:
        segments = self.history.segments
        with holding_interrupts():
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
        if self.recorder.settles:
            _, bounds = self.history.segments.bounds(self.account.upto, self.recorder.count)
            self.settle(int(bounds[:3][-1]))


def _recorder(layout: StateLayout, options: Options) -> Recorder:
    """What keeps as much as was asked for."""
    keep = options.kept
    if options.times is not None:
        from detent.simulation.asked_times import AskedTimes  # most runs keep every node

        return AskedTimes(layout, options.times)
    if keep == "events":
        from detent.simulation.event_states import EventStates  # likewise

        return EventStates(layout)
    if keep != "everything":
        return EveryNode(layout, keep)
    return EveryNode(layout, most_behind=math.inf) if options.is_live else EveryNode(layout)


def timing_of(mode: RunningMode, otherwise: float) -> ModeTiming:
    """How long a mode took; ``otherwise`` stands for its first step where there was none (s)."""
    native, ready = mode.running.native_seconds, mode.times.ready_seconds
    ready = otherwise if ready is None else ready
    return ModeTiming(
        mode.name, 1e3 * mode.derive_seconds, 1e3 * ready, None if native is None else 1e3 * native, mode.prefetched
    )
