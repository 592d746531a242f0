"""Work in the background: machine code, and modes that may come next."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

_worker: ThreadPoolExecutor | None = None
_worker_lock = threading.Lock()


def _background() -> ThreadPoolExecutor:
    """One thread, so that compilations do not compete with the stepper for more than one core."""
    global _worker
    with _worker_lock:
        if _worker is None:
            _worker = ThreadPoolExecutor(max_workers=1, thread_name_prefix="detent-compiler")
        return _worker


def in_background(function: Callable[[], None]) -> Future[None]:
    """Do something in the thread that compiles, after what it has been given before.

    A script that ends waits for what is being done, and not for what has not been begun.

    >>> in_background(lambda: None).result()
    """
    return _background().submit(_unless_all_is_over, function)


def _unless_all_is_over(function: Callable[[], None]) -> None:
    if threading.main_thread().is_alive():
        function()
