"""Pieces of a trajectory taken by another thread, while the one that steps goes on.

A thread that comes back from a kernel waits until it has Python's lock, and whoever holds that, a compiler in the
background say, may be kept from the processor for milliseconds. Here the stepping thread comes back only when there
is something to decide.
"""

from __future__ import annotations

import ctypes
import threading
import time
import weakref
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from typing import Final, final

import numpy as np

from detent.jit.address import room_of
from detent.jit.kernel_library import KernelLibrary
from detent.jit.words import publish, published
from detent.stepping import handover_frame as at
from detent.stepping.frame import Control, StepFrame
from detent.stepping.held_interrupts import holding_interrupts
from detent.stepping.kernels import HANDOVER
from detent.stepping.memory import Memory
from detent.stepping.stepper import advance_handing_over
from detent.stepping.trajectory_piece import TrajectoryPiece

BLOCKS: Final = 32
MOST_BYTES: Final = 2**25
"""The size of all blocks together, at most."""
FEWEST_STEPS, MOST_STEPS = 64, 4096
"""The steps of a block, when a run begins and at most."""
PATIENCE: Final = 0.005
"""How long the other thread waits before it looks again, s: a small part of what fills all blocks."""

PARKED_AFTER: Final = 10
"""How often it looks in vain before it waits to be told of a run."""


@final
class HandOver:
    """A record of several blocks, and the thread that takes them while a kernel fills others.

    That thread stops the kernel at its next step when a piece cannot be kept.
    """

    def __init__(self, memory: Memory, steps: KernelLibrary) -> None:
        self._memory = memory
        bytes_per_step = 8 * (1 + memory.padded * (2 + memory.dense_rows))
        self._blocks = BLOCKS
        self._capacity = max(1, min(MOST_STEPS, MOST_BYTES // (BLOCKS * bytes_per_step)))
        self._record = memory.room_for(BLOCKS * self._capacity)
        for array in (self._record.time, self._record.state, self._record.rate, self._record.dense):
            array.fill(0.0)  # otherwise the system looks for room when a step first writes there, which takes long
        self._words, self._rows = np.zeros(1, dtype=at.RELAY_WORDS), np.zeros(BLOCKS, dtype=np.int64)
        places = {
            "words": room_of("the handover's words", self._words, 1),
            "rows": room_of("the handover's rows", self._rows, BLOCKS), "blocks": BLOCKS,
            "advance": steps.address("advance"), "capacity": self._capacity,
            **memory.addresses_of(self._record, BLOCKS * self._capacity),
        }  # fmt: skip
        self._frame = np.zeros(1, dtype=at.HANDOVER_FRAME)
        for name, place in places.items():
            self._frame[name] = place
        HANDOVER.address("advance_handing_over")  # loaded now, not when the first step is due
        self._taking = threading.Lock()
        self._runs: SimpleQueue[bool] = SimpleQueue()
        """Tells the other thread that a run begins, or that there will be none any more."""
        self.is_running, self.is_parked = False, True
        self._on_piece: Callable[[TrajectoryPiece], object] | None = None
        self._failure: BaseException | None = None
        self._stop = partial(publish, memory.stop, 0, 1)
        """Asks the kernel to come back at its next step."""
        self._start()

    def run(self, control: Control, t_end: float, on_piece: Callable[[TrajectoryPiece], object]) -> int:
        """Take steps from block to block until something else ends it; returns a status."""
        words = (ctypes.c_int64 * len(StepFrame._fields))(*self._memory.words)
        self._on_piece = on_piece
        self._words["wanted"] = FEWEST_STEPS
        with holding_interrupts(self._stop):
            try:
                self.is_running = True
                if self.is_parked:
                    self._runs.put(True)
                return advance_handing_over(self._frame, words, control, t_end)
            finally:
                self.is_running = False
                self._finish()

    def _finish(self) -> None:
        """After the kernel has come back: take the rest, or pass on why it cannot be taken."""
        with self._taking:  # the other thread may be in the middle of it
            failure, self._failure = self._failure, None
            if failure is not None:
                self._memory.stop[0] = 0
                raise failure
            self._take()
            self._on_piece = None

    def _take(self) -> int:
        """Hand over the blocks that are filled; how many there were."""
        before = taken = int(self._words["taken"][0])
        while taken < published(self._words["filled"], 0):
            block = taken % self._blocks
            rows = int(self._rows[block])
            piece = self._memory.copied(self._record, block * self._capacity, rows)
            taken += 1
            publish(self._words["taken"], 0, taken)
            if rows and self._on_piece is not None:
                self._on_piece(piece)
        return taken - before

    def look(self) -> None:
        """What the other thread does now and then while the kernel runs."""
        time.sleep(PATIENCE)
        if self.is_running and self._take_beside() == 0:
            publish(self._words["wanted"], 0, max(1, int(self._words["wanted"][0]) // 4))

    def _take_beside(self) -> int:
        """Hand over what is there; an error belongs to whoever called :meth:`run`."""
        with self._taking:
            try:
                return self._take()
            except BaseException as error:
                self._failure = error
                self._stop()
                return 1

    def _start(self) -> None:
        """Start the other thread; it ends when nobody has this handover any more."""
        weakref.finalize(self, self._runs.put, False).atexit = False
        arguments = (weakref.ref(self), self._runs)
        threading.Thread(target=_look_on, args=arguments, name="detent-handover", daemon=True).start()


def _look_on(handover: weakref.ref[HandOver], runs: SimpleQueue[bool]) -> None:
    while runs.get():
        found = handover()
        if found is not None:
            _look_while(found)
        del found


def _look_while(handover: HandOver) -> None:
    """Look now and then until nothing has run for a while: a loop of short runs need not wake this thread each time."""
    idle = 0
    handover.is_parked = False
    while idle < PARKED_AFTER or handover.is_running:
        handover.look()
        idle = 0 if handover.is_running else idle + 1
        handover.is_parked = idle >= PARKED_AFTER
