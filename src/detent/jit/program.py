"""A program: one vector function that can be called by address now, and runs as machine code soon."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future
from weakref import WeakSet

import numpy as np

from detent.expr.tape import Tape
from detent.jit.background import in_background
from detent.jit.calling import call_many, call_once, call_stretches
from detent.jit.interpreter import pack
from detent.jit.kernels import KERNELS
from detent.jit.native import NativeCode
from detent.jit.words import publish


class _Family:
    """A program and its clones: one machine code for all of them."""

    def __init__(self) -> None:
        self.lock, self.making = threading.Lock(), threading.Lock()
        self.native: NativeCode | None = None
        self.seconds: float | None = None
        self.members: WeakSet[Program] = WeakSet()
        self.pending: Future[None] | None = None


class Program:
    """out = F(t, x, values), from a tape.

    It is ready at once, run by the interpreter. :meth:`compile` (or :meth:`compile_later`, in a
    background thread) makes machine code of the same tape and puts its address into :attr:`cell`,
    where steppers look at every step. The bits of the result are the same before and after.

    >>> from detent.expr.graph import Graph
    >>> from detent.expr.tape import STATE, build_tape
    >>> x = Graph().leaf("x")
    >>> square = Program(build_tape([x * x], {"x": (STATE, 0)}))
    >>> float(square(0.0, np.array([3.0]), np.zeros(0))[0]), square.is_native
    (9.0, False)
    >>> square.compile()
    >>> float(square(0.0, np.array([3.0]), np.zeros(0))[0]), square.is_native
    (9.0, True)
    """

    def __init__(self, tape: Tape, family: _Family | None = None) -> None:
        self.tape = tape
        self.size = len(tape.outputs)
        self._family = family or _Family()
        with self._family.lock:
            native = self._family.native
            if native is None:
                context, self._alive = pack(tape)
                self.cell = np.array([KERNELS.address("interpret"), context], dtype=np.int64)
                self._family.members.add(self)
            else:  # machine code has no working memory of its own
                self.cell = np.array([native.address, 0], dtype=np.int64)

    @property
    def is_native(self) -> bool:
        return self._family.native is not None

    @property
    def native_seconds(self) -> float | None:
        """How long native code took to arrive, once it has."""
        return self._family.seconds

    def compile(self) -> None:
        """Make machine code now, or take it from the cache on disk; clones run it too."""
        family = self._family
        with family.making:  # long; whoever makes or asks for another clone need not wait for it
            if family.native is not None:
                return
            start = time.perf_counter()
            native = NativeCode(self.tape, KERNELS.address("table_function"))
            with family.lock:
                family.native, family.seconds = native, time.perf_counter() - start
                for program in family.members:
                    publish(program.cell, 0, native.address)  # a stepper may be calling it
                family.members.clear()

    def compile_later(self) -> Future[None]:
        """Make machine code in a background thread; returns at once."""
        family = self._family
        if family.pending is None:
            if family.native is None:
                family.pending = in_background(self.compile)
            else:
                done: Future[None] = Future()
                done.set_result(None)
                family.pending = done
        return family.pending

    def clone(self) -> Program:
        """The same program with working memory of its own, for another thread; native as soon as this one is."""
        return Program(self.tape, self._family)

    def __call__(self, time: float, state: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Evaluate once."""
        out = np.empty(self.size)
        call_once(self.cell, float(time), np.ascontiguousarray(state, float), np.ascontiguousarray(values, float), out)
        return out

    def over(self, times: np.ndarray, states: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Evaluate along a trajectory: one row of results per row of states."""
        out = np.empty((len(times), self.size))
        call_many(
            self.cell,
            np.ascontiguousarray(times, float),
            np.ascontiguousarray(states, float),
            np.ascontiguousarray(values, float),
            out,
        )
        return out

    def over_stretches(
        self, bounds: np.ndarray, times: np.ndarray, states: np.ndarray, values: np.ndarray
    ) -> np.ndarray:
        """The same with one row of values for each stretch of the trajectory, from one of the bounds to the next."""
        out = np.empty((len(times), self.size))
        call_stretches(
            self.cell,
            bounds,
            np.ascontiguousarray(times, float),
            np.ascontiguousarray(states, float),
            np.ascontiguousarray(values, float),
            out,
        )
        return out
