"""Bounds of a tape over boxes of its coordinates: of its values and of their slopes along a direction."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import final

import numpy as np
from numpy.typing import NDArray

from detent.events.enclosure_frame import INFINITE, JET
from detent.events.watch import Watch
from detent.expr.tape import STATE, Tape
from detent.jit.address import address_of, raw_address, room_of
from detent.jit.kernel_library import WORD_TYPE
from detent.solves.box_walk_frame import BOX, WALKS
from detent.solves.kernels import FOLLOWING

Numbers = NDArray[np.float64]


@final
class BoxWalk:
    """Walks a tape that reads some coordinates, which stand in these columns of a state, and run-time values."""

    def __init__(self, tape: Tape, columns: Sequence[int], order: int) -> None:
        number = {column: k for k, column in enumerate(columns)}
        self._watch, self._count, self._outputs = Watch(tape, number), len(columns), len(tape.outputs)
        loads = tape.loads.tolist()
        values = [(slot, index) for bank, index, slot in loads if bank != STATE]
        self._slots, self._indices = np.array(values, dtype=np.int64).reshape(-1, 2).T
        self._drawn = tape.drawn.tolist()
        read = [(slot, number[index]) for bank, index, slot in loads if bank == STATE]
        slots, outputs = np.array(read, dtype=np.int64).reshape(-1, 2), tape.outputs.astype(np.int64)
        cell = np.array([self._watch.record["walk"][0], raw_address(self._watch.record)], dtype=np.int64)
        self._alive = (slots, outputs, cell)
        self._head = np.zeros(1, dtype=WALKS)
        words = {
            "walk": raw_address(cell), "jets": raw_address(self._watch.jets), "flags": raw_address(self._watch.flags),
            "slots": room_of("the coordinates of a tape", slots, 2 * len(read)) if read else 0,
            "slot_count": len(read), "outputs": raw_address(outputs), "output_count": len(outputs),
            "coordinates": self._count, "order": order,
        }  # fmt: skip
        for name, word in words.items():
            self._head[name] = word
        self._walk = FOLLOWING.function("walk_boxes", WORD_TYPE, ctypes.c_double, WORD_TYPE, WORD_TYPE, WORD_TYPE)

    def ready(self, boxes: Numbers, values: Numbers) -> int:
        """The address of what a kernel finds that walks over these boxes, with run-time values as they are."""
        watch = self._watch
        watch.jets[self._slots, 0] = watch.jets[self._slots, 1] = values[self._indices]
        for number, first in self._drawn:
            watch.tables[number] = raw_address(values) + values.itemsize * first
        self._head["boxes"], self._head["box_count"] = raw_address(boxes), len(boxes)
        return raw_address(self._head)

    def over(self, lows: Numbers, highs: Numbers, along: Sequence[float], values: Numbers) -> Numbers:
        """Of each box and each output the least and the largest value, slope and second slope along a direction;
        (boxes, outputs, 6). Where any of a box may have none, all are unbounded."""
        boxes = np.empty((len(lows), self._count, BOX))
        boxes[:, :, 0], boxes[:, :, 1], boxes[:, :, 2] = lows, highs, along
        found = np.empty((len(lows), self._outputs, JET))
        self._walk(self.ready(boxes, values), 0.0, 0, 0, address_of(found))
        found[np.isnan(found).any(axis=(1, 2))] = (-INFINITE, INFINITE) * 3
        return found
