"""What the steps of a reset are made with, and what comes out: a cell for the kernel, or a function for Python."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray

from detent.events import event_frame as at
from detent.hybrid.declared import as_statuses

if TYPE_CHECKING:
    from detent.hybrid.friction_impact import FrictionImpact
    from detent.hybrid.impact import Impact
    from detent.hybrid.reset_step import Function
    from detent.hybrid.settle import Settle
    from detent.hybrid.transition import Transition
    from detent.simulation.mode_plan import Plans


@final
@dataclass(frozen=True, eq=False)
class ResetPart:
    """A step of a reset as something that runs: a cell that the kernel calls, or a function that Python calls."""

    kind: int = 0
    cell: NDArray[np.int64] | None = None
    rows: tuple[str, ...] = ()
    """The rows it gives impulses to."""
    function: Function | None = None


@final
@dataclass(frozen=True, eq=False)
class StepTools:
    """The tools that a step of a transition's reset is made with; see :class:`detent.hybrid.reset_step.Tools`."""

    plans: Plans
    transition: Transition
    number: int

    def assign(self, values: Mapping[Any, Any]) -> ResetPart:
        return ResetPart(at.ASSIGN, self.plans.assignment(self.transition, self.number, values).cell)

    def strike(self, impact: Impact) -> ResetPart:
        automaton, transition = self.plans.automaton, self.transition
        statuses, after = as_statuses(automaton), automaton.after(transition)
        touching = () if statuses is None else statuses.touching(transition)
        mode = transition.family or transition.target.name
        strike = self.plans.impacts.map_of(transition.name, mode, impact, after, touching, self.plans.free_impulses)
        return ResetPart(at.STRIKE, strike.map.cell, strike.rows)

    def strike_with_friction(self, impact: FrictionImpact) -> ResetPart:
        after = self.plans.automaton.after(self.transition)
        struck = self.plans.friction_impacts.map_of(self.transition, impact, after, self.plans.free_impulses)
        return ResetPart(at.ASSIGN, struck.map.cell, struck.rows)

    def settle(self, settling: Settle) -> ResetPart:
        cell, rows = self.plans.settle(self.transition.family, settling)
        return ResetPart(at.SETTLE, cell, rows)

    def call(self, function: Function) -> ResetPart:
        return ResetPart(function=function)
