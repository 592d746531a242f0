"""One model in several formulations: errors against a reference, reasons instead of numbers, table and picture."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import detent
from detent.comparison.run_errors import happenings, run_errors
from detent.results.event import Event, EventLog


def slider_crank(**changes: object) -> detent.Comparison:
    arguments = {"until": 1.0, "method": "rk4", "step": 0.02} | changes
    return detent.compare(detent.example("slider-crank"), ["embedded", "multipliers", "corrected"], **arguments)


def held_ball() -> detent.System:
    """A ball whose speed is held: a row that is not linear in the speeds."""
    ball = detent.System("held")
    x, y = ball.coordinates("x", "y")
    ball.start(x_rate=3, y_rate=4)
    ball.particle("ball", ball.origin.offset("ball", x * ball.ground.x + y * ball.ground.y), mass=1)
    ball.gravity(-9.81 * ball.ground.y)
    ball.constrain(detent.motion("speed", x.rate**2 + y.rate**2 - 25))
    return ball


def test_errors_fall_with_the_order_of_the_method() -> None:
    coarse, fine = slider_crank(step=0.01), slider_crank(step=0.005)
    for name in ("embedded", "corrected"):
        before, after = coarse[name].position_error, fine[name].position_error
        assert before is not None
        assert after is not None
        assert 3.5 < np.log2(before / after) < 4.6


def test_the_reference_is_embedded_at_tight_tolerance_whatever_the_runs_are() -> None:
    compared = slider_crank()
    assert (compared.reference_formulation, compared.reference.method, compared.reference.rtol) == (
        "embedded", "dop853", 1e-12
    )  # fmt: skip
    assert {row.run.method for row in compared.rows if row.run is not None} == {"rk4"}


def test_a_formulation_that_cannot_express_the_model_has_a_row_that_says_why() -> None:
    compared = detent.compare(held_ball(), ["embedded", "corrected"], until=1)
    refused = compared["embedded"]
    assert refused.run is None
    assert refused.position_error is None
    assert refused.reason is not None
    assert "not linear in the speeds" in refused.reason
    assert compared.reference_formulation == "corrected"
    assert f"embedded: {refused.reason}" in compared.table()
    assert compared.as_json()["formulations"][0]["reason"] == refused.reason


def test_a_run_that_ends_early_is_compared_as_far_as_it_goes() -> None:
    compared = detent.compare(detent.example("slider-crank"), ["embedded"], until=1, method="rk4", step=1e-3,
                              most_steps=100)  # fmt: skip
    row = compared["embedded"]
    assert row.reason is not None
    assert "more steps than allowed" in row.reason
    assert row.errors is not None
    assert row.errors.time[-1] == row.run.t[-1] < 1


def test_every_formulation_is_compared_also_one_that_carries_more_states() -> None:
    """Numbers for all that can express the model, and words for the others; an automaton, with its events."""
    compared = detent.compare(detent.example("disk-on-ramp"), ["embedded", "sliding_manifold", "dae", "penalty"])
    *others, refused = compared.rows
    assert all(row.position_error < 1e-6 and row.event_time_error_s < 1e-6 for row in others)
    assert refused.run is None


def test_events_are_matched_by_name_and_order_and_others_are_counted() -> None:
    twice = [Event(t, "impact", "floor", "", "") for t in (1.0, 2.0)]
    found = EventLog([*twice, Event(2.5, "transition", "lifts", "", ""), Event(2.6, "redundant", "row", "", "")])
    assert list(happenings(found)) == [("impact", "floor", 0), ("impact", "floor", 1), ("transition", "lifts", 0)]
    compared = detent.compare(detent.example("bouncing-ball"), ["embedded"], until=2, method="rk4", step=0.01)
    row = compared["embedded"]
    assert row.event_time_error_s is not None
    assert row.event_time_error_s < 1e-12
    assert row.events is not None
    assert row.events.split("/")[0] == row.events.split("/")[1] != "0"


def test_a_jump_that_comes_a_little_later_is_no_error_of_speed() -> None:
    ball = detent.example("bouncing-ball")
    known, later = ball.simulate(until=1), ball.simulate(until=1, start={"y": 1.0000001})
    errors = run_errors(later, known)
    assert np.isnan(errors.velocity).sum() <= 2
    assert np.nanmax(errors.velocity) < 1e-5


def test_overlap_and_smallest_gap_are_told_of_models_with_contacts() -> None:
    compared = detent.compare(detent.example("bouncing-ball-contact"), ["embedded"], until=2, method="rk4", step=0.01)
    row = compared["embedded"]
    assert row.smallest_gap is not None
    assert abs(row.smallest_gap) < 1e-9
    assert row.errors is not None
    assert row.errors.overlap is not None
    assert row.errors.overlap.max() < 1e-9
    assert "smallest gap" in compared.table()
    assert "smallest gap" not in slider_crank().table()
    assert [axes.get_ylabel() for axes in compared.plot().axes][3:] == ["overlap in m", "event time error in s"]


def test_the_picture_has_a_curve_for_each_and_is_the_same_each_time(tmp_path: Path) -> None:
    compared = slider_crank()
    figure = compared.plot(tmp_path / "a.svg")
    compared.plot(tmp_path / "b.svg")
    assert [len(axes.lines) for axes in figure.axes] == [3, 3, 3]
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_numbers_are_the_same_in_table_and_json() -> None:
    compared = slider_crank()
    told = json.loads(json.dumps(compared.as_json(), allow_nan=False))
    assert told["example"] == "slider-crank"
    assert told["reference"]["rtol"] == 1e-12
    line = next(line for line in compared.table().splitlines() if line.startswith("multipliers"))
    row = told["formulations"][1]
    assert f"{row['position_error']:.1e}" in line
    assert f"{row['rhs_evaluations']}" in line
    assert row["settings"] == {"damping": 10.0, "stiffness": 25.0, "soft": False}


def test_progress_tells_which_run_is_made(capsys: pytest.CaptureFixture[str]) -> None:
    slider_crank(progress=True)
    told = capsys.readouterr().err
    assert "run 1 of 4: the reference" in told
    assert "run 3 of 4: multipliers" in told


@pytest.mark.parametrize(
    ("formulations", "changes", "said"),
    [
        ([], {}, "give a list of one or more"),
        ("embedded", {}, "give a list of one or more"),
        (["embeded"], {}, "use one of embedded"),
        (["embedded"], {"formulation": "embedded"}, "leave out formulation"),
        (["embedded"], {"times": [0.5]}, "times and keep"),
    ],
)
def test_what_cannot_be_compared_is_refused(formulations: list[str], changes: dict[str, object], said: str) -> None:
    with pytest.raises(detent.ValueProblem, match=said):
        detent.compare(detent.example("slider-crank"), formulations, until=1, **changes)


def test_a_system_needs_a_duration() -> None:
    with pytest.raises(detent.ValueProblem, match="give until="):
        detent.compare(held_ball(), ["corrected"])
    with pytest.raises(KeyError, match="was not compared"):
        slider_crank()["penality"]
