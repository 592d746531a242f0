"""What is thrown at a curve meets it, at the instant that geometry tells: no step jumps over it, at any tolerance.

Curves, polygons and disks fly and spin so fast that a single step would be on the far side. The instants of first touch
come from :mod:`tests.physics.thrown_outlines`, which looks at outlines densely and knows nothing of the library.
"""

from __future__ import annotations

from collections import Counter

import pytest

from tests.physics.thrown_outlines import WAYS, Answer, random_throw, verdict
from tests.physics.thrown_surfaces import SpaceAnswer, random_space_throw, space_verdict

REFUSED = {"curve": 0.02, "polygon": 0.0, "disk": 0.02, "in ring": 0.1}
"""The part of throws whose nearest point cannot be followed, at most."""


def told(kind: str, seed: int, ways: tuple[str, ...] = tuple(WAYS)) -> list[str]:
    throw = random_throw(kind, seed)
    answer = Answer(throw).first()
    return [verdict(throw, way, answer) for way in ways]


@pytest.mark.parametrize(
    ("kind", "seed", "ways"),
    [
        ("curve", 13, ("loose", "rk4")),  # another point of a star was passed through at every tolerance
        ("polygon", 8, ("loose",)),  # an edge turns all the way round behind a bump
        ("polygon", 39, ("rk4",)),  # a bump has a point that looks the other way
        ("polygon", 21, ("loose",)),  # the curve is on the far side of an edge at the start
        ("polygon", 10, ("usual", "tight")),  # points of bumps run into their flat ends, where no step was short enough
    ],
)
def test_what_is_thrown_at_a_curve_meets_it_when_geometry_says(kind: str, seed: int, ways: tuple[str, ...]) -> None:
    assert told(kind, seed, ways) == ["right"] * len(ways)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 300, 25))
@pytest.mark.parametrize("kind", ["curve", "polygon", "disk", "in ring"])
def test_hundreds_that_are_thrown_at_curves_meet_them_when_geometry_says(kind: str, first: int) -> None:
    verdicts = {(seed, k): each for seed in range(first, first + 25) for k, each in enumerate(told(kind, seed))}
    counts = Counter(each.split(":")[0] for each in verdicts.values())
    print(kind, first, dict(counts))
    assert not {where: each for where, each in verdicts.items() if each.startswith("wrong")}
    assert counts["refused"] <= REFUSED[kind] * len(verdicts)


@pytest.mark.parametrize(("kind", "seed"), [("plane", 2), ("ball", 1)])
def test_what_is_thrown_in_space_meets_a_plane_or_a_surface_when_geometry_says(kind: str, seed: int) -> None:
    assert space_verdict(random_space_throw(kind, seed), "loose") == "right"


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 100, 10))
@pytest.mark.parametrize("kind", ["plane", "ball"])
def test_many_that_are_thrown_in_space_meet_planes_and_surfaces_when_geometry_says(kind: str, first: int) -> None:
    verdicts = {}
    for seed in range(first, first + 10):
        throw = random_space_throw(kind, seed)
        answer = SpaceAnswer(throw).first()
        verdicts |= {(seed, way): space_verdict(throw, way, answer) for way in WAYS}
    counts = Counter(each.split(":")[0] for each in verdicts.values())
    print(kind, first, dict(counts))
    assert not {where: each for where, each in verdicts.items() if each.startswith("wrong")}
    assert counts["right"] > 20
