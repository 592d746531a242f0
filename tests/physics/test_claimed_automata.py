"""Declared automata with contacts: statuses that are new are claimed by the kernel, and lead where Python's would."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import detent
from detent import ContactStatus
from detent.results.outcome import Outcome
from detent.simulation.claimed_running import ClaimedRunning
from detent.simulation.simulate import run_to
from tests.physics.contact_scenes import G, block
from tests.physics.random_automata import UNTIL, PushedBlock, random_automaton
from tests.physics.test_claimed_modes import made_in_python, states

SAME_INSTANT = 1e-9
PILES_UP = 1e-3
"""Instants nearer than this are of bounces that pile up: rounding decides their order and number."""


@dataclass(frozen=True)
class Followed:
    """A run as far as it came, how many modes the kernel claimed in it, and why it ended."""

    run: detent.Run | None
    claimed: int
    why: str

    @property
    def refused(self) -> bool:
        return self.run is None or self.run.outcome != Outcome.COMPLETED


def followed(model: detent.Automaton, until: float = UNTIL, **options: Any) -> Followed:
    try:
        simulation = detent.Simulation(model, **options)
        run = run_to(simulation, until, check=False)
    except detent.DetentError as error:
        return Followed(None, 0, str(error))
    built = simulation._director.built()
    return Followed(run, sum(isinstance(mode.running, ClaimedRunning) for mode in built), run.message)


def instants(run: detent.Run) -> Iterator[tuple[float, list[tuple[str, str, str]]]]:
    """What happened at each instant, until instants pile up."""
    time, told = -np.inf, list[tuple[str, str, str]]()
    for event in run.events:
        if event.time - time > SAME_INSTANT:
            if told:
                yield time, told
            if event.time - time < PILES_UP:
                return
            time, told = event.time, []
        told.append((event.kind, event.name, event.target))
    yield time, told


def without_numbers(text: str) -> str:
    return re.sub(r"-?\d+(\.\d+)?(e[-+]?\d+)?", "#", text)


def compare(ours: Followed, theirs: Followed) -> None:
    """The same events at the same times, the same end. Both integrate to 1e-9; impacts and slides pass errors on."""
    assert without_numbers(ours.why) == without_numbers(theirs.why)
    if ours.run is None or theirs.run is None:
        return
    one, other = list(instants(ours.run)), list(instants(theirs.run))
    assert [told for _, told in one] == [told for _, told in other]
    assert max([0.0, *(abs(a - b) for (a, _), (b, _) in zip(one, other, strict=True) if np.isfinite(a))]) < 1e-7
    assert ours.run.mode == theirs.run.mode
    assert np.abs(states(ours.run)[-1] - states(theirs.run)[-1]).max() < 1e-6
    assert ours.run.discrete["count"][-1] == theirs.run.discrete["count"][-1]


def check(make: Callable[[], detent.Automaton], monkeypatch: pytest.MonkeyPatch) -> Followed:
    ours = followed(make())
    with monkeypatch.context() as patched:
        made_in_python(patched)
        theirs = followed(make())
    assert theirs.claimed == 0
    compare(ours, theirs)
    return ours


@pytest.mark.parametrize("seed", range(5))
def test_random_automata_go_where_modes_made_in_python_lead(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    check(lambda: random_automaton(seed), monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5, 505))
def test_many_random_automata_go_where_modes_made_in_python_lead(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    check(lambda: random_automaton(seed), monkeypatch)


@pytest.mark.parametrize("negative", [False, True])
def test_what_a_claimed_mode_requires_ends_where_a_transition_leaves_it(negative: bool) -> None:
    """A guard that is what is required, or its negative, is taken; where none is the run stops there."""

    def automaton(leaves: bool) -> detent.Automaton:
        system = block(detent.Coulomb(0.1), 0.0, 2.0)
        x = system["x"]
        made = detent.Automaton(system)
        begins, slides, beyond = made.mode("begins"), made.mode("slides", where=x <= 1), made.mode("beyond")
        made.transition("slides on", begins, slides, when=system.time >= 0.05)
        when: dict[str, Any] = {"when": x - 1 if negative else 1 - x, "direction": "rising" if negative else "falling"}
        if not leaves:
            when = {"when": system.time >= 50}
        made.transition("passes", slides, beyond, **when)
        return made

    passes = (2.0 - np.sqrt(4.0 - 2 * 0.1 * G)) / (0.1 * G)
    ours = followed(automaton(leaves=True))
    assert ours.claimed == 2
    assert ours.run is not None
    assert [event.name for event in ours.run.events] == ["slides on", "passes"]
    assert ours.run.events[1].time == pytest.approx(passes, abs=1e-12)
    stopped = followed(automaton(leaves=False))
    assert stopped.run is not None
    assert stopped.run.outcome is Outcome.FORBIDDEN
    assert "mode 'slides, block|slope: slip' requires 1 - x >= 0" in stopped.why
    assert stopped.run.time[-1] == pytest.approx(passes, abs=1e-8)


# -- blocks that modes push -------------------------------------------------------------------------


def check_pushed(seed: int) -> None:
    drawn = PushedBlock.drawn(seed)
    found, place, speed, status = drawn.motion()
    ours = followed(drawn.automaton(), drawn.until)
    assert ours.run is not None
    assert ours.why == ""
    assert ours.claimed > 0
    told = [event.time for event in ours.run.events if not event.name.startswith("to ")]
    assert told == pytest.approx(found, abs=1e-11)
    assert ours.run.x[-1] == pytest.approx(place, abs=1e-10)
    assert ours.run.x_rate[-1] == pytest.approx(speed, abs=1e-10)
    assert ContactStatus(int(ours.run.contacts["block|floor"].status[-1])).name.lower() == status


@pytest.mark.parametrize("seed", range(4))
def test_a_block_that_modes_push_sticks_and_slips_as_its_closed_form_says(seed: int) -> None:
    check_pushed(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(4, 504, 50))
def test_many_blocks_that_modes_push_stick_and_slip_as_their_closed_form_says(first: int) -> None:
    for seed in range(first, first + 50):
        check_pushed(seed)
