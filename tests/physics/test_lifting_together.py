"""Crates on platforms that fall away: all corners leave at once, at the instant at which nothing presses them."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy

import detent

G = 9.81


def crate(platform: sympy.Expr, time: sympy.Symbol, friction: float, half: float = 0.2) -> detent.System:
    """A crate on a platform at the height that is an expression of the time; it starts with that."""
    system = detent.System("crate")
    joint = system.planar("crate", system.origin, system.ground)
    body = system.body("crate", joint.point, joint.frame, mass=1.5, inertia=0.02)
    system.gravity(-G * system.ground.y)
    start, rate = (float(each.subs(time, 0)) for each in (platform, platform.diff(time)))
    system.start(crate_y=0.02 + start, crate_y_rate=rate)
    place = system.origin.offset("platform", platform.subs(time, system.time) * system.ground.y)
    corners = body.polygon((-half, -0.02), (half, -0.02), (half, 0.02), (-half, 0.02))
    law = detent.Coulomb(friction) if friction else None
    system.contact("crate|platform", corners, system.ground.line(at=place), friction=law)
    return system


def lifts_of(run: detent.Run) -> list[float]:
    """When corners leave the platform; both must leave together."""
    times: dict[float, int] = {}
    for event in run.events:
        if "-> open" in event.name:
            key = next((each for each in times if abs(each - event.time) < 1e-10), event.time)
            times[key] = times.get(key, 0) + event.name.count("-> open")
    assert all(count == 2 for count in times.values()), times
    return list(times)


def check_dip(seed: int) -> None:
    """A platform whose acceleration is -(1 + d) g + B (t - 1)^2: nothing presses from 1 - sqrt(d g/B) on."""
    random = np.random.default_rng([seed, 31])
    d, B, friction = random.uniform(0.02, 0.3), random.uniform(20, 500), random.choice([0, 0.001, 0.3])
    t = sympy.Symbol("t")
    height = -G * (1 + d) * (t - 1) ** 2 / 2 + B * (t - 1) ** 4 / 12
    run = detent.simulate(crate(height, t, friction), until=1.2, rtol=10.0 ** random.uniform(-12, -6))
    assert lifts_of(run)[0] == pytest.approx(1 - math.sqrt(d * G / B), abs=1e-8), seed
    assert run.audit.largest_cone_excess is not None
    assert run.audit.largest_cone_excess < 1e-9, seed


def check_shaken(seed: int) -> None:
    """A platform that swings as A sin(w t): the crate leaves it where A w^2 sin(w t) = g, hop after hop."""
    random = np.random.default_rng([seed, 32])
    w = random.uniform(5, 25)
    A, friction = G * random.uniform(1.01, 1.8) / w**2, random.choice([0, 0.3])
    t = sympy.Symbol("t")
    system = crate(A * sympy.sin(w * t), t, friction, random.uniform(0.1, 0.5))
    run = detent.simulate(system, until=3 * 2 * math.pi / w, rtol=10.0 ** random.uniform(-12, -6))
    lifts = lifts_of(run)
    assert lifts[0] == pytest.approx(math.asin(G / A / w**2) / w, abs=1e-8), seed
    assert A * w**2 * np.sin(w * np.array(lifts)) == pytest.approx(G, abs=1e-6), seed
    assert run.audit.largest_cone_excess is not None
    assert run.audit.largest_cone_excess < 1e-9, seed
    assert np.abs(run.crate_angle).max() < 1e-9, seed


@pytest.mark.parametrize("seed", range(6))
def test_a_crate_leaves_a_platform_that_falls_away_for_a_moment(seed: int) -> None:
    check_dip(seed)


@pytest.mark.parametrize("seed", range(6))
def test_a_crate_hops_on_a_shaken_platform_with_all_its_corners(seed: int) -> None:
    check_shaken(seed)


@pytest.mark.slow
def test_hundreds_of_crates_leave_their_platforms_with_all_their_corners() -> None:
    for seed in range(100, 500):
        check_dip(seed)
        check_shaken(seed)
