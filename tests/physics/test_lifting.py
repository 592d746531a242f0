"""What is lifted where loads cancel leaves: it is not held for what rounding leaves of them."""

from __future__ import annotations

import pytest

from tests.physics.lifted_bodies import LOADS, SHAPES, lift_verdict


@pytest.mark.parametrize("seed", range(len(SHAPES) * len(LOADS)))
def test_a_body_that_is_lifted_leaves_when_its_loads_cancel(seed: int) -> None:
    assert lift_verdict(seed) == "right"


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 2000, 100))
def test_hundreds_of_bodies_that_are_lifted(first: int) -> None:
    wrong = {seed: verdict for seed in range(first, first + 100) if (verdict := lift_verdict(seed)) != "right"}
    assert wrong == {}
