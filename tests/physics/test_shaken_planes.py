"""Points and balls in space slip, stick and roll on planes that shake, turn and run, as a second method says."""

from __future__ import annotations

import numpy as np
import pytest

import detent
from tests.physics.shaken_planes import followed, random_rider
from tests.physics.shaken_tables import Unsure

UNTIL = 1.5
WITHIN = 1e-7
"""What is left of a slip that ends, 1e-7 m/s, is taken to end evenly: its time is off by some part of itself."""


def check(seed: int) -> str:
    """``right``, or ``unsure`` where the second method cannot tell."""
    rider = random_rider(seed)
    try:
        told, until, state = followed(rider, UNTIL)
    except Unsure:
        return "unsure"
    if until < 0.01:
        return "unsure"
    run = detent.simulate(rider.system(), until=until if len(told) < 2 else until + 1e-3, rtol=1e-11, atol=1e-13)
    found = [(event.time, event.name) for event in run.events if event.kind == "transition"]
    assert len(found) == len(told), (seed, found, told)
    for (time, name), (when, word) in zip(found, told, strict=True):
        assert name.endswith(("stick", "roll") if word == "held" else "slip"), (seed, found, told)
        assert time == pytest.approx(when, abs=WITHIN), (seed, found, told)
    last = run.at(until)
    place, velocity, _ = rider.in_ground(until, state)
    assert np.abs([last[f"r_{a}"] for a in "xyz"] - place).max() < WITHIN, seed
    assert np.abs([last[f"r_{a}_rate"] for a in "xyz"] - velocity).max() < 10 * WITHIN, seed
    assert run.audit.largest_cone_excess is not None
    assert run.audit.largest_cone_excess < 1e-8, seed
    return "right"


@pytest.mark.parametrize("seed", [0, 1])
def test_a_rider_on_a_shaken_plane_does_what_scipy_follows(seed: int) -> None:
    assert check(seed) == "right"


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 500, 50))
def test_hundreds_of_riders_on_shaken_planes_do_what_scipy_follows(first: int) -> None:
    assert [check(seed) for seed in range(first, first + 50)].count("right") > 40
