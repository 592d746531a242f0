"""A ball goes round the edge of a box, or its corner, until nothing presses it any more; a point flies off there."""

from __future__ import annotations

import numpy as np
import pytest

from tests.physics.balls_over_edges import random_slid

KNOWN = 1e-9
"""m, s: the tolerance of the integration is 1e-10 of quantities of size one, and what is off grows as exp(t sqrt(g/r))
round the edge, by ten at most."""


def check(kind: str, seed: int) -> None:
    slid = random_slid(kind, seed)
    run = slid.run(slid.leaves + 0.3)
    at = slid.places(run)
    for time, place in zip(run.time, at, strict=True):
        if time <= slid.arrives:
            assert np.abs(place - slid.slid(time)).max() < KNOWN, (seed, time)
        if time >= slid.leaves:
            assert np.abs(place - slid.flown(time)).max() < KNOWN, (seed, time)
    assert not {"impact", "remark", "zeno"} & {event.kind for event in run.events if event.time > 0}, seed
    leaves = [event.time for event in run.events.of_kind("transition") if "slip -> open" in event.name]
    assert any(abs(time - slid.leaves) < KNOWN for time in leaves), (seed, leaves)
    assert run.audit.smallest_gap is not None, seed
    assert run.audit.smallest_gap > -KNOWN, seed


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("kind", ["point", "sphere"])
def test_a_ball_goes_round_an_edge_until_nothing_presses_it(kind: str, seed: int) -> None:
    check(kind, seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 1100, 100))
@pytest.mark.parametrize("kind", ["point", "sphere"])
def test_many_balls_go_round_edges_until_nothing_presses_them(kind: str, first: int) -> None:
    for seed in range(first, first + 100):
        check(kind, seed)
