"""A run that cannot go on says when, in which state and what is concerned, and keeps what it has."""

from __future__ import annotations

import signal

import numpy as np
import pytest

from detent import Sampled, Simulation, SimulationError, System, simulate
from detent.results.outcome import Outcome
from tests.unit.simulation.systems import block, blows_up, closing_rails, leaves_its_domain, oscillator, telescope
from tests.unit.stepping.hooks import AfterSteps


@pytest.mark.parametrize("method", ["dop853", "dopri5", "rk4"])
def test_a_state_that_leaves_the_domain(method: str) -> None:
    step = 0.01 if method == "rk4" else None
    with pytest.raises(SimulationError) as caught:
        simulate(leaves_its_domain(), 5, method=method, step=step)
    run, text = caught.value.run, str(caught.value)
    assert run is not None
    assert run.outcome is Outcome.NOT_A_NUMBER
    assert "'domain' could not go on: at t = " in text
    assert "first seen in 'x_rate'" in text
    assert "check the model for a division by zero or the root of a negative number" in text
    assert "Last state: x = " in text
    assert 0.9 < run.final.time <= 1.0 + 1e-9
    assert np.isfinite(run.trajectory.state).all()
    assert run.at(0.5).x == pytest.approx(0.5, abs=1e-8)


def test_a_motion_that_becomes_infinite_in_finite_time() -> None:
    with pytest.raises(SimulationError) as caught:
        simulate(blows_up(), 2)
    run, text = caught.value.run, str(caught.value)
    assert run is not None
    assert run.outcome is Outcome.STEP_TOO_SMALL
    assert "the step fell below what the time can resolve" in text
    assert "first seen in 'x" in text
    assert run.final.time == pytest.approx(1.0, abs=1e-6)
    # x = 1/(1 - t)^2, whose error grows with x where tolerances are relative.
    assert run.at(0.9).x == pytest.approx(100.0, rel=1e-6)


@pytest.mark.parametrize("method", ["dop853", "dopri5"])
@pytest.mark.parametrize("embedding", ["symbolic", "numeric"])
def test_an_inertia_that_vanishes_on_the_way(embedding: str, method: str) -> None:
    run = simulate(closing_rails(), 2, check=False, embedding=embedding, method=method)
    assert run.outcome is Outcome.SINGULAR_MASS
    assert run.message.startswith("at t = 0.99999")
    assert "no inertia resists a motion of the speeds 'a_rate', 'b_rate' (they move 'bead')" in run.message
    assert "give a mass or an inertia to every body" in run.message
    assert np.isfinite(run.trajectory.state).all()
    # 1 - cos(angle) between the rails is lost to rounding when the angle is below some 1e-8.
    assert run.final.time == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("embedding", ["symbolic", "numeric"])
def test_an_arm_drawn_in_to_nothing_stops_before_it_is_nothing(embedding: str) -> None:
    run = simulate(telescope(), 2, check=False, embedding=embedding, method="rk4", step=0.125)
    assert run.outcome in (Outcome.SINGULAR_MASS, Outcome.NOT_A_NUMBER)
    assert run.final.time == 0.875
    assert len(run.t) == 8
    assert "angle_rate" in run.message


def test_the_same_arm_with_some_inertia_goes_on() -> None:
    assert simulate(telescope(inertia=0.1), 2).outcome is Outcome.COMPLETED


def test_asked_not_to_raise_it_returns_the_run_and_the_message() -> None:
    run = simulate(blows_up(), 2, check=False)
    assert run.outcome is Outcome.STEP_TOO_SMALL
    assert run.message.startswith("at t = ")
    assert run.as_json()["outcome"] == "step-too-small"
    assert run.as_json()["message"] == run.message


def test_what_was_asked_for_before_the_end_is_kept_and_never_nothing() -> None:
    run = simulate(blows_up(), 2, times=[0.25, 0.5, 1.5, 1.75], check=False)
    assert run.t.tolist()[:2] == [0.25, 0.5]
    assert len(run.t) <= 3
    run = simulate(blows_up(), 2, times=[1.5], check=False)
    assert run.final.time == pytest.approx(1.0, abs=1e-6)


def test_a_start_at_which_there_are_no_rates() -> None:
    system = oscillator()
    system.potential("well", -1 / system["x"])
    with pytest.raises(SimulationError, match=r"at t = 0 \(first seen in 'x_rate'\)") as caught:
        simulate(system, 1, start={"x": 0})
    assert caught.value.run is not None
    assert caught.value.run.t.tolist() == [0.0]


def test_an_input_that_makes_the_rates_undefined_stops_the_run_there() -> None:
    system = System("switched")
    x = system.coordinates(x=1)
    system.particle("bob", system.origin.offset("bob", x * system.ground.x), mass=1)
    level = system.input("level", Sampled(0.5, lambda time, state: 1.0 - 2.0 * (time >= 1.0)))
    system.force("rooted", system.points["bob"], level**0.5 * system.ground.x)
    run = simulate(system, 2, check=False)
    assert run.outcome is Outcome.NOT_A_NUMBER
    assert run.final.time == 1.0
    assert run.final.x == pytest.approx(1.5, abs=1e-12)


def test_an_interrupt_keeps_what_there_is() -> None:
    def impatient(time: float, state: object) -> float:
        if time >= 0.7:
            raise KeyboardInterrupt
        return 1.0

    run = simulate(block(Sampled(0.1, impatient)), 5.0, check=False)
    assert run.outcome is Outcome.INTERRUPTED
    assert run.final.time == pytest.approx(0.7)
    assert run.message == "stopped at t = 0.7 of 5"
    with pytest.raises(SimulationError, match=r"stopped at t = 0\.7 of 5") as caught:
        simulate(block(Sampled(0.1, impatient)), 5.0)
    assert caught.value.run is not None


def test_an_interrupt_in_the_middle_of_the_steps_keeps_what_there_is() -> None:
    hooks = []

    def script(simulation: Simulation, until: float) -> None:
        hooks.append(AfterSteps(simulation._context.solver, {50_000: lambda: signal.raise_signal(signal.SIGINT)}))

    # A hundred million steps; at the end only if the interrupt did not come through.
    run = simulate(block(2.0), 1e6, method="rk4", step=1e-2, times=[0.0, 0.1, 1e6], check=False, script=script)
    assert run.outcome is Outcome.INTERRUPTED
    assert run.final.time == pytest.approx(500.0)
    assert run.at(0.1).x == pytest.approx(0.005, rel=1e-12)


def test_nothing_to_do_is_done_at_once() -> None:
    run = simulate(oscillator(), 0)
    assert run.outcome is Outcome.COMPLETED
    assert run.t.tolist() == [0.0]
    assert run.final.x == 1.0
    assert run.at(0.0).x == 1.0
    assert simulate(oscillator(), 0, times=[0.0]).final.x == 1.0
