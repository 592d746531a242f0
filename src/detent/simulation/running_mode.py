"""A mode as it runs: its name, what runs in it, and how long that took."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

import numpy as np

from detent.formulation.embedded import LOCKED
from detent.jit.calling import call_once
from detent.results.event import Event

if TYPE_CHECKING:
    from detent.formulation.running import Instant, Running
    from detent.hybrid.mode import Mode


@final
@dataclass(eq=False)
class ModeTimes:
    """How soon a mode took its first step, and how many it has taken."""

    needed: float
    """When the mode was first needed, on the clock of time.perf_counter."""
    ready_seconds: float | None = None
    steps: int = 0

    def count(self, steps: int) -> None:
        """Steps were taken."""
        if self.ready_seconds is None:
            self.ready_seconds = time.perf_counter() - self.needed
        self.steps += steps

    def stood_ready(self, seconds: float) -> None:
        """The kernel went on in it by itself; how soon, only the whole of its call can tell."""
        if self.ready_seconds is None:
            self.ready_seconds = seconds


@final
@dataclass(frozen=True, eq=False)
class RunningMode:
    """A mode ready to run."""

    name: str
    running: Running
    derive_seconds: float
    times: ModeTimes
    declared: Mode | None = None
    """The automaton's mode that it is."""
    prefetched: bool = False
    """Whether everything that depends on no state had been derived before the mode was needed."""

    def remarks(self, now: float) -> list[Event]:
        """What is worth knowing about a mode that is entered now; that a body at rest cannot move is not."""
        rests = self.declared is not None and self.declared.touches
        worth = [remark for remark in self.running.remarks if not (rests and remark is LOCKED)]
        return [Event(now, remark.kind, remark.text, self.name, self.name, {}) for remark in worth]

    def corrected(self, instant: Instant) -> np.ndarray:
        """The state brought onto the constraints to rounding."""
        if self.running.entry is None:
            return instant.state
        out = np.empty(len(instant.state))
        call_once(self.running.entry, instant.time, np.ascontiguousarray(instant.state), instant.values, out)
        return out

    def reactions(self, instant: Instant) -> dict[str, float]:
        """The reactions of the rows that are kept, at an instant."""
        names = self.running.active.names
        if not names:
            return {}
        times, states, values = np.array([instant.time]), instant.state[None, :].copy(), instant.values[None, :].copy()
        seen = self.running.along(np.array([0, 1]), times, states, values)
        return dict(zip(names, seen.reactions[0].tolist(), strict=True))
