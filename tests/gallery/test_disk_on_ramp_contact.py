"""The disk on the ramp as a contact: the events of its explicit automaton, and the closed form of sliding."""

from __future__ import annotations

import math

import numpy as np
import pytest

import detent
from detent.gallery.disk_on_ramp import sliding_ends
from detent.gallery.disk_on_ramp_contact import build
from tests.gallery.contact_models import QUICK_AND_SLOW, drawn, happened, times
from tests.physics.bounds import accumulated

TILT, G, MU = math.pi / 12, 9.8, 0.2
PUBLISHED = [0.36513805471686, 1.7195749674483, 4.1578736158038, 6.125464535146]


def test_the_published_events_come_out_and_no_others() -> None:
    run = build().simulate(rtol=1e-10)
    assert happened(run) == [
        "disk|ramp: slip -> roll",
        "disk|ramp: passes L = q1, disk|ramp: roll -> slip",
        "disk|ramp: passes L = q1",
        "disk|ramp: slip -> roll",
    ]
    np.testing.assert_allclose(times(run), PUBLISHED, rtol=0, atol=1e-11)
    assert run.audit.energy_balance < accumulated(run)


def test_its_events_are_those_of_the_explicit_automaton() -> None:
    run, explicit = build().simulate(rtol=1e-10), detent.example("disk-on-ramp").simulate(rtol=1e-10)
    np.testing.assert_allclose(times(run), times(explicit), rtol=0, atol=1e-10)
    for name in ("q1", "q2", "u1", "u2"):
        assert run.final[name] == pytest.approx(explicit.final[name], abs=1e-9)


@QUICK_AND_SLOW
def test_a_slip_ends_after_the_time_of_constant_forces(count: int) -> None:
    """It then rolls where the cone holds F = m g sin(tilt)/(1 + m r^2/J), and slips the other way where it does not."""
    example = build()
    ranges = {"u1": (-5.0, 10.0), "u2": (-8.0, 8.0), "mu": (0.01, 0.5), "tilt": (0.0, 0.5), "J": (0.2, 1.0)}
    for values in drawn(2, count, **ranges):
        parameters = {name: values[name] for name in ("mu", "tilt", "J")}
        slip = values["u1"] + values["u2"]
        side = math.copysign(1.0, slip)
        ends = sliding_ends(slip, side, m=1, r=1, g=G, **parameters)
        start = {name: values[name] for name in ("u1", "u2")}
        run = example.simulate(start=start, until=3.0, parameters={**parameters, "L": 1000}, rtol=1e-10)
        rolls = math.tan(values["tilt"]) / (1 + 1 / values["J"]) <= values["mu"]
        expected = ["disk|ramp: slip -> roll" if rolls else "disk|ramp: slip turns"] if 0 < ends < 3.0 else []
        assert happened(run) == expected
        assert times(run) == pytest.approx([ends] * len(expected), abs=1e-11)
        assert run.audit.energy_balance < accumulated(run)


def test_while_it_rolls_it_does_not_slip_and_friction_is_that_of_rolling() -> None:
    run = build().simulate(rtol=1e-10)
    needed = run.reactions["disk|ramp.friction"]
    rolls = ~np.isnan(needed)
    assert rolls.any()
    np.testing.assert_allclose((run.u1 + run.u2)[rolls], 0.0, rtol=0, atol=1e-12)
    np.testing.assert_allclose(np.abs(needed[rolls]), G * math.sin(TILT) / 3, rtol=1e-12)
    np.testing.assert_allclose(run.reactions["disk|ramp.normal"], G * math.cos(TILT), rtol=1e-12)


def test_a_disk_that_is_let_fall_lands_and_stays() -> None:
    run = build().simulate(start={"clearance": 0.5, "u1": 0, "u2": 0}, until=1.0, rtol=1e-10)
    assert happened(run) == ["disk|ramp: open -> roll"]
    assert times(run) == pytest.approx([math.sqrt(2 * 0.5 / (G * math.cos(TILT)))], abs=1e-12)
