"""Contacts that are held by one corner, left where their force ends, or share their forces and rest for ever."""

from __future__ import annotations

import math

import numpy as np
import pytest

import detent
from tests.physics.contact_scenes import G, box


def jumper(stiffness: float, squeezed: float) -> detent.System:
    """Two particles of 1 kg over one another with a squeezed spring between; the lower stands on the floor."""
    system = detent.System("jumper")
    low, high = system.coordinates("low", "high")
    lower = system.particle("lower", system.origin.offset("lower", low * system.ground.y), 1)
    upper = system.particle("upper", system.origin.offset("upper", high * system.ground.y), 1)
    system.gravity(-G * system.ground.y)
    pull = stiffness * (high - low - 1)
    system.force("spring on the lower", lower.center, pull * system.ground.y)
    system.force("spring on the upper", upper.center, -pull * system.ground.y)
    system.start(low=0, high=1 - squeezed)
    system.contact("lower|floor", lower.point(), system.ground.line())
    return system


@pytest.mark.parametrize("seed", range(10))
def test_a_contact_is_left_where_its_force_ends_though_all_that_is_free_of_it_comes_to_nothing(seed: int) -> None:
    """The lower one leaves where the spring carries it: there nothing but rounding tells whether it is pressed."""
    stiffness, squeezed = np.random.default_rng(seed).uniform([50, 1], [200, 2]) * [1, 0.5]
    run = detent.simulate(jumper(stiffness, squeezed), until=1.0, rtol=1e-12)
    leaves = run.events[0]
    assert leaves.name == "lower|floor: slip -> open"
    # The upper one swings about -G/k with the amplitude squeezed - G/k, and the spring carries the lower one at G/k.
    down = G / stiffness
    expected = (math.pi - math.acos(2 * down / (squeezed - down))) / math.sqrt(stiffness)
    assert leaves.time == pytest.approx(expected, abs=1e-11)
    normal = run.reactions["lower|floor.normal"]
    assert np.nanmin(normal) > -1e-12


def test_a_box_on_one_corner_turns_about_it() -> None:
    """It falls as a pendulum about that corner does: the rate follows from the energy."""
    tilt, alpha, radius = 0.3, math.pi / 4, math.sqrt(0.5)
    start = {"box_angle": tilt, "box_x": radius * math.sin(alpha - tilt), "box_y": radius * math.cos(alpha - tilt)}
    run = detent.simulate(box(1.0, 1.0, 2.0, **start), until=0.2, rtol=1e-12)
    assert run.mode == "box|slope corner 1: stick"
    turned = math.cos(alpha - tilt) - np.cos(alpha - run.box_angle)
    np.testing.assert_allclose(run.box_angle_rate**2, 1.5 * G / radius * turned, rtol=0, atol=1e-11)


def test_a_box_on_its_face_stays_where_it_is_exactly() -> None:
    run = detent.simulate(box(1.0, 0.5, 0.5, tilt=0.3), until=1e4)
    assert np.ptp(run.box_x[1:]) == 0.0
    assert np.ptp(run.box_angle[1:]) == 0.0


@pytest.mark.parametrize(("push", "turn"), [(1.0, 0.0), (1.0, 0.5), (2.0, -0.9)])
def test_a_box_on_its_face_begins_to_slide_when_it_is_pushed_by_mu_m_g(push: float, turn: float) -> None:
    """All its corners come to the edges of their cones at one instant, however the weight is shared: at mu m g."""
    system = detent.System("box")
    joint = system.planar("box", system.origin, system.ground)
    crate = system.body("box", joint.point, joint.frame, mass=1, inertia=0.1)
    system.gravity(-9.81 * system.ground.y)
    system.force("push", crate, push * system.time * system.ground.x)
    system.torque("turn", crate, turn * system.time * system.ground.z)
    system.start(box_y=0.25)
    corners = crate.polygon((-0.5, -0.25), (0.5, -0.25), (0.5, 0.25), (-0.5, 0.25))
    system.contact("box|floor", corners, system.ground.line(), friction=detent.Coulomb(0.3))
    run = detent.simulate(system, until=4)
    (slides,) = run.events.of_kind("transition")
    assert slides.name == "box|floor corner 1: stick -> slip, box|floor corner 2: stick -> slip"
    assert slides.time == pytest.approx(0.3 * 9.81 / push, rel=1e-12)
    assert run.audit.largest_cone_excess is not None
    assert run.audit.largest_cone_excess < 1e-12
