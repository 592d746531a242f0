"""The driver of the compiled steppers: checks what it is given, runs, and delivers the trajectory in pieces."""

from __future__ import annotations

import ctypes
import math
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from detent.errors import ValueProblem
from detent.jit.address import raw_address
from detent.jit.arrays import FloatArray
from detent.jit.words import publish
from detent.stepping.handover import HandOver
from detent.stepping.held_interrupts import holding_interrupts
from detent.stepping.interruption import STEPPING
from detent.stepping.kernels import steps_of
from detent.stepping.memory import Memory, check_values, control_of
from detent.stepping.partners import Chooser, EventSearch, StepTaker
from detent.stepping.status import Status
from detent.stepping.stepper import advancing, evaluate_rate, numbers_of
from detent.stepping.stepper_settings import StepperSettings
from detent.stepping.trajectory_piece import TrajectoryPiece

if TYPE_CHECKING:
    from detent.stepping.servo import Servo
    from detent.stepping.servo_clock import Clock

STATUSES: Final = tuple(status for status in Status if status >= 0)
"""By number: what a kernel answers is looked up here in a tenth of the time that asking the enumeration takes."""
DONE: Final = Status.DONE
FEWEST_STEPS: Final = 64
MOST_STEPS_PER_PIECE: Final = 4096
PACE: Final = ("next_step", "last_error", "origin", "rounding")
"""What decides the size of the steps to come, among the numbers of the clock."""
PIECE_SECONDS: Final = 0.1
"""A piece holds about as many steps as are taken in this time: often enough for progress and for Ctrl-C."""


