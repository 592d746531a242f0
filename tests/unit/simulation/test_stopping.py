"""A simulation that another thread stops."""

import threading

import pytest

import detent
from detent.results.outcome import Outcome


def test_a_simulation_that_is_stopped_goes_on_with_the_next_call():
    """It cannot come to its end: a step of 1e-6 s would take it hours."""
    simulation = detent.Simulation(
        detent.example("pendulum").system, method="rk4", step=1e-6, keep=0.01, embedding="symbolic"
    )
    ended = threading.Event()
    errors = []

    def advance():
        try:
            simulation.advance(1e6)
        except detent.SimulationError as error:
            errors.append(error)
        ended.set()

    thread = threading.Thread(target=advance)
    thread.start()
    while not ended.wait(0.01):
        simulation.stop()
    thread.join()
    assert simulation.outcome is Outcome.INTERRUPTED
    assert "stopped at t = " in str(errors[0])
    reached = simulation.time
    simulation.advance(reached + 1e-3)
    assert simulation.outcome is Outcome.COMPLETED


def test_stopping_what_does_not_run_is_no_harm():
    simulation = detent.Simulation(detent.example("pendulum").system)
    simulation.stop()
    simulation.advance(1)
    assert simulation.outcome is Outcome.COMPLETED
    assert simulation.result().t[-1] == pytest.approx(1, abs=0)
