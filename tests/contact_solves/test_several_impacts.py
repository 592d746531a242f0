"""Impacts of several contacts at one instant: known ones, and what all of them keep."""

from __future__ import annotations

import numpy as np
import pytest

from detent.contact_solves.cone_problem import ConeProblem
from detent.contact_solves.several_impacts import SeveralImpacts
from detent.contact_solves.several_impacts_frame import SLOW, ImpactOrder, SeveralOutcome
from detent.contact_solves.single_impact import SingleImpact
from detent.contact_solves.single_impact_frame import Law


def chain(balls: int) -> np.ndarray:
    """Rows of the contacts between equal balls in a row, without friction."""
    rows = np.zeros((2 * (balls - 1), balls))
    for contact in range(balls - 1):
        rows[2 * contact, contact : contact + 2] = -1, 1
    return rows


def struck(rows: np.ndarray, first: np.ndarray, restitution: float, order: ImpactOrder) -> np.ndarray:
    """Speeds after the impacts of contacts without friction."""
    contacts = len(rows) // 2
    impacts = SeveralImpacts.of(rows, rows @ first, np.zeros(contacts), np.full(contacts, restitution), 2, order)
    assert impacts.outcome == SeveralOutcome.STRUCK
    return first + rows.T @ impacts.impulses.ravel()


@pytest.mark.parametrize("order", [ImpactOrder.WAVES, ImpactOrder.SEQUENTIAL])
def test_a_cradle_hands_its_motion_on_to_the_last_ball(order: ImpactOrder) -> None:
    np.testing.assert_allclose(struck(chain(5), np.array([1.0, 0, 0, 0, 0]), 1.0, order), [0, 0, 0, 0, 1], atol=1e-15)
    np.testing.assert_allclose(struck(chain(5), np.array([1.0, 1, 0, 0, 0]), 1.0, order), [0, 0, 0, 1, 1], atol=1e-15)


def test_all_at_once_a_cradle_scatters() -> None:
    after = struck(chain(5), np.array([1.0, 0, 0, 0, 0]), 1.0, ImpactOrder.SIMULTANEOUS)
    np.testing.assert_allclose(after, [-0.6, 0.4, 0.4, 0.4, 0.4], atol=1e-14)


def test_without_restitution_a_cradle_moves_on_together() -> None:
    np.testing.assert_allclose(
        struck(chain(5), np.array([1.0, 0, 0, 0, 0]), 0.0, ImpactOrder.WAVES), np.full(5, 0.2), atol=1e-15
    )


def test_impacts_that_pile_up_leave_no_approach() -> None:
    """Three balls collapse where e < 7 - 4 sqrt(3): infinitely many impacts, after which all move together."""
    rows, first = chain(3), np.array([1.0, 0, 0])
    impacts = SeveralImpacts.of(rows, rows @ first, [0, 0], [0.05, 0.05], 2)
    assert (impacts.outcome, impacts.impacts > 20) == (SeveralOutcome.STRUCK, True)
    np.testing.assert_allclose(first + rows.T @ impacts.impulses.ravel(), np.full(3, 1 / 3), atol=1e-13)
    assert impacts.after[:, 0].min() >= -1e-16


def test_impacts_without_end_are_ended_and_said() -> None:
    rows, first = chain(8), np.array([1.0, 0, 0, 0, 0, 0, 0, 0])
    impacts = SeveralImpacts.of(rows, rows @ first, np.zeros(7), np.full(7, 0.01), 2, ImpactOrder.SEQUENTIAL)
    assert impacts.outcome == SeveralOutcome.ENDED
    assert impacts.after[:, 0].min() >= -1e-16


def test_a_break_stays_symmetric() -> None:
    """One ball on two that touch each other: 0.6 of its speed each, at 30 degrees; it returns with a fifth."""
    rows = np.zeros((6, 6))
    for contact, angle in enumerate((np.pi / 6, -np.pi / 6)):
        normal = np.array([np.cos(angle), np.sin(angle)])
        rows[2 * contact, 0:2], rows[2 * contact, 2 + 2 * contact : 4 + 2 * contact] = -normal, normal
    rows[4, 2:6] = 0, 1, 0, -1
    first = np.array([1.0, 0, 0, 0, 0, 0])
    after = struck(rows, first, 1.0, ImpactOrder.WAVES)
    side = 0.6 * np.tan(np.pi / 6)
    np.testing.assert_allclose(after, [-0.2, 0, 0.6, side, 0.6, -side], atol=1e-15)


