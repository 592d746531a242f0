"""The heavy top against the benchmark's quaternion, its conserved quantities and its elliptic functions."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

import detent
from detent.gallery.heavy_top import height
from tests.physics.bounds import accumulated

QUATERNION = [f"top_q{letter}" for letter in "wxyz"]


def turned(run: detent.Run) -> Rotation:
    return Rotation.from_quat(np.stack([run[name] for name in QUATERNION], axis=1), scalar_first=True)


def angular_velocity(run: detent.Run) -> np.ndarray:
    return np.stack([run[f"top_w{letter}"] for letter in "xyz"], axis=1)


def test_the_quaternion_of_the_benchmark() -> None:
    run = detent.example("heavy-top").simulate(until=0.2, rtol=1e-12)
    reference = [-0.70827915, 0.43878109, 0.5457284, 0.08939975]
    # Half a unit in the last digit given, and the run's own error.
    np.testing.assert_allclose(
        [run.final[name] for name in QUATERNION], reference, rtol=0, atol=5e-9 + accumulated(run)
    )


def test_the_height_is_an_elliptic_function() -> None:
    run = detent.example("heavy-top").simulate(until=2, rtol=1e-12)
    found = turned(run).apply([0, 1, 0])[:, 2]
    for number in range(0, len(run.t), 50):
        expected = height(run.t[number], spin=150, turning=-4.61538, **run.parameters)
        assert abs(found[number] - expected) < accumulated(run)


def test_spin_vertical_angular_momentum_and_energy_stay() -> None:
    run = detent.example("heavy-top").simulate(until=2, rtol=1e-11)
    rates = angular_velocity(run)
    assert (rates[:, 1] == 150).all()  # its rate is zero exactly, as two moments are equal
    about_point = np.array([15.234375, 0.46875, 15.234375])
    vertical = turned(run).apply(rates * about_point)[:, 2]
    scale = float(np.linalg.norm(rates[0] * about_point))
    np.testing.assert_allclose(vertical, vertical[0], rtol=0, atol=scale * accumulated(run))
    assert run.audit.energy_balance < accumulated(run)


def test_the_quaternion_keeps_its_length() -> None:
    run = detent.example("heavy-top").simulate(until=2)
    assert run.audit.position_residual < 4 * np.finfo(float).eps
