"""A progress bar for long runs in a terminal; nothing anywhere else."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

PATIENCE = 1.0
"""Seconds before a bar appears: a run that is over sooner needs none."""


class Progress:
    """Shows how far the simulated time has come. ``wanted``: True, False, or None for a terminal only."""

    def __init__(self, until: float, wanted: bool | None) -> None:
        self.until = until
        self.wanted = sys.stderr.isatty() if wanted is None else wanted
        self._began = time.perf_counter()
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Progress:
        return self

    def show(self, reached: float) -> None:
        """The run has come to a time."""
        if not self.wanted:
            return
        if self._bar is None and time.perf_counter() - self._began > PATIENCE:
            from rich.console import Console
            from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

            self._bar = Progress(
                TextColumn("t = {task.completed:.4g} of {task.total:.4g} s"), BarColumn(), TimeElapsedColumn(),
                TimeRemainingColumn(), console=Console(stderr=True), transient=True,
            )  # fmt: skip
            self._task = self._bar.add_task("run", total=self.until)
            self._bar.start()
        if self._bar is not None:
            self._bar.update(self._task, completed=reached)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
