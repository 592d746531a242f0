"""Linkages through their change points: the branch along which all speeds are continuous, or a stop with the reason.

A parallelogram passes one at every half turn. There it could go on as an antiparallelogram: both closures meet, the
rows lose rank together, and positions alone do not tell which one it was.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import detent
from detent.formulation.compiled import EMBEDDINGS, Embedding
from detent.results.outcome import Outcome
from tests.physics.linkages import Parallelogram, bars, equal_slider_crank, four_rods

UNTIL = 5.0
TOLERANCES = [1e-6, 1e-9, 1e-11]
GROWTH = 1e4
"""How much a local error may grow until the end. The equation angle'' = -k cos(angle) with k = g/l of up to 40 1/s^2
lets neighbours part as cosh(sqrt(k) t) while the cranks stand on end, and linearly with the time elsewhere."""


ROUNDING = 1e-7
"""What rounding may leave in the speeds at a change point (``_SETTLED`` of the kernel that takes the step across)."""


def follows_its_branch(linkage: Parallelogram, rtol: float, embedding: Embedding) -> bool | None:
    """Whether cranks stay parallel all along, with the angles of the closed equation; None where the run refused."""
    simulation = detent.Simulation(linkage.system(), rtol=rtol, embedding=embedding)
    try:
        simulation.advance(UNTIL)
    except detent.SimulationError:
        assert simulation.outcome is Outcome.SINGULAR_CONSTRAINT
        return None
    run = simulation.result()
    times = np.linspace(0.0, UNTIL, 100)
    expected = linkage.angles(times)
    found = np.array([run.at(time)["t1"] for time in times])
    parallel = np.abs(run["t3"] - run["t1"]).max() < 1e-9 and np.abs(run["t2"]).max() < 1e-9
    crossings = 1 + np.ptp(expected) / math.pi
    return bool(parallel and np.abs(found - expected).max() < GROWTH * rtol + crossings * ROUNDING * UNTIL)


@pytest.mark.parametrize(("seed", "rtol"), [(0, 1e-6), (1, 1e-9), (3, 1e-11), (5, 1e-9), (9, 1e-11), (88, 1e-9)])
def test_a_parallelogram_stays_one_through_its_change_points(seed: int, rtol: float) -> None:
    embedding = EMBEDDINGS[seed % 3]
    assert follows_its_branch(Parallelogram.random(seed), rtol, embedding) is True


@pytest.mark.slow
@pytest.mark.parametrize("rtol", TOLERANCES)
def test_ninety_parallelograms_never_take_the_wrong_branch(rtol: float) -> None:
    kinds = itertools.cycle(EMBEDDINGS)
    answers = [follows_its_branch(Parallelogram.random(seed), rtol, next(kinds)) for seed in range(90)]
    assert answers.count(False) == 0
    assert answers.count(True) >= 88  # the others stopped and said why


@pytest.mark.parametrize("rtol", TOLERANCES)
def test_an_antiparallelogram_stays_one_too(rtol: float) -> None:
    linkage = Parallelogram.random(1)
    run = detent.simulate(linkage.system(crossed=True), UNTIL, rtol=rtol)
    apart = run["t3"] - np.array([linkage.crossed(angle) for angle in run["t1"]])
    assert np.ptp(run["t1"]) > 4 * math.pi
    np.testing.assert_allclose((apart + math.pi) % (2 * math.pi) - math.pi, 0.0, atol=1e-9)
    assert run.audit.energy_balance < GROWTH * rtol


@pytest.mark.parametrize("rtol", TOLERANCES)
def test_a_slider_crank_with_equal_bars_passes_the_place_where_its_slider_could_stay(rtol: float) -> None:
    run = detent.simulate(equal_slider_crank(0.8, 0.3, 9.0), 4.0, rtol=rtol)
    assert np.ptp(run["crank"]) > 4 * math.pi
    np.testing.assert_allclose(run["rod"], -run["crank"], atol=1e-9)
    np.testing.assert_allclose(run["slide"], 1.6 * np.cos(run["crank"]), atol=1e-9)
    assert run.audit.energy_balance < GROWTH * rtol


@pytest.mark.parametrize("longer", [1e-1, 1e-3, 1e-5, 1e-8])
@pytest.mark.parametrize("rtol", TOLERANCES)
def test_a_linkage_that_only_comes_close_keeps_to_its_own_closure(longer: float, rtol: float) -> None:
    """A coupler a little longer than the base has no change point: it turns over from the one closure to the other."""
    like = Parallelogram.random(1)
    system = bars((like.crank, like.base * (1 + longer), like.crank), like.base, like.masses, 1.0, 6.0, (1.0, 1.0))
    run = detent.simulate(system, 3.0, rtol=rtol)
    assert np.abs(run["t2"]).max() > 0.9  # a parallelogram's coupler would stay where it is
    # Where it turns over within sqrt(longer) of a turn, rounding of 1e-16 counts that much more.
    assert run.audit.energy_balance < GROWTH * rtol + 1e-16 / longer


@pytest.mark.parametrize("rtol", [1e-10, 1e-11, 1e-12])
@pytest.mark.parametrize(
    ("angles", "rates"),
    [
        ((0.57459, 9.37464, -8.18511, -0.41341), (12.58366, 0.68399)),
        ((1.17467, 9.40363, -8.92629, -0.18193), (12.03293, 0.5749)),
    ],
)
def test_a_loop_of_two_freedoms_goes_on_past_a_change_point_close_by(
    angles: tuple[float, float, float, float], rates: tuple[float, float], rtol: float
) -> None:
    """The rows come within a thousandth of losing rank. What is due, multipliers say: no speeds depend there."""
    run = detent.simulate(four_rods(angles, rates), 0.12, rtol=rtol, embedding="numeric")
    due = detent.simulate(four_rods(angles, rates), 0.12, rtol=1e-13, formulation="multipliers")
    for name in ("q1", "q2", "q3", "q4", "u1", "u2", "u3", "u4"):
        assert run[name][-1] == pytest.approx(due[name][-1], abs=GROWTH * rtol + ROUNDING)
    assert run.audit.position_residual < 1e-12
    assert run.audit.velocity_residual < 1e-12
    assert run.audit.energy_balance < GROWTH * rtol + ROUNDING


@pytest.mark.parametrize(("step", "order"), [(1e-2, 4), (1e-3, 4)])
def test_steps_of_fixed_size_stay_on_the_branch(step: float, order: int) -> None:
    linkage = Parallelogram.random(0)
    run = detent.simulate(linkage.system(), UNTIL, method="rk4", step=step)
    np.testing.assert_allclose(run["t2"], 0.0, atol=1e-9)
    angles = linkage.angles(np.linspace(0.0, UNTIL, 100))
    bound = GROWTH * step**order + (1 + np.ptp(angles) / math.pi) * ROUNDING * UNTIL
    assert run.final.t1 == pytest.approx(angles[-1], abs=bound)


def time_of_first_change_point(linkage: Parallelogram) -> float:
    """When the cranks first lie along the base, by bisection of SciPy's solution."""
    low, high = 0.0, 0.5
    side = math.floor(linkage.angle / math.pi)
    for _ in range(50):
        middle = (low + high) / 2
        same = math.floor(linkage.angles(np.array([0.0, middle]))[-1] / math.pi) == side
        low, high = (middle, high) if same else (low, middle)
    return low


