"""Hears of signals while the main thread is in a kernel: Python itself handles them only when it comes back."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import final


@final
class SignalWatch:
    """A thread that waits for signals, and tells of each as soon as it has come; there is one for the whole process.

    Python's own handler writes the number of a signal to a socket at once, wherever the main thread is. Without that a
    kernel would know nothing of it until its record is full, be that seconds away. Only the main thread may listen.
    """

    def __init__(self, tell: Callable[[], object]) -> None:
        self._tell = tell
        self._pair: tuple[socket.socket, socket.socket] | None = None
        self._other = -1
        self._listens = False
        self._lock = threading.Lock()
        """What has come belongs to whoever listened before; somebody else may have by the time the thread wakes."""
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._forget)

    def listen(self) -> None:
        """Listen from now on; whoever listened before is told too."""
        if self._pair is None:
            self._start()
        assert self._pair is not None
        self._other = signal.set_wakeup_fd(self._pair[1].fileno(), warn_on_full_buffer=False)
        self._listens = True

    def rest(self) -> None:
        """Listen no more; of what has come until now whoever listened before is told."""
        self._listens = False
        if self._pair is not None:
            self._pass_on(self._pair[0])
        signal.set_wakeup_fd(self._other)

    def _start(self) -> None:
        self._pair = socket.socketpair()
        self._pair[1].setblocking(False)  # the handler of a signal must not wait
        threading.Thread(target=self._hear, args=(self._pair[0],), name="detent-signals", daemon=True).start()

    def _hear(self, end: socket.socket) -> None:
        while end.recv(1, socket.MSG_PEEK):
            if self._pass_on(end):
                self._tell()

    def _pass_on(self, end: socket.socket) -> bool:
        """Tell whoever listened before what has come; whether anything has."""
        with self._lock:
            try:
                signals = end.recv(4096, socket.MSG_DONTWAIT)
            except BlockingIOError:  # the other thread was faster
                return False
            if self._other >= 0:
                with suppress(OSError):  # whoever listened before may be full, or gone
                    os.write(self._other, signals)
            return True

    def _forget(self) -> None:
        """In a process that was forked off: the socket is the other one's, and the thread did not come along."""
        pair, self._pair = self._pair, None
        self._lock = threading.Lock()
        if self._listens:
            self.rest()
            self.listen()
        for end in pair or ():
            end.close()
