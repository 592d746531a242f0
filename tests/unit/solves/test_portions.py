"""What is known of portions of curves holds for all their points, and times in which curves may touch are no longer
than those of points that are looked at densely."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import sympy

import detent
from detent.solves import portions_frame as at
from detent.solves.following import Following

s = sympy.Symbol("s")
ROUND = (0, 2 * math.pi)
Array = np.ndarray[Any, Any]


def wavy(seed: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    out = 1 + sum(float(rng.uniform(-0.3, 0.3)) / k * sympy.cos(k * s + float(rng.uniform(0, 6))) for k in range(2, 7))
    return out * sympy.cos(s), float(rng.uniform(0.6, 1.4)) * out * sympy.sin(s)


def facing(seed: int) -> tuple[Following, list[Any], Array, float]:
    """Two curves apart from one another that fly and turn: what follows them, their functions, the state, and how far
    apart the points are that are followed."""
    rng = np.random.default_rng([7, seed])
    system = detent.System("two")
    joint = system.planar("body", system.origin, system.ground)
    body = system.body("body", joint.point, joint.frame, 1, 0.3)
    curves = [wavy(2 * seed), wavy(2 * seed + 1)]
    angle, far = rng.uniform(0, 6), rng.uniform(3.2, 5.0)
    start = {"body_x": far * math.cos(angle), "body_y": far * math.sin(angle), "body_angle": rng.uniform(0, 6)}
    rates = {"body_x_rate": rng.normal(), "body_y_rate": rng.normal(), "body_angle_rate": rng.normal()}
    shapes = [each.curve(s, *xy, ROUND, closed=True) for each, xy in zip((body, system.ground), curves, strict=True)]
    system.contact("body|curve", *shapes)
    simulation = detent.Simulation(system, start={**start, **rates})
    simulation.advance(1e-6)
    context = simulation._loop._context
    following = context.compiled.following
    assert following is not None
    assert following.look(0.0, context.instant.state, context.instant.values)
    functions = [sympy.lambdify(s, [sympy.diff(each, s, k) for k in range(3) for each in xy]) for xy in curves]
    state = context.instant.state
    apart = following.places[0].apart(0.0, state, context.instant.values)[0]
    return following, functions, state, math.sqrt(apart)


def outline(function: Any, along: Array) -> tuple[Array, Array, Array]:
    """Points, outward normals and curvatures (positive where it sticks out) of a curve that goes round to the left."""
    x, y, dx, dy, ddx, ddy = (np.broadcast_to(each, along.shape) for each in function(along))
    speed = np.hypot(dx, dy)
    return np.stack([x, y], -1), np.stack([dy, -dx], -1) / speed[:, None], (dx * ddy - dy * ddx) / speed**3


def check_bounds(seed: int) -> None:
    following, functions, _, _ = facing(seed)
    for portions, function in zip(following._facing[0]._portions, functions, strict=True):
        nodes, count = portions._tables[0].nodes, len(portions._tables[0].leaves)
        along = np.linspace(*ROUND, 40 * count, endpoint=False)
        points, normals, bends = outline(function, along)
        for number in range(1, 2 * count):
            level = number.bit_length() - 1
            many = len(along) >> level
            part = slice((number - (1 << level)) * many, (number - (1 << level) + 1) * many)
            node = nodes[number]
            assert np.hypot(*(points[part] - node[[at.X, at.Y]]).T).max() <= node[at.RADIUS] * (1 + 1e-12)
            cosines = normals[part] @ node[[at.NORMAL_X, at.NORMAL_Y]]
            assert np.arccos(np.clip(cosines, -1, 1)).max() <= node[at.HALF] + 1e-7
            assert bends[part].min() >= node[at.BEND] - 1e-9 * abs(node[at.BEND])
        assert nodes[count:, at.HALF].max() < 0.5  # they say something


def check_times(seed: int) -> None:
    following, functions, state, followed = facing(seed)
    row, marks = following._table[0], following._around[:4].astype(int)
    one, other = (np.arange(3000) / 3000 * 2 * math.pi for _ in range(2))
    (p, n, _), (c, m, _) = (outline(function, along) for function, along in zip(functions, (one, other), strict=True))
    x, y, angle = state[:3]
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    p, n = p @ turn.T + [x, y], n @ turn.T
    apart = np.hypot(*(p[:, None] - c[None]).transpose(2, 0, 1))
    turned = np.arccos(np.clip(-(n @ m.T), -1, 1))
    times = np.maximum(apart / row["seen_moving"], turned / row["seen_turning"])
    leaves = [(along / (2 * math.pi) * 256).astype(int) for along in (one, other)]
    ends = zip(leaves, marks[::2], marks[1::2], strict=True)
    first, second = ((leaf - low) % 256 <= high - low for leaf, low, high in ends)
    around = first[:, None] & second[None]
    least = times[~around].min()
    assert row["seen_free"] <= least * (1 + 1e-9)
    assert row["seen_free"] >= 0.5 * least  # nor is it much shorter
    assert apart[around].min() >= followed * (1 - 1e-9)  # around the followed points none are nearer


def rounded(seed: int) -> tuple[Following, Any, Array, float]:
    """A disk or a point beside a curve, or a curve inside a ring: what follows them, the functions of the curve, the
    middle of what is round along the axes of the curve, and where it is from a point it touches, along the normal."""
    rng = np.random.default_rng([8, seed])
    system = detent.System("round")
    joint = system.planar("body", system.origin, system.ground)
    body = system.body("body", joint.point, joint.frame, 1, 0.3)
    curve, kind = wavy(seed), seed % 3
    angle, turn = rng.uniform(0, 6), rng.uniform(0, 6)
    radius, far = (rng.uniform(2.5, 5), 0.3) if kind == 2 else (rng.uniform(0.05, 1) * kind, rng.uniform(2.8, 5))
    shape = body.curve(s, *curve, ROUND, closed=True)
    ring = system.ground.arc(radius, 0, 2 * math.pi, inside=True) if kind == 2 else None
    other = ring or (system.ground.circle(radius) if kind == 1 else system.ground.point())
    system.contact("body|curve", shape, other)
    start = {"body_x": far * math.cos(angle), "body_y": far * math.sin(angle), "body_angle": turn}
    simulation = detent.Simulation(system, start={**start, "body_x_rate": 1.0, "body_angle_rate": rng.normal()})
    simulation.advance(1e-6)
    context = simulation._loop._context
    following, state = context.compiled.following, context.instant.state
    assert following is not None
    assert following.look(0.0, state, context.instant.values)
    function = sympy.lambdify(s, [sympy.diff(each, s, k) for k in range(3) for each in curve])
    x, y, angle = state[:3]
    middle = -np.array([x, y]) @ np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    return following, function, middle, -radius if kind == 2 else radius


def check_round_times(seed: int) -> None:
    following, function, middle, offset = rounded(seed)
    row, marks = following._table[0], following._around[:4].astype(int)
    along = np.arange(30000) / 30000 * 2 * math.pi
    points, normals, bends = outline(function, along)
    portions = following._facing[0]._portions[1]
    begins = portions._tables[0].leaves[:, at.BEGIN]
    leaf = np.searchsorted(begins, along, side="right") - 1
    around = (leaf - marks[2]) % len(begins) <= marks[3] - marks[2]
    if row["seen_free"] == math.inf:  # a curve that sticks out all round touches what is round in one place
        assert offset >= 0
        assert bends.min() > 0
        around[:] = True
    places = points + offset * normals
    ways = np.hypot(*(places - middle).T)
    least = ways[~around].min() / row["seen_moving"] if not around.all() else math.inf
    assert row["seen_free"] <= least * (1 + 1e-9)
    assert row["seen_free"] >= 0.5 * least
    # Around the followed point none is touched before that one is.
    away = np.hypot(*(points - middle).T)
    gaps = away - offset if offset >= 0 else -offset - away
    followed = int(gaps[around].argmin())
    assert gaps[around].min() >= gaps.min() - 1e-12
    assert around.all() or (ways[around] >= gaps[around][followed] * (1 - 1e-6)).all()
    for number, node in enumerate(portions._tables[0].nodes[len(begins) :]):
        inside = leaf == number
        assert np.hypot(*(places[inside] - node[[at.X, at.Y]]).T).max() <= node[at.RADIUS] * (1 + 1e-12) + 1e-14
        assert bends[inside].min() >= node[at.BEND] - 1e-9 * abs(node[at.BEND])


@pytest.mark.parametrize("seed", range(6))
def test_what_is_round_touches_nowhere_before_the_time_that_is_told(seed: int) -> None:
    check_round_times(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(6, 306, 30))
def test_what_is_round_touches_nowhere_before_the_times_that_are_told(first: int) -> None:
    for seed in range(first, first + 30):
        check_round_times(seed)


def test_bounds_hold_for_every_point_of_every_portion() -> None:
    check_bounds(0)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 30))
def test_bounds_hold_for_every_point_of_many_curves(seed: int) -> None:
    check_bounds(seed)


@pytest.mark.parametrize("seed", range(3))
def test_a_time_before_which_nothing_touches_is_no_longer_than_that_of_any_two_points(seed: int) -> None:
    check_times(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(3, 203, 20))
def test_times_before_which_nothing_touches_are_no_longer_than_those_of_any_two_points(first: int) -> None:
    for seed in range(first, first + 20):
        check_times(seed)
