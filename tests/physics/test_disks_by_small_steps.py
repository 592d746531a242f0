"""Disks that run into one another do what small steps of another method say, to the order of its step."""

from __future__ import annotations

import numpy as np
import pytest

import detent
from tests.physics.stepped_disks import UNTIL, Disks, random_disks

STEPS = 500


def ends(disks: Disks) -> np.ndarray:
    """Where both are at the end, along the floor and up; without weight their momentum is kept on the way."""
    run = detent.simulate(disks.system(), until=UNTIL)
    if not disks.gravity:
        momentum = sum(
            mass * np.array([run[f"{name}_x_rate"], run[f"{name}_y_rate"]])
            for name, mass in zip("ab", disks.mass, strict=True)
        )
        assert np.ptp(momentum, axis=1).max() < 1e-12 * float(np.abs(momentum).max() + 1)
    places = np.array([[run[f"{name}_x"][-1], run[f"{name}_y"][-1]] for name in "ab"])
    return places @ disks.axes  # the inverse of a rotation, or of a mirror, is its transpose


def check(seed: int) -> None:
    """A step that ends after a change has the old speeds in it up to then: each change of speed may be late by one."""
    disks = random_disks(seed)
    found, coarse, fine = ends(disks), disks.stepped(STEPS), disks.stepped(2 * STEPS)
    fastest = float(np.abs(disks.velocity).max() + (np.abs(disks.spin) * disks.radius).max() + disks.gravity * UNTIL)
    within = fastest * UNTIL / STEPS
    assert np.abs(coarse - found).max() < 4 * within, seed
    assert np.abs(fine - found).max() < 2 * within, seed


@pytest.mark.parametrize("seed", range(2))
def test_two_disks_go_where_small_steps_say(seed: int) -> None:
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(2, 202, 20))
def test_hundreds_of_disks_go_where_small_steps_say(first: int) -> None:
    for seed in range(first, first + 20):
        check(seed)