@final
class Solver:
    """Integrates x' = f(t, x, values) with ``rk4``, ``dopri5`` or ``dop853``.

    ``rhs`` and ``projection`` are cells (address, context) of programs. The projection, if any, is called after every
    step and writes the whole state, corrected. ``width`` is the length of the state; the error of its
    first ``controlled`` entries (all of them by default) decides the step, in the root mean square of
    error / (atol + rtol |x|). ``values`` stays the caller's: change it in place between calls, then
    :meth:`restart`. ``step`` is the size of every step for ``rk4`` (and for any method with ``fixed=True``), otherwise
    the largest size. ``dense=False`` leaves out the rows of the interpolant, which cost ``dop853`` three evaluations
    a step. With ``hands_over`` another thread takes the trajectory while the steps go on, so that they never wait for
    Python; not where events are followed. A cell is only an address: whoever makes the solver keeps the programs
    alive, or gives them as ``owner`` to be kept.

    >>> from detent.expr.graph import Graph
    >>> from detent.expr.tape import STATE, build_tape
    >>> from detent.jit.program import Program
    >>> graph = Graph()
    >>> x, v = graph.leaf("x"), graph.leaf("v")
    >>> spring = Program(build_tape([v, -x], {"x": (STATE, 0), "v": (STATE, 1)}))
    >>> solver = Solver(spring.cell, width=2, values=np.zeros(0), rtol=1e-12, atol=1e-12, owner=spring)
    >>> solver.start(0.0, [1.0, 0.0])
    <Status.DONE: 0>
    >>> pieces = []
    >>> solver.advance(np.pi, pieces.append)
    <Status.DONE: 0>
    >>> round(float(pieces[-1].state[-1, 0]), 10), solver.time == np.pi
    (-1.0, True)
    """

    def __init__(
        self, rhs: NDArray[np.int64], projection: NDArray[np.int64] | None = None, *, width: int,
        controlled: int | None = None, values: FloatArray, method: str = "dop853", rtol: float = 1e-9,
        atol: ArrayLike = 1e-12, step: float | None = None, fixed: bool = False, dense: bool = True,
        hands_over: bool = False, owner: object = None,
    ) -> None:  # fmt: skip
        count = width if controlled is None else controlled
        if not 0 <= count <= width or width < 1:
            raise ValueProblem(
                f"the state has width {width} and {count} controlled entries; give a width of at least 1 and at most "
                "as many controlled entries."
            )
        check_values(values)
        chosen = StepperSettings.checked(method, rtol=rtol, atol=atol, step=step, fixed=fixed, controlled=count)
        self._settings = chosen
        self._control = control_of(chosen.method, chosen.rtol, chosen.step)
        self._numbers = numbers_of(self._control)
        corrects = np.zeros(2, dtype=np.int64) if projection is None else projection
        self._memory = Memory(chosen.method, rhs, corrects, values, chosen.atol, width, dense)
        self._owner = owner
        self._kernels = steps_of(chosen.fixed)
        self._steps = advancing(self._kernels)
        self._chooser: Chooser | None = None
        self._handover = HandOver(self._memory, self._kernels) if hands_over else None
        self._capacity = 0
        self.most_per_piece = MOST_STEPS_PER_PIECE
        """Steps in a piece of trajectory, at most: 1 lets the caller look at each."""
        self.elapsed = 0.0
        """How long the kernel took for the last piece, s."""
        self._status: Status | None = None
        self._events: EventSearch | None = None
        self._taker: StepTaker | None = None

    # -- where it is ------------------------------------------------------------------------------

    @property
    def is_adaptive(self) -> bool:
        """Whether the tolerances decide the size of its steps; otherwise they mean nothing."""
        return not self._settings.fixed

    @property
    def method(self) -> str:
        """The name of the method that takes its steps."""
        return self._settings.method.name if self._taker is None else self._taker.name

    @property
    def fixed_step(self) -> float:
        """The size of every step; 0 where tolerances decide it."""
        return self._settings.step if self._settings.fixed else 0.0

    @property
    def largest_step(self) -> float:
        """The size that no step exceeds; infinite where steps are not limited."""
        return self._settings.step

    @property
    def time(self) -> float:
        """The time reached, in seconds."""
        return float(self._memory.time[0])

    @property
    def state(self) -> FloatArray:
        """The state at that time (a copy)."""
        return self._memory.state[: self._memory.width].copy()

    @property
    def rate(self) -> FloatArray:
        """Its time derivative there (a copy)."""
        return self._memory.rates[0, : self._memory.width].copy()

    @property
    def steps(self) -> int:
        """Accepted steps since the solver was made."""
        return int(self._memory.steps[0])

    @property
    def rejected(self) -> int:
        """Steps tried and taken back since the solver was made."""
        return int(self._memory.counters["rejected"][0])

    @property
    def evaluations(self) -> int:
        """Calls of the right-hand side since the solver was made."""
        taken = 0 if self._taker is None else self._taker.calls
        return int(self._memory.counters["evaluations"][0]) + taken

    @property
    def reason(self) -> int:
        """The last status other than 0 that a program returned, or 0."""
        return int(self._memory.counters["reason"][0])

    @property
    def concerned(self) -> int | None:
        """After a failure, the entry of the state that caused it, as far as can be told.

        The first entry whose rate is not finite, in the first stage of the last trial that has one; when the step
        became too small, the entry with the largest error.
        """
        if self._status is Status.NOT_A_NUMBER:
            return self._memory.first_not_finite()
        return self._memory.largest_error(self._settings.rtol) if self._status is Status.STEP_TOO_SMALL else None

    # -- running ----------------------------------------------------------------------------------

    @property
    def asking(self) -> NDArray[np.int64]:
        """The word that a program sets to 1 when something is to be done between two steps.

        What :meth:`offer` was given does it, or else the run returns STOPPED.
        """
        return self._memory.stop[1:]

    @property
    def stopping(self) -> NDArray[np.int64]:
        """The word that a program sets to 1 for the run to return STOPPED at its next step."""
        return self._memory.stop[:1]

    def offer(self, chooser: Chooser) -> None:
        """Have the kernel choose by this when a program asks for it; until :meth:`switch`."""
        chooser.count_by(self._memory.counters)
        self._chooser = chooser
        self._memory.again[:] = chooser.cell

    def offer_implicit(self, first: int, count: int) -> None:
        """Take implicit steps wherever these entries of the state would keep explicit ones short."""
        self._memory.implicit.offer(first, count, self._settings.rtol)

    def bring(self, taker: StepTaker) -> None:
        """Have steps taken by this from now on, and not by the kernels; events are then looked for along them."""
        self._taker = taker

    def start(self, t0: float, x0: ArrayLike, keep_step: bool = False) -> Status:
        """Stand at a time and state; evaluates the rate there. DONE, or why the run cannot start from here.

        ``keep_step`` goes on with the step size reached so far instead of guessing a first one.
        """
        memory, state = self._memory, np.asarray(x0, dtype=np.float64)
        if state.shape != (memory.width,) or not np.isfinite(state).all():
            raise ValueProblem(f"the initial state is {x0!r}; give {memory.width} finite numbers.")
        if not math.isfinite(t0):
            raise ValueProblem(f"the initial time is {t0!r}; give a finite number of seconds.")
        memory.state[: memory.width] = state
        memory.clock["time"] = t0
        if not keep_step:
            memory.clock[["next_step", "rounding", "usual"]] = 0.0
        return self.restart()

    def restart(self) -> Status:
        """Evaluate the rate again where it stands, after ``values`` have changed; the step size is kept."""
        memory = self._memory
        memory.clock["origin"], memory.counters["number"] = memory.clock["time"], 0
        memory.begin_anew()
        memory.clock["last_error"] = 1e-4
        memory.counters["reason"] = evaluate_rate(self._kernels, memory.words)
        if memory.counters["reason"][0] != 0:
            self._status = Status.PROGRAM_STATUS
        elif not np.isfinite(memory.rates[0]).all():
            self._status = Status.NOT_A_NUMBER
        else:
            self._status = Status.DONE
            if self._taker is not None:
                self._begin_taking(self._taker)
        return self._status

    def switch(self, rhs: NDArray[np.int64], projection: NDArray[np.int64] | None = None, owner: object = None) -> None:
        """Integrate other equations from here on; call :meth:`start` before going on.

        The first piece of trajectory after it holds one step, so that the first step is seen as soon as it is taken.
        """
        absent = np.zeros(2, dtype=np.int64)
        self._memory.switch(rhs, absent if projection is None else projection)
        self._owner = owner
        if self._events is None:
            self._resize(1)

    def exchange(
        self, rhs: NDArray[np.int64], owner: object = None, projection: NDArray[np.int64] | None = None
    ) -> None:
        """Go on with another program for the same equations, equal but for rounding; nothing else changes.

        ``projection``: what corrects states from now on, where that is another too.
        """
        self._memory.exchange(rhs, projection)
        self._owner = (owner, self._owner)

    def follow(self, events: EventSearch) -> None:
        """Look for events from now on, and take the transitions of these tables."""
        self._events = events
        self._memory.follow(events)
        self._resize(FEWEST_STEPS)

    def look_closely(self) -> None:
        """Hand over the next step as soon as it is taken."""
        self._resize(3)

    @property
    def relative(self) -> float:
        """The relative tolerance; 0 where the size of the steps is fixed."""
        return 0.0 if self._settings.fixed else self._settings.rtol

    @property
    def values(self) -> FloatArray:
        """The run-time values, which whoever made the solver changes in place."""
        return self._memory.values

    @property
    def absolute(self) -> FloatArray:
        """The absolute tolerance of each entry of the state whose error counts; a program may change it in place."""
        return self._memory.absolute[: len(self._settings.atol)]

    @property
    def padded(self) -> int:
        """The length of a row of the state, with what fills it up."""
        return self._memory.padded

    @property
    def mode(self) -> int:
        """The number of the mode, where an automaton is followed."""
        return int(self._memory.mode[0])

    @mode.setter
    def mode(self, number: int) -> None:
        self._memory.current["mode"] = number

    def exchange_soon(self, old: NDArray[np.int64], rhs: NDArray[np.int64]) -> None:
        """As :meth:`exchange`, from another thread while the run goes on: at the first step that finds ``old`` running.

        Who gives the cells keeps them alive.
        """
        current = self._memory.current
        publish(current["replaced"], 0, 0)
        publish(current["replacement"], 0, raw_address(rhs))
        publish(current["replaced"], 0, raw_address(old))

    @property
    def after_step(self) -> NDArray[np.int64]:
        """A cell that is called after every accepted step with its time and state: for what must watch every step."""
        return self._memory.after_step

    @property
    def beginning(self) -> NDArray[np.int64]:
        """A cell that is called with time and state where steps begin anew, before the first of them."""
        return self._memory.beginning

    def advance(self, t_end: float, on_piece: Callable[[TrajectoryPiece], object]) -> Status:
        """Go on to ``t_end`` and land on it exactly; every piece of trajectory is handed to ``on_piece``.

        DONE, STOPPED, or why the run cannot go on; what was reached before that has been handed over. So it has
        when an interrupt from the keyboard ends the call.
        """
        if self._status is None:
            raise ValueProblem("the solver stands nowhere yet; call start(t0, x0) before advance.")
        if not self._memory.time[0] <= t_end < math.inf:
            raise ValueProblem(
                f"the end t = {t_end!r} does not lie ahead of the time reached, {self.time!r}; give a finite time not "
                "before it."
            )
        if self._status is not DONE and self._status.failed:
            return self._status
        try:
            return self._run(float(t_end), on_piece)
        except BaseException:
            self._deliver(on_piece)
            raise

    def servo(self, period: float, clock: Clock, **settings: Any) -> Servo:
        """What has this solver take a step each time that a clock says so (:class:`detent.stepping.servo.Servo`)."""
        from detent.stepping.servo import Servo  # most runs keep no pace

        return Servo(period, clock, self._memory, self._kernels, start=self.time, **settings)

    def advance_paced(
        self, servo: Servo, last: int, limit: float, on_piece: Callable[[TrajectoryPiece], object] | None = None
    ) -> Status:
        """Have a servo take steps until it has taken ``last``, none beyond the time ``limit``.

        DONE, STOPPED where something is to be done first, or why the run cannot go on. Pieces of trajectory are handed
        to ``on_piece``; without it they are let go.
        """
        if self._status is None or self._status.failed:
            raise ValueProblem("the solver stands nowhere that it could go on from; call start(t0, x0) first.")
        if self._capacity == 0:
            self._resize(FEWEST_STEPS)
        while True:
            began = time.perf_counter()
            self._status = STATUSES[servo.run(last, self._control, limit)]
            self.elapsed = time.perf_counter() - began
            if on_piece is not None:
                self._deliver(on_piece)
            if self._status is Status.STOPPED:
                self._memory.stop[0] = 0
            if self._status is not Status.BUFFER_FULL:
                return self._status
            if self._capacity < self.most_per_piece:
                self._resize(min(2 * self._capacity, self.most_per_piece))

    def depend_on_state(self) -> None:
        """See that the state and :attr:`pace` are all that the steps to come depend on.

        Whoever takes steps in place of the kernels and knows more, as methods of several steps do, begins anew.
        """
        self._memory.begin_anew()
        if self._taker is not None:
            self._begin_taking(self._taker)

    @property
    def pace(self) -> tuple[list[float], int]:
        """What decides the size of the steps to come, besides the state."""
        clock = self._memory.clock
        return [float(clock[name][0]) for name in PACE], int(self._memory.counters["number"][0])

    def keep_pace(self, clock: Sequence[float], number: int) -> None:
        """Go on with the steps that :attr:`pace` described; call it after :meth:`start`."""
        for name, value in zip(PACE, clock, strict=True):
            self._memory.clock[name] = value
        self._memory.counters["number"] = number

    def stop(self) -> None:
        """Ask a run in another thread to return STOPPED at its next step."""
        publish(self._memory.stop, 0, 1)

    @property
    def is_asked_to_stop(self) -> bool:
        """Whether it will return at its next step."""
        return bool(self._memory.stop[0])

    def _run(self, t_end: float, on_piece: Callable[[TrajectoryPiece], object]) -> Status:
        memory, numbers = self._memory, ctypes.addressof(self._numbers)
        if self._capacity == 0:
            self._resize(FEWEST_STEPS)
        if self._taker is not None:
            return self._run_taken(self._taker, t_end, on_piece)
        while True:
            began = time.perf_counter()
            handover = self._handover if self._capacity > 1 and self._events is None else None
            if handover is None:
                self._status = STATUSES[self._steps(ctypes.addressof(memory.words), t_end, numbers, 0, 0)]
            else:
                self._status = STATUSES[handover.run(self._control, t_end, on_piece)]
            self.elapsed = elapsed = time.perf_counter() - began
            self._deliver(on_piece)
            if self._status is DONE:
                return DONE
            if self._status is Status.STOPPED:
                memory.stop[0] = 0
            if self._status is not Status.BUFFER_FULL:
                return self._status
            if handover is not None:
                continue
            if 2.0 * elapsed < PIECE_SECONDS and self._capacity < self.most_per_piece:
                quick = self._events is not None and 32.0 * elapsed < PIECE_SECONDS
                self._resize(min(16 * self._capacity if quick else 2 * self._capacity, self.most_per_piece))
            elif elapsed > 2.0 * PIECE_SECONDS and self._capacity > (1 if self._events is None else 3):
                self._resize(self._capacity // 2)

    # -- steps that somebody else takes -----------------------------------------------------------

    def _run_taken(self, taker: StepTaker, t_end: float, on_piece: Callable[[TrajectoryPiece], object]) -> Status:
        """The same with steps that somebody else takes."""
        memory, self._status, events = self._memory, DONE, self._events
        self._resize(FEWEST_STEPS if events is not None else min(FEWEST_STEPS, self.most_per_piece))
        if events is not None and events.excursion["phase"][0] != STEPPING:
            self._status = self._resume_taken(taker)
        while self._status is DONE and memory.time[0] < t_end:
            if memory.stop[0]:
                memory.stop[0], self._status = 0, Status.STOPPED
                break
            self._status = self._take(taker, t_end)
            if memory.rows[0] + 2 > min(self._capacity, self.most_per_piece + 1):  # a jump needs a row of its own
                self._deliver(on_piece)
        self._deliver(on_piece)
        return self._status

    def _take(self, taker: StepTaker, t_end: float) -> Status:
        """One step that somebody else takes, or its part up to the first event in it."""
        memory, before, events = self._memory, self.time, self._events
        step, guard, search = taker.step(t_end), -1, None
        if step.status is DONE and events is not None:
            memory.clock["next_step"] = step.time - before
            search = events.among(self.mode, memory.words, memory.values)
            guard, step = search.first_change(before, step, taker.inside)
        if step.status is DONE:
            step = step._replace(status=self._arrive(step.time, step.state))
        if step.status is not DONE:
            return step.status
        memory.put_down()
        if search is None:
            return DONE
        recorded, status = int(memory.rows[0]), Status(search.settle(guard))
        if guard >= 0 or memory.rows[0] > recorded:
            self._begin_taking(taker)
        return DONE if status is Status.GO_ON else status

    def _resume_taken(self, taker: StepTaker) -> Status:
        """Go on with an excursion that was begun; no time passes."""
        words, numbers = ctypes.addressof(self._memory.words), ctypes.addressof(self._numbers)
        status = STATUSES[self._steps(words, self.time, numbers, 0, 0)]
        self._begin_taking(taker)
        return status

    def _begin_taking(self, taker: StepTaker) -> None:
        taker.begin(self.time, self.state, self.rate, int(self._memory.current["rates"][0]))

    def _arrive(self, time: float, state: FloatArray) -> Status:
        """Stand where a step has ended that somebody else took, unless there is no rate."""
        memory = self._memory
        memory.clock["time"], memory.state[: memory.width] = time, state
        memory.counters["reason"] = evaluate_rate(self._kernels, memory.words)
        if memory.counters["reason"][0] != 0:
            return Status.PROGRAM_STATUS
        if not np.isfinite(memory.rates[0]).all():
            return Status.NOT_A_NUMBER
        memory.counters["steps"] += 1
        return DONE

    def _resize(self, steps: int) -> None:
        self._memory.make_room(steps)
        self._capacity = steps

    def _deliver(self, on_piece: Callable[[TrajectoryPiece], object]) -> None:
        if self._memory.rows[0] == 0:
            return
        with holding_interrupts():
            piece = self._memory.take_record()
            if piece is not None:
                on_piece(piece)
