"""Newton's cradle: as many balls fly out as came in, at the times of a pendulum; momentum and energy are kept."""

from __future__ import annotations

import numpy as np
import pytest

import detent
from detent.gallery.example import Example
from detent.gallery.newtons_cradle import BALLS, build, quarter

G = 9.81


@pytest.fixture(scope="module")
def example() -> Example:
    """One cradle for many starts: its modes are derived once."""
    return build()


def rates(run: detent.Run, node: int) -> np.ndarray:
    return np.array([run[f"q{number}_rate"][node] for number in range(1, BALLS + 1)])


def struck(run: detent.Run) -> tuple[np.ndarray, np.ndarray]:
    """The rates of all strings before and after the first strike."""
    nodes = np.flatnonzero(run.t == run.events.of_kind("impact")[0].time)
    return rates(run, int(nodes[0])), rates(run, int(nodes[-1]))


@pytest.mark.parametrize("drawn", [1, 2, 3, 4])
def test_as_many_fly_out_as_came_in(example: Example, drawn: int) -> None:
    start = {f"q{number}": -0.3 if number <= drawn else 0.0 for number in range(1, BALLS + 1)}
    run = example.simulate(until=0.8, start=start)
    before, after = struck(run)
    assert run.events.of_kind("impact")[0].time == pytest.approx(quarter(0.3, 1.0, G), abs=1e-10)
    fast = before[0]
    assert after == pytest.approx([0.0] * (BALLS - drawn) + [fast] * drawn, abs=1e-9)
    assert after.sum() == pytest.approx(before.sum(), abs=1e-10)
    assert (after**2).sum() == pytest.approx((before**2).sum(), abs=1e-10)


def test_balls_from_both_sides_go_back_to_both_sides(example: Example) -> None:
    run = example.simulate(until=0.8, start={"q1": -0.3, "q5": 0.3})
    before, after = struck(run)
    assert after == pytest.approx(-before[[0, 1, 2, 3, 4]], abs=1e-9)
    assert after == pytest.approx(-after[::-1], abs=1e-9)


def test_the_last_ball_comes_back_after_half_a_period(example: Example) -> None:
    run = example.simulate(until=1.8)
    first = quarter(0.3, 1.0, G)
    assert [event.time for event in run.events.of_kind("impact")[:2]] == pytest.approx([first, 3 * first], abs=1e-9)


def test_all_at_once_is_another_law(example: Example) -> None:
    before, after = struck(example.simulate(until=0.8, impacts="simultaneous"))
    assert after / before[0] == pytest.approx([-0.6, 0.4, 0.4, 0.4, 0.4], abs=1e-9)


def test_energy_is_kept(example: Example) -> None:
    run = example.simulate(until=0.8)
    assert run.audit.energy_balance < 1e-9
