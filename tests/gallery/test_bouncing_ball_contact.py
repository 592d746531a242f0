"""The bouncing ball as a contact: the bounces of its explicit automaton and of the geometric series, and rest."""

from __future__ import annotations

import numpy as np
import pytest

import detent
from detent.gallery.bouncing_ball import bounce_time, zeno_time, zeno_time_dropped
from detent.gallery.bouncing_ball_contact import build
from tests.gallery.contact_models import QUICK_AND_SLOW, drawn, happened, times

EXACT = 1e-13
"""The motion between bounces is a parabola, which every method follows to rounding: so are the times."""
SHORTEST = 2 * 64 * np.finfo(float).eps
"""A speed within 64 units in the last place of what is gained in all the time that has passed is none, and a flight
from it lasts this part of the time: there the ball comes to rest."""


def test_its_events_are_those_of_the_explicit_automaton() -> None:
    run, explicit = build().simulate(), detent.example("bouncing-ball").simulate()
    bounces = times(run, "impact")
    assert len(bounces) > 30
    assert bounces[:30] == pytest.approx(times(explicit, "impact")[:30], abs=1e-10)
    assert times(run, "zeno") == pytest.approx(times(explicit, "zeno"), abs=1e-10)


@QUICK_AND_SLOW
def test_every_bounce_is_where_the_geometric_series_has_it_and_then_it_rests(count: int) -> None:
    example = build()
    for values in drawn(1, count, v0=(1.0, 10.0), c=(0.05, 0.9), g=(1.0, 20.0)):
        v0, c, g = values["v0"], values["c"], values["g"]
        end = zeno_time(v0, c, g)
        run = example.simulate(start={"v": v0}, parameters={"c": c, "g": g}, until=1.5 * end)
        *bounces, rests = happened(run)
        assert set(bounces) == {"ball|floor: bounce"}
        assert rests == "ball|floor: open -> slip"
        *found, last = times(run)
        expected = [bounce_time(number, v0, c, g) for number in range(len(found))]
        np.testing.assert_allclose(found, expected, rtol=0, atol=EXACT * end)
        lost = SHORTEST * end / (1 - c)  # all that was to come of flights of which the first is as short as this
        assert last == pytest.approx(end, abs=EXACT * end + lost)
        assert run.audit.energy_balance < 1e-12
        assert run.final.v == 0.0
        assert run.final.y == pytest.approx(0.0, abs=1e-15)


def test_each_bounce_costs_what_restitution_says_and_rest_bears_the_weight() -> None:
    run = build().simulate()
    speed = 5.0
    for event in run.events.of_kind("impact")[:20]:
        assert event.details["energy"] == pytest.approx(-(1 - 0.5**2) * speed**2 / 2, rel=1e-10)
        speed *= 0.5
    normal = run.reactions["ball|floor.normal"]
    np.testing.assert_allclose(normal[~np.isnan(normal)], 9.81, rtol=1e-14)


def test_a_dropped_ball_comes_to_rest_when_its_series_says() -> None:
    run = build().simulate(start={"y": 2, "v": 0}, until=3, parameters={"c": 0.4})
    assert times(run, "zeno") == pytest.approx([zeno_time_dropped(2.0, 0.4, 9.81)], abs=EXACT * 3)


def test_an_elastic_ball_bounces_for_ever_and_loses_nothing() -> None:
    run = build().simulate(until=100, parameters={"c": 1})
    bounces = times(run)
    assert set(happened(run)) == {"ball|floor: bounce"}
    # A flight errs by some ten units in the last place, and what one loses or gains all later ones keep.
    bound = 98 * 10 * np.finfo(float).eps
    np.testing.assert_allclose(bounces, [bounce_time(number, 5.0, 1.0, 9.81) for number in range(98)], rtol=bound)
    np.testing.assert_allclose(run.energy, 12.5, rtol=1e-12)


def test_a_ball_without_restitution_rests_at_once() -> None:
    run = build().simulate(parameters={"c": 0})
    assert happened(run) == ["ball|floor: open -> slip"]
    assert times(run) == pytest.approx([bounce_time(0, 5.0, 0.0, 9.81)], abs=EXACT)


def test_a_throw_that_is_not_upwards_is_refused() -> None:
    with pytest.raises(detent.ValueProblem, match=r"'v0' of 'bouncing-ball-contact' is 0\.0; throw the ball upwards"):
        build(v0=0.0)
