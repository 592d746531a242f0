"""Impacts agree with other methods: exact fractions in the plane, closed form for spheres, SciPy in space."""

from __future__ import annotations

import numpy as np
import pytest

from detent.contact_solves.single_impact import SingleImpact
from detent.contact_solves.single_impact_frame import ImpactEnd, Law, Phases
from detent.errors import ValueProblem
from tests.contact_solves import followed, routh
from tests.contact_solves.scenes import box, random_rotation, random_yielding, rod, sphere, strongly_coupled
from tests.contact_solves.smith import Smith

EPSILON = float(np.finfo(float).eps)
FOLLOWED = (Law.POISSON, Law.STRONGE, Law.NEWTON, Law.PLASTIC)
"""The laws that follow the slip through the impact."""


def compare_with_routh(W: np.ndarray, before: list[float], mu: float, e: float, law: Law, static: float) -> None:
    """To rounding: each of at most four lines adds some units in the last place of the largest terms.

    A line ends where it comes to 0; the flatter it is, the more of its start's rounding is left there.
    """
    exact = routh.strike(W.tolist(), before, mu, e, law, static)
    struck = SingleImpact.of(W, before, mu, e, law, static)
    nn, nt, tt = W[0, 0], W[0, 1], W[1, 1]
    rates = [nn - mu * nt, nn + mu * nt, nn - nt * nt / tt if tt else nn]
    steepness = min(abs(rate) for rate in rates if rate != 0) / (nn + mu * abs(nt))
    size = 1 + np.abs(W).max() * np.abs(exact.impulse).max() / np.abs(before).max()
    slack = 256 * EPSILON * size / steepness
    np.testing.assert_allclose(struck.impulse, exact.impulse, rtol=slack, atol=slack * exact.impulse[0])
    np.testing.assert_allclose(struck.after, exact.after, atol=slack * np.abs(before).max())
    assert (struck.after[1] == 0.0) == exact.stopped


@pytest.mark.parametrize("law", FOLLOWED)
def test_in_the_plane_it_is_rouths_construction(law: Law) -> None:
    for seed in range(150):
        numbers = np.random.default_rng(seed)
        W = random_yielding(numbers, 2, [2])
        before = (numbers.standard_normal(2) * 10.0 ** numbers.uniform(-2, 1, 2)).tolist()
        before[0] = -abs(before[0])
        if numbers.random() < 0.1:
            before[1] = 0.0
        mu, e = float(numbers.choice([0.0, 0.1, 0.4, 1.0, 3.0])), float(numbers.choice([0.0, 0.3, 0.75, 1.0]))
        static = mu * float(numbers.choice([1.0, 1.25]))
        compare_with_routh(W, before, mu, e, law, static)


@pytest.mark.parametrize("law", FOLLOWED)
def test_w_of_any_rank_gives_what_exact_fractions_give_or_jams_where_they_do(law: Law) -> None:
    """Small integers, so that a singular W is singular exactly."""
    jams = {"compression": ImpactEnd.ENDLESS, "restitution": ImpactEnd.LOCKED}
    found = set()
    for seed in range(300):
        numbers = np.random.default_rng(seed)
        J = numbers.integers(-3, 4, (2, int(numbers.integers(1, 3)))).astype(float)
        W, before = J @ J.T, [-float(numbers.integers(1, 4)), float(numbers.integers(-3, 4))]
        if numbers.random() < 0.5:  # as what moves in one way only approaches
            before = (-J[:, 0] * np.copysign(1.0, J[0, 0])).tolist()
        mu, e = float(numbers.choice([0.0, 0.25, 0.5, 1.0, 2.0])), float(numbers.choice([0.0, 0.5, 1.0]))
        if not before[0] < 0.0:
            continue
        try:
            exact = routh.strike(W.tolist(), before, mu, e, law, mu)
        except routh.Jammed as jammed:
            outcome = jams[str(jammed)]
            found.add(outcome)
            if outcome == ImpactEnd.ENDLESS:
                with pytest.raises(ValueProblem, match="ENDLESS"):
                    SingleImpact.of(W, before, mu, e, law)
            else:
                assert SingleImpact.of(W, before, mu, e, law).outcome == ImpactEnd.LOCKED
            continue
        struck = SingleImpact.of(W, before, mu, e, law)
        np.testing.assert_allclose(struck.impulse, exact.impulse, rtol=0, atol=1e-12 * exact.impulse[0])
        np.testing.assert_allclose(struck.after, exact.after, rtol=0, atol=1e-13 * (1 + np.abs(W).max()))
    assert ImpactEnd.ENDLESS in found


def test_impacts_without_collision_are_rouths_too() -> None:
    """A rod slides on its end so that friction drives it into the floor (Painleve): v_n falls from 0."""
    for number, mu in enumerate(np.linspace(1.4, 3.0, 40)):
        for law in FOLLOWED:
            angle, e = np.arctan(2.0) + 0.002 * number / 40, 0.5
            W = rod(angle)
            assert W[0, 0] + mu * W[0, 1] < 0  # towards the side from which it leans
            compare_with_routh(W, [0.0, -1.0], float(mu), e, law, float(mu))
            away = SingleImpact.of(W, [0.0, 1.0], float(mu), e, law)
            assert away.impulse.tolist() == [0, 0]
            assert away.after.tolist() == [0, 1]


