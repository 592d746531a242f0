"""What is round thrown at curves that no grid sees: needles, slits and ripples far narrower than a cell of one.

The law is geometry, as in :mod:`tests.physics.thrown_outlines`: a disk whose middle is at p touches where the distance
of p from the curve is its radius, and before the distance that is left, over the speed of p, has passed it does not.
Distances are those of points that are evenly spaced along the curve, looked at closer around each that is nearest.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy
from scipy.interpolate import PchipInterpolator

import detent
from tests.physics.throw_verdict import judged
from tests.physics.thrown_outlines import GRAZES, PARTS, ROUND, TOUCHES, Array, Outline, Throw, disk, is_close, ring, s

COUNT = 12000
"""Points all along a curve."""
FINE = 400_001
"""Values of the parameter by which the length of a curve is known, and so many more around what is sharp."""
HALF = 2.0
"""A curve with ends goes this far to both sides."""


class RoundAnswer:
    """When the middle of what is round first is as far from a curve as its radius; inside a ring, from the ring."""

    def __init__(self, throw: Throw, radius: float, in_ring: bool = False) -> None:
        self.throw, self.radius, self.in_ring = throw, radius, in_ring
        curve = throw.thrown if in_ring else throw.target
        self.curve = curve
        self.along = np.linspace(*curve.between, COUNT)
        self.points = curve.points(self.along)
        self.between = 0.5 * float(np.hypot(*np.diff(self.points, axis=0).T).max())
        vx, vy, spin = throw.rates
        fastest = math.hypot(vx, abs(vy) + throw.gravity * throw.until)
        far = math.hypot(*throw.start[:2]) + fastest * throw.until
        size = float(np.hypot(*self.points.T).max())
        turning = abs(spin) * size if in_ring else abs(throw.turning) * far
        self.fastest = fastest + turning

    def _apart(self, points: Array, t: float) -> Array:
        if self.in_ring:
            return np.asarray(self.radius - np.hypot(*np.moveaxis(self.throw.placed(points, t), -1, 0)))
        middle = self.throw.placed(np.zeros((1, 2)), t)[0]
        return np.asarray(np.hypot(*np.moveaxis(points - middle, -1, 0)) - self.radius)

    def distance(self, t: float) -> float:
        apart = self._apart(self.points, t)
        least = float(apart.min())
        if least > 8 * self.between:
            return least - self.between
        inner = (apart[1:-1] <= apart[:-2]) & (apart[1:-1] <= apart[2:]) & (apart[1:-1] < least + 2 * self.between)
        at = np.concatenate([self.along[1:-1][inner], [self.along[apart.argmin()]]])
        wide, best = np.full(len(at), 1.5 * (self.along[1] - self.along[0])), least
        for _ in range(16):
            looked = np.clip(at[:, None] + wide[:, None] * PARTS, *self.curve.between)
            found = self._apart(self.curve.points(looked), t)
            k = found.argmin(axis=1)
            at, wide, best = looked[np.arange(len(at)), k], wide / 4, min(best, float(found.min()))
        return best

    def first(self) -> tuple[str, float]:
        """When they touch, or that they do not, or that nobody can say."""
        t, nearest = 0.0, math.inf
        for _ in range(20000):
            apart = self.distance(t)
            if apart < TOUCHES:
                return "touch", t
            nearest = min(nearest, apart)
            t += apart / self.fastest
            if t > self.throw.until:
                return ("graze", nearest) if nearest < GRAZES else ("none", nearest)
        return "graze", nearest


# -- curves --------------------------------------------------------------------------------------------


def evenly(x: Any, y: Any, between: tuple[float, float], sharp: list[tuple[float, float]], closed: bool) -> Outline:
    """The curve of two expressions in s, its points by their length along it; ``sharp`` tells where it is, how wide."""
    function = sympy.lambdify(s, [x + 0 * s, y + 0 * s])
    parts = [np.linspace(*between, FINE)]
    parts += [at + 8 * width * np.linspace(-1, 1, 20001) for at, width in sharp]
    values = np.unique(np.clip(np.concatenate(parts), *between))
    places = np.stack(np.broadcast_arrays(*function(values), values)[:2], axis=-1)
    lengths = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(places, axis=0).T))])
    keep = np.concatenate([[True], np.diff(lengths) > 0.0])
    value_at = PchipInterpolator(lengths[keep], values[keep])

    def points(at: Array) -> Array:
        value = value_at(at)
        return np.stack(np.broadcast_arrays(*function(value), value)[:2], axis=-1)

    return Outline(points, (0.0, float(lengths[-1])), lambda carrier: carrier.curve(s, x, y, between, closed=closed))


def sharp_curve(rng: np.random.Generator, kind: str, size: float = 1.0) -> Outline:
    """A closed curve with a needle, a slit or ripples; ``needles``: several of them."""
    if kind == "ripples":
        number = int(rng.integers(40, 300))
        high = float(rng.uniform(0.2, 3.0)) / number
        out = 1 + high * sympy.cos(number * s + float(rng.uniform(0, 6)))
        return evenly(size * out * sympy.cos(s), size * out * sympy.sin(s), (0.0, ROUND), [], True)
    count = int(rng.integers(3, 9)) if kind == "needles" else 1
    sign = -1 if kind == "slit" else 1
    out, sharp = sympy.Integer(1), []
    for k in range(count):
        at = ROUND * (0.1 + 0.8 * (k + float(rng.uniform(0.2, 0.8))) / count)
        width, high = float(10 ** rng.uniform(-4, -2)), float(rng.uniform(0.05, 0.8))
        out += sign * high * sympy.exp(-(((s - at) / width) ** 2))
        sharp.append((at, width))
    return evenly(size * out * sympy.cos(s), size * out * sympy.sin(s), (0.0, ROUND), sharp, True)


@dataclass(frozen=True)
class Needle:
    """On a level floor: where it is, how wide and how high."""

    at: float
    width: float
    high: float

    def outline(self) -> Outline:
        y = self.high * sympy.exp(-(((s - self.at) / self.width) ** 2))
        return evenly(s, y, (-HALF, HALF), [(self.at, self.width)], False)

    def meets(self, radius: float) -> float | None:
        """Where the middle of a disk is that slides over the floor and meets the needle, though it still stands on the
        floor; None where it does not.

        Of points (u, y) it touches the first for which u - (2 r y - y^2)^(1/2), r the radius, is least.
        """
        u = self.at + self.width * np.linspace(-6, 0, 2_000_001)
        y = self.high * np.exp(-(((u - self.at) / self.width) ** 2))
        where = np.where(y < 2 * radius, u - np.sqrt(np.maximum(0.0, 2 * radius * y - y * y)), math.inf)
        k = int(where[y > 1e-3 * self.high].argmin()) + int((y <= 1e-3 * self.high).sum())
        level = self.high * math.exp(-min(700.0, ((where[k] - self.at) / self.width) ** 2))
        return float(where[k]) if where[k] < u[0] and level < 1e-13 else None


def needle(rng: np.random.Generator) -> Needle:
    return Needle(float(rng.uniform(-0.8, 0.8)), float(10 ** rng.uniform(-4, -1.5)), float(rng.uniform(0.05, 0.6)))


# -- throws --------------------------------------------------------------------------------------------

KINDS = ("needle", "needles", "slit", "ripples", "skim", "in ring")


def point() -> Outline:
    """A point, as something that is thrown."""
    return Outline(lambda at: np.zeros((*np.shape(at), 2)), (0.0, 1.0), lambda carrier: carrier.point())


def random_sharp_throw(kind: str, seed: int) -> tuple[Throw, RoundAnswer]:
    """A disk, or a point, thrown at something sharp; ``skim``: level, just above a floor with a needle; ``in ring``: a
    curve with needles thrown about inside a ring."""
    rng = np.random.default_rng([77, KINDS.index(kind), seed])
    gravity = float(rng.choice([0.0, 9.81]))
    if kind == "in ring":
        thrown = sharp_curve(rng, str(rng.choice(["needle", "needles", "ripples"])))
        size = float(np.hypot(*thrown.points(np.linspace(*thrown.between, COUNT)).T).max())
        room, speed, way = size * float(rng.uniform(0.05, 1.0)), float(10 ** rng.uniform(0, 2)), rng.uniform(0, ROUND)
        until = 3 * (size + room) / speed
        turns = float(rng.choice([0.0, 1.0, 5.0])) * float(rng.uniform(-1, 1)) * ROUND
        rates = (speed * math.cos(way), speed * math.sin(way), turns / until)
        start = (0.4 * room * math.cos(way + 1), 0.4 * room * math.sin(way + 1), float(rng.uniform(0, ROUND)))
        throw = Throw(thrown, ring(size + room), start, rates, gravity, 0.0, until)
        return throw, RoundAnswer(throw, size + room, in_ring=True)
    radius = 0.0 if rng.uniform() < 0.3 else float(10 ** rng.uniform(-2.5, -0.5))
    thrown, speed = disk(radius) if radius else point(), float(10 ** rng.uniform(0, 2))
    if kind == "skim":
        thorn = needle(rng)
        high, start = radius + float(10 ** rng.uniform(-3, -1)), thorn.at - float(rng.uniform(0.4, 1.0))
        throw = Throw(thrown, thorn.outline(), (start, high, 0.0), (speed, 0.0, 0.0), 0.0, 0.0, 1.4 / speed)
        return throw, RoundAnswer(throw, radius)
    target = sharp_curve(rng, kind)
    towards, far = rng.uniform(0, ROUND), float(rng.uniform(2.2, 4.0)) + radius
    aim = towards + math.pi + float(rng.uniform(-1, 1)) * math.asin(1.4 / far)
    until = 2 * far / speed
    start = (far * math.cos(towards), far * math.sin(towards), 0.0)
    turning = float(rng.choice([0.0, rng.uniform(-2, 2)])) * ROUND / until
    throw = Throw(thrown, target, start, (speed * math.cos(aim), speed * math.sin(aim), 0.0), gravity, turning, until)
    return throw, RoundAnswer(throw, radius)


def slid_into_needle(seed: int) -> tuple[Throw, float | None]:
    """A disk that slides over a level floor, pressed down, into a needle, and when; None where it does not."""
    rng = np.random.default_rng([78, seed])
    thorn, radius, speed = needle(rng), float(10 ** rng.uniform(-2.5, -1)), float(10 ** rng.uniform(0, 1.5))
    start = thorn.at - float(rng.uniform(0.4, 1.0))
    throw = Throw(disk(radius), thorn.outline(), (start, radius, 0.0), (speed, 0.0, 0.0), 9.81, 0.0, 1.4 / speed)
    meets = thorn.meets(radius)
    return throw, None if meets is None else (meets - start) / speed


RUNS: dict[str, dict[str, Any]] = {
    "1e-3": {"rtol": 1e-3}, "1e-6": {"rtol": 1e-6}, "1e-9": {"rtol": 1e-9}, "1e-12": {"rtol": 1e-12},
    "rk4": {"method": "rk4"},
}  # fmt: skip


def sharp_verdict(throw: Throw, answer: tuple[str, float], run: str) -> str:
    """right, skipped, refused: why, or wrong: how."""
    return judged(throw, answer, RUNS[run], lambda found: is_close(throw, answer[1], found))


def slide_verdict(throw: Throw, when: float | None, run: str) -> str:
    """The same for what slides into a needle: it touches twice there, and the run ends."""
    if when is None:
        return "skipped"
    settings = RUNS[run] | ({"step": throw.until / 3} if run == "rk4" else {})
    simulation, ended = detent.Simulation(throw.system(), **settings), False
    try:
        simulation.advance(throw.until)
    except detent.SimulationError as error:
        ended = "cannot be followed" in str(error)
    last = simulation.time
    if not ended:
        return f"wrong: slid through at {when}"
    # Not later than it touches; how much earlier, is by how short steps become that lead there.
    late = TOUCHES / throw.rates[0]
    early = 1e3 * late + (1e-4 * throw.until if run == "rk4" else 0.0)
    return "right" if when - early <= last <= when + late else f"wrong: ended at {last}, expected {when}"
