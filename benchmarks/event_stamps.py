"""What the processor takes from an event to the end of the first step after it, in the thread that steps.

The stepper itself reads the clock after every step it accepts, that which ends at an event included: what follows that
step until the next one is settling contacts, entering what comes then, and a step in it.
"""

from __future__ import annotations

import ctypes
from typing import Final, final

import numpy as np
from llvmlite import binding as llvm

from detent.jit import linker
from detent.simulation.simulation import Simulation

from .contact_scenes import FloatArray

STAMP: Final = """
declare i32 @clock_gettime(i32, ptr)
define i64 @stamp(i64 %context, double %time, ptr %state, ptr %values, ptr %out) {
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
  %ignored = call i32 @clock_gettime(i32 3, ptr %clock)
  %when = getelementptr i64, ptr %clock, i64 2
  store double %time, ptr %when
  %next = add i64 %number, 1
  store i64 %next, ptr %count
  br label %done
done:
  ret i64 0
}
"""
"""After a count and a size, three words a step: seconds and nanoseconds of the thread's clock (Linux), and its time."""


@final
class EventStamps:
    """The processor's time after every step of a simulation.

    >>> import detent
    >>> system = detent.System("ball")
    >>> y = system.coordinates(y=1)
    >>> ball = system.particle("ball", system.origin.offset("center", y*system.ground.y), mass=1)
    >>> system.gravity(-9.81*system.ground.y)
    >>> system.contact("ball|floor", ball.point(), system.ground.line(), impact=detent.Poisson(1))
    >>> simulation = Simulation(system)
    >>> stamps = EventStamps(simulation, 1000)
    >>> simulation.advance(1)
    >>> float(stamps.after(simulation.events[0].time)) > 0
    True
    """

    def __init__(self, simulation: Simulation, room: int) -> None:
        code = bytes(linker.target().emit_object(llvm.parse_assembly(STAMP)))
        read = ctypes.cast(ctypes.CDLL(None).clock_gettime, ctypes.c_void_p).value
        self._library = linker.link(code, exports=["stamp"], imports={"clock_gettime": read})
        self._words = np.ones(2 + 3 * room, dtype=np.int64)  # written to, so that no step waits for memory
        self._words[:2] = 0, room
        simulation._context.solver.after_step[1] = self._words.ctypes.data
        simulation._context.solver.after_step[0] = self._library["stamp"]

    def _read(self) -> tuple[FloatArray, FloatArray]:
        words = self._words[2 : 2 + 3 * int(self._words[0])].reshape(-1, 3)
        return words[:, 2].copy().view(np.float64), words[:, 0] + 1e-9 * words[:, 1]

    def after(self, time: float) -> float:
        """Processor seconds from the step that ended at a time to the end of the one after it."""
        times, seconds = self._read()
        last = int(np.searchsorted(times, time, side="right")) - 1
        if last < 0 or times[last] != time or last + 1 == len(times):
            raise ArithmeticError(f"no step ended at {time!r} before another one; give the time of an event")
        return float(seconds[last + 1] - seconds[last])
