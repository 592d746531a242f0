"""The conveyor pendulum as a contact: the events of its explicit automaton, over and over."""

from __future__ import annotations

import numpy as np
import pytest

import detent
from detent.gallery.conveyor_pendulum_contact import build
from tests.gallery.contact_models import QUICK_AND_SLOW, drawn, happened, jump, times

PUBLISHED = [0.072642086676, 0.251849625148, 0.408378424309, 0.873112060392]
ON_THE_BELT = ("P2|belt: bounce", "P2|belt: open", "P2|belt: slip", "P2|belt: stick")


def struck_or_changed(run: detent.Run) -> list[float]:
    """The times of all but the passing from one material to the other in flight, which the explicit one leaves out."""
    return [event.time for event in run.events if event.kind != "remark" and event.name.startswith(ON_THE_BELT)]


def test_the_published_events_come_out_and_no_others() -> None:
    run = build().simulate(rtol=1e-10)
    assert happened(run) == [
        "P2|belt: bounce",
        "P2|belt: bounce",
        "P2|belt: passes P2 from origin along ground.x = zone",
        "P2|belt: open -> slip",
        "P2|belt: slip -> stick",
    ]
    np.testing.assert_allclose(struck_or_changed(run), PUBLISHED, rtol=0, atol=1e-9)
    assert run.audit.energy_balance < 1e-9


def test_its_events_are_those_of_the_explicit_automaton() -> None:
    run = build().simulate(rtol=1e-12, until=1.5)
    explicit = detent.example("conveyor-pendulum").simulate(rtol=1e-12, until=1.5)
    np.testing.assert_allclose(struck_or_changed(run), times(explicit), rtol=0, atol=1e-10)
    assert run.mode == explicit.mode == "free"
    for name in ("q1", "q2", "u1", "u2"):
        assert run.final[name] == pytest.approx(explicit.final[name], abs=1e-9)


def test_its_impacts_are_those_of_smiths_law_in_python() -> None:
    run = build().simulate(rtol=1e-12)
    explicit = detent.example("conveyor-pendulum").simulate(rtol=1e-12)
    for mine, other in zip(times(run, "impact"), times(explicit, "impact"), strict=True):
        for name in ("u1", "u2"):
            assert jump(run, name, mine) == pytest.approx(jump(explicit, name, other), abs=1e-9)


@QUICK_AND_SLOW
def test_other_starts_agree_with_the_explicit_automaton(count: int) -> None:
    example, explicit = build(), detent.example("conveyor-pendulum")
    for start in drawn(3, count, q1=(-0.5, -0.2), q2=(-1.6, -1.4), u1=(2.0, 4.0), u2=(-1.0, 1.0)):
        mine, other = (model.simulate(start=start, rtol=1e-12, until=0.6) for model in (example, explicit))
        instants = list(
            dict.fromkeys(times(other))
        )  # it sticks and slips again at one instant, which is one event here
        np.testing.assert_allclose(struck_or_changed(mine), instants, rtol=0, atol=1e-10)


def test_a_start_inside_the_belt_is_refused_with_its_depth() -> None:
    with pytest.raises(detent.DetentError, match=r"contact 'P2\|belt': its shapes overlap by 0\.8 m"):
        build().simulate(start={"q1": 0, "q2": 0})
