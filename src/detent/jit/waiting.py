"""How long this process has waited for kernels to be compiled, so that a run's cost can leave it out."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Iterator
from typing import Final

_lock: Final = threading.Lock()
_since: list[float] = []
_total = 0.0


def seconds_waited() -> float:
    """Seconds during which some thread of this process waited for kernels; each second counts once.

    >>> before = seconds_waited()
    >>> with waiting(), waiting():
    ...     seconds_waited() >= before
    True
    """
    with _lock:
        return _total + (time.perf_counter() - _since[0] if _since else 0.0)


@contextlib.contextmanager
def waiting() -> Iterator[None]:
    """Kernels are being compiled, and somebody waits."""
    global _total
    with _lock:
        _since.append(_since[0] if _since else time.perf_counter())
    try:
        yield
    finally:
        with _lock:
            began = _since.pop()
            if not _since:
                _total += time.perf_counter() - began