def block(height: float) -> np.ndarray:
    """Rows of the two lower corners of a block of width 1 and mass 1 over a floor."""
    turned = np.sqrt((1 + height**2) / 12)
    return np.array(
        [[0, 1, -0.5 / turned], [1, 0, height / 2 / turned], [0, 1, 0.5 / turned], [1, 0, height / 2 / turned]]
    )


@pytest.mark.parametrize("order", list(ImpactOrder)[:2])
def test_a_flat_box_goes_straight_up(order: ImpactOrder) -> None:
    rows = block(1.0)
    impacts = SeveralImpacts.of(rows, rows @ [0, -1, 0], [0.4, 0.4], [0.7, 0.7], 2, order)
    np.testing.assert_allclose(rows.T @ impacts.impulses.ravel() + [0, -1, 0], [0, 0.7, 0], atol=1e-15)


@pytest.mark.parametrize(("height", "mu", "ratio"), [(4, 0.3, 31 / 34), (2, 1.0, 7 / 10), (2, 0.3, 19 / 31)])
def test_a_rocking_block_keeps_the_known_part_of_its_turning(height: float, mu: float, ratio: float) -> None:
    rows, before = block(height), np.array([height / 2, -0.5, -np.sqrt((1 + height**2) / 12)])
    impacts = SeveralImpacts.of(rows, rows @ before, [mu, mu], [0, 0], 2)
    after = before + rows.T @ impacts.impulses.ravel()
    assert after[2] / before[2] == pytest.approx(ratio, abs=1e-14)


GAINING = np.array(
    [[0.416, 0.017, -0.076, 0.412], [0.017, 0.624, -0.726, -0.047], [-0.076, -0.726, 0.887, -0.005],
     [0.412, -0.047, -0.005, 0.415]]
)  # fmt: skip
BEFORE, FRICTION = np.array([-0.23, 1.17, -1.55, -0.33]), np.array([0.9, 0.1])


def test_unequal_restitutions_may_gain_energy_and_are_capped() -> None:
    rows = np.linalg.cholesky(GAINING)
    restitution = np.array([0.25, 1.0])
    compression = ConeProblem(rows, BEFORE, FRICTION, 2).solve().forces
    bias, lower = BEFORE + GAINING @ compression.ravel(), restitution * compression[:, 0]
    both = compression + ConeProblem(rows, bias, FRICTION, 2, lower=lower).solve().forces
    expected = [[2.0620463073977, 1.855841676658], [5.6259434503468, -0.56259434503468]]
    np.testing.assert_allclose(both, expected, rtol=0, atol=1e-11)  # G has condition 2e5
    gain = both.ravel() @ (BEFORE + 0.5 * GAINING @ both.ravel())
    assert gain == pytest.approx(0.41476375071244, abs=1e-11)
    capped = SeveralImpacts.of(rows, BEFORE, FRICTION, restitution, 2, ImpactOrder.SIMULTANEOUS)
    assert capped.outcome == SeveralOutcome.CAPPED
    assert 0 < capped.factor < 1
    assert -1e-12 < capped.energy <= 1e-14


def test_equal_restitutions_lose_the_known_energy() -> None:
    impacts = SeveralImpacts.of(np.linalg.cholesky(GAINING), BEFORE, FRICTION, [1, 1], 2, ImpactOrder.SIMULTANEOUS)
    assert impacts.outcome == SeveralOutcome.STRUCK
    assert impacts.energy == pytest.approx(-0.26332073151942, abs=1e-12)


def test_a_contact_that_approaches_alone_follows_its_own_law() -> None:
    rows = np.linalg.cholesky([[2.5, -1.5], [-1.5, 2.5]])
    for law in Law:
        alone = SingleImpact.of(rows @ rows.T, [-1, 0.3], friction=0.8, restitution=0.5, law=law)
        impacts = SeveralImpacts.of(rows, [-1, 0.3], [0.8], [0.5], 2, ImpactOrder.WAVES, [law])
        np.testing.assert_allclose(impacts.impulses[0], alone.impulse, rtol=1e-13, atol=1e-15)


