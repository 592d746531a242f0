"""Planks and polygons lie on curves, slide over them and come to rest: none sinks in, and none rocks without end."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from numpy.polynomial import Chebyshev

import detent
from tests.physics.slid_faces import inflection_verdict, random_slide, slide_system, slide_verdict
from tests.physics.thrown_faces import FaceAnswer, FaceThrow

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


SLIDES = (0.3392, 0.48)
"""From when to when (s) the plank of slide 8 slides over a roof one way, ever faster, for it tips."""


def fourth_rate(throw: FaceThrow) -> float:
    """How fast points of a plank move that slides, differentiated three times more, by a polynomial through the run."""
    times = np.linspace(*SLIDES, 400)
    at = detent.simulate(slide_system(throw, 8), until=SLIDES[1], rtol=1e-12).at(times)
    rates = [Chebyshev.fit(times, at[f"body_{name}"], 16).deriv(4)(times) for name in ("x", "y", "angle")]
    far = max(float(np.hypot(*corner)) for corner in throw.corners)
    return float((np.hypot(*rates[:2]) + far * np.abs(rates[2])).max())


def test_between_the_nodes_of_fixed_steps_a_face_sinks_by_the_error_of_a_cubic() -> None:
    """Hermite's cubic is off by h^4/384 of the fourth derivative in the middle of a step; at its ends by nothing."""
    throw = random_slide(8)
    assert throw is not None
    geometry, most, depths = FaceAnswer(throw), fourth_rate(throw), []
    for step in (1e-2, 5e-3, 2.5e-3):
        run = detent.simulate(slide_system(throw, 8), until=SLIDES[1], method="rk4", step=step)
        ends = run.t[run.t > SLIDES[0]]
        deepest = [
            -min(geometry.lowest((pose.body_x, pose.body_y, pose.body_angle))[0] for pose in map(run.at, times))
            for times in (ends, (ends[1:] + ends[:-1]) / 2)
        ]
        assert deepest[0] < 1e-14 < deepest[1] <= step**4 / 384 * most
        assert run.audit.smallest_gap == pytest.approx(-deepest[1], rel=0.01)
        depths.append(deepest[1])
    assert depths[0] == pytest.approx(3.9e-8, rel=0.02)  # docs/contact.md states it
    orders = np.log2(np.array(depths[:-1]) / depths[1:])
    assert ((orders > 3.5) & (orders < 4.5)).all()


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
