"""Planks and polygons meet needles that are far narrower than what is between two samples of a curve."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.physics.needled_faces import NeedledAnswer, needled_verdict, random_needled_throw, told

REFUSED = 0.1
"""The part of those that begin between two needles, where no point is nearest, or touch in two places at once."""


def test_a_plank_falls_on_a_needle_of_a_millionth() -> None:
    """It was passed through: 6e-6 m wide on 4 m."""
    assert told(11, "middle") == "right"


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 100, 20))
def test_what_falls_on_needles_or_slides_into_them_meets_them(first: int) -> None:
    verdicts = {}
    for seed in range(first, first + 20):
        throw, thorns = random_needled_throw(seed)
        answer = NeedledAnswer(throw, thorns).first() if throw.until > 0.0 else ("graze", 0.0)
        for way in ("middle", "usual", "rk4"):
            verdicts[seed, way] = needled_verdict(throw, thorns, way, answer)
    counts = Counter(each.split(":")[0] for each in verdicts.values())
    print(first, dict(counts))
    assert not {where: each for where, each in verdicts.items() if each.startswith("wrong")}
    assert counts["refused"] <= REFUSED * len(verdicts)
