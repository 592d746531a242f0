"""The handover: another thread takes the trajectory, and nothing else is different."""

from __future__ import annotations

import gc
import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from detent.stepping import handover as handover_module
from detent.stepping.signal_watch import SignalWatch
from detent.stepping.solver import Solver
from detent.stepping.status import Status
from detent.stepping.trajectory_piece import TrajectoryPiece
from tests.unit.stepping.hooks import AfterSteps, elsewhere
from tests.unit.stepping.problems import ORBIT_START, orbit, path, solver_of

METHODS: list[dict[str, Any]] = [
    {"method": "rk4", "step": 1e-4},
    {"method": "dopri5", "rtol": 1e-11},
    {"method": "dop853", "rtol": 1e-12},
]
END = 40.0


def and_wait(solver: Solver, action: Callable[[], object]) -> Callable[[], None]:
    """Does something in the middle of a kernel, which goes on when it has been told to stop."""

    def act() -> None:
        action()
        while not solver.is_asked_to_stop:
            time.sleep(1e-4)

    return act


@pytest.mark.parametrize("blocks", [1, 2, 32])
@pytest.mark.parametrize("options", METHODS, ids=["rk4", "dopri5", "dop853"])
def test_a_relay_does_not_change_a_bit(options: dict[str, Any], blocks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Few blocks are often all full; then the stepper waits, and goes on where it was."""
    monkeypatch.setattr(handover_module, "BLOCKS", blocks)
    monkeypatch.setattr(handover_module, "MOST_STEPS", 100)
    expected = path(orbit(), ORBIT_START, END, **options).bits()
    assert path(orbit(), ORBIT_START, END, hands_over=True, **options).bits() == expected


def test_pieces_come_from_another_thread_while_the_steps_go_on() -> None:
    solver = solver_of(orbit(), method="rk4", step=1e-5, hands_over=True)
    solver.start(0.0, ORBIT_START)
    seen: list[tuple[str, float]] = []

    def wait_for_a_piece() -> None:
        while not seen:
            time.sleep(1e-4)

    hook = AfterSteps(solver, {1000: wait_for_a_piece})
    kept = lambda piece: seen.append((threading.current_thread().name, float(piece.time[-1])))  # noqa: E731
    assert solver.advance(0.05, kept) is Status.DONE
    assert hook.failures == []
    name, last = seen[0]
    assert name == "detent-handover"
    assert last < 1000e-5
    assert [last for _, last in seen] == sorted(last for _, last in seen)
    assert seen[-1][1] == 0.05


def test_what_the_receiver_raises_reaches_the_caller_and_the_run_can_continue() -> None:
    solver = solver_of(orbit(), method="rk4", step=1e-5, hands_over=True)
    solver.start(0.0, ORBIT_START)
    with pytest.raises(ZeroDivisionError):
        solver.advance(1e6, lambda piece: 1 // 0)
    reached, pieces = solver.time, list[TrajectoryPiece]()
    assert solver.advance(reached + 0.2, pieces.append) is Status.DONE
    assert pieces[-1].time[-1] == reached + 0.2


def test_the_keyboard_interrupts_a_kernel_that_would_go_on_for_long() -> None:
    solver = solver_of(orbit(), method="rk4", step=1e-5, hands_over=True)
    solver.start(0.0, ORBIT_START)
    pieces: list[TrajectoryPiece] = []
    hook = AfterSteps(solver, {1000: and_wait(solver, lambda: signal.raise_signal(signal.SIGINT))})
    with pytest.raises(KeyboardInterrupt):
        solver.advance(1e6, pieces.append)
    assert hook.failures == []
    assert solver.steps == 1000
    assert signal.set_wakeup_fd(-1) == -1
    times = np.concatenate([piece.time for piece in pieces])
    assert times[-1] == solver.time
    assert np.allclose(np.diff(times), 1e-5)


def test_nobody_hears_of_signals_that_came_before_he_listened(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threading.Thread, "start", lambda thread: None)  # as if it woke after all this
    watch, told = SignalWatch(lambda: None), os.pipe()
    os.set_blocking(told[1], False)
    handler = signal.signal(signal.SIGUSR1, lambda number, frame: None)
    before = signal.set_wakeup_fd(-1)
    try:
        watch.listen()
        signal.raise_signal(signal.SIGUSR1)
        watch.rest()
        signal.set_wakeup_fd(told[1])
        watch.listen()
        assert watch._pair is not None
        assert not watch._pass_on(watch._pair[0])
        signal.raise_signal(signal.SIGUSR1)
        watch.rest()
        assert os.read(told[0], 8) == bytes([signal.SIGUSR1])
    finally:
        signal.set_wakeup_fd(before)
        signal.signal(signal.SIGUSR1, handler)
        for end in told:
            os.close(end)


def test_whoever_listened_for_signals_before_still_hears_them() -> None:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    solver = solver_of(orbit(), method="rk4", step=1e-5, hands_over=True)
    solver.start(0.0, ORBIT_START)
    heard: list[int] = []
    handler = signal.signal(signal.SIGUSR1, lambda number, frame: heard.append(number))
    before = signal.set_wakeup_fd(writer)
    try:
        hook = AfterSteps(solver, {1000: and_wait(solver, lambda: signal.raise_signal(signal.SIGUSR1))})
        status = solver.advance(1e6, lambda piece: None)
        assert hook.failures == []
        assert status is Status.STOPPED
        assert os.read(reader, 8) == bytes([signal.SIGUSR1])
    finally:
        signal.set_wakeup_fd(before)
        signal.signal(signal.SIGUSR1, handler)
        os.close(reader)
        os.close(writer)
    assert heard == [signal.SIGUSR1]


def test_a_stop_from_another_thread_is_seen_at_once() -> None:
    solver = solver_of(orbit(), method="rk4", step=1e-5, hands_over=True)
    solver.start(0.0, ORBIT_START)
    hook = AfterSteps(solver, {1000: elsewhere(solver.stop)})
    assert solver.advance(1e6, lambda piece: None) is Status.STOPPED
    assert (solver.steps, hook.failures) == (1000, [])


def test_the_thread_ends_with_its_solver() -> None:
    before = set(threading.enumerate())
    solver = solver_of(orbit(), method="rk4", step=0.01, hands_over=True)
    solver.start(0.0, ORBIT_START)
    solver.advance(1.0, lambda piece: None)
    (thread,) = (thread for thread in set(threading.enumerate()) - before if thread.name == "detent-handover")
    del solver
    gc.collect()
    thread.join(10.0)
    assert not thread.is_alive()
