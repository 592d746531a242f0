"""The chain against Lagrange's equations in absolute angles, and its energy."""

from __future__ import annotations

import math

import numpy as np
import pytest

import detent
from detent.gallery.pendulum import period
from tests.physics.bounds import accumulated
from tests.physics.numbers import mass_and_forcing, random_state


def absolute_accelerations(angles: np.ndarray, rates: np.ndarray, g: float) -> np.ndarray:
    """The angular accelerations of rods of 1 kg and 1 m, from Lagrange's equations in absolute angles.

    T = sum a_ij cos(th_i - th_j) th_i' th_j' / 2 and V = -g sum b_i cos(th_i), where b_i is half a rod and all rods
    below it, and a_ij = b of the lower one (a_ii = 1/3 and all rods below).
    """
    number = len(angles)
    below = number - 1 - np.arange(number)
    a = np.minimum.outer(below, below) + 0.5
    a[np.diag_indices(number)] = below + 1 / 3
    difference = np.subtract.outer(angles, angles)
    forcing = -(a * np.sin(difference)) @ rates**2 - g * (below + 0.5) * np.sin(angles)
    return np.linalg.solve(a * np.cos(difference), forcing)


@pytest.mark.parametrize("links", [1, 2, 7, 20])
def test_accelerations_are_lagranges(links: int) -> None:
    system, random = detent.example("chain", links=links).system, np.random.default_rng(links)
    for _ in range(3):
        state = random_state(system, random)
        angles = np.cumsum([state[f"q{number + 1}"] for number in range(links)])
        rates = np.cumsum([state[f"u{number + 1}"] for number in range(links)])
        mass, _, found = mass_and_forcing(system, state)
        expected = absolute_accelerations(angles, rates, 9.81)
        # Both solve linear equations, which lose what their condition number says.
        bound = 100 * np.finfo(float).eps * np.linalg.cond(mass) * np.abs(expected).max()
        np.testing.assert_allclose(np.cumsum(found), expected, rtol=0, atol=bound)


def test_one_link_is_a_compound_pendulum() -> None:
    exact = period(2 / 3, 9.81, math.pi / 2)
    run = detent.example("chain", links=1).simulate(until=exact, rtol=1e-13)
    assert abs(run.final.u1 / (9.81 * 3 / 2)) < exact * accumulated(run)


def test_the_energy_of_seven_links_stays_over_a_hundred_seconds() -> None:
    run = detent.example("chain", links=7).simulate(until=100, rtol=1e-11)
    assert run.audit.energy_balance < 1e-7


def test_the_energy_of_a_long_chain_stays() -> None:
    run = detent.example("chain", links=25).simulate(until=5, rtol=1e-10)
    assert run.audit.energy_balance < accumulated(run)


def test_the_first_link_starts_horizontal_and_the_rest_hangs() -> None:
    start = detent.example("chain", links=4).simulate(until=0).start
    angles = np.cumsum([start[f"q{number}"] for number in range(1, 5)])
    np.testing.assert_allclose(angles, [math.pi / 2, 0, 0, 0], atol=1e-15)
