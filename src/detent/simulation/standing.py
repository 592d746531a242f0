"""Where a run stands: the one place that says what runs now, and whether the run can go on."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, final

from detent.results.outcome import Outcome
from detent.simulation.running_mode import ModeTimes, RunningMode

if TYPE_CHECKING:
    from detent.formulation.running import Running
    from detent.model.constraint import Constraint

STOPPED_FROM_OUTSIDE = (Outcome.INTERRUPTED, Outcome.TOO_MANY_STEPS, Outcome.RECORD_FULL)
"""How a run ends that could go on from where it stands."""


@final
class Standing:
    """The mode that runs, with its constraints; how the run fares; when an input changes next."""

    def __init__(self, mode: RunningMode) -> None:
        self.mode = mode
        self.outcome, self.message, self.can_step = Outcome.COMPLETED, "", True
        """How the run fares, in a word and in more; whether nothing stands against going on."""
        self.next_change = math.inf
        """When an input takes its next value, s."""
        self.turned: dict[Running, RunningMode] = {}
        """What the kernel has turned to by itself since the mode was entered."""

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """The constraints that are active."""
        return self.mode.running.whole.constraints

    def enter(self, mode: RunningMode) -> None:
        """Another mode runs from here on."""
        self.mode, self.turned = mode, {mode.running: mode}

    def turn_to(self, running: Running) -> RunningMode:
        """The same mode, as the kernel runs it from here on."""
        if running not in self.turned:
            self.turned[running] = replace(self.mode, running=running, times=ModeTimes(0.0, 0.0))
        self.mode = self.turned[running]
        return self.mode

    @property
    def was_stopped(self) -> bool:
        """Whether it was stopped where it could go on."""
        return self.outcome in STOPPED_FROM_OUTSIDE

    def stop(self, outcome: Outcome, message: str) -> None:
        """The run does not go on by itself."""
        self.outcome, self.message, self.can_step = outcome, message, outcome is Outcome.COMPLETED

    def resume(self) -> None:
        """A run that was stopped from outside goes on."""
        if self.was_stopped:
            self.stop(Outcome.COMPLETED, "")
