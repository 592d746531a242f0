"""Constraints stay within the bounds that the sliding manifold states, and the step limit is where it is said to be."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import detent
from detent.jit.calling import call_once
from tests.physics.test_formulations_agree import GRAVITY, pendulum

LOOSE = detent.SlidingManifold(time_constant=0.01, boundary=1e-3, gain=0.1)
TIGHT = detent.SlidingManifold(time_constant=0.01, boundary=2e-4, gain=0.02)


def violations(run: detent.Run) -> list[np.ndarray]:
    """w, w' and w'' of the rod of a pendulum of 2 kg, from its state and the multiplier in it."""
    place, velocity = np.array([run.x, run.y]), np.array([run.x_rate, run.y_rate])
    push = 2 * place * run["multiplier of rod"] / 2 + np.array([[0.0], [-GRAVITY]])
    square = (place * place).sum(axis=0) - 1, 2 * (place * velocity).sum(axis=0)
    return [*square, 2 * (velocity * velocity).sum(axis=0) + 2 * (place * push).sum(axis=0)]


@pytest.mark.parametrize("method", [{}, {"method": "rk4", "step": 1e-3}], ids=["adaptive", "fixed"])
@pytest.mark.parametrize("formulation", [LOOSE, TIGHT, detent.SlidingManifold()], ids=str)
def test_the_manifold_and_its_three_bounds_are_never_left(formulation: detent.SlidingManifold, method: Any) -> None:
    """Also with the sharp constants, 1, 0.7358 and 2.2707 instead of 1, 2 and 4."""
    run = detent.simulate(pendulum(), 2.0, formulation=formulation, **method)
    mu, boundary = formulation.time_constant, formulation.boundary
    w, rate, second = violations(run)
    assert np.abs(mu**2 * second + 2 * mu * rate + w).max() <= boundary
    for order, (violation, sharp) in enumerate(zip((w, rate, second), (1, 0.7358, 2.2707), strict=True)):
        assert np.abs(violation).max() <= sharp * boundary / mu**order
    told = next(event.name for event in run.events if event.kind == "bounds")
    assert told == f"Phi within {boundary:.3g}, its rate within {2 * boundary / mu:.3g}, its second rate within " + (
        f"{4 * boundary / mu**2:.3g}"
    )


def test_multipliers_begin_as_those_of_index_1() -> None:
    """The rod of a pendulum at rest at the height of its pivot carries nothing; hanging, half the weight per 2 r."""
    run = detent.simulate(pendulum(), 0.1, formulation=LOOSE)
    assert run["multiplier of rod"][0] == pytest.approx(0.0, abs=1e-12)
    run = detent.simulate(pendulum(), 0.1, start={"x": 0, "y": -1}, formulation=LOOSE)
    assert run.reactions["rod"] == pytest.approx(-2 * GRAVITY / 2 * np.ones(len(run.t)), rel=1e-9)


def growth(step: float) -> float:
    """How much larger a small disturbance of a hanging pendulum is after 40 steps of rk4 than after 20."""
    simulation = detent.Simulation(pendulum(), start={"x": 0, "y": -1}, formulation=LOOSE)
    cell, state = simulation._standing.mode.running.rates, simulation.state.values.copy()
    state[4] += 1e-9

    def rate(x: np.ndarray) -> np.ndarray:
        out = np.empty(len(x))
        assert call_once(cell, 0.0, np.ascontiguousarray(x), np.zeros(1), out) == 0
        return out

    def size(x: np.ndarray) -> float:
        """w and mu w', as far as they are from rest."""
        return float(abs(x[0] ** 2 + x[1] ** 2 - 1) + LOOSE.time_constant * abs(2 * x[1] * x[3]))

    middle = 0.0
    for number in range(40):
        one = rate(state)
        two = rate(state + step / 2 * one)
        three = rate(state + step / 2 * two)
        state = state + step / 6 * (one + 2 * two + 2 * three + rate(state + step * three))
        if number == 19:
            middle = size(state)
    return size(state) / middle


def test_the_step_limit_is_where_it_is_said_to_be() -> None:
    """Within 10 %: below it a disturbance dies out, above it grows."""
    assert growth(0.9 * LOOSE.longest_step) < 1.0
    assert growth(1.1 * LOOSE.longest_step) > 1.0


