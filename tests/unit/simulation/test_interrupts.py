"""Ctrl-C, at every place where it can strike: nothing is lost, nothing is doubled, and the run goes on.

The signal is raised by the process itself, after a chosen step or at a chosen line, so that no clock decides when.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pytest

import detent
from detent.results.outcome import Outcome
from detent.simulation import stretch as stretch_module
from detent.simulation.account import Account
from detent.simulation.recorder import MOST_BEHIND
from detent.simulation.simulation import Simulation
from detent.stepping import held_interrupts
from detent.stepping.held_interrupts import holding_interrupts, interruptible
from detent.stepping.solver import MOST_STEPS_PER_PIECE
from detent.stepping.status import Status
from tests.unit.simulation.systems import block
from tests.unit.stepping.hooks import AfterSteps

SOURCES = os.path.dirname(detent.__file__)
PLACES, MORE_PLACES = 40, 1000
"""Lines at which runs are interrupted, of some five thousand that a run goes through; the latter in the slow tests."""


def interrupt() -> None:
    signal.raise_signal(signal.SIGINT)


def ratchet() -> detent.Automaton:
    """A mass that is thrown back and forth, by a reset that is an expression and by one that is a function; a third
    transition goes to a mode with a constraint, which has to be derived first; and an input that is sampled."""
    system = detent.System("ratchet")
    x, y = system.coordinates("x", "y")
    bob = system.origin.offset("bob", x * system.ground.x + y * system.ground.y)
    system.particle("bob", bob, mass=1)
    push = system.input("push", detent.Sampled(0.25, lambda t, state: 0.1 * state["x"]))
    system.force("push", bob, push * system.ground.x)
    system.start(x_rate=1, y_rate=0.5)
    turns = system.discrete("turns", 0)
    rail = system.constrain(detent.holonomic("rail", y - 0.5), active=False)
    automaton = detent.Automaton(system)
    free, held = automaton.mode("free"), automaton.mode("held", constraints=[rail])
    automaton.transition(
        "back", free, free, when=x >= 0.5, reset=lambda now: {"x_rate": -now["x_rate"], "turns": now["turns"] + 1}
    )
    automaton.transition("forth", free, free, when=x <= -0.5, reset={x.rate: -x.rate, turns: turns + 1})
    automaton.transition("caught", free, held, when=y >= 0.5, reset=[{y: 0.5}, detent.Impact()])
    return automaton


def begun() -> Simulation:
    return Simulation(ratchet(), method="rk4", step=0.01, embedding="numeric", modes="lazy")


def brake() -> detent.System:
    system = block(detent.Sampled(0.25, lambda t, state: 1.0))
    system.constrain(detent.motion("brake", system["x"].rate), active=False)
    return system


def steered() -> Simulation:
    return Simulation(brake(), method="rk4", step=0.01, embedding="numeric")


def go(simulation: Simulation, until: float) -> None:
    """Advance, and, where no automaton is followed, hold and release the block on the way."""
    if simulation.automaton is not None:
        simulation.advance(until)
        return
    if simulation.time < until / 2:
        simulation.advance(until / 2)
    if not simulation.active and simulation.time < 0.75 * until:
        simulation.constrain("brake")
    if simulation.time < 0.75 * until:
        simulation.advance(0.75 * until)
    if simulation.active:
        simulation.release("brake")
    simulation.advance(until)


class Strike:
    """Raises the signal when a chosen number of lines of detent have been run in the main thread."""

    def __init__(self, place: int | None) -> None:
        self.lines, self._place = 0, place

    def trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        if not frame.f_code.co_filename.startswith(SOURCES):
            return None
        if event == "line":
            self.lines += 1
            if self.lines == self._place:
                interrupt()
        return self.trace


@contextmanager
def traced(place: int | None) -> Iterator[Strike]:
    strike, before = Strike(place), sys.gettrace()
    sys.settrace(strike.trace)
    try:
        yield strike
    finally:
        sys.settrace(before)


def interrupted_at(place: int | None, make: Callable[[], Simulation]) -> tuple[Simulation, int, bool]:
    """A run that was interrupted at a place, if it has so many; the lines it took; whether it was."""
    simulation, struck = make(), False
    with traced(place) as strike:
        try:
            go(simulation, 2.0)
        except (KeyboardInterrupt, detent.SimulationError):
            struck = True
    return simulation, strike.lines, struck


def check_whole(simulation: Simulation, expected: detent.Run) -> None:
    run = simulation.result()
    assert np.array_equal(run.t, expected.t)
    assert np.array_equal(run.trajectory.state, expected.trajectory.state)
    assert run.events == expected.events
    for name in expected.names:
        assert np.array_equal(run[name], expected[name], equal_nan=True), name


def expected_of(make: Callable[[], Simulation]) -> tuple[detent.Run, int]:
    simulation, _, _ = interrupted_at(None, make)
    again, lines, _ = interrupted_at(None, make)  # what is made once for all runs has been made
    del again
    return simulation.result(), lines


@pytest.mark.parametrize("places", [PLACES, pytest.param(MORE_PLACES, marks=pytest.mark.slow)])
@pytest.mark.parametrize(("make", "model"), [(begun, ratchet), (steered, brake)], ids=["events", "steered"])
def test_a_run_goes_on_wherever_it_was_interrupted(make: Any, model: Any, places: int, tmp_path: Path) -> None:
    expected, lines = expected_of(make)
    assert lines > 500
    reached = 0
    for place in np.linspace(1, lines - 1, places, dtype=int).tolist():
        simulation, taken, struck = interrupted_at(place, make)
        reached += taken >= place  # the time that a block of steps takes decides the next one's size, and so the lines
        assert struck or taken < place, f"the interrupt at line {place} was swallowed"
        simulation.checkpoint(tmp_path / "at.json")
        resumed = detent.resume(model(), tmp_path / "at.json")
        for rest in (simulation, resumed):
            go(rest, 2.0)
            assert rest.state.values.tolist() == expected.trajectory.state[-1].tolist(), place
        check_whole(simulation, expected)
    assert reached > 0.9 * places


# -- in the middle of the steps ----------------------------------------------------------------------


@pytest.mark.parametrize("embedding", ["live", "numeric", "symbolic"])
@pytest.mark.parametrize("steps", [1, 2, 63, 64, 65, 1000])
def test_an_interrupt_in_a_kernel_ends_the_run_there(embedding: Any, steps: int) -> None:
    simulation = Simulation(block(1.0), method="rk4", step=1e-3, embedding=embedding)
    hook = AfterSteps(simulation._context.solver, {steps: interrupt})
    with pytest.raises(detent.SimulationError, match="stopped at t = ") as caught:
        simulation.advance(1e6)
    assert hook.failures == []
    assert simulation.outcome is Outcome.INTERRUPTED
    assert caught.value.run is not None
    # The kernel is told at once; without that it comes back when its record is full, at most 4096 steps later.
    assert steps <= simulation._context.solver.steps <= steps + 1
    assert len(caught.value.run.t) == simulation._context.solver.steps + 1
    simulation.advance(2.0)
    assert simulation.outcome is Outcome.COMPLETED
    assert len(np.unique(simulation.result().t)) == simulation._context.solver.steps + 1
    assert simulation.state.x == pytest.approx(2.0 / 2 / 2 * 2.0, rel=1e-9)


def deaf(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have Python's own handler do nothing, as while the main thread is in a kernel: only the watch hears it."""
    monkeypatch.setattr(held_interrupts._keyboard, "hear", lambda number, frame: None)


