"""Work that must be done on time, beside a compiler that works in the background of the same process."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

SWITCH_SECONDS = 2e-5
"""How long one thread may keep Python from another inside: a small part of a servo period, where five are usual."""

GROWTH = 1.25
"""By how much what is set aside may have grown before it is looked at again; Python's own full collections wait for
about as much."""

_lock = threading.Lock()
_kept = 0
_inside = 0
_before = (True, 0.005)


def prepare_process() -> None:
    """Prepare the process for a live run: short collections, and no thread that holds Python for long.

    All objects that exist now are set aside, so that collections look at new ones only; what becomes garbage in
    cycles among them stays until a live run begins before which they have grown by a quarter. That is the price of
    steps on time; to look at all of them whenever a run begins would take half a second in a large process.
    """
    global _kept
    looks_at_all = gc.get_freeze_count() > GROWTH * _kept
    if looks_at_all:
        gc.unfreeze()
    gc.collect()
    gc.freeze()
    if looks_at_all:
        _kept = gc.get_freeze_count()
    sys.setswitchinterval(min(SWITCH_SECONDS, sys.getswitchinterval()))


@contextmanager
def undisturbed(set_aside: bool = False) -> Iterator[None]:
    """Keep Python's garbage collector from running inside, and other threads from holding Python for long.

    Making nodes allocates much, and a full collection beside a large model takes tens of milliseconds: longer
    than everything else between an event and the first step after it. Several threads may be inside.
    ``set_aside`` also keeps the collection that would otherwise follow from looking at what was made inside: even
    one of young objects takes milliseconds, in whichever thread it strikes.

    >>> with undisturbed():
    ...     gc.isenabled()
    False
    """
    global _inside, _before
    with _lock:
        if _inside == 0:
            _before = (gc.isenabled(), sys.getswitchinterval())
            gc.disable()
            sys.setswitchinterval(min(SWITCH_SECONDS, _before[1]))
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if set_aside:
                gc.freeze()
            if _inside == 0:
                sys.setswitchinterval(_before[1])
                if _before[0]:
                    gc.enable()
