"""What can be read off a live run while it goes on."""

from __future__ import annotations

from collections.abc import Callable
from typing import final

import numpy as np

from detent.dynamics.kinematics import Kinematics
from detent.expr.graph import Node
from detent.jit.arrays import FloatArray
from detent.jit.program import Program
from detent.simulation.context import Context
from detent.simulation.live import Live
from detent.stepping.servo_frame import COURSE


@final
class LiveReading:
    """The values of nodes of the motion, such as where points are, at the state after the last step of a live run.

    Any thread may ask for them, at any time.
    """

    def __init__(self, live: Live, made: Callable[[Kinematics], list[Node]]) -> None:
        self._paced, self._lock, self._made = live._paced, live._lock, made  # the lock: who changes the run holds it
        self._context: Context | None = None
        self._program: Program | None = None

    def now(self) -> tuple[float, FloatArray]:
        """The time (s), and the values there."""
        with self._lock:
            context, servo, program = self._paced.context, self._paced.servo, self._known()
            rows = servo.course()
            time = float(rows[-1, COURSE.index("time")]) if len(rows) else 0.0
            state = servo.state_of(rows[-1]) if len(rows) else context.solver.state
            return time, np.asarray(program(time, state, context.values.vector))

    def since(self, first: int, every: int, most: int) -> tuple[int, FloatArray]:
        """How many steps there are, and the values after every so many of those from ``first`` on, at most the last so
        many of them; those of some seconds ago are gone."""
        with self._lock:
            context, servo, program = self._paced.context, self._paced.servo, self._known()
            steps = servo.steps
            rows = servo.course(min(steps - first, every * most))
            after = np.arange(steps - len(rows), steps) + 1
            chosen = rows[after % every == 0]
            if not len(chosen):
                return steps, np.empty((0, program.size))
            states = np.array([servo.state_of(row) for row in chosen])
            return steps, program.over(chosen[:, COURSE.index("time")], states, context.values.vector)

    def _known(self) -> Program:
        context = self._paced.context
        if context is not self._context or self._program is None:
            self._context, self._program = context, self._read(context)
        return self._program

    def _read(self, context: Context) -> Program:
        equations = context.compiled.equations
        with equations.lock:
            return context.compiled.program(self._made(equations.kinematics))


def states_of_late(live: Live, seconds: float) -> FloatArray:
    """The states after the steps of the last so many seconds of a live run (some four at most), a row each."""
    servo, steps = live._paced.servo, max(1, round(seconds / live._period))
    return np.array([servo.state_of(row) for row in servo.course(steps)])
