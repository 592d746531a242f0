"""The energy balance finds energy that comes from nowhere."""

import json
import math

import numpy as np
import pytest

from detent.results import Audit, audit_energy
from detent.simulation.contact_audit import Findings


def test_a_falling_body_balances() -> None:
    t = np.linspace(0.0, 2.0, 101)
    speed, height = -9.81 * t, 10.0 - 9.81 * t**2 / 2
    balance, scale = audit_energy(speed**2 / 2, 9.81 * height, np.zeros_like(t))
    assert scale == pytest.approx((9.81 * 2) ** 2 / 2)
    # E is about 100 J, of which each term rounds by half a unit in the last place.
    assert balance <= 4 * np.spacing(200.0) / scale


def test_damping_balances_with_its_work_and_not_without() -> None:
    t = np.linspace(0.0, 1.0, 51)
    kinetic = np.exp(-2 * t) / 2  # m = b = 1: v = exp(-t), the damper's power is -v^2
    work = (np.exp(-2 * t) - 1) / 2
    assert audit_energy(kinetic, np.zeros_like(t), work)[0] <= 4 * np.finfo(float).eps
    assert audit_energy(kinetic, np.zeros_like(t), np.zeros_like(t))[0] == pytest.approx(1 - math.exp(-2))


def test_energy_gained_and_lost_again_is_seen() -> None:
    assert audit_energy([1.0, 2.0, 1.0], [0.0] * 3, [0.0] * 3) == (0.5, 2.0)


def test_work_and_energy_before_the_start_do_not_count() -> None:
    assert audit_energy([1.0, 3.0], [50.0, 50.0], [7.0, 9.0]) == (0.0, 3.0)


def test_the_range_of_the_potential_counts_and_not_its_level() -> None:
    assert audit_energy([1.0, 0.0], [1000.0, 1004.0], [0.0, 0.0]) == (0.75, 4.0)


def test_where_nothing_moves_the_balance_is_absolute() -> None:
    assert audit_energy([0.0, 0.0], [5.0, 5.0], [0.0, 0.25]) == (0.25, 1.0)


@pytest.mark.parametrize("place", range(3))
def test_a_state_that_is_not_a_number_does_not_pass(place: int) -> None:
    arrays = [np.ones(3), np.ones(3), np.ones(3)]
    arrays[place][1] = np.nan
    assert math.isnan(audit_energy(*arrays)[0])


def test_contract_of_the_audit() -> None:
    found = Audit(float("nan"), 1e-12, 2e-12, None, 3.0).as_json()
    assert json.loads(json.dumps(found, allow_nan=False)) == {
        "energy_balance": None,
        "position_residual": 1e-12,
        "velocity_residual": 2e-12,
        "smallest_gap": None,
    }


def test_the_balance_of_what_moves_by_rounding_is_absolute() -> None:
    """2e-15 J of 20 J are rounding: relative to a kinetic energy of 1e-33 J they would be an error of 1e18."""
    assert audit_energy([0.0, 1e-33], [20.0, 20.0 + 4e-15], [0.0, 0.0]) == (pytest.approx(4e-15, rel=0.2), 1.0)
    assert audit_energy([0.0, 1e-9], [20.0, 20.0], [0.0, 0.0]) == (pytest.approx(1.0, rel=1e-6), 1e-9)


@pytest.mark.parametrize(("kilograms", "metres", "seconds"), [(1.0, 1.0, 1.0), (1e-6, 1e3, 60.0), (1e9, 1e-3, 1e-4)])
def test_an_excess_is_relative_to_forces_that_mean_something_in_any_units(
    kilograms: float, metres: float, seconds: float
) -> None:
    """2 kg move with 9 J for 3 s: 1e-9 of a force of 2 N. It counts where contacts press with less."""
    newtons = kilograms * metres / seconds**2
    times = {"mass": 2 * kilograms, "begins": 4 * seconds, "ends": 7 * seconds}
    energy = 9 * newtons * metres
    rounding = Findings(excess=1e-17 * newtons, largest_normal=1e-33 * newtons, **times)
    assert rounding.cone_excess(energy) == pytest.approx(1e-17 / 2e-9, rel=1e-12)
    pressing = Findings(excess=1e-3 * newtons, largest_normal=0.5 * newtons, **times)
    assert pressing.cone_excess(energy) == pytest.approx(2e-3, rel=1e-12)
