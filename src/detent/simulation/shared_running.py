"""Contacts that share their forces, as they run: rates from the kernel that centres the forces, rows kept by the rest.

The forces of such contacts are not unique, so that minimal equations, which drop rows, would put all on some of them.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from functools import cached_property
from typing import Any, Final, final

import numpy as np

from detent.formulation.active_rows import ActiveRows
from detent.formulation.running import GO_ON, AlongNodes, Instant, Remark, StepVerdict
from detent.formulation.workshop import ReducedRows, Workshop
from detent.hybrid.mode import Mode
from detent.jit.arrays import Words
from detent.jit.calling import call_stretches
from detent.simulation.contact_plans import ContactPlans
from detent.solves.gathered_rows import AllRows, GatheredRows, RowPart, UnsolvedSystem

SHARED: Final = "shared"
"""The kind of event that tells of such contacts."""


@final
class SharedRunning:
    """The rows of contacts and other constraints, more than the motion needs."""

    is_watched: Final = False
    asks: Final = False
    native_seconds: Final = None

    def __init__(
        self, workshop: Workshop, plans: ContactPlans, mode: Mode, whole: ActiveRows, reduced: ReducedRows,
        bound: Sequence[float] | None = None,
    ) -> None:  # fmt: skip
        self._plans, self._mode, self._reduced = plans, mode, reduced
        self.active = self.whole = whole
        self.partition = reduced.partition
        self._solve = workshop.solve_of(reduced.active, reduced.partition)
        if bound is not None:
            self._solve.bound[:] = bound
        self._settling = plans.apart(mode)
        # What cannot move follows its rows alone: by forces, whose sum is 0 but for rounding, it would creep.
        self.rates: Words = self._settling.rates if reduced.partition.independent else self._solve.rates
        self.reactions: Words = self._settling.slack
        self._gathered = self._made_gathered(workshop) if reduced.partition.independent else None
        self.correction: Words = self._solve.correction if self._gathered is None else self._gathered.correction
        self.entry, self.fit = self.correction, self._solve.choice if self._gathered is None else self._gathered.keeping
        self.remarks = (Remark(SHARED, plans.shared_words(mode)),)
        self._looking = threading.Lock()
        """Held by whoever looks on: what that needs has memory of its own, apart from what steps."""

    def _made_gathered(self, workshop: Workshop) -> GatheredRows:
        """What keeps other rows where those that are kept come to follow from one another."""
        whole, compiled = self.whole, workshop.compiled
        parts = [RowPart(number, whole.slides, 0, ()) for number in range(len(whole.rows))]
        rows = AllRows(
            program=whole.program.cell, outputs=whole.program.size, rows=len(parts), parts=parts, most=len(parts),
            reactions=1, slack=0, sharing=0, values=0, free_rates=compiled.cell, shared_rates=self._settling.rates,
            shared_slack=self._settling.slack, slides=whole.slides,
        )  # fmt: skip
        made = GatheredRows(
            rows,
            UnsolvedSystem(
                compiled.unsolved.cell, workshop.sizes, workshop.quaternions, workshop.asking, compiled.following
            ),
        )
        made.stand({**self._reduced.saved(whole), "bound": self._solve.bound.tolist()})
        return made

    def look(self, instant: Instant) -> StepVerdict:
        """What holds is watched by a guard."""
        return GO_ON

    def take_up(self) -> bool:
        """It is machine code from the start."""
        return False

    def compile_later(self) -> None:
        self._plans.program.compile_later()

    @cached_property
    def _onlookers(self) -> tuple[Words, ActiveRows]:
        apart = self._plans.apart(self._mode)
        self._apart = apart
        return apart.forces, self._plans.watching(self.whole)

    def along(self, bounds: np.ndarray, times: np.ndarray, states: np.ndarray, values: np.ndarray) -> AlongNodes:
        names = list(self._plans.force_names)
        out, found = np.empty((len(times), len(names))), np.full((len(times), len(self.whole.rows)), np.nan)
        with self._looking:
            forces, watching = self._onlookers
            worst = watching.residuals(bounds, times, states, values)
            call_stretches(forces, bounds, times, states, values, out)
        for column, name in enumerate(self.whole.names):
            if name in names:
                found[:, column] = out[:, names.index(name)]
        return AlongNodes(*worst, found)

    def saved(self) -> dict[str, Any]:
        """The choice, and how large its factors may become."""
        kept = None if self._gathered is None else self._gathered.saved()
        return kept or {**self._reduced.saved(self.whole), "bound": self._solve.bound.tolist()}
