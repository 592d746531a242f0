"""Shapes that overlap where no face sees it, against points all over them."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import detent
from detent.contact.crossing import StandingShape, may_overlap_unseen, overlap_depth

Numbers = NDArray[np.float64]
KINDS = ("circle", "polygon", "segment", "arc", "ring", "track")
FINE = 4001
CLEAR = 0.01
"""Overlaps and distances below this (m) are not judged: points are up to 2e-3 apart."""


def shape(random: np.random.Generator, kind: str) -> tuple[detent.Shape, dict[str, float]]:
    """A shape of the ground of random sizes, and these as numbers."""
    ground = detent.System("shapes").ground
    a, b = (float(value) for value in random.uniform(0.3, 1.0, 2))
    if kind == "circle":
        made = ground.circle(a)
    elif kind == "polygon":
        count = int(random.integers(3, 7))
        angles = np.linspace(0, 2 * math.pi, count, endpoint=False) + 0.3 * random.uniform(-1, 1, count)
        made = ground.polygon(*((a * math.cos(angle), b * math.sin(angle)) for angle in angles))
    elif kind == "segment":
        made = ground.segment((-a, 0.2), (b, -0.1))
    elif kind == "arc":
        start, inside = float(random.uniform(-3, 3)), bool(random.integers(2))
        made = ground.arc(a, start, start + float(random.uniform(0.5, 5.5)), inside=inside)
    elif kind == "ring":
        made = ground.arc(a + 0.5, 0, 2 * math.pi, inside=True)
    else:
        made = ground.track((-a, 0), (0, 0), detent.Turn((0, b), 0.9), detent.Turn((2 * b, -b), -0.6))
    return made, {name: float(value) for name, value in made.sizes.items()}


def standing(random: np.random.Generator, kind: str) -> StandingShape:
    made, sizes = shape(random, kind)
    angle, (x, y) = float(random.uniform(-3, 3)), random.uniform(-1.2, 1.2, 2)
    c, s = math.cos(angle), math.sin(angle)
    return StandingShape(made, np.array([x, y, 0.0]), np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]]), sizes)


def drawn(one: StandingShape) -> list[Numbers]:
    """The pieces of its boundary, each as many points."""
    part, sizes = np.linspace(0, 1, FINE), one.sizes
    if one.kind in ("circle", "arc"):
        middle, half = (0.0, math.pi) if one.kind == "circle" else (sizes["middle"], sizes["half"])
        return [_turned(one, _bent(0, 0, sizes["radius"], middle + half * (2 * part - 1)))]
    corners = [np.array([sizes[f"x{k}"], sizes[f"y{k}"]]) for k in range(1, 20) if f"x{k}" in sizes]
    pairs = list(pairwise(corners))
    pairs += [(corners[-1], corners[0])] if one.kind == "polygon" else []
    pieces = []
    for number, (start, end) in enumerate(pairs, 1):
        if f"radius {number}" in sizes:
            x, y, radius, middle, half = (
                sizes[f"{word} {number}"] for word in ("center x", "center y", "radius", "middle", "half")
            )
            pieces.append(_turned(one, _bent(x, y, radius, middle + half * (2 * part - 1))))
        else:
            pieces.append(_turned(one, start + part[:, None] * (end - start)))
    return pieces


def _bent(x: float, y: float, radius: float, angles: Numbers) -> Numbers:
    return np.stack([x + radius * np.cos(angles), y + radius * np.sin(angles)], axis=-1)


def _turned(one: StandingShape, points: Numbers) -> Numbers:
    return one.place[:2] + points @ one.axes[:2, :2]


def inside(one: StandingShape, points: Numbers) -> Numbers:
    """How deep points are inside a solid shape; negative outside."""
    boundary = np.concatenate(drawn(one))[:: 8 if one.kind == "circle" else 16]
    away = np.sqrt(((points[:, None] - boundary[None]) ** 2).sum(-1)).min(axis=1)
    middle = boundary.mean(axis=0)
    around = np.concatenate(drawn(one))[::200] - middle
    ahead = np.roll(around, -1, axis=0) - around
    seen = (points - middle)[:, None] - around[None]
    left = ahead[None, :, 0] * seen[:, :, 1] - ahead[None, :, 1] * seen[:, :, 0]
    return np.where((left > 0).all(axis=1), away, -away)


def crosses(one: Numbers, other: Numbers) -> bool:
    """Whether two lines of many points cross: some small piece of one passes from side to side of one of the other."""
    a, b = one[::20], other[::20]

    def side(p: Numbers, q: Numbers, r: Numbers) -> Any:
        way, away = (q - p)[:, None], r[None] - p[:, None]
        return np.sign(way[..., 0] * away[..., 1] - way[..., 1] * away[..., 0])

    first = side(a[:-1], a[1:], b[:-1]) * side(a[:-1], a[1:], b[1:]) < 0
    second = (side(b[:-1], b[1:], a[:-1]) * side(b[:-1], b[1:], a[1:])).T < 0
    return bool((first & second).any())


def check(seed: int) -> str:
    random = np.random.default_rng(seed)
    kinds = [str(kind) for kind in random.choice(KINDS, 2)]
    first, second = (standing(random, kind) for kind in kinds)
    depth = overlap_depth(first, second)
    assert depth == overlap_depth(second, first)
    thin, solid = sorted((first, second), key=lambda each: each.kind in ("circle", "polygon"))
    if solid.kind not in ("circle", "polygon"):  # two thin ones
        expected = any(crosses(one, other) for one in drawn(first) for other in drawn(second))
        if 0 < depth < CLEAR:
            return "too near"
        assert (depth > 0) == expected, (seed, kinds, depth)
    elif thin.kind not in ("circle", "polygon"):
        deepest = float(inside(solid, np.concatenate(drawn(thin))[::4]).max())
        if abs(deepest) < CLEAR:
            return "too near"
        assert (depth > 0) == (deepest > 0), (seed, kinds, depth, deepest)
        assert deepest < 0 or depth == pytest.approx(deepest, abs=5e-3), (seed, kinds)
    elif "polygon" in (first.kind, second.kind):
        nearest = max(float(inside(a, np.concatenate(drawn(b))[::4]).max()) for a, b in ((thin, solid), (solid, thin)))
        middle = float(inside(solid, thin.place[None, :2])[0]) if thin.kind == "circle" else nearest
        if min(abs(nearest), abs(middle)) < CLEAR:
            return "too near"
        unseen = nearest > 0 if thin.kind == solid.kind else _middle_inside(first, second)
        assert (depth > 0) == unseen, (seed, kinds, depth, nearest)
    else:
        assert depth < 0
    return "judged"


def _middle_inside(first: StandingShape, second: StandingShape) -> bool:
    disk, polygon = sorted((first, second), key=lambda each: each.kind)
    return bool(inside(polygon, disk.place[None, :2])[0] > 0)


def test_shapes_overlap_unseen_where_points_all_over_them_say_so() -> None:
    judged = [check(seed) for seed in (*range(30), 222, 974, 4774)]  # of the last, the order would tell in rounding
    assert judged.count("judged") > 22


@pytest.mark.slow
def test_thousands_of_shapes_overlap_unseen_where_points_all_over_them_say_so() -> None:
    judged = [check(seed) for seed in range(30, 5030)]
    assert judged.count("judged") > 4000


def test_what_is_in_a_box_or_a_cylinder_is_seen() -> None:
    ground, axes = detent.System("shapes").ground, np.eye(3)
    box = StandingShape(ground.box(2, 1, 1), np.zeros(3), axes, {"length x": 2.0, "length y": 1.0, "length z": 1.0})
    ball = StandingShape(ground.sphere(0.2), np.array([0.6, 0.1, 0.0]), axes, {"radius": 0.2})
    bar = StandingShape(ground.capsule(0.1, 4), np.array([0.0, 0.0, 0.3]), axes, {"radius": 0.1, "length": 4.0})
    tube = StandingShape(ground.cylinder(0.5, 2), np.zeros(3), axes, {"radius": 0.5, "length": 2.0})
    assert overlap_depth(ball, box) == pytest.approx(0.2 + 0.4)
    assert overlap_depth(box, bar) == pytest.approx(0.1 + 0.5)
    beside = StandingShape(ball.shape, np.array([0.3, 0.0, 0.0]), axes, ball.sizes)
    assert overlap_depth(beside, tube) == pytest.approx(0.2 + 0.2)
    assert not may_overlap_unseen("sphere", "plane")
