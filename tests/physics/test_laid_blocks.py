"""Piles of blocks, and blocks side by side, slide as one and stop together, or rest for ever."""

from __future__ import annotations

import pytest

import detent
from tests.physics.laid_blocks import random_blocks

KNOWN = 1e-9
"""m, s, rad: the tolerance of the integration is 1e-10 of quantities of size one."""
ROUNDING = 64 * 2.0**-52
"""Of lengths of size one: by so much a state that is brought onto its contacts may be moved."""


def check_sliding(seed: int) -> None:
    blocks = random_blocks(seed, moving=True)
    run = detent.simulate(blocks.system(), until=2 * blocks.stops, rtol=1e-10)
    assert blocks.off(run) < KNOWN, seed
    assert not {"impact", "remark", "zeno"} & {event.kind for event in run.events if event.time > 0}, seed
    assert abs(run.events.of_kind("transition")[-1].time - blocks.stops) < KNOWN, seed
    assert run.audit.smallest_gap is not None, seed
    assert run.audit.smallest_gap > -KNOWN * blocks.unit, seed


def check_resting(seed: int) -> None:
    blocks = random_blocks(seed, moving=False)
    run = detent.simulate(blocks.system(), until=1000, rtol=1e-10)
    assert blocks.off(run) <= ROUNDING * max(blocks.unit, 1.0), seed
    assert [event for event in run.events if event.time > 0] == [], seed


@pytest.mark.parametrize("seed", range(2))
def test_blocks_that_slide_together_stop_together(seed: int) -> None:
    check_sliding(seed)


@pytest.mark.parametrize("seed", range(3))
def test_blocks_rest_on_a_slope_for_ever(seed: int) -> None:
    check_resting(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 160, 20))
def test_many_blocks_slide_together_or_rest(first: int) -> None:
    for seed in range(first, first + 20):
        check_sliding(seed)
        check_resting(seed)
