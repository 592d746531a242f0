"""Impacts whose numbers were worked out by two other methods: Routh's lines in 50 digits, and the slip equation."""

from __future__ import annotations

import numpy as np
import pytest

from detent.contact_solves.single_impact import SingleImpact
from detent.contact_solves.single_impact_frame import ImpactEnd, Law, Phases
from tests.contact_solves.scenes import box, double_pendulum, rod, turned

DIGITS = 4e-14
"""The numbers are given to 13 digits and more, some of them the result of a dozen roundings."""
POISSON, STRONGE, NEWTON, SMITH, PLASTIC = Law

RODS = {
    "sticks, Poisson": (
        np.pi / 4, [-1, 0.3], 0.8, 0.5, POISSON,
        [0.76875, 0.34125], [0.41, 0], -0.17559375, Phases.SLIP | Phases.STICK,
    ),
    "sticks, Newton": (
        np.pi / 4, [-1, 0.3], 0.8, 0.5, NEWTON, [0.825, 0.375], [0.5, 0], -0.15, Phases.SLIP | Phases.STICK
    ),
    "sticks, Stronge": (
        np.pi / 4, [-1, 0.3], 0.8, 0.5, STRONGE, [0.7734114347546199, 0.3440468608527719], [0.4174582956073919, 0],
        -0.1736651785714, Phases.SLIP | Phases.STICK,
    ),
    "slip reverses in compression": (
        np.pi / 3, [-1, 0.2], 0.2, 0.6, POISSON, [1.016437706374709, 0.1622416531689081],
        [0.5680078963613531, -0.5931059398283778], -0.2514356102714, Phases.SLIP | Phases.REVERSED,
    ),
    **{
        f"slips throughout, {law.name}": (
            np.pi / 3, [-1, -0.9], 0.25, 0.9, law, [1.333108366777122, 0.3332770916942806],
            [0.9, -1.548608019433444], -0.4746878980469, Phases.SLIP,
        )
        for law in (POISSON, STRONGE, NEWTON)
    },
    "without collision": (
        np.arctan(2), [0, -1], 1.5, 0.0, PLASTIC, [0.3, 0.4], [0, 0], -0.2, Phases.SLIP | Phases.STICK
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RODS)
def test_a_rod_strikes_the_floor_with_its_end(name: str) -> None:
    angle, before, friction, restitution, law, impulse, after, energy, phases = RODS[name]
    struck = SingleImpact.of(rod(angle), before, friction, restitution, law)
    np.testing.assert_allclose(struck.impulse, impulse, rtol=DIGITS)
    np.testing.assert_allclose(struck.after, after, rtol=DIGITS, atol=1e-15)
    assert struck.energy == pytest.approx(energy, abs=1e-13)
    assert (struck.phases, struck.outcome) == (phases, ImpactEnd.OK)


def test_newtons_law_gains_energy_where_slip_stops_and_this_is_said() -> None:
    struck = SingleImpact.of(rod(np.pi / 4), [-1, 0.5], 0.8, 1.0, NEWTON)
    np.testing.assert_allclose(struck.impulse, [1.0625, 0.4375], rtol=DIGITS)
    np.testing.assert_allclose(struck.after, [1, 0], rtol=DIGITS)
    assert struck.energy == pytest.approx(0.109375, abs=1e-13)
    assert struck.outcome == ImpactEnd.GAIN


BOX = box([2, 1, 0.5], turned(2, 0.3) @ turned(1, 0.5) @ turned(0, 0.4))


def test_a_box_slips_round_a_curve() -> None:
    struck = SingleImpact.of(BOX, [-2, 1.5, -1], 0.2, 0.6)
    np.testing.assert_allclose(struck.impulse, [1.14207576283226, -0.200549124313877, 0.108989119386515], rtol=DIGITS)
    np.testing.assert_allclose(struck.after, [1.19933347230089, 3.47901325840489, -1.67949330038429], rtol=DIGITS)
    assert (struck.phases, struck.outcome) == (Phases.SLIP, ImpactEnd.OK)


def test_a_box_stops_slipping_and_sticks() -> None:
    struck = SingleImpact.of(BOX, [-2, 0.3, -0.2], 1.2, 0.5)
    assert struck.stopped_at == pytest.approx(0.15844836142369, rel=DIGITS)
    np.testing.assert_allclose(struck.impulse, [2.0950413244248, -1.42009601714314, 0.376165824839435], rtol=DIGITS)
    np.testing.assert_allclose(struck.after[0], 1.11256256866237, rtol=DIGITS)
    assert struck.after[1:].tolist() == [0, 0]
    assert (struck.phases, struck.outcome) == (Phases.SLIP | Phases.STICK, ImpactEnd.OK)


def _puzzle(law: Law, friction: float) -> tuple[np.ndarray, float, SingleImpact]:
    """Kane's: a double pendulum strikes the floor. (speeds after, energy after, the impact.)"""
    M, J = double_pendulum(np.radians(20), np.radians(30))
    u, yielding = np.array([-0.1, -0.2]), np.linalg.inv(M)
    struck = SingleImpact.of(J @ yielding @ J.T, J @ u, friction, 0.5, law)
    after = u + yielding @ J.T @ struck.impulse
    assert 0.5 * u @ M @ u == pytest.approx(0.0231814108634554, rel=DIGITS)
    assert 0.5 * after @ M @ after - 0.5 * u @ M @ u == pytest.approx(struck.energy, abs=1e-16)
    return after, float(0.5 * after @ M @ after), struck


@pytest.mark.parametrize("law", [NEWTON, SMITH])
def test_kanes_puzzle_gains_energy_by_newtons_restitution_where_it_sticks(law: Law) -> None:
    after, energy, struck = _puzzle(law, 100.0)
    np.testing.assert_allclose(after, [-0.334648929843563, 0.363115364230321], rtol=DIGITS)
    assert energy == pytest.approx(0.0368003665812733, rel=DIGITS)
    assert struck.outcome == ImpactEnd.GAIN


@pytest.mark.parametrize(("law", "energy"), [(POISSON, 0.01198360948498), (STRONGE, 0.01218974261295)])
def test_kanes_puzzle_loses_energy_by_poissons_and_stronges(law: Law, energy: float) -> None:
    assert _puzzle(law, 0.7)[1] == pytest.approx(energy, rel=5e-13)
