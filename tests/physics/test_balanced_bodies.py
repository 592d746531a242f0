"""What rests exactly above the end of its support stays, or falls as it should: it sinks in nowhere."""

from __future__ import annotations

import numpy as np
import pytest

import detent
from tests.physics.balanced_bodies import random_balanced

KNOWN = 1e-9
"""m: the tolerance of the integration is 1e-10 of quantities of size one."""
FEW = 12
"""Events of a fall and what follows it within a second."""


def check(seed: int) -> None:
    scene = random_balanced(seed)
    run = detent.simulate(scene.system(), until=1.0, rtol=1e-10)
    risen = scene.height_of(run) - scene.height
    assert risen.max() < KNOWN, seed
    assert len([event for event in run.events if event.time > 0]) <= FEW, seed
    assert run.audit.smallest_gap is None or run.audit.smallest_gap > -KNOWN * scene.unit, seed
    if scene.stays:
        assert np.abs(risen).max() < KNOWN, seed


@pytest.mark.parametrize("seed", range(8))
def test_what_is_balanced_stays_or_falls(seed: int) -> None:
    check(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(100, 400, 100))
def test_whatever_is_balanced_stays_or_falls(first: int) -> None:
    for seed in range(first, first + 100):
        check(seed)
