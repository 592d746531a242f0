"""Guards and requirements that hold the speed of slip in space, a root of squares that has no rate where slip ends."""

from __future__ import annotations

import math
from typing import Any

import pytest
import sympy

import detent

BRAKES = 0.3 * 9.81 * (1 + 0.5**2 / 0.1)
"""m/s^2. By how much the slip of the ball falls: mu g (1 + m r^2/I)."""


def sliding_ball() -> tuple[detent.Automaton, Any]:
    """A ball that slips with 5 m/s, and the expression of that speed."""
    system = detent.System("ball")
    joint = system.free("ball", system.origin, system.ground)
    ball = system.body("ball", joint.point, joint.frame, mass=1, inertia=(0.1, 0.1, 0.1))
    system.gravity(-9.81 * system.ground.z)
    system.start(ball_z=0.5, ball_x_rate=3, ball_y_rate=4)
    contact = system.contact("ball|floor", ball.sphere(0.5), system.ground.plane(), friction=detent.Coulomb(0.3))
    one, two = contact.slip()
    return detent.Automaton(system), sympy.sqrt(one**2 + two**2)


@pytest.mark.parametrize(
    "required",
    [
        lambda slip: 6 - slip,
        lambda slip: slip + 0.1,
        lambda slip: slip,
        lambda slip: sympy.sqrt(slip) + 0.1,
        lambda slip: 6 - slip / 2,
    ],
)
def test_what_a_mode_requires_of_the_speed_of_slip_holds_where_slip_ends_and_after_it(required: Any) -> None:
    """Such a run did not end: a sum of squares was bounded from below by less than zero, where no root has a value."""
    automaton, slip = sliding_ball()
    automaton.mode("any", where=[required(slip)])
    run = detent.simulate(automaton, until=1, most_steps=200)
    assert [event.name for event in run.events] == ["ball|floor: slip -> roll"]
    assert run.events[0].time == pytest.approx(5 / BRAKES, abs=1e-8)


def test_a_guard_of_the_speed_of_slip_fires_when_the_closed_form_says() -> None:
    automaton, slip = sliding_ball()
    automaton.mode("fast")
    automaton.mode("slow")
    automaton.transition("slows down", "fast", "slow", when=slip <= 2)
    automaton.transition("speeds up", "slow", "fast", when=slip >= 3)
    run = detent.simulate(automaton, until=1, most_steps=200)
    assert [event.name for event in run.events] == ["slows down", "ball|floor: slip -> roll"]
    assert run.events[0].time == pytest.approx(3 / BRAKES, abs=1e-8)


def test_a_requirement_on_the_speed_of_slip_ends_the_run_where_it_fails() -> None:
    automaton, slip = sliding_ball()
    automaton.mode("fast", where=[slip - 1])
    run = detent.simulate(automaton, until=1, check=False, most_steps=200)
    assert run.outcome.word == "forbidden"
    assert run.time[-1] == pytest.approx(4 / BRAKES, abs=1e-8)
    assert math.hypot(run["ball_x_rate"][-1], run["ball_y_rate"][-1]) == pytest.approx(5 - 4 / 3.5, abs=1e-7)
