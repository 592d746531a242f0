"""Changes that threads ask for while another one advances a simulation."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import final

from detent.errors import DetentError


@final
class Requests:
    """Makes changes at once, or, when another thread advances the run, at its next step, in the order asked for."""

    def __init__(self, interrupt: Callable[[], None], refused: Callable[[DetentError], None]) -> None:
        self._interrupt, self._refused = interrupt, refused
        self._waiting: list[Callable[[], None]] = []
        self._lock = threading.RLock()
        self._running: int | None = None

    @property
    def is_running(self) -> bool:
        """Whether a thread advances the run."""
        return self._running is not None

    def make(self, change: Callable[[], None], prepare: Callable[[], object]) -> None:
        """Make a change; ``prepare`` is called first, in this thread, where another one integrates meanwhile."""
        with self._lock:
            here = self._running in (None, threading.get_ident())
        if not here:
            prepare()
        with self._lock:
            if self._running in (None, threading.get_ident()):
                self.answer()  # what was asked for before comes first
                change()
            else:
                self._waiting.append(change)
                self._interrupt()

    def answer(self) -> None:
        """Make the changes that other threads have asked for."""
        while self._waiting:  # nobody else takes from it meanwhile: this thread advances, or holds the lock
            with self._lock:
                change = self._waiting.pop(0)
            try:
                change()
            except DetentError as error:
                self._refused(error)
            except BaseException:
                with self._lock:  # interrupted: it is still to be made
                    self._waiting.insert(0, change)
                raise

    def __enter__(self) -> None:
        """The thread inside is the one that advances."""
        with self._lock:
            if self._running is not None:
                raise DetentError("another thread advances this simulation; only one can")
            self._running = threading.get_ident()

    def __exit__(self, *_: object) -> None:
        with self._lock:  # nothing may be asked for between the last answer and the end
            try:
                self.answer()
            finally:
                self._running = None
