"""Short stretches of work that nothing may interrupt."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def undisturbed() -> Iterator[None]:
    """Keep Python's garbage collector from running inside.

    Making nodes allocates much, and a full collection beside a large model takes tens of milliseconds: longer
    than everything else between an event and the first step after it.

    >>> with undisturbed():
    ...     gc.isenabled()
    False
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
