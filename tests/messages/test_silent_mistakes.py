"""Mistakes that look harmless, and that would change a motion without a word, are told."""

from __future__ import annotations

from typing import Any

import pytest
import sympy
from sympy import sin

import detent
from tests.unit.hybrid.models import particle


def refusal(build: Any) -> str:
    with pytest.raises(detent.DetentError) as caught:
        build()
    return str(caught.value)


def contains(text: str, words: list[str]) -> None:
    for word in words:
        assert word in text


def block() -> tuple[detent.System, Any, Any]:
    """A block of 1 kg on a floor."""
    system = detent.System("block")
    x, y = system.coordinates("x", "y")
    system.particle("block", system.origin.offset("block", x * system.ground.x + y * system.ground.y), mass=1)
    system.gravity(-10 * system.ground.y)
    return system, x, y


# -- reactions ----------------------------------------------------------------------------------------------


def test_a_load_with_the_reaction_of_a_row_that_nobody_knows() -> None:
    system, _, y = block()
    system.constrain(detent.holonomic("floor", y))
    system.force("friction", system.bodies["block"], -system.reaction("flor") * system.ground.x)
    said = refusal(lambda: detent.simulate(system, until=1))
    contains(said, ["(load 'friction') named 'flor'", "did you mean 'floor'?", "Names that exist: floor."])


def test_a_load_may_speak_of_the_reaction_of_a_row_that_only_a_mode_knows() -> None:
    system, _, y = block()
    system.force("friction", system.bodies["block"], -system.reaction("floor") * system.ground.x / 10)
    automaton = detent.Automaton(system)
    automaton.mode("slide", [detent.holonomic("floor", y)])
    run = detent.simulate(automaton, until=1, start={"x_rate": 3})
    assert run.final.x == pytest.approx(3 - 1 / 2, rel=1e-9)


@pytest.mark.parametrize("what", ["row", "friction", "potential"])
def test_a_reaction_where_it_would_be_zero(what: str) -> None:
    system, x, y = block()
    system.constrain(detent.holonomic("floor", y))
    normal = system.reaction("floor")
    if what == "row":
        system.constrain(detent.motion("drag", x.rate - normal))
        words = ["constraint 'drag': it holds the reaction of 'floor'", "in loads, guards and conditions"]
    elif what == "friction":
        system.constrain(detent.holonomic("wall", x, sliding=[detent.Sliding(y.rate, normal)]))
        words = ["constraint 'wall', its friction: it holds the reaction of 'floor'"]
    else:
        system.potential("odd", normal * x)
        words = ["potential 'odd'", "depends on the reaction of 'floor'", "write it as a force or a torque"]
    contains(refusal(lambda: detent.simulate(system, until=1)), words)


# -- friction -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("slip", [lambda x: x, lambda x: 1, lambda x: sin(x) + 2], ids=["x", "1", "sin"])
def test_a_slip_that_is_no_velocity(slip: Any) -> None:
    system, x, y = block()
    system.constrain(detent.holonomic("floor", y, sliding=[detent.Sliding(slip(x), 0.3)]))
    said = refusal(lambda: detent.simulate(system, until=1))
    contains(
        said, ["constraint 'floor': it slides along", "holds no speed", "the velocity of the slip, such as x.rate"]
    )


def test_a_slip_that_is_a_text() -> None:
    said = refusal(lambda: detent.holonomic("floor", 0, sliding=[detent.Sliding("x.rate", 0.3)]))
    contains(said, ["constraint 'floor', its slip", "found 'x.rate' where an expression was expected"])


# -- derivatives with respect to time -----------------------------------------------------------------------


def test_the_time_derivative_of_a_coordinate_is_its_rate() -> None:
    system, x = particle()
    time = system.time
    assert x.diff(time) == sympy.diff(x, time) == sympy.Derivative(x, time).doit() == x.rate
    assert (sin(3 * time) * x**2).diff(time) == 3 * sympy.cos(3 * time) * x**2 + 2 * sin(3 * time) * x * x.rate
    assert (x**2).diff(x) == 2 * x
    assert system.parameters(m=1).diff(time) == 0


def test_a_damper_of_a_time_derivative_damps() -> None:
    runs = []
    for rate in (lambda x, t: x.rate, lambda x, t: x.diff(t), sympy.Derivative):
        system, x = particle(x_rate=1.0)
        system.damper("drag", rate(x, system.time), 2)
        runs.append(detent.simulate(system, until=1).final.x)
    assert runs[0] == runs[1] == runs[2] < 1