@pytest.mark.parametrize("law", Law)
def test_a_sphere_slips_straight_or_rolls(law: Law) -> None:
    """P_n = (1 + e) m |v_n| by any law; friction stops the slip if 2/7 m |v_t| of it can be had."""
    for seed in range(100):
        numbers = np.random.default_rng(seed)
        mass, mu, e = 10.0 ** numbers.uniform(-3, 3), numbers.uniform(0, 0.5), numbers.uniform(0, 1)
        before = numbers.standard_normal(3)
        before[0] = -abs(before[0])
        normal = (1 + (0 if law == Law.PLASTIC else e)) * mass * -before[0]
        slip = np.hypot(*before[1:])
        friction = min(mu * normal, 2 / 7 * mass * slip)
        struck = SingleImpact.of(sphere(mass), before, mu, e, law)
        along = -friction * before[1:] / slip
        np.testing.assert_allclose(struck.impulse, [normal, *along], rtol=1e-14)
        after = before + sphere(mass) @ [normal, *along]
        np.testing.assert_allclose(struck.after, after, atol=8 * EPSILON * np.abs(before).max())
        if mu * normal >= 2 / 7 * mass * slip:
            assert struck.after[1:].tolist() == [0, 0]


def compare_with_scipy(seed: int) -> None:
    """To what DOP853 does at a tolerance of 3e-14 a step, over some dozens of steps."""
    numbers = np.random.default_rng(seed)
    W = box(numbers.uniform(0.2, 2, 3), random_rotation(numbers))
    before, mu, e = numbers.standard_normal(3), numbers.uniform(0.05, 1.2), numbers.uniform(0, 1)
    before[0] = -abs(before[0]) - 0.1
    law = FOLLOWED[seed % 4]
    struck = SingleImpact.of(W, before, mu, e, law)
    assert not struck.phases & Phases.RECOMPRESSED
    impulse, after = followed.strike(W, before, mu, e, law)
    np.testing.assert_allclose(struck.impulse, impulse, atol=2e-12 * np.abs(impulse).max(), rtol=0)
    np.testing.assert_allclose(struck.after, after, atol=2e-12 * np.abs(before).max(), rtol=0)


def test_in_space_boxes_do_what_scipy_follows() -> None:
    for seed in range(12):
        compare_with_scipy(seed)


@pytest.mark.slow
def test_in_space_many_boxes_do_what_scipy_follows() -> None:
    for seed in range(12, 300):
        compare_with_scipy(seed)


@pytest.mark.parametrize("law", [Law.POISSON, Law.STRONGE])
def test_bodies_that_approach_again_in_restitution_are_compressed_once_more(law: Law) -> None:
    """In space slip may turn to where friction drives bodies together before restitution is over."""
    found = 0
    for seed in (3295, 6810, 7277):
        W, before, mu = strongly_coupled(np.random.default_rng(seed))
        struck = SingleImpact.of(W, before, mu, 1.0, law)
        found += bool(struck.phases & Phases.RECOMPRESSED)
        impulse, after = followed.strike(W, before, mu, 1.0, law)
        slack = 1e-13 * np.linalg.cond(W) * mu
        np.testing.assert_allclose(struck.impulse, impulse, atol=slack * np.abs(impulse).max(), rtol=0)
        np.testing.assert_allclose(struck.after, after, atol=slack * np.abs(before).max(), rtol=0)
        assert struck.energy < 0.0
    assert found >= 2


def test_smiths_law_in_the_plane_is_the_one_found_by_halving() -> None:
    """Which halves an interval for the mean slip, where this solves for the impulse."""
    for seed in range(200):
        numbers = np.random.default_rng(seed)
        W = random_yielding(numbers, 2, [2])
        before = numbers.standard_normal(2)
        before[0] = -abs(before[0])
        limit = W[0, 0] / max(abs(W[0, 1]), 1e-3)
        mu, e = numbers.uniform(0, 0.9 * min(limit, 2.0)), numbers.uniform(0, 1)
        other = Smith(W[0, 0], W[0, 1], W[1, 1], before[0], before[1], e)
        struck = SingleImpact.of(W, before, mu, e, Law.SMITH, static_friction=1.1 * mu)
        slack = 64 * EPSILON * np.linalg.cond(W)
        np.testing.assert_allclose(struck.impulse, other.impulse(1.1 * mu, mu), rtol=slack, atol=slack)
        assert bool(struck.phases & Phases.STICK) == other.stops(1.1 * mu)


def test_smiths_law_in_space_takes_the_mean_of_slip_before_and_after() -> None:
    slipped = 0
    for seed in range(200):
        numbers = np.random.default_rng(seed)
        W = box(numbers.uniform(0.2, 2, 3), random_rotation(numbers))
        before, mu, e = numbers.standard_normal(3), numbers.uniform(0, 1), numbers.uniform(0, 1)
        before[0] = -abs(before[0])
        struck = SingleImpact.of(W, before, mu, e, Law.SMITH)
        np.testing.assert_allclose(struck.after, before + W @ struck.impulse, atol=1e-13)
        assert struck.after[0] == pytest.approx(-e * before[0], rel=1e-14)
        if struck.phases & Phases.STICK:
            assert np.hypot(*struck.impulse[1:]) <= mu * struck.impulse[0]
            assert struck.after[1:].tolist() == [0, 0]
        else:
            slipped += 1
            first, last = before[1:], struck.after[1:]
            mean = (np.hypot(*first) * first + np.hypot(*last) * last) / (first @ first + last @ last)
            np.testing.assert_allclose(struck.impulse[1:], -mu * struck.impulse[0] * mean, atol=1e-12)
    assert slipped > 50
