"""Work in the background: machine code, and modes that may come next. It is over with the program, begun or not."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import CancelledError, Future
from typing import final

Work = tuple[Callable[[], None], "Future[None]"]


@final
class Background:
    """One thread, so that compilations do not compete with the stepper for more than one core.

    It lives as long as there is something to do, and is waited for at the end of the program, as threads are: LLVM
    must not be left in the middle of its work. So what has not begun then is dropped, and what has ends with the part
    that it is at.

    >>> background = Background()
    >>> done = []
    >>> background.submit(lambda: done.append(1)).result(), done
    (None, [1])
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: deque[Work] = deque()
        self._thread: threading.Thread | None = None

    def submit(self, function: Callable[[], None]) -> Future[None]:
        """Do something after all that was given before; where the program is at its end, it is not done."""
        future: Future[None] = Future()
        with self._lock:
            if is_over():
                future.cancel()
                return future
            self._waiting.append((function, future))
            if self._thread is None or not self._thread.is_alive():  # nor in a process that was forked
                self._thread = threading.Thread(target=self._work, name="detent-compiler", daemon=False)
                self._thread.start()
        return future

    def go_on(self) -> None:
        """Between two parts of what is done here: leave the rest, where the program is at its end."""
        if threading.current_thread() is self._thread and is_over():
            raise CancelledError

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._thread = None
                    return
                function, future = self._waiting.popleft()
            if is_over():
                future.cancel()
            elif future.set_running_or_notify_cancel():
                _finish(function, future)
            del function, future  # which hold runs alive


def _finish(function: Callable[[], None], future: Future[None]) -> None:
    try:
        function()
    except BaseException as error:  # whoever waits for it is told
        future.set_exception(error)
    else:
        future.set_result(None)


def is_over() -> bool:
    """Whether the main thread has ended: Python waits for others then, and leaves."""
    return not threading.main_thread().is_alive()


BACKGROUND = Background()


def in_background(function: Callable[[], None]) -> Future[None]:
    """Do something in the thread that compiles, after what it has been given before."""
    return BACKGROUND.submit(function)
