"""Balls and points that slide over the upper face of a box without friction, and over its edge.

A ball that comes to an edge goes round it, as a mass on a circle of its radius about the edge, and flies off where
nothing presses any more: at cos(angle) = (2 + v^2/(g r))/3, v being its speed across the edge; at once where that is
more than one. How long that takes is an integral. Along the edge it goes on as it did. At a corner it goes round a
point, with all of its speed. A point flies off at the edge.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.integrate import quad
from scipy.spatial.transform import Rotation

import detent
from tests.physics.laid_solids import Array, G, system_of


@dataclass(frozen=True)
class Slid:
    """A ball, or a point where it has no radius, and all that was drawn for it: along the axes of the box."""

    half: Array
    radius: float
    place: Array
    velocity: Array
    """Along the face, two components each."""
    corner: bool
    """Whether it comes to both edges at once."""
    turned: Rotation

    @property
    def arrives(self) -> float:
        """When its middle is above an edge."""
        return float(self._ways.min())

    @property
    def _ways(self) -> Array:
        with np.errstate(divide="ignore"):
            far = self.half[:2] - self.place * np.sign(self.velocity)
            return np.where(self.velocity == 0, np.inf, far / np.abs(self.velocity))

    @property
    def across(self) -> Array:
        """The unit vector across the edge, outward; at a corner along the way."""
        if self.corner:
            return self.velocity / np.linalg.norm(self.velocity)
        out = np.arange(2) == self._ways.argmin()
        return np.where(out, np.sign(self.velocity), 0.0)

    @property
    def fast(self) -> float:
        """v^2/(g r)."""
        return float((self.velocity @ self.across) ** 2 / (G * self.radius)) if self.radius else np.inf

    @property
    def angle(self) -> float:
        """By which it goes round the edge."""
        return float(np.arccos((2 + self.fast) / 3)) if self.fast < 1 else 0.0

    @property
    def leaves(self) -> float:
        """When it flies off."""
        if self.fast >= 1:
            return self.arrives
        rate = lambda angle: np.sqrt(self.radius / G / (self.fast + 2 * (1 - np.cos(angle))))  # noqa: E731
        return self.arrives + quad(rate, 0, self.angle, epsabs=1e-13, epsrel=1e-13)[0]

    def slid(self, time: float) -> Array:
        """Where it is before it has arrived."""
        return np.array([*self.place + time * self.velocity, self.half[2] + self.radius])

    def flown(self, time: float) -> Array:
        """Where it is after it has left."""
        speed, flies, out = self.velocity @ self.across, time - self.leaves, self.across
        beside = self.velocity - speed * out
        edge = self.place + self.arrives * self.velocity + beside * (self.leaves - self.arrives)
        on = np.sqrt(speed**2 + 2 * G * self.radius * (1 - np.cos(self.angle)))
        level = edge + self.radius * np.sin(self.angle) * out + flies * (beside + on * np.cos(self.angle) * out)
        height = self.half[2] + self.radius * np.cos(self.angle) - flies * on * np.sin(self.angle) - G / 2 * flies**2
        return np.array([*level, height])

    def run(self, until: float) -> detent.Run:
        turned = dict(zip(("about", "first", "then"), self.turned.as_euler("ZXY"), strict=True))
        down = dict(zip(("gx", "gy", "gz"), G * self.turned.apply([0.0, 0.0, -1.0]), strict=True))
        sizes = {f"other_{k}": 2 * size for k, size in enumerate(self.half)}
        sizes |= {"own_0": self.radius} if self.radius else {}
        values = {name: float(value) for name, value in (turned | down | sizes).items()}
        place = self.turned.apply([*self.place, self.half[2] + self.radius])
        velocity = self.turned.apply([*self.velocity, 0.0])
        start = {f"solid_{name}": float(value) for name, value in zip("xyz", place, strict=True)}
        start |= {f"solid_{name}_rate": float(value) for name, value in zip("xyz", velocity, strict=True)}
        system = system_of("sphere" if self.radius else "point", "box", False)
        return detent.simulate(system, until=until, parameters=values, start=start, rtol=1e-10)

    def places(self, run: detent.Run) -> Array:
        return self.turned.inv().apply(np.stack([run[f"solid_{name}"] for name in "xyz"], axis=1))


def random_slid(kind: str, seed: int) -> Slid:
    """None comes to the end of an edge while it goes round that, but where it comes to a corner at once."""
    random = np.random.default_rng([seed, 4180, int(kind == "point")])
    while True:
        slid = _drawn(random, kind)
        if slid.corner:
            return slid
        end = slid.flown(slid.leaves)[:2]
        beyond = np.where(slid.across == 0, np.abs(end) - slid.half[:2], -1.0)
        if beyond.max() < -1e-3:
            return slid


def _drawn(random: np.random.Generator, kind: str) -> Slid:
    half, radius = random.uniform(0.15, 0.6, 3), float(random.uniform(0.03, 0.3)) if kind == "sphere" else 0.0
    part = random.uniform(0.15, 0.97) if random.random() < 0.7 else random.uniform(1.03, 2.0)
    speed = part * np.sqrt(G * radius) if radius else random.uniform(0.2, 1.5)
    turned = Rotation.identity() if random.random() < 0.2 else Rotation.random(random_state=int(random.integers(2**31)))
    drawn = random.random()
    if drawn < 0.2:  # through a corner, of a square along its diagonal
        half[1] = half[0] if random.random() < 0.5 else half[1]
        signs, before = random.choice([-1.0, 1.0], 2), random.uniform(0.2, 1.5)
        way = signs * (np.array([1.0, 1.0]) if half[1] == half[0] else random.uniform(0.3, 1.0, 2))
        way *= speed / np.linalg.norm(way)
        time = before * half[:2].min() / speed
        return Slid(half, radius, signs * half[:2] - time * way, way, True, turned)
    place, way = random.uniform(-0.9, 0.9, 2) * half[:2], random.uniform(0, 2 * np.pi)
    if drawn < 0.4:  # straight to an edge
        ahead = np.roll([random.choice([-1.0, 1.0]), 0.0], random.integers(2))
        return Slid(half, radius, place, speed * ahead, False, turned)
    slid = Slid(half, radius, place, np.array([np.cos(way), np.sin(way)]), False, turned)
    return Slid(half, radius, place, slid.velocity * speed / abs(slid.velocity @ slid.across), False, turned)