def test_a_time_derivative_that_no_expression_can_hold() -> None:
    system, x = particle()
    u = system.speeds(u=2 * x.rate)
    hold = system.origin.offset("far", x * system.ground.x).along(system.ground.x)
    for symbol, words in [
        (u, ["the speed 'u'", "use positions and speeds"]),
        (x.rate, ["the rate 'x''", "use positions and speeds"]),
        (hold, ["the measure 'far from origin along ground.x'", "write the place out in coordinates"]),
        (system.signal("s", x), ["the signal 's'", "declared with as its rate"]),
        (system.input("push"), ["the input 'push'", "an expression of the system's time"]),
        (system.reaction("floor"), ["the reaction 'reaction of floor'"]),
    ]:
        said = refusal(lambda symbol=symbol: (3 * symbol).diff(system.time))
        contains(said, ["the time derivative of", "cannot stand in an expression", *words])


# -- values by name and by symbol ---------------------------------------------------------------------------


def test_values_are_given_by_symbol_as_by_name() -> None:
    system, x, y = block()
    m = system.parameters(m=1)
    push = system.input("push", 0)
    system.force("push", system.bodies["block"], push * m * system.ground.x)
    u = system.speeds(u=2 * y.rate)
    run = detent.simulate(system, until=0.5, start={x: 1, x.rate: 2, u: 3}, parameters={m: 4}, inputs={push: 5})
    same = {"start": {"x": 1, "x_rate": 2, "u": 3}, "parameters": {"m": 4}, "inputs": {"push": 5}}
    assert run.final.as_dict() == detent.simulate(system, until=0.5, **same).final.as_dict()
    assert run.start == {"x": 1, "y": 0, "u": 3, "x_rate": 2}


def test_a_value_for_a_symbol_that_takes_none() -> None:
    system, _, y = block()
    system.speeds(u=2 * y.rate)
    other = detent.System("other").coordinates("x")
    for start, words in [
        ({other: 1}, ["start value 'x': it belongs to another system; use quantities of 'block'"]),
        ({y.rate: 1}, ["start value 'y'': it is not a speed by itself; give the speeds: u, x_rate"]),
        ({y: 1, "y": 2}, ["start value 'y': it is given twice; give it once"]),
        ({3: 1}, ["start value '3': it is neither a name nor a quantity"]),
        ({system.time: 1}, ["start value 't': there is nothing of that name; use one of: x, y"]),
        ([1, 2], ["found [1, 2] where a mapping from names to values was expected"]),
    ]:
        contains(refusal(lambda start=start: detent.simulate(system, until=1, start=start)), words)


def test_the_restitution_may_be_called_e() -> None:
    system, x = particle(x=1.0)
    e = system.parameters(e=0.5)
    system.force("weight", system.bodies["mass"], -10 * system.ground.x)
    floor = system.constrain(detent.holonomic("floor", x), active=False)
    automaton = detent.Automaton(system)
    flight = automaton.mode("flight")
    automaton.transition("bounce", flight, flight, when=x <= 0, reset=detent.Impact(floor, restitution=e))
    run = detent.simulate(automaton, until=0.5, parameters={"e": 0.8})
    before, after = run.x_rate[run.t == run.events[0].time]
    assert after == pytest.approx(-0.8 * before, rel=1e-12)


def test_names_may_be_greek(tmp_path: Any) -> None:
    system, x, _ = block()
    mu = system.parameters(μ=0.3)
    theta = system.coordinates("\u03b8")
    system.particle("bob", system.origin.offset("bob", theta * system.ground.x), mass=1)
    system.damper("drag", theta.rate, mu)
    system.damper("other", x.rate, mu)
    micro = {"\u00b5": 2.0}  # the sign on a keyboard, which Python reads as the letter
    run = detent.simulate(system, until=0.1, start={"\u03b8": 1.5}, parameters=micro)
    assert run["\u03b8"][0] == 1.5
    assert run.parameters == {"\u03bc": 2.0}
    run.save(tmp_path / "run.nc")
    assert detent.load(tmp_path / "run.nc")["\u03b8"].tolist() == run["\u03b8"].tolist()


# -- what gave a raw error of Python ------------------------------------------------------------------------


def test_a_function_is_no_input() -> None:
    system, _, _ = block()
    words = ["found the Python function", "detent.Sampled(period, function)", "detent.Held(times, values)"]
    contains(refusal(lambda: system.input("push", lambda time: time)), ["input 'push'", *words])
    system.input("pull", 0)
    said = refusal(lambda: detent.simulate(system, until=1, inputs={"pull": lambda time: time}))
    contains(said, ["input 'pull'", *words])
    assert system.input("course", system.time).name == "course"  # a symbol can be called, and is none


