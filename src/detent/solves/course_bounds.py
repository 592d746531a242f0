"""Bounds of a curve over portions of it: of its points, slopes and bends, from its tape walked with intervals."""

from __future__ import annotations

import ctypes
from typing import final

import numpy as np
from numpy.typing import NDArray

from detent.events.enclosure_frame import FLAWED, INFINITE
from detent.events.kernels import TAPE_BOUNDS
from detent.events.watch import Watch
from detent.expr.tape import STATE, Tape
from detent.jit.address import raw_address
from detent.jit.kernel_library import WORD_TYPE

Numbers = NDArray[np.float64]
_ORDER = 2


@final
class CourseBounds:
    """Walks the tape of x and y of a curve, which reads its coordinate and run-time values."""

    def __init__(self, tape: Tape, column: int) -> None:
        self._watch = Watch(tape, {column: 0})
        self._outputs = tape.outputs.tolist()
        self._slots = [slot for bank, _, slot in tape.loads.tolist() if bank == STATE]
        self._values = [(slot, index) for bank, index, slot in tape.loads.tolist() if bank != STATE]
        self._drawn = tape.drawn.tolist()
        self._walk = TAPE_BOUNDS.function("walk_watch", WORD_TYPE, ctypes.c_double, WORD_TYPE, WORD_TYPE, WORD_TYPE)

    def over(self, lows: Numbers, highs: Numbers, values: Numbers) -> Numbers:
        """Of each portion, for x and for y: the least and the largest value, slope and second slope; (portions, 2, 6).

        Where one may have no value, all are unbounded.
        """
        watch, address = self._watch, raw_address(self._watch.record)
        for slot, index in self._values:
            watch.jets[slot, :2] = values[index]
        for number, first in self._drawn:
            watch.tables[number] = raw_address(values) + values.itemsize * first
        found = np.empty((len(lows), 2, 6))
        for k, (low, high) in enumerate(zip(lows.tolist(), highs.tolist(), strict=True)):
            for slot in self._slots:
                watch.jets[slot] = (low, high, 1.0, 1.0, 0.0, 0.0)
            self._walk(address, 0.0, _ORDER, 0, 0)
            found[k] = watch.jets[self._outputs]
            if (watch.flags[self._outputs] & FLAWED).any():
                found[k] = (-INFINITE, INFINITE) * 3
        found[np.isnan(found).any(axis=(1, 2))] = (-INFINITE, INFINITE) * 3
        return found
