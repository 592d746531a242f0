"""Shapes thrown at curves, and when they first touch: by distances that are looked at densely, without the library.

The law is geometry. A flight is known in closed form, and no point of the thrown shape moves faster than
|v| + |omega| R: so it cannot touch before the distance, over that speed, has passed. Going on by that time again and
again leads to the first touch and never past it (Mirtich 1996, conservative advancement). Distances are those of points
all along both outlines, looked at more and more closely around the nearest ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy
from scipy.interpolate import CubicSpline
from scipy.spatial import cKDTree

import detent
from tests.physics.throw_verdict import judged

s = sympy.Symbol("s")
Array = np.ndarray[Any, Any]
COUNT = 1500
"""Points all along an outline."""
TOUCHES = 1e-9
"""What is nearer than this touches, in m: as far as distances are told from rounding here."""
GRAZES = 1e-5
"""What comes nearer than this, but does not touch, is left to rounding."""
ROUND = 2 * math.pi
PARTS = np.linspace(-1, 1, 13)


@dataclass(frozen=True)
class Outline:
    """Points of a shape by a parameter, along the axes of its carrier; how it is made by the library.

    It is closed: beyond its range it begins anew.
    """

    points: Callable[[Array], Array]
    between: tuple[float, float]
    make: Callable[[Any], detent.Shape]

    @property
    def along(self) -> Array:
        return np.linspace(*self.between, COUNT)


@dataclass(frozen=True)
class Throw:
    """A shape that is thrown at another one, which turns about the origin at a given rate."""

    thrown: Outline
    target: Outline
    start: tuple[float, float, float]
    rates: tuple[float, float, float]
    gravity: float
    turning: float
    until: float

    def pose(self, t: float) -> tuple[float, float, float]:
        (x, y, angle), (vx, vy, spin) = self.start, self.rates
        return x + vx * t, y + vy * t - 0.5 * self.gravity * t * t, angle + spin * t

    def placed(self, points: Array, t: float) -> Array:
        """Points of the thrown shape as they are seen from the target."""
        x, y, angle = self.pose(t)
        place = _turned(points, angle) + np.array([x, y])
        return _turned(place, -self.turning * t)

    def system(self) -> detent.System:
        system = detent.System("thrown")
        joint = system.planar("body", system.origin, system.ground)
        body = system.body("body", joint.point, joint.frame, mass=1, inertia=0.3)
        system.gravity(-self.gravity * system.ground.y)
        names = ("body_x", "body_y", "body_angle", "body_x_rate", "body_y_rate", "body_angle_rate")
        system.start(**dict(zip(names, map(float, (*self.start, *self.rates)), strict=True)))
        frame = system.ground if self.turning == 0.0 else system.ground.rotated("turned", self.turning * system.time)
        system.contact("body|target", self.thrown.make(body), self.target.make(frame), impact=detent.Poisson(1))
        return system


def _turned(points: Array, angle: float) -> Array:
    c, w = math.cos(angle), math.sin(angle)
    return np.stack([c * points[..., 0] - w * points[..., 1], w * points[..., 0] + c * points[..., 1]], axis=-1)


class Answer:
    """When a throw first touches."""

    def __init__(self, throw: Throw) -> None:
        self.throw = throw
        self.own, self.other = (each.points(each.along) for each in (throw.thrown, throw.target))
        self.tree = cKDTree(self.other)
        size = float(np.hypot(*self.own.T).max())
        vx, vy, spin = throw.rates
        fastest = math.hypot(vx, abs(vy) + throw.gravity * throw.until)
        far = math.hypot(*throw.start[:2]) + fastest * throw.until + size
        self.fastest = fastest + abs(spin) * size + abs(throw.turning) * far
        steps = [np.hypot(*np.diff(points, axis=0).T).max() for points in (self.own, self.other)]
        self.between = 0.5 * float(sum(steps))
        """Nothing between two points is nearer than they are by more than this."""

    def distance(self, t: float) -> float:
        """At least as small as the distance where that is more than what lies between points; exact below."""
        near, at = self.tree.query(self.throw.placed(self.own, t))
        least = float(near.min())
        if least > 4 * self.between:
            return least - self.between
        candidates = np.flatnonzero(near < least + 2 * self.between)
        from_line = self._from_lines(self.throw.placed(self.own[candidates], t), at[candidates])
        order = np.argsort(from_line)
        taken: list[int] = []
        best = math.inf
        for k in order[from_line[order] < from_line.min() + 0.1 * self.between]:
            if all(abs(candidates[k] - candidates[other]) > 3 for other in taken):
                taken.append(int(k))
                best = min(best, self._closer(t, int(candidates[k]), int(at[candidates[k]])))
            if len(taken) >= 4:
                break
        return best

    def _from_lines(self, places: Array, nearest: Array) -> Array:
        """How far places are from the lines that join the nearest point of the target and those next to it."""
        found = np.full(len(places), math.inf)
        for side in (-1, 1):
            start, end = self.other[nearest], self.other[(nearest + side) % (COUNT - 1)]
            way = end - start
            part = ((places - start) * way).sum(axis=-1) / np.maximum((way**2).sum(axis=-1), 1e-300)
            feet = start + np.clip(part, 0, 1)[:, None] * way
            found = np.minimum(found, np.hypot(*(places - feet).T))
        return found

    def _closer(self, t: float, one: int, other: int) -> float:
        """The distance around two points: of points of one outline from the other, looked at closer and closer."""
        first, second = self.throw.thrown, self.throw.target
        u, v = first.along[one], second.along[other]
        du, dv = 2 * (first.along[1] - first.along[0]), 4 * (second.along[1] - second.along[0])
        best = math.inf
        for _ in range(13):
            us = u + du * PARTS
            places, vs = self.throw.placed(first.points(us), t), np.full(len(us), v)
            wide, squares = dv, np.full(len(us), math.inf)
            for _ in range(15):
                looked = vs[:, None] + wide * PARTS
                away = ((places[:, None] - second.points(looked)) ** 2).sum(axis=-1)
                k = away.argmin(axis=1)
                vs, squares, wide = looked[np.arange(len(us)), k], away.min(axis=1), wide / 4
            i = int(squares.argmin())
            u, v, best = us[i], vs[i], min(best, math.sqrt(squares[i]))
            du /= 4
        return best

    def first(self) -> tuple[str, float]:
        """When they touch, or that they do not, or that nobody can say."""
        t, nearest, before = 0.0, math.inf, (0.0, math.inf)
        for _ in range(200000):
            apart = self.distance(t)
            if apart < TOUCHES:
                return "touch", t
            nearest = min(nearest, apart)
            step = apart / self.fastest
            if before[1] < self.between:  # where it is exact, as fast as it closes
                step = max(step, min(0.7 * apart * (t - before[0]) / max(before[1] - apart, 1e-300), 20 * step))
            before = (t, apart)
            t += step
            if t > self.throw.until:
                return ("graze", nearest) if nearest < GRAZES else ("none", nearest)
        return "graze", nearest


# -- outlines ------------------------------------------------------------------------------------------


def by_functions(x: Any, y: Any, between: tuple[float, float], closed: bool = True) -> Outline:
    """The curve of two expressions in s."""
    function = sympy.lambdify(s, [x + 0 * s, y + 0 * s])

    def points(at: Array) -> Array:
        return np.stack(np.broadcast_arrays(*function(at), at)[:2], axis=-1)

    return Outline(points, between, lambda carrier: carrier.curve(s, x, y, between, closed=closed))


def by_points(places: list[tuple[float, float]]) -> Outline:
    """A smooth closed curve through points, as a profile is one: cubic over the length of their polygon."""
    around = np.array([*places, places[0]])
    at = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(around, axis=0).T))])
    spline = CubicSpline(at, around, bc_type="periodic")
    return Outline(spline, (0.0, float(at[-1])), lambda carrier: carrier.profile(places, closed=True))


def polygon(corners: list[tuple[float, float]]) -> Outline:
    around = np.array([*corners, corners[0]])

    def points(at: Array) -> Array:
        at = np.mod(at, len(corners))
        k = np.minimum(at.astype(int), len(corners) - 1)
        part = (at - k)[..., None]
        found: Array = (1 - part) * around[k] + part * around[k + 1]
        return found

    return Outline(points, (0.0, float(len(corners))), lambda carrier: carrier.polygon(*corners))


def disk(radius: float) -> Outline:
    return Outline(
        lambda at: radius * np.stack([np.cos(at), np.sin(at)], axis=-1), (0.0, ROUND),
        lambda carrier: carrier.circle(radius),
    )  # fmt: skip


def random_curve(rng: np.random.Generator) -> Outline:
    """A closed one: a series of Fourier's, an ellipse, a star with narrow gaps, or a spline."""
    kind, size = int(rng.integers(4)), float(rng.uniform(0.4, 1.2))
    if kind == 0:
        out = 1 + sum(
            float(rng.uniform(-0.3, 0.3)) / k**1.3 * sympy.cos(k * s + float(rng.uniform(0, 6))) for k in range(2, 6)
        )
    elif kind == 1:
        across = float(rng.uniform(0.15, 1.0))
        return by_functions(size * sympy.cos(s), size * across * sympy.sin(s), (0.0, ROUND))
    elif kind == 2:
        points, deep = int(rng.integers(3, 9)), float(rng.uniform(0.2, 0.75))
        out = (1 + deep * sympy.cos(points * s + float(rng.uniform(0, 6)))) / (1 + deep)
    else:
        count = int(rng.integers(5, 11))
        angles = ROUND * (np.arange(count) + rng.uniform(-0.25, 0.25, count)) / count
        radii = size * rng.uniform(0.4, 1.0, count)
        return by_points([(float(r * np.cos(a)), float(r * np.sin(a))) for r, a in zip(radii, angles, strict=True)])
    return by_functions(size * out * sympy.cos(s), size * out * sympy.sin(s), (0.0, ROUND))


