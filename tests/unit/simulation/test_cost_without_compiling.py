"""What a run costs is its own time; the time to compile kernels, which is spent once, stands beside it."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

import detent
from detent.jit import waiting
from detent.jit.kernel_library import KernelLibrary
from detent.simulation import context, run_clock
from detent.simulation.run_clock import RunClock


class Clock:
    """A clock that is set by hand."""

    now = 50.0

    def perf_counter(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    for module in (waiting, run_clock):
        monkeypatch.setattr(module, "time", made)
    return made


def test_the_clock_of_a_run_stands_still_while_kernels_are_compiled(clock: Clock) -> None:
    run = RunClock()
    clock.now += 2.0
    with waiting.waiting():
        clock.now += 30.0
        assert (run.wall_seconds, run.compile_seconds) == (2.0, 30.0)
    clock.now += 1.0
    assert (run.wall_seconds, run.compile_seconds) == (3.0, 30.0)


def test_two_threads_that_wait_at_once_wait_once(clock: Clock) -> None:
    run = RunClock()
    with waiting.waiting():
        clock.now += 10.0
        with waiting.waiting():
            clock.now += 5.0
    assert (run.wall_seconds, run.compile_seconds) == (0.0, 15.0)


def test_what_was_compiled_for_an_earlier_run_is_not_this_one_s(clock: Clock) -> None:
    with waiting.waiting():
        clock.now += 30.0
    assert RunClock().compile_seconds == 0.0


def test_a_run_reports_what_it_waited_and_its_cost_leaves_it_out(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    make_ready = context.make_ready

    def slowly(libraries: Iterable[KernelLibrary]) -> None:
        with waiting.waiting():
            clock.now += 30.0
        make_ready(libraries)

    monkeypatch.setattr(context, "make_ready", slowly)
    run = detent.example("pendulum").simulate(until=0.1)
    assert run.timing is not None
    assert (run.timing.wall_s, run.timing.compile_s) == (0.0, 30.0)
    assert ", 0 s (and 30 s, once, to compile kernels)" in run.summary()
    monkeypatch.undo()
    again = detent.example("pendulum").simulate(until=0.1)
    assert again.timing is not None
    assert again.timing.compile_s == 0.0
    assert "compile" not in again.summary()
