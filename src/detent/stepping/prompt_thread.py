"""A thread that is let run as soon as it wakes, in turns that are short: that of a loop which must be on time.

Usually a thread that wakes waits until the one that runs has had its turn, some milliseconds: longer than a period.
Linux, from version 6.12 on, lets one that asks for short turns go before those with longer ones, without any privilege;
what it gets of the processor in all is the same. Earlier versions take no notice of it.
"""

from __future__ import annotations

import ctypes
import platform
import sys
from typing import Any, Final, final

SHORTEST: Final = 100_000
"""The shortest turn that can be asked for, ns."""

_CALLS: Final = {"x86_64": (314, 315), "aarch64": (274, 275)}
"""The numbers of the system's calls that set and tell how a thread is scheduled."""

_NOT_INHERITED: Final = 1
"""Linux's SCHED_FLAG_RESET_ON_FORK."""


@final
class _Scheduling(ctypes.Structure):
    """Linux's ``sched_attr`` as of its first version."""

    _fields_ = (
        ("size", ctypes.c_uint32),
        ("policy", ctypes.c_uint32),
        ("flags", ctypes.c_uint64),
        ("nice", ctypes.c_int32),
        ("priority", ctypes.c_uint32),
        ("runtime", ctypes.c_uint64),
        ("deadline", ctypes.c_uint64),
        ("period", ctypes.c_uint64),
    )


def be_prompt() -> bool:
    """Ask that the thread which calls be let run as soon as it wakes; whether the system has heard it.

    Threads that it starts do not ask for it.

    >>> be_prompt() in (True, False)
    True
    """
    calls = _CALLS.get(platform.machine()) if sys.platform == "linux" else None
    if calls is None:
        return False
    known: Any = ctypes.CDLL(None)
    found, size = _Scheduling(), ctypes.sizeof(_Scheduling)
    if known.syscall(calls[1], 0, ctypes.byref(found), size, 0) != 0 or found.policy != 0:
        return False  # not to be known, or somebody has given it a rule that is stricter
    found.size, found.flags, found.runtime = size, _NOT_INHERITED, SHORTEST
    return bool(known.syscall(calls[0], 0, ctypes.byref(found), 0) == 0)
