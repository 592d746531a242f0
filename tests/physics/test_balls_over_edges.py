"""A ball goes round the edge of a box, or its corner, until nothing presses it any more; a point flies off there."""

from __future__ import annotations

import numpy as np
import pytest

from tests.physics.balls_over_edges import random_slid
from tests.physics.laid_solids import G

KNOWN = 1e-9
"""m, s: the tolerance of the integration is 1e-10 of quantities of size one, and what is off grows as exp(t sqrt(g/r))
round the edge, by ten at most."""
OVERLAP = 1e-10
"""A face is longer by this part of its size: what goes over its end leaves that much later, and falls as much less."""
FLIES = 0.3
NOTHING = 1e-12
"""N s: at the corner of a box faces and edges end to rounding, and what takes the place of one touches to rounding."""


def check(kind: str, seed: int) -> None:
    slid = random_slid(kind, seed)
    run = slid.run(slid.leaves + FLIES)
    at = slid.places(run)
    late = OVERLAP * slid.half[:2].max() / abs(slid.velocity @ slid.across)
    for time, place in zip(run.time, at, strict=True):
        if time <= slid.arrives:
            assert np.abs(place - slid.slid(time)).max() < KNOWN, (seed, time)
        if time >= slid.leaves:
            assert np.abs(place - slid.flown(time)).max() < KNOWN + late * G * FLIES, (seed, time)
    assert not {"remark", "zeno"} & {event.kind for event in run.events if event.time > 0}, seed
    for event in run.events.of_kind("impact"):
        assert all(abs(value) < NOTHING for value in event.details.values() if not isinstance(value, str)), (
            seed,
            event,
        )
    leaves = [event.time for event in run.events.of_kind("transition") if "slip -> open" in event.name]
    assert any(abs(time - slid.leaves) < KNOWN + late for time in leaves), (seed, leaves)
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
