"""Straight faces thrown at curves that are flat somewhere, and when they first touch: without the library.

What is thrown is a half-plane or a convex polygon, so a point is in it where it is below all of its faces. With
h_i the height above face i, moving as a known flight, the first touch is the first zero of

    m(t) = min over s of max over i of h_i(c(s), t).

m is no more than the distance, and changes no faster than |v| + |omega| R, R being how far points of the curve are from
the middle of what is thrown: going on by m over that speed leads to the first touch and never past it. The minimum over
s is looked for on thousands of points of the curve, and closer and closer around the lowest of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy

import detent
from tests.physics.throw_verdict import judged

s = sympy.Symbol("s")
Array = np.ndarray[Any, Any]
Pose = tuple[float, float, float]
COUNT = 3001
"""Points all along a curve."""
TOUCHES = 1e-11
"""What is nearer than this touches, in m."""
GRAZES = 1e-4
"""What comes nearer than this but does not touch, and what closes more slowly than this part of its speed, is left out:
of a touch that hardly closes the instant is not known as well."""
KNOWN = 1e-8
"""How far apart shapes may be, in m, at the instant when the library has them touch: what is left out of the flat ends
of bumps is 1e-9 of the length of a curve."""


@dataclass(frozen=True)
class FaceThrow:
    """Something with straight faces that is thrown at a curve of the ground."""

    name: str
    x: Any
    y: Any
    between: tuple[float, float]
    closed: bool
    corners: tuple[tuple[float, float], ...]
    """Of a polygon, counter-clockwise; none where a half-plane below y = 0 is thrown upside down: its face looks up."""
    start: tuple[float, float, float]
    rates: tuple[float, float, float]
    gravity: float
    until: float

    def system(self, friction: detent.Coulomb | None = None, restitution: float = 1.0) -> detent.System:
        system = detent.System("thrown")
        joint = system.planar("body", system.origin, system.ground)
        body = system.body("body", joint.point, joint.frame, mass=1, inertia=0.3)
        system.gravity(-self.gravity * system.ground.y)
        names = ("body_x", "body_y", "body_angle", "body_x_rate", "body_y_rate", "body_angle_rate")
        system.start(**dict(zip(names, map(float, (*self.start, *self.rates)), strict=True)))
        shape = body.polygon(*self.corners) if self.corners else body.line()
        curve = system.ground.curve(s, self.x, self.y, self.between, closed=self.closed)
        system.contact("body|curve", shape, curve, friction=friction, impact=detent.Poisson(restitution))
        return system

    def faces(self) -> tuple[Array, Array]:
        """A point and the outward normal of each face, along the axes of the body."""
        if not self.corners:
            return np.array([[0.0, 0.0]]), np.array([[0.0, 1.0]])
        start = np.array(self.corners)
        along = np.roll(start, -1, axis=0) - start
        return start, np.stack([along[:, 1], -along[:, 0]], axis=1) / np.hypot(*along.T)[:, None]

    def pose(self, t: float) -> Pose:
        """Where it is while it flies: x, y and the angle."""
        (x, y, angle), (vx, vy, spin) = self.start, self.rates
        return x + vx * t, y + vy * t - 0.5 * self.gravity * t * t, angle + spin * t


def seen(points: Array, pose: Pose) -> Array:
    """Points of the ground along the axes of a body."""
    x, y, angle = pose
    away, c, w = points - np.array([x, y]), math.cos(angle), math.sin(angle)
    return np.stack([c * away[..., 0] + w * away[..., 1], c * away[..., 1] - w * away[..., 0]], axis=-1)


class FaceAnswer:
    """When a throw first touches."""

    most = 100_000
    """So often it is looked how far apart they are."""

    def __init__(self, throw: FaceThrow) -> None:
        self.throw = throw
        self.starts, self.normals = throw.faces()
        function = sympy.lambdify(s, [throw.x + 0 * s, throw.y + 0 * s])
        self.points: Callable[[Array], Array] = lambda at: np.stack(np.broadcast_arrays(*function(at)), axis=-1)
        self.along = np.linspace(*throw.between, COUNT)
        self.curve = self.points(self.along)

    def heights(self, points: Array, pose: Pose) -> Array:
        away = seen(points, pose)[:, None, :] - self.starts
        found: Array = (away * self.normals).sum(axis=-1).max(axis=-1)
        return found

    def lowest(self, pose: Pose) -> tuple[float, float]:
        """m where what is thrown is in a pose, and where on the curve that is."""
        heights = self.heights(self.curve, pose)
        inner = np.r_[True, heights[1:] <= heights[:-1]] & np.r_[heights[:-1] <= heights[1:], True]
        places = np.flatnonzero(inner)
        best, where = math.inf, 0.0
        for k in places[np.argsort(heights[places])][:4]:
            at, wide = self.along[k], self.along[1] - self.along[0]
            for _ in range(14):
                looked = np.clip(at + wide * np.linspace(-1, 1, 21), *self.throw.between)
                found = self.heights(self.points(looked), pose)
                at, wide = looked[found.argmin()], wide / 5
                if found.min() < best:
                    best, where = float(found.min()), float(at)
        return best, where

    def first(self) -> tuple[str, float]:
        """When it touches, or that it does not, or that nobody can say."""
        throw, t, nearest = self.throw, 0.0, math.inf
        vx, vy, spin = throw.rates
        for _ in range(self.most):
            height, where = self.lowest(throw.pose(t))
            far = float(np.hypot(*seen(self.curve, throw.pose(t)).T).max())
            speed = math.hypot(vx, abs(vy) + throw.gravity * throw.until)
            fastest = speed + abs(spin) * (far + speed * throw.until)
            if height < TOUCHES:
                later = self.lowest(throw.pose(t + 1e-6 / fastest))[0]
                closing = (height - later) / 1e-6
                return ("touch", t) if closing > GRAZES and self._is_in_front(t, where) else ("graze", t)
            nearest, t = min(nearest, height), t + max(height, 1e-12) / fastest
            if t > throw.until:
                return ("graze", nearest) if nearest < GRAZES else ("none", nearest)
        return "graze", nearest

    def _is_in_front(self, t: float, where: float) -> bool:
        """Whether the middle of what is thrown comes from the left of a curve with ends; others have no far side."""
        if self.throw.closed or not self.throw.corners:
            return True
        step = 1e-6 * (self.throw.between[1] - self.throw.between[0])
        before, at, after = self.points(np.clip(where + step * np.array([-1.0, 0.0, 1.0]), *self.throw.between))
        middle = np.array(self.throw.pose(t)[:2]) - at
        way = after - before
        return bool(way[0] * middle[1] - way[1] * middle[0] > 0.0)


# -- random throws -------------------------------------------------------------------------------------


def _curves(rng: np.random.Generator) -> tuple[str, Any, Any, tuple[float, float], bool]:
    """A curve that is flat somewhere: in the middle of a bump, in a long tail, beside a sharp bump, where it begins to
    bend the other way."""
    a, b = (float(each) for each in rng.uniform(0.3, 1.0, 2))
    kind = str(rng.choice(["power", "roof", "tail", "beside", "waves", "limacon", "round"]))
    if kind == "power":
        tilt = float(rng.choice([0.0, 1.0]) * rng.uniform(-0.5, 0.5))
        return kind, s, tilt * s - a * s ** int(rng.choice([4, 6])), (-1.2, 1.2), False
    if kind == "roof":
        return kind, s, -b * sympy.sqrt((0.1 * a) ** 2 + s**2), (-3.0, 3.0), False
    if kind == "tail":
        return kind, s, -0.3 * b * sympy.log(sympy.cosh(s / (0.3 * a))), (-2.0, 3.0), False
    if kind == "beside":
        return kind, s, 0.2 * sympy.exp(-((s / (0.05 * a)) ** 2)) + 0.3 * b * sympy.cos((s - 1) / 2), (-1.0, 3.0), False
    if kind == "waves":
        return kind, s, 0.3 * a * sympy.cos((2 + 2 * b) * s), (-3.0, 3.0), False
    out = 1 + 0.5 * sympy.cos(s) if kind == "limacon" else 1 + sympy.cos(4 * s) / 17
    return kind, a * out * sympy.cos(s), a * out * sympy.sin(s), (0.0, 2 * math.pi), True


def _corners(rng: np.random.Generator) -> tuple[tuple[float, float], ...]:
    """None, or those of a convex polygon: on an ellipse, or of a long plank."""
    kind = int(rng.integers(3))
    if kind == 0:
        return ()
    if kind == 1:
        half, thick = float(rng.uniform(0.3, 3.0)), float(rng.uniform(0.02, 0.1))
        return ((-half, -thick), (half, -thick), (half, thick), (-half, thick))
    count, size, across = int(rng.integers(3, 6)), float(rng.uniform(0.3, 1.0)), float(rng.uniform(0.3, 1.0))
    angles = 2 * math.pi * (np.arange(count) + rng.uniform(-0.3, 0.3, count)) / count
    return tuple((float(size * math.cos(each)), float(size * across * math.sin(each))) for each in angles)


def random_face_throw(seed: int) -> FaceThrow:
    """A half-plane or a polygon that is thrown onto a curve, spinning or not; often it is parallel where it meets."""
    rng = np.random.default_rng([97, seed])
    kind, x, y, between, closed = _curves(rng)
    function = sympy.lambdify(s, [x + 0 * s, y + 0 * s])
    points = np.stack(np.broadcast_arrays(*function(np.linspace(*between, 2001))), axis=-1)
    while True:
        corners = _corners(rng)
        aim = points[rng.integers(len(points))]
        k = int(np.argmin(np.hypot(*(points - aim).T)))
        way = points[min(k + 1, 2000)] - points[max(k - 1, 0)]
        parallel = math.atan2(way[1], way[0])
        up = np.array([-way[1], way[0]]) / math.hypot(*way)
        up = -up if closed else up
        speed, far = float(10 ** rng.uniform(-0.5, 1.0)), float(rng.uniform(0.2, 2.0))
        aside = float(rng.uniform(-1, 1))
        velocity = -speed * up + 0.7 * aside * speed * way / math.hypot(*way)
        lasts = far / speed
        turns = float(rng.choice([0.0, 1e-3, 0.3, 3.0])) * float(rng.uniform(-1, 1))
        off = float(rng.choice([0.0, 1e-4, 0.5])) * float(rng.uniform(-1, 1))
        angle, start = parallel + (0.0 if closed else math.pi) - turns + off, aim - velocity * lasts
        throw = FaceThrow(
            kind, x, y, between, closed, corners, (float(start[0]), float(start[1]), float(angle)),
            (float(velocity[0]), float(velocity[1]), turns / lasts), float(rng.choice([0.0, 2.0])), 1.5 * lasts,
        )  # fmt: skip
        if FaceAnswer(throw).lowest(throw.start)[0] > 0.02:
            return throw


# -- verdicts ------------------------------------------------------------------------------------------

WAYS: dict[str, dict[str, Any]] = {
    "loose": {"rtol": 1e-3}, "middle": {"rtol": 1e-6}, "usual": {}, "tight": {"rtol": 1e-12}, "rk4": {"method": "rk4"},
}  # fmt: skip


def face_verdict(throw: FaceThrow, way: str, answer: tuple[str, float]) -> str:
    """right, skipped, refused: why, or wrong: how. It is right where shapes touch by geometry when the run says."""
    geometry = FaceAnswer(throw)
    return judged(throw, answer, WAYS[way], lambda found: abs(geometry.lowest(throw.pose(found))[0]) <= KNOWN)