def test_a_law_that_gains_energy_is_not_followed() -> None:
    rows = np.linalg.cholesky([[2.5, -1.5], [-1.5, 2.5]])
    impacts = SeveralImpacts.of(rows, [-1, 0.5], [0.8], [1.0], 2, ImpactOrder.WAVES, [Law.NEWTON])
    assert (impacts.outcome, impacts.culprit) == (SeveralOutcome.GAINS, 0)


def random_cluster(seed: int, law: Law) -> tuple[int, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Of 2 to 5 contacts: dimension, rows, velocities before, friction and restitution."""
    numbers = np.random.default_rng([seed, 31, int(law)])
    dimension, contacts = int(numbers.integers(2, 4)), int(numbers.integers(2, 6))
    speeds = int(numbers.integers(3 if dimension == 2 else 6, contacts * dimension + 4))
    rows = numbers.standard_normal((contacts * dimension, speeds))
    restitution = np.full(contacts, numbers.uniform(0, 1)) if seed % 2 else numbers.uniform(0, 1, contacts)
    return dimension, rows, rows @ numbers.standard_normal(speeds), numbers.uniform(0, 1, contacts), restitution


def check_stronges(seed: int) -> bool:
    """That work of restitution is e^2 times that of compression, and energy does not grow; whether it was followed."""
    dimension, rows, before, friction, restitution = random_cluster(seed, Law.STRONGE)
    laws = [Law.STRONGE] * len(friction)
    for order in ImpactOrder:
        impacts = SeveralImpacts.of(rows, before, friction, restitution, dimension, order, laws)
        if not impacts.outcome.has_result:
            return False
        assert impacts.energy <= 1e-15 * np.abs(impacts.impulses).sum() * np.abs(before).max()
    impacts = SeveralImpacts.of(rows, before, friction, restitution, dimension, ImpactOrder.SIMULTANEOUS, laws)
    if impacts.by_poisson or impacts.outcome != SeveralOutcome.STRUCK:
        return False
    solution = ConeProblem(rows, before, friction, dimension).solve()
    if solution.exchanges:
        return True  # forces are not unique, and neither is what each contact stores
    compression = solution.forces
    between = (before + rows @ (rows.T @ compression.ravel())).reshape(-1, dimension)[:, 0]
    stored = -compression[:, 0] * (before.reshape(-1, dimension)[:, 0] + between)
    given = (impacts.impulses - compression)[:, 0] * (between + impacts.after[:, 0])
    parts = (stored > 1e-9) & (impacts.after[:, 0] > 1e-9)  # those that others press do not part, and give nothing
    np.testing.assert_allclose(given[parts], (restitution**2 * stored)[parts], rtol=0, atol=1e-9 * stored.max())
    return True


def check_newtons(seed: int) -> bool:
    """That nothing parts more slowly than e times its approach, nor is pushed beyond that; whether it was followed."""
    dimension, rows, before, friction, restitution = random_cluster(seed, Law.NEWTON)
    laws = [Law.NEWTON] * len(friction)
    impacts = SeveralImpacts.of(rows, before, friction, restitution, dimension, ImpactOrder.SIMULTANEOUS, laws)
    if not impacts.outcome.has_result:
        return False
    moved = np.abs(impacts.impulses).sum() * np.abs(before).max()
    assert impacts.energy <= 1e-12 * moved
    wanted = -restitution * np.minimum(0.0, before.reshape(-1, dimension)[:, 0])
    assert (impacts.after[:, 0] - wanted).min() >= -1e-10 * np.abs(before).max()
    return True


def test_stronges_law_is_about_the_work_of_each_of_several_contacts() -> None:
    assert sum(check_stronges(seed) for seed in range(100)) > 85


def test_newtons_law_is_about_the_parting_of_each_of_several_contacts() -> None:
    assert sum(check_newtons(seed) for seed in range(100)) > 85


def test_bodies_that_jam_under_impulses_of_a_million_end_by_what_rounding_leaves_of_these() -> None:
    """Four contacts hold a body of three speeds; in waves their impulses grow, and what is left is their rounding."""
    dimension, rows, before, friction, restitution = random_cluster(1672, Law.STRONGE)
    laws = [Law.STRONGE] * len(friction)
    impacts = SeveralImpacts.of(rows, before, friction, restitution, dimension, ImpactOrder.WAVES, laws)
    assert impacts.outcome.has_result
    assert impacts.energy < 0.0
    known = np.finfo(float).eps * np.abs(rows @ rows.T @ np.diag(impacts.impulses.ravel())).sum(axis=1).max()
    assert np.abs(impacts.after).max() < 16 * known


@pytest.mark.slow
def test_laws_of_four_thousand_clusters() -> None:
    assert sum(check_stronges(seed) for seed in range(4000)) > 3600
    assert sum(check_newtons(seed) for seed in range(4000)) > 3600


@pytest.mark.parametrize("law", list(Law))
def test_contacts_that_do_not_feel_each_other_strike_as_if_alone(law: Law) -> None:
    one = np.linalg.cholesky([[2.5, -1.5], [-1.5, 2.5]])
    rows = np.zeros((4, 4))
    rows[:2, :2] = rows[2:, 2:] = one
    before, friction = np.array([-1, 0.3, -0.7, -0.2]), np.array([0.8, 0.4])
    impacts = SeveralImpacts.of(rows, before, friction, [0.5, 0.4], 2, ImpactOrder.WAVES, [law, law])
    for number, restitution in enumerate((0.5, 0.4)):
        own = before[2 * number : 2 * number + 2]
        alone = SingleImpact.of(one @ one.T, own, friction=friction[number], restitution=restitution, law=law)
        np.testing.assert_allclose(impacts.impulses[number], alone.impulse, rtol=1e-13, atol=1e-15)
    assert not impacts.by_poisson


def check_random_impacts(seed: int, most: int) -> SeveralOutcome:
    """Of 1 to ``most`` contacts, redundant ones included; every second has equal restitutions."""
    numbers = np.random.default_rng([seed, 23])
    dimension, contacts = int(numbers.integers(2, 4)), int(numbers.integers(1, most + 1))
    speeds = int(numbers.integers(3 if dimension == 2 else 6, contacts * dimension + 4))
    rows = numbers.standard_normal((contacts * dimension, speeds))
    before, friction = rows @ numbers.standard_normal(speeds), numbers.uniform(0, 1, contacts)
    restitution = np.full(contacts, numbers.uniform(0, 1)) if seed % 2 else numbers.uniform(0, 1, contacts)
    impacts = SeveralImpacts.of(rows, before, friction, restitution, dimension, ImpactOrder(seed % 3))
    assert impacts.outcome.has_result
    speed = np.abs(before).max()
    moved = np.abs(impacts.impulses).sum() * speed
    assert impacts.after[:, 0].min() >= -20 * SLOW * speed  # in a jam rounding may grow by the condition of the rows
    assert impacts.energy <= 1e-15 * moved
    expected = before + rows @ (rows.T @ impacts.impulses.ravel())
    np.testing.assert_allclose(impacts.after.ravel(), expected, atol=1e-11 * max(speed, moved))
    tangential = np.linalg.norm(impacts.impulses[:, 1:], axis=1)
    assert (tangential <= friction * impacts.impulses[:, 0] + 1e-11 * moved).all()
    return impacts.outcome


@pytest.mark.parametrize("seed", range(100))
def test_nothing_approaches_afterwards_and_energy_does_not_grow(seed: int) -> None:
    check_random_impacts(seed, most=5)


@pytest.mark.slow
def test_four_thousand_impacts_leave_no_approach_and_gain_nothing() -> None:
    outcomes = [check_random_impacts(seed, most=8) for seed in range(4000)]
    assert set(outcomes) == {SeveralOutcome.STRUCK, SeveralOutcome.CAPPED, SeveralOutcome.ENDED}
    capped = [seed for seed, outcome in enumerate(outcomes) if outcome == SeveralOutcome.CAPPED]
    assert all(seed % 2 == 0 for seed in capped)  # equal restitutions never need it