def random_polygon(rng: np.random.Generator) -> Outline:
    """A convex one, with its corners on an ellipse; its middle is inside."""
    count = int(rng.integers(3, 7))
    angles = ROUND * (np.arange(count) + rng.uniform(-0.3, 0.3, count)) / count
    size, across = float(rng.uniform(0.3, 1.0)), float(rng.uniform(0.3, 1.0))
    return polygon([(float(size * np.cos(a)), float(size * across * np.sin(a))) for a in angles])


def ring(radius: float) -> Outline:
    """A circle that is touched from inside."""
    return Outline(disk(radius).points, (0.0, ROUND), lambda carrier: carrier.arc(radius, 0, ROUND, inside=True))


def thrown_in_ring(rng: np.random.Generator) -> Throw:
    """A curve that is thrown about inside a ring."""
    thrown = random_curve(rng)
    size = float(np.hypot(*thrown.points(thrown.along).T).max())
    room, speed = size * float(rng.uniform(0.1, 2.0)), float(10 ** rng.uniform(0, 2))
    towards, off, way = rng.uniform(0, ROUND), 0.8 * room * float(rng.uniform(0, 1)), rng.uniform(0, ROUND)
    until = 3 * (size + room) / speed
    start = (off * math.cos(towards), off * math.sin(towards), float(rng.uniform(0, ROUND)))
    turns = float(rng.choice([0.0, 1.0, 5.0])) * float(rng.uniform(-1, 1)) * ROUND
    rates = (speed * math.cos(way), speed * math.sin(way), turns / until)
    return Throw(thrown, ring(size + room), start, rates, float(rng.choice([0.0, 9.81])), 0.0, until)


