"""Kane's puzzle: the energies of every law, and the strike in a run."""

from __future__ import annotations

import math

import numpy as np
import pytest

import detent
from detent.gallery.kane_puzzle import ANGLES, LAWS, RATES, after, build, kinetic_energy, pendulum, table
from tests.gallery.contact_models import QUICK_AND_SLOW, drawn, happened, jump, times


def test_the_known_energies_come_out() -> None:
    assert kinetic_energy(*RATES) == pytest.approx(0.0231814108634554, abs=1e-16)
    energies = table()
    assert energies["Newton"] == pytest.approx(0.0368003665812733, abs=1e-15)
    assert energies["Poisson"] == pytest.approx(0.01198360948498, abs=1e-14)
    assert energies["Stronge"] == pytest.approx(0.01218974261295, abs=1e-14)
    assert after("Newton") == pytest.approx((-0.334648929843563, 0.363115364230321), abs=1e-14)


def test_newton_with_sticking_is_the_solution_of_both_its_conditions() -> None:
    rows = np.array([[math.sin(angle) for angle in ANGLES], [math.cos(angle) for angle in ANGLES]])
    across, along = rows @ RATES
    found = rows @ after("Newton")
    assert found == pytest.approx([-0.5 * across, 0.0], abs=1e-15)
    assert along != 0


def test_the_tip_strikes_as_the_puzzle_says_and_leaves_as_poisson_says() -> None:
    run = build().simulate(rtol=1e-13)
    assert happened(run) == ["tip|floor: bounce"]
    (time,) = times(run)
    assert time == pytest.approx(0.1, abs=1e-11)
    for name, expected in zip(("q1", "q2"), ANGLES, strict=True):
        assert jump(run, name, time)[0] == pytest.approx(expected, abs=1e-12)
    for name, before, left in zip(("u1", "u2"), RATES, after("Poisson"), strict=True):
        assert jump(run, name, time) == pytest.approx((before, left), abs=1e-11)
    assert run.audit.energy_balance < 1e-12


@QUICK_AND_SLOW
def test_other_coefficients_leave_what_the_law_says_and_never_gain(count: int) -> None:
    example, whole = build(), kinetic_energy(*RATES)
    for values in drawn(9, count, e=(0.0, 1.0), mu=(0.0, 1.5)):
        run = example.simulate(parameters=values, rtol=1e-13, until=0.11)
        expected = after("Poisson", **values)
        assert [jump(run, name, times(run)[0])[1] for name in ("u1", "u2")] == pytest.approx(expected, abs=1e-10)
        for law in ("Poisson", "Stronge", "plastic"):
            assert kinetic_energy(*after(law, **values)) <= whole


@pytest.mark.parametrize("law", [detent.Newton, detent.Smith])
def test_a_law_that_gains_stops_the_run_and_names_those_that_cannot(law: type[detent.Newton | detent.Smith]) -> None:
    with pytest.raises(detent.SimulationError, match=r"'tip\|floor': its impact would gain energy.*detent\.Poisson"):
        detent.simulate(pendulum(law), until=0.2)


def test_every_law_is_in_the_table() -> None:
    assert set(table()) == set(LAWS)
