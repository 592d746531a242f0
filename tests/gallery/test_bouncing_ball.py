"""The bouncing ball: every bounce of a geometric series, its sum, and rest afterwards."""

from __future__ import annotations

import numpy as np
import pytest

import detent
from detent.gallery.bouncing_ball import bounce_time, build, zeno_time, zeno_time_dropped

EMBEDDINGS = ["symbolic", "numeric", "live"]
EXACT = 1e-13
"""The motion between bounces is a parabola, which every method follows to rounding: so are the times."""


@pytest.mark.parametrize("embedding", EMBEDDINGS)
@pytest.mark.parametrize(("v0", "c", "g"), [(5.0, 0.5, 9.81), (2.0, 0.8, 1.62), (7.0, 0.2, 9.81)])
def test_every_bounce_is_where_the_geometric_series_has_it(v0: float, c: float, g: float, embedding: str) -> None:
    run = build(v0=v0).simulate(until=2 * zeno_time(v0, c, g), parameters={"c": c, "g": g}, embedding=embedding)
    bounces = [event.time for event in run.events.of_kind("impact")]
    assert len(bounces) > 10
    expected = [bounce_time(number, v0, c, g) for number in range(len(bounces))]
    np.testing.assert_allclose(bounces, expected, rtol=0, atol=EXACT * zeno_time(v0, c, g))


def test_the_published_times_come_out() -> None:
    run = build().simulate(rtol=1e-10)
    first = [event.time for event in run.events.of_kind("impact")[:3]]
    np.testing.assert_allclose(first, [1.01936799185, 1.52905198777, 1.78389398573], rtol=0, atol=1e-11)
    assert run.events.of_kind("zeno")[0].time == pytest.approx(2.03873598369011, abs=1e-13)


@pytest.mark.parametrize("c", [0.2, 0.5, 0.9])
def test_past_the_zeno_time_the_ball_rests_exactly(c: float) -> None:
    end = zeno_time(5.0, c, 9.81)
    run = build().simulate(until=end + 1, parameters={"c": c})
    (completed,) = run.events.of_kind("zeno")
    assert completed.time == pytest.approx(end, abs=EXACT * end)
    assert run.mode == "rest"
    resting = ~np.isnan(run.reactions["floor"])
    assert (run.y[resting] == 0.0).all()
    assert (run.v[resting] == 0.0).all()
    np.testing.assert_allclose(run.reactions["floor"][resting], 9.81, rtol=1e-15)  # its weight, 1 kg
    assert max(event.time for event in run.events) == completed.time


def test_each_bounce_costs_what_restitution_says() -> None:
    run = build().simulate(rtol=1e-10)
    speed = 5.0
    for event in run.events.of_kind("impact")[:20]:
        assert event.details["energy"] == pytest.approx(-(1 - 0.5**2) * speed**2 / 2, rel=1e-10)
        assert event.details["impulse of floor"] == pytest.approx(1.5 * speed, rel=1e-10)
        speed *= 0.5
    assert run.audit.energy_balance < 1e-12
    assert run.y.min() > -1e-13


def test_a_dropped_ball_comes_to_rest_when_its_series_says() -> None:
    run = build().simulate(start={"y": 2, "v": 0}, until=3, parameters={"c": 0.4})
    (completed,) = run.events.of_kind("zeno")
    assert completed.time == pytest.approx(zeno_time_dropped(2.0, 0.4, 9.81), abs=EXACT * 3)


def test_an_elastic_ball_bounces_for_ever_and_loses_nothing() -> None:
    run = build().simulate(until=100, parameters={"c": 1})
    bounces = [event.time for event in run.events]
    # A flight errs by some ten units in the last place, and what one loses or gains all later ones keep.
    bound = 98 * 10 * np.finfo(float).eps
    np.testing.assert_allclose(bounces, [bounce_time(number, 5.0, 1.0, 9.81) for number in range(98)], rtol=bound)
    assert {event.kind for event in run.events} == {"impact"}
    np.testing.assert_allclose(run.energy, 12.5, rtol=1e-12)


def test_a_ball_without_restitution_rests_at_once() -> None:
    run = build().simulate(parameters={"c": 0})
    assert run.mode == "rest"
    assert run.events[0].time == pytest.approx(bounce_time(0, 5.0, 0.0, 9.81), abs=EXACT)
    assert (run.final.y, run.final.v) == (0.0, 0.0)


def test_a_throw_that_is_not_upwards_is_refused() -> None:
    with pytest.raises(detent.ValueProblem, match=r"'v0' of 'bouncing-ball' is -1\.0; throw the ball upwards"):
        build(v0=-1.0)


def test_a_start_below_the_floor_is_refused() -> None:
    with pytest.raises(detent.DetentError, match=r"flight"):
        build().simulate(start={"y": -1})


def test_a_bounce_that_would_gain_energy_is_refused() -> None:
    with pytest.raises(detent.DetentError, match=r"bounce"):
        build().simulate(parameters={"c": 1.5})
