"""Planks and polygons lie on curves, slide over them and come to rest: none sinks in, and none rocks without end."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.physics.slid_faces import inflection_verdict, slide_verdict

REFUSED = 0.1
"""The part of those whose corners touch, or nearly do, in two places of a valley at once."""


def test_a_plank_slides_off_the_end_of_a_roof() -> None:
    """Where it leaves, its edge, the curve's end and a corner meet: the edge held what the end was to hold, again and
    again at one instant."""
    assert slide_verdict(8, 1e-12) == "right"


def test_a_plank_on_a_tail_that_is_all_but_straight_lies_on_its_corners() -> None:
    """It rocked from corner to corner over a curve that bends by a millionth, and took thousands of steps each time."""
    assert slide_verdict(20, 1e-9) == "right"


def test_a_corner_that_slides_off_a_needle_leaves_it_once() -> None:
    """Beyond its end an edge bends back by a thousandth. The corner fell behind that within the step after it had been
    left, which closed there again and again through all that it was off zero by: some 1e-15 s each time."""
    assert slide_verdict(49, 1e-9, parts=1) == "right"


@pytest.mark.parametrize("rtol", [1e-3, 1e-9])
def test_a_corner_beside_an_inflection_holds(rtol: float) -> None:
    """It came down out of its cone by a millionth, was not met, and went on into the curve."""
    assert inflection_verdict(13, rtol) == "right"


@pytest.mark.slow
@pytest.mark.parametrize("rtol", [1e-3, 1e-9, 1e-12])
@pytest.mark.parametrize("first", range(0, 40, 20))
def test_many_corners_beside_inflections_hold(first: int, rtol: float) -> None:
    verdicts = {seed: inflection_verdict(seed, rtol) for seed in range(first, first + 20)}
    counts = Counter(each.split(":")[0] for each in verdicts.values())
    print(first, rtol, dict(counts))
    assert not {seed: each for seed, each in verdicts.items() if each.startswith(("wrong", "endless"))}
    assert counts["refused"] <= REFUSED * len(verdicts)


@pytest.mark.slow
@pytest.mark.parametrize("rtol", [1e-6, 1e-9])
@pytest.mark.parametrize("first", range(0, 40, 20))
def test_many_that_slide_over_curves_are_never_inside_them(first: int, rtol: float) -> None:
    verdicts = {seed: slide_verdict(seed, rtol) for seed in range(first, first + 20)}
    counts = Counter(each.split(":")[0] for each in verdicts.values())
    print(first, rtol, dict(counts))
    assert not {seed: each for seed, each in verdicts.items() if each.startswith(("wrong", "endless"))}
    assert counts["refused"] <= REFUSED * len(verdicts)
