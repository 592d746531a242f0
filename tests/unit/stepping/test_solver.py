"""The driver: pieces of any size, threads, interrupts, held values, and what it says to bad input."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from detent.errors import ValueProblem
from detent.stepping import solver as solver_module
from detent.stepping.kernels import FIXED_STEPS
from detent.stepping.solver import Solver
from detent.stepping.status import Status
from detent.stepping.trajectory_piece import TrajectoryPiece
from tests.unit.stepping.problems import ORBIT_START, Path, orbit, oscillator, path, program, run, solver_of

METHODS: list[dict[str, Any]] = [
    {"method": "rk4", "step": 0.01},
    {"method": "dopri5", "rtol": 1e-8},
    {"method": "dop853", "rtol": 1e-10},
]
every_method = pytest.mark.parametrize("options", METHODS, ids=["rk4", "dopri5", "dop853"])


def orbit_run(options: dict[str, Any], end: float = 20.0) -> Path:
    return path(orbit(), ORBIT_START, end, **options)


# -- pieces ---------------------------------------------------------------------------------------


@every_method
def test_the_size_of_the_pieces_does_not_change_a_bit(options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    runs = []
    for room in (1, 7, 1000):
        monkeypatch.setattr(solver_module, "FEWEST_STEPS", room)
        monkeypatch.setattr(solver_module, "MOST_STEPS_PER_PIECE", room)
        runs.append(orbit_run(options).bits())
    assert runs[0] == runs[1] == runs[2]


def test_pieces_grow_while_steps_are_quick_and_shrink_when_they_are_slow(monkeypatch: pytest.MonkeyPatch) -> None:
    def sizes(seconds: float) -> list[int]:
        ticks: Iterator[float] = iter(np.arange(1000) * seconds)
        monkeypatch.setattr(solver_module.time, "perf_counter", lambda: next(ticks))
        solver = solver_of(oscillator(), method="rk4", step=0.001)
        solver.start(0.0, [1.0, 0.0])
        found: list[int] = []
        solver.advance(0.5, lambda piece: found.append(len(piece)))
        return found

    assert sizes(0.001) == [64, 128, 256, 52]
    assert sizes(0.1) == [64] * 7 + [52]
    assert sizes(1.0)[:7] == [64, 32, 16, 8, 4, 2, 1]


def test_pieces_are_arrays_of_their_own() -> None:
    pieces: list[TrajectoryPiece] = []
    solver = solver_of(oscillator(), method="rk4", step=0.001)
    solver.start(0.0, [1.0, 0.0])
    solver.advance(0.2, pieces.append)
    first = pieces[0].state.copy()
    solver.advance(0.4, pieces.append)
    assert np.array_equal(first, pieces[0].state)
    assert pieces[0].state.flags.c_contiguous
    assert len(pieces[0]) == 64


@every_method
def test_the_solver_stands_at_the_last_node(options: dict[str, Any]) -> None:
    what = orbit()
    solver = solver_of(what, **options)
    solver.start(0.0, ORBIT_START)
    found = run(solver, 3.0)
    assert solver.time == found.time[-1] == 3.0
    assert np.array_equal(solver.state, found.state[-1])
    assert np.array_equal(solver.rate, what(3.0, solver.state, np.zeros(0)))
    assert solver.steps == len(found.time) - 1


# -- threads and interrupts -----------------------------------------------------------------------


@every_method
def test_swapping_the_code_during_a_run_does_not_change_a_bit(options: dict[str, Any]) -> None:
    expected = orbit_run(options, 200.0).bits()
    what = orbit()
    interpreted = int(what.cell[0])
    what.compile()
    native = int(what.cell[0])
    assert native != interpreted
    begun, finished = threading.Event(), threading.Event()
    swaps = 0

    def swap() -> None:
        nonlocal swaps
        while not finished.is_set():
            what.cell[0] = interpreted if swaps % 2 else native
            swaps += 1
            if swaps > 1:
                begun.set()

    solver = solver_of(what, **options)
    solver.start(0.0, ORBIT_START)
    other = threading.Thread(target=swap)
    other.start()
    begun.wait()
    try:
        found = run(solver, 200.0)
    finally:
        finished.set()
        other.join()
    assert swaps > 1
    assert found.bits() == expected


def test_native_code_that_arrives_from_the_background_does_not_change_a_bit() -> None:
    expected = orbit_run({"method": "rk4", "step": 0.001}, 100.0).bits()
    what = orbit()
    solver = solver_of(what, method="rk4", step=0.001)
    solver.start(0.0, ORBIT_START)
    arrival = what.compile_later()
    found = run(solver, 100.0)
    arrival.result()
    assert what.is_native
    assert found.bits() == expected


@every_method
def test_a_run_that_was_stopped_goes_on_with_the_same_bits(options: dict[str, Any]) -> None:
    solver = solver_of(orbit(), **options)
    solver.start(0.0, ORBIT_START)
    pieces: list[TrajectoryPiece] = []
    first = TrajectoryPiece(np.array([0.0]), solver.state[None], solver.rate[None], np.zeros((0, 0, 0)))

    def receive(piece: TrajectoryPiece) -> None:
        pieces.append(piece)
        if len(pieces) == 1:
            solver.stop()

    assert solver.advance(20.0, receive) is Status.STOPPED
    assert len(pieces) == 1
    assert solver.time == pieces[0].time[-1] < 20.0
    assert solver.advance(20.0, receive) is Status.DONE
    expected = orbit_run(options)
    assert np.array_equal(np.concatenate([c.state for c in [first, *pieces]]), expected.state)


def test_a_keyboard_interrupt_loses_no_step(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel, calls = solver_module.advancing(FIXED_STEPS), 0

    def interrupted(*arguments: Any) -> int:
        # Python raises what the signal asked for when the compiled call has returned.
        nonlocal calls
        calls += 1
        status = kernel(*arguments)
        if calls == 2:
            raise KeyboardInterrupt
        return status

    monkeypatch.setattr(solver_module, "advancing", lambda steps: interrupted)
    solver = solver_of(orbit(), method="rk4", step=0.01)
    solver.start(0.0, ORBIT_START)
    pieces: list[TrajectoryPiece] = []
    with pytest.raises(KeyboardInterrupt):
        solver.advance(20.0, pieces.append)
    assert [len(piece) for piece in pieces] == [64, 128]
    assert solver.advance(20.0, pieces.append) is Status.DONE
    assert np.array_equal(np.concatenate([c.state for c in pieces]), orbit_run(METHODS[0]).state[1:])


def test_an_exception_of_the_receiver_is_passed_on_and_the_run_can_continue() -> None:
    solver = solver_of(orbit(), method="rk4", step=0.01)
    solver.start(0.0, ORBIT_START)
    with pytest.raises(ZeroDivisionError):
        solver.advance(20.0, lambda piece: 1 // 0)
    pieces: list[TrajectoryPiece] = []
    assert solver.advance(20.0, pieces.append) is Status.DONE
    assert np.array_equal(pieces[-1].state[-1], orbit_run(METHODS[0]).state[-1])


# -- values held between calls --------------------------------------------------------------------


@every_method
def test_values_held_between_calls(options: dict[str, Any]) -> None:
    growth = program(1, lambda graph, t, x, p: [p[0] * x[0]], values=1)
    values = np.array([1.0])
    solver = solver_of(growth, values, **options)
    solver.start(0.0, [1.0])
    first = run(solver, 1.0)
    values[0] = -2.0
    assert solver.restart() is Status.DONE
    assert solver.rate[0] == -2.0 * solver.state[0]
    second = run(solver, 2.0)
    # rk4 with steps of 0.01 has an error below (2 h)^4; the others that of their tolerance over some tens of steps.
    tolerance = 2e-7 if options["method"] == "rk4" else 100 * options["rtol"]
    assert first.state[-1, 0] == pytest.approx(np.exp(1.0), rel=tolerance)
    assert second.state[-1, 0] == pytest.approx(np.exp(-1.0), rel=tolerance)


def test_restart_says_when_the_new_values_cannot_be_used() -> None:
    growth = program(1, lambda graph, t, x, p: [x[0] / p[0]], values=1)
    values = np.array([1.0])
    solver = solver_of(growth, values)
    solver.start(0.0, [1.0])
    run(solver, 1.0)
    values[0] = 0.0
    assert solver.restart() is Status.NOT_A_NUMBER
    assert solver.advance(2.0, lambda piece: None) is Status.NOT_A_NUMBER
    values[0] = 2.0
    assert solver.restart() is Status.DONE
    assert solver.advance(2.0, lambda piece: None) is Status.DONE


def test_starting_again_is_like_starting_afresh() -> None:
    solver = solver_of(orbit())
    solver.start(0.0, ORBIT_START)
    first = run(solver, 5.0)
    solver.start(0.0, ORBIT_START)
    assert run(solver, 5.0).bits() == first.bits()


# -- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "euler"}, "there is no method named 'euler'; choose one of rk4, dopri5, dop853."),
        ({"rtol": 0.0}, "the relative tolerance rtol is 0.0; give a number from 1e-14"),
        ({"rtol": -1e-6}, "the relative tolerance rtol is -1e-06; give a number from 1e-14"),
        ({"rtol": 1e-15}, "the relative tolerance rtol is 1e-15; give a number from 1e-14"),
        ({"rtol": float("nan")}, "the relative tolerance rtol is nan; give a number from 1e-14"),
        ({"rtol": 1.0}, "the relative tolerance rtol is 1.0; give a number from 1e-14"),
        ({"atol": 0.0}, "the absolute tolerance atol is 0.0; give finite numbers greater than 0"),
        ({"atol": float("inf")}, "the absolute tolerance atol is inf; give finite numbers greater than 0"),
        ({"atol": [1e-6] * 3}, "the absolute tolerance atol has shape (3,); give one number, or 2 of them"),
        ({"method": "rk4"}, "rk4 takes steps of a fixed size and no step was given; give step="),
        ({"fixed": True}, "dop853 takes steps of a fixed size and no step was given; give step="),
        ({"method": "rk4", "step": 0.0}, "the step is 0.0; give a finite number of seconds greater than 0."),
        ({"step": -0.1}, "the step is -0.1; give a finite number of seconds greater than 0."),
        ({"step": float("nan")}, "the step is nan; give a finite number of seconds greater than 0."),
        ({"step": float("inf")}, "the step is inf; give a finite number of seconds greater than 0."),
        ({"width": 0}, "the state has width 0 and 0 controlled entries; give a width of at least 1"),
        ({"controlled": 3}, "the state has width 2 and 3 controlled entries; give a width of at least 1"),
    ],
)
def test_bad_settings_are_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueProblem) as caught:
        solver_of(oscillator(), **options)
    assert message in str(caught.value)


@pytest.mark.parametrize("values", [np.zeros(2, dtype=np.float32), np.zeros((4, 2))[:, 0]])
def test_values_that_cannot_be_read_in_place_are_refused(values: Any) -> None:
    what = oscillator()
    with pytest.raises(ValueProblem, match="give a contiguous array of float64"):
        Solver(what.cell, width=2, values=values)


def test_bad_starts_and_ends_are_named() -> None:
    solver = solver_of(oscillator())
    with pytest.raises(ValueProblem, match="the solver stands nowhere yet; call start"):
        solver.advance(1.0, lambda piece: None)
    with pytest.raises(ValueProblem, match="give 2 finite numbers"):
        solver.start(0.0, [1.0])
    with pytest.raises(ValueProblem, match="give 2 finite numbers"):
        solver.start(0.0, [1.0, float("nan")])
    with pytest.raises(ValueProblem, match="the initial time is inf; give a finite number of seconds"):
        solver.start(float("inf"), [1.0, 0.0])
    solver.start(1.0, [1.0, 0.0])
    for end in (0.5, float("nan"), float("inf")):
        with pytest.raises(ValueProblem, match="does not lie ahead of the time reached"):
            solver.advance(end, lambda piece: None)


# -- time that stands ---------------------------------------------------------------------------------


def test_steps_that_lead_nowhere_end() -> None:
    """Two windows of 65,536 steps, of which the first began at zero, and none longer than 1024 units of rounding."""
    solver = solver_of(oscillator(), method="rk4", step=1e-13)
    solver.start(1.0, [1.0, 0.0])
    assert solver.advance(1.1, lambda piece: None) is Status.NO_PROGRESS
    assert solver.steps == 2 * 65536


def test_short_steps_that_lead_somewhere_do_not_end() -> None:
    solver = solver_of(oscillator(), method="rk4", step=1e-12)
    solver.start(1.0, [1.0, 0.0])
    assert solver.advance(1.0 + 2e-7, lambda piece: None) is Status.DONE