def test_a_longer_step_is_refused() -> None:
    with pytest.raises(detent.ValueProblem, match=r"stable up to 0\.02785 s.*'corrected', which has no such bound"):
        detent.simulate(pendulum(), 1.0, method="rk4", step=0.03, formulation=LOOSE)


def test_a_gain_that_does_not_suffice_ends_the_run() -> None:
    weak = detent.SlidingManifold(time_constant=0.01, boundary=1e-5, gain=1e-3)
    with pytest.raises(detent.SimulationError, match="left the boundary layer"):
        detent.simulate(pendulum(), 2.0, method="rk4", step=1e-3, formulation=weak)


def test_rows_may_follow_from_others() -> None:
    system = pendulum()
    system.constrain("again", 3 * (system["x"] ** 2 + system["y"] ** 2 - 1))
    run = detent.simulate(system, 1.0, formulation=LOOSE)
    assert run.final.x == pytest.approx(detent.simulate(pendulum(), 1.0, formulation=LOOSE).final.x, abs=1e-3)
    assert next(event.kind for event in run.events) == "redundant"


@pytest.mark.parametrize("name", ["slider-crank", "rolling-disk"])
def test_ready_models_run_as_they_do_embedded(name: str) -> None:
    """Within a hundred times the boundary, 1e-5, by which constraints may err all the time."""
    known, run = (detent.example(name).simulate(until=1, formulation=f) for f in ("embedded", "sliding_manifold"))
    for quantity in known.layout.names[:-1]:
        assert run.final[quantity] == pytest.approx(known.final[quantity], abs=1e-3)
    assert run.audit.energy_balance < 1e-9


@pytest.mark.parametrize("name", ["disk-on-ramp", "bouncing-ball", "conveyor-pendulum", "latch"])
def test_automata_go_through_the_events_of_the_embedded_run(name: str) -> None:
    """Multipliers begin anew, as those of index 1, in every mode; all else errs by about the boundary, 1e-5."""
    known, run = (detent.example(name).simulate(formulation=f) for f in ("embedded", "sliding_manifold"))
    kinds = ("transition", "impact", "zeno")
    events = [[(e.kind, e.name, e.time) for e in each.events if e.kind in kinds] for each in (run, known)]
    assert [each[:2] for each in events[0]] == [each[:2] for each in events[1]]
    assert [each[2] for each in events[0]] == pytest.approx([each[2] for each in events[1]], abs=1e-4)
    for quantity in known.layout.names[:-1]:
        assert run.final[quantity] == pytest.approx(known.final[quantity], abs=1e-3)
    assert run.audit.energy_balance < 1e-9


def test_a_run_goes_on_from_a_checkpoint_to_the_last_bit(tmp_path: Any) -> None:
    whole = detent.Simulation(pendulum(), method="rk4", step=0.01, formulation=LOOSE)
    whole.advance(1.0)
    whole.checkpoint(tmp_path / "half.json")
    whole.advance(2.0)
    rest = detent.resume(pendulum(), tmp_path / "half.json")
    rest.advance(2.0)
    assert rest.state.values.tolist() == whole.state.values.tolist()


def test_what_is_not_declared_is_refused_with_what_can() -> None:
    system = detent.System("bead")
    x, y = system.coordinates("x", "y")
    system.particle("bead", system.origin.offset("bead", x * system.ground.x + y * system.ground.y), mass=1)
    simulation = detent.Simulation(system, formulation=LOOSE)
    with pytest.raises(detent.DetentError, match=r"'floor' was not declared before the run.*active=False, or use"):
        simulation.constrain("floor", y)
    with pytest.raises(detent.DetentError, match="settled by what they do within rounding; use formulation='embedded'"):
        detent.example("bouncing-ball-contact").simulate(formulation=LOOSE)
    with pytest.raises(
        detent.DetentError, match="driven would push on nothing; use formulation='embedded', 'corrected'"
    ):
        detent.example("adjustable-fence").simulate(formulation=LOOSE)
    with pytest.raises(detent.ValueProblem, match="the gain of SlidingManifold is 0; give a finite number"):
        detent.SlidingManifold(gain=0)


def test_expressions_can_be_evaluated_along_the_run() -> None:
    system = pendulum()
    run = detent.simulate(system, 1.0, formulation=LOOSE)
    assert detent.evaluate(system, run, system["x"] ** 2) == pytest.approx(run.x**2)
