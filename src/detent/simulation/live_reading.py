"""What can be read off a live run while it goes on."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, final

import numpy as np

from detent.dynamics.kinematics import Kinematics
from detent.expr.graph import Node
from detent.jit.program import Program
from detent.simulation.context import Context
from detent.simulation.paced_run import PacedRun
from detent.stepping.chunk import FloatArray
from detent.stepping.servo_frame import COURSE


@final
class LiveReading:
    """The values of nodes of the motion, at the state after the last step: asked for by any thread, at any time.

    ``lock`` is held by whoever changes what the run is made of.
    """

    def __init__(
        self, paced: PacedRun, lock: AbstractContextManager[Any], made: Callable[[Kinematics], list[Node]]
    ) -> None:
        self._paced, self._lock, self._made = paced, lock, made
        self._context: Context | None = None
        self._program: Program | None = None

    def now(self) -> tuple[float, FloatArray]:
        """The time (s), and the values there."""
        with self._lock:
            context, servo = self._paced.context, self._paced.servo
            if context is not self._context or self._program is None:
                self._context, self._program = context, self._read(context)
            rows = servo.course()
            time = float(rows[-1, COURSE.index("time")]) if len(rows) else 0.0
            state = servo.state_of(rows[-1]) if len(rows) else context.solver.state
            return time, np.asarray(self._program(time, state, context.values.vector))

    def _read(self, context: Context) -> Program:
        equations = context.compiled.equations
        with equations.lock:
            return context.compiled.program(self._made(equations.kinematics))
