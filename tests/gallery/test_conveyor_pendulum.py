"""The conveyor pendulum: the times of the published run, Smith's law at each impact, and what holds P2 on the belt."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import brentq

import detent
from detent.gallery.conveyor_pendulum import build
from tests.contact_solves.smith import Smith

Matrix = NDArray[np.float64]

EMBEDDINGS = ["symbolic", "numeric", "live"]
D, VB, G = 1.2, 2.5, 9.8
PUBLISHED = [
    ("strikes material 1 and rebounds", "free", "free", 0.072642086676),
    ("strikes material 1 and rebounds", "free", "free", 0.251849625148),
    ("strikes material 2 and slides", "free", "slide", 0.408378424309),
    ("sticks", "slide", "stuck", 0.873112060392),
]


def mass(q1: float, q2: float) -> Matrix:
    """The mass matrix of two unit masses on unit rods, in absolute angles."""
    return np.array([[2.0, math.cos(q1 - q2)], [math.cos(q1 - q2), 1.0]])


def rows(q1: float, q2: float) -> Matrix:
    """How fast P2 goes up and to the right per unit of each rate."""
    return np.array([[math.sin(q1), math.sin(q2)], [math.cos(q1), math.cos(q2)]])


def velocity(q1: float, q2: float, u1: float, u2: float) -> Matrix:
    """The velocity of P2 against the belt: upwards, and to the right."""
    relative: Matrix = rows(q1, q2) @ np.array([u1, u2]) - np.array([0.0, VB])
    return relative


def holding(q1: float, q2: float) -> Matrix:
    """The forces (N) that carry P2 with the belt: normal and along, from the motion that the belt alone decides."""
    u = np.linalg.solve(rows(q1, q2), [0.0, VB])
    centripetal = np.array([[math.cos(q1), math.cos(q2)], [-math.sin(q1), -math.sin(q2)]]) @ u**2
    acceleration = np.linalg.solve(rows(q1, q2), -centripetal)
    turning = math.sin(q1 - q2) * np.array([-(u[1] ** 2), u[0] ** 2])
    forces = turning - G * np.array([2 * math.sin(q1), math.sin(q2)])
    made: Matrix = np.linalg.solve(rows(q1, q2).T, mass(q1, q2) @ acceleration - forces)
    return made


def carried(x: float) -> tuple[float, float]:
    """The angles of the rods (the first to the right of the second) with P2 on the belt at x."""
    toward, opening = math.atan2(x, D), math.acos(math.hypot(x, D) / 2)
    return toward + opening, toward - opening


def jump(run: detent.Run, time: float) -> tuple[dict[str, float], dict[str, float]]:
    """The state before and after an instant."""
    nodes = np.flatnonzero(run.t == time)
    before, after = ({name: float(run[name][n]) for name in ("q1", "q2", "u1", "u2")} for n in (nodes[0], nodes[-1]))
    return before, after


@pytest.mark.parametrize("embedding", EMBEDDINGS)
def test_the_published_times_come_out(embedding: str) -> None:
    run = build().simulate(rtol=1e-10, embedding=embedding)
    changes = [event for event in run.events if event.kind in ("impact", "transition")]
    assert [(e.name, e.source, e.target) for e in changes] == [expected[:3] for expected in PUBLISHED]
    np.testing.assert_allclose([e.time for e in changes], [expected[3] for expected in PUBLISHED], rtol=0, atol=1e-9)
    stuck = run.at(changes[3].time)
    np.testing.assert_allclose([stuck.q1, stuck.q2], [1.36823786, -0.04850511], rtol=0, atol=1e-8)
    assert run.mode == "stuck"


def test_the_first_rebound_keeps_the_restitution_and_leaves_at_the_belts_speed() -> None:
    run = build().simulate(rtol=1e-10)
    before, after = jump(run, run.events[0].time)
    assert velocity(**before)[0] == pytest.approx(-0.966946111, abs=1e-9)
    np.testing.assert_allclose(velocity(**after), [0.870251500, 0.0], rtol=0, atol=1e-9)


def test_the_landing_leaves_the_published_speed() -> None:
    run = build().simulate(rtol=1e-10)
    _, after = jump(run, run.events[2].time)
    np.testing.assert_allclose(velocity(**after), [0.0, 2.353499825 - VB], rtol=0, atol=1e-9)


def test_no_impact_gains_energy_against_the_belt() -> None:
    run = build().simulate(rtol=1e-10)
    impacts = run.events.of_kind("impact")
    assert len(impacts) == 3
    for event in impacts:
        before, after = jump(run, event.time)
        q1, q2 = before["q1"], before["q2"]
        change = np.array([after["u1"] - before["u1"], after["u2"] - before["u2"]])
        impulse = np.linalg.solve(rows(q1, q2).T, mass(q1, q2) @ change)
        # The belt moves, and what it gives is no gain: the rest is the impulse times the mean relative velocity.
        assert impulse @ (velocity(**before) + velocity(**after)) / 2 < -0.01
        assert impulse[0] > 0


@pytest.mark.parametrize("embedding", EMBEDDINGS)
def test_energy_and_constraints_are_kept(embedding: str) -> None:
    run = build().simulate(rtol=1e-10, until=1.5, embedding=embedding)
    assert run.audit.energy_balance < 1e-8
    assert run.audit.position_residual < 1e-12
    assert run.audit.velocity_residual < 1e-12
    height = D - np.cos(run.q1) - np.cos(run.q2)
    assert height.min() > -1e-12


def test_what_is_stuck_rides_with_the_belt_and_is_held_by_the_forces_of_that_motion() -> None:
    run = build().simulate(rtol=1e-10)
    riding = ~np.isnan(run.reactions["carried"])
    times, x = run.t[riding], (np.sin(run.q1) + np.sin(run.q2))[riding]
    np.testing.assert_allclose(x, x[0] + VB * (times - times[0]), rtol=0, atol=1e-9)
    angles = [carried(place) for place in x]
    np.testing.assert_allclose(np.array([run.q1, run.q2])[:, riding].T, angles, rtol=0, atol=1e-12)
    found = np.array([run.reactions["belt"], run.reactions["carried"]])[:, riding].T
    np.testing.assert_allclose(found, [holding(*pair) for pair in angles], rtol=0, atol=1e-10)
    assert (np.abs(found[:, 1]) < 0.2489 * found[:, 0]).all()


def test_it_lags_behind_when_riding_asks_for_more_than_static_friction() -> None:
    run = build().simulate(rtol=1e-10, until=1.5)
    stuck, lags, *later = [event for event in run.events if event.kind == "transition"]
    assert (lags.name, lags.target) == ("lags behind", "slide")
    q = run.at(stuck.time)
    first = math.sin(q.q1) + math.sin(q.q2)

    def excess(time: float) -> float:
        normal, along = holding(*carried(first + VB * (time - stuck.time)))
        return float(along - 0.2489 * normal)

    assert lags.time == pytest.approx(brentq(excess, 1.0, 1.05, xtol=1e-14), abs=1e-9)
    assert later[0].name == "lifts off"
    before, _ = (np.flatnonzero(run.t == later[0].time)[place] for place in (0, -1))
    assert abs(run.reactions["belt"][before]) < 1e-7


def test_a_plastic_first_material_holds_what_strikes_it_and_hands_it_over() -> None:
    run = build().simulate(rtol=1e-10, until=0.5, parameters={"e1": 0, "mu_s1": 2})
    names = [event.name for event in run.events if event.kind in ("impact", "transition")]
    assert names[:2] == ["strikes material 1 and sticks", "rides onto the other material"]
    crossing = run.at(run.events.named(names[1])[0].time)
    assert math.sin(crossing.q1) + math.sin(crossing.q2) == pytest.approx(-0.3, abs=1e-12)


def test_a_bouncing_second_material_throws_it_up() -> None:
    run = build().simulate(rtol=1e-10, until=0.45, parameters={"e2": 0.5})
    event = run.events[2]
    assert (event.name, event.target) == ("strikes material 2 and rebounds slipping", "free")
    before, after = jump(run, event.time)
    assert velocity(**after)[0] == pytest.approx(-0.5 * velocity(**before)[0], rel=1e-10)


def test_rebounds_that_pile_up_leave_it_on_the_belt() -> None:
    run = build().simulate(rtol=1e-10, until=8, parameters={"zone": 10})
    piled = run.events.of_kind("zeno")[0]
    assert piled.target in ("slide", "stuck")
    after = run.t > piled.time
    height = D - np.cos(run.q1) - np.cos(run.q2)
    assert np.abs(height[after]).max() < 1e-12
    assert run.audit.energy_balance < 1e-8


@pytest.mark.parametrize("slip", [-3.0, -0.2, 0.4, 5.0])
@pytest.mark.parametrize("coupling", [-0.3, 0.0, 0.3])
def test_smiths_impulse_satisfies_his_law_and_loses_energy(slip: float, coupling: float) -> None:
    e, mu_s, mu_d = 0.4, 0.15, 0.1
    law = Smith(nn=0.9, nt=coupling, tt=0.6, approach=-1.0, slip=slip, e=e)
    impulse = np.array(law.impulse(mu_s, mu_d))
    before = np.array([-1.0, slip])
    after = before + np.array([[0.9, coupling], [coupling, 0.6]]) @ impulse
    assert after[0] == pytest.approx(e, rel=1e-14)
    assert after[1] == pytest.approx(law.slip_after(*impulse), rel=1e-14)
    assert impulse @ (before + after) / 2 < 0
    if law.stops(mu_s):
        assert abs(after[1]) < 1e-14
        assert abs(impulse[1]) <= mu_s * impulse[0]
    else:
        mean = (before[1] * abs(before[1]) + after[1] * abs(after[1])) / (before[1] ** 2 + after[1] ** 2)
        assert impulse[1] == pytest.approx(-mu_d * impulse[0] * mean, rel=1e-13)


def test_a_start_below_the_belt_is_refused() -> None:
    with pytest.raises(detent.DetentError, match=r"free"):
        build().simulate(start={"q1": 0, "q2": 0})


@pytest.mark.parametrize("e2", [0.0, 0.5])
def test_every_impact_is_that_of_smiths_law(e2: float) -> None:
    run = build().simulate(rtol=1e-10, until=0.45, parameters={"e2": e2})
    impacts = run.events.of_kind("impact")
    assert len(impacts) == 3
    for number, event in enumerate(impacts):
        e, mu_s, mu_d = (0.9, 0.4978, 0.4) if number < 2 else (e2, 0.2489, 0.2)
        before, after = jump(run, event.time)
        B, M = rows(before["q1"], before["q2"]), mass(before["q1"], before["q2"])
        W = B @ np.linalg.solve(M, B.T)
        law = Smith(W[0, 0], W[0, 1], W[1, 1], *velocity(**before).tolist(), e)
        expected = law.impulse(mu_s, mu_d)
        change = np.array([after["u1"] - before["u1"], after["u2"] - before["u2"]])
        np.testing.assert_allclose(M @ change, B.T @ np.array(expected), rtol=0, atol=1e-12)
        told = [event.details["impulse of belt"], event.details["impulse of carried"]]
        np.testing.assert_allclose(told, expected, rtol=1e-12)


def test_an_impact_with_friction_that_cannot_be_is_refused_by_name() -> None:
    def automaton(*held: str, friction: object = None) -> detent.Automaton:
        system = detent.System("ball")
        x, y = system.coordinates(x=0, y=1)
        system.particle("ball", system.origin.offset("ball", x * system.ground.x + y * system.ground.y), mass=1)
        system.gravity(-G * system.ground.y)
        for each in (detent.holonomic("floor", y), detent.holonomic("wall", x), detent.motion("slip", x.rate)):
            system.constrain(each, active=False)
        system.constrain(detent.holonomic("corner", x=x, y=y), active=False)
        made = detent.Automaton(system)
        flight = made.mode("flight", list(held))
        law: Any = detent.Coulomb(0.3) if friction is None else friction
        across = "floor" if friction is None else "corner"
        step = detent.FrictionImpact(across, "slip", law=detent.Newton(0.5), friction=law)
        made.transition("strikes", flight, flight, when=y <= 0, reset=step)
        return made

    run = detent.simulate(automaton(), until=0.5)
    assert run.events.of_kind("impact")[0].details["impulse of floor"] == pytest.approx(1.5 * math.sqrt(2 * G))
    with pytest.raises(detent.DetentError, match="'wall' holds where its impact with friction strikes"):
        detent.simulate(automaton("wall"), until=0.5)
    with pytest.raises(detent.DetentError, match="'corner', which has 2 rows"):
        detent.simulate(automaton(friction=detent.Coulomb(0.1)), until=0.5)
    with pytest.raises(detent.DetentError, match=r"has the friction 0\.3; give detent\.Coulomb"):
        automaton(friction=0.3)
    with pytest.raises(detent.DetentError, match=r"has the law 0\.5; give one"):
        detent.FrictionImpact("floor", "slip", law=0.5, friction=detent.Coulomb(0.3))  # type: ignore[arg-type]
    with pytest.raises(detent.SimulationError, match="cannot be worked out: give a restitution from 0 to 1"):
        build().simulate(until=0.5, parameters={"e1": 1.5})
