"""Each message about an automaton names the mode or transition, what was found there, and what to do instead."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from sympy import I, log, sqrt

import detent
from detent.cli import main
from tests.unit.hybrid.models import ball, moving, oscillator, particle


def refusal(build: Any) -> str:
    """What is said when something is built or run that cannot be."""
    with pytest.raises(detent.DetentError) as caught:
        build()
    return str(caught.value)


def contains(text: str, words: list[str]) -> None:
    for word in words:
        assert word in text


# -- guards and conditions ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("when", "words"),
    [
        (lambda x: x + I, ["transition 'go': x + I is not real", "whose sign can be told"]),
        (lambda x: complex(1, 2), ["is not real"]),
        (lambda x: sqrt(-1 - x**2), ["sqrt(-x**2 - 1) is not real"]),
        (lambda x: math.nan, ["nan is not real"]),
        (lambda x: x * sympy.nan, ["nan is not real"]),
        (lambda x: math.inf, ["oo is not real"]),
        (lambda x: "x", ["found 'x' where an expression was expected", "the system's own quantities"]),
        (lambda x: None, ["found None where an expression was expected"]),
        (lambda x: True, ["found True where an expression was expected"]),
        (lambda x: (x > 1) & (x < 2), ["found (x > 1) & (x < 2)", "the others as condition_before=[...]"]),
        (lambda x: (x < 1) | (x > 2), ["found (x > 2) | (x < 1)", "add a transition for each part"]),
        (lambda x: [x > 1, x < 2], ["found 2 guards, but there is one", "the others as condition_before=[...]"]),
        (lambda x: sympy.Eq(x, 1), ["found Eq(x, 1)", "use <, <=, > or >=, or an expression that passes zero"]),
    ],
)
def test_a_guard_that_has_no_sign(when: Any, words: list[str]) -> None:
    _, x, automaton, mode = moving()
    contains(refusal(lambda: automaton.transition("go", mode, mode, when=when(x))), words)
    assert automaton.transitions == []


def test_a_direction_that_does_not_exist_or_is_said_twice() -> None:
    _, x, automaton, mode = moving()
    said = refusal(lambda: automaton.transition("go", mode, mode, when=x, direction="up"))
    contains(said, ["transition 'go'", "the direction is 'up'", "falling, either, rising"])
    said = refusal(lambda: automaton.transition("go", mode, mode, when=x <= 0, direction="falling"))
    contains(said, ["the inequality x <= 0 says its direction already", "leave direction out"])


@pytest.mark.parametrize("condition", [True, lambda x: sympy.Eq(x, 1), lambda x: x <= x + 1])
@pytest.mark.parametrize("where", ["condition_before", "condition_after"])
def test_a_condition_that_is_no_inequality(condition: Any, where: str) -> None:
    _, x, automaton, mode = moving()
    given = condition(x) if callable(condition) else condition
    said = refusal(lambda: automaton.transition("go", mode, mode, when=x - 1, **{where: given}))
    contains(said, ["transition 'go': found the condition", "inequalities with <, <=, > or >="])


def test_conditions_of_which_one_must_hold() -> None:
    _, x, automaton, mode = moving()
    either = sympy.Or(x > 1, x < -1)
    said = refusal(lambda: automaton.transition("go", mode, mode, when=x - 1, condition_before=either))
    contains(said, ["transition 'go': found (x > 1) | (x < -1)", "hold together", "sympy.Max(a, b) >= 0"])
    contains(refusal(lambda: automaton.mode("far", where=either)), ["mode 'far': found", "sympy.Max(a, b) >= 0"])


@pytest.mark.parametrize(
    ("when", "time"),
    [(lambda x: sqrt(0.5 - x) + 1, 0.5), (lambda x: log(0.5 - x) - 9, 0.5), (lambda x: 1 / (x - 0.5), 0.5)],
    ids=["root", "logarithm", "pole"],
)
@pytest.mark.parametrize("settings", [{}, {"method": "rk4", "step": 0.01}], ids=["dop853", "rk4"])
def test_a_guard_that_stops_being_a_number_is_named_with_its_place(when: Any, time: float, settings: Any) -> None:
    _, x, automaton, mode = moving()
    automaton.transition("go", mode, mode, when=when(x))
    with pytest.raises(detent.SimulationError) as caught:
        detent.simulate(automaton, 1, **settings)
    contains(str(caught.value), ["in mode 'moving', the guard of transition 'go'", str(when(x)), "is not a number",
                                 "wherever its mode can be"])  # fmt: skip
    assert caught.value.run is not None
    assert caught.value.run.outcome.word == "guard-not-a-number"
    assert caught.value.run.final.time == pytest.approx(time, abs=1e-9)


def test_a_guard_may_stop_being_a_number_beyond_the_place_where_it_fires() -> None:
    _, x, automaton, mode = moving()
    after = automaton.mode("after")
    automaton.transition("go", mode, after, when=log(0.5 - x) + 5)
    run = detent.simulate(automaton, 1)
    assert run.events[0].time == pytest.approx(0.5 - math.exp(-5), abs=1e-13)


@pytest.mark.parametrize("where", ["condition_before", "condition_after"])
def test_a_condition_that_is_not_a_number_is_named(where: str) -> None:
    _, x, automaton, mode = moving()
    automaton.transition("go", mode, mode, when=x - 0.5, **{where: sqrt(x - 2)})
    said = refusal(lambda: detent.simulate(automaton, 1))
    contains(said, ["at t = 0.5 the condition of transition 'go' is not a number", "wherever its mode can be"])


def test_a_requirement_that_is_not_a_number_is_named() -> None:
    system, x = particle(x_rate=1.0)
    automaton = detent.Automaton(system)
    automaton.mode("far", where=sqrt(x - 1))
    contains(refusal(lambda: detent.simulate(automaton, 1)), ["at t = 0 what mode 'far' requires is not a number"])


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (lambda y, x: {"when": y - 1}, "the guard of transition 'go'"),
        (lambda y, x: {"when": x - 1, "condition_before": y >= 0}, "the condition of transition 'go'"),
        (lambda y, x: {"when": x - 1, "condition_after": y >= 0}, "the condition of transition 'go'"),
        (lambda y, x: {"when": x - 1, "reset": {x: y}}, "the reset of transition 'go'"),
    ],
    ids=["guard", "before", "after", "reset"],
)
@pytest.mark.parametrize("name", ["x", "y"])
def test_a_quantity_of_another_system(arguments: Any, what: str, name: str) -> None:
    _, x, automaton, mode = moving()
    other = detent.System("other").coordinates(name)
    automaton.transition("go", mode, mode, **arguments(other, x))
    said = refusal(lambda: detent.simulate(automaton, 1))
    contains(said, [f"{what} cannot be read: '{name}' is not part of this system, 'particle'", "of another"])


def test_a_name_that_no_system_knows() -> None:
    _, _, automaton, mode = moving()
    automaton.transition("go", mode, mode, when=sympy.Symbol("x") - 1)
    said = refusal(lambda: detent.simulate(automaton, 1))
    contains(said, ["the guard of transition 'go'", "'x' is not part of this system", "Declare it as a parameter"])


# -- modes and names ------------------------------------------------------------------------------------


def test_a_transition_to_a_mode_that_does_not_exist() -> None:
    _, x, automaton, mode = moving()
    said = refusal(lambda: automaton.transition("go", mode, "movng", when=x))
    contains(said, ["no mode (transition 'go') named 'movng'", "did you mean 'moving'?", "Names that exist: moving"])
    contains(refusal(lambda: automaton.transition("go", "gone", mode, when=x)), ["named 'gone'"])
    contains(refusal(lambda: automaton.start("gone")), ["no mode (the start) named 'gone'"])
    contains(refusal(lambda: detent.simulate(automaton, 1, mode="gone")), ["no mode (the start) named 'gone'"])


@pytest.mark.parametrize("name", ["moving", "other"])
def test_a_mode_of_another_automaton(name: str) -> None:
    system, x, automaton, mode = moving()
    foreign = detent.Automaton(system).mode(name)
    for arguments in ({"target": foreign}, {"target": mode, "accumulates": foreign}):
        said = refusal(lambda given=arguments: automaton.transition("go", mode, when=x, **given))
        contains(said, [f"transition 'go': the mode '{name}' belongs to another automaton", "use a mode of this one"])


def test_modes_that_nothing_reaches_are_all_told() -> None:
    _, _, automaton, _ = moving()
    automaton.mode("lost")
    automaton.mode("forgotten")
    said = refusal(lambda: detent.simulate(automaton, 1))
    contains(said, ["2 mistakes in the model", "mode 'lost': nothing leads to it from the start, 'moving'",
                    "mode 'forgotten'", "add a transition to it, or remove it"])  # fmt: skip


def test_a_run_may_start_where_no_transition_leads_back() -> None:
    """What the usual start reaches is reached, wherever one run starts."""
    _, x, automaton, mode = moving()
    end = automaton.mode("end")
    automaton.transition("go", mode, end, when=x - 1)
    assert detent.simulate(automaton, 2, mode="end").mode == "end"


def test_names_are_texts_and_given_once() -> None:
    _, x, automaton, mode = moving()
    automaton.transition("go", mode, mode, when=x)
    contains(refusal(lambda: automaton.mode("moving")), ["there is a mode 'moving' already", "another name"])
    contains(refusal(lambda: automaton.transition("go", mode, mode, when=x)), ["a transition 'go' already"])
    for name in (" ", "", "two\nlines", None, 5):
        contains(refusal(lambda given=name: automaton.mode(given)), [f"a mode is named {name!r}", "give it a text"])
        contains(refusal(lambda given=name: automaton.transition(given, mode, mode, when=x)), ["a transition is named"])


def test_an_automaton_without_a_mode_or_without_a_system() -> None:
    system, _ = particle()
    contains(refusal(lambda: detent.simulate(detent.Automaton(system), 1)), ["has no mode", "automaton.mode(...)"])
    contains(refusal(lambda: detent.Automaton("pendulum")), ["not on 'pendulum'", "give a detent.System"])


def test_a_kind_that_no_event_has() -> None:
    _, x, automaton, mode = moving()
    said = refusal(lambda: automaton.transition("go", mode, mode, when=x, kind="zeno"))
    contains(said, ["transition 'go': its kind is 'zeno'", "impact, transition"])


# -- constraints and loads of modes ---------------------------------------------------------------------


def test_a_constraint_that_a_mode_cannot_have() -> None:
    system, x, automaton, _ = moving()
    system.constrain(detent.holonomic("floor", x), active=False)
    said = refusal(lambda: automaton.mode("on", ["flor"]))
    contains(said, ["no constraint (mode 'on') named 'flor'", "did you mean 'floor'?"])
    contains(refusal(lambda: automaton.mode("on", [5])), ["no constraint (mode 'on') named '5'"])
    said = refusal(lambda: automaton.mode("on", ["floor", detent.holonomic("floor", 2 * x)]))
    contains(said, ["mode 'on' has two constraints named 'floor'", "name each once"])


def test_a_constraint_of_another_system_is_named() -> None:
    system, _ = particle()
    y = detent.System("other").coordinates("y")
    automaton = detent.Automaton(system)
    automaton.mode("on", [detent.holonomic("rail", y)])
    contains(refusal(lambda: detent.simulate(automaton, 1)), ["constraint 'rail' cannot be read", "but of another"])


def test_a_load_that_does_not_come_and_go() -> None:
    system, _, automaton, _ = moving()
    system.force("wind", system.bodies["mass"], 1 * system.ground.x)
    system.force("push", system.bodies["mass"], 1 * system.ground.x, active=False)
    contains(refusal(lambda: automaton.mode("on", loads=["wind"])), ["mode 'on' names the load 'wind', which always "
             "acts", "declare it with active=False"])  # fmt: skip
    contains(refusal(lambda: automaton.mode("on", loads="psh")), ["no load declared with active=False named 'psh'",
             "did you mean 'push'?"])  # fmt: skip


def test_modes_say_what_constraints_are_active() -> None:
    system, x, automaton, _ = moving()
    contains(refusal(lambda: detent.simulate(system, 1, mode="moving")), ["a system has no modes", "constraints="])
    contains(refusal(lambda: detent.simulate(automaton, 1, constraints=[])), ["the mode says", "leave constraints out"])
    simulation = detent.Simulation(automaton)
    for change in (lambda: simulation.constrain("floor", x), lambda: simulation.release("floor")):
        contains(refusal(change), ["follows an automaton", "add a mode and a transition to simulation.automaton"])


def test_a_formulation_that_does_not_exist() -> None:
    _, _, automaton, _ = moving()
    said = refusal(lambda: detent.simulate(automaton, 1, formulation="magic"))
    contains(said, ["formulation is 'magic'", "embedded, multipliers"])


# -- reactions ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("where", ["when", "condition_before", "condition_after", "where"])
def test_a_reaction_of_a_row_that_nobody_knows(where: str) -> None:
    """It would be zero for ever, and the run would go on without a word."""
    system, x = particle(x_rate=1.0)
    system.constrain(detent.holonomic("floor", x - 1), active=False)
    automaton = detent.Automaton(system)
    misspelt = system.reaction("flor") >= -1
    flight = automaton.mode("flight", where=misspelt if where == "where" else None)
    held = automaton.mode("held", ["floor"])
    arguments: dict[str, Any] = {"when": x - 1} | ({where: misspelt} if where != "where" else {})
    automaton.transition("go", flight, held, reset=detent.Impact(), **arguments)
    said = refusal(lambda: detent.simulate(automaton, 2))
    contains(said, ["named 'flor'", "did you mean 'floor'?"])
    contains(said, ["mode 'flight'" if where == "where" else "transition 'go'"])


def test_a_reaction_of_a_row_that_is_dropped() -> None:
    system, x = particle(x=1.0)
    for name, factor in (("first", 1), ("second", 2)):
        system.constrain(detent.holonomic(name, factor * (x - 1)), active=False)
    automaton = detent.Automaton(system)
    both, free = automaton.mode("both", ["first", "second"]), automaton.mode("free")
    for name in ("first", "second"):  # which of them is dropped is not for the test to know
        automaton.transition(f"leaves {name}", both, free, when=system.reaction(name) <= -1)
    said = refusal(lambda: detent.simulate(automaton, 1))
    contains(said, ["in mode 'both'", "follows from the other constraints there", "not unique", "use another"])


def test_a_reset_and_a_restitution_know_no_reactions() -> None:
    for reset in (lambda x, force: {x: force}, lambda x, force: detent.Impact("floor", restitution=force)):
        system, x, automaton, mode = moving()
        system.constrain(detent.holonomic("floor", x), active=False)
        automaton.transition("go", mode, mode, when=x - 0.5, reset=reset(x, system.reaction("floor")))
        said = refusal(lambda model=automaton: detent.simulate(model, 1))
        contains(said, ["speaks of the reaction of 'floor'", "reactions in guards and conditions"])


# -- resets ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reset", "words"),
    [
        (lambda x: {"z": 1}, ["transition 'go': its reset sets z, which cannot be set", "discrete states"]),
        (lambda x: {x: 1, "x": 2}, ["its reset sets x twice", "set it once"]),
        (lambda x: 5, ["found the reset 5", "detent.Impact(...), a function, or a list of them"]),
        (lambda x: [{x: 0}, "swap"], ["found the reset 'swap'"]),
        (lambda x: {x: "1"}, ["the new value of x: found '1' where an expression was expected"]),
        (
            lambda x: {detent.System("other").coordinates("x"): 1},
            ["its reset sets x, which is not part of this system"],
        ),
        (lambda x: detent.Impact("flor"), ["no constraint (transition 'go') named 'flor'"]),
        (lambda x: detent.Impact(["floor"]), ["no constraint (transition 'go') named"]),
        (lambda x: detent.Impact("floor", restitution="half"), ["restitution of an impact: found 'half'"]),
        (lambda x: detent.swapped((x, 5)), ["found (x, 5) where two coordinates", "give (q1, q2)"]),
        (lambda x: detent.swapped(x), ["found x where two coordinates"]),
    ],
    ids=range(11),
)
def test_a_reset_that_cannot_be_read(reset: Any, words: list[str]) -> None:
    system, x, automaton, mode = moving()
    system.constrain(detent.holonomic("floor", x), active=False)
    contains(refusal(lambda: automaton.transition("go", mode, mode, when=x - 1, reset=reset(x))), words)


def test_a_parameter_is_not_for_a_reset_to_set() -> None:
    system, x, automaton, mode = moving()
    size = system.parameters(size=1)
    said = refusal(lambda: automaton.transition("go", mode, mode, when=x - 1, reset={size: 2}))
    contains(said, ["its reset sets size, which cannot be set"])


@pytest.mark.parametrize("what", ["x", "count"])
def test_a_reset_that_gives_no_number_is_named(what: str) -> None:
    system, x, automaton, mode = moving()
    system.discrete("count", 0)
    automaton.transition("go", mode, mode, when=x - 0.5, reset={what: sqrt(x - 2)})
    said = refusal(lambda: detent.simulate(automaton, 1))
    contains(said, [f"at t = 0.5, the reset of transition 'go' gives {what} = nan", "division by zero"])


@pytest.mark.parametrize(
    ("reset", "words"),
    [
        ({"x_rate": 0}, ["violates the constraint 'wall' by -0.5:"]),
        ({"x": 1}, ["violates the constraint 'wall' by 1 in speed"]),
        (lambda moment: {"x": 1, "x_rate": 0.25}, ["violates the constraint 'wall' by 0.25 in speed"]),
    ],
    ids=["position", "speed", "function"],
)
def test_a_reset_that_violates_the_constraints_of_the_next_mode(reset: Any, words: list[str]) -> None:
    _, x, automaton, mode = moving()
    held = automaton.mode("held", [detent.holonomic("wall", x - 1)])
    automaton.transition("caught", mode, held, when=x - 0.5, reset=reset)
    said = refusal(lambda: detent.simulate(automaton, 1))
    contains(said, ["at t = 0.5, transition 'caught' to mode 'held'", *words, "let the reset bring it there",
                    "detent.Impact() where speeds have to change"])  # fmt: skip


def test_constraints_of_a_mode_that_contradict_one_another() -> None:
    system, x, automaton, mode = moving()
    rails = [detent.holonomic("still", x - 0.5), detent.holonomic("moving", x - system.time)]
    automaton.transition("caught", mode, automaton.mode("held", rails), when=x - 0.5, reset={"x_rate": 0})
    said = refusal(lambda: detent.simulate(automaton, 1))
    contains(said, ["at t = 0.5, transition 'caught' to mode 'held'", "contradicts the others", "mend its expression"])


# -- impacts --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("restitution", [1.5, -0.5, sqrt(sympy.Rational(-1, 2) + 1) * 2])
def test_a_restitution_outside_0_and_1(restitution: Any) -> None:
    said = refusal(lambda: detent.simulate(ball(restitution), 1))
    contains(said, ["at t = 0.447213595, transition 'bounce'", "its restitution is not between 0 and 1",
                    "give restitutions from 0 to 1"])  # fmt: skip


@pytest.mark.parametrize("restitution", [math.nan, I])
def test_a_restitution_that_is_no_number(restitution: Any) -> None:
    said = refusal(lambda: detent.simulate(ball(restitution), 1))
    contains(said, ["the restitution of an impact cannot be read", "expressions must be real"])


def test_an_impact_against_constraints_that_contradict_one_another() -> None:
    system, x, automaton, mode = moving()
    rails = [detent.holonomic("still", x), detent.holonomic("moving", x - system.time)]
    automaton.transition("strikes", mode, mode, when=x - 0.5, reset=detent.Impact(*rails))
    said = refusal(lambda: detent.simulate(automaton, 1))
    contains(said, ["transition 'strikes': the constraints of its impact contradict one another", "hold together"])


def test_an_impact_against_nothing() -> None:
    _, x, automaton, mode = moving()
    automaton.transition("strikes", mode, mode, when=x - 0.5, reset=detent.Impact())
    said = refusal(lambda: detent.simulate(automaton, 1))
    contains(said, ["transition 'strikes': its impact is against nothing", "detent.Impact('floor')"])


# -- resets in Python -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda moment: 1 / 0, ["failed: ZeroDivisionError: division by zero", "mend its function"]),
        (lambda moment, more: {}, ["failed: TypeError"]),
        (lambda moment: 5, ["gave 5; let it return a mapping from names to values"]),
        (lambda moment: [("x", 1)], ["let it return a mapping"]),
        (lambda moment: {"x": math.nan}, ["gave x = nan; let it give finite numbers"]),
        (lambda moment: {"x": math.inf}, ["gave x = inf"]),
        (lambda moment: {"x": "1"}, ["gave x = '1'"]),
        (lambda moment: {"x": 1j}, ["gave x = 1j"]),
        (lambda moment: {"x": np.complex128(1j)}, ["let it give finite numbers"]),
        (lambda moment: {"y": 1}, ["named 'y'", "Names that exist: x, x_rate, count"]),
        (lambda moment: {"work": 1}, ["named 'work'"]),
    ],
    ids=range(11),
)
def test_a_reset_function_that_fails_is_named_with_the_time(function: Any, words: list[str]) -> None:
    system, x, automaton, mode = moving()
    system.discrete("count", 0)
    automaton.transition("go", mode, mode, when=x - 0.5, reset=function)
    said = refusal(lambda: detent.simulate(automaton, 1))
    contains(said, ["the reset of transition 'go' at t = 0.5", *words])


def test_a_reset_function_that_asks_for_what_is_not_there() -> None:
    for function, words in (
        (lambda moment: {"x": moment["z"]}, ["no quantity named 'z'", "x, x_rate"]),
        (lambda moment: moment.after({"floor": 1}), ["no row of a constraint named 'floor'"]),
    ):
        _, x, automaton, mode = moving()
        automaton.transition("go", mode, mode, when=x - 0.5, reset=function)
        contains(refusal(lambda model=automaton: detent.simulate(model, 1)), words)


# -- where a mode may be ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("start", "pull", "value"),
    [({"x": -1.0}, 0, "-1"), ({"x": 0.0, "x_rate": -1.0}, 0, "0"), ({"x": 0.0}, -1, "0")],
    ids=["inside", "heading inside", "pulled inside"],
)
def test_a_start_in_a_forbidden_region(start: dict[str, float], pull: int, value: str) -> None:
    system, x = particle(**start)
    system.force("pull", system.bodies["mass"], pull * system.ground.x)
    automaton = detent.Automaton(system)
    automaton.mode("above", where=x >= 0)
    said = refusal(lambda: detent.simulate(automaton, 1))
    contains(said, [f"at t = 0, mode 'above' requires x >= 0 (where=); it is {value}, or about to fall below",
                    "mend the start or the reset"])  # fmt: skip


@pytest.mark.parametrize("start", [{"x": 0.0, "x_rate": 1.0}, {"x": 0.0}, {"x": 1.0, "x_rate": -1.0}])
def test_a_start_at_the_edge_of_a_forbidden_region_that_does_not_enter_it(start: dict[str, float]) -> None:
    system, x = particle(**start)
    automaton = detent.Automaton(system)
    automaton.mode("above", where=x >= 0)
    assert detent.simulate(automaton, 0.5).outcome.word == "completed"


def test_a_mode_that_is_entered_where_it_may_not_be() -> None:
    _, x, automaton, mode = moving()
    automaton.transition("go", mode, automaton.mode("low", where=[x >= -9, x <= 0]), when=x - 0.5)
    said = refusal(lambda: detent.simulate(automaton, 1))
    contains(said, ["at t = 0.5, mode 'low' requires -x >= 0 (where=); it is -0.5"])


# -- without end ----------------------------------------------------------------------------------------


def test_transitions_that_follow_one_another_for_ever_are_told_as_a_chain() -> None:
    _, x, automaton, here = moving()
    there = automaton.mode("there")
    automaton.transition("to", here, there, when=x >= 0.5, reset={x: 0.2})
    automaton.transition("fro", there, here, when=x <= 0.3, reset={x: 0.8})
    said = refusal(lambda: detent.simulate(automaton, 1))
    contains(said, ["at t = 0.5 more than 100 transitions followed one another", "'to' (moving -> there), 'fro' "
                    "(there -> moving)", "let their guards or resets exclude one another"])  # fmt: skip


def test_an_accumulation_without_a_mode_that_follows_it() -> None:
    said = refusal(lambda: detent.simulate(ball(0.5), 3))
    contains(said, ["the transitions 'bounce' accumulate (after", "at t = 1.3416407865", "accumulates="])


def test_a_ball_without_restitution_does_not_fall_through_the_floor() -> None:
    """Its impact leaves it where it was: without a mode to rest in there is no way to go on."""
    said = refusal(lambda: detent.simulate(ball(0), 3))
    contains(said, ["the transitions 'bounce' accumulate (at the first of them, at t = 0.4472135955)", "accumulates="])


def test_a_guard_that_is_only_passed_does_not_accumulate() -> None:
    _, x, automaton, mode = oscillator()
    automaton.transition("pass", mode, mode, when=x)
    assert detent.simulate(automaton, 20).outcome.word == "completed"


# -- the command line -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["automaton", "pendulum"], ["'pendulum' has no automaton", "choose an example with modes and transitions"]),
        (["automaton", "pendulun"], ["no example named 'pendulun'", "did you mean 'pendulum'?"]),
        (["automaton", "latch", "--out", "latch.gif"], ["'latch.gif' ends in '.gif'", ".json, .mmd"]),
        (["automaton", "latch", "--until", "3"], ["which needs --run"]),
        (["equations", "latch", "--mode", "hold"], ["named 'hold'", "did you mean 'held'?"]),
        (["run", "latch", "--events", "few"], ["--events is 'few'", "a whole number, or 'all'"]),
        (["run", "latch", "--events", "-3"], ["--events is '-3'"]),
        (["run", "latch", "--formulation", "magic"], ["formulation is 'magic'", "embedded, multipliers"]),
        (["run", "latch", "--checkpoint", "nowhere/at.json"], ["there is no folder", "create it first"]),
        (["run", "latch", "--resume", "missing.json"], ["cannot read 'missing.json'", "simulation.checkpoint wrote"]),
        (["run", "latch", "--resume", "text.json"], ["'text.json' is not a checkpoint", "simulation.checkpoint"]),
        (["run", "latch", "--resume", "list.json"], ["'list.json' is not a checkpoint of this version"]),
        (["run", "latch", "--resume", "bytes.json"], ["'bytes.json' is not a checkpoint"]),
        (["run", "latch", "--resume", "."], ["cannot read '.'"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)  # fmt: skip
def test_the_command_line_answers_in_words(
    arguments: list[str], words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:  # fmt: skip
    (tmp_path / "text.json").write_text("hello")
    (tmp_path / "list.json").write_text("[1, 2]")
    (tmp_path / "bytes.json").write_bytes(bytes(range(256)))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["detent", *arguments])
    with pytest.raises(SystemExit) as stop:
        main()
    out, error = capsys.readouterr()
    assert (stop.value.code, out) == (2, "")
    assert error.startswith("detent: ")
    contains(error, words)


# -- what always holds and what comes and goes --------------------------------------------------------------


def test_a_mode_that_names_what_always_holds() -> None:
    system, x = particle()
    system.constrain(detent.holonomic("floor", x))
    automaton = detent.Automaton(system)
    said = refusal(lambda: automaton.mode("rest", ["floor"]))
    contains(said, ["mode 'rest' names the constraint 'floor', which always holds", "active=False, or leave it out"])
    assert automaton.modes == {}


def test_a_constraint_declared_as_active_after_the_modes() -> None:
    system, x, automaton, _ = moving()
    system.constrain(detent.holonomic("floor", x))
    said = refusal(lambda: detent.simulate(automaton, until=1))
    contains(said, ["constraint 'floor'", "after the mode 'moving', which does not have it", "before the first mode"])
