"""Planks and polygons that fall onto needles, or slide into them, far narrower than what samples of a curve would see.

The curve is a gentle hill or valley with needles y = h exp(-((s - a)/w)^2) on it, w down to a millionth of its range.
Answers are those of :mod:`tests.physics.thrown_faces`, with as many points around each needle as along all the rest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy

from tests.physics.throw_verdict import judged
from tests.physics.thrown_faces import KNOWN, WAYS, FaceAnswer, FaceThrow, Pose, s

BETWEEN = (-2.0, 2.0)
COUNT = 801
"""Points around each needle."""


@dataclass(frozen=True)
class Thorn:
    """A needle: where it is, how wide and how high."""

    at: float
    width: float
    high: float


class NeedledAnswer(FaceAnswer):
    """The same with points where the needles are, and more at their tips."""

    most = 500

    def __init__(self, throw: FaceThrow, thorns: list[Thorn]) -> None:
        super().__init__(throw)
        parts = [self.along]
        for thorn in thorns:
            parts.append(thorn.at + 6 * thorn.width * np.linspace(-1, 1, COUNT))
            tip = thorn.width * min(1.0, thorn.width / thorn.high)  # there it turns round
            parts.append(thorn.at + 20 * tip * np.linspace(-1, 1, COUNT))
        self.slope = sympy.lambdify(s, sympy.diff(throw.y, s))
        self.along = np.unique(np.clip(np.concatenate(parts), *throw.between))
        self.curve = self.points(self.along)

    def lowest(self, pose: Pose) -> tuple[float, float]:
        heights = self.heights(self.curve, pose)
        inner = np.r_[True, heights[1:] <= heights[:-1]] & np.r_[heights[:-1] <= heights[1:], True]
        places = np.flatnonzero(inner)
        best, where = math.inf, 0.0
        for k in places[np.argsort(heights[places])][:6]:
            low, high = self.along[max(k - 1, 0)], self.along[min(k + 1, len(self.along) - 1)]
            for _ in range(18):
                looked = np.linspace(low, high, 21)
                found = self.heights(self.points(looked), pose)
                j = int(found.argmin())
                low, high = looked[max(j - 1, 0)], looked[min(j + 1, 20)]
                if found[j] < best:
                    best, where = float(found[j]), float(looked[j])
        return best, where

    def _is_in_front(self, t: float, where: float) -> bool:
        """By the slope itself: a needle is narrower than what that would be a difference over."""
        away = np.array(self.throw.pose(t)[:2]) - self.points(np.array(where))
        return bool(away[1] - float(self.slope(where)) * away[0] > 0.0)


def _hill(rng: np.random.Generator) -> Any:
    high, often = float(rng.uniform(0.02, 0.15)), float(rng.uniform(0.5, 2.0))
    return float(rng.choice([-1.0, 1.0])) * high * sympy.cos(often * (s - float(rng.uniform(-0.5, 0.5))))


def random_thorns(rng: np.random.Generator) -> list[Thorn]:
    count = int(rng.integers(1, 4))
    places = np.sort(rng.uniform(-1.6, 1.6, count))
    return [Thorn(float(at), float(10 ** rng.uniform(-5.5, -2.5)), float(rng.uniform(0.05, 0.4))) for at in places]


def _corners(rng: np.random.Generator) -> tuple[tuple[float, float], ...]:
    half, thick = float(rng.uniform(0.1, 1.5)), float(rng.uniform(0.02, 0.1))
    if rng.uniform() < 0.7:
        return ((-half, -thick), (half, -thick), (half, thick), (-half, thick))
    count, size = int(rng.integers(3, 6)), float(rng.uniform(0.1, 0.4))
    angles = 2 * math.pi * (np.arange(count) + rng.uniform(-0.2, 0.2, count)) / count
    return tuple((float(size * math.cos(each)), float(size * math.sin(each))) for each in angles)


def random_needled_throw(seed: int) -> tuple[FaceThrow, list[Thorn]]:
    """Something that falls on a needle, or that flies along just above the curve and into one."""
    rng = np.random.default_rng([103, seed])
    thorns = random_thorns(rng)
    y = _hill(rng) + sum(each.high * sympy.exp(-(((s - each.at) / each.width) ** 2)) for each in thorns)
    aim, skims = thorns[int(rng.integers(len(thorns)))], bool(rng.uniform() < 0.4)
    for _ in range(200):
        corners = _corners(rng)
        top = float(sympy.lambdify(s, y)(aim.at))
        speed = float(10 ** rng.uniform(-0.3, 1.0))
        size = max(math.hypot(*each) for each in corners)
        if skims:  # level, lower than the tip
            side = float(rng.choice([-1.0, 1.0]))
            start = (
                aim.at - side * (size + float(rng.uniform(0.05, 0.4))),
                top + float(rng.uniform(-0.9, 0.5)) * aim.high,
            )
            velocity, lasts = (side * speed, float(rng.uniform(-0.1, 0.1)) * speed), 1.0 / speed
        else:
            far = float(rng.uniform(0.2, 1.0))
            velocity = (0.5 * float(rng.uniform(-1, 1)) * speed, -speed)
            lasts = far / speed
            aside = float(rng.uniform(-0.8, 0.8)) * size
            start = (aim.at + aside - velocity[0] * lasts, top + far)
        turns = float(rng.choice([0.0, 0.3, 3.0])) * float(rng.uniform(-1, 1))
        angle = float(rng.choice([0.0, 0.3])) * float(rng.uniform(-1, 1)) - turns
        throw = FaceThrow(
            "needled", s, y, BETWEEN, False, corners, (start[0], start[1], angle),
            (velocity[0], velocity[1], turns / lasts), float(rng.choice([0.0, 5.0])), 2.0 * lasts,
        )  # fmt: skip
        if NeedledAnswer(throw, thorns).lowest(throw.start)[0] > 0.02:
            return throw, thorns
    return replace(throw, until=0.0), thorns


def needled_verdict(throw: FaceThrow, thorns: list[Thorn], way: str, answer: tuple[str, float]) -> str:
    """right, skipped, refused: why, or wrong: how. It is right where shapes touch by geometry when the run says."""
    geometry = NeedledAnswer(throw, thorns)
    return judged(throw, answer, WAYS[way], lambda found: abs(geometry.lowest(throw.pose(found))[0]) <= KNOWN)


def told(seed: int, way: str) -> str:
    throw, thorns = random_needled_throw(seed)
    if throw.until == 0.0:
        return "skipped"
    return needled_verdict(throw, thorns, way, NeedledAnswer(throw, thorns).first())
