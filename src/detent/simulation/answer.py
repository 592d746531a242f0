"""What one thread tells another that waits for it."""

from __future__ import annotations

import threading
from typing import final


@final
class Answer:
    """That something is done, or why it is not: told once, at the cost of a lock.

    >>> answer = Answer()
    >>> answer.tell()
    >>> answer.wait()
    """

    def __init__(self) -> None:
        self._told = threading.Lock()
        self._told.acquire()
        self._error: Exception | None = None

    def tell(self, error: Exception | None = None) -> None:
        """It is done, or an error says why not."""
        self._error = error
        self._told.release()

    def wait(self) -> None:
        """Wait until it is told; raises what is told where something went wrong."""
        with self._told:
            if self._error is not None:
                raise self._error