@pytest.mark.parametrize("after", [-1e-2, -1e-4, -1e-9, 0.0, 1e-6])
@pytest.mark.parametrize("rtol", [1e-9, 1e-11])
def test_a_run_may_pause_at_a_change_point(after: float, rtol: float) -> None:
    linkage = Parallelogram.random(0)
    simulation = detent.Simulation(linkage.system(), embedding="numeric", rtol=rtol)
    simulation.advance(time_of_first_change_point(linkage) + after)
    simulation.advance(3.0)
    assert simulation.state.t2 == pytest.approx(0.0, abs=1e-9)
    assert simulation.state.t1 == pytest.approx(linkage.angles(np.array([0.0, 3.0]))[-1], abs=GROWTH * rtol)


def passes_places(seed: int, near: float, known: float = 1e-8) -> detent.Run:
    """The cranks pass places close before and behind half turns, and others, each told once; the times are SciPy's.

    ``known``: to how much the angle there is.
    """
    linkage = Parallelogram.random(seed)
    system = linkage.system()
    automaton = detent.Automaton(system)
    mode = automaton.mode("runs")
    angle, places = system["t1"], [k * math.pi + off for k in (1, 2, 3) for off in (-near, near + 1e-3, 1.6)]
    for number, place in enumerate(places):
        automaton.transition(f"passes {number}", mode, mode, when=angle >= place)
    simulation = detent.Simulation(automaton, rtol=1e-10, embedding="symbolic")
    try:
        simulation.advance(1.0)
    except detent.SimulationError:
        assert simulation.outcome is Outcome.SINGULAR_CONSTRAINT
        assert near < 1e-2
    run = simulation.result()
    passed = [number for number, place in enumerate(places) if max(run["t1"]) > place + 1e-9 and linkage.angle < place]
    for number in passed:
        (event, *others) = run.events.named(f"passes {number}")
        assert linkage.angles(np.array([0.0, event.time]))[-1] == pytest.approx(places[number], abs=known)
        assert not [other for other in others if other.time < event.time + 1e-6]  # it may swing back
    return run


@pytest.mark.parametrize("near", [1e-2, 1e-3, 1e-4, 0.0])
def test_events_near_change_points_are_found_or_the_run_says_why_it_stops(near: float) -> None:
    run = passes_places(0, near)
    np.testing.assert_allclose(run["t2"], 0.0, atol=1e-9)


@pytest.mark.parametrize("seed", [7, 11, 18])
def test_a_guard_that_is_located_behind_a_change_point_has_passed(seed: int) -> None:
    """Rounding moves where such a step ends: the guard was 1e-11 short of zero, and fired again."""
    passes_places(seed, 1e-2)


@pytest.mark.slow
def test_events_near_change_points_are_told_once() -> None:
    for seed in range(200):
        for near in (1e-2, 3e-2):
            passes_places(seed, near, known=GROWTH * 1e-10)
