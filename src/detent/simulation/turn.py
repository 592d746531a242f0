"""A turn between two threads: one lets the other act, and waits until it has."""

from __future__ import annotations

import threading
from typing import final


@final
class Turn:
    """What one thread waits for and another gives it: each side waits once, at the cost of a lock.

    Whoever wants it calls :meth:`take` and then :meth:`give_back`; whoever has it calls :meth:`give`, or refuses it.

    >>> turn = Turn()
    >>> other = threading.Thread(target=turn.give)
    >>> other.start()
    >>> turn.take()
    >>> turn.give_back()
    >>> other.join()
    """

    def __init__(self) -> None:
        self._given, self._back = threading.Lock(), threading.Lock()
        self._given.acquire()
        self._back.acquire()
        self._refusal: Exception | None = None
        self._failure: BaseException | None = None

    def take(self) -> None:
        """Wait until it is given; raises why it is not."""
        self._given.acquire()
        if self._refusal is not None:
            raise self._refusal

    def give_back(self, failure: BaseException | None = None) -> None:
        """Let the other thread go on; or have it raise what makes that impossible."""
        self._failure = failure
        self._back.release()

    def give(self) -> None:
        """Let the other thread act, and wait until it has given the turn back; raises what it failed with."""
        self._given.release()
        self._back.acquire()
        if self._failure is not None:
            raise self._failure

    def refuse(self, refusal: Exception) -> None:
        """Have the other thread raise why it cannot act."""
        self._refusal = refusal
        self._given.release()
