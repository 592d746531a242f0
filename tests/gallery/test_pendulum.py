"""The pendulum against its elliptic integral and the IFToMM benchmark."""

from __future__ import annotations

import math

import detent
from detent.gallery.pendulum import period
from tests.physics.bounds import accumulated


def test_the_period_is_the_elliptic_integral() -> None:
    exact = period(1.0, 9.81, math.pi / 2)
    assert abs(exact - 2.367841947576) < 5e-13  # the digits published
    run = detent.example("pendulum").simulate(until=exact, rtol=1e-13)
    # At the turning point the speed grows by g/l per second, so the speed left there shows how late it is.
    late = run.final.angle_rate / 9.81
    assert abs(late) < 1e-12 * exact


def test_the_benchmark_position_after_ten_seconds() -> None:
    run = detent.example("pendulum").simulate(until=10, rtol=1e-13)
    assert abs(math.sin(run.final.angle) - (-0.2750874625761)) < accumulated(run)
    assert abs(-math.cos(run.final.angle) - (-0.9614192050991)) < accumulated(run)


def test_energy_stays_over_a_hundred_seconds() -> None:
    run = detent.example("pendulum").simulate(until=100, rtol=1e-11)
    assert run.audit.energy_balance < 1e-10


def test_a_small_swing_has_the_period_of_the_linear_pendulum() -> None:
    # The period grows by amplitude^2/16, here less than a unit in the last place.
    assert abs(period(1.0, 9.81, 1e-8) / (2 * math.pi * math.sqrt(1 / 9.81)) - 1) < 4e-16
