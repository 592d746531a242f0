"""Clocks that a servo goes by: that of the machine, or one that goes by what it is told, for tests and replays.

A clock is a cell that the servo's kernel calls: it waits until a time has come, if one is given, or until it is woken,
and tells the time and the processor time of its thread, both in nanoseconds.
"""

from __future__ import annotations

import ctypes
import os
import select
import time
import weakref
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final, Protocol, final

import numpy as np
from llvmlite import binding as llvm
from numpy.typing import NDArray

from detent.errors import DetentError, ValueProblem
from detent.jit import linker
from detent.jit.address import raw_address
from detent.stepping.kernels import SERVO_KERNELS
from detent.stepping.simulated_clock_frame import SIMULATED_CLOCK

NANOSECONDS: Final = 1_000_000_000

_SOURCE: Final = """
declare i32 @clock_gettime(i32, ptr)
declare i32 @nanosleep(ptr, ptr)
declare i32 @ppoll(ptr, i64, ptr, ptr)
define i64 @machine_clock(ptr %context, double %unused, ptr %until, ptr %values, ptr %out) {{
begin:
  %spell = alloca [2 x i64]
  %nanoseconds = getelementptr i64, ptr %spell, i64 1
  %waits = icmp ne ptr %until, null
  br i1 %waits, label %look, label %read
look:
  %due = load i64, ptr %until
  br label %read
read:
  %end = phi i64 [ 0, %begin ], [ %due, %look ], [ %further, %sleep ]
  %status = call i32 @clock_gettime(i32 {monotonic}, ptr %spell)
  %whole = load i64, ptr %spell
  %part = load i64, ptr %nanoseconds
  %scaled = mul i64 %whole, 1000000000
  %now = add i64 %scaled, %part
  %left = sub i64 %end, %now
  %early = icmp sgt i64 %left, 0
  br i1 %early, label %sleep, label %told
sleep:
  %seconds = sdiv i64 %left, 1000000000
  %rest = srem i64 %left, 1000000000
  store i64 %seconds, ptr %spell
  store i64 %rest, ptr %nanoseconds
  {sleep}
  %woken = icmp sgt i32 %slept, 0
  %further = select i1 %woken, i64 0, i64 %end
  br label %read
told:
  store i64 %now, ptr %out
  %also = call i32 @clock_gettime(i32 {thread}, ptr %spell)
  %own_whole = load i64, ptr %spell
  %own_part = load i64, ptr %nanoseconds
  %own_scaled = mul i64 %own_whole, 1000000000
  %own = add i64 %own_scaled, %own_part
  %place = getelementptr i64, ptr %out, i64 1
  store i64 %own, ptr %place
  ret i64 0
}}
"""
_UNTIL_WOKEN: Final = "%slept = call i32 @ppoll(ptr %context, i64 1, ptr %spell, ptr null)"
"""Sleep until the time has come or the pipe of the clock can be read: more than 0 then."""
_TO_THE_END: Final = "%slept = call i32 @nanosleep(ptr %spell, ptr null)"
_POLLED: Final = np.dtype([("file", np.int32), ("events", np.int16), ("found", np.int16)])
"""C's pollfd."""
_MOST_WAKES: Final = 4096


class Clock(Protocol):
    """What a servo goes by."""

    @property
    def cell(self) -> NDArray[np.int64]:
        """Called by the kernel; valid as long as the clock lives."""

    def wake(self) -> None:
        """Have the kernel go on at once where it waits, from another thread; by mistake once too often, at times."""

    def forget_wakes(self) -> None:
        """Let it wait again."""


@final
class MachineClock:
    """The monotonic clock of the machine, and the processor time of the thread that reads it.

    >>> len(MachineClock().cell)
    2
    """

    def __init__(self) -> None:
        if not hasattr(time, "CLOCK_THREAD_CPUTIME_ID"):
            raise DetentError("this system tells no processor time of a thread; run live where it does (Linux, macOS)")
        known: Any = ctypes.CDLL(None)
        used = [name for name in ("clock_gettime", "nanosleep", "ppoll") if hasattr(known, name)]
        imports = {name: ctypes.cast(getattr(known, name), ctypes.c_void_p).value or 0 for name in used}
        imports.setdefault("ppoll", imports["nanosleep"])  # linked, and not called
        text = _SOURCE.format(
            monotonic=time.CLOCK_MONOTONIC, thread=time.CLOCK_THREAD_CPUTIME_ID,
            sleep=_UNTIL_WOKEN if "ppoll" in used else _TO_THE_END,
        )  # fmt: skip
        code = bytes(linker.target().emit_object(llvm.parse_assembly(text)))
        self._library = linker.link(code, exports=["machine_clock"], imports=imports)
        self._woken, self._waker = os.pipe()
        for end in (self._woken, self._waker):
            os.set_blocking(end, False)
            weakref.finalize(self, os.close, end)
        self._polled = np.array([(self._woken, select.POLLIN, 0)], dtype=_POLLED)
        self._cell = np.array([self._library["machine_clock"], raw_address(self._polled)], dtype=np.int64)

    @property
    def cell(self) -> NDArray[np.int64]:
        return self._cell

    def wake(self) -> None:
        with suppress(BlockingIOError):  # it has been woken so often that the pipe is full
            os.write(self._waker, b".")

    def forget_wakes(self) -> None:
        with suppress(BlockingIOError):
            os.read(self._woken, _MOST_WAKES)


@final
class SimulatedClock:
    """A clock that never lets anybody wait: each step takes what ``costs`` (s) say in turn, of time and of processor.

    >>> SimulatedClock([1e-4, 2.5e-3]).now
    0.0
    """

    def __init__(self, costs: Sequence[float] = (0.0,)) -> None:
        if len(costs) == 0 or not all(0.0 <= cost < np.inf for cost in costs):
            raise ValueProblem(f"a simulated clock was given the costs {costs!r}; give times of zero or more, s")
        self._costs = np.round(np.array(costs, dtype=float) * NANOSECONDS).astype(np.int64)
        self._memory = np.zeros(1, dtype=SIMULATED_CLOCK)
        self._memory["costs"], self._memory["count"] = raw_address(self._costs), len(self._costs)
        self._memory["now"] = 1  # a step that is due at 0 is one of which nothing is known yet
        self._cell = np.array([SERVO_KERNELS.address("simulated_clock"), raw_address(self._memory)], dtype=np.int64)

    @property
    def cell(self) -> NDArray[np.int64]:
        return self._cell

    def wake(self) -> None:
        """Nobody waits."""

    def forget_wakes(self) -> None:
        """Nobody has been woken."""

    @property
    def now(self) -> float:
        """What it shows, s."""
        return float(self._memory["now"][0] - 1) / NANOSECONDS
