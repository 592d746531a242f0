"""Two boxes: one geometry for all pairs of features, and how far they are apart, against NumPy."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import detent
from detent.contact.box_pairs import clearance, separation
from detent.contact.pairs import geometries
from detent.contact.placed import Placed
from detent.expr.evaluate import evaluate_nodes
from detent.expr.graph import Graph
from detent.expr.vector3 import Vector3
from detent.model.contact import feature_names
from tests.physics import thrown_boxes

SIGNS = (-1, 0, 1)
CODES = [np.array(code) for code in itertools.product(SIGNS, repeat=3)]
CORNERS, EDGES, FACES = ([code for code in CODES if np.count_nonzero(code) == n] for n in (3, 2, 1))
MET = [
    *((corner, face, 1) for corner in CORNERS for face in FACES),
    *((face, corner, -1) for corner in CORNERS for face in FACES),
    *((one, other, 0) for one in EDGES for other in EDGES),
]


def placed(graph: Graph, tag: str) -> Placed:
    def leaves(name: str) -> Vector3:
        x, y, z = (graph.leaf(f"{tag} {name} {letter}") for letter in "xyz")
        return (x, y, z)

    shape = detent.System("example").ground.box(1, 1, 1)
    sizes = {name: graph.leaf(f"{tag} {name}") for name in shape.sizes}
    return Placed(shape, leaves("place"), (leaves("ax"), leaves("ay"), leaves("az")), sizes)


GRAPH = Graph()
FIRST, SECOND = placed(GRAPH, "1"), placed(GRAPH, "2")
(POINT, *_) = geometries(GRAPH, FIRST, SECOND)
OUTPUTS = [POINT.gap, *POINT.normal, *POINT.point, *POINT.tangents[0], *POINT.tangents[1]]


def standing(random: np.random.Generator, away: float) -> thrown_boxes.Standing:
    turn = random.normal(size=4)
    axes = thrown_boxes.axes_of(*(turn / np.linalg.norm(turn)))
    return thrown_boxes.Standing(away * random.normal(size=3), axes, random.uniform(0.2, 1.5, 3))


def values_of(tag: str, box: thrown_boxes.Standing) -> dict[str, float]:
    found = dict(zip((f"{tag} place {k}" for k in "xyz"), box.middle, strict=True))
    for name, axis in zip(("ax", "ay", "az"), box.axes.T, strict=True):
        found |= dict(zip((f"{tag} {name} {k}" for k in "xyz"), axis, strict=True))
    return found | dict(zip((f"{tag} length {k}" for k in "xyz"), 2 * box.half, strict=True))


def moved(box: thrown_boxes.Standing, velocity: np.ndarray, spin: np.ndarray, time: float) -> thrown_boxes.Standing:
    flying = thrown_boxes.Thrown(box.half, box.middle, np.array([1.0, 0, 0, 0]), velocity, spin).at(time)
    return thrown_boxes.Standing(flying.middle, flying.axes @ box.axes, box.half)


def side_of(one: thrown_boxes.Standing, other: thrown_boxes.Standing, codes: tuple[np.ndarray, np.ndarray]) -> float:
    """So that the normal of two edges looks from the middle of the second box to its edge."""
    ways = [box.axes[:, int(np.flatnonzero(code == 0)[0])] for box, code in zip((one, other), codes, strict=True)]
    return float(np.sign(np.cross(*ways) @ (other.axes @ (codes[1] * other.half))))


@pytest.mark.parametrize("number", range(len(MET)))
def test_a_gap_changes_with_the_velocity_at_the_point(number: int) -> None:
    own, its, face = MET[number]
    random = np.random.default_rng([5, number])
    one, other = standing(random, 1.0), standing(random, 0.0)
    side = 0.0 if face else side_of(one, other, (own, its))
    code = dict(zip(feature_names("point 1"), [*own, *its, face, side], strict=True))
    motions = [(random.normal(size=3), random.normal(size=3)) for _ in range(2)]

    def at(time: float) -> np.ndarray:
        both = [moved(box, *motion, time) for box, motion in zip((one, other), motions, strict=True)]
        return np.array(evaluate_nodes(OUTPUTS, values_of("1", both[0]) | values_of("2", both[1]) | code))

    found, step = at(0.0), 1e-5
    gap, normal, point, tangents = found[0], found[1:4], found[4:7], found[7:].reshape(2, 3)
    np.testing.assert_allclose(np.cross(*tangents), normal, atol=1e-12)
    assert np.linalg.norm(normal) == pytest.approx(1, abs=1e-12)
    first, second = (
        velocity + np.cross(spin, point - box.middle)
        for box, (velocity, spin) in zip((one, other), motions, strict=True)
    )
    rate = (at(step)[0] - at(-step)[0]) / (2 * step)
    assert rate == pytest.approx(normal @ (first - second), rel=1e-6, abs=1e-6)
    middles = [box.middle + box.axes @ (c * box.half) for box, c in zip((one, other), (own, its), strict=True)]
    assert gap == pytest.approx(normal @ (middles[0] - middles[1]), abs=1e-12)


def test_a_point_without_features_is_far_away() -> None:
    random = np.random.default_rng(6)
    one, other = standing(random, 1.0), standing(random, 0.0)
    values = values_of("1", one) | values_of("2", other) | dict.fromkeys(feature_names("point 1"), 0.0)
    gap, *others = evaluate_nodes([*OUTPUTS, POINT.domain[0].node], values)
    assert gap == 1.0
    assert others[-1] < 0
    assert np.isfinite(others).all()


def test_how_far_boxes_are_apart_is_what_numpy_says() -> None:
    node = separation(FIRST, SECOND)
    for seed in range(300):
        random = np.random.default_rng([7, seed])
        one, other = standing(random, random.uniform(0, 2)), standing(random, 0.0)
        (found,) = evaluate_nodes([node], values_of("1", one) | values_of("2", other))
        assert found == pytest.approx(thrown_boxes.separation(one, other), abs=1e-12)


def test_aligned_boxes_are_apart_by_their_faces() -> None:
    """Edges that are parallel do not count: what is across them is any direction."""
    node, half = separation(FIRST, SECOND), np.array([0.5, 0.5, 0.5])
    one = thrown_boxes.Standing(np.array([0.2, 0.3, 1.25]), np.eye(3), half)
    other = thrown_boxes.Standing(np.zeros(3), np.eye(3), half)
    (found,) = evaluate_nodes([node], values_of("1", one) | values_of("2", other))
    assert found == pytest.approx(0.25, abs=1e-15)


def test_all_else_is_as_high_as_the_lowest_neighbouring_corner() -> None:
    """A corner of the first on the face z of the second: three corners are next to it."""
    node, random = clearance(FIRST, SECOND), np.random.default_rng(8)
    other = thrown_boxes.Standing(np.zeros(3), np.eye(3), np.array([5.0, 5.0, 0.5]))
    for _ in range(50):
        free = standing(random, 0.0)
        low = free.corners[:, 2].min()
        one = thrown_boxes.Standing(free.middle + np.array([0, 0, 0.5 - low]), free.axes, free.half)
        corner = -np.sign(one.axes[2])
        code = dict(zip(feature_names(""), [*corner, 0, 0, 1, 1, 0], strict=True))
        (found,) = evaluate_nodes([node], values_of("1", one) | values_of("2", other) | code)
        second = np.sort(one.corners[:, 2])[1] - 0.5
        assert found == pytest.approx(second, abs=1e-12)


@pytest.mark.parametrize("number", range(0, len(MET), 5))
def test_a_point_is_inside_where_both_features_reach(number: int) -> None:
    """Of a corner above a face, or of two edges where they are nearest to one another."""
    own, its, face = MET[number]
    random = np.random.default_rng([9, number])
    one, other = standing(random, 1.0), standing(random, 0.0)
    side = 0.0 if face else side_of(one, other, (own, its))
    code = dict(zip(feature_names("point 1"), [*own, *its, face, side], strict=True))
    values = values_of("1", one) | values_of("2", other) | code
    inside, *point = evaluate_nodes([POINT.domain[0].node, *POINT.point], values)
    reach = []
    for box, c in ((one, own), (other, its)):
        seen = np.abs(box.axes.T @ (np.array(point) - box.middle)) / box.half
        reach += [1 - seen[k] for k in range(3) if c[k] == 0]
    assert inside == pytest.approx(min(0.5, *reach), abs=1e-9)
