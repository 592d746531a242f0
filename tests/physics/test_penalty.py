"""Springs and dampers in place of constraints and contacts: how they give way, creep and give back."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import detent
from tests.physics.contact_scenes import G, ball, block, box

STIFFNESS, DAMPING = 1e5, 300.0
SOFT = detent.Penalty(stiffness=STIFFNESS, damping=DAMPING)


@pytest.mark.parametrize("damping", [100.0, 1000.0])
def test_a_block_inside_the_cone_creeps_with_friction_over_damping(damping: float) -> None:
    tilt = 0.3
    run = detent.simulate(block(detent.Coulomb(0.5), tilt), 3, formulation=detent.Penalty(STIFFNESS, damping))
    course = run.contacts["block|slope"]
    assert run.x_rate[-1] == pytest.approx(-G * math.sin(tilt) / damping, rel=1e-6)
    assert course.gap[-1] == pytest.approx(-G * math.cos(tilt) / STIFFNESS, rel=1e-6)
    assert course.normal[-1] == pytest.approx(G * math.cos(tilt), rel=1e-6)
    assert course.friction[-1] == pytest.approx(G * math.sin(tilt), rel=1e-6)
    assert detent.simulate(block(detent.Coulomb(0.5), tilt), 3).final.x == 0.0  # where it is held it stays


def given_back(stiffness: float, damping: float) -> float:
    """The restitution of a mass of 1 kg by a spring and a damper that do not pull (Schwager and Poeschel, 2007)."""
    decay, frequency = damping / 2, math.sqrt(stiffness)
    swing = math.sqrt(frequency**2 - decay**2)
    angle = math.atan2(2 * decay * swing, frequency**2 - 2 * decay**2)
    return math.exp(-decay / swing * (math.pi - angle))


@pytest.mark.parametrize("damping", [30.0, 150.0])
def test_a_bounce_gives_back_what_spring_and_damper_do_whatever_the_law_says(damping: float) -> None:
    system = ball(restitution=0.9, height=0.5)
    run = detent.simulate(system, 2, start={"y_rate": -200.0}, formulation=detent.Penalty(STIFFNESS, damping))
    fall = math.sqrt(200.0**2 + 2 * G * 0.5)
    rise = math.sqrt(run.y_rate.max() ** 2)
    # Gravity acts during the bounce too, which takes some pi/sqrt(k/m).
    assert rise == pytest.approx(given_back(STIFFNESS, damping) * fall, abs=2 * G * math.pi / math.sqrt(STIFFNESS))


def test_contacts_never_pull_and_friction_stays_in_its_cone() -> None:
    run = detent.simulate(box(1, 2, 0.4, box_y=1.2, box_angle=0.3, box_x_rate=1.0), 2, formulation=SOFT)
    assert run.audit.largest_cone_excess == pytest.approx(0.0, abs=1e-12)
    for place in run.contacts["box|slope"].values():
        assert place.normal.min() == 0.0
        assert (place.normal[place.gap > 0.0] == 0.0).all()
    assert run.audit.energy_balance < 1e-7
    assert len(run.events) == 0


def test_a_sliding_block_stops_where_friction_stops_it_but_for_its_creep() -> None:
    speed, mu = 2.0, 0.4
    run = detent.simulate(block(detent.Coulomb(mu), 0.0, speed), 2, formulation=SOFT)
    known = speed**2 / (2 * mu * G)
    regularised = mu * G / DAMPING  # below this speed it does not slide but creeps, and dies out with d/m
    assert run.final.x == pytest.approx(known, abs=2 * regularised / DAMPING + 1e-3 * known)
    assert abs(run.final.x_rate) < 1e-9


def test_violations_fall_with_the_stiffness() -> None:
    violated = []
    for stiffness in (1e4, 1e5, 1e6):
        soft = detent.Penalty(stiffness, damping=2 * math.sqrt(stiffness))
        violated.append(detent.example("slider-crank").simulate(until=1, formulation=soft).audit.position_residual)
    assert violated[0] / violated[1] == pytest.approx(10, rel=0.2)
    assert violated[1] / violated[2] == pytest.approx(10, rel=0.2)


def test_the_reaction_of_a_constraint_is_what_its_spring_and_damper_push() -> None:
    system = detent.System("hanging")
    y = system.coordinates("y")
    system.particle("weight", system.origin.offset("weight", y * system.ground.y), mass=2)
    system.gravity(-G * system.ground.y)
    system.constrain(detent.holonomic("string", y))
    run = detent.simulate(system, 2, formulation=SOFT)
    assert run.reactions["string"][-1] == pytest.approx(2 * G, rel=1e-6)
    assert run.final.y == pytest.approx(-2 * G / STIFFNESS, rel=1e-6)


def test_a_place_behind_a_face_is_not_pushed_through_it() -> None:
    system = detent.System("plate")
    y = system.coordinates(y=0.3)
    disk = system.particle("disk", system.origin.offset("center", y * system.ground.y), mass=1)
    system.gravity(-G * system.ground.y)
    plate = system.ground.polygon((-1, -0.2), (1, -0.2), (1, 0), (-1, 0))
    system.contact("disk|plate", disk.circle(0.05), plate)
    with pytest.raises(detent.ValueProblem, match=r"could pass through 'disk.plate edge 1' unseen"):
        detent.simulate(system, 1, formulation="penalty")
    run = detent.simulate(system, 1, formulation=detent.Penalty(1e5, 600), step=0.01)
    assert run.final.y == pytest.approx(0.05 - G / 1e5, abs=1e-6)


def test_conditions_in_a_law_of_friction_are_followed_without_events() -> None:
    known = detent.example("disk-on-ramp-contact").simulate()
    run = detent.example("disk-on-ramp-contact").simulate(formulation="penalty")
    assert run.final.q1 == pytest.approx(known.final.q1, abs=5e-3)
    assert len(run.events) == 0 < len(known.events)


def test_steps_of_fixed_size_are_refused_where_they_would_be_unstable() -> None:
    system = block(detent.Coulomb(0.5), 0.3)
    longest = 2.785 / math.sqrt(STIFFNESS)  # of 1 kg, less than critically damped
    with pytest.raises(detent.ValueProblem, match=r"stable up to 0\.00881 s; take a shorter step") as problem:
        detent.simulate(system, 1, formulation=SOFT, method="rk4", step=1.01 * longest)
    assert "method='dop853'" in str(problem.value)
    run = detent.simulate(system, 3, formulation=SOFT, method="rk4", step=longest / 2)
    assert run.x_rate[-1] == pytest.approx(-G * math.sin(0.3) / DAMPING, rel=1e-2)


def test_transitions_and_parts_without_mass_are_refused_with_who_can() -> None:
    with pytest.raises(detent.DetentError, match="has transitions; use formulation='embedded'"):
        detent.example("latch").simulate(formulation="penalty")
    system = detent.System("massless")
    x, y = system.coordinates("x", "y")
    system.particle("bead", system.origin.offset("bead", x * system.ground.x), mass=1)
    system.constrain(detent.holonomic("follows", x - y))
    with pytest.raises(detent.DetentError, match="would push on nothing; use formulation='embedded'"):
        detent.simulate(system, 1, formulation="penalty")


@pytest.mark.parametrize("name", ["stiffness", "damping", "reach"])
@pytest.mark.parametrize("value", [0, -1.0, math.inf, "much", True])
def test_settings_are_checked(name: str, value: object) -> None:
    with pytest.raises(detent.ValueProblem, match=f"the {name} of Penalty is"):
        detent.Penalty(**{name: value})


@pytest.mark.parametrize("system", [block(detent.Coulomb(0.3), 0.4), detent.example("slider-crank").system])
def test_a_checkpoint_goes_on_with_the_same_bits(system: detent.System, tmp_path: Path) -> None:
    whole = detent.Simulation(system, formulation=SOFT, method="rk4", step=1e-3, embedding="symbolic")
    whole.advance(0.5)
    whole.checkpoint(tmp_path / "half.json")
    whole.advance(1)
    rest = detent.resume(system, tmp_path / "half.json")
    rest.advance(1)
    assert rest.state.values.tolist() == whole.state.values.tolist()
