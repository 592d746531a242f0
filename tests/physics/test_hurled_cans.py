"""Cans of any proportions, in any units, gain nothing, sink nowhere and are pushed within their cones."""

from __future__ import annotations

import pytest

from tests.physics.hurled_cans import random_hurled


def test_a_can_that_is_hurled_gains_nothing_and_sinks_nowhere() -> None:
    assert [random_hurled(seed).verdict() for seed in range(5)] == ["right"] * 5


@pytest.mark.slow
@pytest.mark.parametrize("first", range(5, 1005, 100))
def test_hundreds_of_cans_that_are_hurled(first: int) -> None:
    assert [random_hurled(seed).verdict() for seed in range(first, first + 100)] == ["right"] * 100
