"""What a run costs: its own time, and apart from it the time it waited for kernels to be compiled."""

from __future__ import annotations

import time
from typing import final

from detent.jit.waiting import seconds_waited


@final
class RunClock:
    """Runs from when it is made, and stands still while kernels are compiled."""

    def __init__(self) -> None:
        self._began, self._waited = time.perf_counter(), seconds_waited()

    @property
    def compile_seconds(self) -> float:
        """How long the run waited for kernels."""
        return seconds_waited() - self._waited

    @property
    def wall_seconds(self) -> float:
        """How long it has taken otherwise."""
        return max(0.0, time.perf_counter() - self._began - self.compile_seconds)
