"""Random chains and closed linkages with redundant rows move alike in every formulation, and as SciPy says."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import detent
from detent.formulation.registry import FORMULATIONS
from tests.physics.redundant_linkages import Linkage

WAYS: list[Any] = [
    name
    for name, option in FORMULATIONS.items()
    if name not in ("dae", "sliding_manifold") and not option.owns_contacts
]
WAYS += [detent.Projection("svd"), detent.Projection("lu"), detent.Corrected(energy=True)]
UNTIL, WITHIN = 0.5, 1e-6
"""Half a second: neighbouring motions of three rods part by some thousand times in it, from 1e-10."""


def score(formulation: Any, seeds: range) -> Counter[str]:
    """How many were tried, and came out right, refused, or wrong."""
    counts = Counter(tried=0, right=0, refused=0, wrong=0)
    for seed in seeds:
        linkage = Linkage.random(seed)
        counts["tried"] += 1
        try:
            run = detent.simulate(linkage.system(), UNTIL, rtol=1e-10, formulation=formulation)
        except detent.DetentError:
            counts["refused"] += 1
            continue
        known = linkage.places_after(UNTIL)
        error = np.abs(run.final.values[: len(known)] - known).max()
        counts["right" if error < WITHIN else "wrong"] += 1
    return counts


@pytest.mark.parametrize("formulation", WAYS, ids=str)
def test_linkages_with_redundant_rows_move_as_scipy_says(formulation: Any) -> None:
    assert score(formulation, range(3)) == Counter(tried=3, right=3, refused=0, wrong=0)


@pytest.mark.slow
@pytest.mark.parametrize("formulation", WAYS, ids=str)
@pytest.mark.parametrize("first", range(0, 300, 50))
def test_three_hundred_linkages_with_redundant_rows_move_as_scipy_says(formulation: Any, first: int) -> None:
    assert score(formulation, range(first, first + 50)) == Counter(tried=50, right=50, refused=0, wrong=0)
