"""No event is missed, made up or taken twice: random guards whose zeros are known, rules 3 to 7 of event_semantics.md.

``random_guards.py`` draws the runs and counts; a seed that fails can be looked at alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from sympy import Float

import detent
from tests.physics.known_guards import KnownGuard
from tests.physics.known_motions import TIME, Pushed
from tests.physics.known_polynomials import Factored, certified_roots, written_out
from tests.physics.random_guards import KINDS, Score, compare, crossings, drawn, score_of
from tests.unit.hybrid.models import moving

QUICK = 240
ALL = 10_000
BATCH = 500


def assert_right(score: Score) -> None:
    assert not score.wrong, str(score)


@pytest.mark.parametrize("first", range(0, QUICK, 80))
def test_every_event_of_random_guards_is_found_once_and_nothing_else(first: int) -> None:
    assert_right(score_of(range(first, first + 80)))


def test_a_guard_that_changes_more_than_once_is_found_before_another_that_was_located_after_it() -> None:
    assert_right(score_of([6503, 6566, 6651]))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, ALL, BATCH))
def test_every_event_of_ten_thousand_random_runs_is_found_once_and_nothing_else(first: int) -> None:
    assert_right(score_of(range(first, first + BATCH)))


# -- rules 3 to 6, one guard each, along x = t -------------------------------------------------------------


def times(guard: Callable[[Any], Any]) -> list[float]:
    """When a guard of x fires, in either direction, along x = t from 0 to 2."""
    _, x, automaton, mode = moving()
    automaton.transition("passes", mode, mode, when=guard(x))
    return [event.time for event in detent.simulate(automaton, until=2).events]


def test_three_roots_in_one_long_step_are_three_events() -> None:
    assert times(lambda x: (x - 0.1) * (x - 0.4) * (x - 0.8)) == pytest.approx([0.1, 0.4, 0.8], abs=1e-12)


@pytest.mark.parametrize("power", [2, 4, 6])
def test_an_even_root_is_a_touch_and_no_event(power: int) -> None:
    assert times(lambda x: (x - 1) ** power) == []


@pytest.mark.parametrize("power", [3, 5, 7])
def test_an_odd_root_is_one_event(power: int) -> None:
    assert times(lambda x: (x - 1) ** power) == pytest.approx([1.0], abs=1e-12)


@pytest.mark.parametrize("power", [2, 3, 4, 5])
def test_a_multiple_root_written_out_is_a_touch_or_one_event_within_rounding(power: int) -> None:
    coefficients = [float(math.comb(power, k) * (-1) ** k) for k in range(power + 1)]
    # The terms add up to 2^n, known to 2^n units of rounding or so: |x - 1|^n stays below that over this width.
    width = (16 * (power + 1) * 2.0**power * 2.0**-52) ** (1 / power)
    assert times(written_out(coefficients)) == ([] if power % 2 == 0 else pytest.approx([1.0], abs=width))


@pytest.mark.parametrize("apart", [1e-3, 1e-6, 1e-9, 1e-11])
def test_two_roots_however_close_are_two_events(apart: float) -> None:
    assert times(lambda x: (x - 1) * (x - Float(1 + apart))) == pytest.approx([1.0, 1.0 + apart], abs=apart / 16)


@pytest.mark.parametrize("after", [1e-12, 1e-9, 1e-6])
def test_a_root_just_after_the_start_is_an_event(after: float) -> None:
    assert times(lambda x: (x - Float(after)) * (x - 1.5)) == pytest.approx([after, 1.5], abs=after / 16)


@pytest.mark.parametrize("before", [1e-12, 1e-9, 1e-6])
def test_a_root_just_before_the_end_is_an_event(before: float) -> None:
    assert times(lambda x: x - Float(2 - before)) == pytest.approx([2 - before], abs=before / 16)


def test_a_guard_at_zero_at_the_start_fires_when_it_has_come_back() -> None:
    assert times(lambda x: x * (x - 1)) == pytest.approx([1.0], abs=1e-12)
    assert times(lambda x: x**2 * (x - 1)) == pytest.approx([1.0], abs=1e-12)


# -- the judge itself ------------------------------------------------------------------------------------


def line() -> KnownGuard:
    """(t - 1)^2 (t - 2) (t - 3): a touch at 1, falling to nothing at 2, and back at 3."""
    shape = Factored(((1.0, 2), (2.0, 1), (3.0, 1)), 1.0)
    return KnownGuard(TIME, lambda symbols: shape.expression(symbols["t"]), shape.value, tuple(shape.places))


def test_the_known_answer_counts_changes_of_sign_and_not_touches() -> None:
    found = crossings(line(), 4.0, 0.0)
    assert [(crossing.time, crossing.sense) for crossing in found] == [(2.0, -1), (3.0, 1)]


def test_a_flight_passes_its_places_on_the_way_up_and_on_the_way_down() -> None:
    motion = Pushed(0.0, 2.0, -2.0)
    assert motion.position_turns(3.0) == [1.0]
    assert [motion.position(t) for t in (0.0, 1.0, 2.0)] == [0.0, 1.0, 0.0]


@pytest.mark.parametrize(("found", "wrong"), [
    ([2.0, 3.0], {}),
    ([2.0], {"missed": 1}),
    ([2.0, 2.5, 3.0], {"spurious": 1}),
    ([2.0, 3.0, 3.0], {"doubled": 1}),
    ([2.0, 3.0 + 3e-10], {"mistimed": 1}),
    ([2.0 + 1e-11, 3.0 - 1e-11], {}),
])  # fmt: skip
def test_the_judge_tells_what_is_missed_made_up_doubled_and_mistimed(found: list[float], wrong: dict[str, int]) -> None:
    score = Score()
    compare(score, crossings(line(), 4.0, 0.0), found, 0.0)
    assert score.wrong == wrong


def test_roots_of_polynomials_are_counted_by_sturm() -> None:
    """(s^2 - 2)(s^2 + 1), expanded."""
    assert certified_roots([1.0, 0.0, -1.0, 0.0, -2.0], 0.0, 3.0) == [math.sqrt(2)]
    assert certified_roots([1.0, 0.0, -1.0, 0.0, -2.0], 1.5, 3.0) == []


def test_the_same_seed_draws_the_same_run_and_the_quick_sample_has_every_kind() -> None:
    first, again = drawn(17), drawn(17)
    assert (first.motion, first.until, first.settings) == (again.motion, again.until, again.settings)
    cases = [drawn(seed) for seed in range(2 * len(KINDS))]
    assert {case.watched[0].kind for case in cases} == set(KINDS)
