"""Crates that lie with a face exactly flat on what is straight, and slide over it: when they tip.

A crate is a convex polygon on its lowest side, anywhere above which its centre of mass may be. It lies on one support
or on two of equal height: segments, polygons, straight pieces of a track. What is held is held anywhere between the
outermost places at which it lies on them. Forces of friction, mu N against the slip along its base, move the place
where all forces together press ahead of its centre by mu h, h being the height of that. It tips at the instant when
that place is outside of what it lies on, or it stops before, after v/(mu g). Nothing strikes meanwhile, nothing turns,
and nothing is noticed of joints between pieces of a track, nor of a gap that it can cross.

The scene is turned as a whole, with gravity, by a frame or by its coordinates: rounding makes of what is exactly flat
what it likes. Lengths are in units of their own.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import detent
from tests.physics.turned_scene import TurnedScene

Array = np.ndarray[Any, Any]
G = 9.81
"""m/s^2."""
CLEARLY = 0.02
"""m: no two ends pass one another within less, and no crate stops nearer to where it would tip."""
SUPPORTS = ("segment", "polygon", "track", "two segments", "two polygons", "corners of a track")


@dataclass(frozen=True)
class LaidCrate:
    """A crate on its supports, and all that was drawn for it: in metres, along and above the top of the supports."""

    kind: str
    corners: Array
    """Counter-clockwise from its centre of mass; the first two are its base, from the left to the right."""
    supports: tuple[tuple[float, float], ...]
    """From where to where each of them goes, from the left to the right."""
    joints: tuple[float, ...]
    """Where a track has joints between pieces that are in one line."""
    place: float
    """Where its centre of mass is at the start, and how fast it goes."""
    speed: float
    friction: float
    turned: float
    by_frame: bool
    """Whether a frame is turned, or all coordinates are."""
    unit: float
    """How many units of length a metre has."""

    @property
    def height(self) -> float:
        return -float(self.corners[0, 1])

    @cached_property
    def ends(self) -> tuple[float, bool]:
        """When it stops being as it is, and whether it tips then (or stops)."""
        stops = abs(self.speed) / (self.friction * G) if self.friction else math.inf
        tips = min((time for time in self._changes() if not self.is_held(time + 1e-9)), default=math.inf)
        return (tips, True) if tips < stops else (stops, False)

    def place_at(self, time: float) -> float:
        return self.place + self.speed * time - math.copysign(self.friction * G * time**2 / 2, self.speed)

    def is_held(self, time: float, slack: float = 0.0) -> bool:
        """Whether forces on what it lies on press where they must, by at least so much from its ends."""
        at = self.place_at(time)
        left, right = at + self.corners[0, 0], at + self.corners[1, 0]
        common = [(max(left, a), min(right, b)) for a, b in self.supports if max(left, a) < min(right, b)]
        if not common:
            return False
        pressed = at + math.copysign(self.friction * self.height, self.speed)
        return min(a for a, _ in common) + slack <= pressed <= max(b for _, b in common) - slack

    def _changes(self) -> list[float]:
        """When the pressed place, or an end of the base, passes an end of a support."""
        offsets = (math.copysign(self.friction * self.height, self.speed), *self.corners[:2, 0])
        found = []
        for end in np.ravel(self.supports):
            for offset in offsets:
                found += self._times_at(end - offset)
        return sorted(found)

    def _times_at(self, place: float) -> list[float]:
        way = (place - self.place) * math.copysign(1.0, self.speed)
        root = self.speed**2 - 2 * self.friction * G * way
        return [2 * way / (abs(self.speed) + math.sqrt(root))] if way > 0 and root > 0 else []

    def is_clear(self) -> bool:
        """Whether no two things happen nearly at once, and none nearly."""
        time, tips = self.ends
        if not (self.is_held(0.0, CLEARLY) and 0.05 < time < 20):
            return False
        end = self.place_at(time)
        offsets = (math.copysign(self.friction * self.height, self.speed), *self.corners[:2, 0])
        passed = [float(p) - offset for p in np.ravel(self.supports) for offset in offsets]
        near = sorted(abs(place - end) for place in passed)
        fast = abs(self.speed) - self.friction * G * time > 0.1 if tips else True
        ends, joints = np.ravel(self.supports), self.joints if self.kind.endswith("track") else ()
        long = all(abs(ends - joint).min() > CLEARLY for joint in joints)  # in shorter pieces rounding is a bend
        slack = self.corners[0, 0] + CLEARLY < offsets[0] < self.corners[1, 0] - CLEARLY
        return long and fast and slack and (near[1] if tips else near[0]) > CLEARLY and len(near) > 1

    # -- the model ------------------------------------------------------------------------------

    @property
    def scene(self) -> TurnedScene:
        return TurnedScene(self.turned, self.by_frame, self.unit)

    def system(self) -> detent.System:
        system = detent.System("laid crate")
        joint = system.planar("crate", system.origin, system.ground)
        crate = system.body("crate", joint.point, joint.frame, mass=1.3, inertia=0.2 * self.unit**2)
        self.scene.pull(system, 0.0, -G)
        ground = self.scene.carrier(system)
        law = detent.Coulomb(self.friction) if self.friction else None
        shape = crate.polygon(*((self.unit * float(x), self.unit * float(y)) for x, y in self.corners))
        for number, support in enumerate(self._shapes(ground), 1):
            system.contact(f"crate|{number}", shape, support, friction=law)
        x, y = self.scene.place_of(self.place, self.height)
        u, v = self.scene.place_of(self.speed, 0.0)
        system.start(crate_x=x, crate_y=y, crate_angle=self.turned, crate_x_rate=u, crate_y_rate=v)
        return system

    def _shapes(self, ground: Any) -> list[detent.Shape]:
        if self.kind.endswith("track"):
            (left, right), cornered = self.supports[0], self.kind.startswith("corners")
            before, after = [(left - 0.3, -0.2)] * cornered, [(right + 0.1, -0.4)] * cornered
            places = [*before, *((x, 0.0) for x in (left, *self.joints, right)), *after]
            return [ground.track(*(self.scene.seen(*each) for each in places))]
        if "segment" in self.kind:
            return [ground.segment(self.scene.seen(a, 0), self.scene.seen(b, 0)) for a, b in self.supports]
        return [
            ground.polygon(
                self.scene.seen(a, 0),
                self.scene.seen(a + 0.05, -0.5),
                self.scene.seen(b - 0.02, -0.4),
                self.scene.seen(b, 0),
            )
            for a, b in self.supports
        ]

    # -- what a run says ------------------------------------------------------------------------

    def along_of(self, run: detent.Run) -> Array:
        return (math.cos(self.turned) * run["crate_x"] + math.sin(self.turned) * run["crate_y"]) / self.unit

    def height_of(self, run: detent.Run) -> Array:
        return (math.cos(self.turned) * run["crate_y"] - math.sin(self.turned) * run["crate_x"]) / self.unit

    def leaning(self, run: detent.Run) -> Array:
        return run["crate_angle"] - self.turned


def random_crate(seed: int, kind: str) -> LaidCrate:
    """One of which no two things happen nearly at once: those would be told apart by less than what is known."""
    random = np.random.default_rng([seed, 90125, SUPPORTS.index(kind)])
    while True:
        crate = _drawn(random, kind)
        if crate.is_clear():
            return crate


def _drawn(random: np.random.Generator, kind: str) -> LaidCrate:
    left, right = -random.uniform(0.1, 1.0), random.uniform(0.1, 1.0)
    height, upper = random.uniform(0.1, 0.6), random.uniform(0.05, 0.6)
    top = sorted(random.uniform(left - 0.3, right + 0.3, int(random.integers(1, 3))), reverse=True)
    corners = np.array([(left, -height), (right, -height), *((x, upper) for x in top)])
    if kind.startswith("two"):
        ends = np.cumsum(random.uniform((-1.5, 0.3, 0.02, 0.3), (0, 1.5, 0.6, 1.5)))
        supports: tuple[tuple[float, float], ...] = ((ends[0], ends[1]), (ends[2], ends[3]))
    else:
        start, long = random.uniform(-1.5, 0), random.uniform(0.3, 3.0)
        supports = ((start, start + long),)
    first, last = supports[0][0], supports[-1][1]
    joints = tuple(sorted(float(x) for x in random.uniform(first, last, int(random.integers(0, 4)))))
    turned = 0.0 if random.random() < 0.2 else float(random.uniform(-math.pi, math.pi))
    friction = 0.0 if random.random() < 0.6 else float(random.uniform(0.02, 0.3))
    speed = float(random.choice([-1, 1]) * random.uniform(0.2, 2.5))
    place, unit = float(random.uniform(first, last)), float(random.choice([1.0, 1e3, 1e-3]))
    by_frame = bool(random.random() < 0.5)
    return LaidCrate(kind, corners, supports, joints, place, speed, friction, turned, by_frame, unit)
