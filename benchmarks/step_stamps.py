"""The clock after every step of a simulation, read by the stepper itself, and a third word beside it."""

from __future__ import annotations

import ctypes
from enum import Enum, IntEnum
from typing import Final, final

import numpy as np
from llvmlite import binding as llvm

from detent.jit import linker
from detent.jit.arrays import Words
from detent.simulation.simulation import Simulation

_STAMP: Final = """
declare i32 @clock_gettime(i32, ptr)
declare i32 @getrusage(i32, ptr)
define i64 @stamp(i64 %context, double %time, ptr %state, ptr %values, ptr %out) {
  %usage = alloca [32 x i64]
  %count = inttoptr i64 %context to ptr
  %number = load i64, ptr %count
  %size = getelementptr i64, ptr %count, i64 1
  %room = load i64, ptr %size
  %full = icmp uge i64 %number, %room
  br i1 %full, label %done, label %write
write:
  %first = mul i64 %number, 3
  %place = add i64 %first, 2
  %clock = getelementptr i64, ptr %count, i64 %place
  %third = getelementptr i64, ptr %clock, i64 2
  %ignored = call i32 @clock_gettime(i32 CLOCK, ptr %clock)
  THIRD
  %next = add i64 %number, 1
  store i64 %next, ptr %count
  br label %done
done:
  ret i64 0
}
"""


@final
class SystemClock(IntEnum):
    """Which clock is read, by Linux's numbers."""

    MONOTONIC = 1
    THREAD = 3
    """What the thread has had of the processor."""


@final
class ThirdWord(Enum):
    """What is written beside the seconds and nanoseconds of the clock."""

    SIMULATED_TIME = "store double %time, ptr %third"
    WAITS = """%also_ignored = call i32 @getrusage(i32 1, ptr %usage)
  %source = getelementptr i64, ptr %usage, i64 16
  %waits = load i64, ptr %source
  store i64 %waits, ptr %third"""
    """How often the thread has waited for something."""


@final
class StepStamps:
    """Three words a step: seconds and nanoseconds of a clock, and a third one.

    >>> import detent
    >>> simulation = detent.Simulation(detent.example("pendulum").system, method="rk4", step=0.01)
    >>> stamps = StepStamps(simulation, 1000, SystemClock.THREAD, ThirdWord.SIMULATED_TIME)
    >>> simulation.advance(0.05)
    >>> stamps.words[:, 2].copy().view(float).round(12).tolist()
    [0.01, 0.02, 0.03, 0.04, 0.05]
    """

    def __init__(self, simulation: Simulation, room: int, clock: SystemClock, third: ThirdWord) -> None:
        text = _STAMP.replace("CLOCK", str(int(clock))).replace("THIRD", third.value)
        code = bytes(linker.target().emit_object(llvm.parse_assembly(text)))
        functions = {name: getattr(ctypes.CDLL(None), name) for name in ("clock_gettime", "getrusage")}
        imports = {name: ctypes.cast(function, ctypes.c_void_p).value for name, function in functions.items()}
        self._library = linker.link(code, exports=["stamp"], imports=imports)
        self._memory = np.ones(2 + 3 * room, dtype=np.int64)  # written to, so that no step waits for memory
        self._memory[:2] = 0, room
        simulation._context.solver.after_step[1] = self._memory.ctypes.data
        simulation._context.solver.after_step[0] = self._library["stamp"]

    @property
    def words(self) -> Words:
        """A row for each step so far."""
        return self._memory[2 : 2 + 3 * int(self._memory[0])].reshape(-1, 3)

    def begin_anew(self) -> None:
        """The next step is the first row."""
        self._memory[0] = 0
