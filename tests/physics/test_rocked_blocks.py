"""Blocks, boxes and cans that rock from corner to corner stand when the sum of all their rocks is over."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

import detent
from tests.physics.rocked_blocks import KINDS, random_rocking, system_of


@pytest.mark.parametrize("seed", range(len(KINDS)))
def test_rocks_accumulate_at_the_sum_of_all_of_them(seed: int) -> None:
    assert random_rocking(seed).verdict().startswith("right")


def test_a_large_block_rocks_in_mm_as_in_m() -> None:
    """In mm the run ended: by the entries of turning, thousands of mm, the rows of one corner were nearly the same."""
    block = random_rocking(81)
    assert (block.kind, block.g) == ("by its middle", 24800.0)
    assert block.verdict().startswith("right")
    assert replace(block, a=block.a / 1e3, b=block.b / 1e3, g=block.g / 1e3).verdict().startswith("right")


def test_a_can_that_rocks_over_has_bounced() -> None:
    """It stood without a word of its rocks: none of its places opens where it rocks from side to side."""
    can = replace(random_rocking(KINDS.index("can")), rtol=1e-9)
    run = detent.simulate(
        system_of("can"), until=1.01 * can.accumulates_at, start=can.start, rtol=can.rtol,
        parameters={"a": can.a, "b": can.b, "g": can.g},
    )  # fmt: skip
    (rests,) = run.events.of_kind("zeno")
    assert rests.details["count"] == len(run.events.of_kind("impact")) > 100
    assert rests.details["lost time is"] == "estimated from the ratio of its last intervals"


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 200, 25))
def test_many_stand_when_their_rocks_are_over(first: int) -> None:
    verdicts = {seed: random_rocking(seed).verdict() for seed in range(first, first + 25)}
    counts = Counter(each.split(":")[0] for each in verdicts.values())
    print(first, dict(counts))
    assert not {seed: each for seed, each in verdicts.items() if not each.startswith("right")}
