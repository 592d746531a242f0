"""Each message about a run names what was asked for and what to ask for instead."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import sympy

import detent
from detent import (
    DetentError,
    ExpressionError,
    MissingExtraError,
    ModelError,
    OutsideRunError,
    ResultFileError,
    SimulationError,
    System,
    UnknownNameError,
    ValueProblem,
    plot,
    simulate,
)
from detent.errors import Fault, listed
from detent.model.input import Sampled
from detent.stepping.solver import Solver
from detent.stepping.status import Status


def pushed(rule: Any = 1.0) -> System:
    system = System("pushed")
    x = system.coordinates("x")
    system.particle("block", system.origin.offset("block", x * system.ground.x), mass=1)
    push = system.input("push", rule)
    system.force("push", system.points["block"], push * system.ground.x)
    return system


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"until": -1}, ["the run is to end at t = -1", "zero or later"]),
        ({"until": math.nan}, ["t = nan", "finite time"]),
        ({"until": math.inf}, ["t = inf", "finite time"]),
        ({"until": "soon"}, ["t = 'soon'", "finite time"]),
        ({"until": None}, ["t = None", "finite time"]),
        ({"times": [0.5, 0.2]}, ["times must be finite numbers in increasing order", "sort them"]),
        ({"times": [0.5, 0.5]}, ["remove doubles"]),
        ({"times": []}, ["times must be finite numbers"]),
        ({"times": "0.3"}, ["times must be finite numbers"]),
        ({"times": [0.2, "0.3"]}, ["times must be finite numbers"]),
        ({"times": [[0.1], [0.2]]}, ["times must be finite numbers"]),
        ({"times": [0.1, math.nan]}, ["times must be finite numbers"]),
        ({"times": "now"}, ["times must be finite numbers"]),
        ({"times": [0.5, 2.0]}, ["times go from 0.5 to 2.0", "between 0 and until = 1.0"]),
        ({"times": [-0.5, 0.5]}, ["times go from -0.5 to 0.5"]),
        ({"rtol": 0}, ["rtol is 0", "such as 1e-9"]),
        ({"rtol": 1e-20}, ["rtol is 1e-20", "1e-14"]),
        ({"rtol": 2}, ["rtol is 2", "below 1"]),
        ({"rtol": math.nan}, ["rtol is nan"]),
        ({"rtol": "small"}, ["rtol is 'small'", "give a number"]),
        ({"atol": -1.0}, ["atol is -1.0", "greater than 0"]),
        ({"atol": [1e-9]}, ["atol has shape (1,)", "give one number, or 2"]),
        ({"atol": "small"}, ["atol is 'small'", "give a number"]),
        ({"method": "rk4"}, ["rk4 takes steps of a fixed size and no step was given", "give step="]),
        ({"method": "rk4", "step": 0}, ["the step is 0", "greater than 0"]),
        ({"method": "rk4", "step": -0.1}, ["the step is -0.1"]),
        ({"step": math.inf}, ["the step is inf", "finite"]),
        ({"step": "long"}, ["step is 'long'", "give a number"]),
        ({"method": "euler"}, ["no method named 'euler'", "dop853", "dopri5", "rk4"]),
        ({"embedding": "magic"}, ["embedding is 'magic'", "symbolic, numeric"]),
        ({"embedding": np.ones(2)}, ["embedding is array", "symbolic, numeric"]),
        ({"impacts": np.ones(2)}, ["impacts is array", "waves, simultaneous"]),
        ({"modes": np.ones(2)}, ["modes is array", "lazy"]),
        ({"keep": np.ones(2)}, ["keep is array", "'everything', 'events'"]),
        ({"keep": 10**400}, ["keep is 1000", "'everything', 'events'"]),
        ({"method": ["rk4"]}, ["method is ['rk4']", "dop853"]),
        ({"rtol": None}, ["rtol is None", "give a number"]),
        ({"rtol": [1e-9]}, ["rtol is [1e-09]", "give a number"]),
        ({"step": [0.1]}, ["step is [0.1]", "give a number"]),
        ({"most_steps": "many"}, ["most_steps is 'many'", "a number of steps"]),
        ({"most_steps": 0}, ["most_steps is 0", "one or more"]),
        ({"times": 10**400}, ["times must be finite numbers"]),
        ({"script": 3}, ["script is 3", "a function of the simulation"]),
        ({"name": 3}, ["name is 3", "a text"]),
    ],
    ids=str,
)
def test_a_setting_that_makes_no_sense(arguments: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(ValueProblem) as caught:
        simulate(pushed(), **({"until": 1.0} | arguments))
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"inputs": {"pull": 1}}, ["input 'pull'", "nothing of that name", "use one of: push"]),
        ({"inputs": {"push": math.nan}}, ["input 'push'", "nan", "give a finite number"]),
        ({"inputs": {"push": "hard"}}, ["input 'push'", "'hard' has no value here"]),
        ({"inputs": {"push": [1]}}, ["input 'push'", "no number"]),
        ({"parameters": {"m": 1}}, ["parameter 'm'", "nothing of that name", "use one of: (none)"]),
        ({"start": {"y": 1}}, ["start value 'y'", "nothing of that name", "use one of: x, x_rate"]),
    ],
    ids=str,
)
def test_a_value_for_something_that_does_not_take_it(given: dict[str, Any], words: list[str]) -> None:
    with pytest.raises(ModelError) as caught:
        simulate(pushed(), 1.0, **given)
    for word in words:
        assert word in str(caught.value)


def test_an_input_that_is_an_expression_cannot_be_replaced_in_silence() -> None:
    system = pushed()
    system.input("pull", 2 * system.time)
    with pytest.raises(ModelError, match=r"input 'pull': the model makes it the expression 2\*t, .* declare it with"):
        simulate(system, 1.0, inputs={"pull": 3.0})


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda time, state: math.nan, ["the function of input 'push' gave nan at t = 0", "finite number"]),
        (lambda time, state: state["y"], ["the function of input 'push' failed at t = 0: KeyError: 'y'"]),
        (lambda time, state: None, ["the function of input 'push' failed at t = 0: TypeError"]),
        (lambda time, state: 1 / (0.5 - time), ["the function of input 'push' failed at t = 0.5: ZeroDivisionError"]),
    ],
    ids=["nan", "unknown name", "nothing", "later"],
)
def test_a_controller_that_fails_is_named_with_the_time(function: Any, words: list[str]) -> None:
    with pytest.raises(ValueProblem) as caught:
        simulate(pushed(Sampled(0.25, function)), 1.0)
    for word in words:
        assert word in str(caught.value)


def test_a_picture_that_cannot_be_written_is_named(tmp_path: Any) -> None:
    run = simulate(pushed(), 1.0)
    (tmp_path / "folder.png").mkdir()
    with pytest.raises(ResultFileError, match=r"cannot write '.*folder.png'.*choose a place that is writable"):
        plot(run, tmp_path / "folder.png")
    with pytest.raises(ResultFileError, match=r"cannot write '.*nowhere.*png'"):
        plot(run, tmp_path / "nowhere" / "run.png")
    with pytest.raises(ValueProblem, match=r"ends in '\.gif'; pictures are written as \.png, \.svg, \.pdf"):
        plot(run, tmp_path / "run.gif")
    with pytest.raises(UnknownNameError, match="there is no quantity named 'z'"):
        plot(run, names=["z"])
    with pytest.raises(DetentError, match="nothing to draw; name at least one quantity"):
        plot(run, names=[])
    assert [file.name for file in tmp_path.iterdir()] == ["folder.png"]


@pytest.mark.parametrize("mass", [0.0, -1.0])
def test_a_mass_that_no_body_can_have_is_refused_under_way_and_the_run_goes_on(mass: float) -> None:
    system = detent.System("bead")
    x, (m, _) = system.coordinates(x=0), system.parameters(m=1, k=2)
    system.particle("bead", system.origin.offset("bead", x * system.ground.x), mass=m)
    simulation = detent.Simulation(system, start={"x_rate": 1})
    with pytest.raises(ModelError, match=f"body 'bead': its mass is {mass:.6g}; give it a finite mass greater"):
        simulation.set(m=mass)
    simulation.set(k=3)
    simulation.advance(1)
    assert simulation.state.x == pytest.approx(1.0, rel=1e-14)
    assert simulation.parameters == {"m": 1.0, "k": 3.0}


def test_every_error_is_a_detent_error() -> None:
    kinds = [
        ExpressionError, MissingExtraError, ModelError, OutsideRunError, ResultFileError, SimulationError,
        UnknownNameError, ValueProblem,
    ]  # fmt: skip
    assert all(issubclass(kind, DetentError) for kind in kinds)


def test_an_unknown_name_is_told_the_nearest_and_all_others() -> None:
    error = UnknownNameError("agnle", ["angle", "angle_rate", "g"], what="coordinate")
    assert str(error) == (
        "there is no coordinate named 'agnle'; did you mean 'angle'? Names that exist: angle, angle_rate, g."
    )
    assert (error.name, error.valid_names) == ("agnle", ("angle", "angle_rate", "g"))
    assert "did you mean" not in str(UnknownNameError("zzz", ["angle"]))


def test_long_lists_are_cut_and_counted() -> None:
    assert listed([f"q{n}" for n in range(20)], limit=3) == "q0, q1, q2, ... (17 more)"
    assert str(ModelError([Fault("a", "b", "c")])).startswith("1 mistake in the model:")
    assert str(ModelError([Fault("a", "b", "c")] * 2)).startswith("2 mistakes in the model:")


@pytest.mark.parametrize("until", ["1", None, [1.0], 1j, sympy.Symbol("t"), 10**400, math.nan], ids=repr)
def test_a_time_to_advance_to_that_is_no_time(until: Any) -> None:
    simulation = detent.Simulation(pushed())
    with pytest.raises(ValueProblem, match=r"the simulation stands at t = 0.0; advance it to a later finite time"):
        simulation.advance(until)


@pytest.mark.parametrize("path", [3, b"x", ["here"]], ids=repr)
def test_a_checkpoint_in_what_is_no_file(path: Any) -> None:
    with pytest.raises(detent.DetentError, match=r"cannot write to .*; give the name of a file"):
        detent.Simulation(pushed()).checkpoint(path)


def test_time_that_stands_is_told_with_what_was_taken_last(monkeypatch: pytest.MonkeyPatch) -> None:
    ball = System("ball")
    height = ball.coordinates("height")
    body = ball.particle("ball", ball.origin.offset("ball", height * ball.ground.y), mass=1)
    ball.gravity(-9.81 * ball.ground.y)
    ball.start(height=1)
    ball.contact("ball|floor", body.point(), ball.ground.line(), impact=detent.Poisson(0.5))
    simulation = detent.Simulation(ball)
    simulation.advance(0.5)
    monkeypatch.setattr(Solver, "advance", lambda *_: Status.NO_PROGRESS)
    for stands, words in (
        (simulation, "'ball|floor: closes 0' was the last"),
        (detent.Simulation(pushed()), "steps go"),
    ):
        with pytest.raises(SimulationError) as told:
            stands.advance(1.0)
        assert words in str(told.value)
        assert "steps go on, but time does not" in str(told.value)
        assert stands.result().outcome.word == "no-progress"
