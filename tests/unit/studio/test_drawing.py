"""What is drawn by hand becomes a smooth track."""

import math
from itertools import pairwise

import numpy as np
import pytest

from detent.errors import ValueProblem
from detent.model.track import Turn
from detent.studio.drawing import MOST_PLACES, apart, facing, smooth


def followed(start, pieces):
    """Where pieces begin and end, and the headings at both ends of each."""
    places, headings = [np.array(start, dtype=float)], []
    for piece in pieces:
        here = places[-1]
        if isinstance(piece, Turn):
            center, sense = np.array(piece.center), math.copysign(1.0, piece.angle)
            c, s = math.cos(piece.angle), math.sin(piece.angle)
            arm = here - center
            after = np.array([c * arm[0] - s * arm[1], s * arm[0] + c * arm[1]])
            ends = [sense * np.array([-each[1], each[0]]) / np.linalg.norm(each) for each in (arm, after)]
            places.append(center + after)
        else:
            places.append(np.array(piece, dtype=float))
            ends = [(places[-1] - here) / np.linalg.norm(places[-1] - here)] * 2
        headings.append(ends)
    return places, headings


@pytest.mark.parametrize("seed", range(40))
def test_the_track_goes_through_every_place_without_corners(seed):
    random = np.random.default_rng(seed)
    steps = random.normal(size=(random.integers(3, 9), 2)) * (1.0, 0.6) + (0.6, 0.0)
    places = [(float(x), float(y)) for x, y in np.cumsum(steps, axis=0)]
    joints, headings = followed(places[0], smooth(places))
    assert np.abs(np.array(joints[::2]) - np.array(places)).max() < 1e-9
    for (_, before), (after, _) in pairwise(headings):
        assert before @ after > 0
        # An arc of radius R is turned about a centre that is known to R times rounding.
        assert abs(before[0] * after[1] - before[1] * after[0]) < 1e-6


def test_places_on_a_circle_give_that_circle():
    places = [(math.cos(a), math.sin(a)) for a in np.linspace(-3, -0.1, 5)]
    for piece in smooth(places):
        assert np.hypot(*piece.center) == pytest.approx(0.0, abs=1e-12)


def test_places_on_a_line_give_that_line():
    joints, _ = followed((0, 0), smooth([(0, 0), (1, 2), (2, 4), (4, 8)]))
    assert max(abs(y - 2 * x) for x, y in joints) < 1e-12


def test_the_face_is_on_the_side_of_the_body():
    way = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)]
    assert facing(way, (0.5, 0.5)) == way
    assert facing(way, (2.0, 0.5)) == way[::-1]
    assert facing(way, (0.5, -0.5, 0.0)) == way[::-1]


@pytest.mark.parametrize("places", [[], [(0, 0)], [(0, 0), (0, 1e-9)], [(k, 0) for k in range(MOST_PLACES + 1)]])
def test_a_drawing_of_too_few_or_too_many_places_is_refused(places):
    with pytest.raises(ValueProblem, match=f"places that are apart; click at least two, and at most {MOST_PLACES}"):
        apart(places, 1e-3)


def test_a_place_out_of_sight_is_refused():
    with pytest.raises(ValueProblem, match=r"a place of the drawing is .*; draw it in view"):
        apart([(0, 0), (math.inf, 0)], 1e-3)