@pytest.mark.parametrize("reset", [{"b_qw": 2}, {"b_qw": 0}, lambda moment: {"b_qw": 2.0}], ids=["2", "0", "function"])
def test_a_reset_to_a_quaternion_not_of_length_one(reset: Any) -> None:
    system = detent.System("b")
    joint = system.ball("b", system.origin, system.ground)
    system.body("body", system.origin, joint.frame, 1, (1, 2, 2))
    automaton = detent.Automaton(system)
    mode = automaton.mode("spinning")
    automaton.transition("kick", mode, mode, when=system.time >= 0.5, reset=reset)
    said = refusal(lambda: detent.simulate(automaton, until=1))
    length = "2" if not isinstance(reset, dict) or reset["b_qw"] else "0"
    words = [f"gives the quaternion (b_qw, b_qx, b_qy, b_qz) the length {length}", "set all four, to the length 1"]
    contains(said, ["transition 'kick' to mode 'spinning'", *words])


def test_a_run_is_asked_by_name_or_by_symbol() -> None:
    system, x = particle(x_rate=2.0)
    place = system.origin.offset("far", 3 * x * system.ground.x).along(system.ground.x)
    run = detent.simulate(system, until=1)
    assert run[x].tolist() == run["x"].tolist()
    assert run.at(0.5)[x] == run.at(0.5).x
    assert x in run
    assert place not in run
    for asked in (place, x.rate, 3 * x, 0, None):
        words = ["where the name of a quantity was expected", "run.value(expression)"]
        contains(refusal(lambda asked=asked: run[asked]), words)
        contains(refusal(lambda asked=asked: run.at(0.5)[asked]), words)
    assert detent.evaluate(system, run, place) == pytest.approx(3 * run["x"], rel=1e-15)
    assert detent.evaluate(system, run, x.rate, times=[0.5]).tolist() == [2.0]


def test_an_expression_that_a_run_does_not_know() -> None:
    system, x = particle()
    push = system.input("push", 1)
    run = detent.simulate(system, until=1)
    assert run.value(push * x).tolist() == run.x.tolist()
    contains(refusal(lambda: run.value(system.reaction("floor"))), ["row of a constraint with a reaction", "'floor'"])
    contains(refusal(lambda: run.value("y")), ["no quantity named 'y'", "time, x, x_rate"])
    contains(refusal(lambda: run.value(sympy.Symbol("x"))), ["'x' is not part of this system"])
    contains(refusal(lambda: run.value(particle()[1])), ["is not part of this system, 'particle', but of another"])
    contains(refusal(lambda: run.value(None)), ["found None where an expression was expected"])


@pytest.mark.parametrize("at", [0, 1, sympy.Rational(1, 2), 0.5, sympy.sqrt(2)])
def test_a_tabulated_function_of_a_number_is_a_number(at: Any) -> None:
    square = detent.tabulated("square", [0, 1, 2, 3], [0, 1, 4, 9])  # a cubic spline gives a parabola back
    assert float(square(at)) == pytest.approx(float(at) ** 2, abs=1e-14)


def test_a_simulation_is_not_asked_for_a_reaction_as_a_value() -> None:
    system, x = particle()
    system.constrain(detent.holonomic("stop", x))
    simulation = detent.Simulation(system)
    assert simulation.value(3 * x + 1) == 1.0
    contains(refusal(lambda: simulation.value(2 * system.reaction("stop"))), ["simulation.reactions()"])
    contains(refusal(lambda: simulation.value("x")), ["found 'x' where an expression was expected"])


def test_a_motion_without_a_speed() -> None:
    system, x = particle(x=1.0)
    system.constrain(detent.motion("stop", x))
    said = refusal(lambda: detent.simulate(system, until=1))
    contains(said, ["constraint 'stop': it asks that x be zero, which holds no speed", "such as x.rate"])


def test_a_reset_function_may_speak_of_rates() -> None:
    system, x = particle(x_rate=1.0)
    automaton = detent.Automaton(system)
    mode = automaton.mode("to and fro")
    automaton.transition("turn", mode, mode, when=x >= 0.5, reset=lambda moment: {x.rate: -moment["x_rate"]})
    assert detent.simulate(automaton, until=1).final.x == pytest.approx(0, abs=1e-12)
