"""The rocking block: Housner's ratio at every strike, the angles it reaches, when it strikes, and that it stands."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import quad

import detent
from detent.gallery.rocking_block import build, peak, ratio
from tests.gallery.contact_models import QUICK_AND_SLOW, drawn, happened, jump, times
from tests.physics.rocked_blocks import Rocking

G = 9.81
FROM_LEFT = "block|floor corner 1: stick -> open, block|floor corner 2: open -> stick"
FROM_RIGHT = "block|floor corner 1: open -> stick, block|floor corner 2: stick -> open"


def falling_time(tilt: float, width: float, height: float) -> float:
    """How long the block takes from rest at a tilt until it is flat: (2 R/3) angle'^2 = g (cos(alpha - tilt) - ...)."""
    alpha, radius = math.atan2(width, height), math.hypot(width, height) / 2

    def slowness(root: float) -> float:
        """With the angle as tilt - root^2 it is regular where the fall begins; sin(x)/x is that of NumPy."""
        half = root**2 / 2
        fallen = math.sin(alpha - tilt + half) * float(np.sinc(half / math.pi))
        return 2 / math.sqrt(1.5 * G / radius * fallen)

    return float(quad(slowness, 0.0, math.sqrt(tilt), epsabs=1e-13, epsrel=1e-13)[0])


def strikes(number: int, tilt: float, width: float, height: float) -> list[float]:
    """When the first strikes are."""
    found = [falling_time(tilt, width, height)]
    for n in range(1, number):
        found.append(found[-1] + 2 * falling_time(peak(n, tilt, width, height), width, height))
    return found


@pytest.mark.parametrize(("height", "mu", "expected"), [(4, 0.3, 31 / 34), (2, 1.0, 7 / 10), (2, 0.3, 19 / 31)])
def test_a_flat_block_that_turns_onto_its_other_corner_has_the_known_ratios(
    height: float, mu: float, expected: float
) -> None:
    """With a height of 2 and mu = 0.3 it slips while it strikes, and the ratio is not Housner's."""
    start = {"angle": 0.0, "angle_rate": -1.0}
    run = build().simulate(start=start, parameters={"height": height, "mu": mu}, until=1e-3)
    assert -run.angle_rate[0] == pytest.approx(expected, rel=1e-12)


@QUICK_AND_SLOW
def test_every_strike_has_housners_ratio_and_its_time(count: int) -> None:
    example = build()
    for values in drawn(5, count, width=(0.5, 1.5), height=(3.0, 6.0), part=(0.1, 0.6)):
        width, height = values["width"], values["height"]
        tilt = values["part"] * math.atan2(width, height)
        expected = strikes(4, tilt, width, height)
        run = example.simulate(
            start={"angle": tilt}, parameters={"width": width, "height": height}, rtol=1e-12, until=expected[-1] + 1e-3
        )
        assert happened(run) == [FROM_LEFT, FROM_RIGHT, FROM_LEFT, FROM_RIGHT]
        np.testing.assert_allclose(times(run), expected, rtol=0, atol=1e-10)
        for time in times(run):
            before, after = jump(run, "angle_rate", time)
            assert after / before == pytest.approx(ratio(width, height), rel=1e-12)
        assert run.audit.energy_balance < 1e-11


def test_between_strikes_it_reaches_the_angles_of_its_energy() -> None:
    run = build().simulate(rtol=1e-12)
    instants = times(run)
    for number, (first, last) in enumerate(itertools.pairwise(instants), 1):
        middle = (first + last) / 2  # up and down take the same time
        assert abs(run.at(middle).angle) == pytest.approx(peak(number, 0.1, 1, 4), abs=1e-10)


def test_its_strikes_pile_up_and_it_stands_on_both_corners() -> None:
    run = build().simulate(until=12, rtol=1e-10)
    assert run.mode == "block|floor corner 1: stick, block|floor corner 2: stick"
    assert run.final.angle == pytest.approx(0.0, abs=1e-14)
    normal = [run.reactions[f"block|floor corner {number}.normal"][-1] for number in (1, 2)]
    assert normal == pytest.approx([G / 2, G / 2], rel=1e-12)
    (rests,) = run.events.of_kind("zeno")
    assert rests.details["count"] == len(run.events.of_kind("impact"))


@pytest.mark.parametrize("rtol", [1e-8, 1e-10, 1e-12])
def test_it_stands_when_the_sum_of_its_rocks_is_over(rtol: float) -> None:
    """Rocks that rise by less than the rounding of heights went on for 1e-7 s: heights are sums of terms that cancel
    where the block is flat, and their slopes alone do not tell how large these are."""
    known = Rocking("by its corner", 0.5, 2.0, G, 0.1, rtol)
    (rests,) = build().simulate(until=12, rtol=rtol).events.of_kind("zeno")
    assert rests.details["accumulates at"] == pytest.approx(known.accumulates_at, abs=known.known_to)
    heights = 1024 * 2.0**-52 * 4.0  # below which rocks count as none; of terms of the size of 4 m and less
    speed = math.sqrt(2 * G * heights)  # of a corner, 1 m from the other, at the last strike at most
    assert 0.0 < rests.details["lost time"] < 2 * speed / known.pull / (1 - known.ratio)


def test_a_block_that_is_tilted_too_far_falls_over() -> None:
    run = build().simulate(start={"angle": 0.25}, until=0.5, rtol=1e-10)
    assert happened(run) == []
    assert run.final.angle > 0.25


def test_a_block_inside_the_floor_is_refused() -> None:
    with pytest.raises(detent.DetentError, match=r"contact 'block\|floor corner 1': its shapes overlap by 0\.5 m"):
        build().simulate(start={"y": -0.5})


def test_a_corner_that_holds_is_on_the_floor_to_rounding_at_nodes_and_to_the_tolerance_between_them() -> None:
    """What the audit calls the smallest gap lies inside steps, where the interpolation follows a turn of the block."""
    gaps = []
    for rtol in (1e-7, 1e-9, 1e-11):
        run = build().simulate(rtol=rtol)
        corners = run.contacts["block|floor"]
        at_nodes = min(float(corners[name].gap.min()) for name in corners)
        assert at_nodes > -16 * 2.0**-52  # rule 4: of terms of the size of 1 m
        assert run.audit.smallest_gap is not None
        assert run.audit.smallest_gap > -rtol
        gaps.append(run.audit.smallest_gap)
    assert gaps[0] < 10 * gaps[2] < 0.0
