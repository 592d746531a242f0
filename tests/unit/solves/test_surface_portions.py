"""What is known of portions of surfaces holds for all their points, and times in which a ball or a plane may touch are
no longer than those of points that are looked at densely."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import sympy

import detent
from detent.solves import surface_portions_frame as at
from detent.solves.following import Following
from detent.solves.surface_portions import SurfacePortions

a, b = sympy.symbols("a b")
FINE = 4
"""So many points are looked at along each side of one of the smallest portions."""
Array = np.ndarray[Any, Any]


def wavy(seed: int) -> tuple[Any, tuple[Any, Any, Any]]:
    """A bent patch with waves, or a ball with bumps; the ranges of its coordinates, and what closes."""
    rng = np.random.default_rng([9, seed])
    waves = sum(
        float(rng.uniform(-0.1, 0.1)) * sympy.cos(int(k) * a + float(rng.uniform(0, 6))) * sympy.cos(int(m) * b)
        for k, m in rng.integers(1, 5, (3, 2))
    )
    if seed % 2:
        return ((0, 2 * math.pi), (0.5, 2.6), (True, False)), tuple(
            (1 + waves) * part for part in (sympy.cos(a) * sympy.sin(b), -sympy.sin(a) * sympy.sin(b), sympy.cos(b))
        )
    return ((-1, 1.5), (-1, 1), (False, False)), (
        a + 0.1 * sympy.sin(b),
        b,
        waves + float(rng.uniform(-0.3, 0.3)) * a**2,
    )


def looked_at(seed: int, level: bool) -> tuple[Following, Any, Array]:
    """A ball, a point or a plane that moves and a surface: what follows them, the surface, and the stance."""
    rng = np.random.default_rng([10, seed])
    (first, second, closed), place = wavy(seed)
    system = detent.System("surface")
    joint = system.free("body", system.origin, system.ground)
    body = system.body("body", joint.point, joint.frame, 1, (0.2, 0.2, 0.2))
    surface = body.surface((a, b), *place, (first, second), closed=closed)
    out, turn = rng.normal(size=3), rng.normal(size=4)
    out, turn = out * rng.uniform(1.8, 3) / np.linalg.norm(out), turn / np.linalg.norm(turn)
    if level:
        other, out = system.ground.plane(), np.array([0.0, 0.0, 3.0])
    else:
        radius = float(rng.uniform(0.1, 0.5)) * (seed % 3 > 0)
        other = system.ground.sphere(radius) if radius else system.ground.point()
    if seed % 2 == 0:  # a patch below the ball, or upside down above the plane
        turn = np.array([0.0, 1.0, 0.0, 0.0]) if level else np.array([1.0, 0.0, 0.0, 0.0])
        out = out if level else np.array([rng.uniform(-0.5, 0.5), rng.uniform(-0.5, 0.5), -rng.uniform(1.0, 2.0)])
    start = dict(zip(("body_qw", "body_qx", "body_qy", "body_qz"), turn.tolist(), strict=True))
    start |= dict(zip(("body_wx", "body_wy", "body_wz"), rng.normal(size=3).tolist(), strict=True))
    system.contact("body|other", surface, other)
    start |= dict(zip(("body_x", "body_y", "body_z"), out.tolist(), strict=True))
    start |= dict(zip(("body_x_rate", "body_y_rate", "body_z_rate"), rng.normal(size=3).tolist(), strict=True))
    simulation = detent.Simulation(system, start=start)
    simulation.advance(1e-6)
    context = simulation._loop._context
    following = context.compiled.following
    assert following is not None
    assert following.look(0.0, context.instant.state, context.instant.values)
    slopes = [sympy.diff(part, by) for by in (a, b) for part in place]
    function = sympy.lambdify((a, b), [*place, *slopes])
    return following, function, following._stance.copy()


def check(seed: int, level: bool) -> None:
    following, function, stance = looked_at(seed, level)
    portions = following._facing[0]
    assert isinstance(portions, SurfacePortions)
    row, table = portions._row[0], following._table[0]
    side = 1 << int(row["levels"])
    along = row["low"] + row["width"] * (np.arange(FINE * side) + 0.5) / FINE
    across = row["other_low"] + row["other_width"] * (np.arange(FINE * side) + 0.5) / FINE
    parts = [np.broadcast_to(each, (len(along), len(across))) for each in function(along[:, None], across[None])]
    points, da, db = (np.stack(parts[k : k + 3], axis=-1) for k in (0, 3, 6))
    normals = np.cross(da, db)
    normals = normals / np.linalg.norm(normals, axis=-1, keepdims=True)
    offset = float(portions._surface.between(0.0, following._trial, np.zeros(64))[-1])
    places = points + offset * normals
    on = check_nodes(portions, places, normals, side)
    if level:
        heights = np.abs(stance[at.HEIGHT] + points @ stance[:3])
        turned = np.arccos(np.clip(-(normals @ stance[:3]), -1, 1))
        times = np.maximum(heights / table["seen_moving"], turned / table["seen_turning"])
    else:
        times = np.linalg.norm(places - stance[:3], axis=-1) / table["seen_moving"]
    around, next_to = marked(following._around, row, side)
    if around.any():
        check_convex(stance, level, points, around, row)
    assert table["seen_free"] <= times[on & ~around & ~next_to].min(initial=math.inf) * (1 + 1e-9)
    assert table["seen_free"] >= 0.5 * times[on & ~around].min(initial=math.inf)  # nor is it much shorter


def marked(marks: Array, row: Any, side: int) -> tuple[Array, Array]:
    """Which points are on portions around the followed point, and which on such as may be next to it."""
    around, next_to = [], []
    for k, (low, width) in enumerate((("low", "width"), ("other_low", "other_width"))):
        portion, is_closed = np.arange(FINE * side) // FINE, bool(row["closed"] & (k + 1))
        first, last, followed = marks[2 * k], marks[2 * k + 1], math.floor((marks[4 + k] - row[low]) / row[width])
        away, off = portion - first, portion - followed
        if is_closed:
            away, off = away % side, (off + side // 2) % side - side // 2
        around.append((away >= 0) & (away <= last - first))
        next_to.append(np.abs(off) <= 1)
    return np.logical_and.outer(*around), np.logical_and.outer(*next_to)


def check_nodes(portions: SurfacePortions, places: Array, normals: Array, side: int) -> Array:
    """Every place is in the sphere of the portions that it is on, every normal in its cone; where the surface is."""
    levels = side.bit_length() - 1
    first, on = 0, np.zeros(places.shape[:2], dtype=bool)
    for depth in range(levels + 1):
        many = len(places) >> depth
        nodes = portions._nodes[first : first + 4**depth].reshape(1 << depth, 1 << depth, at.NODE)
        nodes = nodes.repeat(many, axis=0).repeat(many, axis=1)
        first += 4**depth
        inside = nodes[..., at.RADIUS] >= 0
        apart = np.linalg.norm(places - nodes[..., :3], axis=-1)
        if depth == levels:
            on = inside
            cosines = (normals * nodes[..., at.NORMAL : at.NORMAL + 3]).sum(axis=-1)
            turned = np.arccos(np.clip(cosines, -1, 1))
            assert (turned[on] <= nodes[on, at.HALF] + 1e-7).all()
            assert np.median(nodes[on, at.HALF]) < 0.3  # they say something
    assert (apart[on] <= nodes[on, at.RADIUS] * (1 + 1e-12)).all()
    return on


def check_convex(stance: Array, level: bool, points: Array, around: Array, row: Any) -> None:
    """Where portions do not count, second differences are those of a convex function."""
    value = stance[at.HEIGHT] + points @ stance[:3] if level else ((points - stance[:3]) ** 2).sum(axis=-1)
    da, db = row["width"] / FINE, row["other_width"] / FINE
    inner = around.copy()
    inner[[0, -1]], inner[:, [0, -1]] = False, False
    aa = (np.roll(value, 1, 0) - 2 * value + np.roll(value, -1, 0)) / da**2
    bb = (np.roll(value, 1, 1) - 2 * value + np.roll(value, -1, 1)) / db**2
    corners = [np.roll(value, (i, j), (0, 1)) for i, j in ((-1, -1), (1, 1), (-1, 1), (1, -1))]
    ab = (corners[0] + corners[1] - corners[2] - corners[3]) / (4 * da * db)
    assert inner.any()
    assert (aa[inner] > 0).all()
    assert (aa * bb - ab * ab)[inner].min() > -1e-6


@pytest.mark.parametrize("level", [False, True])
@pytest.mark.parametrize("seed", range(2))
def test_times_and_bounds_on_surfaces_hold_for_all_their_points(seed: int, level: bool) -> None:
    check(seed, level)


@pytest.mark.slow
@pytest.mark.parametrize("level", [False, True])
@pytest.mark.parametrize("first", range(2, 62, 20))
def test_times_and_bounds_on_many_surfaces_hold_for_all_their_points(first: int, level: bool) -> None:
    for seed in range(first, first + 20):
        check(seed, level)
