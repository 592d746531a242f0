"""What holds for every impact with friction, whatever strikes what."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import brentq

from detent.contact_solves.kernels import SINGLE_IMPACT_KERNELS
from detent.contact_solves.single_impact import SingleImpact, _record
from detent.contact_solves.single_impact_frame import ImpactEnd, Law, Phases
from detent.errors import ValueProblem
from detent.jit.address import raw_address
from detent.jit.kernel_library import WORD_TYPE
from tests.contact_solves.scenes import box, random_rotation, random_yielding, rod, sphere, strongly_coupled

DISSIPATIVE = (Law.POISSON, Law.STRONGE, Law.PLASTIC)
ROUNDING = 1e-13
"""Some dozens of operations, relative to the largest term."""


def random_impact(seed: int) -> tuple[np.ndarray, np.ndarray, float, float]:
    """Boxes, and W coupled more than any box, in the plane and in space."""
    numbers = np.random.default_rng(seed)
    size = 2 + seed % 2
    if seed % 8 == 3:
        return (*strongly_coupled(numbers), float(numbers.choice([0.3, 0.8, 1.0])))
    if size == 3 and seed % 4 == 1:
        W = box(10.0 ** numbers.uniform(-1, 1, 3), random_rotation(numbers), 10.0 ** numbers.uniform(-2, 2))
    else:
        W = random_yielding(numbers, size, [size])
    before = numbers.standard_normal(size) * 10.0 ** numbers.uniform(-2, 1, size)
    before[0] = -abs(before[0])
    if seed % 10 == 0:
        before[1:] = 0.0
    mu, e = float(numbers.choice([0.0, 0.1, 0.3, 0.7, 1.5, 5.0])), float(numbers.choice([0.0, 0.3, 0.8, 1.0]))
    return W, before, mu, e


def check(seed: int, law: Law) -> SingleImpact:
    W, before, mu, e = random_impact(seed)
    struck = SingleImpact.of(W, before, mu, e, law)
    P, terms = struck.impulse, np.abs(W) @ np.abs(struck.impulse) + np.abs(before).max()
    np.testing.assert_allclose(before + W @ P, struck.after, atol=ROUNDING * terms.max(), rtol=0)
    assert np.linalg.norm(P[1:]) <= mu * P[0] * (1 + 1e-14)
    assert struck.after[0] >= 0.0
    assert struck.energy == pytest.approx(0.5 * P @ (before + struck.after), abs=ROUNDING * np.abs(P) @ terms)
    if law in DISSIPATIVE:
        assert struck.outcome == ImpactEnd.OK, seed
        assert struck.energy <= ROUNDING * np.abs(P) @ terms, seed
    elif law == Law.NEWTON:
        assert struck.after[0] == pytest.approx(-e * before[0], rel=1e-11)
    return struck


@pytest.mark.parametrize("law", [*DISSIPATIVE, Law.NEWTON])
def test_impulse_and_velocity_agree_friction_is_in_its_cone_bodies_part_energy_does_not_grow(law: Law) -> None:
    for seed in range(300):
        check(seed, law)


@pytest.mark.slow
@pytest.mark.parametrize("law", DISSIPATIVE)
def test_energy_never_grows_in_a_hundred_thousand_impacts(law: Law) -> None:
    for seed in range(300, 100_000):
        check(seed, law)


def test_newtons_law_says_where_energy_grows() -> None:
    gains = [struck for struck in (check(seed, Law.NEWTON) for seed in range(300)) if struck.outcome == ImpactEnd.GAIN]
    assert gains
    assert all(struck.energy > 0.0 for struck in gains)
    assert all(
        struck.energy <= 0.0 for seed in range(20) if (struck := check(seed, Law.NEWTON)).outcome == ImpactEnd.OK
    )


@pytest.mark.parametrize("law", Law)
def test_it_does_not_matter_how_the_tangential_axes_are_laid(law: Law) -> None:
    for seed in range(60):
        numbers = np.random.default_rng(seed)
        W = box(numbers.uniform(0.2, 2, 3), random_rotation(numbers))
        before, mu, e = numbers.standard_normal(3), numbers.uniform(0, 1.2), numbers.uniform(0, 1)
        before[0] = -abs(before[0])
        angle = numbers.uniform(0, 2 * np.pi)
        turn = np.eye(3)
        turn[1:, 1:] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        struck = SingleImpact.of(W, before, mu, e, law)
        turned = SingleImpact.of(turn @ W @ turn.T, turn @ before, mu, e, law)
        np.testing.assert_allclose(turned.impulse, turn @ struck.impulse, atol=1e-12 * struck.impulse[0], rtol=0)
        np.testing.assert_allclose(turned.after, turn @ struck.after, atol=1e-12 * np.abs(before).max(), rtol=0)
        assert turned.phases == struck.phases


@pytest.mark.parametrize("law", Law)
@pytest.mark.parametrize("mass", [1e-9, 1e-3, 1e6, 1e12])
def test_it_does_not_matter_in_which_units_masses_and_speeds_are(law: Law, mass: float) -> None:
    """Powers of two would give the same bits; these differ by the rounding of W."""
    for seed in range(1, 40, 2):
        W, before, mu, e = random_impact(seed)
        struck = SingleImpact.of(W, before, mu, e, law)
        scaled = SingleImpact.of(W / mass, 1e-3 * before, mu, e, law)
        slack = 1e-13 * np.linalg.cond(W)
        np.testing.assert_allclose(scaled.after, 1e-3 * struck.after, atol=slack * 1e-3 * np.abs(before).max(), rtol=0)
        expected = 1e-3 * mass * struck.impulse
        np.testing.assert_allclose(scaled.impulse, expected, atol=slack * np.abs(expected).max(), rtol=0)


def test_a_planar_impact_is_the_same_in_space() -> None:
    for seed in range(0, 200, 2):
        W, before, mu, e = random_impact(seed)
        for yielding in (0.0, 0.7):
            wide = np.zeros((3, 3))
            wide[:2, :2], wide[2, 2] = W, yielding
            struck = SingleImpact.of(W, before, mu, e)
            inside = SingleImpact.of(wide, [*before, 0.0], mu, e)
            np.testing.assert_allclose(inside.impulse, [*struck.impulse, 0], atol=1e-13 * struck.impulse[0], rtol=0)
            np.testing.assert_allclose(inside.after, [*struck.after, 0], atol=1e-13 * np.abs(before).max(), rtol=0)


def test_without_restitution_all_laws_that_follow_the_slip_are_one() -> None:
    for seed in range(100):
        W, before, mu, _ = random_impact(seed)
        plastic = SingleImpact.of(W, before, mu, 0.0, Law.PLASTIC)
        for law in (Law.POISSON, Law.STRONGE, Law.NEWTON):
            struck = SingleImpact.of(W, before, mu, 0.0, law)
            assert struck.impulse.tolist() == plastic.impulse.tolist()
            assert struck.after.tolist() == plastic.after.tolist()


def test_without_friction_only_the_normal_impulse_acts() -> None:
    for seed in range(100):
        W, before, _, e = random_impact(seed)
        for law in (Law.POISSON, Law.STRONGE, Law.NEWTON, Law.SMITH):
            struck = SingleImpact.of(W, before, 0.0, e, law)
            assert np.abs(struck.impulse[1:]).max() == 0.0
            assert struck.impulse[0] == pytest.approx(-(1 + e) * before[0] / W[0, 0], rel=1e-13)


def test_with_boundless_friction_slip_stops_before_the_normal_impulse_is_felt() -> None:
    """Where nothing couples the two: P_n as without friction, P_t = -C^-1 v_t."""
    for seed in range(1, 100, 2):
        W, before, _, e = random_impact(seed)
        W[0, 1:] = W[1:, 0] = 0.0
        struck = SingleImpact.of(W, before, 1e9, e)
        assert struck.impulse[0] == pytest.approx(-(1 + e) * before[0] / W[0, 0], rel=1e-13)
        along = -np.linalg.solve(W[1:, 1:], before[1:])
        slack = 1e-13 * np.linalg.cond(W[1:, 1:]) * np.linalg.norm(along)
        np.testing.assert_allclose(struck.impulse[1:], along, atol=slack, rtol=0)
        assert struck.after[1:].tolist() == [0, 0]


def test_from_rest_along_the_floor_a_central_impact_sticks_and_an_eccentric_one_slips_if_it_must() -> None:
    central = SingleImpact.of(sphere(), [-1, 0, 0], 0.3, 0.5)
    assert central.impulse.tolist() == [1.5, 0, 0]
    W = rod(np.pi / 4)  # what keeps its end at rest is 0.6 of the normal impulse
    assert SingleImpact.of(W, [-1, 0], 0.61, 0.5).phases == Phases.STICK
    slips = SingleImpact.of(W, [-1, 0], 0.59, 0.5)
    assert slips.phases == Phases.SLIP
    assert slips.impulse[1] == pytest.approx(0.59 * slips.impulse[0], rel=1e-15)
    assert slips.after[1] < 0


def test_static_friction_holds_what_has_stopped() -> None:
    """Between the two coefficients slip that stops stays, and slip is slowed by the smaller one."""
    W = rod(np.pi / 4)
    held = SingleImpact.of(W, [-1, 0.1], 0.5, 0.5, static_friction=0.65)
    assert held.phases == Phases.SLIP | Phases.STICK
    assert held.stopped_at == pytest.approx(0.1 / (1.5 + 0.5 * 2.5), rel=1e-15)
    assert SingleImpact.of(W, [-1, 0.1], 0.5, 0.5).phases == Phases.SLIP | Phases.REVERSED


@pytest.mark.parametrize("approach", [1e-300, 1e-150, 1e-15, 1e-9, 1e-3])
def test_grazing_impacts_are_as_exact_as_others(approach: float) -> None:
    """Slip hardly changes its direction, so P_n = (1 + e) |v_n|/(a - mu b.s)."""
    W, slip = box([2, 1, 0.5], random_rotation(np.random.default_rng(3))), np.array([0.6, -0.8])
    struck = SingleImpact.of(W, [-approach, *slip], 0.3, 0.5)
    expected = 1.5 * approach / (W[0, 0] - 0.3 * W[0, 1:] @ slip)
    assert struck.impulse[0] == pytest.approx(expected, rel=1e-13 + 30 * approach)
    assert struck.after[0] == pytest.approx(0.5 * approach, rel=1e-13 + 30 * approach)


def test_slip_that_jams_sticks_before_compression_can_end() -> None:
    """a - mu b.s < 0: while it slips the approach grows, so nothing but sticking ends it."""
    W = rod(np.arctan(2))
    assert W[0, 0] + 2.0 * W[0, 1] < 0
    struck = SingleImpact.of(W, [-0.1, -1.0], 2.0, 0.5)
    assert struck.phases == Phases.SLIP | Phases.STICK
    assert struck.after[0] > 0.1  # more than it came with: slip was turned into rebound
    assert struck.energy < 0


def test_what_moves_in_one_way_only_may_be_locked_by_friction() -> None:
    """A rod on a hinge that leans against its motion: what stops it across stops it along, and nothing rebounds."""
    W, before = np.array([[1.0, -1.0], [-1.0, 1.0]]), [-1.0, 1.0]
    for law, outcome in ((Law.POISSON, ImpactEnd.OK), (Law.STRONGE, ImpactEnd.LOCKED), (Law.NEWTON, ImpactEnd.LOCKED)):
        struck = SingleImpact.of(W, before, 2.0, 0.5, law)
        assert struck.outcome == outcome
        assert struck.after.tolist() == [0, 0]
    assert SingleImpact.of(W, before, 0.5, 0.5).after[0] > 0


def test_what_cannot_yield_is_refused() -> None:
    with pytest.raises(ValueProblem, match=r"ENDLESS\. Nothing can yield; release a constraint"):
        SingleImpact.of([[1.0, -1.0], [-1.0, 1.0]], [-1.0, 0.0], 2.0, 0.5)
    with pytest.raises(ValueProblem, match="ENDLESS"):
        SingleImpact.of([[0.0, 0.0], [0.0, 1.0]], [-1.0, 0.5], 0.3)


@pytest.mark.parametrize(
    "changed",
    [
        {"restitution": 1.5}, {"restitution": -0.1}, {"friction": -0.1}, {"friction": float("inf")},
        {"friction": 0.5, "static_friction": 0.4}, {"before": [0.1, 1.0]}, {"before": [-1.0, float("nan")]},
        {"before": [float("-inf"), 0.0]}, {"W": [[-1.0, 0.0], [0.0, 1.0]]}, {"W": [[1.0, 2.0], [2.0, 1.0]]},
        {"W": [[1.0, 0.0], [0.0, -1.0]]}, {"W": [[float("nan"), 0.0], [0.0, 1.0]]},
        {"W": [[1.0, 0.0, 0.0], [0.0, 1.0, 2.0], [0.0, 2.0, 1.0]], "before": [-1.0, 0.0, 0.0]},
    ],
    ids=str,
)  # fmt: skip
def test_numbers_that_describe_no_impact_are_refused_with_what_was_expected(changed: dict[str, object]) -> None:
    given: dict[str, object] = {"W": [[1.0, 0.0], [0.0, 1.0]], "before": [-1.0, 0.5], "friction": 0.3}
    for law in Law:
        with pytest.raises(ValueProblem, match=r"BAD_INPUT\. Finite numbers, .* were expected"):
            SingleImpact.of(**(given | changed | {"law": law}))  # type: ignore[arg-type]


def test_a_matrix_that_is_not_symmetric_is_refused() -> None:
    with pytest.raises(ValueProblem, match=r"W = \[\[1.0, 0.5\], \[0.4, 1.0\]\]; W = J M\^-1 J\^T is symmetric"):
        SingleImpact.of([[1.0, 0.5], [0.4, 1.0]], [-1.0, 0.5], 0.3)


def test_a_law_that_is_none_is_refused() -> None:
    record = _record(np.eye(2), np.array([-1.0, 0.5]))
    record["law"] = len(Law)
    assert SINGLE_IMPACT_KERNELS.function("strike_single", WORD_TYPE)(raw_address(record)) == ImpactEnd.BAD_INPUT


def test_shapes_that_do_not_fit_are_named() -> None:
    with pytest.raises(ValueProblem, match=r"W of shape \(2, 2\) and a velocity of shape \(3,\); give 2 x 2 and 2"):
        SingleImpact.of(np.eye(2), [-1.0, 0.0, 0.0], 0.3)


def lines_into_rest(W: np.ndarray, mu: float) -> list[np.ndarray]:
    """The directions from which slip runs straight into zero, b - mu C s = g s with g < 0."""
    b, C = W[1:, 0], W[1:, 1:]

    def drive(angle: float) -> tuple[np.ndarray, np.ndarray]:
        s = np.array([np.cos(angle), np.sin(angle)])
        return s, b - mu * C @ s

    def across(angle: float) -> float:
        s, f = drive(angle)
        return float(s[0] * f[1] - s[1] * f[0])

    angles = np.linspace(0, 2 * np.pi, 181)
    roots = [brentq(across, *pair, xtol=1e-15) for pair in pairwise(angles) if across(pair[0]) * across(pair[1]) < 0]
    return [s for s, f in map(drive, roots) if s @ f < 0]


def test_slip_that_passes_close_by_zero_does_nearly_what_slip_does_that_stops() -> None:
    """Motions under friction never part: |difference|^2 in the metric of W^-1 does not grow with the impulse.

    So a start that misses the line into rest by so much ends within the same, times the root of W's condition, and what
    the end of the stages makes of it. Close by zero slip turns about, as fast as it comes near.
    """
    passed = 0
    for seed in range(60):
        numbers = np.random.default_rng(seed)
        W = box(numbers.uniform(0.2, 2, 3), random_rotation(numbers))
        holding = float(np.linalg.norm(np.linalg.solve(W[1:, 1:], W[1:, 0])))
        mu = numbers.uniform(0.5, 0.95) * holding  # too little to stick
        for s in lines_into_rest(W, mu):
            before = np.array([-1.0, *(0.3 * s)])
            stops = SingleImpact.of(W, before, mu, 0.5)
            for miss in 10.0 ** -np.arange(2.0, 17.0):
                aside = before + miss * np.array([0, -s[1], s[0]])
                passes = SingleImpact.of(W, aside, mu, 0.5)
                slack = 20 * np.linalg.cond(W) * (miss + 1e-15)
                np.testing.assert_allclose(passes.after, stops.after, atol=slack, rtol=0)
                np.testing.assert_allclose(aside + W @ passes.impulse, passes.after, atol=ROUNDING, rtol=0)
                passed += 1
    assert passed > 500


@pytest.mark.parametrize("off", [1e-16, 1e-15, 1e-14, 1e-12, 1e-8])
def test_what_is_nearly_a_sphere_strikes_as_a_sphere_does(off: float) -> None:
    """W of a sphere, but for rounding or a little more: slip falls along itself, by 3.5 mu P at the most."""
    numbers = np.random.default_rng(11)
    for _ in range(200):
        added, mu = off * numbers.standard_normal((3, 3)), numbers.uniform(0.05, 1)
        before = numbers.standard_normal(3) * 10.0 ** np.array([numbers.uniform(-6, 0), *2 * [numbers.uniform(-7, 0)]])
        before[0] = -abs(before[0])
        struck = SingleImpact.of(np.diag([1.0, 3.5, 3.5]) + added + added.T, before, friction=mu, restitution=0.5)
        normal = -1.5 * before[0]
        friction = min(mu * normal, np.linalg.norm(before[1:]) / 3.5)
        assert np.linalg.norm(struck.impulse[1:]) == pytest.approx(friction, abs=20 * (off + ROUNDING) * normal)
