"""A servo counts by the clock that it is given; no test here looks at another one."""

from __future__ import annotations

import os
import threading

import numpy as np
import pytest

from detent.errors import ValueProblem
from detent.stepping.servo import DIARY_ROOM, HandPlaces, Servo
from detent.stepping.servo_clock import MachineClock, SimulatedClock
from detent.stepping.status import Status

PERIOD = 1e-3


def test_steps_that_fit_into_their_periods_miss_nothing() -> None:
    clock = SimulatedClock([0.9e-3])
    servo = Servo(PERIOD, clock)
    assert servo.run(100) == Status.DONE
    assert (servo.counts.steps, servo.counts.missed, servo.counts.over) == (100, 0, 0)
    assert clock.now == pytest.approx(99 * PERIOD + 0.9e-3, rel=1e-12)


@pytest.mark.parametrize(("cost", "missed"), [(0.999e-3, 0), (1e-3, 1), (2.5e-3, 2), (7.1e-3, 7)])
def test_a_long_step_misses_the_deadlines_that_pass_meanwhile(cost: float, missed: int) -> None:
    servo = Servo(PERIOD, SimulatedClock([0.0, cost]))
    servo.run(2)
    assert servo.counts.missed == missed


def test_after_a_miss_steps_are_due_at_whole_periods_again() -> None:
    clock = SimulatedClock([0.0, 2.5e-3, 0.0])
    servo = Servo(PERIOD, clock)
    servo.run(3)
    assert clock.now == pytest.approx(4 * PERIOD, rel=1e-12)  # steps at 0, 1 and 4 ms: two deadlines have passed


def test_the_longest_own_time_is_told_with_its_step() -> None:
    servo = Servo(PERIOD, SimulatedClock([1e-4, 1e-4, 1.5e-3, 1e-4]))
    servo.run(4)
    counts = servo.counts
    assert (counts.worst_own, counts.worst_step, counts.over) == (1.5e-3, 2, 1)
    assert counts.mean_own == pytest.approx(1.8e-3 / 4, rel=1e-12)


def test_a_servo_that_is_asked_returns_between_two_steps_and_goes_on_after_it_was_answered() -> None:
    servo = Servo(PERIOD, SimulatedClock())
    servo.ask()
    assert servo.run(5) == Status.STOPPED
    assert (servo.steps, servo.is_between) == (0, True)
    servo.answered()
    assert servo.run(5) == Status.DONE
    assert servo.steps == 5


def test_what_takes_long_waits_for_the_step_that_is_due_and_for_no_other() -> None:
    servo = Servo(PERIOD, SimulatedClock())
    servo.ask(long=True)
    assert servo.run(5) == Status.STOPPED
    assert (servo.steps, servo.is_between) == (1, True)
    servo.answered()
    servo.ask()
    assert servo.run(5) == Status.STOPPED
    assert servo.steps == 1


def test_another_thread_ends_a_servo_that_goes_by_the_clock_of_the_machine() -> None:
    servo = Servo(PERIOD, MachineClock())
    thread = threading.Thread(target=servo.run, args=(10**9,))
    thread.start()
    servo.ask()
    thread.join()
    assert servo.is_between


def test_a_servo_that_waits_is_woken_as_often_as_it_is_asked() -> None:
    servo = Servo(1e6, MachineClock())  # the second step is due in days
    for _ in range(3):
        thread = threading.Thread(target=servo.run, args=(2,))
        thread.start()
        while servo.steps < 1:
            pass
        servo.ask()
        thread.join()
        assert (servo.steps, servo.is_between) == (1, True)
        servo.answered()


def test_a_clock_leaves_no_file_behind() -> None:
    clock = MachineClock()
    files = clock._woken, clock._waker
    for _ in range(100_000):  # more than its pipe holds
        clock.wake()
    del clock
    for file in files:
        with pytest.raises(OSError, match="Bad file"):
            os.fstat(file)


def test_samples_that_nobody_reads_are_not_lost_silently() -> None:
    servo = Servo(PERIOD, SimulatedClock(), hands=[HandPlaces(0, (1, 2, 3), (4, 5, 6), 1.0)])
    servo._frame["written"] = DIARY_ROOM + 1
    with pytest.raises(ValueProblem, match="read them more often"):
        servo.take_diary()


@pytest.mark.parametrize("period", [0.0, -1.0, np.inf, 1e-10])
def test_a_period_that_no_clock_can_count_is_refused(period: float) -> None:
    with pytest.raises(ValueProblem, match="nanosecond"):
        Servo(period, SimulatedClock())


def test_a_clock_with_costs_that_are_no_times_is_refused() -> None:
    with pytest.raises(ValueProblem, match="zero or more"):
        SimulatedClock([-1.0])