def random_throw(kind: str, seed: int) -> Throw:
    """Something thrown fast at a curve, spinning, from somewhere around it: curve, polygon or disk; or a curve thrown
    inside a ring."""
    rng = np.random.default_rng([hash_of(kind), seed])
    if kind == "in ring":
        return thrown_in_ring(rng)
    target = random_curve(rng)
    thrown = {
        "curve": random_curve,
        "polygon": random_polygon,
        "disk": lambda rng: disk(float(10 ** rng.uniform(-2, -0.3))),
    }[kind](rng)
    reach = sum(float(np.hypot(*each.points(each.along).T).max()) for each in (thrown, target))
    towards, far, speed = rng.uniform(0, ROUND), float(rng.uniform(1.1, 4.0)) * reach, float(10 ** rng.uniform(0, 2))
    aim = towards + math.pi + float(rng.uniform(-1, 1)) * math.asin(min(1.0, 0.8 * reach / far))
    until = 2 * far / speed
    start = (far * math.cos(towards), far * math.sin(towards), float(rng.uniform(0, ROUND)))
    turns = float(rng.choice([0.0, 1.0, 5.0])) * float(rng.uniform(-1, 1)) * ROUND
    rates = (speed * math.cos(aim), speed * math.sin(aim), turns / until)
    turning = float(rng.choice([0.0, 0.0, rng.uniform(-2, 2)])) * ROUND / until
    return Throw(thrown, target, start, rates, float(rng.choice([0.0, 9.81])), turning, until)


def hash_of(kind: str) -> int:
    return sum(map(ord, kind))


# -- verdicts ------------------------------------------------------------------------------------------

WAYS: dict[str, dict[str, Any]] = {
    "loose": {"rtol": 1e-3}, "usual": {}, "tight": {"rtol": 1e-11}, "dopri5": {"method": "dopri5", "rtol": 1e-3},
    "rk4": {"method": "rk4"},
}  # fmt: skip


def is_close(throw: Throw, when: float, found: float) -> bool:
    """Whether a time is that of a touch: the last distance is below TOUCHES; how fast it closes is not less than some
    1e-3 of the speed, or it grazes."""
    until = when + 0.01 * throw.until
    return abs(found - when) <= 2e3 * TOUCHES / max(math.hypot(*throw.rates[:2]), 1e-3) + 1e-9 * until


def verdict(throw: Throw, way: str, answer: tuple[str, float] | None = None) -> str:
    """right, skipped, refused: why, or wrong: how."""
    told = answer or Answer(throw).first()
    return judged(throw, told, WAYS[way], lambda found: is_close(throw, told[1], found))
