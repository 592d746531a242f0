"""What is observed of a guard along the motion: its value and derivatives, against closed forms."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import sympy
from sympy import cos, exp, sin, sqrt

import detent
from detent.events import event_frame as at
from detent.simulation.automaton_director import AutomatonDirector
from tests.unit.hybrid.models import EXACT, oscillator, particle

TIME = 0.7


def observed(simulation: detent.Simulation) -> np.ndarray:
    """What is observed of each guard where the simulation stands."""
    simulation.advance(TIME)
    following = simulation._director
    assert isinstance(following, AutomatonDirector)
    count = len(following._tables.plans.guards(following.current).nodes)
    return following._tables.memory.start[:count].copy()


@pytest.mark.parametrize(
    "expression",
    [
        lambda x, t: x,
        lambda x, t: x**3 - 2 * x,
        lambda x, t: sin(5 * x) * exp(-x),
        lambda x, t: sqrt(x + t**2) / (2 + x),
        lambda x, t: sin(3 * t) + x * t,
    ],
)
@pytest.mark.parametrize("embedding", ["symbolic", "numeric"])
def test_guards_of_positions_have_both_derivatives(expression: Any, embedding: Any) -> None:
    system, x, automaton, mode = oscillator()
    automaton.transition("watch", mode, mode, when=expression(x, system.time) + 100)
    (seen,) = observed(detent.Simulation(automaton, embedding=embedding, **EXACT))
    t = sympy.Symbol("t")
    along = expression(cos(t), t) + 100
    for place, order in (("value", 0), ("first", 1), ("second", 2)):
        exact = float(sympy.diff(along, t, order).subs(t, TIME)) if order else float(along.subs(t, TIME))
        assert seen[place] == pytest.approx(exact, abs=1e-10)
        assert 0 < seen[f"{place}_scale"] < 1e3


@pytest.mark.parametrize(
    "expression", [lambda x, v, t: v, lambda x, v, t: x * v**2 - t, lambda x, v, t: cos(4 * x) * v]
)
def test_guards_of_speeds_have_the_first_derivative_and_no_second(expression: Any) -> None:
    """Without u'' it would tell no sign."""
    system, x, automaton, mode = oscillator()
    automaton.transition("watch", mode, mode, when=expression(x, x.rate, system.time) + 100)
    (seen,) = observed(detent.Simulation(automaton, **EXACT))
    t = sympy.Symbol("t")
    along = expression(cos(t), -sin(t), t)
    assert seen["first"] == pytest.approx(float(sympy.diff(along, t).subs(t, TIME)), abs=1e-10)
    assert (seen["second"], seen["second_scale"]) == (0.0, at.UNKNOWN)


def test_what_cancels_is_known_by_the_size_of_its_terms() -> None:
    """Two numbers of 1e6 whose difference is zero: a value below 16 roundings of 2e6 is none."""
    system, x, automaton, mode = oscillator()
    automaton.transition("watch", mode, mode, when=1e6 * x - 1e6 * cos(system.time))
    (seen,) = observed(detent.Simulation(automaton, **EXACT))
    size = 1e6 * math.cos(TIME) + 1e6 * TIME * math.sin(TIME)
    assert seen["value_scale"] == pytest.approx(size, rel=1e-9)
    assert abs(seen["value"]) < 1e-5


def test_measures_of_a_turning_body_with_a_quaternion() -> None:
    """A point 2 m from the axis of a body that turns with 3 rad/s about z: x = 2 cos 3 t."""
    system = detent.System("turning")
    free = system.free("body", system.origin, system.ground)
    system.body("body", free.point, free.frame, mass=1, inertia=(1, 1, 2))
    system.start(body_wz=3.0)
    point = free.point.offset("mark", 2 * free.frame.x)
    automaton = detent.Automaton(system)
    mode = automaton.mode("free")
    automaton.transition("along", mode, mode, when=point.along(system.ground.x) + 100)
    (seen,) = observed(detent.Simulation(automaton, **EXACT))
    expected = [2 * math.cos(3 * TIME) + 100, -6 * math.sin(3 * TIME), -18 * math.cos(3 * TIME)]
    np.testing.assert_allclose(list(seen.tolist())[:3], expected, atol=1e-9)


def test_a_signal_that_is_known_by_its_rate() -> None:
    """s' = x with x = cos t: s = sin t, s'' = x'."""
    system, x, automaton, mode = oscillator()
    system.signal("s", rate=x, start=0.0)
    s = next(iter(system.signal_rates))
    automaton.transition("watch", mode, mode, when=2 * s + 100)
    (seen,) = observed(detent.Simulation(automaton, **EXACT))
    expected = [2 * math.sin(TIME) + 100, 2 * math.cos(TIME), -2 * math.sin(TIME)]
    np.testing.assert_allclose([seen[name] for name in ("value", "first", "second")], expected, atol=1e-10)


@pytest.mark.parametrize("embedding", ["symbolic", "numeric", "live"])
def test_a_reaction_has_a_value_and_a_rate_that_steers_the_search(embedding: Any) -> None:
    """Held against F = t^2 - 5: the reaction is 5 - t^2, its rate -2 t."""
    system, x = particle()
    system.force("push", system.bodies["mass"], (system.time**2 - 5) * system.ground.x)
    system.constrain(detent.holonomic("hold", x), active=False)
    automaton = detent.Automaton(system)
    held, free = automaton.mode("held", ["hold"]), automaton.mode("free")
    automaton.transition("lets go", held, free, when=system.reaction("hold") <= 0)
    (seen,) = observed(detent.Simulation(automaton, embedding=embedding, step=0.01))
    assert seen["value"] == pytest.approx(5 - TIME**2, abs=1e-13)
    # A difference over 1e-4 of a step of 0.01 s: wrong by that times half the second derivative, and by rounding.
    assert seen["first"] == pytest.approx(-2 * TIME, abs=1e-6 + 5 * 2**-52 / 1e-6)


def test_a_reaction_that_no_constraint_bears_is_zero() -> None:
    system, x, automaton, mode = oscillator()
    system.constrain(detent.holonomic("stop", x - 5), active=False)
    automaton.transition("never", mode, mode, when=system.reaction("stop") + 3)
    (seen,) = observed(detent.Simulation(automaton))
    assert list(seen.tolist())[:3] == [3.0, 0.0, 0.0]


def test_one_guard_of_several_transitions_is_observed_once() -> None:
    _, x, automaton, mode = oscillator()
    for number, direction in enumerate(("falling", "rising", "either")):
        automaton.transition(f"watch {number}", mode, mode, when=x + 7, direction=direction)
    automaton.transition("other", mode, mode, when=x + 8)
    assert len(observed(detent.Simulation(automaton))) == 2
