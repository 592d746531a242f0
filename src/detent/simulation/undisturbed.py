"""Work that must be done on time, beside a compiler that works in the background of the same process."""

from __future__ import annotations

import gc
import itertools
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

SWITCH_SECONDS = 2e-5
"""How long one thread may keep Python from another inside: a small part of a servo period, where five are usual."""

LOOK_EVERY = 1
"""One live run in so many begins by looking for garbage among all that earlier ones have set aside. A run that is left
may hold 20 MB; to look takes a third of a second where half a million objects are alive, as in tests, which look less
often."""

_lock = threading.Lock()
_begun = itertools.count()
_uncollected, _collects = 0, True
_inside, _switches = 0, 0.005


def prepare_process() -> None:
    """Prepare the process for a live run: short collections, and no thread that holds Python for long.

    All objects that exist now are set aside, so that collections look at new ones only; what becomes garbage in
    cycles among them stays until the next live run begins. That is the price of steps on time.
    """
    if next(_begun) % LOOK_EVERY == 0:
        gc.unfreeze()
    gc.collect()
    gc.freeze()
    sys.setswitchinterval(min(SWITCH_SECONDS, sys.getswitchinterval()))


@contextmanager
def uncollected() -> Iterator[None]:
    """Keep Python's garbage collector from running inside. Several threads may be inside.

    Making nodes allocates much that stays: of the time that a run with many contacts takes to set up, a fifth was spent
    on looking at it again and again.

    >>> with uncollected():
    ...     gc.isenabled()
    False
    """
    global _uncollected, _collects
    with _lock:
        if _uncollected == 0:
            _collects = gc.isenabled()
            gc.disable()
        _uncollected += 1
    try:
        yield
    finally:
        with _lock:
            _uncollected -= 1
            if _uncollected == 0 and _collects:
                gc.enable()


@contextmanager
def undisturbed(set_aside: bool = False) -> Iterator[None]:
    """Keep Python's garbage collector from running inside, and other threads from holding Python for long.

    A full collection beside a large model takes tens of milliseconds: longer than everything else between an event
    and the first step after it. Several threads may be inside. ``set_aside`` also keeps the collection that would
    otherwise follow from looking at what was made inside: even one of young objects takes milliseconds, in whichever
    thread it strikes.

    >>> with undisturbed():
    ...     gc.isenabled()
    False
    """
    global _inside, _switches
    with uncollected():
        with _lock:
            if _inside == 0:
                _switches = sys.getswitchinterval()
                sys.setswitchinterval(min(SWITCH_SECONDS, _switches))
            _inside += 1
        try:
            yield
        finally:
            with _lock:
                _inside -= 1
                if set_aside:
                    gc.freeze()
                if _inside == 0:
                    sys.setswitchinterval(_switches)
