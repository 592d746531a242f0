"""Sliding friction embedded with the constraint that it belongs to, and the paradox of Painleve."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sympy import cos, pi, sin

import detent
from detent import System
from detent.results.outcome import Outcome
from tests.physics.bounds import accumulated

EMBEDDINGS = ["symbolic", "numeric", "live"]


def block_on_an_incline(tilt: float, mu: float) -> System:
    """A block in level and upright coordinates, held on an incline by a constraint that carries friction."""
    system = System("block on an incline")
    x, y = system.coordinates("x", "y")
    system.particle("block", system.origin.offset("block", x * system.ground.x + y * system.ground.y), mass=2)
    system.gravity(-9.81 * system.ground.y)
    slip = x.rate * cos(tilt) - y.rate * sin(tilt)  # downhill to the right
    face = y * cos(tilt) + x * sin(tilt)
    system.constrain(detent.holonomic("face", face, sliding=[detent.Sliding(slip, mu)]))
    system.start(x_rate=1.0)
    return system


@pytest.mark.parametrize("embedding", EMBEDDINGS)
@pytest.mark.parametrize("mu", [0.0, 0.2, 0.9])
def test_a_block_slides_down_with_the_textbook_acceleration(mu: float, embedding: str) -> None:
    tilt = pi / 6
    run = detent.simulate(block_on_an_incline(tilt, mu), 0.5, rtol=1e-12, embedding=embedding)
    s, c = math.sin(math.pi / 6), math.cos(math.pi / 6)
    acceleration = 9.81 * (s - mu * c)
    speed = run.x_rate * c - run.y_rate * s
    np.testing.assert_allclose(speed, speed[0] + acceleration * run.t, rtol=0, atol=10 * accumulated(run))
    np.testing.assert_allclose(run.reactions["face"], 2 * 9.81 * c, rtol=1e-12)
    assert run.audit.energy_balance < accumulated(run)
    along = (run.x[-1] - run.x[0]) / c
    assert run.work[-1] == pytest.approx(-mu * 2 * 9.81 * c * along, rel=1e-10, abs=1e-12)


def sliding_rod(mu: float, tangent: float) -> System:
    """A uniform rod (1 kg, half-length 1) whose lower end, on the left, is pushed along the floor to the left."""
    system = System("sliding rod")
    x, y, slope = system.coordinates("x", "y", slope=math.atan(tangent))
    center = system.origin.offset("center", x * system.ground.x + y * system.ground.y)
    system.body("rod", center, system.ground.rotated("rod", slope), 1, 1 / 3)
    system.gravity(-9.81 * system.ground.y)
    slip = x.rate + sin(slope) * slope.rate  # of the end at (x - cos, y - sin)
    contact = detent.holonomic("floor", y - sin(slope), sliding=[detent.Sliding(slip, -mu)])  # it slides to the left
    system.constrain(contact)
    system.start(x_rate=-1.0)
    return system


def paradox(mu: float, tangent: float, embedding: str = "symbolic") -> bool:
    run = detent.simulate(sliding_rod(mu, tangent), 1e-4, check=False, embedding=embedding)
    return run.outcome is Outcome.PARADOX


@pytest.mark.parametrize("embedding", EMBEDDINGS)
def test_the_paradox_appears_beyond_four_thirds_and_first_at_a_slope_of_two(embedding: str) -> None:
    # The end that goes ahead of the rod digs in: 1 + 3 cos^2 - 3 mu sin cos < 0, first for mu = 4/3 at tan = 2.
    assert not paradox(1.32, 2.0, embedding)
    assert paradox(1.35, 2.0, embedding)
    assert not paradox(1.35, 1.5, embedding)
    assert not paradox(1.35, 3.0, embedding)


@pytest.mark.parametrize("tangent", [0.5, 1.0, 2.0, 5.0])
def test_where_the_paradox_begins_is_where_the_normal_force_has_no_bound(tangent: float) -> None:
    s, c = tangent / math.hypot(1, tangent), 1 / math.hypot(1, tangent)
    critical = (1 + 3 * c**2) / (3 * s * c)
    assert not paradox(0.99 * critical, tangent)
    assert paradox(1.01 * critical, tangent)
    # mu below it: N (1 + 3 c^2 - 3 mu s c) = m g - (terms of the turning rate, which is zero at the start)
    system = sliding_rod(0.9 * critical, tangent)
    run = detent.simulate(system, 0)
    expected = 9.81 / (1 + 3 * c**2 - 3 * 0.9 * critical * s * c)
    assert run.reactions["floor"][0] == pytest.approx(expected, rel=1e-10)


def test_the_paradox_is_reported_by_the_constraints_name() -> None:
    with pytest.raises(detent.SimulationError, match=r"among 'floor'.*paradox of Painleve.*lower the friction"):
        detent.simulate(sliding_rod(2.0, 2.0), 1e-3)
