"""Rule 6 of docs/event_semantics.md: what the tolerance of the integration leaves open is told."""

from __future__ import annotations

import math

import pytest

import detent
from tests.unit.hybrid.models import moving


def swing(height: float, direction: str = "either") -> detent.Run:
    """x = sin t, and a guard at a height, from 0 to 14 s: two crests."""
    system = detent.System("swing")
    x = system.coordinates("x")
    system.particle("mass", system.origin.offset("mass", x * system.ground.x), mass=1)
    system.spring("spring", x, 1)
    automaton = detent.Automaton(system)
    mode = automaton.mode("swings")
    automaton.transition("top", mode, mode, when=x - height, direction=direction)
    return detent.simulate(automaton, until=14, start={"x_rate": 1.0}, rtol=1e-9)


@pytest.mark.parametrize("above", [1e-12, 1e-10])
def test_a_crest_that_misses_a_guard_by_less_than_the_integration_is_exact_is_a_near_miss(above: float) -> None:
    run = swing(1 + above)
    times = run.near_misses.times.tolist()
    assert {event.name for event in run.near_misses} == {"top"}
    # Each is told with the end of the step in which the guard came near; no step of this run is longer than a second.
    assert all(min(abs(t - crest) for crest in (math.pi / 2, 5 * math.pi / 2)) < 1.0 for t in times)
    assert len(times) + len(run.events.named("top")) // 2 == 2


@pytest.mark.parametrize("above", [1e-3, -1e-3])
def test_a_crest_that_is_clearly_below_or_above_is_none(above: float) -> None:
    run = swing(1 + above)
    assert len(run.near_misses) == 0
    assert len(run.events) == (0 if above > 0 else 4)


def test_an_event_is_no_near_miss_and_neither_is_what_begins_at_zero() -> None:
    _, x, automaton, mode = moving()
    automaton.transition("there", mode, mode, when=x - 1)
    automaton.transition("here", mode, mode, when=x)
    run = detent.simulate(automaton, until=3)
    assert [event.name for event in run.events] == ["there"]
    assert len(run.near_misses) == 0


def test_near_misses_are_kept_with_the_run(tmp_path: object) -> None:
    run = swing(1 + 1e-12)
    run.save(f"{tmp_path}/swing.nc")
    assert detent.load(f"{tmp_path}/swing.nc").near_misses == run.near_misses