@pytest.mark.parametrize("embedding", ["live", "numeric", "symbolic"])
def test_a_kernel_is_told_of_a_signal_while_it_runs(embedding: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """At its next step: however many steps fit into its record, and however long each takes."""
    deaf(monkeypatch)
    simulation = Simulation(block(1.0), method="rk4", step=1e-3, embedding=embedding)
    solver, returned = simulation._context.solver, list[tuple[Status, int]]()
    whole = solver.advance

    def advance(*given: Any) -> Status:
        status = whole(*given)
        returned.append((status, solver.steps))
        return status

    def strike() -> None:
        interrupt()
        for _ in range(60_000):
            if solver.is_asked_to_stop:
                return
            time.sleep(1e-3)

    monkeypatch.setattr(solver, "advance", advance)
    hook = AfterSteps(solver, {70: strike})
    simulation.advance(0.2)
    assert hook.failures == []
    assert returned == [(Status.STOPPED, 70), (Status.DONE, 200)]
    assert len(simulation.result().t) == 201


def test_whoever_listens_is_told_by_another_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    deaf(monkeypatch)
    told = threading.Event()
    with holding_interrupts(told.set):
        interrupt()
        assert told.wait(60.0)
    assert signal.set_wakeup_fd(-1) == -1


FORKED = """
import os, signal, threading
from detent.stepping import held_interrupts as module
module._keyboard.hear = lambda number, frame: None
told = threading.Event()
with module.holding_interrupts(told.set):
    pid = os.fork()
    if pid == 0:
        signal.raise_signal(signal.SIGINT)
        os._exit(0 if told.wait(60.0) else 1)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), told.is_set())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this platform does not fork")
def test_a_process_that_is_forked_off_hears_for_itself() -> None:
    done = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.returncode) == ("0 False", 0), done.stderr


# -- what an interrupted run has to say ----------------------------------------------------------------


def stopped(simulation: Simulation, steps: int) -> detent.SimulationError:
    AfterSteps(simulation._context.solver, {steps: interrupt})
    with pytest.raises(detent.SimulationError) as caught:
        simulation.advance(1e6)
    simulation._context.solver.after_step[:] = 0
    return caught.value


@pytest.fixture
def put_together(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The times up to which runs have been put together."""
    times: list[float] = []
    whole = stretch_module.assembled

    def assembled(simulation: Simulation, *more: Any) -> detent.Run:
        times.append(simulation.time)
        return whole(simulation, *more)

    monkeypatch.setattr(stretch_module, "assembled", assembled)
    return times


def test_an_interrupt_does_not_wait_for_the_run_to_be_put_together(put_together: list[float]) -> None:
    simulation = Simulation(block(1.0), method="rk4", step=1e-3, embedding="numeric")
    error = stopped(simulation, 100)
    assert put_together == []
    assert error.run is error.run
    assert put_together == [simulation.time]


@pytest.mark.parametrize("go_on", ["advance", "constrain"])
def test_the_run_of_an_interrupt_ends_there_though_the_simulation_goes_on(
    go_on: str, put_together: list[float]
) -> None:
    simulation = Simulation(brake(), method="rk4", step=1e-3, embedding="numeric")
    error, last = stopped(simulation, 100), simulation.time
    if go_on == "advance":
        simulation.advance(1.0)
    else:
        simulation.constrain("brake")
    assert put_together == [last]
    assert error.run is not None
    assert (error.run.t[-1], error.run.outcome, len(error.run.events)) == (last, Outcome.INTERRUPTED, 0)


def test_a_run_that_nobody_asked_for_is_not_put_together(put_together: list[float]) -> None:
    simulation = Simulation(block(1.0), method="rk4", step=1e-3, embedding="numeric")
    stopped(simulation, 100).__traceback__ = None
    gc.collect()
    simulation.advance(1.0)
    assert put_together == []


def test_an_error_goes_to_another_process_with_its_run() -> None:
    error = stopped(Simulation(block(1.0), method="rk4", step=1e-3, embedding="numeric"), 100)
    copied = pickle.loads(pickle.dumps(error))
    assert (str(copied), error.run is not None) == (str(error), True)
    assert copied.run.t.tolist() == error.run.t.tolist()  # type: ignore[union-attr]


@pytest.fixture
def worked_out(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many nodes are worked out at once, each time."""
    nodes: list[int] = []
    whole = Account.worked_out
    monkeypatch.setattr(
        Account, "worked_out", lambda self, s, time, *more: (nodes.append(len(time)), whole(self, s, time, *more))[1]
    )
    return nodes


@pytest.mark.parametrize(("embedding", "keep"), [("symbolic", "everything"), ("symbolic", 5.0), ("live", 5.0)], ids=str)
def test_what_follows_from_the_nodes_is_worked_out_on_the_way(embedding: Any, keep: Any, worked_out: list[int]) -> None:
    """So much is done at once, at most, and an interrupt waits for no more."""
    Simulation(block(1.0), method="rk4", step=1e-4, embedding=embedding, keep=keep).advance(10.0)
    assert sum(worked_out) > 80_000
    assert max(worked_out) <= MOST_BEHIND + MOST_STEPS_PER_PIECE


def test_no_step_of_a_live_run_that_keeps_every_node_waits_for_what_follows_from_them(worked_out: list[int]) -> None:
    simulation = Simulation(block(1.0), method="rk4", step=1e-4, embedding="live")
    simulation.advance(10.0)
    assert worked_out == []
    assert len(simulation.result().t) == sum(worked_out) > 80_000


def test_an_interrupt_after_the_last_step_is_not_swallowed() -> None:
    simulation = Simulation(block(1.0), method="rk4", step=0.1, embedding="numeric")
    hook = AfterSteps(simulation._context.solver, {10: interrupt})
    with pytest.raises((KeyboardInterrupt, detent.SimulationError)):
        simulation.advance(1.0)
    simulation.advance(2.0)
    assert (simulation.time, hook.failures) == (2.0, [])


# -- holding it back ---------------------------------------------------------------------------------


def twice() -> Iterator[str]:
    interrupt()
    with holding_interrupts():
        interrupt()
    yield "after it"


def inside() -> Iterator[str]:
    with interruptible():
        interrupt()
        yield "inside"
    yield "after it"


def before() -> Iterator[str]:
    interrupt()
    with interruptible():
        yield "inside"
    yield "after it"


def swallowed() -> Iterator[str]:
    class Finalised:
        def __del__(self) -> None:
            interrupt()

    with interruptible():
        Finalised()
        yield "inside"
    yield "after it"


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize(
    ("work", "expected"), [(twice, ["after it"]), (inside, []), (before, []), (swallowed, ["inside"])]
)
def test_an_interrupt_comes_as_soon_as_it_may(work: Any, expected: list[str]) -> None:
    """At the end of what is done whole; at once where that may be interrupted; again where a finaliser swallowed it."""
    done = []
    with pytest.raises(KeyboardInterrupt), holding_interrupts():
        done.extend(work())
    assert done == expected
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_handler_of_the_user_is_called_and_may_go_on() -> None:
    heard: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: heard.append(number))
    try:
        simulation = Simulation(block(1.0), method="rk4", step=0.1, embedding="numeric")
        hook = AfterSteps(simulation._context.solver, {5: interrupt})
        simulation.advance(2.0)
    finally:
        signal.signal(signal.SIGINT, before)
    assert (heard, hook.failures) == ([signal.SIGINT], [])
    assert (simulation.time, simulation.outcome) == (2.0, Outcome.COMPLETED)


def test_only_the_main_thread_holds_the_keyboard_back() -> None:
    found: list[Any] = []

    def look() -> None:
        with holding_interrupts() as keyboard, interruptible():
            keyboard.answer()
            keyboard.forget()
            found.append(signal.getsignal(signal.SIGINT))

    other = threading.Thread(target=look)
    other.start()
    other.join()
    assert found == [signal.default_int_handler]
