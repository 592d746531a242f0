"""What the tests of models with contacts share."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import detent

QUICK_AND_SLOW = pytest.mark.parametrize("count", [20, pytest.param(500, marks=pytest.mark.slow)])
"""How many models a generator makes: some always, many where there is time."""

HAPPENS = ("impact", "transition", "zeno")
"""The kinds of events that say what contacts do."""


def happened(run: detent.Run) -> list[str]:
    """What contacts have done in a run, in order."""
    return [event.name for event in run.events if event.kind in HAPPENS]


def times(run: detent.Run, *kinds: str) -> list[float]:
    """When events of some kinds were."""
    return [event.time for event in run.events if event.kind in (kinds or HAPPENS)]


def drawn(seed: int, count: int, **ranges: tuple[float, float]) -> Iterator[dict[str, float]]:
    """Values drawn at random from ranges, the same ones each time."""
    generator = np.random.default_rng(seed)
    for _ in range(count):
        yield {name: float(generator.uniform(*bounds)) for name, bounds in ranges.items()}


def jump(run: detent.Run, name: str, time: float) -> tuple[float, float]:
    """A quantity before and after an instant."""
    nodes = np.flatnonzero(run.t == time)
    return float(run[name][nodes[0]]), float(run[name][nodes[-1]])
