"""A processor for the loop of a live run: other threads of the process keep off it as long as the loop runs.

A thread that wakes is often put where the loop is about to wake, and holds that processor for a millisecond or more: as
long as a period. One loop at a time has a processor of its own; others go where the system puts them.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from pathlib import Path
from typing import Final, final

_THREADS: Final = Path("/proc/self/task")
_taken = threading.Lock()
"""Held as long as a loop has a processor of its own."""


@final
class OwnProcessor:
    """One of at least two processors, which only those threads use that move to it.

    Where there is one only, or the system does not let a process choose, nothing is kept off anything.

    >>> own = OwnProcessor()
    >>> own.take()
    >>> own.number is None or own.number not in os.sched_getaffinity(0)
    True
    >>> own.give_back()
    """

    def __init__(self) -> None:
        self.number: int | None = None
        """Which one it is, while it is taken."""
        self._allowed: set[int] = set()

    def take(self) -> None:
        """Keep all threads that there are, and those that they start, off a processor."""
        if not hasattr(os, "sched_setaffinity") or not _THREADS.is_dir() or not _taken.acquire(blocking=False):
            return
        self._allowed = os.sched_getaffinity(0)
        if len(self._allowed) < 2:
            _taken.release()
            return
        self.number = max(self._allowed)
        _move_all(self._allowed, self._allowed - {self.number})

    def move_here(self) -> None:
        """Have the thread that calls go on there; what it starts does too."""
        if self.number is not None:
            _keep_to(0, {self.number})

    def give_back(self) -> None:
        """Let all threads use it again, those too that were started meanwhile."""
        if self.number is None:
            return
        number, self.number = self.number, None
        _move_all(self._allowed - {number}, self._allowed)
        _taken.release()


def _move_all(before: set[int], after: set[int]) -> None:
    """Keep all threads of the process to other processors, where they are kept to these."""
    for thread in map(int, os.listdir(_THREADS)):
        with suppress(OSError):  # it has ended
            if os.sched_getaffinity(thread) == before:
                _keep_to(thread, after)


def _keep_to(thread: int, processors: set[int]) -> None:
    with suppress(OSError):  # forbidden, or the processor has been taken away: it runs wherever the system puts it
        os.sched_setaffinity(thread, processors)
