"""Bumpy surfaces thrown at a plane, and balls thrown at bumpy surfaces: when they first touch, without the library.

As in the plane (:mod:`tests.physics.thrown_outlines`): no point comes nearer faster than |v| + |omega| R, and going on
by the distance over that speed leads to the first touch and never past it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy
from scipy.spatial.transform import Rotation

import detent
from tests.physics.throw_verdict import judged
from tests.physics.thrown_outlines import GRAZES, PARTS, ROUND, TOUCHES, WAYS

a, b = sympy.symbols("a b")
Array = np.ndarray[Any, Any]
POLE = 0.35
"""A surface leaves out so much around its poles, where its parameters stand still, rad."""
COUNTS = (160, 320)


@dataclass(frozen=True)
class Bumpy:
    """A ball with bumps, r(a, b) out of its middle, but for its poles."""

    out: Any

    @property
    def place(self) -> tuple[Any, Any, Any]:
        x, y, z = sympy.sin(b) * sympy.cos(a), sympy.sin(b) * sympy.sin(a), sympy.cos(b)
        return self.out * x, self.out * y, self.out * z

    def shape(self, carrier: Any) -> detent.Shape:
        """Its normal is outward: dr/db x dr/da is, for a around and b down from the pole, the other way."""
        made: detent.Shape = carrier.surface(
            (b, a), *self.place, ((POLE, math.pi - POLE), (0.0, ROUND)), closed=(False, True)
        )
        return made

    def points(self) -> Any:
        function = sympy.lambdify((a, b), self.place)
        return lambda u, v: np.stack(np.broadcast_arrays(*function(u, v)), axis=-1)


@dataclass(frozen=True)
class SpaceThrow:
    """A bumpy ball above a plane, or a ball of a radius (not 0) at a bumpy one that stands still."""

    bumpy: Bumpy
    radius: float
    start: Array
    velocity: Array
    turn: Array
    spin: Array
    gravity: float
    until: float

    def system(self) -> detent.System:
        system = detent.System("thrown")
        joint = system.free("body", system.origin, system.ground)
        body = system.body("body", joint.point, joint.frame, 1, (0.2, 0.2, 0.2))
        system.gravity(-self.gravity * system.ground.z)
        x, y, z, w = Rotation.from_rotvec(self.turn).as_quat()
        along = Rotation.from_rotvec(self.turn).inv().apply(self.spin)
        names = ("x", "y", "z", "x_rate", "y_rate", "z_rate", "qw", "qx", "qy", "qz", "wx", "wy", "wz")
        values = (*self.start, *self.velocity, w, x, y, z, *along)
        system.start(**{f"body_{name}": float(value) for name, value in zip(names, values, strict=True)})
        law = detent.Poisson(1)
        if self.radius:
            system.contact("body|target", body.sphere(self.radius), self.bumpy.shape(system.ground), impact=law)
        else:
            system.contact("body|target", self.bumpy.shape(body), system.ground.plane(), impact=law)
        return system


class SpaceAnswer:
    """When a throw first touches."""

    def __init__(self, throw: SpaceThrow) -> None:
        self.throw, self.place = throw, throw.bumpy.points()
        self.u, self.v = np.linspace(0, ROUND, COUNTS[1]), np.linspace(POLE, math.pi - POLE, COUNTS[0])
        self.grid = self.place(self.u[:, None], self.v[None])
        size = float(np.linalg.norm(self.grid, axis=-1).max())
        fastest = np.linalg.norm(throw.velocity) + throw.gravity * throw.until
        self.fastest = float(fastest + np.linalg.norm(throw.spin) * size * (throw.radius == 0))
        steps = [np.linalg.norm(np.diff(self.grid, axis=k), axis=-1).max() for k in (0, 1)]
        self.between = float(sum(steps))

    def apart(self, points: Array, t: float) -> Array:
        """How far points of the bumpy ball are from touching."""
        throw = self.throw
        center = throw.start + throw.velocity * t - np.array([0, 0, 0.5 * throw.gravity * t * t])
        if throw.radius:
            return np.asarray(np.linalg.norm(points - center, axis=-1) - throw.radius)
        turn = Rotation.from_rotvec(throw.spin * t) * Rotation.from_rotvec(throw.turn)
        return np.asarray(center[2] + points @ turn.as_matrix()[2])

    def distance(self, t: float) -> tuple[float, bool]:
        """At most the distance; whether the nearest point is at an edge of the surface, which does not touch."""
        apart = self.apart(self.grid, t)
        least = float(apart.min())
        if least > 2 * self.between:
            return least - self.between, False
        best, at_edge = math.inf, False
        order = np.argsort(apart, axis=None)[:400]
        taken: list[tuple[int, int]] = []
        for i, j in zip(*np.unravel_index(order, apart.shape), strict=True):
            if all(abs(i - k) > 4 or abs(j - m) > 4 for k, m in taken) and len(taken) < 6:
                taken.append((int(i), int(j)))
                found, v = self._closer(t, self.u[i], self.v[j])
                if found < best:
                    best, at_edge = found, bool(min(v - POLE, math.pi - POLE - v) < 0.01)
        return best, at_edge

    def _closer(self, t: float, u: float, v: float) -> tuple[float, float]:
        du, dv, best = 4 * (self.u[1] - self.u[0]), 4 * (self.v[1] - self.v[0]), math.inf
        for _ in range(26):
            us, vs = u + du * PARTS, np.clip(v + dv * PARTS, POLE, math.pi - POLE)
            apart = self.apart(self.place(us[:, None], vs[None]), t)
            i, j = np.unravel_index(apart.argmin(), apart.shape)
            u, v, best = float(us[i]), float(vs[j]), min(best, float(apart[i, j]))
            du, dv = du / 2, dv / 2
        return best, v

    def first(self) -> tuple[str, float]:
        """When they touch, or that they do not, or that nobody can say."""
        t, nearest = 0.0, math.inf
        for _ in range(20000):
            apart, at_edge = self.distance(t)
            if at_edge and apart < 0.05:
                return "edge", t
            if apart < TOUCHES:
                return "touch", t
            nearest = min(nearest, apart)
            t += apart / self.fastest
            if t > self.throw.until:
                return ("graze", nearest) if nearest < GRAZES else ("none", nearest)
        return "graze", nearest


def random_space_throw(kind: str, seed: int) -> SpaceThrow:
    """``plane``: a bumpy ball at a plane; ``ball``: a ball at a bumpy one."""
    rng = np.random.default_rng([61, len(kind), seed])
    waves = sum(
        float(rng.uniform(-0.15, 0.15)) * sympy.cos(int(k) * a + float(rng.uniform(0, 6))) * sympy.sin(b) ** int(m)
        * sympy.cos(int(m) * b + float(rng.uniform(0, 6)))
        for k, m in rng.integers(1, 5, (3, 2))
    )  # fmt: skip
    bumpy, speed = Bumpy(1 + waves), float(10 ** rng.uniform(0, 1.7))
    turn, axis = rng.normal(size=3), rng.normal(size=3)
    gravity = float(rng.choice([0.0, 9.81]))
    if kind == "plane":
        start = np.array([0.0, 0.0, rng.uniform(1.7, 5.0)])
        velocity = speed * np.array([rng.uniform(-1, 1), rng.uniform(-1, 1), -1.0])
        until = 1.2 * start[2] / speed
        spin = axis / np.linalg.norm(axis) * float(rng.choice([0.0, 1.0, 5.0])) * ROUND / until
        return SpaceThrow(bumpy, 0.0, start, velocity, turn, spin, gravity, until)
    radius, out = float(10 ** rng.uniform(-1.5, -0.3)), axis / np.linalg.norm(axis)
    out[2] *= 0.5
    start = out / np.linalg.norm(out) * rng.uniform(2.2, 5.0)
    aim = rng.normal(size=3) * 0.4
    velocity = speed * (aim - start) / np.linalg.norm(aim - start)
    until = 2 * float(np.linalg.norm(start)) / speed
    return SpaceThrow(bumpy, radius, start, velocity, turn, np.zeros(3), gravity, until)


def space_verdict(throw: SpaceThrow, way: str, answer: tuple[str, float] | None = None) -> str:
    """right, skipped, refused: why, or wrong: how."""
    told = answer or SpaceAnswer(throw).first()
    until, settings = told[1] + 0.01 * throw.until, WAYS[way]
    # Quaternions are integrated to the tolerance; a turn that is off by it moves points by as much.
    off = settings.get("rtol", 1e-2) * float(np.linalg.norm(throw.spin)) * until
    close = (2e3 * TOUCHES + 20 * off) / float(np.linalg.norm(throw.velocity)) + 1e-9 * until
    return judged(throw, told, settings, lambda found: abs(found - told[1]) <= close)
