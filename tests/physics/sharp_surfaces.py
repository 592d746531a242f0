"""Balls and points thrown at a level patch with a needle on it that no grid sees.

The needle is round, so that the distance of a ball's middle from the patch is that from its profile, in the plane of
the middle and the needle's axis. Going on by that distance over the speed leads to the first touch and never past it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import sympy

import detent
from tests.physics.sharp_outlines import COUNT, RUNS, Needle
from tests.physics.throw_verdict import judged
from tests.physics.thrown_outlines import GRAZES, PARTS, ROUND, TOUCHES, Array

a, b = sympy.symbols("a b")
SIDE = 1.0
"""The patch goes so far to all sides."""


@dataclass(frozen=True)
class NeedleThrow:
    """A ball thrown at a needle at a place of a patch; a point where its radius is zero."""

    needle: Needle
    place: tuple[float, float]
    radius: float
    start: Array
    velocity: Array
    gravity: float
    until: float

    def middle(self, t: float) -> Array:
        found: Array = self.start + self.velocity * t - np.array([0.0, 0.0, 0.5 * self.gravity * t * t])
        return found

    def system(self) -> detent.System:
        system = detent.System("thrown")
        x, y, z = system.coordinates("x", "y", "z")
        ground = system.ground
        ball = system.particle("ball", system.origin.offset("middle", x * ground.x + y * ground.y + z * ground.z), 1)
        system.gravity(-self.gravity * ground.z)
        names = ("x", "y", "z", "x_rate", "y_rate", "z_rate")
        system.start(**dict(zip(names, map(float, (*self.start, *self.velocity)), strict=True)))
        away = (a - self.place[0]) ** 2 + (b - self.place[1]) ** 2
        height = self.needle.high * sympy.exp(-away / self.needle.width**2)
        patch = ground.surface((a, b), a, b, height, ((-SIDE, SIDE), (-SIDE, SIDE)))
        shape = ball.sphere(self.radius) if self.radius else ball.point()
        system.contact("ball|patch", shape, patch, impact=detent.Poisson(1))
        return system

    def first(self) -> tuple[str, float]:
        """When it touches, or that it does not, or that nobody can say."""
        profile = self.needle.outline()
        along = np.linspace(*profile.between, COUNT)
        points = profile.points(along)
        between = 0.5 * float(np.hypot(*np.diff(points, axis=0).T).max())
        fastest = float(np.linalg.norm(self.velocity)) + self.gravity * self.until
        t, nearest = 0.0, math.inf
        for _ in range(20000):
            x, y, z = self.middle(t)
            seen = np.array([self.needle.at + math.hypot(x - self.place[0], y - self.place[1]), z])
            apart = np.hypot(*(points - seen).T) - self.radius
            least = float(apart.min())
            if least > 8 * between:
                least -= between
            else:
                at, wide = along[apart < least + 2 * between], 1.5 * (along[1] - along[0])
                for _ in range(16):
                    looked = np.clip(at[:, None] + wide * PARTS, *profile.between)
                    found = np.hypot(*np.moveaxis(profile.points(looked) - seen, -1, 0)) - self.radius
                    at, wide = looked[np.arange(len(at)), found.argmin(axis=1)], wide / 4
                    least = min(least, float(found.min()))
            if least < TOUCHES:
                return "touch", t
            nearest = min(nearest, least)
            t += least / fastest
            if t > self.until:
                return ("graze", nearest) if nearest < GRAZES else ("none", nearest)
        return "graze", nearest


def random_needle_throw(seed: int) -> NeedleThrow:
    """Level and just above the patch, or from above, towards the needle, which it meets or just misses."""
    rng = np.random.default_rng([79, seed])
    thorn = Needle(0.0, float(10 ** rng.uniform(-3.5, -1.5)), float(rng.uniform(0.1, 0.5)))
    place = rng.uniform(-0.3, 0.3, 2)
    radius = 0.0 if rng.uniform() < 0.25 else float(10 ** rng.uniform(-2, -0.7))
    speed, way = float(10 ** rng.uniform(0, 1.5)), float(rng.uniform(0, ROUND))
    along, across = np.array([math.cos(way), math.sin(way), 0.0]), np.array([-math.sin(way), math.cos(way), 0.0])
    off = float(rng.uniform(-1.2, 1.2)) * (radius + thorn.width)
    level = bool(rng.uniform() < 0.5)
    high = radius + float(rng.uniform(0.02, 0.8)) * thorn.high if level else radius + thorn.high + 0.3
    far = float(rng.uniform(0.3, 0.6)) + radius
    start = np.array([*place, high]) - far * along + off * across
    aim = np.array([*place, high if level else float(rng.uniform(0.0, 1.0)) * thorn.high]) + off * across
    velocity = speed * (aim - start) / np.linalg.norm(aim - start)
    gravity = 0.0 if level else float(rng.choice([0.0, 9.81]))
    until = 1.2 * float(np.linalg.norm(aim - start)) / speed
    return NeedleThrow(thorn, (float(place[0]), float(place[1])), radius, start, velocity, gravity, until)


def needle_verdict(throw: NeedleThrow, answer: tuple[str, float], run: str) -> str:
    """right, skipped, refused: why, or wrong: how."""
    close = 2e3 * TOUCHES / float(np.linalg.norm(throw.velocity)) + 1e-9 * (answer[1] + 0.01 * throw.until)
    return judged(throw, answer, RUNS[run], lambda found: abs(found - answer[1]) <= close)
