"""Needles, slits and ripples that no grid sees are met, at the instant that geometry tells, at any tolerance.

What is round looks at the rest of a curve through bounds that hold for all its points, however narrow what is on it.
"""

from __future__ import annotations

from collections import Counter

import pytest

from tests.physics.sharp_outlines import KINDS, RUNS, random_sharp_throw, sharp_verdict, slid_into_needle, slide_verdict
from tests.physics.sharp_surfaces import needle_verdict, random_needle_throw

REFUSED = 0.05
"""The part of throws that touch, or nearly do, in two places at once."""


def told(kind: str, seed: int, runs: tuple[str, ...] = tuple(RUNS)) -> list[str]:
    throw, answer = random_sharp_throw(kind, seed)
    first = answer.first()
    return [sharp_verdict(throw, first, run) for run in runs]


@pytest.mark.parametrize(
    ("kind", "seed", "runs"),
    [
        # Each of these was passed through where points were looked at on a grid.
        pytest.param("needles", 0, ("1e-3", "rk4"), marks=pytest.mark.slow),
        ("needles", 2, ("1e-9",)),
        ("needles", 7, ("1e-6",)),  # a point between two needles, nearer to the back of one than to the other
        ("skim", 2, ("1e-3", "1e-12")),
        ("in ring", 0, ("1e-3",)),
    ],
)
def test_what_no_grid_sees_is_met_when_geometry_says(kind: str, seed: int, runs: tuple[str, ...]) -> None:
    assert told(kind, seed, runs) == ["right"] * len(runs)


def test_a_disk_that_slides_into_a_needle_goes_no_further() -> None:
    throw, when = slid_into_needle(2)
    assert when is not None
    assert [slide_verdict(throw, when, run) for run in ("1e-3", "1e-9")] == ["right", "right"]


def test_a_step_of_fixed_size_does_not_lead_a_disk_over_a_needle() -> None:
    """Three steps for the whole way: the projection put the disk onto the tip, half a metre above where it was."""
    throw, when = slid_into_needle(17)
    assert slide_verdict(throw, when, "rk4") == "right"


def told_in_space(seed: int, runs: tuple[str, ...] = tuple(RUNS)) -> list[str]:
    throw = random_needle_throw(seed)
    first = throw.first()
    return [needle_verdict(throw, first, run) for run in runs]


@pytest.mark.parametrize(("seed", "runs"), [(2, ("1e-3", "rk4")), (4, ("1e-9",))])
def test_a_needle_on_a_patch_is_met_when_geometry_says(seed: int, runs: tuple[str, ...]) -> None:
    assert told_in_space(seed, runs) == ["right"] * len(runs)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 100, 20))
def test_needles_on_patches_are_met_when_geometry_says(first: int) -> None:
    verdicts = {(seed, k): each for seed in range(first, first + 20) for k, each in enumerate(told_in_space(seed))}
    counts = Counter(each.split(":")[0] for each in verdicts.values())
    print(first, dict(counts))
    assert not {where: each for where, each in verdicts.items() if each.startswith("wrong")}
    assert counts["refused"] <= REFUSED * len(verdicts)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 100, 20))
@pytest.mark.parametrize("kind", KINDS)
def test_hundreds_that_are_thrown_at_what_no_grid_sees_meet_it(kind: str, first: int) -> None:
    verdicts = {(seed, k): each for seed in range(first, first + 20) for k, each in enumerate(told(kind, seed))}
    counts = Counter(each.split(":")[0] for each in verdicts.values())
    print(kind, first, dict(counts))
    assert not {where: each for where, each in verdicts.items() if each.startswith("wrong")}
    assert counts["refused"] <= REFUSED * len(verdicts)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 100, 20))
def test_disks_that_slide_into_needles_go_no_further(first: int) -> None:
    throws = [slid_into_needle(seed) for seed in range(first, first + 20)]
    verdicts = [slide_verdict(throw, when, run) for throw, when in throws for run in RUNS]
    print(first, dict(Counter(each.split(":")[0] for each in verdicts)))
    assert not [each for each in verdicts if each.startswith("wrong")]
    assert verdicts.count("right") > 10
