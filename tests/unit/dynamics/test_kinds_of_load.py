"""A kind of load is one class: its actions are all that the engine, the energies and the textbook's equations need."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import sympy

import detent
from detent.model.load import Actions, Load, Made
from detent.model.point import Point


@dataclass(frozen=True, eq=False)
class Strut(Load):
    """A spring and a damper between two points, and the weight of all masses: three actions of three kinds."""

    name: str
    first: Point
    second: Point
    stiffness: Any
    coefficient: Any
    acceleration: Any

    def actions(self, on: Actions[Made]) -> Iterator[Made]:
        yield on.field(self.acceleration)
        yield on.spring(f"strut '{self.name}'", self.first, self.second, self.stiffness, 0.8)
        yield on.parting(f"strut '{self.name}'", self.first, self.second, self.coefficient, False)


def _weight_on_a_strut(as_one: bool, active: bool = True) -> detent.System:
    system = detent.System("weight")
    x, y = system.coordinates(x=0.6, y=-0.9)
    bob = system.origin.offset("bob", x * system.ground.x + y * system.ground.y)
    system.particle("bob", bob, mass=1.5)
    weight = -9.81 * system.ground.y
    if as_one:
        system._load(Strut("strut", system.origin, bob, 30, 0.7, weight), active)
    else:
        system.gravity(weight, active=active)
        system.spring("spring", (system.origin, bob), 30, rest=0.8, active=active)
        system.damper("damper", (system.origin, bob), 0.7, active=active)
    return system


def test_a_load_of_several_actions_does_what_these_do_as_loads():
    one, several = (detent.simulate(_weight_on_a_strut(as_one), until=2) for as_one in (True, False))
    np.testing.assert_array_equal(one.trajectory.state, several.trajectory.state)
    np.testing.assert_array_equal(one.potential, several.potential)
    assert one.audit.energy_balance < 1e-9


def test_a_load_of_several_actions_comes_and_goes_as_one():
    def last(as_one: bool) -> np.ndarray:
        automaton = detent.Automaton(_weight_on_a_strut(as_one, active=False))
        time, loads = automaton.system.time, list(automaton.system.loads)
        on, off = automaton.mode("on", loads=loads), automaton.mode("off")
        automaton.transition("lets go", on, off, when=time >= 1)
        return detent.simulate(automaton, until=2).trajectory.state[-1]

    # Switches multiply the sum of the actions in one case and each of them in the other: rounding apart, the same.
    assert last(True) == pytest.approx(last(False), rel=1e-9, abs=1e-9)


def test_the_equations_of_a_load_are_the_sum_of_its_actions():
    one, several = (_weight_on_a_strut(as_one).equations() for as_one in (True, False))
    parts = sum((several.element(name) for name in ("gravity", "spring", "damper")), sympy.zeros(2, 1))
    named = {symbol: sympy.Symbol(symbol.name) for symbol in (one.element("strut") - parts).free_symbols}
    assert (one.element("strut") - parts).xreplace(named).applyfunc(sympy.simplify) == sympy.zeros(2, 1)
