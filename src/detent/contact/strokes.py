"""Straight lines with ends and arcs as they stand, in numbers: how near they are, how deep in a convex body, where they
cross."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

Numbers: TypeAlias = NDArray[np.float64]
HalfSpace: TypeAlias = tuple[Numbers, float]
"""The outward unit normal of a side, and how far it is along it: inside is normal . x < level."""


@final
@dataclass(frozen=True)
class StraightStroke:
    """A straight line from one place to another, in the plane or in space."""

    start: Numbers
    end: Numbers

    def distance(self, point: Numbers) -> float:
        """How far a point is from it."""
        way = self.end - self.start
        square = float(way @ way)
        along = 0.0 if square == 0.0 else min(1.0, max(0.0, float((point - self.start) @ way) / square))
        return float(np.linalg.norm(point - self.start - along * way))

    def depth(self, sides: list[HalfSpace]) -> float:
        """How deep it comes into a convex body: the most that any of its points has to all sides; negative outside."""
        first = [level - float(normal @ self.start) for normal, level in sides]
        slope = [level - float(normal @ self.end) - at for (normal, level), at in zip(sides, first, strict=True)]
        places = [0.0, 1.0]
        for i, j in combinations(range(len(sides)), 2):
            if slope[i] != slope[j]:
                places.append((first[j] - first[i]) / (slope[i] - slope[j]))
        return max(
            min(at + place * rise for at, rise in zip(first, slope, strict=True))
            for place in places
            if 0.0 <= place <= 1.0
        )

    def margin(self, point: Numbers) -> float:
        """How far a point on it is from its nearer end; negative beyond."""
        way = (self.end - self.start) / np.linalg.norm(self.end - self.start)
        return min(float((point - self.start) @ way), float((self.end - point) @ way))


@final
@dataclass(frozen=True)
class ArcStroke:
    """A part of a circle in the plane: all angles that are off the middle one by no more than half its sweep."""

    center: Numbers
    radius: float
    middle: float
    half: float

    def distance(self, point: Numbers) -> float:
        """How far a point is from it."""
        away = point - self.center
        if self._reaches(math.atan2(away[1], away[0])):
            return abs(float(np.linalg.norm(away)) - self.radius)
        ends = (self._at(self.middle - self.half), self._at(self.middle + self.half))
        return min(float(np.linalg.norm(point - end)) for end in ends)

    def depth(self, sides: list[HalfSpace]) -> float:
        """How deep it comes into a convex body: the most that any of its points has to all sides; negative outside."""
        angles = [self.middle - self.half, self.middle + self.half]
        angles += [math.atan2(-normal[1], -normal[0]) for normal, _ in sides]
        for (one, level), (other, otherwise) in combinations(sides, 2):
            apart = one - other
            size = self.radius * float(np.linalg.norm(apart))
            cosine = (level - otherwise - float(apart @ self.center)) / size if size > 0.0 else 2.0
            if abs(cosine) <= 1.0:
                towards, turn = math.atan2(apart[1], apart[0]), math.acos(cosine)
                angles += [towards - turn, towards + turn]
        places = [self._at(angle) for angle in angles if self._reaches(angle)]
        return max(min(level - float(normal @ place) for normal, level in sides) for place in places)

    def margin(self, point: Numbers) -> float:
        """How far a point on it is from its nearer end; negative beyond."""
        away = point - self.center
        return self.radius * (self.half - abs(self._off(math.atan2(away[1], away[0]))))

    def _at(self, angle: float) -> Numbers:
        return self.center + self.radius * np.array([math.cos(angle), math.sin(angle)])

    def _off(self, angle: float) -> float:
        return math.remainder(angle - self.middle, 2.0 * math.pi)

    def _reaches(self, angle: float) -> bool:
        return abs(self._off(angle)) <= self.half * (1.0 + 1e-12)


Stroke: TypeAlias = StraightStroke | ArcStroke


def crossing_depth(one: Stroke, other: Stroke) -> float:
    """How far two strokes have crossed: the way back to the nearest end, or out sideways; negative if they have not."""
    found = [-1.0]
    for point, sideways in _crossings(one, other):
        found.append(min(one.margin(point), other.margin(point), sideways))
    return max(found)


def _crossings(one: Stroke, other: Stroke) -> Iterator[tuple[Numbers, float]]:
    """Where the whole lines or circles of two strokes cross, and how far apart sideways they would just touch."""
    if isinstance(one, StraightStroke) and isinstance(other, StraightStroke):
        yield from _straight_crossings(one, other)
    elif isinstance(one, ArcStroke) and isinstance(other, ArcStroke):
        yield from _arc_crossings(one, other)
    elif isinstance(one, ArcStroke):
        yield from _crossings(other, one)
    else:
        assert isinstance(other, ArcStroke)
        way = (one.end - one.start) / np.linalg.norm(one.end - one.start)
        foot = one.start + float((other.center - one.start) @ way) * way
        aside = float(np.linalg.norm(other.center - foot))
        if aside < other.radius:
            for sign in (-1.0, 1.0):
                yield foot + sign * math.sqrt(other.radius**2 - aside**2) * way, other.radius - aside


def _straight_crossings(one: StraightStroke, other: StraightStroke) -> Iterator[tuple[Numbers, float]]:
    way, across = one.end - one.start, other.end - other.start
    area, sizes = float(way[0] * across[1] - way[1] * across[0]), float(np.linalg.norm(way) * np.linalg.norm(across))
    if area != 0.0:
        away = other.start - one.start
        point = one.start + float(away[0] * across[1] - away[1] * across[0]) / area * way
        yield point, abs(area) / sizes * min(one.margin(point), other.margin(point))


def _arc_crossings(one: ArcStroke, other: ArcStroke) -> Iterator[tuple[Numbers, float]]:
    away = other.center - one.center
    apart = float(np.linalg.norm(away))
    sideways = min(one.radius + other.radius - apart, apart - abs(one.radius - other.radius))
    if sideways > 0.0:
        along = (apart**2 + one.radius**2 - other.radius**2) / (2.0 * apart)
        aside = math.sqrt(max(0.0, one.radius**2 - along**2)) * np.array([-away[1], away[0]]) / apart
        for sign in (-1.0, 1.0):
            yield one.center + along / apart * away + sign * aside, sideways
