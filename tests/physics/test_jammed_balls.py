"""Balls jam in a corner: what their contacts do is what their forces ask for, and small steps of another method say."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

import detent
from tests.physics.jammed_balls import CHATTERED, Jam, random_jam

UNTIL = 1.2
KNOWN = 1e-4
"""Of the largest force. Where the slip of something else ends a force may change by all of it in some 1e-11 s, and it
is known to what it changes by in the rounding of the time."""
LESS_KNOWN = {287: 1e-3}
"""A slide towards a paradox, where forces grow a hundredfold in 1e-12 s: 3e-4 outside a cone for 4e-16 s, unmended."""
KEPT = 1e-7
"""Of the largest acceleration: to so much what is closed stays so, where forces are shared, or begins to open."""
RTOL = 1e-9
"""The default: where rows follow from one another one is left out, and held by the others as well as steps are."""
ENDED = 974
"""Where friction no longer holds a contact, slip would go back at once: it lifts off, and others press far harder."""
SOON = 2e-9
"""After that instant, s, there is one solution: what held is none any more, and nothing else happens for longer."""
DOZENS = 24
"""Contacts that open, close, slip and stick so often in 1e-6 s do so for nothing."""


def kept_the_laws(jam: Jam, run: detent.Run, known: float = KNOWN) -> None:
    """What is closed stays so and what touches does not close, by Newton; forces are in their cones, against slips."""
    largest = max(run.contacts[name].normal.max() for name in jam.pairs)
    heaviest = largest * (1 / jam.mass.min() + 1 / jam.mass.min())
    lasts = np.append(np.diff(run.time), 0.0)
    acts = np.append(lasts[:-1] > 0, True)  # of the nodes at one instant the last
    for name, (gap, rate, bends) in jam.parting(run).items():
        place = run.contacts[name]
        closed = place.status > 0
        assert np.abs(gap[closed]).max(initial=0.0) < RTOL * jam.radius.max(), name
        assert np.abs(bends[closed & acts]).max(initial=0.0) < KEPT * heaviest, name
        touches = ~closed & acts & (np.abs(gap) < 1e-15) & (np.abs(rate) < 1e-15)
        pressed = np.minimum(0.0, bends + KEPT * heaviest)
        sinks = pressed * lasts**2 / 2  # where slips end forces change within 1e-8 s, and it parts then
        assert sinks[touches].min(initial=0.0) > -1e-15, name
        friction, slip = np.linalg.norm(place.friction, axis=1), np.linalg.norm(place.slip, axis=1)
        assert (friction - jam.friction * place.normal)[acts].max() < known * largest, name
        assert place.normal[acts].min() > -known * largest, name
        slips = (place.status == 1) & acts & (slip > 1e-7)  # slower ones keep a direction
        power = (place.friction * place.slip).sum(axis=1) + jam.friction * place.normal * slip
        assert np.abs(power[slips] / slip[slips]).max(initial=0.0) < 1e-6 * largest, name


def most_at_once(run: detent.Run) -> int:
    """How many transitions without an impact are within 1e-6 s."""
    times = np.array([event.time for event in run.events.of_kind("transition")])
    return int((np.searchsorted(times, times + 1e-6) - np.arange(len(times))).max(initial=0))


def check(seed: int) -> detent.Run:
    jam, known = random_jam(seed), LESS_KNOWN.get(seed, KNOWN)
    run = detent.simulate(jam.system(), until=UNTIL, check=False)
    assert run.outcome.word == "completed", (seed, run.message)
    audit, energy = run.audit, jam.energy(run)
    assert audit.smallest_gap is not None
    assert audit.largest_cone_excess is not None
    assert audit.smallest_gap > -1e-8, seed
    assert audit.largest_cone_excess < known, seed
    assert np.diff(energy).max() < 1e-9 * np.ptp(energy), seed
    assert most_at_once(run) < DOZENS, seed
    kept_the_laws(jam, run, known)
    return run


@pytest.fixture(scope="module")
def chattered() -> detent.Run:
    return detent.simulate(CHATTERED.system(), until=0.8)


def test_what_has_accumulated_in_a_jam_does_not_begin_again(chattered: detent.Run) -> None:
    run = chattered
    last = [event for event in run.events if event.time > 0.787042]
    changes = Counter(name for event in last for name in event.name.split(", "))
    assert max(changes.values()) == 1, changes
    assert run.audit.largest_cone_excess is not None
    assert run.audit.largest_cone_excess < 1e-8
    kept_the_laws(CHATTERED, run)


@pytest.mark.parametrize("time", [0.78705, 0.7871])
def test_in_a_jam_a_small_step_of_another_method_finds_the_same_forces(chattered: detent.Run, time: float) -> None:
    run = chattered
    forces = CHATTERED.forces_of_a_step(CHATTERED.states(run.at(time)), 1e-6)
    largest = max(float(np.linalg.norm(force)) for force in forces.values())
    for name, contact in run.model.contacts.items():
        told = np.array(run.value(contact.force(), time))
        assert told == pytest.approx(forces[name], abs=1e-3 * largest), name


@pytest.mark.parametrize("seed", [45, 58, 91, 254, 360, 581, 684])
def test_balls_jam_by_the_laws_of_contact(seed: int) -> None:
    check(seed)


def test_where_what_holds_comes_to_its_end_a_small_step_of_another_method_finds_the_same_forces() -> None:
    jam, run = random_jam(ENDED), check(ENDED)
    ended = run.events.of_kind("several")[0].time
    assert "b1|w2: roll -> open" in [event.name for event in run.events if event.time == ended]
    forces = jam.forces_of_a_step(jam.states(run.at(ended + SOON)), 1e-11)
    largest = max(float(np.linalg.norm(force)) for force in forces.values())
    for name, contact in run.model.contacts.items():
        told = np.array(run.value(contact.force(), ended + SOON))
        assert told == pytest.approx(forces[name], abs=1e-3 * largest), name


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 1000, 20))
def test_hundreds_of_balls_jam_by_the_laws_of_contact(first: int) -> None:
    for seed in range(first, first + 20):
        check(seed)
