"""The block on the belt: every time of sticking and slipping has a closed form."""

from __future__ import annotations

import itertools

import numpy as np

from detent.gallery.stick_slip import amplitude, build, riding_time, slipping_time
from tests.gallery.contact_models import QUICK_AND_SLOW, drawn, happened, times
from tests.physics.bounds import accumulated

STICKS, SLIPS = "block|belt: slip -> stick", "block|belt: stick -> slip"


def test_the_known_times_and_amplitude_come_out() -> None:
    run = build().simulate(rtol=1e-12)
    lasted = np.diff(times(run))
    np.testing.assert_allclose(lasted[0::2], 4.317597860684928, rtol=0, atol=1e-11)
    np.testing.assert_allclose(lasted[1::2], 3.0, rtol=0, atol=1e-11)


@QUICK_AND_SLOW
def test_it_sticks_and_slips_in_turn_when_the_closed_form_says(count: int) -> None:
    example = build()
    ranges = {"m": (0.5, 2.0), "k": (0.5, 5.0), "vb": (0.05, 0.5), "mu_d": (0.2, 0.7), "more": (0.05, 0.3)}
    for values in drawn(4, count, **ranges):
        values["mu_s"] = values["mu_d"] + values.pop("more")
        values["g"] = 1.0
        first = values["mu_s"] * values["m"] / (values["k"] * values["vb"])
        slips, rides = slipping_time(**values), riding_time(**values)
        run = example.simulate(
            start={"x_rate": values["vb"]}, parameters=values, until=first + 2.5 * (slips + rides), rtol=1e-12
        )
        lengths = [first, slips, rides, slips, rides]
        expected = list(itertools.accumulate(lengths))
        cut = first + 2.5 * (slips + rides)
        if expected[-1] + slips < cut:
            expected.append(expected[-1] + slips)
        np.testing.assert_allclose(times(run), expected, rtol=0, atol=1e-10 * cut)
        assert happened(run) == [SLIPS, STICKS, SLIPS, STICKS, SLIPS, STICKS][: len(expected)]
        assert run.audit.energy_balance < accumulated(run)


def test_while_it_slips_it_swings_about_the_kinetic_force() -> None:
    run = build().simulate(rtol=1e-12)
    slipping = np.isnan(run.reactions["block|belt.friction"])
    energy = (run.x[slipping] - 0.7) ** 2 + run.x_rate[slipping] ** 2
    np.testing.assert_allclose(energy, amplitude(1, 1, 0.2, 1, 0.7, 1) ** 2, rtol=1e-10)


def test_while_it_sticks_it_moves_with_the_belt() -> None:
    run = build().simulate(rtol=1e-12)
    sticking = ~np.isnan(run.reactions["block|belt.friction"])
    assert (run.x_rate[sticking] == 0.2).all()
