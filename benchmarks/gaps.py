"""Gaps between steps while native code of a new mode is made in the background and taken up by the stepper.

The tip of a running chain is put on a new line, and the run goes on in one call, a step right after the other: the
stepper itself reads the clock after every one of them. Beside it the same when nothing is made.
"""

from __future__ import annotations

import ctypes
from typing import Final, final

import numpy as np
from llvmlite import binding as llvm

from detent.jit import linker
from detent.simulation.simulation import Simulation

from .derivation import cold_cache
from .embedding import LINES, PERIOD, STEP, FloatArray, TipOnLines, nothing_left_to_collect, wait_for_compiler
from .runner import Row

TITLE = "the tip of a running N-link chain put on a new line: gaps between steps until native code runs"

STRETCH: Final = 1.0
"""Simulated seconds in one call."""

ROOM: Final = 1_000_000
"""Steps whose times are kept."""


def run(quick: bool) -> list[Row]:
    """Rows for 2 and 7 links.

    >>> {row.unit for row in run(quick=True)}
    {'ms'}
    """
    links = (2,) if quick else (2, 7)
    return [row for number in links for row in gap_rows(number, lines=1 if quick else LINES)]


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
  %double = shl i64 %number, 1
  %place = add i64 %double, 2
  %target = getelementptr i64, ptr %count, i64 %place
  %ignored = call i32 @clock_gettime(i32 1, ptr %target)
  %next = add i64 %number, 1
  store i64 %next, ptr %count
  br label %done
done:
  ret i64 0
}
"""
"""Writes the time of the monotonic clock after every step: seconds and nanoseconds, after a count and a size."""


@final
class Stamps:
    """The clock after every step of a simulation, read by the stepper itself.

    >>> chain = TipOnLines(2, "numeric")
    >>> stamps = Stamps(chain.simulation, 1000)
    >>> chain.simulation.advance(chain.simulation.time + 0.01)
    >>> bool((stamps.gaps() > 0).all())
    True
    """

    def __init__(self, simulation: Simulation, room: int) -> None:
        code = bytes(linker.target().emit_object(llvm.parse_assembly(STAMP)))
        clock = ctypes.cast(ctypes.CDLL(None).clock_gettime, ctypes.c_void_p).value
        self._library = linker.link(code, exports=["stamp"], imports={"clock_gettime": clock})
        self._words = np.zeros(2 + 2 * room, dtype=np.int64)
        self._words[1] = room
        simulation.solver.after_step[1] = self._words.ctypes.data
        simulation.solver.after_step[0] = self._library["stamp"]

    def gaps(self) -> FloatArray:
        """Seconds from each step to the next; the stamps begin anew afterwards."""
        count = int(self._words[0])
        times = self._words[2 : 2 + 2 * count].reshape(-1, 2)
        self._words[0] = 0
        found: FloatArray = np.diff(times[:, 0]) + 1e-9 * np.diff(times[:, 1])
        return found


def gap_rows(links: int, lines: int) -> list[Row]:
    """The longest gap between two steps from a new line until its native code runs, in one call that goes on and on.

    >>> [row.unit for row in gap_rows(2, lines=1)]
    ['ms', 'ms']
    """
    busy, quiet = _gaps(links, lines)
    what = f"{links} links, live, longest gap between steps until native code runs"
    shown = [
        f"median {1e6 * np.median(gaps):.3g} us, 99.9 % {1e6 * np.percentile(gaps, 99.9):.3g} us, longest "
        f"{1e3 * gaps.max():.3g} ms, {int(np.sum(gaps > PERIOD))} of {len(gaps)} over 1 ms"
        for gaps in (busy, quiet)
    ]
    note = f"{shown[0]}, {lines} modes; when nothing is made: {shown[1]}"
    late, floor = (1e3 * float(np.percentile(gaps, 99.99)) for gaps in (busy, quiet))
    return [
        Row.within(1e3 * PERIOD, what, ours=1e3 * float(busy.max()), unit="ms", note=note),
        Row.at_most(
            None, f"{links} links, live, 99.99 % of gaps between steps", ours=late, theirs=floor, unit="ms",
            peer="when nothing is made",
        ),
    ]  # fmt: skip


def _gaps(links: int, lines: int) -> tuple[FloatArray, FloatArray]:
    """The gaps until native code runs, and those of as long a run afterwards."""
    busy: list[FloatArray] = []
    quiet: list[FloatArray] = []
    with cold_cache(), nothing_left_to_collect():
        chain = TipOnLines(links, "live", method="rk4", step=STEP, times=np.array([0.0]))
        simulation = chain.simulation
        stamps = Stamps(simulation, ROOM)
        for _ in range(lines):
            chain.put_on(chain.new_line())
            stamps.gaps()
            while simulation.current.replacement is None:
                simulation.advance(simulation.time + STRETCH)
            simulation.advance(simulation.time + STRETCH)
            busy.append(stamps.gaps())
            wait_for_compiler()
            simulation.advance(simulation.time + len(busy[-1]) * STEP)
            quiet.append(stamps.gaps())
            chain.let_go()
    return np.concatenate(busy), np.concatenate(quiet)
