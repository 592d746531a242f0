"""A system without active constraints, as it runs: the same in every formulation."""

from __future__ import annotations

from typing import Any, Final, final

import numpy as np

from detent.dynamics.partition import Partition
from detent.formulation.active_rows import ActiveRows
from detent.formulation.running import GO_ON, AlongNodes, Instant, Remark, StepVerdict
from detent.formulation.workshop import Workshop
from detent.jit.arrays import Words


@final
class FreeRunning:
    """The system's own equations; quaternions are kept at length one."""

    remarks: Final[tuple[Remark, ...]] = ()
    is_watched: Final = False
    asks: Final = False
    fit: Final = None
    reactions: Final = None

    def __init__(self, workshop: Workshop) -> None:
        self._compiled = workshop.compiled
        coordinates, speeds, _ = workshop.sizes
        self.active = ActiveRows((), (), self._compiled.rates, coordinates, speeds, np.zeros(0))
        self.whole = self.active
        self.partition = Partition((), (), tuple(range(speeds)), (), ())
        self.rates: Words = self._compiled.cell
        self.correction = self.entry = self._compiled.projection_cell

    def look(self, instant: Instant) -> StepVerdict:
        """There is nothing to be kept."""
        return GO_ON

    def take_up(self) -> bool:
        """Its code is exchanged where it is."""
        return False

    def compile_later(self) -> None:
        self._compiled.rates.compile_later()

    def along(self, bounds: np.ndarray, times: np.ndarray, states: np.ndarray, values: np.ndarray) -> AlongNodes:
        """Nothing is violated, and nothing reacts."""
        return AlongNodes(0.0, 0.0, np.zeros((len(times), 0)))

    @property
    def native_seconds(self) -> float | None:
        return self._compiled.rates.native_seconds

    def saved(self) -> dict[str, Any] | None:
        return None
