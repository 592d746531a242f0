"""Units do not matter: scenes of contact in mm, m or km, in g, kg or t, in s or ms do what they do in SI units."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.physics.scenes_in_units import SCENES, SI, seen, verdict


@pytest.mark.parametrize("number", range(len(SCENES)))
def test_something_happens_in_every_kind_of_scene(number: int) -> None:
    assert any(seen(seed, SI).kinds for seed in range(number, 40, len(SCENES)))


@pytest.mark.parametrize("seed", range(2 * len(SCENES)))
def test_scenes_are_the_same_in_other_units(seed: int) -> None:
    assert verdict(seed).startswith("right")


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 400, 100))
def test_hundreds_of_scenes_are_the_same_in_other_units(first: int) -> None:
    verdicts = {seed: verdict(seed) for seed in range(first, first + 100)}
    print(first, dict(Counter(each.split(":")[0] for each in verdicts.values())))
    assert not {seed: each for seed, each in verdicts.items() if not each.startswith("right")}
