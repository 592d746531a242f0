"""The numbers that the documentation states: each has a model just inside and one just outside of it.

Inside is three quarters of the limit, outside is one and a half of it, so that neither half nor double the number
passes. The rules are those of docs/event_semantics.md.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy

import detent
from detent.formulation.active_rows import RowValues
from detent.simulation.consistency import StartSearch
from detent.stepping.solver import Solver
from detent.stepping.tableau import TABLEAUS
from tests.unit.hybrid.models import moving, oscillator, particle

INSIDE, OUTSIDE = 0.75, 1.5
UNIT = 2.0**-52
"""The unit of rounding: one bit in the last place of 1."""


def plane(**start: float) -> tuple[detent.System, Any, Any]:
    """A mass of 1 kg that moves along x at 1 m/s, with a second coordinate y that nothing pushes."""
    system = detent.System("plane")
    x, y = system.coordinates("x", "y")
    place = system.origin.offset("mass", x * system.ground.x + y * system.ground.y)
    system.particle("mass", place, mass=1)
    system.start(**({"x_rate": 1.0} | start))
    return system, x, y


# -- rules 9 and 10: 1e-7 ------------------------------------------------------------------------------------


def entered_beside_a_line(miss: float, *, at: float = 0.0, speed: float = 0.0) -> detent.Run:
    """At t = 1 the mode that is entered holds y at a place; the reset misses it by so much, in position or speed."""
    system, x, y = plane(y=at)
    system.constrain(detent.holonomic("line", y - at), active=False)
    automaton = detent.Automaton(system)
    free, held = automaton.mode("free"), automaton.mode("held", ["line"])
    automaton.transition("catch", free, held, when=x >= 1, reset={y: at + miss, y.rate: speed})
    return detent.simulate(automaton, 2, check=False)


@pytest.mark.parametrize("at", [0.0, 1.0, -1000.0])
@pytest.mark.parametrize("side", [1, -1])
def test_a_reset_may_miss_a_constraint_by_1e_7_of_the_coordinate_or_of_one(at: float, side: int) -> None:
    limit = side * 1e-7 * max(1.0, abs(at))
    inside, outside = (entered_beside_a_line(part * limit, at=at) for part in (INSIDE, OUTSIDE))
    assert (inside.outcome.word, inside.mode, inside.final.y) == ("completed", "held", at)
    assert outside.outcome.word == "reset-violates"


@pytest.mark.parametrize("side", [1, -1])
def test_a_reset_may_miss_the_speed_of_a_constraint_by_1e_7(side: int) -> None:
    inside, outside = (entered_beside_a_line(0.0, speed=side * part * 1e-7) for part in (INSIDE, OUTSIDE))
    assert (inside.outcome.word, inside.mode, inside.final.y_rate) == ("completed", "held", 0.0)
    assert outside.outcome.word == "reset-violates"


def entered_beyond_a_border(miss: float, at: float) -> detent.Run:
    """At t = 1 a mode is entered that requires y >= at, at rest and below it by so much."""
    system, x, y = plane(y=at)
    automaton = detent.Automaton(system)
    free, above = automaton.mode("free"), automaton.mode("above", where=y >= at)
    automaton.transition("enter", free, above, when=x >= 1, reset={y: at - miss})
    return detent.simulate(automaton, 2, check=False)


@pytest.mark.parametrize("at", [0.0, 1.0, -1000.0])
def test_what_a_mode_requires_may_be_missed_by_1e_7_of_one_and_its_largest_term(at: float) -> None:
    limit = 1e-7 * (1.0 + abs(at))
    inside, outside = (entered_beyond_a_border(part * limit, at) for part in (INSIDE, OUTSIDE))
    assert (inside.outcome.word, inside.mode) == ("completed", "above")
    assert outside.outcome.word == "forbidden"


def dips_below_a_border(depth: float, at: float) -> detent.Run:
    """y = at + (t - 1)^2 / 100 - depth, in a mode that requires y >= at: below it for a while, and back."""
    system, _, y = plane(y=at + 0.01 - depth, y_rate=-0.02)
    system.force("push", system.points["mass"], 0.02 * system.ground.y)
    automaton = detent.Automaton(system)
    automaton.mode("above", where=y >= at)
    return detent.simulate(automaton, 2, check=False)


@pytest.mark.parametrize("at", [0.0, -1000.0])
def test_along_the_motion_it_may_be_missed_by_as_much(at: float) -> None:
    limit = 1e-7 * (1.0 + abs(at))
    inside, outside = (dips_below_a_border(part * limit, at) for part in (INSIDE, OUTSIDE))
    assert (inside.outcome.word, inside.t[-1]) == ("completed", 2.0)
    assert outside.outcome.word == "forbidden"
    assert outside.t[-1] == pytest.approx(1 - 10 * np.sqrt(OUTSIDE * limit), abs=1e-9)  # where it passes the border


# -- rule 4: what counts as zero -----------------------------------------------------------------------------


def falls_from(height: float) -> detent.Run:
    """From so much above 1 at 1 m/s downwards: it passes 1, unless it is there already."""
    _, x, automaton, mode = moving(x=1.0 + height, x_rate=-1.0)
    automaton.transition("pass", mode, mode, when=x - 1, direction="falling")
    return detent.simulate(automaton, 1)


def test_a_sum_within_16_units_of_rounding_of_its_terms_is_zero() -> None:
    """The terms of x - 1 have the size 1. What starts at zero has nowhere to fall from."""
    limit = 16 * UNIT
    assert "pass" not in [event.name for event in falls_from(INSIDE * limit).events]
    assert "pass" in [event.name for event in falls_from(OUTSIDE * limit).events]


def set_down(height: float, time: float) -> detent.Run:
    """At a time, y is lifted from -0.01 so much above zero, falling at 1 m/s: it passes zero, unless it is there."""
    system, x, y = plane(y=time - 0.01, y_rate=-1.0)
    automaton = detent.Automaton(system)
    before, after = automaton.mode("before"), automaton.mode("after")
    automaton.transition("put", before, after, when=x >= time, reset={y: height})
    automaton.transition("pass", after, after, when=y, direction="falling")
    return detent.simulate(automaton, time + 1)


@pytest.mark.parametrize("time", [1.0, 1000.0])
def test_what_a_guard_changes_in_64_units_of_rounding_of_the_time_is_zero(time: float) -> None:
    limit = 64 * UNIT * time
    assert "pass" not in [event.name for event in set_down(INSIDE * limit, time).events]
    assert "pass" in [event.name for event in set_down(OUTSIDE * limit, time).events]


# -- rule 14: accumulation -----------------------------------------------------------------------------------


def ticking(*gaps: float) -> detent.Run:
    """A clock that ticks at 0.5 s, then after each of these times, then once a second."""
    system, x, automaton, mode = moving()
    due = system.discrete("due", 0.5)
    waiting = [system.discrete(f"gap{number}", gap) for number, gap in enumerate((*gaps, 1.0))]
    shift = dict(zip(waiting, [*waiting[1:], 1.0], strict=True))
    automaton.transition("tick", mode, mode, when=x >= due, reset={due: due + waiting[0]} | shift)
    run = detent.simulate(automaton, 4.5, check=False)
    ticks = [event.time for event in run.events if event.name == "tick"]
    np.testing.assert_allclose(np.diff(ticks)[: len(gaps)], gaps[: len(ticks) - 1], rtol=1e-3)
    return run


def test_three_intervals_must_have_become_shorter_before_that_is_believed() -> None:
    """What remains after 1, r, r^2 (r = 2^-16) is 2^-48 of a second, as it is after 1, r, r^2, r^3 (r = 2^-12)."""
    assert ticking(1.0, 2.0**-16, 2.0**-32).outcome.word == "completed"
    assert ticking(1.0, 2.0**-12, 2.0**-24, 2.0**-36).outcome.word == "zeno"


def test_transitions_accumulate_once_2_to_the_minus_46_of_the_time_remains() -> None:
    """After 1, r, r^2, r^3, at 1.5 s, there remains r^4/(1 - r)."""
    inside, outside = ((part * 1.5 * 2.0**-46) ** 0.25 for part in (INSIDE, OUTSIDE))
    assert ticking(1.0, inside, inside**2, inside**3).outcome.word == "zeno"
    assert ticking(1.0, outside, outside**2, outside**3).outcome.word == "completed"


# -- the start -----------------------------------------------------------------------------------------------


def guesses() -> list[float]:
    """Where a start is looked for that nothing tells the way to."""
    looked: list[float] = []

    def flat(state: np.ndarray) -> RowValues:
        looked.append(float(state[0]))
        return RowValues(phi=np.ones(1), B=np.zeros((1, 1)), C=np.zeros(1), turn=np.eye(1), reaction=np.zeros((1, 1)))

    with pytest.raises(detent.DetentError, match="'flat' cannot be met from this start"):
        StartSearch(flat, (1, 1, 0), [], ["flat"]).find(np.zeros(2))
    return list(dict.fromkeys(looked))


def test_a_start_is_looked_for_from_eight_guesses() -> None:
    assert len(guesses()) == 8


def test_a_start_is_found_from_the_last_guess() -> None:
    """A well so narrow that its walls are flat, to the last bit, at all the other guesses."""
    *others, last = guesses()
    assert min(abs(other - last) for other in others) > 1.0
    system, x = particle()
    bottom = last + 0.05
    system.constrain(detent.holonomic("well", 1 - 2 * sympy.exp(-100 * (x - bottom) ** 2)))
    run = detent.simulate(system, 1)
    assert abs(run.final.x - bottom) == pytest.approx(np.sqrt(np.log(2) / 100), rel=1e-9)


# -- what a run says and keeps -------------------------------------------------------------------------------


@pytest.mark.parametrize(("step", "least", "most"), [(0.31, 0.5e-3, 1e-3), (0.36, 1e-3, 2e-3)])
def test_an_energy_that_is_off_by_more_than_a_thousandth_is_told(step: float, least: float, most: float) -> None:
    system, *_ = oscillator()
    simulation = detent.Simulation(system, method="rk4", step=step)
    simulation.advance(20)
    run = simulation.result()
    assert least < run.audit.energy_balance < most
    assert any("energy balance is off by" in remark for remark in run.remarks) == (most > 1e-3)


def test_a_run_that_keeps_everything_takes_two_million_steps_at_most() -> None:
    system, *_ = oscillator()
    assert detent.Simulation(system)._context.options.steps_at_most == 2_000_000


# -- tolerances ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", list(TABLEAUS))
def test_a_run_states_its_tolerances_where_they_decide_its_steps(method: str) -> None:
    system, *_ = oscillator()
    run = detent.simulate(system, 1, method=method, step=0.01, rtol=1e-6, atol=1e-7)
    stated = (1e-6, 1e-7) if TABLEAUS[method].is_adaptive else (None, None)
    assert (run.rtol, run.atol) == stated
    assert TABLEAUS[method].is_adaptive == (method != "rk4")


@pytest.mark.parametrize("method", list(TABLEAUS))
def test_no_method_is_adaptive_when_all_its_steps_are_the_same(method: str) -> None:
    cell = np.zeros(2, dtype=np.int64)
    assert not Solver(cell, width=1, values=np.zeros(0), method=method, step=0.1, fixed=True).is_adaptive
