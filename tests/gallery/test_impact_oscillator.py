"""The impact oscillator: its periodic motions, and what only grazes the stop."""

from __future__ import annotations

import math

import numpy as np
import pytest

import detent
from detent.gallery.impact_oscillator import build, orbit, place
from tests.gallery.contact_models import QUICK_AND_SLOW, drawn, happened, jump, times
from tests.physics.bounds import accumulated

PERIOD = 4 * math.pi / 3


def test_the_known_orbit_comes_out() -> None:
    run = build().simulate(rtol=1e-12)
    assert happened(run) == ["mass|stop: bounce"] * 4
    np.testing.assert_allclose(times(run), PERIOD * np.arange(1, 5), rtol=0, atol=1e-11)
    for time in times(run):
        before, after = jump(run, "v", time)
        assert before == pytest.approx(5 * math.sqrt(3) / 4, abs=1e-11)
        assert after == pytest.approx(-0.7 * before, rel=1e-14)
    assert run.audit.energy_balance < accumulated(run)


@QUICK_AND_SLOW
def test_each_orbit_that_stays_off_the_stop_between_strikes_returns(count: int) -> None:
    example, found = build(), 0
    for values in drawn(7, 20 * count, sigma=(-0.5, 1.0), r=(0.3, 0.95), w=(1.5, 4.0), n=(1.0, 3.0)):
        sigma, r, w, n = values["sigma"], values["r"], values["w"], int(values["n"])
        try:
            speed, phase = orbit(sigma, r, w, n)
        except detent.ValueProblem:
            continue
        period = 2 * math.pi * n / w
        clear = [sigma - place(period * part, sigma, r, w, n) for part in np.linspace(0.02, 0.98, 49)]
        if speed < 0.2 or min(clear) < 1e-3:
            continue
        run = example.simulate(
            start={"x": sigma, "v": -r * speed}, until=2.5 * period, rtol=1e-12,
            parameters={"sigma": sigma, "r": r, "w": w, "phase": phase},
        )  # fmt: skip
        assert times(run) == pytest.approx([period, 2 * period], abs=1e-9)
        assert jump(run, "v", times(run)[0])[0] == pytest.approx(speed, abs=1e-9)
        found += 1
        if found == count:
            return
    pytest.fail(f"only {found} orbits were found")


@pytest.mark.parametrize(("more", "strikes"), [(1e-9, False), (-1e-9, True)])
def test_a_motion_that_just_misses_the_stop_goes_on_and_one_that_grazes_it_strikes(more: float, strikes: bool) -> None:
    """The motion without strikes is cos(w t + phase)/(1 - w^2), here -cos(3 t)/8: it is farthest at pi/3."""
    sigma = (1 + more) / 8
    run = build().simulate(
        start={"x": -1 / 8, "v": 0}, parameters={"sigma": sigma, "phase": 0}, rtol=1e-13, atol=1e-14, until=1.5
    )
    assert bool(times(run)) is strikes
    if strikes:
        first = (math.pi - math.acos(1 + more)) / 3
        # There it is as slow as (3/8) sqrt(2e-9), so that an error of 1e-14 in x is one of 6e-10 in the time.
        assert times(run)[0] == pytest.approx(first, abs=6e-10)


def test_where_no_motion_has_this_period_that_is_said() -> None:
    with pytest.raises(detent.ValueProblem, match=r"no motion strikes a stop at 5\.0 once in 2 periods"):
        orbit(5.0, 0.7, 3.0, 2)
