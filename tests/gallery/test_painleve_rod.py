"""The Painleve rod: where it seizes, with which impulse, and what is said about it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from detent.gallery.painleve_rod import build, least_coefficient, seizing_impulse, yielding
from tests.gallery.contact_models import QUICK_AND_SLOW, drawn, happened, jump
from tests.physics.bounds import accumulated

SEIZES = "tip|floor: impact without collision, tip|floor: passes rough = t, tip|floor: slip -> stick"
PASSES = "tip|floor: passes rough = t"


def test_the_known_impulse_comes_out() -> None:
    """At tan(angle) = 2 with the slip -1 and mu = 1.5: P = (0.3, 0.4), energy -0.2."""
    run = build().simulate(parameters={"g": 1e-12}, rtol=1e-12)
    (event,) = run.events.of_kind("impact")
    assert event.name.startswith("tip|floor: impact without collision")
    assert event.details["impulse of tip|floor.normal"] == pytest.approx(0.3, abs=1e-12)
    assert event.details["impulse of tip|floor.friction"] == pytest.approx(0.4, abs=1e-12)
    assert event.details["energy"] == pytest.approx(-0.2, abs=1e-12)
    assert event.details["coefficient"] == 1.5
    assert event.details["angle"] == pytest.approx(math.atan(3 / 4), abs=1e-12)


@pytest.mark.parametrize(("more", "name"), [(1e-6, SEIZES), (-1e-6, PASSES)])
def test_it_seizes_above_the_least_coefficient_and_slides_on_below(more: float, name: str) -> None:
    run = build().simulate(parameters={"mu": (4 / 3) * (1 + more), "rough": 1e-6}, rtol=1e-12, until=1.1e-6)
    assert happened(run)[0] == name  # below, the force is so large that the slip ends soon


def test_the_paradox_needs_a_coefficient_above_four_thirds() -> None:
    angles = np.linspace(0.01, math.pi / 2 - 0.01, 5001)
    least = [least_coefficient(angle) for angle in angles]
    assert min(least) == pytest.approx(4 / 3, abs=1e-6)
    assert math.tan(angles[int(np.argmin(least))]) == pytest.approx(2.0, abs=2e-3)


@QUICK_AND_SLOW
def test_it_seizes_where_the_closed_form_says_and_with_its_impulse(count: int) -> None:
    example, seized = build(), 0
    for values in drawn(8, count, angle=(0.7, 1.35), mu=(1.0, 3.0), slip=(-2.0, -0.5), m=(0.5, 3.0)):
        run = example.simulate(
            start={"angle": values["angle"], "x_rate": values["slip"]}, rtol=1e-12, until=0.0011,
            parameters={"mu": values["mu"], "m": values["m"]},
        )  # fmt: skip
        first = next(event for event in run.events if event.kind in ("impact", "transition"))
        angle, (before, after) = run.at(first.time).angle, jump(run, "x_rate", first.time)
        if values["mu"] < least_coefficient(angle):
            assert first.name == PASSES
            assert after == before
            continue
        seized += 1
        assert first.name.startswith("tip|floor: impact without collision")
        assert len(happened(run)) == 1  # it stays there, or leaves at once where it turns fast
        impulse = [first.details[f"impulse of tip|floor.{row}"] for row in ("normal", "friction")]
        assert impulse == pytest.approx(seizing_impulse(angle, before, values["m"]), rel=1e-11)
        assert first.details["energy"] == pytest.approx(impulse[1] * before / 2, rel=1e-10)
        normal, across, _ = yielding(angle, values["m"])
        assert first.details["angle"] == pytest.approx(math.atan2(abs(across), normal), rel=1e-12)
        assert after == pytest.approx(0.0, abs=1e-14)
        assert run.audit.energy_balance < accumulated(run)
    assert 0 < seized < count


def test_a_rod_that_trails_its_end_the_other_way_slides_on() -> None:
    run = build().simulate(start={"x_rate": 1.0}, until=0.002, rtol=1e-12)
    assert happened(run) == [PASSES]
    assert run.mode == "tip|floor: slip"
