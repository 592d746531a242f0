"""Sines with known zeros: alone, multiplied, added, and as a target that x must meet."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy

from tests.physics.known_guards import Draw, KnownGuard, Place, isolated, rounding_at
from tests.physics.known_motions import ROUNDING, TIME


@dataclass(frozen=True)
class Wave:
    """sin(k s + phase) - offset."""

    k: float
    phase: float
    offset: float = 0.0

    def expression(self, s: Any) -> Any:
        return sympy.sin(self.k * s + self.phase) - self.offset

    def value(self, s: float) -> float:
        return math.sin(self.k * s + self.phase) - self.offset

    def places(self, low: float, high: float) -> list[Place]:
        if abs(self.offset) >= 1:
            return []
        angle, found = math.asin(self.offset), []
        first, last = (math.floor((self.k * end + self.phase) / (2 * math.pi)) for end in (low, high))
        for n in range(first - 1, last + 2):
            for shift in (angle, math.pi - angle):
                at = (shift + 2 * math.pi * n - self.phase) / self.k
                size = 2 + abs(self.k * at) + abs(self.phase)
                noise = 64 * ROUNDING * size / (self.k * math.sqrt(1 - self.offset**2))
                found.append(Place(at, noise + rounding_at(at)))
        return [place for place in found if low <= place.at <= high]


def random_wave(draw: Draw, most: float = 60.0) -> Wave:
    low, high = draw.range()
    turns = 10 ** draw.random.uniform(-0.5, math.log10(most))
    return Wave(turns * math.pi / (high - low), draw.random.uniform(-3, 3))


def wave(draw: Draw) -> KnownGuard:
    """Zeros evenly spaced, or in pairs where the offset nearly is the size; one that touches only."""
    plain, near = random_wave(draw), 10 ** draw.random.uniform(-8, 0)
    offset = float(draw.random.choice([0.0, 1.0, 1 - near, near - 1, draw.random.uniform(-1, 1)]))
    made = Wave(plain.k, plain.phase, offset)
    return draw.known(made.expression, made.value, made.places(*draw.range()))


def wave_product(draw: Draw) -> KnownGuard:
    one, two = random_wave(draw, 20.0), random_wave(draw, 20.0)
    places = [*one.places(*draw.range()), *two.places(*draw.range())]
    return draw.known(lambda s: one.expression(s) * two.expression(s), lambda s: one.value(s) * two.value(s), places)


def wave_beat(draw: Draw) -> KnownGuard:
    """sin A + sin B = 2 sin((A + B)/2) cos((A - B)/2)."""
    one, two = random_wave(draw, 30.0), random_wave(draw, 30.0)
    mean = Wave((one.k + two.k) / 2, (one.phase + two.phase) / 2)
    half = Wave(abs(one.k - two.k) / 2, math.copysign(1, one.k - two.k) * (one.phase - two.phase) / 2 + math.pi / 2)
    places = [*mean.places(*draw.range()), *half.places(*draw.range())]
    return draw.known(
        lambda s: one.expression(s) + two.expression(s),
        lambda s: mean.value(s) * half.value(s),
        [Place(place.at, _noise_of_sum([(1.0, one), (1.0, two)], place.at)) for place in places],
    )


def _noise_of_sum(waves: Sequence[tuple[float, Wave]], s: float) -> float:
    """Rounding of the terms a sin(k s + phase) over the slope of their sum."""
    size = sum(a * (2 + wave.k * abs(s) + abs(wave.phase)) for a, wave in waves)
    slope = abs(sum(a * wave.k * math.cos(wave.k * s + wave.phase) for a, wave in waves))
    return 64 * ROUNDING * size / max(slope, 1e-300)


def wave_sum(draw: Draw) -> KnownGuard:
    """a1 sin(k1 s + p1) + a2 sin(k2 s + p2) + ... + c, whose zeros no formula gives."""
    low, high = draw.range()
    waves = [(draw.random.uniform(0.3, 1), random_wave(draw, 20.0)) for _ in range(int(draw.random.integers(2, 5)))]
    constant = draw.random.uniform(-0.5, 0.5)

    def value(s: float) -> float:
        return constant + sum(a * w.value(s) for a, w in waves)

    def rate(s: float) -> float:
        return sum(a * w.k * math.cos(w.k * s + w.phase) for a, w in waves)

    bounds = sum(a * w.k for a, w in waves), sum(a * w.k**2 for a, w in waves)
    roots = isolated(value, rate, bounds, low - 1e-6, high + 1e-6)
    places = [Place(c, _noise_of_sum(waves, c)) for c in roots]
    return draw.known(lambda s: constant + sum(a * w.expression(s) for a, w in waves), value, places)


def chase(draw: Draw) -> KnownGuard:
    """x against a target that waves in time: a guard of position and time, counted along the time."""
    motion, until = draw.motion, draw.until
    times = [until * k / 64 for k in range(65)]
    fastest = max(abs(motion.speed(t)) for t in times) + max(abs(motion.acceleration(t)) for t in times) * until / 64
    # x'' of every motion here is a line or a wave of rate 4 at most
    hardest = 1.5 * max(abs(motion.acceleration(t)) for t in times) + 1.0
    k, phase, size = draw.random.uniform(1, 30), draw.random.uniform(-3, 3), 10 ** draw.random.uniform(-1, 0.5)
    middle = motion.position(draw.random.uniform(0, until))

    def value(t: float) -> float:
        return motion.position(t) - middle - size * math.sin(k * t + phase)

    def rate(t: float) -> float:
        return motion.speed(t) - size * k * math.cos(k * t + phase)

    roots = isolated(value, rate, (fastest + size * k, hardest + size * k * k), 0.0, until)
    largest = abs(middle) + size * (1 + k * until) + fastest * until
    slopes = [max(abs(rate(c)), 1e-300) for c in roots]
    places = tuple(Place(c, 64 * ROUNDING * largest / k, 1 / k) for c, k in zip(roots, slopes, strict=True))
    return KnownGuard(TIME, lambda s: s["x"] - middle - size * sympy.sin(k * s["t"] + phase), value, places)
