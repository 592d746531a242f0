"""Contacts that push once a step, by forces or by impulses: what that errs by, and that it falls with the step."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import detent
from tests.physics.contact_scenes import G, ball, block, box, cube

BOTH = ["complementarity", "impulse"]
TILT = 0.3


def stepped(model: Any, until: float, formulation: Any, step: float, **more: Any) -> detent.Run:
    return detent.simulate(model, until, formulation=formulation, method="rk4", step=step, **more)


@pytest.mark.parametrize("step", [0.02, 0.003])
def test_by_forces_a_block_inside_the_cone_stays_where_it_is(step: float) -> None:
    run = stepped(block(detent.Coulomb(0.5), TILT), 3, "complementarity", step)
    assert (run.final.x, run.final.y, run.final.x_rate, run.final.y_rate) == (0.0, 0.0, 0.0, 0.0)
    course = run.contacts["block|slope"]
    assert course.normal == pytest.approx(G * math.cos(TILT), rel=1e-12)
    assert course.friction == pytest.approx(G * math.sin(TILT), rel=1e-12)


@pytest.mark.parametrize("step", [0.02, 0.01, 0.005])
def test_by_impulses_it_creeps_and_its_normal_velocity_chatters_in_proportion_to_the_step(step: float) -> None:
    """It falls freely along each step, by g h^2/2, and is stopped; the depth settles where that much is given back."""
    run = stepped(block(detent.Coulomb(0.5), TILT), 2, "impulse", step)
    late = run.t > 1
    assert run.final.x == pytest.approx(-G * math.sin(TILT) * step / 2 * 2, rel=1e-9)
    assert np.abs(run.y_rate[late]).max() == pytest.approx(G * math.cos(TILT) * step / 2, rel=1e-9)
    assert run.audit.smallest_gap == pytest.approx(-G * math.cos(TILT) * step**2 / 2, rel=1e-9)


@pytest.mark.parametrize("formulation", BOTH)
@pytest.mark.parametrize("step", [0.0213, 0.00817, 0.00371, 0.00119])
def test_a_sliding_block_stops_within_a_step_of_where_it_should(formulation: str, step: float) -> None:
    """Its deceleration is constant, so what is missed is the last step: less than mu g h for less than h."""
    speed, mu = 2.0, 0.4
    run = stepped(block(detent.Coulomb(mu), 0.0, speed), 1, formulation, step)
    assert abs(run.final.x - speed**2 / (2 * mu * G)) <= mu * G * step**2
    assert run.final.x_rate == 0.0


@pytest.mark.parametrize("formulation", BOTH)
def test_what_sticks_and_slips_in_turn_is_followed_with_the_order_of_the_step(formulation: str) -> None:
    example = detent.example("stick-slip")
    known = example.simulate(until=12).final.x
    errors = [
        abs(example.simulate(until=12, formulation=formulation, method="rk4", step=step).final.x - known)
        for step in (0.02, 0.002)
    ]
    assert errors[0] < 0.1
    assert errors[1] < errors[0] / 5


@pytest.mark.parametrize("formulation", BOTH)
def test_a_cube_slides_to_the_same_place_as_with_events(formulation: str) -> None:
    mu, speed = 0.3, 1.0
    known = speed**2 / (2 * mu * G)
    for step in (0.004, 0.001):
        run = stepped(cube(0.2, mu, cube_x_rate=speed), 0.6, formulation, step)
        assert abs(run.final.cube_x - known) < speed * step
        assert abs(run.final.cube_y) < 1e-9


@pytest.mark.parametrize("formulation", BOTH)
@pytest.mark.parametrize("restitution", [0.0, 0.5, 0.9])
def test_a_ball_rises_again_as_high_as_its_restitution_says(formulation: str, restitution: float) -> None:
    step, fall = 1e-3, math.sqrt(2 / G)
    run = stepped(ball(restitution), fall * (1 + restitution), formulation, step)  # to the top of its first bounce
    # It meets the floor up to a step too late: so much faster, and so much lower.
    assert run.final.y == pytest.approx(restitution**2, abs=2 * math.sqrt(2 * G) * step)


@pytest.mark.parametrize("formulation", BOTH)
def test_restitution_never_gains_energy_where_newtons_rule_would(formulation: str) -> None:
    run = detent.example("kane-puzzle").simulate(formulation=formulation, method="rk4", step=1e-3)
    assert run.energy.max() <= run.energy[0] * (1 + 1e-12)
    assert run.energy[-1] < run.energy[0]


@pytest.mark.parametrize("make", [lambda: box(1.0, 2.0, 0.5), lambda: cube(1.0, 0.5)])
def test_by_forces_a_body_rests_on_more_corners_than_it_needs(make: Any) -> None:
    run = stepped(make(), 1, "complementarity", 0.01)
    assert np.ptp(run.trajectory.state[:, :-1], axis=0).max() < 100 * 64 * 2.2e-16  # rounding in each of its steps
    (contact,) = run.contacts.values()
    assert sum(place.normal[-1] for place in contact.values()) == pytest.approx(G, rel=1e-9)


@pytest.mark.parametrize("formulation", BOTH)
def test_constraints_hold_beside_contacts(formulation: str) -> None:
    """A ball on a rod falls onto a table below its pivot, and lies there."""
    system = detent.System("held ball")
    x, y = system.coordinates(x=0.8, y=-0.6)
    body = system.particle("ball", system.origin.offset("ball", x * system.ground.x + y * system.ground.y), 1)
    system.gravity(-G * system.ground.y)
    system.constrain(detent.holonomic("rod", x**2 + y**2 - 1))
    table = system.ground.line(at=(0, -0.8))
    system.contact("ball|table", body.point(), table, impact=detent.Plastic())
    run = stepped(system, 1, formulation, 1e-3)
    assert run.audit.position_residual < 1e-12
    assert run.final.y == pytest.approx(-0.8, abs=5e-3)
    assert abs(run.final.x_rate) < 2 * G * 1e-3


@pytest.mark.parametrize("formulation", BOTH)
def test_a_thin_plate_is_met_from_above_and_not_pushed_through(formulation: str) -> None:
    system = detent.System("plate")
    y = system.coordinates(y=0.3)
    disk = system.particle("disk", system.origin.offset("center", y * system.ground.y), mass=1)
    system.gravity(-G * system.ground.y)
    plate = system.ground.polygon((-1, -0.2), (1, -0.2), (1, 0), (-1, 0))
    system.contact("disk|plate", disk.circle(0.05), plate, impact=detent.Plastic())
    run = stepped(system, 1, formulation, 1e-3)
    assert run.final.y == pytest.approx(0.05, abs=3e-3)


@pytest.mark.parametrize("formulation", BOTH)
def test_the_work_of_contacts_is_accounted_for(formulation: str) -> None:
    run = stepped(box(1, 2, 0.4, 0.3, box_y=1.2, box_angle=0.3, box_x_rate=1.0), 2, formulation, 1e-3)
    assert run.audit.energy_balance < 1e-9
    assert len(run.events) == 0


@pytest.mark.parametrize("formulation", BOTH)
def test_a_run_goes_on_from_a_checkpoint_to_the_last_bit(formulation: str, tmp_path: Path) -> None:
    make = lambda: box(1, 2, 0.4, 0.3, box_y=1.2, box_angle=0.3)  # noqa: E731
    whole = detent.Simulation(make(), method="rk4", step=0.01, formulation=formulation)
    whole.advance(1.0)
    whole.checkpoint(tmp_path / "half.json")
    whole.advance(2.0)
    rest = detent.resume(make(), tmp_path / "half.json")
    rest.advance(2.0)
    assert rest.state.values.tolist() == whole.state.values.tolist()


@pytest.mark.parametrize("formulation", BOTH)
def test_without_contacts_constraints_run_as_in_projection(formulation: str) -> None:
    crank = detent.example("slider-crank")
    runs = [crank.simulate(until=1, formulation=f, method="rk4", step=0.01) for f in (formulation, "projection")]
    assert runs[0].final.values.tolist() == runs[1].final.values.tolist()


@pytest.mark.parametrize("formulation", BOTH)
def test_adaptive_steps_and_transitions_are_refused_with_who_can(formulation: str) -> None:
    with pytest.raises(detent.ValueProblem, match=r"push once a step.*use method='rk4' with step="):
        detent.simulate(ball(0.5), 1, formulation=formulation)
    with pytest.raises(detent.DetentError, match="has transitions; use formulation='embedded'"):
        detent.example("latch").simulate(formulation=formulation, method="rk4", step=0.01)


@pytest.mark.parametrize("value", [-1.0, math.inf, "much", True])
def test_settings_are_checked(value: Any) -> None:
    for kind, names in ((detent.Complementarity, ["reach"]), (detent.Impulse, ["reach", "restitution"])):
        for name in names:
            with pytest.raises(detent.ValueProblem, match=f"the {name} of {kind.__name__} is"):
                kind(**{name: value})
    with pytest.raises(detent.ValueProblem, match="from 0 to 1"):
        detent.Impulse(restitution=1.5)
