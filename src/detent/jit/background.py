"""Work in the background: machine code, and modes that may come next."""

from __future__ import annotations

import atexit
import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Final, TypeAlias

_Job: TypeAlias = tuple[Callable[[], None], Future[None]]

LEAVING: Final = threading.Event()
"""Set when the process ends: from then on nothing is begun."""


class _Worker:
    """One thread, so that compilations do not compete with the stepper for more than one core.

    It is no thread that Python waits for, since those must do all that they have been given; what it is doing when the
    process ends is waited for here.
    """

    def __init__(self) -> None:
        self._jobs: SimpleQueue[_Job] = SimpleQueue()
        self._doing = threading.Lock()
        threading.Thread(target=self._work, name="detent-compiler", daemon=True).start()
        atexit.register(self._leave)

    def submit(self, function: Callable[[], None]) -> Future[None]:
        job: Future[None] = Future()
        self._jobs.put((function, job))
        return job

    def _leave(self) -> None:
        LEAVING.set()
        self._doing.acquire()

    def _work(self) -> None:
        while True:
            function, job = self._jobs.get()
            with self._doing:
                if LEAVING.is_set():
                    return
                _do(function, job)
            del function, job  # what was done is not kept until there is more to do


def _do(function: Callable[[], None], job: Future[None]) -> None:
    if not job.set_running_or_notify_cancel():
        return
    try:
        function()
    except BaseException as error:
        job.set_exception(error)
    else:
        job.set_result(None)


_lock: Final = threading.Lock()
_workers: Final[list[_Worker]] = []


def in_background(function: Callable[[], None]) -> Future[None]:
    """Do something in the thread that compiles, after what it has been given before.

    A script that ends waits for what is being done, and not for what has not been begun.

    >>> in_background(lambda: None).result()
    """
    with _lock:
        if not _workers:
            _workers.append(_Worker())
    return _workers[0].submit(function)
