"""A live run: steps that keep pace with the clock, while hands hold on, constraints come and go, parameters change."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from queue import Empty, SimpleQueue
from typing import Any, Final, final

import numpy as np

from detent.errors import DetentError, UnknownNameError, ValueProblem
from detent.hybrid.automaton import Automaton
from detent.jit.arrays import FloatArray
from detent.model.constraint import Constraint
from detent.model.contact import Contact
from detent.model.coupler import Coupler, check_gain
from detent.model.expression import read_expression
from detent.model.friction_laws import Coulomb
from detent.model.impact_laws import ImpactLaw
from detent.model.shape import Shape
from detent.model.system import System
from detent.results.state import State
from detent.simulation.devices import Devices, finite_place
from detent.simulation.hand import Hand
from detent.simulation.live_log import LINE_SECONDS, LiveLog
from detent.simulation.live_options import live_options
from detent.simulation.live_timing import LiveTiming
from detent.simulation.paced_run import PacedRun
from detent.simulation.recording import RecordedChange, Recording
from detent.simulation.turn import Turn
from detent.stepping.prompt_thread import be_prompt
from detent.stepping.servo import Servo
from detent.stepping.servo_clock import Clock, MachineClock
from detent.stepping.servo_frame import COURSE, SAMPLE

FILTER: Final = 0.05
"""How slowly a hand follows what is said of it by ``move``, s: about the time between two such words of a browser."""
LOOK_SECONDS: Final = 0.1
"""How often what hands did is written down while the loop runs, s."""
LONG: Final = 0.3
"""A change that is likely to hold the loop for more than this part of a period is not begun shortly before a step."""
MOST_SAMPLES: Final = 4_000_000
"""Samples of hands that a recording holds at most: more than an hour at 1 kHz."""
MOST_CHANGES: Final = 100_000
"""Changes likewise: an hour of a parameter that is moved by hand."""


@final
class Live:
    """A simulation that keeps pace with a clock: a step a period, in a thread that never waits for Python.

    ``rate`` is the number of steps in a second. ``couplers`` are those of :func:`detent.couple` by which hands take
    hold; ``hands`` gives devices by the names of couplers (:class:`detent.Hand`). A coupler without a device is moved
    by :meth:`move`, however seldom: what is said holds, and goes through a first-order filter with the time constant
    ``filter`` (s). ``clock`` is what it goes by, if not the machine's. ``log`` names a file to which lines about the
    time that it keeps are appended.

    Further options are those of :class:`detent.Options`. By default ``method="rk4"`` with the period as its step, and
    rates are solved for in the kernel (``embedding="numeric"``), so that a new constraint acts at once; the modes of an
    automaton, and the likeliest statuses of contacts, are built before the start. The bits do not depend on when
    something was ready, and so it can be replayed; with ``embedding="live"`` they would, and that is refused.

    Where a mode is not ready the loop holds, its deadlines are missed and counted (:attr:`timing`), and it goes on:
    simulated time is counted in steps.

    >>> import detent
    >>> system = detent.System("bead")
    >>> x = system.coordinates("x")
    >>> bead = system.particle("bead", system.origin.offset("bead", x*system.ground.x), mass=1)
    >>> coupler = detent.couple("hand", bead, stiffness=100, damping=10)
    >>> live = detent.Live(system, couplers=[coupler], clock=detent.SimulatedClock())
    >>> live.grab(coupler)
    >>> live.move(coupler, (0.2, 0, 0))
    >>> live.advance(3)
    >>> round(live.state.x, 3), live.timing.counts.steps, live.timing.counts.missed
    (0.2, 3000, 0)
    """

    def __init__(
        self, model: System | Automaton, *, rate: float = 1000.0, couplers: Sequence[Coupler] = (),
        hands: Mapping[str, Hand] | None = None, filter: float = FILTER, clock: Clock | None = None,
        log: str | os.PathLike[str] | None = None, **options: Any,
    ) -> None:  # fmt: skip
        if isinstance(rate, str) or not 0.0 < rate < np.inf:
            raise ValueProblem(f"the rate is {rate!r}; give a number of steps in a second, such as 1000")
        if isinstance(filter, str) or not 0.0 <= filter < np.inf:
            raise ValueProblem(f"the filter's time constant is {filter!r}; give a time of zero or more, s")
        self._model, self._period, self._couplers = model, 1.0 / rate, tuple(couplers)
        self._devices = Devices({} if hands is None else hands, self._couplers)
        self._lags = tuple(0.0 if each.name in self._devices else float(filter) for each in self._couplers)
        self._options = live_options(model, self._period, options)
        self._clock = MachineClock() if clock is None else clock
        self._paced = PacedRun(model, self._period, self._couplers, self._lags, self._clock, self._options, keeps=False)
        self._devices.check_passive(self._paced.simulation.parameters, self._period, threaded=False)
        self._sample = np.zeros((len(self._couplers), SAMPLE))
        self._samples: list[FloatArray] = []
        self._written = 0
        self._changes: list[tuple[int, RecordedChange]] = []
        self._held: dict[str, float] = {}
        """For how long the last change of each kind held the loop, s."""
        self._waiting: SimpleQueue[Turn] = SimpleQueue()
        self._lock, self._posting = threading.RLock(), threading.Lock()
        self._threads: list[threading.Thread] = []
        self._ending = threading.Event()
        self._ending.set()
        self._failure: BaseException | None = None
        self._idle: Servo | None = None
        self._log = None if log is None else LiveLog(log)
        self._first_state = self._paced.context.solver.state

    # -- running -----------------------------------------------------------------------------------

    def advance(self, seconds: float) -> None:
        """Take the steps of so many seconds now, in this thread, each when the clock says so."""
        self._check_not_running()
        self._paced.servo.begin_anew()
        last = self._paced.servo.steps + round(seconds / self._period)
        while self._paced.servo.steps < last:
            self._serve_hands()
            following = self._paced.servo.steps + 1 if self._devices else last
            self._paced.take_steps(following)
            self._devices.feel(self.force)
            self._write_down()

    def start(self, *, beside_idle: bool = False) -> None:
        """Let it run in a thread of its own until :meth:`stop`; ``beside_idle`` has an idle loop run in another one."""
        self._check_not_running()
        self._devices.check_passive(self._paced.simulation.parameters, self._period, threaded=True)
        self._ending.clear()
        self._failure = None
        if self._log is not None:
            self._log.put("start", {"model": self._paced.context.system.name, "period_ms": 1e3 * self._period})
        self._paced.servo.begin_anew()
        names = [(self._loop, "detent-servo"), (self._look_on, "detent-live")]
        if self._devices:
            names.append((self._serve, "detent-hands"))
        if beside_idle:
            self._idle = self._idle or Servo(self._period, MachineClock())
            names.append((self._idle_loop, "detent-idle"))
        self._threads = [threading.Thread(target=target, name=name, daemon=True) for target, name in names]
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """End the thread after the step that it takes; raises what ended it earlier, if something did."""
        self._ending.set()
        self._paced.servo.ask()
        if self._idle is not None:
            self._idle.ask()
        ran = bool(self._threads)
        for thread in self._threads:
            thread.join()
        self._threads = []
        self._paced.servo.answered()
        self._write_down()
        failure, self._failure = self._failure, None
        if self._log is not None and ran:
            self._log.look("end", self.timing, self.time, self.mode, failure=None if failure is None else str(failure))
        if failure is not None:
            raise failure
        if self._log is not None:
            self._log.check()

    def __repr__(self) -> str:
        how = "going on" if self.is_running else "standing"
        return f"<live run of '{self._paced.context.system.name}': {how} at t = {self.time:.9g}, mode '{self.mode}'>"

    def __enter__(self) -> Live:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def is_running(self) -> bool:
        """Whether its thread takes steps."""
        return not self._ending.is_set()

    def _loop(self) -> None:
        """The thread of the servo."""
        be_prompt()
        try:
            while not self._ending.is_set():
                self._paced.take_steps(sys.maxsize)
                self._answer()
        except BaseException as error:
            self._failure = error
        finally:
            self._ending.set()
            self._refuse_what_waits()

    def _answer(self) -> None:
        """Let those who asked make their changes, between two steps, each in its own thread."""
        self._paced.servo.answered()
        while True:
            try:
                turn = self._waiting.get_nowait()
            except Empty:
                return
            turn.give()

    def _refuse_what_waits(self) -> None:
        while True:
            try:
                turn = self._waiting.get_nowait()
            except Empty:
                return
            turn.refuse(DetentError("the live run has ended before this could be done"))

    def _look_on(self) -> None:
        """Another thread writes down what hands did, a little at a time, and how well it keeps time."""
        told = time.monotonic()
        while not self._ending.wait(LOOK_SECONDS):
            self._write_down()
            if self._log is not None and time.monotonic() - told >= LINE_SECONDS:
                told = time.monotonic()
                self._log.look("timing", self.timing, self.time, self.mode)

    def _idle_loop(self) -> None:
        assert self._idle is not None
        be_prompt()  # as the other one
        self._idle.answered()
        self._idle.begin_anew()
        if not self._ending.is_set():
            self._idle.run(sys.maxsize)

    def _check_not_running(self) -> None:
        if self.is_running:
            raise DetentError("this live run goes on in a thread of its own; stop it first")
        if self._threads:
            self.stop()

    # -- hands -------------------------------------------------------------------------------------

    def grab(self, coupler: Coupler | str, position: Sequence[float] | None = None) -> None:
        """Take hold of a coupler's point: with a hand that is where the point is, or at a position (m)."""
        each, number = self._moved(coupler)
        if position is None:
            position = tuple(self._paced.position_of(each, self._latest_state()).tolist())
        self._post(number, 1.0, position)

    def move(self, coupler: Coupler | str, position: Sequence[float]) -> None:
        """Say where the hand is (m, along the ground's axes); it holds until the next word, filtered."""
        _, number = self._moved(coupler)
        self._post(number, float(self._sample[number, 0]), position)

    def let_go(self, coupler: Coupler | str) -> None:
        """Let go of a coupler's point."""
        _, number = self._moved(coupler)
        self._post(number, 0.0, tuple(self._sample[number, 1:].tolist()))

    def force(self, coupler: Coupler | str) -> FloatArray:
        """What the hand feels, along the ground's axes (N): the opposite of what the point feels."""
        number = self._couplers.index(self._coupler(coupler))
        servo = self._paced.servo
        rows = servo.course()
        return servo.forces_of(rows[-1])[number].copy() if len(rows) else np.zeros(3)

    def _post(self, number: int, grip: float, position: Any) -> None:
        where = finite_place("a hand", position)
        with self._posting:
            self._sample[number] = (grip, *where)
            self._paced.servo.post(self._sample.ravel())

    def _coupler(self, coupler: Coupler | str) -> Coupler:
        name = coupler.name if isinstance(coupler, Coupler) else str(coupler)
        for each in self._couplers:
            if each.name == name:
                return each
        raise UnknownNameError(name, [each.name for each in self._couplers], what="coupler of this live run")

    def _moved(self, coupler: Coupler | str) -> tuple[Coupler, int]:
        """A coupler that is moved by words, and its number."""
        each = self._coupler(coupler)
        if each.name in self._devices:
            raise DetentError(
                f"coupler '{each.name}' is held by its device, which says before each step where it is; use another "
                "coupler for what is grabbed, moved and let go by words"
            )
        return each, self._couplers.index(each)

    def _serve_hands(self) -> None:
        """Ask all devices where they are; they hold on."""
        for name, place in self._devices.read().items():
            self._post(self._couplers.index(self._coupler(name)), 1.0, place)

    def _serve(self) -> None:
        """Another thread serves devices, as often as there are steps and Python lets it."""
        try:
            while not self._ending.is_set():
                before = self._paced.servo.steps
                self._serve_hands()
                asked = self._paced.servo.steps
                while self._paced.servo.steps == asked and not self._ending.is_set():
                    time.sleep(self._period / 4)
                self._devices.feel(self.force)
                self._devices.count(self._paced.servo.steps - before)
        except BaseException as error:
            self._failure = self._failure or error
            self._ending.set()
            self._paced.servo.ask()

    # -- changes -----------------------------------------------------------------------------------

    def constrain(self, constraint: Constraint | str, expression: Any = None) -> None:
        """Impose a constraint before the next step, as :meth:`detent.Simulation.constrain` does.

        What can be derived is derived in the thread that calls, while steps go on. It returns when it is done.
        """
        self._do(RecordedChange("constrain", (self._paced.constraint(constraint, expression),)))

    def latch(self, name: str, expression: Any = None) -> None:
        """Hold an expression of positions at the value that it has before the next step, under a name.

        Without an expression it is a latch that the system declares (``system.latch``), which needs no derivation.

        >>> import detent
        >>> system = detent.System("bead")
        >>> x = system.coordinates("x")
        >>> bead = system.particle("bead", system.origin.offset("bead", x*system.ground.x), mass=1)
        >>> live = detent.Live(system, start={"x_rate": 1}, clock=detent.SimulatedClock())
        >>> live.advance(0.5)
        >>> live.latch("catch", x)
        >>> live.advance(0.5)
        >>> live.mode, round(live.state.x, 9)
        ('catch', 0.5)
        """
        if expression is None:
            self._do(RecordedChange("latch", (name,)))
        else:
            self._do(RecordedChange("latch", (name, read_expression(f"what '{name}' holds", expression))))

    def release(self, constraint: Constraint | Contact | str) -> None:
        """Unlatch: let a constraint or a contact go before the next step."""
        name = constraint.name if isinstance(constraint, (Constraint, Contact)) else str(constraint)
        self._do(RecordedChange("release", (name,)))

    def contact(
        self, name: str, first: Shape | None = None, second: Shape | None = None, **laws: Coulomb | ImpactLaw | None
    ) -> None:
        """Let two shapes touch from the next step on, as :meth:`detent.Simulation.contact` does: a drawn fence."""
        self._do(RecordedChange("contact", (name, first, second), dict(laws)))

    def draw(self, name: str, points: Sequence[Any]) -> None:
        """Draw a curve or a function before the next step, as :meth:`detent.Simulation.draw` does.

        It was declared with the system (``ground.drawing``, ``system.drawn``), so that all programs are there: only
        numbers are worked out, in the thread that calls as far as that needs no state.

        >>> import detent
        >>> system = detent.System("ball")
        >>> y = system.coordinates(y=1)
        >>> ball = system.particle("ball", system.origin.offset("center", y*system.ground.y), mass=1)
        >>> system.gravity(-9.81*system.ground.y)
        >>> contact = system.contact("ball|fence", ball.circle(0.1), system.ground.drawing("fence", points=4))
        >>> live = detent.Live(system, clock=detent.SimulatedClock())
        >>> live.draw("fence", [(-1, 0), (1, 0)])
        >>> live.advance(0.5)
        >>> live.mode, round(live.state.y, 12)
        ('ball|fence side: slip', 0.1)
        """
        self._do(RecordedChange("draw", (name, [tuple(point) for point in points])))

    def erase(self, name: str) -> None:
        """Take away a curve that was drawn, before the next step."""
        self._do(RecordedChange("erase", (name,)))

    def set(self, **parameters: float) -> None:
        """Give parameters other values before the next step."""
        for coupler in self._couplers:
            for name in {coupler.stiffness, coupler.damping} & set(parameters):
                check_gain(f"coupler '{coupler.name}'", name, parameters[name])
        known = {**self._paced.simulation.parameters, **parameters}
        self._devices.check_passive(known, self._period, threaded=self.is_running)
        self._do(RecordedChange("set", (), dict(parameters)))

    def _do(self, change: RecordedChange) -> None:
        if not self.is_running:
            self._make(change)
            return
        self._paced.prepare(change)
        turn = Turn()
        self._waiting.put(turn)
        self._paced.servo.ask(long=self._held.get(change.kind, 0.0) > LONG * self._period)
        if not self.is_running:
            self._refuse_what_waits()
        self._make_in(turn, change)
        if change.kind == "release":
            with self._lock:
                self._paced.after_release(change.arguments[0], self._latest_state())

    def _make_in(self, turn: Turn, change: RecordedChange) -> None:
        """Make a change when the servo lets this thread; what it is stopped by ends the run if half of it is done."""
        failure, begun, began = None, False, 0.0
        try:
            turn.take()
            begun, began = True, time.perf_counter()
            self._make(change)
        except DetentError:
            raise
        except BaseException as error:
            failure = error if begun else None
            if isinstance(error, Exception):
                raise DetentError(f"the live run has ended: {error}") from error
            raise
        finally:
            turn.give_back(failure)
            self._held[change.kind] = time.perf_counter() - began if begun else 0.0

    def _make(self, change: RecordedChange) -> None:
        with self._lock, self._posting:
            if self._paced.failure is not None:
                raise DetentError(
                    f"{change.kind}: this live run has ended, and nothing can be changed any more: "
                    f"{self._paced.failure}. Look at live.recording.replay(), and begin anew"
                )
            self._paced.make(change)
            if len(self._changes) < MOST_CHANGES:
                self._changes.append((self._paced.servo.steps, change))

    # -- what there is -----------------------------------------------------------------------------

    @property
    def time(self) -> float:
        """The simulated time reached, s."""
        rows = self._paced.servo.course()
        return float(rows[-1, COURSE.index("time")]) if len(rows) else 0.0

    @property
    def state(self) -> State:
        """The state after the last step, by name; it may be asked for at any time."""
        return State(self._paced.context.compiled.layout, self.time, self._latest_state())

    @property
    def mode(self) -> str:
        """The name of the mode; while it runs, of an automaton, that of the last step."""
        return self._paced.mode()

    @property
    def parameters(self) -> dict[str, float]:
        """The values of all parameters, by name."""
        return self._paced.simulation.parameters

    @property
    def timing(self) -> LiveTiming:
        """How well it has kept time so far."""
        idle = None if self._idle is None else self._idle.counts.missed
        return LiveTiming(
            self._period, self._paced.servo.counts, idle, self._paced.modes(), self._devices.counts
        )  # fmt: skip

    @property
    def recording(self) -> Recording:
        """All that was done to it so far, to be replayed; to be asked for when it does not run."""
        self._check_not_running()
        self._write_down()
        if self._written > MOST_SAMPLES:
            raise DetentError(
                f"hands said {self._written} times where they were, and no more than {MOST_SAMPLES} are kept; this "
                "live run cannot be replayed"
            )
        if len(self._changes) == MOST_CHANGES:
            raise DetentError(f"only {MOST_CHANGES} changes are kept, and as many were made; it cannot be replayed")
        width = 1 + SAMPLE * len(self._couplers)
        samples = np.concatenate([np.zeros((0, width)), *self._samples])
        return Recording(
            self._model, self._period, self._couplers, self._lags, self._options, self._paced.servo.steps, samples,
            tuple(self._changes), self._paced.failure,
        )  # fmt: skip

    def _latest_state(self) -> FloatArray:
        servo = self._paced.servo
        rows = servo.course()
        return servo.state_of(rows[-1]).copy() if len(rows) else self._first_state.copy()

    def _write_down(self) -> None:
        with self._lock:
            found = self._paced.servo.take_diary()
            self._written += len(found)
            if self._written <= MOST_SAMPLES:
                if len(found):
                    self._samples.append(found)
            else:
                self._samples.clear()
