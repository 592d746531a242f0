"""Rods that lie flat on a box stay so, whatever they lie on, until their middle has passed its edge."""

from __future__ import annotations

import numpy as np
import pytest

import detent
from tests.physics.laid_rods import random_rod

KNOWN = 1e-9
"""m, s, rad: the tolerance of the integration is 1e-10 of quantities of size one."""


def check(seed: int) -> None:
    rod = random_rod(seed)
    run = detent.simulate(rod.system(), until=1.02 * rod.tips, rtol=1e-10)
    flat = run.time < rod.tips - KNOWN
    assert np.abs(rod.height_of(run)[flat] - rod.height).max() < KNOWN, seed
    assert np.abs(rod.leaning(run)[flat]).max() < KNOWN, seed
    told = [event.kind for event in run.events if 0 < event.time < rod.tips - KNOWN]
    assert not {"impact", "remark", "zeno"} & set(told), seed
    assert abs(rod.leaning(run)[-1]) > KNOWN or rod.height_of(run)[-1] < rod.height - KNOWN, seed
    leaves = [event.time for event in run.events.of_kind("transition") if "slip -> open" in event.name]
    assert any(abs(time - rod.tips) < KNOWN for time in leaves), (seed, leaves, rod.tips)
    assert run.audit.smallest_gap is not None, seed
    assert run.audit.smallest_gap > -KNOWN, seed


@pytest.mark.parametrize("seed", [1, 11])
def test_a_rod_lies_flat_until_its_middle_passes_the_edge(seed: int) -> None:
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 1100, 50))
def test_many_rods_lie_flat_until_their_middle_passes_the_edge(first: int) -> None:
    for seed in range(first, first + 50):
        check(seed)
